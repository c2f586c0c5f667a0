"""A claim as data: what kind of statement it is, about whom, in which direction, and what was printed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, Literal, Self, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

__all__ = [
    "DIRECTIONS",
    "KINDS",
    "Agreement",
    "Beats",
    "Claim",
    "ClaimsFile",
    "LongerWins",
    "Published",
    "Ranking",
    "Rate",
    "SelfPreference",
    "SelfPreferenceGradient",
    "SlotPreference",
    "SlotPreferenceGradient",
]

Direction: TypeAlias = Literal["above", "below", "absent"]
DIRECTIONS: Final = ("above", "below", "absent")
"""Above or below the null, or (``absent``) within a margin of it."""
_ABSENT: Final = ("negligible", "at chance", "at_chance")
_SHARE: Final = 1.0

Name: TypeAlias = Annotated[str, Field(min_length=1)]
Names: TypeAlias = Annotated[
    tuple[Name, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)
]
DirectionWord: TypeAlias = Annotated[
    Direction, BeforeValidator(lambda word: "absent" if word in _ABSENT else word)
]
Level: TypeAlias = Annotated[float, Field(ge=-_SHARE, le=_SHARE)]
Share: TypeAlias = Annotated[float, Field(ge=0.0, le=_SHARE)]


class Published(BaseModel):
    """The numbers as printed, as shares and not in percent: 28.3 points are 0.283."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    estimate: Level
    low: Level | None = None
    high: Level | None = None

    @model_validator(mode="after")
    def _both_bounds_around_the_estimate(self) -> Self:
        if (self.low is None) != (self.high is None):
            message = "an interval needs low and high"
            raise ValueError(message)
        if self.low is not None and self.high is not None and not self.low <= self.estimate <= self.high:
            message = "the estimate has to lie between low and high"
            raise ValueError(message)
        return self


class _Claim(BaseModel):
    """What every claim says."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)
    is_difference: ClassVar[bool] = False
    """Whether the quantity is a difference (null 0), and not a rate or coefficient."""
    usual_margin: ClassVar[float] = 0.05

    kind: ClassVar[str]

    id: Name
    says: str = ""
    """The sentence that was turned into this record."""
    study: Names = ()
    """Studies it speaks of, pooled where there are several; empty: those of the file."""
    tier: Name | None = None
    direction: DirectionWord = "above"
    margin: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Half-width of the range around the null that ``absent`` claims."""
    published: Published | None = None
    family: Name | None = None
    """Claims that are corrected together; by default those of one kind."""

    @property
    def null(self) -> float:
        """The value at which there is nothing to claim."""
        return 0.0 if self.is_difference else 0.5

    @property
    def is_equivalence(self) -> bool:
        """Whether the claim says that something is absent, within a margin."""
        return self.direction == "absent"

    @property
    def sign(self) -> int:
        """1 where the claim says above, -1 where it says below; an absence has none and counts as 1."""
        return -1 if self.direction == "below" else 1

    @property
    def margin_or_usual(self) -> float:
        """The margin of an absence: the claim's own, or the usual one of its kind."""
        return self.usual_margin if self.margin is None else self.margin

    @property
    def family_or_kind(self) -> str:
        """Name of the family within which p-values are corrected."""
        return self.family or self.kind

    @model_validator(mode="after")
    def _margin_belongs_to_absence(self) -> Self:
        if self.margin is not None and not self.is_equivalence:
            message = 'a margin belongs to direction = "absent"'
            raise ValueError(message)
        signed = self.is_difference or self.kind == "agreement"
        widest = 1.0 if signed else max(self.null, 1 - self.null)
        if self.margin is not None and self.margin >= widest:
            message = f"a margin of {self.margin:g} leaves nothing out: give one below {widest:g}"
            raise ValueError(message)
        return self


_AnyClaim = TypeVar("_AnyClaim", bound=_Claim)


def _spans_the_tiers(claim: _AnyClaim) -> _AnyClaim:
    if claim.tier is not None:
        message = "a gradient spans the tiers: leave out tier"
        raise ValueError(message)
    return claim


class SelfPreference(_Claim):
    """A judge scores its own answers higher than the baseline's judges do: Δ against 0."""

    is_difference = True
    usual_margin = 0.10

    kind = "self_preference"
    judge: Name


class SelfPreferenceGradient(_Claim):
    """Δ on the most subjective tier less Δ on the most objective one, against 0."""

    is_difference = True
    usual_margin = 0.10

    kind = "self_preference_gradient"
    judge: Name

    _spans_tiers = model_validator(mode="after")(_spans_the_tiers)


class Beats(_Claim):
    """A generator's mean score against an opponent, against ½; by one judge or over all."""

    kind = "beats"
    generator: Name
    opponent: Name
    judge: Name | None = None

    @model_validator(mode="after")
    def _two_generators(self) -> Self:
        if self.generator == self.opponent:
            message = "generator and opponent are one"
            raise ValueError(message)
        return self


