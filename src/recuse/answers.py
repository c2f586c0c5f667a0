"""Answers in a notebook: a frame of numbers that shows itself as tables, figures or LaTeX."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recuse.errors import ConfigurationError, UnknownNameError

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from recuse.analysis.claims.outcomes import Outcome
    from recuse.analysis.multiverse.frame import SpecificationFrame
    from recuse.figures.table import Table
    from recuse.schema import EstimateFrame

__all__ = ["Answer", "ClaimsAnswer"]


class _Shown(ABC):
    """What can be printed, typeset and displayed: one or more tables."""

    __slots__ = ()

    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """Tables of the answer, as text cells."""

    def latex(self) -> str:
        """Booktabs tables, one after the other; they need the packages booktabs and graphicx."""
        from recuse.figures.latex import typeset

        return "\n".join(typeset(table) for table in self.tables())

    def __str__(self) -> str:
        import io

        from rich.console import Console

        from recuse.figures.terminal import print_table

        page = io.StringIO()
        console = Console(file=page, soft_wrap=True)
        for table in self.tables():
            print_table(table, console)
            console.print()
        return "\n".join(line.rstrip() for line in page.getvalue().rstrip().splitlines())

    def _repr_html_(self) -> str:
        from recuse.figures.notebook import tables_html

        return tables_html(self.tables())


@dataclass(frozen=True, slots=True, repr=False)
class Answer(_Shown):
    """Estimates that answer one question.

    ``frame`` is the answer; tables, LaTeX and figures are made from it and show nothing else.
    """

    estimates: EstimateFrame

    @property
    def frame(self) -> pl.DataFrame:
        """One row per estimated quantity; what cannot be estimated says why in ``reason``."""
        return self.estimates.lazy().collect()

    def tables(self) -> Sequence[Table]:
        """Tables of a report for which these estimates hold rows."""
        from recuse.figures.tables import tables

        return tables(self.estimates)

    def __str__(self) -> str:
        return _Shown.__str__(self) or "\n".join(self._reasons())

    def _repr_html_(self) -> str:
        from recuse.figures.notebook import lines_html

        return _Shown._repr_html_(self) or lines_html(self._reasons())

    def _reasons(self) -> Sequence[str]:
        """Why there is no table: each reason once, with what it concerns."""
        why: dict[str, dict[str, None]] = {}
        for estimand, reason in self.frame.select("estimand", "reason").drop_nulls().iter_rows():
            why.setdefault(reason, {})[estimand] = None
        told = [f"No number for {', '.join(estimands)}: {reason}." for reason, estimands in why.items()]
        return told or ["These judgments hold nothing that answers this."]

    @property
    def figures(self) -> Mapping[str, alt.VConcatChart]:
        """Figures of a report for which these estimates hold rows, by name."""
        from recuse.figures.charts import all_charts

        return all_charts(self.frame)

    def figure(self, name: str | None = None) -> alt.VConcatChart:
        """One figure: the first, or the one of that name.

        Raises
        ------
        UnknownNameError
            There is no figure of that name; the nearest one is named.
        ConfigurationError
            No figure shows these estimates.
        """
        return _chosen(self.figures, name)

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True, repr=False)
class ClaimsAnswer(_Shown):
    """Claims on the ladder, each with its verdict, and their multiverse."""

    outcomes: Sequence[Outcome]
    estimates: EstimateFrame
    """Every rung, and every change between rungs, as rows of estimates."""
    specify: Callable[[], SpecificationFrame] = field(repr=False)
    """Makes the specifications when they are asked for."""
    made: list[SpecificationFrame] = field(default_factory=list["SpecificationFrame"], repr=False)

    @property
    def frame(self) -> pl.DataFrame:
        """One row per claim: verdict, deciding rung, p after Holm within the family and over the file."""
        import polars as pl

        return pl.DataFrame(
            [
                {
                    "claim": outcome.claim.id,
                    "verdict": outcome.verdict,
                    "decided_by": None if outcome.decided_by is None else outcome.decided_by.name,
                    "p_adjusted": outcome.p_adjusted,
                    "p_over_file": outcome.p_over_file,
                    "verdict_over_file": outcome.verdict_over_file,
                    "bias_to_overturn": outcome.bias_to_overturn,
                    "reason": outcome.reason,
                }
                for outcome in self.outcomes
            ],
            infer_schema_length=None,
        )

    @property
    def specifications(self) -> SpecificationFrame:
        """Every claim under every combination of choices; evaluated once, when first asked for."""
        if not self.made:
            self.made.append(self.specify())
        return self.made[0]

    def tables(self) -> Sequence[Table]:
        """Table of all claims and their verdicts."""
        from recuse.figures.claim_tables import claims_table

        return [claims_table(self.outcomes)]

    def multiverse(self) -> Table:
        """Table of the share of specifications in which each claim holds."""
        from recuse.figures.multiverse_pages import multiverse_table

        return multiverse_table(self.outcomes, self.specifications)

    def figure(self, claim: str | None = None) -> alt.VConcatChart:
        """All ladders; or, for a claim's id, its specification curve.

        Raises
        ------
        UnknownNameError
            There is no claim of that id, or none of its specifications is feasible.
        """
        from recuse.figures.claim_chart import ladder_chart
        from recuse.figures.multiverse_pages import curves

        if claim is None:
            ladders = ladder_chart(self.outcomes)
            return _chosen({} if ladders is None else {"ladders": ladders}, None)
        ids = [outcome.claim.id for outcome in self.outcomes]
        if claim not in ids:
            raise UnknownNameError("claim", claim, ids)
        return _chosen(curves([self.outcomes[ids.index(claim)]], self.specifications), None)

    def __repr__(self) -> str:
        return str(self)


def _chosen(figures: Mapping[str, alt.VConcatChart], name: str | None) -> alt.VConcatChart:
    if not figures:
        raise ConfigurationError("no figure shows these estimates", "look at .frame for the reasons")
    if name is None:
        return next(iter(figures.values()))
    if name not in figures:
        raise UnknownNameError("figure", name, figures)
    return figures[name]
