"""One walk of one channel under way: how it asks, what it has seen, and how it ends.

It knows validators, permissions, counts and causes; it must not know what any kind of page means.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawler.pages import PARSER_VERSION
from crawler.response import Access
from crawler.settings import GITHUB_API_URL, GITHUB_URL
from crawler.urls import redact_url, without_userinfo
from wheels.errors import (
    BrokenPage,
    ChannelError,
    FetchError,
    NotAnIndex,
    NotRecorded,
    RateLimited,
    Unreachable,
    UnsupportedApiVersion,
)
from wheels.observation import Cause, ChannelMemory, PageFailed, PageRead, PageUnchanged, Status, Validators, WalkEnded
from wheels.page import Page, Shape

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Protocol

    from crawler.channels import Channel
    from crawler.response import Response
    from crawler.settings import HttpSettings
    from wheels.page import Release

    class Fetcher(Protocol):
        """The client as one channel sees it."""

        @property
        def requests(self) -> int:
            """Requests sent."""

        @property
        def not_modified(self) -> int:
            """Answered with 304."""

        async def fetch(
            self,
            url: str,
            *,
            accept: str = "",
            validators: Validators | None = None,
            access: Access | None = None,
            partial_ok: bool = False,
            ahead: bool = False,
        ) -> Response:
            """Fetch a page."""

    class Client(Protocol):
        """What a walk needs of the HTTP client."""

        @property
        def settings(self) -> HttpSettings:
            """Where GitHub lies, and the token."""

        @property
        def clock(self) -> Callable[[], datetime]:
            """UTC now."""

        def for_channel(self, name: str, access: Access | None = None) -> Fetcher:
            """The client as a channel sees it."""


MOST_FAILURES = 5
"""So many pages in a row without a reply end a walk: the service is in trouble."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkOptions:
    """What a walk is to read."""

    packages: frozenset[str] | None = None
    """Normalised names; None: all that the channel is known for. GitHub releases are always read whole."""
    full: bool = False
    """Everything again, whatever was read before."""
    max_releases: int | None = None
    """Only so many of the newest releases."""
    since: datetime | None = None
    """Only releases published since; UTC."""
    jobs: int | None = None
    """Pages asked for at once by this walk; None: 4. The client keeps its own pace a host."""
    refetch_seconds: float = 5.0
    """Pause before a release that seems to be filled just now is read again."""


