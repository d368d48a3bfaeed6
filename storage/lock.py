"""One crawl at a time: a lock beside the catalog that the operating system frees, whatever ends its holder.

It knows processes and one file; it must not know the catalog's contents.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from storage.open import exists, locate
from wheels.errors import CatalogBusy, CatalogReadOnly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_POLL_SECONDS = 0.5
_LOCK_AT = 1 << 30
"""Windows locks bytes against reading too: one far behind the holder's name leaves that readable."""

if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        os.lseek(handle, _LOCK_AT, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


@contextmanager
def crawl_lock(
    location: str | Path, *, wait: bool = False, clock: Callable[[], datetime] | None = None
) -> Iterator[None]:
    """Hold the right to crawl into a catalog.

    Args:
        location: the catalog's path or ``sqlite:///`` URL; its folder is made where it is missing.
        wait: wait for the holder to end, instead of refusing.
        clock: UTC, aware; None: the system's.

    Raises:
        CatalogBusy: another crawl holds it; names its process id and start.
        CatalogReadOnly: the lock's file cannot be made.
        CatalogError: the place cannot be a catalog.
    """
    catalog = locate(location)
    exists(catalog)  # a folder, a name too long: said before anything is made beside it
    path = catalog.with_name(f"{catalog.name}-crawl.lock")
    handle = _open(path)
    try:
        while not _try_lock(handle):
            if not wait:
                raise _busy(catalog, path)
            time.sleep(_POLL_SECONDS)
        now = clock() if clock else datetime.now(UTC)
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, f"{os.getpid()} {now:%Y-%m-%dT%H:%M:%SZ}\n".encode())
        yield
    finally:
        os.close(handle)  # frees the lock; the file stays, so that nobody locks a file that another has just removed


def _open(path: Path) -> int:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CatalogReadOnly("lock the catalog with", str(path), reason, "name another file with --db") from error


def _busy(catalog: Path, path: Path) -> CatalogBusy:
    pid, _, since = path.read_text(encoding="ascii", errors="replace").strip().partition(" ")
    holder = f"process {pid} has been crawling into it since {since}" if since else "another crawl has just begun"
    return CatalogBusy("crawl into", str(catalog), holder, "wait for it to end, or use --wait")
