"""The two streams: data to standard output, everything else to standard error.

It knows terminals, closed pipes and hostile text; it must not know what is being said.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar, TextIO

from wheels.errors import NotWritten, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO

_CLEAR_LINE = "\r\x1b[2K"


def visible(text: str) -> str:
    r"""Text from outside, fit for a terminal: what is no printable character is shown as ``\x1b``, ``\u202e``.

    Args:
        text: anything.
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in text)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape", "surrogatepass").decode("ascii")


class Console:
    """Where a command speaks.

    Args:
        quiet: notes and progress are left out; errors are not.
        verbose: details are said too.
    """

    _progress_shown: ClassVar[bool] = False
    """A line of progress stands on the terminal, which the next text takes the place of."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self.quiet = quiet
        self.verbose = verbose

    def put(self, text: str) -> None:
        """Data, to standard output; a reader that has gone away ends it quietly."""
        self._clear()
        _write(sys.stdout, text)

    def say(self, text: str) -> None:
        """One line for people, to standard error."""
        if not self.quiet:
            self.complain(text)

    def complain(self, text: str) -> None:
        """One line for people that ``--quiet`` keeps."""
        self._clear()
        _write(sys.stderr, f"{text}\n")

    def detail(self, text: str) -> None:
        """One line for people who asked for more."""
        if self.verbose:
            self.complain(text)

    def progress(self, text: str) -> None:
        """What is going on: one line that the next one takes the place of, on a terminal only."""
        if self.quiet:
            return
        if self.verbose:
            self.complain(visible(text))
        elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            line = visible(text)[: shutil.get_terminal_size().columns - 1]
            _write(sys.stderr, f"{_CLEAR_LINE}{line}")
            Console._progress_shown = True

    def _clear(self) -> None:
        if Console._progress_shown:
            Console._progress_shown = False
            _write(sys.stderr, _CLEAR_LINE)


def prepare_streams() -> None:
    """Make both streams take any text: what an encoding lacks is escaped; a closed one is no fault until it is used."""
    if sys.stdout is None:  # closed by the caller: writing fails as it does on a full disk
        sys.stdout = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115 - a device, for as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - as above
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def standard_input() -> BinaryIO:
    """Standard input, as bytes.

    Raises:
        UsageError: it is closed.
    """
    if sys.stdin is None:
        raise UsageError("read from", "standard input", "it is closed", "pipe text to it, or give it as an argument")
    return sys.stdin.buffer


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        give_up(stream)
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            reason = error.strerror or "it is closed"
            raise NotWritten("write to", "standard output", reason, "free some space, or send it elsewhere") from error


def give_up(stream: TextIO) -> None:
    """What is left in the buffer, and all that follows, has no reader: it goes nowhere.

    Args:
        stream: standard output or error.
    """
    with suppress(OSError), open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - a device
        os.dup2(nowhere.fileno(), stream.fileno())


def width_of(stream: TextIO, environ: Mapping[str, str]) -> int | None:
    """Columns of the terminal behind a stream; None when it is no terminal and ``COLUMNS`` is unset.

    Args:
        stream: standard output.
        environ: the process environment.
    """
    said = environ.get("COLUMNS", "")
    if said.isdecimal() and int(said) > 0:
        return int(said)
    return shutil.get_terminal_size().columns if stream.isatty() else None


def wants_colour(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether a stream may be coloured: a terminal, and no ``NO_COLOR`` (no-color.org).

    Args:
        stream: standard output or error.
        environ: the process environment.
    """
    return stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
