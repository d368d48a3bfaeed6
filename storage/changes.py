"""What happened to wheels since a point of time: new, replaced, vanished, back again.

It knows the views that hold it; it must not know which changes anybody asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage.search import COLUMNS, read_wheel

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from wheels.wheel import Wheel

_NAMES = ", ".join(f'w."{name}"' for name in COLUMNS)
_CHANGES = f"""
    SELECT w.first_seen AS happened_at, 'new' AS kind, {_NAMES} FROM wheels w WHERE w.first_seen >= :since
    UNION ALL
    SELECT h.at AS happened_at, h.kind, {_NAMES} FROM history h JOIN wheels w ON w.id = h.wheel_id WHERE h.at >= :since
    ORDER BY happened_at DESC, kind, filename, url
"""  # noqa: S608 - names of our own


def changes_since(connection: sqlite3.Connection, since: str) -> Iterator[tuple[str, str, Wheel]]:
    """What happened, latest first.

    Args:
        connection: from ``storage.open.open_reader``.
        since: UTC, ISO 8601.

    Yields:
        (when, ``new`` | ``replaced`` | ``vanished`` | ``back``, the wheel as it is now).
    """
    for at, kind, *row in connection.execute(_CHANGES, {"since": since}):
        yield str(at), str(kind), read_wheel(tuple(row))
