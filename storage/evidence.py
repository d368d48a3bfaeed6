"""What the catalog remembers of one URL: every hash, size and date, and since when.

It knows the ledger; it must not know what names say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from storage.faults import translated

if TYPE_CHECKING:
    from storage.faults import Reader

_NAMES = ("url", "algorithm", "digest", "size", "uploaded_at", "first_seen", "last_seen", "is_current")
_SELECT = (
    "SELECT c.name, "  # noqa: S608 - names of our own
    + ", ".join(f"l.{name}" for name in _NAMES)
    + """ FROM wheel w JOIN channel c ON c.id = w.channel_id JOIN ledger l ON l.wheel_id = w.id
         WHERE w.filename = ? AND w.url = ? ORDER BY l.first_seen, l.id"""
)


def ledger_of(connection: Reader, filename: str, url: str) -> list[dict[str, Any]]:
    """Every sighting of a file at an address, in any channel, oldest first.

    Args:
        connection: from ``storage.open.open_reader``.
        filename: decoded.
        url: as the view ``wheels`` has it.

    Returns:
        Mappings with ``channel`` and the columns of the view ``ledger``; ``is_current`` is 0 or 1.

    Raises:
        CatalogError: the catalog is damaged.
    """
    with translated(connection.path, "read the catalog"):
        rows = connection.execute(_SELECT, (filename, url)).fetchall()
    return [dict(zip(("channel", *_NAMES), row, strict=True)) for row in rows]