class Ranking(_Claim):
    """Generators in order of their win rates, best first: all adjacent differences above 0."""

    is_difference = True

    kind = "ranking"
    order: Annotated[tuple[Name, ...], Field(min_length=2)]
    judge: Name | None = None

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        if self.direction != "above":
            message = "a ranking has no direction"
            raise ValueError(message)
        if len(set(self.order)) < len(self.order):
            message = "a generator stands in the order twice"
            raise ValueError(message)
        return self


class SlotPreference(_Claim):
    """Share of decided presentations that name slot A, against ½."""

    usual_margin = 0.10

    kind = "slot_preference"
    judge: Name
    probe: Name = "main"


class SlotPreferenceGradient(_Claim):
    """Slot-A rate on the most subjective tier less that on the most objective one, against 0."""

    is_difference = True
    usual_margin = 0.10

    kind = "slot_preference_gradient"
    judge: Name
    probe: Name = "main"

    _spans_tiers = model_validator(mode="after")(_spans_the_tiers)


class LongerWins(_Claim):
    """The longer answer wins, against ½: as it comes, or (``controlled``) in the length probe."""

    usual_margin = 0.10

    kind = "longer_wins"
    judge: Name | None = None
    controlled: bool = False
    rewards: Name | None = None
    """What the probe's tasks reward: elaboration or concision."""
    task: Name | None = None

    @model_validator(mode="after")
    def _rewards_belong_to_the_probe(self) -> Self:
        if not self.controlled and (self.rewards or self.task):
            message = "rewards and task belong to controlled = true"
            raise ValueError(message)
        return self


class Agreement(_Claim):
    """Agreement of two judges, or of the whole panel, against chance or a bar."""

    kind = "agreement"
    statistic: Literal["cohen_kappa", "gwet_ac1", "raw_agreement", "krippendorff_alpha"] = "cohen_kappa"
    judge: Name | None = None
    judge_2: Name | None = None
    bar: Level = 0.0
    """Value to be above or below; 0 is chance for all but raw agreement."""

    @property
    def null(self) -> float:
        """The bar."""
        return self.bar

    @property
    def margin_or_usual(self) -> float:
        """The claim's own margin, or .20 for coefficients and .05 for raw agreement."""
        usual = 0.05 if self.statistic == "raw_agreement" else 0.20
        return usual if self.margin is None else self.margin

    @model_validator(mode="after")
    def _a_pair_or_the_panel(self) -> Self:
        named = [name for name in (self.judge, self.judge_2) if name]
        if self.statistic == "krippendorff_alpha" and named:
            message = "krippendorff_alpha speaks of the whole panel: leave out judge and judge_2"
            raise ValueError(message)
        if self.statistic != "krippendorff_alpha" and len(set(named)) != 2:
            message = f"{self.statistic} needs two judges: judge and judge_2"
            raise ValueError(message)
        if self.statistic == "raw_agreement" and "bar" not in self.model_fields_set:
            message = "raw_agreement needs a bar: its chance level is not 0"
            raise ValueError(message)
        return self


class Rate(_Claim):
    """A rate above, below or at a bar."""

    kind = "rate"
    rate: Literal[
        "slot_a_rate",
        "tie_rate",
        "flip_rate",
        "flip_rate_decided",
        "unstable_rate",
        "position_consistency",
        "win_rate",
    ]
    bar: Share
    judge: Name | None = None
    generator: Name | None = None
    probe: Name = "main"

    @property
    def null(self) -> float:
        """The bar."""
        return self.bar

    @property
    def margin_or_usual(self) -> float:
        """The claim's own margin, or ±.10 for the slot-A rate and ±.05 for others."""
        usual = 0.10 if self.rate == "slot_a_rate" else 0.05
        return usual if self.margin is None else self.margin

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.rate == "win_rate" and self.generator is None:
            message = "win_rate needs a generator"
            raise ValueError(message)
        if self.rate != "win_rate" and (self.judge is None or self.generator is not None):
            message = f"{self.rate} needs a judge and no generator"
            raise ValueError(message)
        return self


Claim: TypeAlias = (
    SelfPreference
    | SelfPreferenceGradient
    | Beats
    | Ranking
    | SlotPreference
    | SlotPreferenceGradient
    | LongerWins
    | Agreement
    | Rate
)
KINDS: Final[Mapping[str, type[_Claim]]] = MappingProxyType(
    {
        "self_preference": SelfPreference,
        "self_preference_gradient": SelfPreferenceGradient,
        "beats": Beats,
        "ranking": Ranking,
        "slot_preference": SlotPreference,
        "slot_preference_gradient": SlotPreferenceGradient,
        "longer_wins": LongerWins,
        "agreement": Agreement,
        "rate": Rate,
    }
)
"""Word of the file → record."""


class ClaimsFile(BaseModel):
    """A file of claims: where its judgments are, and the claims in the order of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    title: str = ""
    sources: Names = ()
    """Sources to use when none is given, each as on the command line."""
    study: Names = ()
    """Studies of the claims that name none."""
    claims: tuple[Claim, ...] = ()
