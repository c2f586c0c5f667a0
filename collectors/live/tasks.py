"""Tasks: what generators are asked, one JSON object a line."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from recuse.errors import ConfigurationError, name_up_to_three

__all__ = ["LENGTH_VARIANTS", "SHIPPED_FILE", "SHIPPED_TASKS", "Task", "read_tasks"]

SHIPPED_TASKS: Final = "shipped"
"""How a study file names the tasks that come with the package."""
SHIPPED_FILE: Final = Path(__file__).parent / "tasks.jsonl"
LENGTH_VARIANTS: Final = ("short", "long")


class Task(BaseModel):
    """One prompt. A task with ``length`` belongs to the length probe and to no other."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1, max_length=200)
    prompt: str = Field(min_length=1)
    tier: str | None = None
    category: str | None = None
    rewards: Literal["elaboration", "concision"] | None = None
    length: dict[Literal["short", "long"], str] | None = None
    """Variant → the one sentence that is appended for its answer; judges see the prompt without it."""
    check: str | None = None
    """For a reader: what a right answer holds. It is shown to no model."""

    @model_validator(mode="after")
    def _has_both_lengths(self) -> Self:
        if self.length is not None and set(self.length) != set(LENGTH_VARIANTS):
            message = "length needs both short and long"
            raise ValueError(message)
        if self.length is not None and self.rewards is None:
            message = "a task with length says what it rewards: elaboration or concision"
            raise ValueError(message)
        return self

    @property
    def is_length_probe(self) -> bool:
        """Tell whether the task is of the length probe."""
        return self.length is not None

    def prompt_for(self, variant: str | None) -> str:
        """Give what a generator is asked; the sentence of a length variant comes last."""
        for name, sentence in (self.length or {}).items():
            if name == variant:
                return f"{self.prompt}\n\n{sentence}"
        return self.prompt


def read_tasks(name: str, folder: Path) -> tuple[tuple[Task, ...], str]:
    """Read the tasks of a study.

    Parameters
    ----------
    name
        ``shipped``, or the path of a JSONL file.
    folder
        Where a relative path starts.

    Returns
    -------
    tuple
        The tasks in the order of the file, and the SHA-256 of its bytes.

    Raises
    ------
    ConfigurationError
        The file cannot be read, a line is no task, or an id comes twice.
    """
    path = SHIPPED_FILE if name == SHIPPED_TASKS else folder / name
    try:
        stored = path.read_bytes()
        lines = stored.decode().splitlines()
    except OSError as error:
        raise ConfigurationError(f"tasks {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"tasks {path} are not UTF-8") from None
    tasks: list[Task] = []
    failures: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            tasks.append(Task.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            failures.append(
                f"line {number}: {where}: {first['msg']}" if where else f"line {number}: {first['msg']}"
            )
    if failures:
        raise ConfigurationError(f"{path.name} holds lines that are no tasks: {name_up_to_three(failures)}")
    twice = [task_id for task_id, count in Counter(task.id for task in tasks).items() if count > 1]
    if twice or not tasks:
        problem = f"has tasks of one id: {name_up_to_three(twice)}" if twice else "holds no task"
        raise ConfigurationError(f"{path.name} {problem}")
    return tuple(tasks), hashlib.sha256(stored).hexdigest()