class Trip:
    """One walk.

    Args:
        channel: what is walked.
        client: asks.
        memory: of earlier walks.
        options: what to read.
    """

    def __init__(self, channel: Channel, client: Client, memory: ChannelMemory, options: WalkOptions) -> None:
        self.channel = channel
        self.client = client
        self.memory = memory
        self.options = options
        self.access = _access(channel, client.settings)
        self.fetcher = client.for_channel(channel.name, self.access)
        self._doubted = {page.page_url for page in memory.releases.values() if not page.complete}
        self.used = 0
        """Pages that gave something."""
        self.pages = 0
        """Releases or index pages looked at."""
        self.done: set[str] = set()
        """Tags of the releases that were read, for the other face of GitHub to leave out."""
        self.detail = ""
        self._changed = 0
        self._same = 0
        self._trouble: Cause | None = None
        self._limit: Cause | None = None
        self._fatal = False
        self._not_before: str | None = None
        self._in_a_row = 0
        self._last_at: datetime | None = None

    def now(self) -> datetime:
        """UTC."""
        return self.client.clock()

    # ------------------------------------------------------------------ asking

    def forget(self) -> None:
        """Begin without a past: it was another repository's (sequence S06)."""
        self.memory = ChannelMemory()
        self._doubted = set()

    def known(self, url: str) -> Validators | None:
        """What the last reading of a page left; None when there was none, or when it was not whole."""
        shown = redact_url(without_userinfo(url))
        return None if shown in self._doubted else self.memory.validators.get(shown)

    def at_home(self, url: str) -> str:
        """The address on the server that stands for GitHub, where a page names GitHub's own."""
        settings = self.client.settings
        for own, usual in ((settings.github_api_url, GITHUB_API_URL), (settings.github_url, GITHUB_URL)):
            if url.startswith(f"{usual}/"):
                return own + url.removeprefix(usual)
        return url

    async def ask(
        self,
        url: str,
        *,
        accept: str = "",
        conditional: bool = True,
        found_on: Response | None = None,
        ahead: bool = False,
    ) -> Response:
        """Fetch a page.

        Args:
            url: absolute.
            accept: the ``Accept`` header.
            conditional: send the validators of the last reading, if this parser made it.
            found_on: the page that led there: one at a public address leads to public ones only.
            ahead: before what else waits for the host: others wait for what this page lists.

        Raises:
            ChannelError: no usable reply.
        """
        known = self.known(url) if conditional else None
        current = known if known is not None and known.parser_version == PARSER_VERSION else None
        access = self.access if found_on is None else self.access.beyond(found_on)
        response = await self.fetcher.fetch(
            url, accept=accept, validators=current, access=access, partial_ok=True, ahead=ahead
        )
        self._in_a_row = 0
        self._last_at = max(self._last_at or response.fetched_at, response.fetched_at)
        return response

    def is_same(self, response: Response, *, accept: str = "") -> bool:
        """Whether a reply is what was read last time by the same parser: 304, or the same bytes."""
        if response.not_modified:
            return True
        known = self.known(response.requested_url)
        if known is None or not response.whole or response.status != 200:  # noqa: PLR2004 - HTTP's own number
            return False
        read_alike = known.accept == accept and known.parser_version == PARSER_VERSION
        return read_alike and known.body_sha256 == sha256(response.body).hexdigest()

    def validators(self, response: Response, *, accept: str = "") -> Validators:
        """What makes the next request for this page conditional."""
        known = self.known(response.requested_url)
        if response.not_modified and known is not None:
            return replace(
                known,
                etag=response.etag or known.etag,
                last_modified=response.last_modified or known.last_modified,
            )
        return Validators(
            etag=response.etag,
            last_modified=response.last_modified,
            accept=accept,
            body_sha256=sha256(response.body).hexdigest(),
            parser_version=PARSER_VERSION,
            read_at=response.fetched_at,
        )

    # ------------------------------------------------------------------ what was seen

    def read(
        self,
        page: Page,
        response: Response,
        *,
        tag: str | None,
        context: str = "",
        accept: str = "",
        release: Release | None = None,
        next_check_at: datetime | None = None,
    ) -> PageRead:
        """A page was read; a verdict that is not whole is trouble."""
        self.count(settled(page, response))
        return self.told(
            page,
            response,
            tag=tag,
            context=context,
            accept=accept,
            release=release,
            next_check_at=next_check_at,
        )

    def told(
        self,
        page: Page,
        response: Response,
        *,
        tag: str | None,
        context: str = "",
        accept: str = "",
        release: Release | None = None,
        next_check_at: datetime | None = None,
    ) -> PageRead:
        """A page was read; it counts for nothing."""
        return PageRead(
            channel=self.channel.name,
            tag=tag,
            context=context,
            requested_url=response.requested_url,
            page=settled(page, response),
            validators=self.validators(response, accept=accept),
            fetched_at=response.fetched_at,
            release=release,
            next_check_at=next_check_at,
        )

    def count(self, page: Page) -> None:
        """Note what a page was good for."""
        if page.shape.complete or page.shape is Shape.GONE or _holds_something(page):
            self.used += 1
            self._changed += 1
        if page.shape in {Shape.PARTIAL, Shape.BROKEN, Shape.RETRY}:
            self.trouble(Cause.PAGES, str(page_error(page)))

    def unchanged(
        self, response: Response, *, tag: str | None, accept: str = "", next_check_at: datetime | None = None
    ) -> PageUnchanged:
        """A page is as it was."""
        self.used += 1
        self._same += 1
        return PageUnchanged(
            channel=self.channel.name,
            tag=tag,
            requested_url=response.requested_url,
            fetched_at=response.fetched_at,
            not_modified=response.not_modified,
            validators=self.validators(response, accept=accept),
            next_check_at=next_check_at,
        )

    def failed(self, url: str, tag: str | None, error: ChannelError) -> PageFailed:
        """A page gave nothing.

        Raises:
            ChannelError: the error itself, when going on would not help: the host is parked or unreachable, the budget
                spent, nothing recorded, or too many pages failed in a row.
        """
        self._in_a_row += 1
        if stops(error) or self._in_a_row >= MOST_FAILURES:
            raise error
        self.trouble(Cause.PAGES, str(error))
        shown = redact_url(without_userinfo(url))
        return PageFailed(channel=self.channel.name, tag=tag, requested_url=shown, error=error, fetched_at=self.now())

    # ------------------------------------------------------------------ how it ends

    def trouble(self, cause: Cause, detail: str) -> None:
        """Something is missing against our will; the first sentence is kept."""
        if self._trouble is None:
            self._trouble, self.detail = cause, detail

    def limited(self, cause: Cause, detail: str) -> None:
        """Something is missing by the service's depth or by an option."""
        if self._limit is None or cause is Cause.DEPTH:
            self._limit = cause
            if self._trouble is None:
                self.detail = detail

    def stopped(self, error: ChannelError) -> None:
        """The walk could not go on."""
        if isinstance(error, RateLimited):
            self._trouble, self.detail, self._not_before = Cause.RATE_LIMIT, str(error), error.until or None
            return
        self._fatal = isinstance(error, NotRecorded)
        self._trouble, self.detail = (
            self._trouble or Cause.PAGES,
            str(error) if self._fatal else self.detail or str(error),
        )

    def end(self) -> WalkEnded:
        """The last observation."""
        status, cause = self._status()
        return WalkEnded(
            channel=self.channel.name,
            status=status,
            cause=cause,
            detail=self.detail,
            requests=self.fetcher.requests,
            not_modified=self.fetcher.not_modified,
            releases=self.pages,
            not_before=self._not_before,
            ended_at=self._last_at or self.now(),  # in replay, the recorded time
        )

    def _status(self) -> tuple[Status, Cause | None]:
        if self._trouble is not None:
            return (Status.FAILED if self._fatal or not self.used else Status.PARTIAL), self._trouble
        if self._limit is not None:
            return Status.PARTIAL, self._limit
        return (Status.UNCHANGED if self._same and not self._changed else Status.OK), None

    @property
    def untroubled(self) -> bool:
        """Whether everything asked for was read so far."""
        return self._trouble is None and self._limit is None


