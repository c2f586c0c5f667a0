"""True values of a simulated panel: plain averages of what it does on a great many tasks.

Nothing here is estimated from verdicts. Given a task the chances of every outcome are known, so the
population value of each estimand follows from their averages by its definition; the two model-based
ones come from a regression on the chances themselves.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import Final

import numpy as np
from scipy import special

from recuse.analysis.inference.clusters import FloatArray
from recuse.analysis.simulation import GENERATORS, JUDGES, PAIRS, Panel, Tasks, draw_tasks
from recuse.errors import ConfigurationError

__all__ = ["TRUE_TASKS", "true_gap_slope", "true_values"]

TRUE_TASKS: Final = 100_000
_JUDGE: Final = 0
_OTHER: Final = 1
_OWN_PAIRS: Final = (0, 1)
"""The judge that is followed wrote the first answer of the first two pairs."""
_FITTED: Final = 60_000


def true_values(
    panel: Panel, *, n_tasks: int, rng: np.random.Generator, n_drawn: int = TRUE_TASKS
) -> dict[str, float]:
    """Give the population value of every estimand that is validated, for the first judge and its own answers.

    Parameters
    ----------
    panel
        What is planted.
    n_tasks
        Tasks of a data set; only the share of either tier follows from it.
    rng, n_drawn
        Source of randomness, and how many tasks the averages are taken over.

    Returns
    -------
    dict
        Estimand → value. ``cohen_kappa`` and its parts are those of the first two judges, alpha that
        of the generators as judges, the win rate that of the first generator over all judges.

    Raises
    ------
    ConfigurationError
        Fewer tasks are to be drawn than one data set holds.
    """
    if n_drawn < n_tasks:
        raise ConfigurationError("true values need more tasks than a data set holds", "draw more")
    subjective = np.arange(n_tasks * (n_drawn // n_tasks)) % n_tasks % 2 == 0
    drawn = draw_tasks(panel, subjective, rng)
    chances = _Chances(drawn, panel.threshold)
    return (
        _self_preference(chances, drawn, subjective)
        | _position(chances)
        | _agreement(chances)
        | {"win_rate": float(np.mean(chances.score[:, _OWN_PAIRS, :]))}
        | _length(chances, drawn)
    )


def true_gap_slope(panel: Panel, *, rng: np.random.Generator, n_drawn: int = TRUE_TASKS) -> float:
    """Give what the slope of the first judge's flips on the gap that the others see tends to.

    Given a task the judges say what they say independently, so that the chance of a flip at each value of
    the gap is known; the slope is that of the logistic likelihood at these chances. An other judge without
    both verdicts has no part in the gap.

    Parameters
    ----------
    panel
        What is planted; both tiers are as frequent.
    rng, n_drawn
        Source of randomness, and how many tasks the chances are averaged over.
    """
    from scipy import optimize

    drawn = draw_tasks(panel, np.arange(n_drawn) % 2 == 0, rng)
    chances = _Chances(drawn, panel.threshold)
    flips = chances.a_in_a * chances.a_in_b + chances.b_in_a * chances.b_in_b
    seen = (1 - panel.missing) ** 2
    others = [judge for judge in range(len(JUDGES)) if judge != _JUDGE]
    of_score = {1.0: chances.first * seen, 0.0: chances.second * seen, None: 1 - seen + 0 * flips}
    of_score[0.5] = seen * (1 - chances.first - chances.second)
    at: dict[float, FloatArray] = {}
    for scores in product(of_score, repeat=len(others)):
        known = [score for score in scores if score is not None]
        if not known:
            continue
        chance = np.ones_like(flips[..., 0])
        for judge, score in zip(others, scores, strict=True):
            chance = chance * of_score[score][..., judge]
        both = np.array([float((chance * flips[..., _JUDGE]).sum()), float(chance.sum())])
        gap = round(abs(2 * sum(known) / len(known) - 1), 9)
        at[gap] = at.get(gap, np.zeros(2)) + both
    gaps = np.array(list(at))
    flipped, trials = np.array(list(at.values())).T / sum(total for _, total in at.values())

    def loss(coefficients: FloatArray) -> float:
        predictor = coefficients[0] + coefficients[1] * gaps
        terms: FloatArray = trials * np.logaddexp(0, predictor) - flipped * predictor
        return float(terms.sum())

    return float(optimize.minimize(loss, np.zeros(2), options={"gtol": 1e-9}).x[1])


class _Chances:
    """Chances of what a judge does with a pair: shape (rows, pairs, judges) each."""

    def __init__(self, drawn: Tasks, threshold: float) -> None:
        self.a_in_a, self.b_in_a = _slots(drawn.first_in_a, threshold)  # the first stands in A
        self.a_in_b, self.b_in_b = _slots(drawn.first_in_b, threshold)  # the first stands in B
        self.tie_in_a = 1 - self.a_in_a - self.b_in_a
        self.tie_in_b = 1 - self.a_in_b - self.b_in_b
        self.first = self.a_in_a * self.b_in_b
        self.second = self.b_in_a * self.a_in_b
        self.tie = self.tie_in_a * self.tie_in_b

    @property
    def score(self) -> FloatArray:
        """Expected score of the first answer, flips and ties at a half."""
        score: FloatArray = 0.5 + 0.5 * (self.first - self.second)
        return score


def _slots(predictor: FloatArray, threshold: float) -> tuple[FloatArray, FloatArray]:
    return special.expit(predictor - threshold), special.expit(-predictor - threshold)


def _self_preference(
    chances: _Chances, drawn: Tasks, subjective: np.typing.NDArray[np.bool_]
) -> dict[str, float]:
    own = chances.score[:, _OWN_PAIRS, _JUDGE]
    uninvolved = [[j for j in range(len(JUDGES)) if j not in PAIRS[pair]] for pair in _OWN_PAIRS]
    base, peers = (
        np.stack(
            [chances.score[:, pair, those].mean(1) for pair, those in zip(_OWN_PAIRS, judges, strict=True)],
            axis=1,
        )
        for judges in (uninvolved, [list(range(1, len(JUDGES)))] * len(_OWN_PAIRS))
    )
    delta = own - base
    of_tier = [float(delta[subjective[drawn.task] == tier].mean()) for tier in (True, False)]
    ratio = drawn.log_ratio[:, _OWN_PAIRS]
    covariance = np.cov(ratio.ravel(), delta.ravel())
    return {
        "own_rate": float(own.mean()),
        "baseline_rate": float(base.mean()),
        "self_preference_delta": float(delta.mean()),
        "self_preference_inflation": float((base - peers).mean()),
        "self_preference_tier_gradient": of_tier[0] - of_tier[1],
        "self_preference_delta_length_adjusted": float(
            delta.mean() - covariance[0, 1] / covariance[0, 0] * ratio.mean()
        ),
    }


def _position(chances: _Chances) -> dict[str, float]:
    a_a, b_a, t_a = (part[:, :, _JUDGE] for part in (chances.a_in_a, chances.b_in_a, chances.tie_in_a))
    a_b, b_b, t_b = (part[:, :, _JUDGE] for part in (chances.a_in_b, chances.b_in_b, chances.tie_in_b))
    flips_a, flips_b = float((a_a * a_b).mean()), float((b_a * b_b).mean())
    lone_a, lone_b = float((a_a * t_b + t_a * a_b).mean()), float((b_a * t_b + t_a * b_b).mean())
    wins = float((a_a * b_b + b_a * a_b).mean())
    slot_a, decided = float((a_a + a_b).mean()), float((a_a + a_b + b_a + b_b).mean())
    return {
        "slot_a_rate": slot_a / decided,
        "tie_rate": 1 - decided / 2,
        "flip_rate": flips_a + flips_b,
        "flip_rate_decided": (flips_a + flips_b) / (flips_a + flips_b + wins),
        "unstable_rate": lone_a + lone_b,
        "position_consistency": wins + float((t_a * t_b).mean()),
        "preference_fairness": flips_b + lone_b - flips_a - lone_a,
    }


def _agreement(chances: _Chances) -> dict[str, float]:
    label = np.stack([chances.first, chances.second, 1 - chances.first - chances.second], axis=-1)
    label = label.reshape(-1, len(JUDGES), 3)[:, : len(GENERATORS)]
    shares = label.mean(0)
    shares[:, :2] = shares[:, :2].mean(1, keepdims=True)
    same = {
        (one, other): float((label[:, one] * label[:, other]).sum(1).mean())
        for one, other in combinations(range(len(GENERATORS)), 2)
    }
    observed, expected = same[_JUDGE, _OTHER], float(shares[_JUDGE] @ shares[_OTHER])
    both = (shares[_JUDGE] + shares[_OTHER]) / 2
    by_chance = float((both * (1 - both)).sum()) / 2
    panel = shares.mean(0)
    return {
        "raw_agreement": observed,
        "expected_agreement": expected,
        "cohen_kappa": (observed - expected) / (1 - expected),
        "gwet_ac1": (observed - by_chance) / (1 - by_chance),
        "krippendorff_alpha": 1 - (1 - float(np.mean(list(same.values())))) / (1 - float(panel @ panel)),
    }


def _length(chances: _Chances, drawn: Tasks) -> dict[str, float]:
    """Shares of the longer-wins rate: what the logistic model of the definition tends to, and Shapley."""
    rows = slice(0, _FITTED)
    ratio = np.concatenate([drawn.log_ratio[rows].ravel(), -drawn.log_ratio[rows].ravel()])
    a_wins, b_wins = (
        np.concatenate([in_a[rows, :, _JUDGE].ravel(), in_b[rows, :, _JUDGE].ravel()])
        for in_a, in_b in ((chances.a_in_a, chances.a_in_b), (chances.b_in_a, chances.b_in_b))
    )
    side = np.zeros((len(PAIRS), len(GENERATORS)))
    for place, (one, other) in enumerate(PAIRS):
        side[place, [one, other]] = 1, -1
    sides = np.tile(side, (len(ratio) // (2 * len(PAIRS)), 1))
    sides = np.concatenate([sides, -sides])
    decided = a_wins + b_wins
    strength, slope, slot = _fitted(sides, ratio, a_wins, decided)
    longer = np.sign(ratio)
    parts = [longer * (sides @ strength), longer * slope * ratio, longer * slot]
    weight = decided * np.abs(longer)
    won = float((np.where(longer > 0, a_wins, b_wins) * np.abs(longer)).sum() / weight.sum()) - 0.5

    def value(*those: int) -> float:
        return float(np.average(special.expit(sum(parts[part] for part in those)), weights=weight)) - 0.5

    shares = [
        value(one) / 3
        + (value(one, two) - value(two) + value(one, three) - value(three)) / 6
        + (value(0, 1, 2) - value(two, three)) / 3
        for one, two, three in ((0, 1, 2), (1, 0, 2), (2, 0, 1))
    ]
    named = {
        f"length_{name}_share": share
        for name, share in zip(("quality", "length", "slot"), shares, strict=True)
    }
    its_own = sides[:, 0] != 0
    predictor: FloatArray = sides[its_own, 0] * (sides[its_own] @ strength)
    controlled: FloatArray = 1 / (1 + np.exp(-predictor))
    return named | {
        "longer_wins_rate": won + 0.5,
        "length_remainder_share": won - value(0, 1, 2),
        "length_controlled_win_rate": float(np.average(controlled, weights=decided[its_own])),
    }


def _fitted(
    sides: FloatArray, ratio: FloatArray, a_wins: FloatArray, decided: FloatArray
) -> tuple[FloatArray, float, float]:
    """Strengths, length coefficient and slot that the logistic likelihood tends to, at these chances."""
    from scipy import optimize

    design = np.column_stack([sides[:, 1:], ratio, np.ones(len(ratio))])
    total = decided.sum()

    def loss(coefficients: FloatArray) -> tuple[float, FloatArray]:
        predictor = design @ coefficients
        terms = a_wins * special.log_expit(predictor) + (decided - a_wins) * special.log_expit(-predictor)
        slope: FloatArray = (decided * special.expit(predictor) - a_wins) @ design
        return -float(terms.sum()) / total, slope / total

    found = optimize.minimize(loss, np.zeros(design.shape[1]), jac=True, options={"gtol": 1e-9})
    coefficients = np.asarray(found.x, dtype=np.float64)
    return np.concatenate([[0.0], coefficients[:2]]), float(coefficients[2]), float(coefficients[3])
