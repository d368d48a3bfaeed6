"""What happened to wheels since a point of time: new, replaced, vanished, back again.

It knows the views that hold it; it must not know which changes anybody asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from storage.search import COLUMNS, Search, conditions, read_wheel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from storage.faults import Reader
    from wheels.wheel import Wheel

_NAMES = ", ".join(f'w."{name}"' for name in COLUMNS)
# What a page lists now has no end; an older digest ended before the reading that brought the change.
_BEFORE = """(SELECT l.sha256 FROM ledger l WHERE l.wheel_id = w.id AND l.sha256 IS NOT NULL AND l.last_seen < h.at
              ORDER BY l.last_seen DESC, l.id DESC LIMIT 1)"""
_NEW = f"""SELECT w.first_seen AS happened_at, 'new' AS kind, NULL AS sha256_before, {_NAMES}
           FROM wheels w WHERE w.first_seen >= ?"""  # noqa: S608 - names of our own
_LATER = f"""SELECT h.at AS happened_at, h.kind,
                    CASE WHEN h.kind = 'replaced' THEN {_BEFORE} END AS sha256_before, {_NAMES}
             FROM history h JOIN wheels w ON w.id = h.wheel_id WHERE h.at >= ?"""  # noqa: S608 - as above
_ORDER = "ORDER BY happened_at DESC, kind, filename, url"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Something that happened to one wheel."""

    at: str
    """UTC, ISO 8601: when a crawl saw it."""
    kind: str
    """``new``, ``replaced``, ``vanished`` or ``back``."""
    sha256_before: str | None
    """Of the file that was replaced, where it is known."""
    wheel: Wheel
    """As it is now."""


def changes_since(connection: Reader, since: str, search: Search | None = None) -> Iterator[Change]:
    """What happened, latest first.

    Args:
        connection: from ``storage.open.open_reader``.
        since: UTC, ISO 8601.
        search: which wheels may be meant; None: any.
    """
    narrow, values = conditions(connection, search or Search())
    more = "".join(f" AND {condition}" for condition in narrow)
    query = f"{_NEW}{more} UNION ALL {_LATER}{more} {_ORDER}"
    for at, kind, before, *row in connection.execute(query, [since, *values, since, *values]):
        yield Change(at=str(at), kind=str(kind), sha256_before=before, wheel=read_wheel(tuple(row)))
