"""Spans and points of time as people write them: `6h`, `7d`, `2026-02-27`.

It knows ISO 8601 and a few units; it must not know what time it is.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from wheels.errors import UsageError

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def read_duration(option: str, text: str) -> float:
    """Seconds of a span: ``90``, ``30m``, ``6h``, ``1d12h``.

    Args:
        option: whose value it is, for the error.
        text: a number of seconds, or numbers with units s, m, h, d, w.

    Raises:
        UsageError: it is none, or not positive.
    """
    word = re.sub(r"\s+", "", text.lower())
    if re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", word):
        seconds = float(word)
    elif re.fullmatch(r"(?:[0-9]+(?:\.[0-9]+)?[smhdw])+", word):
        seconds = sum(float(number) * _UNITS[unit] for number, unit in re.findall(r"([0-9.]+)([smhdw])", word))
    else:
        seconds = 0.0
    if seconds <= 0:
        raise UsageError(f"read {option}", ascii(text)[1:-1], "it is no span of time", "Like: 30m, 6h or 7d")
    return seconds


def read_since(text: str, now: datetime) -> str:
    """A point of time in UTC, ISO 8601: ``2026-02-27T00:00:00Z`` from a date, a time, or a span back from now.

    Args:
        text: ``2026-02-27``, ``2026-02-27T10:00+01:00``, ``7d``.
        now: aware.

    Raises:
        UsageError: it is none of them.
    """
    word = text.strip()
    try:
        moment = datetime.fromisoformat(word)
    except ValueError:
        moment = _back_from(now, word)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _back_from(now: datetime, word: str) -> datetime:
    try:
        return now - timedelta(seconds=read_duration("--since", word))
    except (UsageError, OverflowError):
        reason = "it is neither a date nor a span of time"
        raise UsageError("read --since", ascii(word)[1:-1], reason, "Like: 2026-02-27 or 7d") from None


def read_count(option: str, text: str) -> int:
    """A whole number of at least one.

    Args:
        option: whose value it is, for the error.
        text: as written.

    Raises:
        UsageError: it is none.
    """
    if text.strip().isdecimal() and 0 < int(text) < 2**31:
        return int(text)
    raise UsageError(f"read {option}", ascii(text)[1:-1], "it is no number of at least 1", f"Like: {option} 20")


def ago(moment: str | None, now: datetime) -> str:
    """How long ago a point of time was, in words: ``3 hours ago``; ``never`` for None.

    Args:
        moment: UTC, ISO 8601.
        now: aware.
    """
    if moment is None:
        return "never"
    try:
        seconds = (now - datetime.fromisoformat(moment).astimezone(UTC)).total_seconds()
    except ValueError:
        return "at an unknown time"
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        count = int(seconds // size)
        if count >= 1:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"
