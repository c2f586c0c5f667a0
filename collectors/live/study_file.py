"""What is to be collected, as data: ``STUDY.toml``, checked before anything is asked."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from recuse.collectors.live.tasks import SHIPPED_TASKS, Task, read_tasks
from recuse.collectors.study import StudyFile, in_words
from recuse.errors import ConfigurationError

__all__ = ["Collection", "Endpoint", "Limits", "LoadedStudy", "Price", "Server", "load_study"]

_Name = Annotated[str, Field(min_length=2, max_length=200)]
_Value = str | int | float | bool | list[str] | None


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Price(_Section):
    """US dollars per million tokens."""

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)


class Endpoint(_Section):
    """A model and how to reach it: a generator or a judge."""

    model: str = Field(min_length=1)
    """Any model string of litellm."""
    api_base: str | None = Field(default=None, pattern=r"^https?://")
    api_key_env: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    """Name of the environment variable with the key; by default the one that litellm knows."""
    params: dict[str, _Value] = {}
    """Requested parameters, over those of the study."""
    price: Price | None = None
    """Where litellm knows none, or another one."""
    timeout_s: float = Field(default=120, gt=0)
    structured: Literal["auto", "text"] = "auto"
    """Of a judge: ``auto`` asks for JSON held to a schema, and goes without where that is refused."""
    answer_logprobs: Literal["none", "grammar"] = "none"
    """Of a judge: ``grammar`` takes each main answer's log-probability from a llama.cpp server."""

    @property
    def provider(self) -> str:
        """What limits of calls hold for: the ``api_base``, else the first part of the model string."""
        head, slash, _ = self.model.partition("/")
        return self.api_base or (head if slash else "openai")


class Limits(_Section):
    """How hard one provider is asked."""

    concurrency: int = Field(default=8, ge=1, le=1000)
    requests_per_minute: float | None = Field(default=None, gt=0)
    attempts: int = Field(default=6, ge=1, le=20)
    """Of one call, where what went wrong may pass: rate limits, server errors, timeouts."""


class Server(_Section):
    """A model that ``recuse local-servers`` serves on this machine."""

    weights: str
    """``gemma3-270m``, ``smollm2-135m`` or the path of a GGUF file."""
    port: int = Field(ge=1, le=65535)
    chat_template: str | None = None
    """Name of one of llama.cpp's own templates, where the file has none."""


class _PaddedProbe(_Section):
    tasks: tuple[str, ...] | None = None
    """Task ids; all main tasks by default."""
    generators: tuple[str, ...] | None = None


class _Probes(_Section):
    length: bool = False
    repetition: _PaddedProbe | None = None
    identical: _PaddedProbe | None = None


class _Params(_Section):
    answers: dict[str, _Value] = {"max_tokens": 800}
    judgments: dict[str, _Value] = {"temperature": 0.0, "max_tokens": 100}


