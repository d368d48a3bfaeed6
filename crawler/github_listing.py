"""GitHub's list of releases in HTML, page by page, and the identity of who answers.

It knows when the list must be read, when it is enough, and when it was whole (github-pages.md, parts f and h); it must
not know what the releases hold.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING

from crawler.channels import matches_tag
from crawler.due import is_moving
from crawler.pages.github import parse_release_list
from crawler.trip import settled
from wheels.errors import ChannelError, HttpStatus
from wheels.observation import Cause, ReleaseListRead
from wheels.page import Page, Shape

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from crawler.response import Response
    from crawler.trip import Trip
    from wheels.observation import Observation
    from wheels.page import Release

AGAIN = timedelta(hours=24)
"""A silent feed shows ten releases only: the whole list is read again after so long, to see what was deleted."""
AGAIN_WHEN_RUNG = timedelta(hours=6)
"""The same when the feed says that something is new; before, reading stops at the first page that holds nothing new."""
DEPTH = 1000
"""Releases that the pager shows at most, about (design, "Crawl")."""
_PAGE = 10
"""Releases on a page of the list."""


class Repository:
    """Who answers.

    Args:
        trip: the walk.
    """

    def __init__(self, trip: Trip) -> None:
        self._trip = trip
        self.address = trip.channel.address
        """As the channel names it."""
        self.name = self.address
        """As the pages name it: another one after a rename."""
        self.id: int | None = None
        self.base = f"{trip.client.settings.github_url}/{self.address}/releases"

    def identify(self, page: Page) -> None:
        """Take a page's word; another repository under an old name has no past here (sequence S06)."""
        self.name = page.repository or self.name
        if page.repository_id is None:
            return
        self.id = page.repository_id
        if self._trip.memory.repository_id not in {None, page.repository_id}:
            self._trip.forget()


@dataclass(slots=True)
class Listing:
    """What the list has shown so far."""

    releases: dict[str, Release] = field(default_factory=dict)
    """By tag, newest first."""
    first: Response | None = None
    """Reply of the first page; None when it gave nothing."""
    complete: bool = True
    gone: bool = False
    """There is no such repository."""
    broken: bool = False
    """A page was fetched and not understood."""

    def add(self, page: Page) -> bool:
        """Take a page's releases; True when any of them is new to this reading."""
        before = len(self.releases)
        for release in page.releases:
            self.releases.setdefault(release.tag, release)
        return len(self.releases) > before

    def last_page(self) -> list[Release]:
        """About the releases of the page that was read last."""
        return list(self.releases.values())[-_PAGE:]


