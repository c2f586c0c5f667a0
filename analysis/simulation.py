"""Simulated judges: judgments from a panel whose quality, slot, length and self-preference are planted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import special

from recuse.analysis.inference.clusters import FloatArray
from recuse.errors import ConfigurationError
from recuse.schema import VERDICTS, JudgmentFrame, Judgments

__all__ = ["GENERATORS", "JUDGES", "PAIRS", "TIERS_SIMULATED", "Panel", "Tasks", "draw_tasks", "simulate"]

GENERATORS: Final = ("aspen", "birch", "cedar")
JUDGES: Final = (*GENERATORS, "dogwood")
"""Each generator judges too; the last one wrote no answer."""
PAIRS: Final = ((0, 1), (0, 2), (1, 2))
TIERS_SIMULATED: Final = ("objective", "subjective")
_TYPICAL_WORDS: Final = 150.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """What is planted: three generators that judge each other, and a fourth judge.

    The verdict on a presentation is an ordered logit: with the predictor η it is A with probability
    σ(η - threshold), B with σ(-η - threshold), else a tie; η is the sum of the terms below, in logits.
    """

    quality: tuple[float, float, float] = (0.3, 0.0, -0.3)
    slot: float = 0.3  # for whatever stands in slot A
    own: float = 0.8  # for the judge's own answer, mean of both tiers
    own_by_tier: float = 0.8  # the same on subjective tasks less on objective ones
    length: float = 0.5  # times log(length of the answer / length of its opponent)
    threshold: float = 0.25  # half the width of the zone of ties
    task_sd: float = 0.8  # of a generator's quality between tasks, seen by all judges: correlation in tasks
    taste_sd: float = 0.7  # of a judge's liking of one answer over another, the same in both orders
    slot_sd: float = 0.3  # of a judge's preference for a slot between tasks
    log_words: tuple[float, float, float] = (0.2, 0.0, -0.1)  # mean log length, less that of 150 words
    log_words_sd: float = 0.35
    missing: float = 0.03  # share of presentations without a verdict, at random
    answers: tuple[int, ...] = (1,)  # answers of each generator to a task, each as likely


@dataclass(frozen=True, slots=True)
class Tasks:
    """Predictors and lengths of drawn tasks; an answer row is one answer of each generator to a task."""

    task: npt.NDArray[np.int64]  # (rows,) task of the answer row
    variant: npt.NDArray[np.int64]  # (rows,) number of the answer row within its task
    words: npt.NDArray[np.int64]  # (rows, generators)
    first_in_a: FloatArray  # (rows, pairs, judges) η with the pair's first generator in slot A
    first_in_b: FloatArray  # (rows, pairs, judges) η with it in slot B

    @property
    def log_ratio(self) -> FloatArray:
        """Log of the first answer's words over the second's, shape (rows, pairs)."""
        logs: FloatArray = np.log(self.words.astype(np.float64))
        return np.stack([logs[:, one] - logs[:, other] for one, other in PAIRS], axis=1)


def draw_tasks(panel: Panel, subjective: npt.NDArray[np.bool_], rng: np.random.Generator) -> Tasks:
    """Draw tasks with their answers: everything but the verdicts.

    Parameters
    ----------
    panel
        What is planted.
    subjective
        Shape (tasks,). Tier of each task.
    rng
        Source of randomness.
    """
    n_tasks = len(subjective)
    counts = rng.choice(np.asarray(panel.answers), size=n_tasks)
    task = np.repeat(np.arange(n_tasks), counts)
    variant = np.arange(len(task)) - np.repeat(np.cumsum(counts) - counts, counts)
    quality = np.asarray(panel.quality) + panel.task_sd * rng.standard_normal((n_tasks, len(GENERATORS)))
    log_words = np.asarray(panel.log_words) + panel.log_words_sd * rng.standard_normal((len(task), 3))
    words = np.maximum(1, np.rint(_TYPICAL_WORDS * np.exp(log_words))).astype(np.int64)
    worth = quality[task] + panel.length * np.log(words)
    better = np.stack([worth[:, one] - worth[:, other] for one, other in PAIRS], axis=1)
    taste = panel.taste_sd * rng.standard_normal((len(task), len(PAIRS), len(JUDGES)))
    strength = panel.own + np.where(subjective, 0.5, -0.5)[task] * panel.own_by_tier
    own = strength[:, None, None] * _own_sign()
    slot = panel.slot + panel.slot_sd * rng.standard_normal((n_tasks, 1, len(JUDGES)))[task]
    toward_first = better[:, :, None] + taste + own
    return Tasks(task, variant, words, toward_first + slot, -toward_first + slot)


def simulate(
    panel: Panel, *, n_data_sets: int, n_tasks: int, rng: np.random.Generator, first: int = 0
) -> JudgmentFrame:
    """Draw many data sets of one panel as the studies of one frame of judgments.

    Every judge is shown every pair of answers to one task in both orders; tasks alternate between the
    two tiers.

    Parameters
    ----------
    panel
        What is planted.
    n_data_sets, n_tasks
        Data sets, and tasks of each.
    rng
        Source of randomness.
    first
        Number of the first data set, by which studies are named.

    Raises
    ------
    ConfigurationError
        No data set or no task is asked for.
    """
    if n_data_sets < 1 or n_tasks < 1:
        raise ConfigurationError("a simulation needs at least one data set of one task", "ask for more")
    subjective = np.tile(np.arange(n_tasks) % 2 == 0, n_data_sets)
    drawn = draw_tasks(panel, subjective, rng)
    predictor = np.stack([drawn.first_in_a, drawn.first_in_b], axis=-1)
    chance = rng.random(predictor.shape)
    code = np.where(chance < special.expit(predictor - panel.threshold), 0, 2)
    code[chance > 1 - special.expit(-predictor - panel.threshold)] = 1
    code[rng.random(code.shape) < panel.missing] = -1
    return _judgments(drawn, code, subjective, n_tasks, first)


def _own_sign() -> FloatArray:
    """Give 1 where a judge wrote the pair's first answer, -1 where the second; shape (pairs, judges)."""
    judge = np.arange(len(JUDGES))
    sign: FloatArray = np.stack([1.0 * (judge == one) - (judge == other) for one, other in PAIRS])
    return sign


