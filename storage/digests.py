"""Which of several digests of one URL is true: the one that GitHub itself states.

It knows one URL across channels; it must not know pages of one channel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from storage.rows import Key

GITHUB_KINDS = frozenset({"expanded-assets", "release-tag", "rest-releases"})
"""Pages on which GitHub states the digests of its own files."""

_STATED = """SELECT w.sha256 FROM wheel w JOIN page p ON p.id = w.page_id
             WHERE w.filename = ? AND w.url_key = ? AND w.claims = 1 AND p.kind IN (?, ?, ?) LIMIT 1"""


def stated_digest(db: sqlite3.Connection, url_key: bytes, filename: str) -> str | None:
    """The digest that GitHub states for a URL that an index lists with several; None when it states none."""
    row = db.execute(_STATED, (filename, url_key, *sorted(GITHUB_KINDS))).fetchone()
    return None if row is None else str(row[0])


def settle_conflicts(db: sqlite3.Connection, listed: Iterable[Key]) -> None:
    """A page of GitHub was stored: its digests decide the conflicts of other channels about the same URLs."""
    open_keys = {row[0] for row in db.execute("SELECT DISTINCT url_key FROM wheel WHERE claims > 1")}
    for key in {key.url for key in listed} & open_keys:
        rows = db.execute("SELECT id, filename FROM wheel WHERE url_key = ? AND claims > 1", (key,)).fetchall()
        for wheel_id, filename in rows:
            db.execute("UPDATE wheel SET sha256 = ? WHERE id = ?", (stated_digest(db, key, filename), wheel_id))