class Collection(StudyFile):
    """A study that is to be collected: what every study says of itself, and what to ask."""

    name: str = Field(min_length=1)  # pyright: ignore[reportIncompatibleVariableOverride, reportGeneralTypeIssues]
    tasks: str = SHIPPED_TASKS
    """A JSONL file, beside the study file; ``shipped`` for those of this package."""
    only_tasks: tuple[str, ...] | None = None
    generators: dict[_Name, Endpoint] = Field(min_length=1)
    judges: dict[_Name, Endpoint] = Field(min_length=1)
    modes: tuple[Literal["pairwise", "pointwise"], ...] = ("pairwise",)
    orders: Literal["both", "random"] = "both"
    ties: bool = True
    reasons: bool = False
    """Let the judge give a reason before its verdict."""
    replicates: int = Field(default=1, ge=1, le=1000)
    seed: int = Field(default=0, ge=0, lt=2**31)
    """For the order shown under ``orders = "random"``; sampling seeds are parameters."""
    rubric: str = "Judge how well each answer does what the task asks."
    rubric_version: str | None = None
    criteria: dict[str, str] = Field(default_factory=dict[str, str])
    """Of pointwise judging: name → what holds when it is met."""
    blinding: Literal["fail", "flag", "redact"] = "fail"
    blind_to: tuple[str, ...] = ()
    """Further words that no prompt may hold."""
    probes: _Probes = _Probes()
    params: _Params = _Params()
    limits: dict[str, Limits] = Field(default_factory=dict[str, Limits])
    """Provider → limits; ``default`` for all others."""
    servers: dict[str, Server] = Field(default_factory=dict[str, Server])

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if "pointwise" in self.modes and not self.criteria:
            message = "pointwise judging needs [criteria]: name = what holds when it is met"
            raise ValueError(message)
        if "pairwise" in self.modes and len(self.generators) < 2 and self.probes == _Probes():
            message = "pairwise judging needs two generators, or a probe"
            raise ValueError(message)
        for role, endpoints in (("generators", self.generators), ("judges", self.judges)):
            aliased = [name for name in endpoints if name in self.aliases]
            if aliased:
                message = f"{role} are named by the name that counts, not by an alias: {', '.join(aliased)}"
                raise ValueError(message)
        for name in self.generators.keys() & self.judges.keys():
            one, other = self.generators[name], self.judges[name]
            if (one.model, one.api_base) != (other.model, other.api_base):
                message = f"{name} is one model: generator and judge of one name need one model and api_base"
                raise ValueError(message)
        return self

    def limits_of(self, provider: str) -> Limits:
        """Give the limits of calls to a provider."""
        return self.limits.get(provider) or self.limits.get("default") or Limits()


@dataclass(frozen=True, slots=True)
class LoadedStudy:
    """A study file with its tasks read."""

    about: Collection
    tasks: tuple[Task, ...]
    stored: bytes
    """The file as it is."""
    tasks_sha256: str
    folder: Path


def load_study(path: Path) -> LoadedStudy:
    """Read a study file and its tasks.

    Raises
    ------
    ConfigurationError
        The file or its tasks are not there, are not what they should be, or do not fit together.
    """
    try:
        stored = path.read_bytes()
        content: dict[str, Any] = tomllib.loads(stored.decode())
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} is not TOML: {error}", "recuse collect --init writes one") from None
    try:
        about = Collection.model_validate(content)
    except ValidationError as error:
        raise ConfigurationError(
            f"{path}: {in_words(error)}", "recuse collect --init writes a commented one"
        ) from None
    tasks, tasks_sha256 = read_tasks(about.tasks, path.parent)
    return LoadedStudy(about, _chosen(about, tasks), stored, tasks_sha256, path.parent)


_TASK_LISTS: Final = ("repetition", "identical")


def _chosen(about: Collection, tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    ids = {task.id for task in tasks}
    lists = {"only_tasks": about.only_tasks or ()}
    for name in _TASK_LISTS:
        probe: _PaddedProbe | None = getattr(about.probes, name)
        lists[f"probes.{name}.tasks"] = (probe and probe.tasks) or ()
        strangers = [one for one in (probe and probe.generators) or () if one not in about.generators]
        if strangers:
            raise ConfigurationError(f"probes.{name}.generators names no generator: {', '.join(strangers)}")
    for place, named in lists.items():
        unknown = [task_id for task_id in named if task_id not in ids]
        if unknown:
            raise ConfigurationError(f"{place} names tasks that {about.tasks} lacks: {', '.join(unknown)}")
    tiers = {task.tier for task in tasks if task.tier is not None} - set(about.tiers)
    if tiers:
        raise ConfigurationError(
            f"tiers of tasks that the study does not list: {', '.join(sorted(tiers))}",
            "tiers = [...] lists them in ascending order of subjectivity",
        )
    kept = tuple(task for task in tasks if about.only_tasks is None or task.id in about.only_tasks)
    if not about.probes.length:
        kept = tuple(task for task in kept if not task.is_length_probe)
    if not kept:
        raise ConfigurationError("no task is left to be asked", "check tasks, only_tasks and probes.length")
    return kept
