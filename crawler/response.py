"""What a fetch may cost, what it may reach, and what it brings back.

It knows the shapes of a reply, its budgets and its permissions; it must not know how bytes travel.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from http import HTTPStatus
from typing import TYPE_CHECKING

from crawler.urls import redact_url

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from wheels.page import PageProblem

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Budgets of one request (rule R3); spending one is ``TooLarge`` or ``TooSlow``."""

    wire_bytes: int = 64 * _MIB
    """Bytes of body as they arrive, still compressed."""
    decoded_bytes: int = 64 * _MIB
    """Bytes of body after decompression."""
    ratio: int = 100
    """Decoded bytes per wire byte; judged once ``ratio_from_bytes`` are decoded."""
    ratio_from_bytes: int = _MIB
    seconds: float = 120.0
    """From the first byte sent to the last byte read, of one try."""
    floor_after_seconds: float = 30.0
    """The head must be whole by then, and the body must come faster than ``floor_bytes_per_second`` from then on."""
    floor_bytes_per_second: int = 1024
    stall_seconds: float = 30.0
    """Longest silence."""
    redirects: int = 5
    """Hops."""


PAGE = Limits()
"""The budgets of a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What one request may reach."""

    allow_private: bool = False
    """The address was named by the user: it may be private or ``file:``, and ``.netrc`` may hold its password."""
    hosts: frozenset[str] = frozenset()
    """Hosts (or patterns, ``*.example.org``) at which the final page may lie; empty: any. Behind a proxy, which
    resolves names out of our sight, the only hosts that are asked at all."""

    def names(self, host: str) -> bool:
        """Whether the list of hosts allows ``host``; an empty list allows all."""
        return not self.hosts or any(fnmatchcase(host.lower(), pattern.lower()) for pattern in self.hosts)

    def beyond(self, page: Response) -> Access:
        """The access for links found on ``page``: a page at a public address never leads to private ones."""
        return self.after(private=page.private)

    def after(self, *, private: bool) -> Access:
        """The access for what a page leads to; ``private``: the page lies at an address that is not public."""
        return replace(self, allow_private=self.allow_private and private)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Response:
    """A final reply: its redirects followed, its body whole and decoded."""

    requested_url: str
    """As asked for, without userinfo and fragment."""
    url: str
    """Of the page itself, after redirects; relative links start here. Without userinfo and fragment."""
    status: int
    media_type: str
    """Lower case, without parameters; empty when not stated."""
    charset: str | None = None
    body: bytes = b""
    """Empty for a 304."""
    whole: bool = True
    """False: the body ended before its proven end (only when asked for): what it shows may be added, nothing ended."""
    etag: str | None = None
    last_modified: str | None = None
    link: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """Lower-case names, harmless ones only (see ``wire.KEPT_HEADERS``)."""
    fetched_at: datetime
    """UTC; in replay the recorded time."""
    server_date: datetime | None = None
    """The ``Date`` header, UTC."""
    redirects: tuple[str, ...] = ()
    """URLs passed through, the requested one first, the final one not included."""
    private: bool = False
    """The page came from an address that is not public (or from a file)."""
    problems: tuple[PageProblem, ...] = ()
    """What was odd on the way (``userinfo-in-redirect``)."""

    def __repr__(self) -> str:
        """What may be printed: addresses without secrets, the body by its size."""
        return f"Response({self.status}, {redact_url(self.url)!r}, {self.media_type!r}, {len(self.body)} bytes)"

    @property
    def not_modified(self) -> bool:
        """Whether the page is as the validators say."""
        return self.status == HTTPStatus.NOT_MODIFIED
