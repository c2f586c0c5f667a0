"""The multiverse: a claim under every defensible combination of choices, and how often it holds."""
