"""Swap battles: two models, several judges, replays in the other order, and one human."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, cast

from recuse.collectors.importers.declaration import (
    Column,
    ImportFormat,
    Prepared,
    Presentation,
    Record,
    Shape,
)
from recuse.collectors.importers.documents import Document, open_document
from recuse.collectors.importers.wording import counted
from recuse.errors import SourceError

__all__ = ["FORMAT"]

_SIDES: Final = {"A": "B", "B": "A"}


def _fights(documents: Sequence[Document], notes: list[str]) -> Prepared:
    """Give each item with its judge and with the fighters in the slots in which they were shown."""
    n_contradictory = 0
    for document in documents:
        head = document.header
        if head is None:
            continue
        fighters = _fighters(document)
        swapped = head.get("swap_ab") is True
        slots = {"left": fighters["B" if swapped else "A"], "right": fighters["A" if swapped else "B"]}
        items = cast("Sequence[Record]", head.get("results") or [])
        if "scores" in head:
            yield from _human_picks(cast("Mapping[str, Record]", head["scores"]), fighters)
            continue
        for number, item in enumerate(items, start=1):
            pick = item.get("judge_pick_shown", item.get("judge_pick", item.get("winner")))
            n_contradictory += _contradicts(item, swapped=swapped)
            order = "order_b" if swapped else "order_a"
            yield number, {**head, **item, **slots, "pick": pick, order: True, "kind": "model"}
    if n_contradictory:
        notes.append(
            f"{counted(n_contradictory, 'item gives', 'items give')} "
            "a pick as shown and an un-swapped one that differ"
        )


def _contradicts(item: Record, *, swapped: bool) -> bool:
    shown, unswapped = item.get("judge_pick_shown"), item.get("original_winner")
    if shown not in _SIDES or unswapped is None:
        return False
    return unswapped != (_SIDES[str(shown)] if swapped else shown)


def _human_picks(scores: Mapping[str, Record], fighters: Mapping[str, object]) -> Prepared:
    for number, (name, score) in enumerate(scores.items(), start=1):
        sides = {side: fighters.get(str(score.get(f"shown_{side}"))) for side in ("left", "right")}
        order = "order_a" if score.get("shown_left") == "A" else "order_b"
        person = {"judge": {"model": "human"}, "kind": "human", "pick": score.get("shown_pick")}
        yield number, {**score, **sides, **person, "id": name, order: True}


def _fighters(document: Document) -> dict[str, object]:
    """Name the fighters; a replay and a human's picks have them from a battle in the folder beside them."""
    head = cast("Record", document.value)
    battle = head if "fighter_a" in head else _battle_of(document.path, head)
    return {
        side: cast("Record", battle.get(f"fighter_{side.lower()}") or {}).get("model") for side in ("A", "B")
    }


def _battle_of(path: Path, head: Record) -> Record:
    beside = path.resolve().parent.parent
    named = beside / str(head.get("from_battle") or "") / "_results.json"
    battles = [named] if head.get("from_battle") else sorted(beside.glob("battle_*/_results.json"))
    for battle in battles:
        if battle.is_file():
            return cast("Record", open_document(battle).value)
    raise SourceError(
        path,
        "it does not name the two models, and no battle is in a folder beside it",
        "import the whole folder",
    )


_WORDS: Final = {"a": "a", "b": "b", "x": "a", "y": "b", "tie": "tie", "error": "error"}
"""A human picks X for the left answer and Y for the right one."""

FORMAT: Final = ImportFormat(
    name="swap-battle",
    title="swap battles",
    source="github.com/kngyeol/ssafy-llm-judge-bias at 24b3edf28fd3, _results.json of battles and replays",
    winners="as shown; original_winner of a replay is un-swapped and only compared",
    keeps="category, the human's picks as a human judge, both models under their API names",
    example="FOLDER --into CACHE",
    files=("_results.json", "progress.json"),
    shapes=tuple(
        Shape(
            name=name,
            keys=keys,
            prepare=_fights,
            columns=(
                Column("task_id", "id"),
                Column("category", "category"),
                Column("judge", "judge.model"),
                Column("judge_kind", "kind"),
                Column("asked_at", "scored_at"),
            ),
            presentations=(
                Presentation("left", "right", verdict="pick", words=_WORDS, needs="order_a"),
                Presentation("left", "right", verdict="pick", words=_WORDS, needs="order_b", first="b"),
            ),
        )
        for name, keys in (
            ("battle", ("fighter_a", "fighter_b", "results")),
            ("replay", ("from_battle", "swap_ab", "results")),
            ("human picks", ("scores", "started_at")),
        )
    ),
)
