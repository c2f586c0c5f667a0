import numpy as np
import polars as pl
import pytest

from recuse.analysis.calibration.prevalence import Counts, pass_rates, ppi_plus_plus, rogan_gladen
from recuse.errors import UndefinedEstimateError

# Computed once with ppi-python 0.2.3: ppi_mean_pointestimate and ppi_mean_ci(alpha=0.05).
PPI_PY = [
    (Counts(36, 42, 4, 18, 66, 100), 0.69753086, 0.59625967, 0.79880205),
    (Counts(20, 22, 3, 18, 40, 60), 0.5929223, 0.46839053, 0.71745406),
    (Counts(55, 57, 1, 3, 90, 100), 0.94222114, 0.89172434, 0.99271793),
]
# Computed once with the code that the authors of arXiv:2511.21140 publish (confidence_interval, alpha=0.05).
AUTHORS = [
    (Counts(36, 42, 4, 18, 66, 100), 0.4535950350667615, 0.9004661650178061),
    (Counts(4500, 5000, 500, 5000, 5000, 10_000), 0.4857088025790391, 0.514291197420961),
]


@pytest.mark.parametrize(("counts", "estimate", "low", "high"), PPI_PY)
def test_ppi_plus_plus_is_that_of_its_authors_package(counts, estimate, low, high):
    value, interval = ppi_plus_plus(counts)
    assert (value, interval.low, interval.high) == pytest.approx((estimate, low, high), abs=5e-9)


@pytest.mark.parametrize(("counts", "low", "high"), AUTHORS)
def test_rogan_gladen_interval_is_that_of_its_authors_code(counts, low, high):
    _, interval = rogan_gladen(counts)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-12)


def test_rogan_gladen_by_hand():
    # p = .6, sensitivity .9, specificity .8: (.6 + .8 - 1) / .7.
    value, _ = rogan_gladen(Counts(9, 10, 2, 10, 60, 100))
    assert value == pytest.approx(0.4 / 0.7)


def test_a_perfect_judge_needs_no_correction():
    value, _ = rogan_gladen(Counts(10, 10, 0, 10, 30, 40))
    assert value == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("counts", "why"),
    [
        (Counts(5, 10, 0, 0, 30, 40), "no labelled case is rejected"),
        (Counts(0, 0, 2, 10, 30, 40), "no labelled case is approved"),
        (Counts(5, 10, 5, 10, 30, 40), "sensitivity \\+ specificity ≤ 1"),
        (Counts(5, 10, 1, 10, 0, 0), "no judged case is without a human label"),
    ],
)
@pytest.mark.parametrize("method", [rogan_gladen, ppi_plus_plus])
def test_undefined_only_where_the_data_do_not_define_it(method, counts, why):
    with pytest.raises(UndefinedEstimateError, match=why):
        method(counts)


def test_an_estimate_outside_is_kept_and_its_interval_cut():
    value, interval = rogan_gladen(Counts(8, 10, 1, 10, 95, 100))
    assert value > 1
    assert 0 <= interval.low < interval.high <= 1


def test_an_interval_that_lies_wholly_outside_is_no_interval():
    value, interval = rogan_gladen(Counts(800, 1000, 100, 1000, 9_900, 10_000))
    assert value > 1
    assert (interval.low, interval.reason) == (None, "the whole interval lies outside [0, 1]")


def test_rows_say_what_each_correction_assumes(calibrated, cells_of):
    rows = cells_of([("plain", True, True, 20), ("plain", False, True, 2), ("plain", False, False, 10)])
    judged = [{"case_id": f"u{n}", "rater": "judge", "approved": n % 4 > 0} for n in range(40)]
    found = pass_rates(calibrated([*rows, *judged])).filter(pl.col("group").is_null())
    corrected = found.filter(pl.col("estimand") == "corrected_pass_rate")
    assert corrected["interval"].to_list() == ["rogan_gladen", "ppi_plus_plus"]
    value, interval = rogan_gladen(Counts(20, 20, 2, 12, 30, 40))
    assert corrected["estimate"][0] == pytest.approx(value)
    assert corrected["conf_low"][0] == pytest.approx(interval.low)
    assert corrected["n_tasks"].to_list() == [72, 72]
    assert "32 labelled, 40 judged without a label" in corrected["reason"][0]
    assert "the judge errs on the unlabelled cases as often" in corrected["reason"][0]
    assert "random draw" in corrected["reason"][1]
    raw = found.filter((pl.col("estimand") == "pass_rate") & (pl.col("judge") == "judge"))
    assert (raw["estimate"].item(), raw["n_tasks"].item()) == (pytest.approx(52 / 72), 72)
    human = found.filter((pl.col("estimand") == "pass_rate") & pl.col("judge").is_null())
    assert human["estimate"].item() == pytest.approx(20 / 32)


def test_an_estimate_outside_is_flagged(calibrated, cells_of):
    rows = cells_of(
        [
            ("plain", True, True, 8),
            ("plain", True, False, 2),
            ("plain", False, True, 1),
            ("plain", False, False, 9),
        ]
    )
    judged = [{"case_id": f"u{n}", "rater": "judge", "approved": n > 1} for n in range(40)]
    found = pass_rates(calibrated([*rows, *judged]))
    row = found.filter((pl.col("interval") == "rogan_gladen") & pl.col("group").is_null()).row(0, named=True)
    assert row["estimate"] > 1
    assert row["conf_high"] == 1
    assert "the estimate lies outside [0, 1]" in row["reason"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("theta", "least", "most"),
    [
        (0.7, {"rogan_gladen": 0.94, "ppi_plus_plus": 0.92}, {"rogan_gladen": 0.97, "ppi_plus_plus": 0.95}),
        (0.95, {"rogan_gladen": 0.93, "ppi_plus_plus": 0.90}, {"rogan_gladen": 0.98, "ppi_plus_plus": 0.94}),
    ],
)
def test_coverage_at_60_labelled_and_100_judged(theta, least, most):
    """Sensitivity .85, specificity .8. Near 1 PPI++ covers less than it says; that is shown, not repaired."""
    rng = np.random.default_rng(20_260_101)
    n_sets = 4_000
    covered = {"rogan_gladen": 0, "ppi_plus_plus": 0}
    n_defined = 0
    good, good_judged = rng.binomial(60, theta, n_sets), rng.binomial(100, theta, n_sets)
    draws = np.stack(
        [
            rng.binomial(good, 0.85), good, rng.binomial(60 - good, 0.2), 60 - good,
            rng.binomial(good_judged, 0.85) + rng.binomial(100 - good_judged, 0.2), np.full(n_sets, 100),
        ],
        axis=1,
    )  # fmt: skip
    for row in draws.tolist():
        counts = Counts(*row)
        if counts.why_undefined():
            continue
        n_defined += 1
        for name, method in (("rogan_gladen", rogan_gladen), ("ppi_plus_plus", ppi_plus_plus)):
            _, interval = method(counts)
            covered[name] += interval.low is not None and interval.low <= theta <= interval.high
    for name, count in covered.items():
        assert least[name] <= count / n_defined <= most[name], (name, count / n_defined)
    assert n_defined / n_sets == pytest.approx(1.0 if theta == 0.7 else 0.91, abs=0.02)
