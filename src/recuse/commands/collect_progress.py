"""The bar of a collection: calls, rate, cost and the time that is left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from recuse.collectors.live.calls import Call
    from recuse.collectors.live.models import Failure
    from recuse.collectors.live.replies import Reply

__all__ = ["watching"]

_OnPhase: TypeAlias = Callable[[str, int], object]
_OnDone: TypeAlias = "Callable[[Call, Reply | Failure], object]"


@contextmanager
def watching() -> Generator[tuple[_OnPhase, _OnDone]]:
    """Show a bar for each phase on a terminal's stderr, and nothing in a pipe.

    Yields
    ------
    tuple
        To be called with each phase's name and number of calls, and after each call.
    """
    if not sys.stderr.isatty():
        yield lambda _name, _n: None, lambda _call, _what: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from recuse.collectors.live.models import Failure

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[cost]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        spent = 0.0
        n_unknown = n_failed = 0
        current = progress.add_task("planning", total=None, rate="", cost="")

        def on_phase(name: str, n_calls: int) -> None:
            nonlocal current
            if not progress.tasks[current].completed:
                progress.remove_task(current)
            current = progress.add_task(name, total=n_calls, rate="", cost="")

        def on_done(_call: Call, what: Reply | Failure) -> None:
            nonlocal spent, n_unknown, n_failed
            if isinstance(what, Failure):
                n_failed += 1
            elif what.cost_usd is None:
                n_unknown += 1
            else:
                spent += what.cost_usd
            cost = f"${spent:,.4f}" + (f" + {n_unknown:,} of unknown price" if n_unknown else "")
            failed = f", {n_failed:,} failed" if n_failed else ""
            progress.advance(current)
            speed = progress.tasks[current].speed
            progress.update(current, rate=f"{speed:,.1f}/s" if speed else "", cost=cost + failed)

        yield on_phase, on_done
