"""Opens the catalog: for reading with nothing but ``sqlite3``, for writing with everything.

It knows files, modes and marks of a catalog; it must not know rows. The reading half is on the hot path of ``find`` and
imports no ORM.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from storage.faults import Reader, disk_full, translated
from storage.schema import APPLICATION_ID, REVISION
from wheels.errors import CatalogCorrupt, CatalogError, CatalogNewer, CatalogReadOnly, NotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from storage.write import Catalog

BUSY_SECONDS = 30.0


def locate(location: str | Path) -> Path:
    """The file of a catalog that is named by a path or by ``sqlite:///PATH``.

    Raises:
        UsageError: a URL of another kind.
    """
    text = os.fspath(location)
    if text.startswith("sqlite:///"):
        text = text.removeprefix("sqlite:///")
    elif "://" in text:
        scheme = text.partition("://")[0]
        raise UsageError(
            "open the catalog at", f"{scheme}://…", "only SQLite files are supported", "name a file with --db PATH"
        )
    try:
        return Path(text).expanduser()
    except RuntimeError:
        reason = "there is no such user or home folder"
        raise UsageError("open the catalog at", text, reason, "write its path without ~") from None


def exists(location: str | Path) -> bool:
    """Whether there is a catalog at that place; an empty file is none.

    Raises:
        CatalogError: the place cannot be one.
    """
    path = locate(location)
    try:
        if path.is_dir():
            raise CatalogReadOnly("open the catalog", str(path), "it is a folder", "name a file with --db")
        return path.is_file() and path.stat().st_size > 0
    except OSError as error:  # a name too long, a folder that may not be searched
        reason = error.strerror or str(error)
        raise CatalogError("open the catalog", str(path), reason, "name another file with --db") from error


def open_reader(location: str | Path) -> Reader:
    """Open a catalog for reading; never creates or changes anything.

    Args:
        location: path, or ``sqlite:///PATH``.

    Returns:
        A connection in ``mode=ro`` that the caller closes; its statements fail with ``CatalogError``.

    Raises:
        NotFound: no catalog there yet.
        CatalogNewer: written by a later wheelfind.
        CatalogCorrupt: not a catalog, or damaged.
        CatalogError: written by an earlier one, or not readable.
    """
    path = locate(location)
    if not exists(path):
        raise NotFound("open the catalog", str(path), "there is none yet", "`wheelfind crawl` makes one")
    with translated(path, "read the catalog"):
        connection = sqlite3.connect(
            _read_uri(path), uri=True, timeout=BUSY_SECONDS, isolation_level=None, factory=Reader
        )
        connection.path = path
        try:
            _refuse_foreign(connection, path, writing=False)
        except BaseException:
            connection.close()
            raise
    return connection


def _read_uri(path: Path) -> str:
    uri = f"{path.resolve().as_uri()}?mode=ro"
    # A reader of a WAL file needs its -shm; where the folder cannot be written and no -wal waits, nothing can change.
    frozen = not os.access(path.parent, os.W_OK) and not Path(f"{path}-wal").exists()
    return f"{uri}&immutable=1" if frozen else uri


def _refuse_foreign(connection: sqlite3.Connection, path: Path, *, writing: bool) -> None:
    """Check the marks in the file's head."""
    revision = int(connection.execute("PRAGMA user_version").fetchone()[0])
    mark = int(connection.execute("PRAGMA application_id").fetchone()[0])
    if mark != APPLICATION_ID:
        empty = not mark and not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        if writing and empty:
            return
        if empty:
            raise NotFound("open the catalog", str(path), "there is none yet", "`wheelfind crawl` makes one")
        raise CatalogCorrupt(
            "open the catalog", str(path), "it is a database of something else", "name another file with --db"
        )
    if revision > REVISION:
        reason = f"it is from a newer wheelfind (schema {revision}, this one knows {REVISION})"
        raise CatalogNewer("open the catalog", str(path), reason, "upgrade wheelfind, or name another file with --db")
    if revision < REVISION and not writing:
        reason = f"it is from an older wheelfind (schema {revision}, this one needs {REVISION})"
        raise CatalogError("open the catalog", str(path), reason, "`wheelfind crawl` brings it up to date")


def utc_now() -> datetime:
    """The clock that is used where no other is given."""
    return datetime.now(UTC)


def open_catalog(location: str | Path, clock: Callable[[], datetime] = utc_now) -> Catalog:
    """Open a catalog for writing; make it, its folder (0700) and its schema where they are missing.

    Args:
        location: path, or ``sqlite:///PATH``.
        clock: UTC, aware; asked only where an observation carries no time.

    Returns:
        The writer, which the caller closes.

    Raises:
        CatalogNewer: written by a later wheelfind; the file is untouched.
        CatalogCorrupt: not a catalog, or damaged.
        CatalogReadOnly: the file or its folder cannot be written.
        CatalogLocked: another program held it for 30 s.
        DiskFull: no room for the schema.
    """
    path = locate(location)
    _refuse_newer(path)
    _make_private(path)
    with translated(path, "open the catalog"):
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
    from storage.write import Catalog  # noqa: PLC0415 - SQLAlchemy loads only where something is written

    return Catalog(connection, path, clock)


def _refuse_newer(path: Path) -> None:
    """Look before anything is opened for writing: a foreign file keeps every byte."""
    if exists(path):
        with translated(path, "open the catalog"), closing(sqlite3.connect(_read_uri(path), uri=True)) as connection:
            _refuse_foreign(connection, path, writing=True)


def _make_private(path: Path) -> None:
    """Make the folder and an empty file that only its owner may read (hazard D31)."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise disk_full(path, "make the catalog") from error
        reason = error.strerror or str(error)
        raise CatalogReadOnly("write the catalog", str(path), reason, "name another file with --db") from error


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA cache_size = -65536")
    if int(connection.execute("PRAGMA user_version").fetchone()[0]) < REVISION:
        from storage.migrate import migrate  # noqa: PLC0415 - Alembic loads only where a schema is made

        migrate(connection)
    _refuse_foreign(connection, path, writing=True)
