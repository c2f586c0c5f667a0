"""``recuse power``: how many tasks, judges and replicates it takes to see an effect."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

__all__ = ["app", "power"]

app = typer.Typer(add_completion=False)


class Quantity(StrEnum):
    """What is to be seen."""

    self_preference = "self-preference"
    slot = "slot"


class Baseline(StrEnum):
    """Whose score an own score is held against."""

    all_peers = "all_peers"
    uninvolved = "uninvolved"
    uninvolved_family = "uninvolved_family"
    human = "human"


@app.command()
def power(
    source: Annotated[
        str | None,
        typer.Argument(help="The study whose tasks are resampled; three-judges unless rates are stated."),
    ] = None,
    quantity: Annotated[
        Quantity, typer.Option("--of", help="The self-preference delta, or the preference for a slot.")
    ] = Quantity.self_preference,
    effect: Annotated[
        float, typer.Option(min=0.001, max=0.9, help="Effect to be seen: delta, or slot-A rate less ½.")
    ] = 0.10,
    width: Annotated[
        float | None, typer.Option(min=0.001, max=2.0, help="Length of the interval to be reached.")
    ] = None,
    tasks: Annotated[
        list[int] | None,
        typer.Option(min=2, max=5_000, help="Tasks to try; may be repeated.", show_default="15, 45 and 135"),
    ] = None,
    judge: Annotated[str | None, typer.Option(help="This judge of the study only.")] = None,
    baseline: Annotated[
        Baseline, typer.Option(help="The delta's baseline in the study.")
    ] = Baseline.uninvolved,
    own: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="Instead of a study: the own rate that is true.")
    ] = None,
    flip_rate: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="Instead of a study, --of slot: reversals."),
    ] = None,
    undecided: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="With --own: share of scores that are a half.")
    ] = 0.3,
    comparisons: Annotated[int, typer.Option(min=1, help="With stated rates: comparisons of each task.")] = 2,
    judges: Annotated[
        list[int] | None,
        typer.Option(min=1, help="With --own: judges of the baseline; may be repeated.", show_default="1"),
    ] = None,
    replicates: Annotated[
        list[int] | None,
        typer.Option(min=1, help="With stated rates: replicates; may be repeated.", show_default="1"),
    ] = None,
    task_share: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Stated share of variance between tasks.")
    ] = 0.1,
    comparison_share: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="The same between comparisons, seen by all judges.")
    ] = 0.2,
    judge_share: Annotated[
        float,
        typer.Option(min=0.0, max=1.0, help="The same of a judge's view, which its replicates repeat."),
    ] = 0.5,
    goal: Annotated[
        float, typer.Option("--power", min=0.05, max=0.999, help="Wanted chance to see the effect.")
    ] = 0.8,
    data_sets: Annotated[
        int, typer.Option("--data-sets", min=100, help="Simulated studies of each design.")
    ] = 1_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the simulation.")] = 0,
) -> None:
    """Say what a design would see: power, length of the interval, and the tasks it takes.

    From a study: what its own data could have seen, and what more of such tasks would, its tasks resampled
    and moved to the effect asked about. From stated rates (--own, or --of slot --flip-rate): also for other
    numbers of judges and replicates. Widths and power are those of a t interval over tasks.
    """
    from recuse.commands.power_tables import Asked, print_for_stated_rates, print_for_study

    asked = Asked(
        quantity=quantity.value,
        effect=effect,
        width=width,
        tasks=tuple(sorted(set(tasks or (15, 45, 135)))),
        goal=goal,
        n_data_sets=data_sets,
        seed=seed,
    )
    stated = own is not None or flip_rate is not None
    if not stated:
        changed = [name for name, given in (("--judges", judges), ("--replicates", replicates)) if given]
        print_for_study(
            asked, source or "three-judges", judge=judge, baseline=baseline.value, not_resampled=changed
        )
        return
    print_for_stated_rates(
        asked,
        source=source,
        own=own,
        flip_rate=flip_rate,
        undecided=undecided,
        comparisons=comparisons,
        judges=sorted(set(judges or (1,))),
        replicates=sorted(set(replicates or (1,))),
        shares=(task_share, comparison_share, judge_share),
    )
