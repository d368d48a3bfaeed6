"""The log of a crawl: lines with facts, for people as text, for programs as one JSON object a line.

It knows levels, times and streams; it must not know what happens in a crawl.
"""

from __future__ import annotations

import json
import logging
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from wheelfind.console import Console
from wheels.errors import UsageError, WheelfindError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wheelfind.options import Common

_FORMATS = ("text", "json")


def check_log_format(name: str | None) -> None:
    """Refuse a value of ``--log-format`` that is none.

    Raises:
        UsageError: there is no such format.
    """
    if name is not None and name.lower() not in _FORMATS:
        raise UsageError("log as", ascii(name)[1:-1], "there is no such format", f"Formats: {', '.join(_FORMATS)}")


class LogLine(str):
    """A sentence for people that carries its facts for programs.

    Attributes:
        event: what happened, a word of ours: ``page-read``, ``channel-ended`` …
        level: ``info``, ``warning`` or ``error``.
        facts: by name; the channel among them.
    """

    __slots__ = ("event", "facts", "level")

    event: str
    level: str
    facts: dict[str, Any]

    def __new__(cls, text: str, event: str, level: str = "info", **facts: Any) -> Self:
        """Make one.

        Args:
            text: the sentence.
            event: what happened.
            level: how grave it is.
            facts: more of it.
        """
        line = super().__new__(cls, text)
        line.event, line.level, line.facts = event, level, facts
        return line


def utc_now() -> datetime:
    """The clock of log lines unless another is given."""
    return datetime.now(UTC)


class JsonConsole(Console):
    """A console whose notes are JSON lines on standard error.

    Each has ``at`` (UTC), ``level``, ``event``, ``channel`` (or null) and ``message``, then facts of its own.

    Args:
        quiet: lines of level ``info`` are left out.
        clock: UTC now.
    """

    def __init__(self, *, quiet: bool = False, clock: Callable[[], datetime] = utc_now) -> None:
        super().__init__(quiet=quiet)
        self._clock = clock

    def say(self, text: str) -> None:
        """One line of level ``info``, unless it says otherwise itself."""
        self._log(text, "info")

    def complain(self, text: str) -> None:
        """One line of level ``error``, unless it says otherwise itself."""
        self._log(text, "error")

    def detail(self, text: str) -> None:
        """One line more."""
        self._log(text, "info")

    def progress(self, text: str) -> None:
        """What is going on."""
        self._log(text, "info")

    def _log(self, text: str, level: str) -> None:
        line = text if isinstance(text, LogLine) else LogLine(text, "note", level)
        if self.quiet and line.level == "info":
            return
        at = self._clock().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        said = {"at": at, "level": line.level, "event": line.event, "channel": None, **line.facts, "message": str(line)}
        sys.stderr.write(json.dumps(said, default=str) + "\n")  # row D40: escaped, so one event is one line
        sys.stderr.flush()


class ConsoleHandler(logging.Handler):
    """Hands what libraries and rooms log to a console."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.WARNING)
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        """Say one record."""
        level = "error" if record.levelno >= logging.ERROR else "warning"
        self._console.complain(LogLine(record.getMessage(), "log", level, logger=record.name))


@contextmanager
def log_of(name: str | None, common: Common) -> Iterator[Console]:
    """The console of a crawl; in JSON, what other rooms log and the error that ends it are events too.

    Args:
        name: value of ``--log-format``.
        common: how much is said.

    Raises:
        SystemExit: the error that ended it was logged.
    """
    if name is None or name.lower() != "json":
        yield Console(quiet=common.quiet, verbose=bool(common.verbose))
        return
    console = JsonConsole(quiet=common.quiet)
    handler = ConsoleHandler(console)
    logging.getLogger().addHandler(handler)
    try:
        yield console
    except WheelfindError as error:
        console.complain(LogLine(str(error), "failed", "error", hint=error.hint or None))
        raise SystemExit(error.exit_status) from None
    finally:
        logging.getLogger().removeHandler(handler)
