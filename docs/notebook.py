"""Ask in a notebook whether a judge prefers its own answers, and whether the claim survives.

Look at it with ``marimo edit docs/notebook.py``; run it from top to bottom with ``python docs/notebook.py``.
"""

import marimo

app = marimo.App(width="medium")


@app.cell
def _():
    import marimo as mo

    import recuse

    return mo, recuse


@app.cell
def _(mo):
    mo.md("""
    # Does the claim survive when every judge with a stake is recused?

    `recuse.load` takes what the command line takes: a bundled study, a file, a folder, a cache, or a polars
    frame. Nothing is estimated before it is asked for.
    """)


@app.cell
def _(recuse):
    study = recuse.load("three-judges")
    study
    return (study,)


@app.cell
def _(mo):
    mo.md("""
    ## Own answers against uninvolved judges

    An answer shows itself as tables. `.frame` is the polars frame behind it, `.figure()` an Altair chart,
    `.latex()` the tables of a paper.
    """)


@app.cell
def _(study):
    own = study.self_preference(baseline="uninvolved")
    own
    return (own,)


@app.cell
def _(own):
    own.figure()


@app.cell
def _(own):
    import polars as pl

    deltas = own.frame.filter(
        pl.col("estimand") == "self_preference_delta",
        pl.col("tier").is_null(),
        pl.col("interval").is_not_null(),
    ).select("judge", "estimate", "conf_low", "conf_high", "n_comparisons", "n_tasks")
    deltas
    return (deltas,)


@app.cell
def _(mo):
    mo.md("""
    ## Two claims on the ladder

    A claim is data: a kind, a subject, and a direction or `absent`. The verdict is that of the last rung
    that the judgments allow, up to equal length.
    """)


@app.cell
def _(study):
    claims = study.claims(
        [
            {"id": "gpt", "kind": "self_preference", "judge": "openai/gpt-5.5"},
            {"id": "claude", "kind": "self_preference", "judge": "anthropic/claude-sonnet-4-6"},
        ]
    )
    claims
    return (claims,)


@app.cell
def _(mo):
    mo.md("""
    ## And under other defensible choices?

    The specification curve draws a claim under every combination of scoring, baseline, unit, tie rule and
    what is left out.
    """)


@app.cell
def _(claims):
    claims.figure("gpt")


@app.cell
def _(claims):
    from recuse.analysis.multiverse.summary import specification_share

    shares = specification_share(claims.specifications)
    shares.select("group", "estimate", "n_dropped", "reason")
    return (shares,)


@app.cell
def _(mo):
    mo.md("""
    ## What would make the intervals narrower?
    """)


@app.cell
def _(study):
    study.involvement()


if __name__ == "__main__":
    app.run()
