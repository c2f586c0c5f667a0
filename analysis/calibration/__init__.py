"""A judge beside humans: its two errors, agreement, the corrected pass rate, versions, gates, probes."""
