"""Where and when something is written: the words that the writing modules share.

It knows a transaction's circumstances and its outcome; it must not know any table.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """One observation's place in the catalog."""

    db: sqlite3.Connection
    """Inside a transaction."""
    channel_id: int
    run_id: int
    at: str
    """When it was observed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What storing an observation changed."""

    added: int = 0
    """Wheels never seen before."""
    changed: int = 0
    """Wheels of which a fact changed."""
    vanished: int = 0
    back: int = 0
    """Vanished wheels that are listed again."""
    problems: int = 0
    """Problems that this observation shows, old ones included."""
    mass_vanish: bool = False
    """More than half of the channel's files were missing at once: nothing was marked."""

    def __add__(self, other: Delta) -> Delta:
        return Delta(
            added=self.added + other.added,
            changed=self.changed + other.changed,
            vanished=self.vanished + other.vanished,
            back=self.back + other.back,
            problems=self.problems + other.problems,
            mass_vanish=self.mass_vanish or other.mass_vanish,
        )


def written(moment: datetime) -> str:
    """A time as the catalog writes it: UTC, to the second, with ``Z``.

    Args:
        moment: aware.
    """
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment(text: str | None) -> datetime | None:
    """A time of the catalog, aware; None stays None."""
    return None if text is None else datetime.fromisoformat(text)
