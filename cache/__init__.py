"""The content-addressed store of judgments and its columnar snapshot."""
