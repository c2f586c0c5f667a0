"""Estimands: judgments in, estimates out.

Pure: no files, no network, no plotting, no global randomness. One estimand, one module; the numerics
that they share live below them in ``recuse.analysis.inference``.
"""
