"""Judgments in a notebook: load a study, ask it a question, look at the answer.

>>> import recuse
>>> recuse.load("three-judges").judges
('anthropic/claude-sonnet-4-6', 'openai/gpt-5.5', 'xai/grok-4.3')
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import polars as pl

from recuse.analysis.comparisons import compare
from recuse.analysis.report import estimate_all
from recuse.analysis.settings import Convention, Scoring, Settings
from recuse.answers import Answer, ClaimsAnswer
from recuse.collectors.sources import Source, load_all, load_frame
from recuse.errors import ConfigurationError, UnknownNameError
from recuse.schema import ComparisonFrame, Estimates, JudgmentFrame

__all__ = ["Study", "load"]

BASELINES = ("all_peers", "uninvolved", "uninvolved_family", "human")
_DELTAS = (
    "self_preference_delta", "own_rate", "baseline_rate", "self_preference_inflation",
    "self_preference_tier_gradient", "self_preference_delta_length_adjusted",
)  # fmt: skip
_INVOLVEMENT = (
    "uninvolved_share", "judgments_to_identify", "tasks_to_halve", "judgments_to_halve", "judges_to_halve",
)  # fmt: skip


def load(
    *sources: str | Path | pl.DataFrame,
    scoring: Scoring = "resolved",
    interval: str = "default",
    convention: Convention = "default",
    seed: int = 0,
    study_file: str | Path | None = None,
) -> Study:
    """Load judgments as one study to ask questions of.

    Parameters
    ----------
    sources
        What the command line takes: a bundled study (``three-judges``, ``pilot``), a cache, a study's
        folder, a file, or ``FORMAT:PATH``; or one polars frame with the columns of a file. None means
        ``three-judges``.
    scoring
        ``resolved``, ``averaged`` or ``consistent``: what flips and unstable pairs are worth.
    interval
        Name of an interval's method; ``default`` is the one measured to cover.
    convention
        ``article`` for the source article's own intervals and tests.
    seed
        Seed of every resampling.
    study_file
        A ``study.toml`` with aliases, families and tiers.

    Raises
    ------
    SourceError, JudgmentsError, ConfigurationError
        One line that says what was needed, which rows fail and what to do.

    Examples
    --------
    >>> study = load("three-judges")
    >>> delta = study.self_preference(baseline="uninvolved").frame
    >>> delta.filter(pl.col("tier").is_null())["n_tasks"].max()
    15
    """
    about = None if study_file is None else Path(study_file)
    frames = [source for source in sources if isinstance(source, pl.DataFrame)]
    if frames and len(sources) > 1:
        raise ConfigurationError("a frame of judgments stands alone", "concatenate frames before loading")
    source = (
        load_frame(frames[0], study_file=about)
        if frames
        else load_all([str(one) for one in sources], study_file=about)
    )
    settings = Settings(scoring=scoring, interval=interval, convention=convention, seed=seed)
    return Study(source, settings)


@dataclass(frozen=True, repr=False)
class Study:
    """Judgments with the choices under which they are read; nothing is estimated before it is asked for."""

    source: Source
    settings: Settings

    @property
    def judgments(self) -> JudgmentFrame:
        """One row per judge call on one ordered pair."""
        return self.source.judgments

    @cached_property
    def comparisons(self) -> ComparisonFrame:
        """One row per comparison: its two orders brought together, resolved and scored."""
        families = self.source.families
        return compare(self.judgments, scoring=self.settings.scoring, families=families)

    @property
    def judges(self) -> tuple[str, ...]:
        """Judges, by name."""
        return tuple(self.judgments["judge"].unique().sort().to_list())

    @property
    def notes(self) -> tuple[str, ...]:
        """What was noticed while reading and left as it is."""
        return self.source.notes

    @property
    def set_aside(self) -> pl.DataFrame:
        """Rows that were set aside, and why."""
        return self.source.set_aside

    def self_preference(self, baseline: str | None = None) -> Answer:
        """Compare each judge's scores for its own answers with those of one baseline, or of each.

        Baselines: ``all_peers``, ``uninvolved`` (neither contestant), ``uninvolved_family``, ``human``.

        Raises
        ------
        UnknownNameError
            There is no such baseline.
        """
        if baseline is not None and baseline not in BASELINES:
            raise UnknownNameError("baseline", baseline, BASELINES)
        against = pl.lit(value=True) if baseline is None else pl.col("baseline") == baseline
        return self._part("self-preference", pl.col("estimand").is_in(_DELTAS) & against)

    def involvement(self) -> Answer:
        """Count own comparisons that have an uninvolved judge, and the judgments that would change it."""
        return self._part("self-preference", pl.col("estimand").is_in(_INVOLVEMENT))

    def win_rates(self) -> Answer:
        """Estimate how often each generator wins, by judge and over all judges."""
        return self._part("win rates")

    def position(self) -> Answer:
        """Estimate slot preference and how often the order of answers changes the outcome."""
        return self._part("position")

    def gap(self) -> Answer:
        """Estimate how often the order changes the outcome, by how far apart other judges see the answers."""
        return self._part("position against gap")

    def joint(self, *, by_tier: bool = False, uninvolved: bool = False) -> Answer:
        """Fit strengths, slot, length, own answer and own family in one model, however many judgments.

        With ``by_tier`` generators have a strength in each tier too, with ``uninvolved`` one on the verdicts
        of uninvolved judges alone. What a study cannot tell apart is without a number and has a reason.

        Examples
        --------
        >>> own = load("three-judges").joint().frame.filter(estimand="joint_own")
        >>> own["judge"].to_list()[-1], round(own["estimate"].to_list()[-1], 2)
        (None, 0.74)
        """
        asked = replace(self.settings, joint=True, joint_by_tier=by_tier, joint_uninvolved=uninvolved)
        return self._estimated({"joint model"}, pl.lit(value=True), asked)

    def stability(self) -> Answer:
        """Estimate whether a judge that is asked again says the same, and where the variance comes from.

        Examples
        --------
        >>> load("three-judges").stability().frame["reason"][0]
        'every presentation was asked once: whether a judge repeats itself cannot be seen'
        """
        return self._part("stability")

    def robustness(self) -> Answer:
        """Estimate whether a verdict stands when an answer is perturbed, net of a second asking."""
        return self._part("robustness")

    def agreement(self) -> Answer:
        """Estimate agreement of judges beyond chance."""
        return self._part("agreement")

    def length(self) -> Answer:
        """Estimate how often the longer answer wins, as it comes and in the length probe."""
        return self._estimated({"longer wins", "length decomposition", "length probe"}, pl.lit(value=True))

    def estimates(self) -> Answer:
        """Estimate everything that a report holds."""
        return self._estimated(None, pl.lit(value=True))

    def claims(self, claims: str | Path | Sequence[Mapping[str, object]] | None = None) -> ClaimsAnswer:
        """Put claims on the ladder, to see which survive recusal.

        Parameters
        ----------
        claims
            A file of claims (TOML), or claims as mappings with the file's keys; by default the bundled ones.

        Raises
        ------
        SourceError, UnknownNameError, ConfigurationError
            The claims cannot be read, or name what is not there.
        """
        from recuse.analysis.claims.outcomes import judge_claims
        from recuse.analysis.claims.parsing import parse_claims
        from recuse.analysis.claims.rows import ladder_estimates
        from recuse.analysis.multiverse.together import multiverses
        from recuse.collectors.claims import BUNDLED_CLAIMS, read_claims

        if claims is None or isinstance(claims, str | Path):
            file = read_claims(BUNDLED_CLAIMS if claims is None else Path(claims))
        else:
            file = parse_claims({"claim": [dict(claim) for claim in claims]})
        tiers = self.source.tiers
        outcomes = judge_claims(file.claims, self.comparisons, self.settings, tiers=tiers, study=file.study)
        rows = ladder_estimates(outcomes, self.settings)
        return ClaimsAnswer(
            outcomes, rows, lambda: multiverses(file.claims, self.comparisons, tiers=tiers, study=file.study)
        )

    def __repr__(self) -> str:
        tasks = self.judgments["task_id"].n_unique()
        return (
            f"Study {self.source.name}: {self.judgments.height:,} judgments by {len(self.judges):,} judges "
            f"on {tasks:,} tasks"
        )

    def _part(self, name: str, where: pl.Expr | None = None) -> Answer:
        return self._estimated({name}, pl.lit(value=True) if where is None else where)

    def _estimated(
        self, parts: Collection[str] | None, where: pl.Expr, settings: Settings | None = None
    ) -> Answer:
        asked = settings or self.settings
        key = (frozenset(parts or ()), asked)
        if key not in self._kept:
            tiers = self.source.tiers
            self._kept[key] = estimate_all(self.comparisons, asked, tiers=tiers, only=parts)
        return Answer(Estimates.validate(self._kept[key].filter(where)))

    @cached_property
    def _kept(self) -> dict[tuple[frozenset[str], Settings], pl.DataFrame]:
        return {}