def stops(error: ChannelError) -> bool:
    """Whether asking on would not help."""
    return isinstance(error, RateLimited | Unreachable | NotRecorded) or type(error) is FetchError


def _holds_something(page: Page) -> bool:
    """Whether a page that is not whole gave anything that can be kept."""
    return page.shape.usable and bool(page.assets or page.links or page.releases)


def settled(page: Page, response: Response) -> Page:
    """The page with what its reply adds: a body that was cut proves no absence, and what was odd on the way."""
    odd = tuple(problem for problem in response.problems if problem not in page.problems)
    if odd:
        page = replace(page, problems=(*odd, *page.problems))
    if response.whole or not page.shape.complete:
        return page
    return replace(page, shape=Shape.PARTIAL, reason="the reply ended before its proven end")


def page_error(page: Page) -> ChannelError:
    """The error that a page's verdict is."""
    where, reason = redact_url(page.url), page.reason or f"its shape is {page.shape}"
    if "unsupported api-version" in reason:
        return UnsupportedApiVersion("read", where, reason, "Look for a newer wheelfind.")
    if page.kind in {"simple", "simple-root", "links"} and page.shape is Shape.BROKEN:
        return NotAnIndex("read", where, reason, "Check the address.")
    return BrokenPage("read", where, reason)


def _access(channel: Channel, settings: HttpSettings) -> Access:
    if channel.kind != "github":  # the user names a Hugging Face repository, but not where that service lies
        return Access(allow_private=channel.user_named and channel.kind != "hf", hosts=channel.hosts)
    chosen = (settings.github_url, settings.github_api_url)
    hosts = frozenset(urlsplit(url).hostname or "" for url in chosen)
    return Access(allow_private=chosen != (GITHUB_URL, GITHUB_API_URL), hosts=hosts)
