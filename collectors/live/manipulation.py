"""The manipulation check: whether a probe's sentence changed the length that it was to change."""

from __future__ import annotations

from statistics import median

from recuse.collectors.live.completeness import State
from recuse.collectors.live.plan import AnswerKey
from recuse.collectors.live.study_file import LoadedStudy

__all__ = ["lengths_obtained"]


def lengths_obtained(study: LoadedStudy, state: State) -> list[str]:
    """Say for each generator in how many length-probe tasks its long answer is the longer one, in words.

    A study without the length probe, or without its answers yet, has nothing to say. Nothing is left out
    of the study by this check: a pair whose lengths do not differ as asked stays in it.
    """
    lines: list[str] = []
    tasks = [task.id for task in study.tasks if task.is_length_probe]
    for generator in study.about.generators:
        both = [
            (short.words, long.words)
            for task_id in tasks
            if (short := state.answers.get(AnswerKey(task_id, generator, "short")))
            and (long := state.answers.get(AnswerKey(task_id, generator, "long")))
        ]
        if both:
            n_longer = sum(long > short for short, long in both)
            short_words, long_words = (median(words) for words in zip(*both, strict=True))
            lines.append(
                f"length probe: the long answer of {generator} is the longer one in {n_longer} of "
                f"{len(both)} tasks (median {short_words:g} and {long_words:g} words)"
            )
    n_cut = sum(answer.truncated for answer in state.answers.values())
    if n_cut:
        lines.append(f"{n_cut:,} of {len(state.answers):,} answers end at the limit of tokens")
    return lines
