"""The log of held-out cases: who looked at them, when, with which judge and under which rubric."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, cast

from recuse.cache.canonical_json import canonical, sha256_of
from recuse.cache.reading import StoredRecords
from recuse.cache.records import Record, make_record
from recuse.cache.store import Store
from recuse.errors import CacheError

__all__ = ["KIND", "Opening", "case_digests", "log_openings", "now", "openings_of", "spoken_openings"]

KIND: Final = "opening"
"""Kind of these records in the store."""


@dataclass(frozen=True, slots=True)
class Opening:
    """One judge's held-out results were computed once."""

    opened_at: str
    """ISO time, UTC, to the microsecond; the judges of one run share it."""
    study: str
    judge: str
    judge_version: str | None
    rubric_version: str | None
    cases: tuple[str, ...]
    """Digests of the cases, so that a renamed or cut file is still the same cases."""


def case_digests(cases: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Give a short hash of each case's name and type, sorted."""
    return tuple(sorted(sha256_of(canonical(list(case)))[:16] for case in cases))


def now() -> str:
    """Give the present time as an opening writes it."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def log_openings(path: str | os.PathLike[str], openings: Sequence[Opening]) -> None:
    """Put openings on disk, in a cache that is made if there is none.

    Raises
    ------
    CacheError
        The log cannot be written; nobody may look then.
    """
    with Store(path, create=True) as store:
        for opening in openings:
            request = {"kind": KIND, **asdict(opening), "cases": list(opening.cases)}
            store.put(make_record(KIND, request, response={"n_cases": len(opening.cases)}))


def openings_of(path: str | os.PathLike[str], cases: Collection[str]) -> list[Opening]:
    """Read the openings in which any of these cases was looked at, the oldest first.

    Parameters
    ----------
    path
        A cache's directory; none there means that nothing was opened.
    cases
        Digests of the cases that are held out now.

    Raises
    ------
    CacheError
        There is a cache that may not be read.
    """
    if not Path(path).exists():
        return []
    store = StoredRecords(path)
    try:
        found = [_opening(record) for record in store.records() if record["kind"] == KIND]
    finally:
        store.close()
    held_out = set(cases)
    return sorted(
        (opening for opening in found if held_out.intersection(opening.cases)),
        key=lambda opening: (opening.opened_at, opening.judge),
    )


def spoken_openings(
    before: Sequence[Opening], after: Sequence[Opening], rubric_versions: Collection[str | None]
) -> list[str]:
    """Say how often held-out cases were opened, and whether the rubric changed since.

    Parameters
    ----------
    before, after
        The openings on file before and after this run.
    rubric_versions
        Rubrics of the judges that are looked at now.
    """
    times = sorted({opening.opened_at for opening in after})
    if not times:
        return ["Never opened."]
    first, last = (time.split(".")[0] for time in (times[0], times[-1]))
    said = f"Opened once, at {first} UTC."
    if len(times) > 1:
        said = f"Opened {len(times):,} times, first at {first} UTC, last at {last} UTC."
    seen = sorted({opening.rubric_version or "none recorded" for opening in before})
    new = sorted({version or "none recorded" for version in rubric_versions} - set(seen))
    if not seen or not new:
        return [said]
    names = f"Rubric {', '.join(new)} came after they had been opened under {', '.join(seen)}"
    return [said, f"{names}: these cases are no longer unseen."]


def _opening(record: Record) -> Opening:
    request = record["request"]
    try:
        return Opening(
            opened_at=str(request["opened_at"]),
            study=str(request["study"]),
            judge=str(request["judge"]),
            judge_version=cast("str | None", request["judge_version"]),
            rubric_version=cast("str | None", request["rubric_version"]),
            cases=tuple(str(case) for case in cast("Iterable[object]", request["cases"])),
        )
    except KeyError as error:
        raise CacheError(f"an opening on file lacks {error}", [record["address"]]) from None
