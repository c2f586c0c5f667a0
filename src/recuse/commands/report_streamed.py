"""``recuse report`` on a source read in parts: the same files, in memory that does not grow with it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recuse.commands.report import STEPS, progress
from recuse.commands.report_files import Account, Step, refuse_file, write_page, write_results

if TYPE_CHECKING:
    import polars as pl

    from recuse.analysis.settings import Settings
    from recuse.collectors.partitions import Partitions
    from recuse.collectors.streaming import StreamedSource
    from recuse.schema import ComparisonFrame, EstimateFrame

__all__ = ["Reading", "estimate_streamed", "report_streamed"]

_NO_PLAN = (
    "the list of judge calls that would identify the claims is not written: one part alone does not tell it"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What one pass over a source leaves."""

    source: StreamedSource
    estimates: EstimateFrame
    size: Mapping[str, int]
    """Counts of the study."""
    comparisons: Path
    """``comparisons.parquet``."""
    heights: list[int]
    """Its rows, part by part."""

    def parts(self) -> Iterator[ComparisonFrame]:
        """Read the comparisons again, one part at a time."""
        import polars as pl

        from recuse.schema import Comparisons

        offset = 0
        for height in self.heights:
            part = pl.scan_parquet(self.comparisons, glob=False).slice(offset, height)
            yield Comparisons.cast(part.collect())
            offset += height


def report_streamed(
    partitions: Partitions, study_file: Path | None, out: Path, settings: Settings, *, pooled: bool
) -> tuple[Account, EstimateFrame]:
    """Stream a source and write everything that a report consists of.

    Raises
    ------
    SourceError, JudgmentsError, ConfigurationError
        The source, its study file or the settings cannot be followed.
    """
    from recuse.collectors.chunks import parts_of
    from recuse.collectors.unread import unread_beside
    from recuse.figures.vega import begin_vega_bundle

    refuse_file(out)
    begin_vega_bundle()
    with progress(STEPS + 2 * len(parts_of(partitions.files))) as step:
        reading = estimate_streamed(partitions, study_file, out, settings, step, pooled=pooled)
        step("estimates and tables")
        source = reading.source
        notes = (*unread_beside(partitions), *source.notes, *_write_plan(reading, out))
        account = Account(source.inputs, source.set_aside, notes, reading.size)
        charts = write_results(out, account, reading.estimates, settings, step)
        step("report")
        write_page(out, account, reading.estimates, charts)
    return account, reading.estimates


def estimate_streamed(
    partitions: Partitions,
    study_file: Path | None,
    out: Path,
    settings: Settings,
    step: Step = lambda _: None,
    *,
    pooled: bool = False,
) -> Reading:
    """Reduce a source part by part, write its comparisons, and estimate what they define.

    The reduced table lies in a hidden folder inside ``out`` while the run lasts.
    """
    import polars as pl
    from threadpoolctl import threadpool_limits

    from recuse.analysis.coded import Coded
    from recuse.analysis.comparisons import compare_reduced
    from recuse.analysis.counts import StudySize
    from recuse.analysis.report import pooled_over_studies
    from recuse.analysis.row_codes import with_codes_of
    from recuse.analysis.streaming import Gathered, PartSums, estimate_gathered, refuse_rows, sums_of_part
    from recuse.collectors.ahead import made_ahead
    from recuse.collectors.streaming import stream
    from recuse.figures.files import write_comparison_parts
    from recuse.schema import Estimates

    refuse_rows(settings)
    out.mkdir(parents=True, exist_ok=True)
    size, by_study, over_all = StudySize(), Gathered(), Gathered()
    with tempfile.TemporaryDirectory(dir=out, prefix=".parts-") as folder:
        source = stream(partitions, Path(folder), study_file=study_file, on_part=step)
        pooling = pooled and source.n_studies > 1

        def summed(reduced: Coded) -> tuple[Coded, ComparisonFrame, list[PartSums]]:
            part = compare_reduced(
                reduced, scoring=settings.scoring, families=source.families, one_order=source.one_order
            )
            sums = [sums_of_part(with_codes_of(part, reduced))]
            if pooling:
                sums.append(sums_of_part(pooled_over_studies(part)))
            return reduced, part, sums

        def gathered() -> Iterator[ComparisonFrame]:
            with threadpool_limits(1):
                for number, (reduced, part, sums) in enumerate(made_ahead(summed, source.reduced()), start=1):
                    step(f"comparisons of part {number:,} of {len(source.parts):,}")
                    size.add(reduced)
                    for kept, of_part in zip((by_study, over_all), sums, strict=False):
                        kept.add(of_part)
                    yield part

        path, heights = write_comparison_parts(gathered(), out)
    estimates = estimate_gathered(by_study, settings, tiers=source.tiers, on_step=step)
    if pooling:
        both = [estimates, estimate_gathered(over_all, settings, tiers=source.tiers)]
        estimates = Estimates.validate(pl.concat(both))
    return Reading(source, estimates, size.counts(), path, heights)


def _write_plan(reading: Reading, out: Path) -> list[str]:
    """Write the smallest set of missing judge calls, where the first part of a study shows it whole.

    A panel that lacks an uninvolved judge lacks it in every part. Whether the part shows as many calls as the
    estimate over all parts counts is checked; otherwise nothing is written and a note says so.
    """
    import polars as pl

    from recuse.figures.files import write_judgment_plan

    is_all = pl.col("group").eq("smallest") & pl.col("judge").is_null() & pl.col("estimate").is_not_null()
    counted = reading.estimates.filter(pl.col("estimand") == "judgments_to_identify", is_all)
    needed = {
        (str(study), str(baseline)): round(calls)
        for study, baseline, calls in counted.select("study", "baseline", "estimate").iter_rows()
    }
    plan = _plan_of_first_parts(reading) if any(needed.values()) else pl.DataFrame()
    found = (
        {}
        if plan.is_empty()
        else {
            (study, baseline): n
            for study, baseline, n in plan.group_by("study", "baseline").len().iter_rows()
        }
    )
    if any(found.get(key, 0) != calls for key, calls in needed.items()):
        write_judgment_plan(pl.DataFrame(), out)
        return [_NO_PLAN]
    written = write_judgment_plan(plan, out)
    return [] if written is None else [f"{written.name} holds the smallest set of judge calls alone"]


def _plan_of_first_parts(reading: Reading) -> pl.DataFrame:
    import polars as pl

    from recuse.analysis.judgment_plan import judgment_plan
    from recuse.schema import Comparisons

    plans: list[pl.DataFrame] = []
    seen: set[str] = set()
    for part in reading.parts():
        new = set(part["study"].unique().to_list()) - seen
        if not new:
            continue
        seen |= new
        of_new = Comparisons.cast(part.filter(pl.col("study").is_in(new)))
        plan = judgment_plan(of_new, families=reading.source.families)
        plans += [plan.filter(pl.col("part") == "smallest")] if plan.height else []
    return pl.concat(plans) if plans else pl.DataFrame()
