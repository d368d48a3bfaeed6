"""GitHub's releases by REST: a hundred a request, with digests and exact sizes.

It knows pages, conditions and the service's depth (github-pages.md, parts f and g); it must not know JSON.
"""

from __future__ import annotations

import re
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from crawler.channels import matches_tag
from crawler.due import is_due, next_check
from crawler.github_listing import is_too_old
from crawler.pages import PARSER_VERSION
from crawler.pages.addresses import Base
from crawler.pages.rest import parse_assets, parse_releases, read_next
from crawler.trip import page_error, settled
from wheels.errors import ChannelError, HttpStatus
from wheels.observation import Cause, PageRead, ReleaseListRead, Validators
from wheels.page import Page, Release, Shape

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from crawler.response import Response
    from crawler.trip import Trip
    from wheels.observation import Observation
    from wheels.page import Asset

ACCEPT = "application/vnd.github+json"
_DEFAULT_PAGE = 30
_WHOLE_PAGE = 100
"""Inline lists of the service's own page sizes may be cut (row B26, f7): the list of assets itself is asked for."""
_MOST_PAGES = 200
_REFUSED = frozenset({401, 403})


class RestRefused(HttpStatus):
    """REST is closed to us though GitHub may not be: a token that is refused."""


@dataclass(slots=True)
class _Listing:
    """What the list of releases has shown so far."""

    releases: dict[str, Release] = field(default_factory=dict)
    """By tag, without their assets: a channel of 20,000 releases is held as names only."""
    pages: list[PageRead] = field(default_factory=list)
    """The list's own pages: kept back until nothing on them is left to be read."""
    source: Response | None = None
    """The last page's reply, without its body."""
    first_id: int | None = None
    complete: bool = True
    enough: bool = False
    """No further page is wanted."""
    repository: str | None = None
    repository_id: int | None = None


