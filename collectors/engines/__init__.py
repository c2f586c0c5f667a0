"""Engines that reduce judgments: each opens files as a narwhals frame, and no more than that."""
