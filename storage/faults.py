"""SQLite's own errors, translated into ours in one place.

It knows what each result code means for a user; it must not know which statement failed.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from wheels.errors import CatalogCorrupt, CatalogError, CatalogLocked, CatalogReadOnly, DiskFull

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TOO_FEW_BYTES = 1 << 20
"""With less room, an I/O error is taken for a full disk."""
_NO_TEXT = re.compile("[\ud800-\udfff]")
_CHECK = "check it with `wheelfind db check`, or move the file away and crawl anew"


@contextmanager
def translated(path: Path, tried: str) -> Iterator[None]:
    """Raise what SQLite says about a catalog as one of our errors, the cause kept.

    Args:
        path: the catalog's file.
        tried: what is being done, as a phrase that completes "could not …".

    Raises:
        CatalogLocked: another program holds it.
        CatalogReadOnly: the file or its folder cannot be written, or not be opened.
        CatalogCorrupt: the file is damaged, or no database.
        DiskFull: no room.
        CatalogError: anything else that SQLite refuses.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise _translate(path, tried, error) from error
    except UnicodeDecodeError as error:  # SQLite quotes what it cannot read of a damaged schema
        raise CatalogCorrupt(tried, str(path), "its text is no UTF-8", _CHECK) from error


class Reader(sqlite3.Connection):
    """A connection whose statements fail with our errors; ``path`` names the catalog in them."""

    path: Path

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Run one statement.

        Raises:
            CatalogError: what SQLite says.
        """
        with translated(self.path, "read the catalog"):
            try:
                return super().execute(sql, parameters)
            except UnicodeEncodeError:  # words of a command line need be no text: asked for as it would be stored
                return super().execute(sql, _as_stored(parameters))


def _as_stored(parameters: Any) -> Any:
    """Parameters with U+FFFD for what is no text (rule R6)."""
    if isinstance(parameters, Mapping):
        return {name: _sound(value) for name, value in parameters.items()}
    return [_sound(value) for value in parameters]


def _sound(value: Any) -> Any:
    return _NO_TEXT.sub("\ufffd", value) if isinstance(value, str) else value


def _translate(path: Path, tried: str, error: sqlite3.Error) -> CatalogError:
    name = getattr(error, "sqlite_errorname", "")
    said = str(error)
    if name.startswith("SQLITE_FULL") or (name.startswith("SQLITE_IOERR") and _free_bytes(path) < _TOO_FEW_BYTES):
        return disk_full(path, tried)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return CatalogLocked(tried, str(path), "another program holds it", "end that program or wait, then try again")
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return CatalogReadOnly(
            tried, str(path), said, "give write access to the file and its folder, or name another with --db"
        )
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_FORMAT")):
        return CatalogCorrupt(tried, str(path), said, _CHECK)
    return CatalogError(tried, str(path), said, _CHECK)


def disk_full(path: Path, tried: str) -> DiskFull:
    """The error for a full disk, with the bytes that are left."""
    reason = f"the disk is full ({_free_bytes(path)} bytes are free)"
    return DiskFull(tried, str(path), reason, "free some space; whole pages that were stored are kept")


def _free_bytes(path: Path) -> int:
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return _TOO_FEW_BYTES
