"""A file on its way: `NAME.part`, what is remembered beside it, and the moment in which it takes its name.

It knows which bytes may be kept for a later run; it must not know where they come from.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Self

from wheels.errors import DiskFull, UsageError, WheelfindError, WrongFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import TracebackType

    from crawler.stream import Span

_BEGINNING = b"PK"
"""A wheel is a zip archive."""


class PartFile:
    """Takes a file as it arrives; a context manager. What came stays for the next run unless it is discarded.

    Args:
        target: the finished file.
        size: bytes that the file must have; None when it is not known.
        progress: is told how many bytes are there.
    """

    def __init__(self, target: Path, *, size: int | None, progress: Callable[[int], None]) -> None:
        self.path = target.with_name(f"{target.name}.part")
        self.length = 0
        self.resumed_from = 0
        """Bytes that an earlier run brought and this one kept."""
        self.came = 0
        """Bytes that this run brought."""
        self._target = target
        self._memory = target.with_name(f"{target.name}.part.json")
        self._size = size
        self._progress = progress
        self._source = ""
        self._beginning = b""

    def __enter__(self) -> Self:
        with _faults_told(self.path):
            self._file = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=0)
        if not _try_lock(self._file.fileno()):
            self._file.close()
            raise WheelfindError("write", str(self.path), "another program is writing it", "Wait for it to end.")
        self.length = self._file.seek(0, os.SEEK_END)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _faults_told(self.path):
            self._file.close()
        if self.length == 0:
            self._forget()

    def resume(self, url: str) -> tuple[int, str | None]:
        """Where to go on, and the validator under which that is right; (0, None) to begin anew.

        Args:
            url: of the file, without secrets that change from day to day.
        """
        self._source = hashlib.sha256(url.encode()).hexdigest()  # the address may hold a token: it is not kept
        known = self._remembered()
        sound = known.get("source") == self._source and isinstance(known.get("etag"), str)
        if not sound or self.length < len(_BEGINNING) or (self._size is not None and self.length > self._size):
            return 0, None
        return self.length, known["etag"]

    @property
    def complete(self) -> bool:
        """Whether as many bytes are there as the file must have."""
        return self._size is not None and self.length == self._size

    def begin(self, span: Span) -> None:
        """A reply begins: what lies behind its start is dropped.

        Raises:
            WrongFile: its size is not the promised one.
        """
        if None not in (span.total, self._size) and span.total != self._size:
            raise WrongFile("take", self._target.name, f"it has {span.total} bytes where {self._size} were promised")
        with _faults_told(self.path):
            self._file.truncate(span.start)
            self.length = self._file.seek(span.start)
            self._remember({"source": self._source, "etag": span.etag} if span.etag else {})
        self.resumed_from, self.came, self._beginning = span.start, 0, b""

    def take(self, data: bytes) -> None:
        """The next bytes.

        Raises:
            WrongFile: it does not begin as a wheel does (an error page with status 200).
            DiskFull: there is no room.
        """
        if self.length < len(_BEGINNING):
            self._beginning += data[: len(_BEGINNING)]
            if not (self._beginning.startswith(_BEGINNING) or _BEGINNING.startswith(self._beginning)):
                raise WrongFile("take", self._target.name, "what came is no wheel (an error page, perhaps)")
        left = memoryview(data)
        with _faults_told(self.path):
            while left:
                written = self._file.write(left) or 0
                self.length += written
                self.came += written
                left = left[written:]
        self._progress(self.length)

    def digest(self) -> str:
        """The sha256 of what is there."""
        with _faults_told(self.path):
            self._file.seek(0)
            found = hashlib.file_digest(self._file, "sha256").hexdigest()
            self._file.seek(0, os.SEEK_END)
        return found

    def discard(self) -> None:
        """Drop what came."""
        with _faults_told(self.path):
            self._file.truncate(0)
            self._file.seek(0)
        self.length = self.resumed_from = self.came = 0
        self._memory.unlink(missing_ok=True)

    def finish(self) -> None:
        """Give the file its name, in one step."""
        with _faults_told(self._target):
            os.fsync(self._file.fileno())
            if sys.platform == "win32":
                self._file.close()
            self.path.replace(self._target)
            self._memory.unlink(missing_ok=True)

    def _remembered(self) -> dict[str, Any]:
        try:
            known = json.loads(self._memory.read_bytes())
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}

    def _remember(self, known: dict[str, Any]) -> None:
        if known:
            self._memory.write_text(json.dumps(known), encoding="ascii")
        else:
            self._memory.unlink(missing_ok=True)

    def _forget(self) -> None:
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
            self._memory.unlink(missing_ok=True)


if sys.platform == "win32":

    def _try_lock(_handle: int) -> bool:
        return True  # Windows refuses to rename a file that another program holds open

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


@contextmanager
def _faults_told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
            raise DiskFull("write", str(path), reason, "Make room and run it again: it goes on there.") from None
        raise UsageError("write", str(path), reason, "Choose another place with --output.") from None
