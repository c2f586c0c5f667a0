"""Dask: partitions of pandas frames, worked on by the threads of this machine."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import glob
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import narwhals as nw

from recuse.collectors.engines.files import Files, failure_of, with_folder_keys
from recuse.errors import RecuseError

__all__ = ["opened"]

_WHOLE = "int64[pyarrow]"
"""pandas' own integers hold no null."""


@contextmanager
def opened(files: Files, scratch: Path) -> Generator[nw.LazyFrame[Any]]:
    """Open files on Dask's threaded scheduler.

    Raises
    ------
    SourceError
        Dask, pandas or pyarrow cannot read them.
    """
    from dask import config

    def read(paths: tuple[str, ...]) -> nw.LazyFrame[Any]:
        frame = _read(files, list(paths))[[*files.texts, *files.whole]]
        judgments: nw.LazyFrame[Any] = nw.from_native(frame.astype(dict.fromkeys(files.whole, _WHOLE)))
        return judgments

    settings = {"scheduler": "threads", "temporary_directory": str(scratch)}
    with config.set(settings), warnings.catch_warnings():
        # Of Dask to users of pandas, and of narwhals on a package to come: nothing that a user here can mend.
        warnings.simplefilter("ignore")
        try:
            yield with_folder_keys(files, read)
        except RecuseError:
            raise
        except (ArithmeticError, LookupError, OSError, TypeError, ValueError) as error:
            raise failure_of("Dask", files, error) from error


def _read(files: Files, paths: list[str]) -> Any:  # noqa: ANN401
    import dask.dataframe as dd

    paths = [glob.escape(path) for path in paths]
    if files.file_format == "parquet":
        return dd.read_parquet(paths, columns=[*files.texts, *files.whole], dtype_backend="pyarrow")
    types = {**dict.fromkeys(files.texts, "string[pyarrow]"), **dict.fromkeys(files.whole, _WHOLE)}
    reading: dict[str, Any] = {"compression": "gzip" if paths[0].endswith(".gz") else None, "dtype": types}
    if files.file_format == "jsonl":
        return dd.read_json(paths, lines=True, **reading)
    empty = {name: [""] for name in files.whole}
    # A file is one partition: a quoted field may hold the end of a line.
    return dd.read_csv(paths, blocksize=cast("Any", None), keep_default_na=False, na_values=empty, **reading)
