"""The wheels that are stored for a page, as a new reading of it finds them.

It knows how rows are loaded; it must not change any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from storage.ledger import Claim, Revision
from storage.rows import Key
from storage.statements import FACT_COLUMNS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from storage.page_rows import StoredPage
    from storage.scope import Scope


class Facts(NamedTuple):
    """What a reading may change in a row, in the order of ``FACT_COLUMNS``."""

    page_id: int
    url: str
    sha256: str | None
    claims: int
    size: int | None
    uploaded_at: str | None
    requires_python: str | None
    metadata_sha256: str | None
    yanked: int
    yank_reason: str | None
    replaced: int
    last_listed_at: str | None
    absent_since: str | None
    vanished_at: str | None


class StoredWheel(NamedTuple):
    """A row as it stands before the reading."""

    id: int
    filename: str
    valid: bool
    problem: str | None
    facts: Facts


_SELECT = "SELECT tag, url_key, id, filename, valid, problem, " + ", ".join(FACT_COLUMNS) + " FROM wheel"  # noqa: S608 - names of our own
_OF_PAGE = f"{_SELECT} WHERE page_id = ?"
_OF_TAG = f"{_SELECT} WHERE channel_id = ? AND tag = ?"
_OF_KEY = f"{_SELECT} WHERE channel_id = ? AND tag = ? AND url_key = ?"
_REVISIONS = """SELECT id, url, algorithm, digest, size, uploaded_at, first_seen, last_seen
                FROM sighting WHERE wheel_id = ? ORDER BY id"""


def stored_wheels(scope: Scope, page: StoredPage, listed: Iterable[Key]) -> dict[Key, StoredWheel]:
    """The page's own wheels, and those of other pages that it lists too."""
    if page.tag is not None:
        return dict(map(_entry, scope.db.execute(_OF_TAG, (scope.channel_id, page.tag))))
    found = dict(map(_entry, scope.db.execute(_OF_PAGE, (page.id,))))
    for key in listed:
        if key not in found:
            found.update(map(_entry, scope.db.execute(_OF_KEY, (scope.channel_id, *key))))
    return found


def _entry(row: tuple[object, ...]) -> tuple[Key, StoredWheel]:
    return Key(*row[:2]), StoredWheel(row[2], row[3], bool(row[4]), row[5], Facts(*row[6:]))  # type: ignore[arg-type]  # a row


def revisions_of(db: sqlite3.Connection, wheel_id: int) -> tuple[Revision, ...]:
    """The ledger of one wheel, oldest first."""
    return tuple(
        Revision(id=row[0], claim=Claim(*row[1:6]), first_seen=row[6], last_seen=row[7])
        for row in db.execute(_REVISIONS, (wheel_id,))
    )
