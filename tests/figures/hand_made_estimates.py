"""Estimates made by hand for the renderings in words, TeX and HTML."""

from typing import Any

import polars as pl

from recuse.schema import EstimateFrame, Estimates


def estimate_rows(rows: list[dict[str, Any]]) -> EstimateFrame:
    schema = {name: column.dtype for name, column in Estimates.columns().items()}
    full = [{"probe": "main", "study": "s", "unit": "proportion"} | row for row in rows]
    return Estimates.validate(pl.DataFrame(full, schema=schema, orient="row"))


def three_judges() -> EstimateFrame:
    """Numbers of the bundled study, as far as the sentences need them."""
    limits = {"conf_low": -0.13, "conf_high": 0.396}
    delta = {"estimand": "self_preference_delta", "unit": "difference", "n_comparisons": 30, "n_tasks": 15}
    dual = {"interval": "bootstrap_t", "test": "dual_of_bootstrap_t", "conf_level": 0.95}
    gpt, grok = "openai/gpt-5.5", "xai/grok-4.3"
    uninvolved, peers = {"baseline": "uninvolved"}, {"baseline": "all_peers"}
    slot = {"estimand": "slot_a_rate", "judge": grok, "estimate": 55 / 76, "n_tasks": 15}
    return estimate_rows(
        [
            delta | dual | uninvolved
            | {"judge": gpt, "estimate": 0.2167, "conf_low": 0.06, "conf_high": 0.374},
            delta | uninvolved | {"judge": gpt, "estimate": 0.2167, "test": "sign_flip", "p_value": 0.0098},
            delta | dual | peers | {"judge": gpt, "estimate": 0.2833, "conf_low": 0.17, "conf_high": 0.396},
            delta | dual | uninvolved
            | limits | {"judge": grok, "estimate": 0.1333, "mde": 0.328},
            delta | {"judge": grok, "baseline": "human", "reason": "no human judge on any comparison"},
            slot | {"test": "sign_flip_task_lean", "p_value": 0.00390625, "n_dropped": 6},
            slot | {"test": "sign_test_reversals", "p_value": 2 * 0.5**16, "n_comparisons": 16},
            slot
            | {"test": "binomial_pooled", "p_value": 1.2e-4, "interval": "clopper_pearson_rows",
               "conf_low": 0.61, "conf_high": 0.82, "conf_level": 0.95, "n_presentations": 76},
            {"estimand": "reversal_a_share", "judge": grok, "estimate": 1.0, "n_comparisons": 16,
             "test": "sign_test_reversals", "p_value": 2 * 0.5**16},
        ]
    )  # fmt: skip


HOSTILE = r"""evil</script><script>document.title='owned'</script>\{}$&#%_^~<>|"'`[]-"""


def hostile() -> EstimateFrame:
    """A judge whose name holds every special character of HTML and LaTeX."""
    row = {"judge": HOSTILE, "estimate": -0.5, "n_comparisons": 3, "n_tasks": 1, "unit": "difference"}
    generator = HOSTILE + "é日"
    return estimate_rows(
        [
            row | {"estimand": "self_preference_delta", "baseline": "uninvolved", "p_value": 1e-7},
            row | {"estimand": "win_rate", "generator": generator, "unit": "proportion", "estimate": 0.5},
            row | {"estimand": "win_rate", "generator": generator, "unit": "proportion", "judge": None,
                   "estimate": 0.5},
        ]
    )  # fmt: skip
