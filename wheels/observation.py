"""What a crawl observes, and what the memory hands back to it.

The words between the outside world and the memory, which do not know each other: the walk yields observations, the
catalog keeps them, and gives a :class:`ChannelMemory` to the next walk.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from wheels.errors import WheelfindError
    from wheels.page import Page, Release


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """What makes the next request for a page conditional (RFC 9110 §13), and how its last body was read."""

    etag: str | None = None
    last_modified: str | None = None
    accept: str = ""
    """The ``Accept`` header that they were given for: validators are never shared between formats."""
    body_sha256: str | None = None
    parser_version: int = 0
    """``crawler.pages.PARSER_VERSION`` at the time; an older one means: fetch and parse anew."""
    read_at: datetime | None = None
    """When the body itself was last fetched (200); older than 7 days means: fetch unconditionally."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRelease:
    """A release (or index page) that the catalog holds."""

    tag: str
    page_url: str
    last_read_at: datetime | None
    """When its own page was last read (200 or 304); None when only its name is known."""
    next_check_at: datetime | None = None
    """Re-check not before; None means due."""
    complete: bool = False
    """Its last reading was whole (OK or EMPTY)."""
    wheels: int = 0
    """Live wheels."""
    published_at: str | None = None
    updated_at: str | None = None
    """As the feed or REST stated it when it was last read."""
    immutable: bool | None = None
    gone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelMemory:
    """All that a walk needs to know of earlier walks of one channel."""

    validators: Mapping[str, Validators] = field(default_factory=dict)
    """By requested URL."""
    releases: Mapping[str, KnownRelease] = field(default_factory=dict)
    """By tag."""
    repository: str | None = None
    repository_id: int | None = None
    last_complete_at: datetime | None = None
    list_complete: bool = False
    """The last release list that was read was whole: a run that was cut resumes otherwise."""


class Status(StrEnum):
    """How a channel's walk ended (contract, ``crawl``)."""

    OK = "ok"
    UNCHANGED = "unchanged"
    PARTIAL = "partial"
    FAILED = "failed"


class Cause(StrEnum):
    """Why a walk is partial or failed; the exit status depends on it."""

    DEPTH = "depth"
    """The service's documented depth (status 0)."""
    OPTION = "option"
    """The user asked for less (status 0)."""
    PAGES = "pages"
    """A PARTIAL, BROKEN or RETRY page (status 3)."""
    RATE_LIMIT = "rate-limit"
    """(status 3)"""
    CUT = "cut"
    """Interrupted (status 3)."""
    VANISH = "mass-vanish"
    """Half of the channel's files missing at once (status 3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRead:
    """A page was read and parsed: one transaction of the catalog."""

    channel: str
    tag: str | None
    """Release tag, or the page's directory below the channel's address (``cu130/sgl-kernel``); None: each file's own
    directory."""
    context: str
    """Text beside the file name in which labels may stand (tag, directory); empty when it says nothing by design."""
    requested_url: str
    page: Page
    validators: Validators
    fetched_at: datetime
    release: Release | None = None
    next_check_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageUnchanged:
    """A page was asked for and is as before (304, or the same body and parser): it writes ``last_seen`` only."""

    channel: str
    tag: str | None
    requested_url: str
    fetched_at: datetime
    not_modified: bool
    """True for a 304."""
    validators: Validators
    next_check_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseListRead:
    """Everything that the release list of a GitHub channel showed in this walk.

    A release that a complete list does not show counts as one complete reading without its files (rule R1).
    """

    channel: str
    releases: tuple[Release, ...]
    complete: bool
    fetched_at: datetime
    repository: str | None = None
    repository_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFailed:
    """A page gave nothing that may be stored; what was stored of it stays."""

    channel: str
    tag: str | None
    requested_url: str
    error: WheelfindError
    fetched_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkEnded:
    """The last observation of every walk."""

    channel: str
    status: Status
    cause: Cause | None = None
    detail: str = ""
    """One sentence: what is missing and when or how to get it."""
    requests: int = 0
    not_modified: int = 0
    releases: int = 0
    """Releases or index pages looked at."""
    not_before: str | None = None
    """UTC, ISO 8601: do not come back earlier (rate limit)."""
    ended_at: datetime | None = None


Observation = PageRead | PageUnchanged | ReleaseListRead | PageFailed | WalkEnded
