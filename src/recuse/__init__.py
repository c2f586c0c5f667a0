"""Re-analyse cached LLM-judge judgments and ask of each claim whether it survives recusal.

In a notebook::

    import recuse

    study = recuse.load("three-judges")
    study.self_preference(baseline="uninvolved")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recuse.study import Study, load

__all__ = ["Study", "__version__", "load"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Import the study's module when it is first asked for: ``import recuse`` itself loads no library."""
    if name in {"Study", "load"}:
        from recuse import study

        return getattr(study, name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
