"""Rows of ``channel``: names, aliases, and who is behind a name.

It knows the identity of a channel; it must not know its pages' contents. A repository's id survives renames: the same
id under a new name is a rename (its rows move, the old name stays an alias), another id under the same name is another
repository (nothing is merged).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from storage.urls import url_key

if TYPE_CHECKING:
    import sqlite3


def find_channel(db: sqlite3.Connection, name: str) -> int | None:
    """The id of a channel by its name or an earlier one; None when it was never heard of."""
    select = """SELECT id FROM channel WHERE name = ? UNION ALL
                SELECT channel_id FROM channel_alias WHERE alias = ? LIMIT 1"""
    row = db.execute(select, (name, name)).fetchone()
    return None if row is None else int(row[0])


def find_or_make_channel(db: sqlite3.Connection, name: str) -> int:
    """The id of a channel; a new one when it was never heard of."""
    known = find_channel(db, name)
    if known is not None:
        return known
    return db.execute("INSERT INTO channel (name, list_complete) VALUES (?, 0)", (name,)).lastrowid or 0


def settle_identity(
    db: sqlite3.Connection, channel_id: int, name: str, repository: str | None, repository_id: int | None
) -> int:
    """Compare who answers with who answered before.

    Args:
        db: inside a transaction.
        channel_id: the channel as its name led to it.
        name: that name.
        repository: ``owner/repo`` that the page shows.
        repository_id: GitHub's own id of it.

    Returns:
        The channel's id: another one when another repository took the name.
    """
    select = "SELECT repository, repository_id FROM channel WHERE id = ?"
    known_repository, known_id = db.execute(select, (channel_id,)).fetchone()
    if known_id is not None and repository_id is not None and known_id != repository_id:
        channel_id = _supersede(db, channel_id, name, known_id)
    elif repository and known_repository and _differ(repository, known_repository):  # GitHub redirected to it
        _rename(db, channel_id, known_repository, repository)
    update = """UPDATE channel SET repository = COALESCE(?, repository), repository_id = COALESCE(?, repository_id)
                WHERE id = ?"""
    db.execute(update, (repository, repository_id, channel_id))
    return channel_id


def _differ(one: str, other: str) -> bool:
    return one.casefold() != other.casefold()  # owners and repositories have no case


def _supersede(db: sqlite3.Connection, channel_id: int, name: str, known_id: int) -> int:
    """Give a name to another repository; the old one's rows stay under ``name#id`` and end by rule R1."""
    if db.execute("DELETE FROM channel_alias WHERE alias = ?", (name,)).rowcount == 0:
        db.execute("UPDATE channel SET name = ? WHERE id = ?", (f"{name}#{known_id}", channel_id))
    made = find_or_make_channel(db, name)
    db.execute("UPDATE channel SET superseded_by = ? WHERE id = ?", (made, channel_id))
    return made


def _rename(db: sqlite3.Connection, channel_id: int, old: str, new: str) -> None:
    """Move the rows of a renamed repository: no second copy of a wheel when its page shows the new address."""
    pattern = re.compile(rf"(://[^/]+/){re.escape(old)}/", re.IGNORECASE)
    rows = db.execute("SELECT id, url FROM wheel WHERE channel_id = ?", (channel_id,)).fetchall()
    moved = [(pattern.sub(rf"\g<1>{new}/", url, count=1), wheel_id) for wheel_id, url in rows]
    update = "UPDATE OR IGNORE wheel SET url = ?, url_key = ? WHERE id = ?"
    db.executemany(update, [(url, url_key(url), wheel_id) for url, wheel_id in moved])
    name = db.execute("SELECT name FROM channel WHERE id = ?", (channel_id,)).fetchone()[0]
    if not _differ(name, old) and find_channel(db, new) is None:
        db.execute("UPDATE channel SET name = ? WHERE id = ?", (new, channel_id))
        db.execute("INSERT OR REPLACE INTO channel_alias (alias, channel_id) VALUES (?, ?)", (name, channel_id))
