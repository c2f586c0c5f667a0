"""What is noticed over the parts of a streamed source: counted part by part, said once at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from recuse.analysis.coded import Coded
from recuse.analysis.comparisons import asked_in_one_order
from recuse.analysis.reduction import COUNTS
from recuse.collectors.border import about_aliases, refuse_two_facts
from recuse.collectors.observations import about_names, about_orders, about_probes, about_verdicts
from recuse.errors import name_up_to_three
from recuse.schema import VERDICTS

__all__ = ["Tally"]

_PLACE = ["study", "probe"]
_JUDGE = [*_PLACE, "judge"]
_IN_A = pl.sum_horizontal(name for name, (slot, _) in COUNTS.items() if slot == "a")
_IN_B = pl.sum_horizontal(name for name, (slot, _) in COUNTS.items() if slot == "b")
_TWO_SIDES = (pl.col("first") != pl.col("second")) | pl.col("first_variant").ne_missing(
    pl.col("second_variant")
)
_ASKED = (*_JUDGE, "judge_kind", "first", "second", "two_sides", "n_presentations", "one_order")


@dataclass(slots=True)
class Tally:
    """Sums over the parts seen so far; each holds whole tasks, so that they add up."""

    set_aside: Counter[str] = field(default_factory=Counter[str])
    """Rows set aside, by rule."""
    aliases: Counter[str] = field(default_factory=Counter[str])
    """Rows that name an alias."""
    remarks: list[str] = field(default_factory=list[str])
    """What typing the columns of a part had to say."""
    n_comparisons: int = 0
    _statuses: Counter[str] = field(default_factory=Counter[str])
    _presentations: int = 0
    _judges: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    _generators: set[str] = field(default_factory=set[str])
    _examples: dict[tuple[str, str, str], list[str]] = field(
        default_factory=dict[tuple[str, str, str], list[str]]
    )

    def add(self, coded: Coded) -> None:
        """Count the comparisons of one part, after what is set aside."""
        self.n_comparisons += coded.rows.height
        counts = coded.counted_outcomes().select(pl.col("n_presentations", *COUNTS) * pl.col("n")).sum()
        self._presentations += counts["n_presentations"].item()
        for name, (_, outcome) in COUNTS.items():
            if outcome not in VERDICTS:
                self._statuses[outcome] += counts[name].item()
        kinds = coded.kinds.with_columns(two_sides=_TWO_SIDES)
        outcomes = coded.outcomes.with_columns(one_order=(_IN_A == 0) | (_IN_B == 0))
        asked = replace(coded, kinds=kinds, outcomes=outcomes).counted(*_ASKED)
        for side in ("first", "second"):
            self._generators |= set(asked[side].unique().to_list())
        alone = pl.col("two_sides") & pl.col("one_order")
        judges = asked.group_by(*_JUDGE, "judge_kind").agg(
            pl.col("n_presentations").max().cast(pl.Int64),
            n=(pl.col("two_sides") * pl.col("n")).sum(),
            alone=(alone * pl.col("n")).sum(),
        )
        self._judges.append(judges.with_columns(pl.col(pl.Enum).cast(pl.String)))
        partly = judges.filter((pl.col("alone") > 0) & (pl.col("alone") < pl.col("n")))
        if partly.height:
            told = kinds.join(
                partly.select(_JUDGE).unique().with_columns(partly=True),
                on=_JUDGE,
                how="left",
                maintain_order="left",
            )
            of_kind = told["two_sides"] & told["partly"].fill_null(value=False)
            rows = coded.rows
            lacking = of_kind.gather(rows["kind"]) & outcomes["one_order"].gather(rows["outcome"])
            self._name_examples(coded.decoded(lacking))

    @property
    def studies(self) -> list[str]:
        """Names of the studies."""
        return sorted(self._by_judge()["study"].unique().to_list())

    def one_order(self) -> pl.DataFrame:
        """Name the judges that were asked one order of every pair of a probe, over all parts."""
        return asked_in_one_order(self._by_judge())

    def refuse_two_kinds(self, where: str) -> None:
        """Refuse a judge that is a model in one part and human in another."""
        unsaid = pl.lit(None, dtype=pl.String)
        kinds = self._by_judge().with_columns(tier=unsaid, rewards=unsaid, category=unsaid, task_id=unsaid)
        refuse_two_facts(kinds, where)

    def notes(self, aliases: Mapping[str, str], families: Mapping[str, str]) -> list[str]:
        """Say what was noticed, in the words of a source that is read whole."""
        by_judge = self._by_judge()
        models = set(by_judge.filter(pl.col("judge_kind") != "human")["judge"].to_list())
        without = {status: count for status, count in self._statuses.most_common() if count}
        remarks = list(dict.fromkeys(self.remarks))
        return [
            *(remarks if len(remarks) <= 3 else [name_up_to_three(remarks)]),
            *about_aliases(aliases, self.aliases),
            *about_probes(set(by_judge["probe"].to_list())),
            *about_verdicts(without, self._presentations),
            *self._about_orders(by_judge),
            *about_names(models, self._generators, families),
        ]

    def _by_judge(self) -> pl.DataFrame:
        counted = pl.col("n", "alone").sum()
        by_judge = (
            pl.concat(self._judges)
            .group_by(*_JUDGE, "judge_kind")
            .agg(pl.col("n_presentations").max(), counted)
            .sort(*_JUDGE, "judge_kind")
        )
        self._judges = [by_judge]
        return by_judge

    def _about_orders(self, by_judge: pl.DataFrame) -> list[str]:
        notes: list[str] = []
        for (study, probe), judges in by_judge.group_by(_PLACE, maintain_order=True):
            by_design = (pl.col("alone") == pl.col("n")) & (pl.col("n") > 0)
            single, rest = judges.filter(by_design), judges.filter(~by_design)
            named = [
                example
                for judge in rest["judge"].to_list()
                for example in self._examples.get((str(study), str(probe), judge), [])
            ]
            place = f"{study}, probe {probe}"
            n_single, n_lacking = (int(some["alone"].sum()) for some in (single, rest))
            asked_once = single["judge"].to_list()
            notes += about_orders(place, n_single, asked_once, n_lacking, int(rest["n"].sum()), named[:3])
        return notes

    def _name_examples(self, alone: pl.DataFrame) -> None:
        """Keep the names of three comparisons of each judge that lack their swap."""
        shown = alone.select(*_JUDGE, "task_id", "first", "second", in_a=_IN_A > 0).sort(
            *_JUDGE, "task_id", "first", "second", maintain_order=True
        )
        for *place, task, first, second, in_a in (
            shown.group_by(_JUDGE, maintain_order=True).head(3).iter_rows()
        ):
            slots: Sequence[str] = (first, second) if in_a else (second, first)
            named = f"{place[2]} on {task} ({slots[0]} in slot A, {slots[1]} in slot B only)"
            kept = self._examples.setdefault((place[0], place[1], place[2]), [])
            if len(kept) < 3:
                kept.append(named)