class ListWalk:
    """One reading of the list.

    Args:
        trip: the walk.
        who: the repository.
        rung: the feed says that something is new.
    """

    def __init__(self, trip: Trip, who: Repository, *, rung: bool) -> None:
        self._trip = trip
        self._who = who
        self._rung = rung
        self.listing = Listing()

    def is_due(self) -> bool:
        """Whether the list must be read in this walk."""
        memory = self._trip.memory
        return self._rung or self._trip.options.full or not memory.list_complete or self._age() > AGAIN

    def _age(self) -> timedelta:
        """Since the whole list was read: its first page's validators are kept only then."""
        known = self._trip.known(self._who.base)
        read_at = known.read_at if known is not None else None
        return self._trip.now() - read_at if read_at is not None else timedelta.max

    async def read(self) -> AsyncGenerator[Observation | None, None]:
        """Read it; what it showed so far is in ``listing``.

        Yields:
            None after a page that was read, else what is to be told of a page or of the list as a whole.

        Raises:
            ChannelError: its first page cannot be had.
        """
        trip, listing = self._trip, self.listing
        may_stop = self._rung and not trip.options.full and trip.memory.list_complete and self._age() < AGAIN_WHEN_RUNG
        asked: list[str] = []
        url: str | None = self._who.base
        while url is not None and url not in asked:
            asked.append(url)
            refusal, url = await self._read_page(url)
            yield refusal
            if url is not None and self._is_enough(may_stop=may_stop):
                listing.complete = False
                break
        listing.complete = listing.complete and url is None
        if len(asked) > 1 and listing.complete:
            await self._look_again()
        for observation in self._outcome():
            yield observation

    async def _read_page(self, url: str) -> tuple[Observation | None, str | None]:
        """One page: what is to be told of it, and the next page; none where this one shows nothing new."""
        trip, listing = self._trip, self.listing
        try:
            response = await trip.ask(url, conditional=False, found_on=listing.first, ahead=True)
        except ChannelError as error:
            listing.complete = False
            return trip.failed(url, None, error), None
        page = self._parsed(response)
        listing.complete = listing.complete and page.shape.complete
        if not page.shape.usable:
            return self._refused(page, response), None
        listing.first = listing.first or response
        self._who.identify(page)
        if page.shape is Shape.PARTIAL:
            trip.count(page)
        is_new = listing.add(page)
        if page.next_url is None:
            return None, None
        listing.complete = listing.complete and is_new  # a pager that repeats itself hides the rest
        return None, trip.at_home(page.next_url) if is_new else None

    def _parsed(self, response: Response) -> Page:
        page = parse_release_list(
            response.body,
            response.media_type,
            response.url,
            status=response.status,
            charset=response.charset,
            repository=self._who.name,
        )
        return settled(page, response)

    def _refused(self, page: Page, response: Response) -> Observation | None:
        """A page that gave nothing: past the first one, a status is the pager's depth."""
        trip, address = self._trip, self._who.address
        first = self.listing.first is None
        if not first and HTTPStatus.BAD_REQUEST <= response.status < HTTPStatus.TOO_MANY_REQUESTS:
            trip.limited(
                Cause.DEPTH, f"GitHub's list of {address} ends before its {len(self.listing.releases)}th release"
            )
            return None
        if first and page.shape is Shape.GONE:
            self.listing.gone = True
            reason = "there is no such repository, or it is private"
            trip.trouble(Cause.PAGES, str(HttpStatus("read", address, reason, status=response.status)))
            return trip.told(page, response, tag=None)
        self.listing.broken = page.shape is Shape.BROKEN
        return trip.read(page, response, tag=None)

    def _is_enough(self, *, may_stop: bool) -> bool:
        """Whether no further page is wanted."""
        options, listing = self._trip.options, self.listing
        if options.max_releases is not None:
            wanted = sum(matches_tag(self._trip.channel, tag) for tag in listing.releases)
            if wanted >= options.max_releases:
                self._trip.limited(Cause.OPTION, f"the newest {options.max_releases} releases were read")
                return True
        if options.since is not None and all(is_too_old(release, options.since) for release in listing.last_page()):
            self._trip.limited(Cause.OPTION, f"releases since {options.since:%Y-%m-%d} were read")
            return True
        return may_stop and all(release.tag in self._trip.memory.releases for release in listing.last_page())

    async def _look_again(self) -> None:
        """Row B29: a release that came while the pages were read may have pushed another one out of sight."""
        listing = self.listing
        try:
            response = await self._trip.ask(self._who.base, conditional=False)
        except ChannelError as error:
            self._trip.failed(self._who.base, None, error)
            listing.complete = False
            return
        page = self._parsed(response)
        tags = [release.tag for release in page.releases]
        moved = tags != list(listing.releases)[: len(tags)]
        if moved or not page.shape.complete:
            listing.add(page)
            listing.complete = False

    def _outcome(self) -> Iterator[Observation]:
        """The list as a whole; its first page too when it was whole, so that it need not be read again soon."""
        trip, listing = self._trip, self.listing
        if listing.first is None:
            return
        if listing.complete and len(listing.releases) >= DEPTH:
            listing.complete = False
            trip.limited(Cause.DEPTH, f"GitHub's list of {self._who.address} shows no more than {DEPTH} releases")
        trip.used += 1
        yield ReleaseListRead(
            channel=trip.channel.name,
            releases=tuple(r for r in listing.releases.values() if matches_tag(trip.channel, r.tag) and not r.draft),
            complete=listing.complete,
            fetched_at=listing.first.fetched_at,
            repository=self._who.name,
            repository_id=self._who.id,
        )
        if listing.complete:
            page = Page(kind="release-list", url=listing.first.url, shape=Shape.OK, repository=self._who.name)
            yield trip.told(page, listing.first, tag=None)


def is_too_old(release: Release, since: datetime | None) -> bool:
    """Whether a release lies before the time that was asked for; one whose files move is as young as they are."""
    if since is None or release.published_at is None or is_moving(release.tag):
        return False
    return is_before(release.published_at, since)


def is_before(text: str, moment: datetime) -> bool:
    """Whether a stated time lies before another; False when it cannot be read."""
    try:
        return datetime.fromisoformat(text) < moment
    except (ValueError, TypeError):
        return False
