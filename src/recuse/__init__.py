"""Re-analyse cached LLM-judge judgments and ask of each claim whether it survives recusal."""

__version__ = "0.1.0"