class RestWalk:
    """One walk by REST.

    Args:
        trip: the walk.
    """

    def __init__(self, trip: Trip) -> None:
        self.trip = trip
        self.address = trip.channel.address
        self.start = f"{trip.client.settings.github_api_url}/repos/{self.address}/releases?per_page={_WHOLE_PAGE}"

    async def walk(self) -> AsyncGenerator[Observation, None]:
        """All observations, newest release first.

        Raises:
            RestRefused: the token is refused.
            ChannelError: the walk cannot go on.
        """
        trip = self.trip
        unlimited = not trip.options.full and trip.options.max_releases is None and trip.options.since is None
        if unlimited and trip.memory.list_complete and trip.known(self.start) is not None:
            same = await self._ask_whether_same()
            if same is not None:
                for observation in self._as_before(same):
                    yield observation
                return
        listing = _Listing()
        async with aclosing(self._read_all(listing)) as seen:
            async for observation in seen:
                yield observation

    # ------------------------------------------------------------------ nothing new

    async def _ask_whether_same(self) -> list[Response] | None:
        """Every page of the list, if all are as they were; None as soon as one is not."""
        trip = self.trip
        responses: list[Response] = []
        url: str | None = self.start
        while url is not None and len(responses) < _MOST_PAGES:
            if trip.known(url) is None:
                return None
            response = await trip.ask(url, accept=ACCEPT)
            if not trip.is_same(response, accept=ACCEPT):
                return None
            responses.append(response)
            following = _next_in(response)
            url = trip.at_home(following) if following else self._known_next(len(responses) + 1)
        return responses if url is None else None

    def _known_next(self, number: int) -> str | None:
        """The page after the last one, where a 304 does not repeat the ``Link`` header."""
        pattern = re.compile(rf"/releases\?(?:.*&)?page={number}(?:&|\Z)")
        return next((url for url in self.trip.memory.validators if pattern.search(url)), None)

    def _as_before(self, responses: list[Response]) -> list[Observation]:
        trip, last = self.trip, responses[-1]
        seen: list[Observation] = [trip.unchanged(response, tag=None, accept=ACCEPT) for response in responses]
        for known in trip.memory.releases.values():
            if "://" in known.tag or known.gone or known.last_read_at is None:
                continue
            trip.pages += 1
            later = next_check(known.tag, known.published_at, (), last.fetched_at)
            confirmed = trip.unchanged(last, tag=known.tag, accept=ACCEPT, next_check_at=later)
            blank = Validators(accept=ACCEPT, parser_version=PARSER_VERSION)
            seen.append(replace(confirmed, requested_url=known.page_url, validators=blank))
        return seen

    # ------------------------------------------------------------------ everything

    async def _read_all(self, listing: _Listing) -> AsyncGenerator[Observation, None]:
        url: str | None = self.start
        asked: set[str] = set()
        while url is not None and url not in asked and len(asked) < _MOST_PAGES:
            asked.add(url)
            page, refusal = await self._read_page(listing, url)
            if refusal is not None:
                yield refusal
            async with aclosing(self._read_releases(listing, page)) as seen:
                async for observation in seen:
                    yield observation
            url = self.trip.at_home(page.next_url) if page.next_url else None
            if url is not None and listing.enough:
                self._note_limit(listing)
                break
        listing.complete = listing.complete and url is None
        if len(listing.pages) > 1 and listing.complete:
            await self._look_again(listing)
        for observation in self._list_read(listing):
            yield observation

    async def _read_page(self, listing: _Listing, url: str) -> tuple[Page, Observation | None]:
        """A page of the list; where it gave nothing, what is to be told of it."""
        trip, first = self.trip, listing.source is None
        try:
            response = await trip.ask(url, accept=ACCEPT, conditional=False, found_on=listing.source)
        except ChannelError as error:
            if first:
                raise
            listing.complete = False
            return _nothing(url), trip.failed(url, None, error)
        page = self._parsed(response)
        listing.complete = listing.complete and page.shape.complete
        if page.reason == "depth":  # S07
            trip.limited(Cause.DEPTH, f"GitHub lists only the first {len(listing.releases)} releases of {self.address}")
            return _nothing(url), None
        if not page.shape.usable:
            return _nothing(url), self._refused(page, response, first=first)
        self._identify(listing, page)
        if page.shape is Shape.PARTIAL:
            trip.count(page)
        if first:
            listing.first_id = _first_id(page)
        listing.pages.append(trip.told(replace(page, releases=(), assets=()), response, tag=None, accept=ACCEPT))
        listing.source = replace(response, body=b"", problems=())
        return page, None

    async def _read_releases(self, listing: _Listing, page: Page) -> AsyncGenerator[Observation, None]:
        """The releases of one page, their files with them."""
        beyond = 0
        for release in page.releases:
            if release.tag in listing.releases or release.draft or not matches_tag(self.trip.channel, release.tag):
                continue
            if self._is_beyond(listing, release):
                beyond += 1
                continue
            listing.releases[release.tag] = replace(release, assets=None)
            observation = await self._read_release(release, page, listing)
            if observation is not None:
                self.trip.done.add(release.tag)
                yield observation
        listing.complete = listing.complete and not beyond
        listing.enough = (bool(beyond) and beyond == len(page.releases)) or self._has_most(listing)

    def _has_most(self, listing: _Listing) -> bool:
        most = self.trip.options.max_releases
        return most is not None and len(listing.releases) >= most

    def _parsed(self, response: Response) -> Page:
        page = parse_releases(
            response.body,
            response.media_type,
            response.url,
            status=response.status,
            charset=response.charset,
            link=response.link,
        )
        return settled(page, response)

    def _refused(self, page: Page, response: Response, *, first: bool) -> Observation:
        trip = self.trip
        if first and response.status in _REFUSED:
            raise RestRefused("read", f"the releases of {self.address}", page.reason, status=response.status)
        if first and page.shape is Shape.GONE:
            reason = "there is no such repository, or the token may not see it"
            trip.trouble(Cause.PAGES, str(HttpStatus("read", self.address, reason, status=response.status)))
        else:
            trip.trouble(Cause.PAGES, str(page_error(page)))
        return trip.told(page, response, tag=None, accept=ACCEPT)

    def _identify(self, listing: _Listing, page: Page) -> None:
        listing.repository = page.repository or listing.repository
        if page.repository_id is not None:
            listing.repository_id = page.repository_id
            known = self.trip.memory.repository_id
            if known is not None and known != page.repository_id:
                self.trip.forget()  # S06: another repository under an old name

    def _is_beyond(self, listing: _Listing, release: Release) -> bool:
        """Whether an option leaves a release out."""
        if not self._has_most(listing) and not is_too_old(release, self.trip.options.since):
            return False
        self._note_limit(listing)
        return True

    def _note_limit(self, listing: _Listing) -> None:
        options = self.trip.options
        if options.since is not None and not self._has_most(listing):
            self.trip.limited(Cause.OPTION, f"releases since {options.since:%Y-%m-%d} were read")
        else:
            self.trip.limited(Cause.OPTION, f"the newest {options.max_releases} releases were read")

    async def _read_release(self, release: Release, page: Page, listing: _Listing) -> Observation | None:
        """One release with its files; None when its long list of files is not due."""
        trip, response = self.trip, listing.source
        assert response is not None, "the page that lists the release was read"  # noqa: S101 - for the type checker
        url = (
            self.trip.at_home(release.assets_url or "") or f"{self.start.partition('?')[0]}/{release.release_id}/assets"
        )
        assets, shape, reason = release.assets or (), Shape.OK, ""
        trip.pages += 1
        if release.assets is None or len(assets) == _DEFAULT_PAGE or len(assets) >= _WHOLE_PAGE:
            known = trip.memory.releases.get(release.tag)
            if not is_due(known, None, now=trip.now(), full=trip.options.full):
                return None
            try:
                assets, reason = await self._read_assets(url, response)
            except ChannelError as error:
                return trip.failed(url, release.tag, error)
            shape = Shape.PARTIAL if reason else Shape.OK
        if not assets and shape is Shape.OK:
            shape = Shape.EMPTY
        files = Page(
            kind="rest-releases",
            url=url,
            shape=shape,
            reason=reason,
            assets=assets,
            repository=page.repository,
            repository_id=page.repository_id,
        )
        later = next_check(release.tag, release.published_at, assets, response.fetched_at)
        seen = trip.read(
            files,
            replace(response, requested_url=url),
            tag=release.tag,
            context=release.tag,
            release=replace(release, assets=None, announced=len(assets)),
            next_check_at=later if shape.complete else response.fetched_at,
        )
        return replace(seen, validators=Validators(accept=ACCEPT, parser_version=PARSER_VERSION))

    async def _read_assets(self, url: str, source: Response) -> tuple[tuple[Asset, ...], str]:
        """The whole list of a release's files, and why it is not whole."""
        assets: dict[str, Asset] = {}
        following: str | None = f"{url}?per_page={_WHOLE_PAGE}"
        asked: set[str] = set()
        while following is not None and following not in asked:
            asked.add(following)
            response = await self.trip.ask(following, accept=ACCEPT, conditional=False, found_on=source)
            page = settled(
                parse_assets(
                    response.body,
                    response.media_type,
                    response.url,
                    status=response.status,
                    charset=response.charset,
                    link=response.link,
                ),
                response,
            )
            assets |= {asset.url: asset for asset in page.assets}
            if not page.shape.complete:
                return tuple(assets.values()), page.reason or "the list of files is not whole"
            following = self.trip.at_home(page.next_url) if page.next_url else None
        return tuple(assets.values()), ""

    # ------------------------------------------------------------------ the list itself

    async def _look_again(self, listing: _Listing) -> None:
        """Row B29: a release that came while the pages were read may have pushed another one out of sight."""
        first = listing.pages[0].validators
        try:
            response = await self.trip.fetcher.fetch(
                self.start, accept=ACCEPT, validators=first, access=self.trip.access
            )
        except ChannelError as error:
            listing.complete = False
            self.trip.failed(self.start, None, error)
            return
        if response.not_modified:
            return
        again = self._parsed(response)
        if not again.shape.usable or _first_id(again) != listing.first_id:
            listing.complete = False

    def _list_read(self, listing: _Listing) -> list[Observation]:
        """The list, and the validators of its pages when nothing on them is left to be read."""
        trip = self.trip
        if not listing.pages:
            return []
        trip.used += 1
        seen: list[Observation] = [
            ReleaseListRead(
                channel=trip.channel.name,
                releases=tuple(listing.releases.values()),
                complete=listing.complete,
                fetched_at=listing.pages[0].fetched_at,
                repository=listing.repository,
                repository_id=listing.repository_id,
            )
        ]
        if listing.complete and trip.untroubled:
            seen += listing.pages
        return seen


def _next_in(response: Response) -> str | None:
    return read_next(response.link, Base(response.url))


def _nothing(url: str) -> Page:
    """A page that lists nothing and leads nowhere."""
    return Page(kind="rest-releases", url=url, shape=Shape.BROKEN)


def _first_id(page: Page) -> int | None:
    return next((release.release_id for release in page.releases), None)
