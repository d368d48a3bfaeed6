"""Does a reply ask us to wait, and how long?

It knows statuses, Retry-After and GitHub's limits (github-pages.md g); it must not wait or ask itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECONDARY = re.compile(rb"secondary rate limit|abuse detection mechanism", re.IGNORECASE)
_PRIMARY = re.compile(rb"api rate limit exceeded", re.IGNORECASE)
_LIMIT_TITLE = re.compile(rb"<title>\s*rate limit\b", re.IGNORECASE)
_FAR = timedelta(days=3650)  # what an absurd number of seconds means


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A reply that is no answer yet."""

    limited: bool
    """A rate limit; False: the server is in trouble (5xx)."""
    seconds: float | None
    """The wait that the service states or that its rules give; None: our own back-off."""
    reason: str


def read_pause(
    status: int, headers: Mapping[str, str], body: bytes, *, now: datetime, waited: int, secondary_seconds: float
) -> Pause | None:
    """Judge a reply.

    Args:
        status: HTTP status.
        headers: with lower-case names.
        body: decoded.
        now: UTC; used only where the reply has no ``Date``.
        waited: waits for this request so far.
        secondary_seconds: first wait at a secondary limit that states none.

    Returns:
        None when the reply is an answer; else what to wait for.
    """
    clock = http_date(headers.get("date")) or now
    stated = retry_after(headers.get("retry-after"), clock)
    reset = _primary_reset(headers, clock)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Pause(
            limited=status == HTTPStatus.SERVICE_UNAVAILABLE and stated is not None,
            seconds=stated,
            reason=f"it answered {status}",
        )
    start = body[:4096]
    asked = status in {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.FORBIDDEN}
    if _LIMIT_TITLE.search(start) or (asked and _SECONDARY.search(start)):
        wait = reset if stated is None else stated
        return Pause(
            limited=True,
            seconds=secondary_seconds * 2**waited if wait is None else wait,
            reason="its rate limit is reached",
        )
    if status == HTTPStatus.TOO_MANY_REQUESTS or (
        asked and (stated is not None or reset is not None or _PRIMARY.search(start))
    ):
        return Pause(
            limited=True,
            seconds=_wait(headers, stated, reset, secondary_seconds * 2**waited),
            reason="its rate limit is reached",
        )
    return None


def exhausted(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds until the host may be asked again when a good answer used up its quota; None when quota is left."""
    return _primary_reset(headers, http_date(headers.get("date")) or now)


def retry_after(text: str | None, clock: datetime) -> float | None:
    """Seconds of a ``Retry-After`` header (RFC 9110 §10.2.3); None when absent, negative, past or unreadable.

    Args:
        text: the header.
        clock: the server's own time, against which a date is meant.
    """
    text = (text or "").strip()
    if re.fullmatch(r"[0-9]+", text):
        seconds = min(float(text), _FAR.total_seconds())
    else:
        date = http_date(text)
        seconds = (date - clock).total_seconds() if date else 0.0
    return seconds if seconds > 0 else None


def http_date(text: str | None) -> datetime | None:
    """An HTTP date as UTC; None when it is none."""
    try:
        date = parsedate_to_datetime(text or "")
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)


def until_text(now: datetime, seconds: float) -> str:
    """The moment ``seconds`` from now, UTC, ISO 8601."""
    return (
        (now + min(timedelta(seconds=seconds), _FAR))
        .astimezone(UTC)
        .isoformat(timespec="seconds")
        .replace("+00:00", "Z")
    )


def _primary_reset(headers: Mapping[str, str], clock: datetime) -> float | None:
    reset = headers.get("x-ratelimit-reset", "").strip()
    if headers.get("x-ratelimit-remaining", "").strip() != "0" or not re.fullmatch(r"[0-9]{1,12}", reset):
        return None
    return max(float(reset) - clock.timestamp(), 0.0) + 1.0  # S08: the reset's own second is not over yet


def _wait(headers: Mapping[str, str], stated: float | None, reset: float | None, secondary: float) -> float | None:
    if stated is not None or reset is not None:
        return reset if stated is None else stated
    from_github = any(name.startswith(("x-github-", "x-ratelimit-", "gh-limited")) for name in headers)
    return secondary if from_github else None
