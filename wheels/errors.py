"""Every error that wheelfind raises: one tree, drawn here.

It knows sentences and exit statuses; it must not know who raises them. Each class keeps its facts as attributes, passes
all of them to ``Exception.__init__`` (so that it pickles), and builds its sentence in ``__str__``.

    WheelfindError
    ├── UsageError                 2  the request itself is wrong
    │   └── NotAllowed                a statement that the read-only catalog refuses
    ├── ChannelError               3  the outside world
    │   ├── FetchError                no usable reply
    │   │   ├── Unreachable           no connection
    │   │   ├── TruncatedResponse     the reply ended too early
    │   │   ├── ProtocolError         the reply breaks HTTP
    │   │   ├── TooLarge              a byte budget is spent
    │   │   ├── TooSlow               a deadline is past
    │   │   ├── BadRedirect           a loop, a long chain, another scheme
    │   │   ├── UnsafeAddress         a public page led to a private address
    │   │   ├── RangeError            part of a file was asked for, something else came
    │   │   ├── HttpStatus            a status that is no page
    │   │   ├── RateLimited           come back at a stated time
    │   │   └── NotRecorded           replay has no such exchange
    │   ├── WrongFile                 a file that is not the one that was promised
    │   └── PageError                 a reply that is not the page it should be
    │       ├── NotAnIndex            wrong media type or shape
    │       ├── UnsupportedApiVersion a simple index of a later major version
    │       ├── BrokenPage            promised format, unreadable body
    │       └── HostChanged           the whole page moved to a host that the channel does not name
    ├── CatalogError               4  the memory
    │   ├── CatalogNewer              written by a later wheelfind
    │   ├── CatalogCorrupt            not a catalog, or damaged
    │   ├── CatalogReadOnly
    │   ├── CatalogLocked
    │   └── DiskFull
    ├── CatalogBusy                5  another crawl holds it
    ├── NotFound                   1  nothing by that name
    ├── NotWritten                 1  the answer had nowhere to go
    └── QueryStopped               1  a query that ran out of time or memory
"""

from __future__ import annotations

from typing import ClassVar


class WheelfindError(Exception):
    """Base of all errors here.

    Args:
        tried: what was being done, as a phrase that completes "could not …" ("read the release list").
        subject: on what (a URL without secrets, a file, a word of the user's).
        reason: what went wrong, as a phrase.
        hint: what to do next, as a sentence of its own; may be empty.
    """

    exit_status: ClassVar[int] = 1

    def __init__(self, tried: str, subject: str, reason: str, hint: str = "") -> None:
        super().__init__(tried, subject, reason, hint)
        self.tried = tried
        self.subject = subject
        self.reason = reason
        self.hint = hint

    def __str__(self) -> str:
        return f"could not {self.tried} {self.subject}: {self.reason}".replace("\n", " ")


class UsageError(WheelfindError):
    """The request itself is wrong (exit status 2)."""

    exit_status = 2


class NotAllowed(UsageError):
    """A statement that the read-only catalog refuses."""


class ChannelError(WheelfindError):
    """The outside world did not give what was asked (exit status 3)."""

    exit_status = 3


class FetchError(ChannelError):
    """No usable reply."""


class Unreachable(FetchError):
    """No connection could be made, or it broke before a reply."""


class TruncatedResponse(FetchError):
    """The reply ended before its own stated end."""


class ProtocolError(FetchError):
    """The reply breaks HTTP."""


class TooLarge(FetchError):
    """A byte budget is spent."""


class TooSlow(FetchError):
    """A deadline is past."""


class BadRedirect(FetchError):
    """A loop, a long chain, or a redirect to another kind of address."""


class UnsafeAddress(FetchError):
    """A page at a public address led to a private one."""


class RangeError(FetchError):
    """Part of a file was asked for, and something else came: the whole, another part, a packed one."""


class HttpStatus(FetchError):
    """A status that is no page.

    Args:
        status: the HTTP status code.
    """

    def __init__(self, tried: str, subject: str, reason: str, hint: str = "", status: int = 0) -> None:
        super().__init__(tried, subject, reason, hint)
        self.args = (tried, subject, reason, hint, status)
        self.status = status


class RateLimited(FetchError):
    """The service asks to come back later.

    Args:
        until: UTC time in ISO 8601 at which the host may be asked again.
    """

    def __init__(self, tried: str, subject: str, reason: str, hint: str = "", until: str = "") -> None:
        super().__init__(tried, subject, reason, hint)
        self.args = (tried, subject, reason, hint, until)
        self.until = until


class NotRecorded(FetchError):
    """Replay holds no exchange for this request."""


class WrongFile(ChannelError):
    """A file that is not the one that was promised: another hash or size, or no wheel at all."""


class PageError(ChannelError):
    """A reply that is not the page it should be."""


class NotAnIndex(PageError):
    """Wrong media type or shape."""


class UnsupportedApiVersion(PageError):
    """A simple index of a later major version (PEP 629)."""


class BrokenPage(PageError):
    """The promised format, but unreadable."""


class HostChanged(PageError):
    """The whole page moved to a host that its channel does not name."""


class CatalogError(WheelfindError):
    """The catalog cannot be used (exit status 4)."""

    exit_status = 4


class CatalogNewer(CatalogError):
    """Written by a later wheelfind."""


class CatalogCorrupt(CatalogError):
    """Not a catalog, or damaged."""


class CatalogReadOnly(CatalogError):
    """The file or its folder cannot be written."""


class CatalogLocked(CatalogError):
    """Another program held the catalog for too long."""


class DiskFull(CatalogError):
    """No room for the next page; what was stored stays."""


class CatalogBusy(WheelfindError):
    """Another crawl holds this catalog (exit status 5)."""

    exit_status = 5


class NotFound(WheelfindError):
    """Nothing by that name."""


class NotWritten(WheelfindError):
    """The answer had nowhere to go: a full disk, a closed output."""


class QueryStopped(WheelfindError):
    """A query that ran out of time or memory."""
