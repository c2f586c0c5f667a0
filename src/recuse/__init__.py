"""Re-analyse cached LLM-judge judgments and ask of each claim whether it survives recusal."""

from importlib.metadata import version

__version__ = version("recuse")
