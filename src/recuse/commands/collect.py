"""``recuse collect``: a study's answers and judgments, asked for once and kept in a cache."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recuse.errors import CollectionError, ConfigurationError

if TYPE_CHECKING:
    from recuse.cache.store import Store
    from recuse.collectors.live.completeness import State
    from recuse.collectors.live.forecast import Row
    from recuse.collectors.live.running import Outcome
    from recuse.collectors.live.study_file import LoadedStudy

__all__ = ["app"]

app = typer.Typer(add_completion=False)

_LISTED = 100
"""Missing calls and failures printed one by one; the count is of all."""


@app.command()
def collect(
    study_file: Annotated[Path | None, typer.Argument(metavar="STUDY.toml", help="What to collect.")] = None,
    into: Annotated[
        Path | None, typer.Option(metavar="CACHE", help="The cache's directory, made if there is none.")
    ] = None,
    *,
    init: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write a commented study.toml and its tasks, and stop.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show calls, tokens, cost, time; ask nobody.")
    ] = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Is all of it in the cache? Ask nobody.")
    ] = False,
    max_cost: Annotated[
        float | None, typer.Option(min=0, metavar="USD", help="Stop before this run costs more.")
    ] = None,
    batch: Annotated[
        bool, typer.Option("--batch", help="Submit as a batch, or fetch the one under way.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again for what was refused as a request.")
    ] = False,
    serve: Annotated[bool, typer.Option("--serve", help="Run the study's [servers] meanwhile.")] = False,
    failures: Annotated[
        bool, typer.Option("--failures", help="List the calls that failed last time, and stop.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the collected study as tables with a manifest.")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write pointwise judgments as labels for recuse calibrate."),
    ] = None,
) -> None:
    """Ask every generator for its answers and every judge about them, blind and in both orders.

    What is in the cache is not asked again, and each reply is on disk before it counts. Exit status 0 when
    the study is complete, 1 when something is missing, 2 when it could not be asked.
    """
    if init is not None:
        _init(init)
        return
    if study_file is None or into is None:
        raise ConfigurationError(
            "recuse collect needs STUDY.toml and --into CACHE",
            "recuse collect --init DIR writes a study.toml",
        )
    if sum((dry_run, offline, batch, failures)) > 1:
        raise ConfigurationError("--dry-run, --offline, --batch and --failures exclude each other")
    from recuse.collectors.live.study_file import load_study

    study = load_study(study_file)
    if dry_run:
        _show_plan(study, into)
        return
    if failures:
        _list_failures(into)
        return
    from recuse.cache.store import Store

    with Store(into, create=not offline) as store:
        if not offline:
            _ask(study, store, max_cost=max_cost, batch=batch, retry_failed=retry_failed, serve=serve)
        state = _complete_or_not(study, store, offline=offline)
        _write_results(study, store, out, labels)
    if state.missing:
        raise typer.Exit(1)


def _init(folder: Path) -> None:
    from recuse.collectors.live.starter import write_starter
    from recuse.commands.terminal import say

    for path in write_starter(folder):
        say(f"{path} written")
    study = folder / "study.toml"
    say(f"next: edit {study}, then recuse collect {study} --into CACHE --dry-run")


def _show_plan(study: LoadedStudy, into: Path) -> None:
    from recuse.cache.database import DATABASE
    from recuse.cache.store import Store
    from recuse.collectors.live.completeness import state_of
    from recuse.collectors.live.forecast import forecast
    from recuse.commands.terminal import say, tabulate

    with Store(into) if (into / DATABASE).exists() else nullcontext() as store:
        state = state_of(study, store)
        rows = forecast(state, store, study.about.limits_of)
    tabulate(
        (
            "phase",
            "model",
            "in the cache",
            "to ask",
            "tokens in, about",
            "tokens out, at most",
            "cost, at most",
            "time",
        ),
        [
            (
                row.phase,
                row.name,
                row.n_there,
                row.n_to_ask,
                _known(row.tokens_in),
                _known(row.most_tokens_out),
                "unknown" if row.most_cost_usd is None else f"${row.most_cost_usd:,.4f}",
                _time(row.seconds),
            )
            for row in rows
        ],
        n_names=2,
    )
    n_calls = sum(row.n_to_ask for row in rows)
    say(f"{n_calls:,} calls to make, {state.n_there:,} in the cache; cost {_total_cost(rows)}")
    say(*_never_asked(state))


def _ask(
    study: LoadedStudy, store: Store, *, max_cost: float | None, batch: bool, retry_failed: bool, serve: bool
) -> None:
    from recuse.collectors.live.local_servers import local_servers
    from recuse.collectors.live.session import Session
    from recuse.commands.collect_progress import watching
    from recuse.commands.terminal import say

    if serve and not study.about.servers:
        raise ConfigurationError("--serve needs [servers] in the study file")
    with local_servers(study.about.servers, study.folder) if serve else nullcontext():
        if batch:
            from recuse.collectors.live.batches import advance

            say(*advance(study, store))
            return
        with watching() as (on_phase, on_done):
            session = Session(
                study, store, max_cost=max_cost, retry_failed=retry_failed, on_phase=on_phase, on_done=on_done
            )
            outcome = session.run()
    say(*_told(outcome))


def _complete_or_not(study: LoadedStudy, store: Store, *, offline: bool) -> State:
    from recuse.collectors.live.completeness import state_of
    from recuse.collectors.live.manipulation import lengths_obtained
    from recuse.commands.terminal import say

    state = state_of(study, store)
    missing = state.missing
    say(*_never_asked(state), *lengths_obtained(study, state))
    if missing and offline:
        say(*(f"missing: {spoken}" for spoken in missing[:_LISTED]))
        if len(missing) > _LISTED:
            say(f"and {len(missing) - _LISTED:,} more")
        raise CollectionError(
            f"{store.path.name} lacks {len(missing):,} of the study's {len(missing) + state.n_there:,} calls",
            remedy="without --offline they are asked for",
        )
    if missing:
        say(f"{study.about.name}: {len(missing):,} calls are missing, {state.n_there:,} are in the cache")
    else:
        say(f"{study.about.name}: complete, {state.n_there:,} calls in the cache")
    return state


def _write_results(study: LoadedStudy, store: Store, out: Path | None, labels: Path | None) -> None:
    from recuse.commands.terminal import say

    if out is not None:
        from recuse.collectors.live.collected_study import write_study

        say(*(f"{path} written" for path in write_study(study, store, out)))
    if labels is not None:
        from recuse.collectors.live.collected_study import write_labels

        say(f"{write_labels(study, store, labels):,} labels written to {labels}")


def _list_failures(into: Path) -> None:
    from recuse.cache.store import Store
    from recuse.collectors.live.keeping import failures_of
    from recuse.commands.terminal import say

    with Store(into) as store:
        ledger = failures_of(store.records_of("failure"))
        lasting = [failed for failed in ledger.values() if failed.of not in store]
    for failed in lasting[:_LISTED]:
        again = "is asked again" if failed.asked_again else "is asked again with --retry-failed"
        tries = "1 attempt" if failed.attempts == 1 else f"{failed.attempts} attempts"
        say(f"{failed.spoken}: {failed.error} after {tries} ({failed.message}); {again}")
    n_recovered = len(ledger) - len(lasting)
    say(f"{len(lasting):,} calls failed and have no record, {n_recovered:,} failed and then succeeded")


def _told(outcome: Outcome) -> list[str]:
    lines = [
        f"{outcome.n_asked:,} calls made, {outcome.n_kept:,} replies kept, {outcome.n_retries:,} retries; "
        f"cost ${outcome.cost_usd:,.4f}"
        + (f" and {outcome.n_unknown_cost:,} replies of unknown price" if outcome.n_unknown_cost else "")
    ]
    if outcome.over_budget:
        lines.append("stopped: the next call could have cost more than --max-cost allows")
    lines += [f"{model} was given up: {why}" for model, why in outcome.given_up.items()]
    if outcome.failed:
        first = next(iter(outcome.failed.values()))
        lines.append(
            f"{len(outcome.failed):,} calls failed, the first with {first.error}: {first.message}; "
            "recuse collect --failures lists them"
        )
    return lines


def _never_asked(state: State) -> list[str]:
    n_never = sum(len(phase.never) for phase in state.phases)
    return (
        [f"{n_never:,} presentations cannot be asked: a provider refused to give an answer"]
        if n_never
        else []
    )


def _total_cost(rows: list[Row]) -> str:
    asked = [row for row in rows if row.n_to_ask]
    known = [row.most_cost_usd for row in asked if row.most_cost_usd is not None]
    if not known and asked:
        return "unknown"
    n_unknown = sum(row.n_to_ask for row in asked if row.most_cost_usd is None)
    more = f" for those of known price, unknown for {n_unknown:,}" if n_unknown else ""
    return f"${sum(known):,.4f} at most{more}"


def _known(count: int | None) -> object:
    return "unknown" if count is None else count


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "unknown"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
