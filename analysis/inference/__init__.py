"""Numerics below the estimands: numpy in, numbers out, tasks as clusters.

Nothing here knows a judge or a frame. An estimand reduces its rows to one sum and one count per task
(:class:`~recuse.analysis.inference.clusters.ClusterSums`) and asks for an interval by name.
"""

from recuse.analysis.inference.clusters import ClusterSums, FloatArray
from recuse.analysis.inference.interval import INTERVALS, Interval

__all__ = ["INTERVALS", "ClusterSums", "FloatArray", "Interval"]
