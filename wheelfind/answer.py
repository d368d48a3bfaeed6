"""What an answer to a query holds, whatever it is printed as.

It knows results, misses and freshness as values; it must not know how they were found or how they look.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wheels.evidence import Saying
    from wheels.fit import Query
    from wheels.wheel import Wheel


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """How fresh one channel is."""

    channel: str
    last_complete_at: str | None
    """UTC, ISO 8601: end of its last complete walk; None when there was none."""
    status: str
    """``ok``, ``unchanged``, ``partial``, ``failed``; ``unread`` when it was never read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What one release or directory holds instead of the package asked for."""

    channel: str
    tag: str | None
    packages: Mapping[str, int]
    """Live wheels by package."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """Wheels that fit but for the same filters."""

    removed_by: tuple[str, ...]
    """Names of the filters that refused them."""
    reason: str
    """One phrase: what they are, and what was asked."""
    count: int
    """How many files."""
    wheel: Wheel | None = None
    """The newest of them; None when there is no wheel at all."""
    holds: tuple[Holding, ...] = ()
    """Releases that were looked at and what they hold, when no wheel of the package is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """How many fitting files are not shown."""

    prereleases: int = 0
    yanked: int = 0
    vanished: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one query; iterating it gives its wheels."""

    query: Query
    wheels: tuple[Wheel, ...]
    """One per file, in order."""
    matched: int
    """Files that match, before ``--limit``."""
    nearest: tuple[Miss, ...] = ()
    """Only when nothing matched."""
    channels: tuple[Freshness, ...] = ()
    hidden: Hidden = field(default_factory=Hidden)
    evidence: tuple[tuple[Saying, ...], ...] = ()
    """For each wheel what speaks for its facts; only when asked for."""

    def __iter__(self) -> Iterator[Wheel]:
        return iter(self.wheels)

    def __len__(self) -> int:
        return len(self.wheels)

    def __getitem__(self, position: int) -> Wheel:
        return self.wheels[position]
