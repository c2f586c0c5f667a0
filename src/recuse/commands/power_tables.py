"""The tables of ``recuse power``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from recuse.analysis.power import (
    Design,
    Performance,
    SelfPreferenceRates,
    SlotRates,
    fewest_tasks,
    resampled_performance,
    stated_performance,
)
from recuse.commands.terminal import counting, say, tabulate
from recuse.errors import ConfigurationError, UndefinedEstimateError, UnknownNameError
from recuse.schema import ComparisonFrame

__all__ = ["Asked", "print_for_stated_rates", "print_for_study"]

_NAMES = {"self-preference": "self-preference delta", "slot": "slot-A rate"}
_SLOT_TEST = (
    " A report tests a slot by the sign-flip over task sums first, which finds less where few tasks lean."
)
_ESTIMANDS = {"self-preference": "self_preference_delta", "slot": "slot_a_rate"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What every table answers."""

    quantity: str
    effect: float
    width: float | None
    tasks: tuple[int, ...]
    goal: float
    n_data_sets: int
    seed: int

    @property
    def rng(self) -> np.random.Generator:
        """The same draws for every design, so that designs are compared on equal terms."""
        return np.random.default_rng(self.seed)

    @property
    def goals(self) -> list[tuple[str, Callable[[Performance], bool]]]:
        """What may be reached, in words, and whether it is."""
        wanted = self.width
        goals: list[tuple[str, Callable[[Performance], bool]]] = [
            (
                f"tasks for {100 * self.effect:g} pp at power {self.goal:g}",
                lambda found: found.power >= self.goal,
            )
        ]
        if wanted is not None:
            goals.append((f"tasks for {100 * wanted:g} pp width", lambda found: found.width <= wanted))
        return goals


def print_for_study(
    asked: Asked, source: str, *, judge: str | None, baseline: str, not_resampled: Sequence[str]
) -> None:
    """Print what a study could have seen, and what more of its tasks would."""
    from recuse.analysis.comparisons import compare
    from recuse.analysis.task_sums import self_preference_sums, slot_sums
    from recuse.collectors.sources import load

    if not_resampled:
        raise ConfigurationError(
            f"{' and '.join(not_resampled)} cannot be resampled from a study: its judges and replicates are "
            "what they are",
            "state rates instead, with --own or --flip-rate",
        )
    there = load(source)
    comparisons = compare(there.judgments, families=there.families)
    known = comparisons["judge"].unique().to_list()
    if judge is not None and judge not in known:
        raise UnknownNameError("judge", judge, known)
    slot = asked.quantity == "slot"
    found = slot_sums(comparisons) if slot else self_preference_sums(comparisons, baseline)
    found = {key: sums for key, sums in found.items() if judge in {None, key[1]}}
    if not found:
        raise UndefinedEstimateError(
            f"{source} has no comparison from which to learn: "
            + ("every judge was asked one order only" if slot else f"no judge has a baseline {baseline}")
        )
    against = "" if slot else f" against {baseline.replace('_', ' ')}"
    say(f"What {source} could have seen: {_NAMES[asked.quantity]}{against}", "")
    _print_present(comparisons, asked, judge, baseline)
    say("", f"What more tasks like those of {source} would see ({asked.n_data_sets:,} simulated studies)", "")
    rows: list[list[object]] = []
    with counting("designs", len(found)) as step:
        for (_, name), sums in found.items():

            def performance(n_tasks: int, sums: object = sums) -> Performance:
                return resampled_performance(
                    sums,  # type: ignore[arg-type]
                    Design(n_tasks=n_tasks),
                    effect=asked.effect,
                    rng=asked.rng,
                    n_data_sets=asked.n_data_sets,
                )

            try:
                rows += _rows([name], performance, asked)
            except UndefinedEstimateError as error:
                say(f"{name}: {error}", error=True)
            step(1)
    _tabulate(["judge"], rows, asked)


