"""Rows of estimates, as far as the check of a paper reads them."""


def row(estimate, low, high, p_value, mde=None):
    return {"estimate": estimate, "conf_low": low, "conf_high": high, "p_value": p_value, "mde": mde}
