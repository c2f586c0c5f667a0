"""CPU seconds on one thread per library, so that other work on the machine does not count.

Import it before numpy: the number of threads is read once.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import TypeVar

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ[name] = "1"

__all__ = ["median_seconds", "setting"]

_Found = TypeVar("_Found")


def median_seconds(run: Callable[[], _Found], repeats: int = 3) -> tuple[float, _Found]:
    """Run some times; give the median of the CPU seconds and the last result."""
    seconds: list[float] = []
    for _ in range(repeats - 1):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    start = time.process_time()
    found = run()
    return median([*seconds, time.process_time() - start]), found


def setting(*packages: str) -> str:
    """Machine and versions, for a line above the numbers."""
    models = [
        line.partition(":")[2].strip()
        for line in _lines(Path("/proc/cpuinfo"))
        if line.startswith("model name")
    ]
    machine = f"{len(models)} cores of {models[0]}" if models else platform.processor() or platform.machine()
    named = ", ".join(f"{package} {version(package)}" for package in ("numpy", *packages))
    return f"{machine}; Python {platform.python_version()}, {named}; CPU seconds, one thread per library"


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