def print_for_stated_rates(
    asked: Asked,
    *,
    source: str | None,
    own: float | None,
    flip_rate: float | None,
    undecided: float,
    comparisons: int,
    judges: Sequence[int],
    replicates: Sequence[int],
    shares: tuple[float, float, float],
) -> None:
    """Print what designs of several judges and replicates would see if stated rates were true."""
    slot = asked.quantity == "slot"
    if source is not None or (own if slot else flip_rate) is not None:
        raise ConfigurationError(
            "rates are stated instead of a study: --own for self-preference, --flip-rate with --of slot",
            "leave out the other",
        )
    rates: SelfPreferenceRates | SlotRates
    if slot:
        rates = SlotRates(slot_a=0.5 + asked.effect, flip_rate=flip_rate or 0.0, task_share=shares[0])
        say(
            f"If slot A is named in {100 * rates.slot_a:g} % of decisions and {100 * rates.flip_rate:g} % of "
            f"comparisons reverse; {comparisons} comparisons a task, share of variance between tasks "
            f"{shares[0]:g} ({asked.n_data_sets:,} simulated studies)",
            "",
        )
    else:
        rate = own or 0.0
        rates = SelfPreferenceRates(
            own=rate,
            baseline=rate - asked.effect,
            undecided=undecided,
            task_share=shares[0],
            comparison_share=shares[1],
            judge_share=shares[2],
        )
        say(
            f"If a judge scores its own answers {100 * rate:g} % and uninvolved judges "
            f"{100 * rates.baseline:g} %, {100 * undecided:g} % of scores are a half; {comparisons} "
            f"comparisons a task; shares of variance: task {shares[0]:g}, comparison {shares[1]:g}, judge "
            f"{shares[2]:g} ({asked.n_data_sets:,} simulated studies)",
            "",
        )
    rows: list[list[object]] = []
    designs = [(m, r) for m in ((1,) if slot else judges) for r in replicates]
    with counting("designs", len(designs)) as step:
        for m, r in designs:
            design = Design(n_tasks=2, comparisons=comparisons, judges=m, replicates=r)

            def performance(n_tasks: int, design: Design = design) -> Performance:
                return stated_performance(
                    rates, replace(design, n_tasks=n_tasks), rng=asked.rng, n_data_sets=asked.n_data_sets
                )

            rows += _rows([r] if slot else [m, r], performance, asked)
            step(1)
    _tabulate(["replicates"] if slot else ["baseline judges", "replicates"], rows, asked)


def _rows(
    names: Sequence[object], performance: Callable[[int], Performance], asked: Asked
) -> list[list[object]]:
    fewest = [fewest_tasks(performance, reached) for _, reached in asked.goals]
    rows: list[list[object]] = []
    for place, n_tasks in enumerate(asked.tasks):
        found = performance(n_tasks)
        first = place == 0
        rows.append(
            [
                *(str(name) if first else "" for name in names),
                n_tasks,
                f"{found.power:.2f}",
                f"{100 * found.width:.1f}",
                f"{100 * found.detectable:.1f}",
                *((f"{n:,}" if n else "over 5,000") if first else "" for n in fewest),
            ]
        )
    return rows


def _tabulate(names: Sequence[str], rows: Sequence[Sequence[object]], asked: Asked) -> None:
    header = [*names, "tasks", f"power for {100 * asked.effect:g} pp", "width, pp", "detectable, pp"]
    tabulate([*header, *(words for words, _ in asked.goals)], rows, n_names=len(names))
    say(
        "",
        "Detectable: the smallest true effect that a two-sided test at .05 finds with power .8, from the "
        "standard error alone. Power and width: t interval over tasks."
        + (_SLOT_TEST if asked.quantity == "slot" else ""),
    )


def _print_present(comparisons: ComparisonFrame, asked: Asked, judge: str | None, baseline: str) -> None:
    import polars as pl

    from recuse.analysis.position import position
    from recuse.analysis.self_preference import against_baselines, self_preference
    from recuse.analysis.settings import Settings
    from recuse.figures.wording import estimate_text, interval_text, method_text, number

    settings = Settings(seed=asked.seed)
    if asked.quantity == "slot":
        estimates = position(comparisons, settings)
    else:
        estimates = self_preference(comparisons, settings, against_baselines(comparisons, (baseline,)))
    rows = estimates.filter(
        pl.col("estimand") == _ESTIMANDS[asked.quantity],
        pl.col("tier").is_null(),
        pl.col("probe") == "main",
        pl.col("baseline").is_null() | (pl.col("baseline") == baseline),
        pl.lit(value=True) if judge is None else pl.col("judge") == judge,
        pl.col("test").is_null()
        | pl.col("test").str.starts_with("dual_of")
        | (pl.col("test") == "sign_flip_task_lean"),
    )
    told = [
        [
            row["judge"],
            estimate_text(row),
            interval_text(row),
            method_text(row["interval"]),
            "–" if row["mde"] is None else number(row["mde"], "difference").lstrip("+"),
            "–" if row["n_tasks"] is None else row["n_tasks"],
        ]
        for row in rows.to_dicts()
    ]
    tabulate(["judge", "estimate", "interval", "method", "detectable", "tasks"], told, n_names=1)
