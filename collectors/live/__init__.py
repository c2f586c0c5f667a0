"""The live collector: every judgment once, blind, in both orders, into the cache."""