def _judgments(
    drawn: Tasks, code: npt.NDArray[np.int64], subjective: npt.NDArray[np.bool_], n_tasks: int, first: int
) -> JudgmentFrame:
    row, pair, judge, order = (place.ravel() for place in np.indices(code.shape))
    sides = np.array([[pair, pair[::-1]] for pair in PAIRS])  # pair × order → slots
    slots = sides[pair, order]
    data_set, task = np.divmod(drawn.task, n_tasks)
    verdict = code.ravel()
    words = [drawn.words[row, slots[:, slot]] for slot in (0, 1)]
    n_sets = len(subjective) // n_tasks
    names = {
        "study": (_numbered("set", first + n_sets)[first:], data_set[row]),
        "task_id": (_numbered("task", n_tasks), task[row]),
        "tier": (list(TIERS_SIMULATED), subjective[drawn.task[row]].astype(np.int64)),
        "judge": (list(JUDGES), judge),
        "slot_a": (list(GENERATORS), slots[:, 0]),
        "slot_b": (list(GENERATORS), slots[:, 1]),
        "variant_a": (_numbered("answer", int(drawn.variant.max(initial=0)) + 1), drawn.variant[row]),
    }
    texts = [pl.Series(name, values, dtype=pl.String).gather(at) for name, (values, at) in names.items()]
    frame = pl.DataFrame(texts).with_columns(
        pl.Series("words_a", words[0]),
        pl.Series("words_b", words[1]),
        pl.Series("verdict", [*VERDICTS, None], dtype=pl.Enum(VERDICTS)).gather(
            np.where(verdict < 0, len(VERDICTS), verdict)
        ),
        variant_b="variant_a",
        judgment_id=pl.format("{}/{}", "study", pl.int_range(pl.len()).over("study")),
        probe=pl.lit("main"),
        judge_kind=pl.lit("model"),
        replicate=pl.lit(0),
        source=pl.lit("simulated"),
    )
    missing = [pl.lit(None).alias(name) for name in Judgments.columns() if name not in frame.columns]
    status = pl.when(pl.col("verdict").is_null()).then(pl.lit("parse_failed")).otherwise(pl.lit("ok"))
    complete = frame.with_columns(*missing).with_columns(status=status)
    return Judgments.validate(complete.select(list(Judgments.columns())), cast=True)


def _numbered(noun: str, n: int) -> list[str]:
    width = len(str(max(n - 1, 0)))
    return [f"{noun}-{number:0{width}}" for number in range(n)]
