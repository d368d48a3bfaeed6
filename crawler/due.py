"""When a release is worth reading again.

It knows ages, intervals and tags that move; it must not know how a release is read. The clock is an argument.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from crawler.pages import PARSER_VERSION

if TYPE_CHECKING:
    from wheels.observation import KnownRelease, Validators
    from wheels.page import Asset

SHORTEST = timedelta(hours=1)
LONGEST = timedelta(days=30)
_SHARE_OF_AGE = 10
"""A release is looked at again after a tenth of its age: files come and go while it is young."""
_RECENT = timedelta(days=2)
"""So long a dated nightly may still be filled: it is read in every walk (github-pages f9)."""
_UNKNOWN_AGE = timedelta(days=10)
_NIGHTLY = re.compile(r"night|dev|snapshot|canary|weekly|daily", re.IGNORECASE)
_VERSIONED = re.compile(r"\d+\.\d+|\d{6}|\d{4}-\d{2}-\d{2}|\bv\d|\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b", re.IGNORECASE)


def is_moving(tag: str) -> bool:
    """Whether a tag names no version, day or commit, so that its files are replaced in place (github-pages l1)."""
    return _VERSIONED.search(tag) is None


def is_due(known: KnownRelease | None, validators: Validators | None, *, now: datetime, full: bool) -> bool:
    """Whether a release is to be read in this walk.

    Args:
        known: what the catalog holds of it; None: nothing.
        validators: of its page's last reading; None when unknown.
        now: UTC.
        full: everything is asked for.
    """
    if full or known is None or known.last_read_at is None or not known.complete or known.gone:
        return True
    if validators is not None and validators.parser_version < PARSER_VERSION:
        return True  # a newer parser reads anew
    if known.immutable:
        return False  # k3: nothing changes there but its end, which the list shows
    return known.next_check_at is None or known.next_check_at <= now


def next_check(tag: str, published_at: str | None, assets: tuple[Asset, ...], now: datetime) -> datetime:
    """When to look at a release again, after it was read.

    Args:
        tag: its tag.
        published_at: UTC, ISO 8601; None when unknown.
        assets: its files; the newest upload tells more than the date of a tag that moves.
        now: UTC, when it was read.
    """
    if is_moving(tag):
        return now
    born = max((moment for text in _moments(published_at, assets) if (moment := _moment(text))), default=None)
    age = _UNKNOWN_AGE if born is None else max(now - born, timedelta())
    if age < _RECENT and _NIGHTLY.search(tag):
        return now
    return now + min(max(age / _SHARE_OF_AGE, SHORTEST), LONGEST)


def _moments(published_at: str | None, assets: tuple[Asset, ...]) -> list[str]:
    times = [asset.uploaded_at for asset in assets if asset.uploaded_at]
    return [*filter(None, [published_at]), *([max(times)] if times else [])]


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None
