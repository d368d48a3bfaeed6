"""Whether a catalog is sound, what it holds, and a whole copy of it.

It knows invariants between rows; it must not repair anything. Everything here reads; a backup writes one new file.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from storage.faults import disk_full, translated
from storage.open import locate, open_reader
from storage.schema import VIEW_NAMES
from storage.urls import url_key
from wheels.errors import CatalogCorrupt, CatalogReadOnly, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

_INVARIANTS = {
    "wheels without a ledger row": """
        SELECT w.id FROM wheel w WHERE NOT EXISTS (SELECT 1 FROM sighting s WHERE s.wheel_id = w.id)""",
    "wheels whose ledger has no current row": """
        SELECT w.id FROM wheel w WHERE NOT EXISTS (
            SELECT 1 FROM sighting s WHERE s.wheel_id = w.id AND s.last_seen IS NULL)""",
    "wheels with a valid name and no tag": """
        SELECT w.id FROM wheel w WHERE w.valid = 1 AND NOT EXISTS (
            SELECT 1 FROM wheel_tag t WHERE t.wheel_id = w.id)""",
    "wheels whose page belongs to another channel": """
        SELECT w.id FROM wheel w JOIN page p ON p.id = w.page_id WHERE p.channel_id <> w.channel_id""",
    "wheels whose digest is not in their ledger": """
        SELECT w.id FROM wheel w WHERE w.claims = 1 AND NOT EXISTS (
            SELECT 1 FROM sighting s WHERE s.wheel_id = w.id AND s.last_seen IS NULL AND s.algorithm = 'sha256'
            AND s.digest = w.sha256)""",
    "wheels that vanished without two absences": """
        SELECT id FROM wheel WHERE vanished_at IS NOT NULL AND (absent_since IS NULL OR absent_since >= vanished_at)""",
    "replaced wheels without an event": """
        SELECT w.id FROM wheel w WHERE w.replaced = 1 AND NOT EXISTS (
            SELECT 1 FROM event e WHERE e.wheel_id = w.id AND e.kind = 'replaced')""",
    "ledger rows that end before they begin": """
        SELECT id FROM sighting WHERE last_seen < first_seen""",
    "pages that were read before they were known": """
        SELECT id FROM page WHERE shape = 'ok' AND last_read_at IS NULL""",
}


def check_catalog(location: str | Path) -> list[str]:
    """Look for damage and broken invariants.

    Args:
        location: path or ``sqlite:///`` URL.

    Returns:
        One sentence a finding; empty for a sound catalog.

    Raises:
        NotFound: no catalog there yet.
        CatalogError: it cannot be read at all.
    """
    path = locate(location)
    with closing(open_reader(location)) as db, translated(path, "check the catalog"):
        damage = [str(row[0]) for row in db.execute("PRAGMA integrity_check(100)") if row[0] != "ok"]
        if damage:
            return damage
        return [*_orphans(db), *_missing_views(db), *_broken_invariants(db), *_wrong_keys(db)]


def _orphans(db: sqlite3.Connection) -> Iterator[str]:
    for table, row, parent, _ in db.execute("PRAGMA foreign_key_check"):
        yield f"row {row} of {table} names a row of {parent} that is not there"


def _missing_views(db: sqlite3.Connection) -> Iterator[str]:
    present = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'")}
    for view in VIEW_NAMES:
        if view not in present:
            yield f"the view {view} is missing"


def _broken_invariants(db: sqlite3.Connection) -> Iterator[str]:
    for what, query in _INVARIANTS.items():
        ids = [row[0] for row in db.execute(query)]
        if ids:
            yield f"{len(ids)} {what}, the first has id {ids[0]}"


def _wrong_keys(db: sqlite3.Connection) -> Iterator[str]:
    wrong = [wheel_id for wheel_id, url, key in db.execute("SELECT id, url, url_key FROM wheel") if url_key(url) != key]
    if wrong:
        yield f"{len(wrong)} wheels are filed under another URL, the first has id {wrong[0]}"


_COUNTS = {
    "wheels": "SELECT COUNT(*) FROM wheel",
    "live_wheels": "SELECT COUNT(*) FROM wheel WHERE vanished_at IS NULL",
    "packages": "SELECT COUNT(DISTINCT package) FROM wheel",
    "channels": "SELECT COUNT(*) FROM channel",
    "releases": "SELECT COUNT(*) FROM page",
    "ledger_rows": "SELECT COUNT(*) FROM sighting",
    "problems": "SELECT COUNT(*) FROM problem",
    "crawl_runs": "SELECT COUNT(*) FROM run",
}


def catalog_info(location: str | Path) -> dict[str, str | int | None]:
    """What a catalog holds: path, sizes in bytes, schema, counts, and its last crawl.

    Args:
        location: path or ``sqlite:///`` URL.

    Raises:
        NotFound: no catalog there yet.
        CatalogError: it cannot be read.
    """
    path = locate(location)
    with closing(open_reader(location)) as db, translated(path, "read the catalog"):
        last = db.execute("SELECT started_at, ended_at, status FROM run ORDER BY id DESC LIMIT 1").fetchone()
        started_at, ended_at, status = last or (None, None, None)
        return {
            "path": str(path),
            "bytes": path.stat().st_size,
            "wal_bytes": _size(Path(f"{path}-wal")),
            "schema": db.execute("PRAGMA user_version").fetchone()[0],
            "revision": db.execute("SELECT version_num FROM alembic_version").fetchone()[0],
            "sqlite": sqlite3.sqlite_version,
            **{name: db.execute(query).fetchone()[0] for name, query in _COUNTS.items()},
            "last_crawl_started_at": started_at,
            "last_crawl_ended_at": ended_at,
            "last_crawl_status": status,
        }


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def back_up(location: str | Path, target: str | Path) -> None:
    """Copy a catalog whole, also while a crawl writes to it.

    Args:
        location: path or ``sqlite:///`` URL.
        target: a file that does not exist yet; its owner alone may read it.

    Raises:
        UsageError: the target exists.
        NotFound: no catalog there yet.
        CatalogReadOnly: the target cannot be made.
        DiskFull: no room for it; nothing is left behind.
        CatalogError: the catalog cannot be read.
    """
    copy = Path(target)
    with closing(open_reader(location)) as source:
        _make_new(copy)
        try:
            with translated(copy, "write the backup"), closing(sqlite3.connect(copy)) as destination:
                source.backup(destination)
                _refuse_damaged(destination, copy)
        except BaseException:
            with suppress(OSError):
                copy.unlink()
            raise


def _refuse_damaged(copy: sqlite3.Connection, path: Path) -> None:
    """A copy of a damaged catalog is none."""
    found = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise CatalogCorrupt("back up into", str(path), f"the catalog is damaged ({found})", "see `wheelfind db check`")


def _make_new(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError as error:
        raise UsageError("write the backup", str(path), "it exists already", "name a new file") from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise disk_full(path, "write the backup") from error
        reason = error.strerror or str(error)
        raise CatalogReadOnly("write the backup", str(path), reason, "name another file") from error
