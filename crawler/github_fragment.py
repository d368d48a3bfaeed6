"""The files of one GitHub release in HTML: its fragment with all its parts, and the witnesses that a verdict needs.

It knows what makes a fragment whole (github-pages.md, part e); it must not know which releases there are.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote

from crawler.pages.github import parse_expanded_assets, parse_tag_page
from crawler.trip import settled
from wheels.page import Page, Shape

if TYPE_CHECKING:
    from crawler.github_listing import Repository
    from crawler.response import Response
    from crawler.trip import Trip
    from wheels.observation import KnownRelease
    from wheels.page import Asset, Release

_MOST_PARTS = 20


class FragmentReader:
    """Reads fragments.

    Args:
        trip: the walk.
        who: the repository.
    """

    def __init__(self, trip: Trip, who: Repository) -> None:
        self._trip = trip
        self._who = who

    def url(self, release: Release) -> str:
        """The fragment's address as a page gave it, else as it is built."""
        if release.fragment_url:
            return self._trip.at_home(release.fragment_url)
        return f"{self._who.base}/expanded_assets/{quote(release.tag, safe='/')}"

    async def fetch(self, release: Release, found_on: Response | None) -> Response:
        """Ask for the fragment.

        Args:
            release: whose.
            found_on: the page that gave its address; None when it was built.

        Raises:
            ChannelError: no usable reply.
        """
        url = self.url(release)
        response = await self._trip.ask(url, found_on=found_on)
        raw = quote(release.tag, safe="/")
        if response.status != HTTPStatus.NOT_FOUND or "/" not in raw or not url.endswith(raw):
            return response
        other = await self._trip.ask(url.removesuffix(raw) + quote(release.tag, safe=""))  # c7: raw first, then %2F
        return response if other.status == HTTPStatus.NOT_FOUND else other

    async def read(self, release: Release, response: Response, known: KnownRelease | None) -> tuple[Response, Page]:
        """What a fragment says, with its further parts and its second witness.

        Args:
            release: whose; ``announced`` is the list's Counter.
            response: the fragment.
            known: what the catalog holds of the release.

        Returns:
            The reply that counts, and the page.

        Raises:
            ChannelError: a part or witness could not be had.
        """
        page = await self._whole(release, response)
        if page.shape is Shape.PARTIAL and release.announced is not None and not page.links and response.whole:
            await asyncio.sleep(self._trip.options.refetch_seconds)  # S04: an upload may be under way
            response = await self._trip.ask(response.requested_url, conditional=False)
            page = await self._whole(release, response)
        if page.shape is not Shape.EMPTY or release.announced == 0:
            return response, page
        if known is not None and known.complete and not known.wheels and known.last_read_at is not None:
            return response, page  # its first EMPTY was witnessed
        return response, await self._witnessed(release, page)

    async def _whole(self, release: Release, response: Response) -> Page:
        """The fragment, and what it defers to others (row B26, H23)."""
        page = self._parsed(release, response, release.announced)
        if not page.links or not page.shape.usable:
            return page
        assets = {asset.url: asset for asset in page.assets}
        whole = len(page.links) <= _MOST_PARTS
        for link in page.links[:_MOST_PARTS]:
            response = await self._trip.ask(self._trip.at_home(link), conditional=False, found_on=response)
            part = self._parsed(release, response, None)
            whole = whole and part.shape.usable and not part.links
            assets |= {asset.url: asset for asset in part.assets}
        return _union(page, tuple(assets.values()), release.announced, whole=whole)

    def _parsed(self, release: Release, response: Response, announced: int | None) -> Page:
        page = parse_expanded_assets(
            response.body,
            response.media_type,
            response.url,
            status=response.status,
            charset=response.charset,
            repository=self._who.name,
            tag=release.tag,
            announced=announced,
        )
        return settled(page, response)

    async def _witnessed(self, release: Release, page: Page) -> Page:
        """e3: that a release has no files is believed when its own page counts none too."""
        url = f"{self._who.base}/tag/{quote(release.tag, safe='/')}"
        response = await self._trip.ask(url, conditional=False)
        witness = parse_tag_page(
            response.body,
            response.media_type,
            response.url,
            status=response.status,
            charset=response.charset,
            repository=self._who.name,
            tag=release.tag,
        )
        if witness.shape is Shape.EMPTY or any(each.announced == 0 for each in witness.releases):
            return page
        reason = "no files are shown, but no second page says that there are none"
        return replace(page, shape=Shape.PARTIAL, reason=reason)


def _union(page: Page, assets: tuple[Asset, ...], announced: int | None, *, whole: bool) -> Page:
    """The page with the files of its further parts; whole when as many are there as announced."""
    if announced is not None and len(assets) != announced:
        reason = f"{len(assets)} of {announced} announced files"
        return replace(page, assets=assets, shape=Shape.PARTIAL, reason=reason)
    if announced is None and not whole:
        return replace(page, assets=assets, shape=Shape.PARTIAL, reason="further files are deferred")
    return replace(page, assets=assets, shape=Shape.OK, reason="")
