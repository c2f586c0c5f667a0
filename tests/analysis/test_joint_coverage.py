"""Coverage of the own-answer interval at 15 tasks, where no judge favours itself and tasks have tastes."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from recuse.analysis.inference.jackknife import jackknife_interval
from recuse.analysis.inference.ordered_jackknife import one_step_without_each
from recuse.analysis.inference.ordered_logit import Counts, fit_ordered

N_TASKS, N_SETS, OWN = 15, 300, slice(8, 11)
STRENGTH = np.array([0.0, 0.3, -0.3])


def simulated(rng: np.random.Generator) -> Counts:
    """Make three generators that are the judges, with tastes by task and judge; one judge likes slot A."""
    shown = np.array(list(permutations(range(3), 2)))
    design, outcomes, task, judge = [], [], [], []
    for place in range(N_TASKS):
        taste, length = rng.normal(0, 0.6, 3), rng.normal(0, 0.4, 3)
        for who in range(3):
            worth = STRENGTH + taste + rng.normal(0, 0.3, 3) + 0.5 * length
            a, b = shown.T
            latent = worth[a] - worth[b] + 0.3 * (who == 2) + rng.logistic(size=len(shown))
            strength = [(a == g).astype(float) - (b == g) for g in (1, 2)]
            effects = np.zeros((3, 3, len(shown)))
            effects[:, who] = (
                np.ones(len(shown)),
                length[a] - length[b],
                (a == who).astype(float) - (b == who),
            )
            design.append(np.column_stack([*strength, *effects.reshape(9, -1)]))
            outcomes.append(np.eye(3)[np.where(latent > 0.3, 2, np.where(latent < -0.3, 0, 1))])
            task += [place] * len(shown)
            judge += [who] * len(shown)
    return Counts(np.concatenate(design), np.array(judge), np.concatenate(outcomes), np.array(task))


@pytest.mark.slow
def test_interval_of_no_own_answer_term_holds_nought_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    held = []
    for _ in range(N_SETS):
        counts = simulated(rng)
        fit = fit_ordered(counts)
        if fit.separated:
            continue
        without = one_step_without_each(fit, counts)
        for place in range(OWN.start, OWN.stop):
            found = jackknife_interval(float(fit.parameters[place]), without[:, place], bounds=None)
            assert found.low is not None
            assert found.high is not None
            held.append(found.low <= 0 <= found.high)
    assert len(held) > 0.95 * 3 * N_SETS
    assert 0.93 <= np.mean(held) <= 0.985
