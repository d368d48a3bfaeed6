"""GitHub's releases as a reader without a token finds them: the feed as a bell, the list, then a fragment a release.

It knows the order of these pages, which releases are due, and when the layout is mistrusted; it must not know markup.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from crawler.abreast import in_order
from crawler.channels import matches_tag
from crawler.due import is_due, next_check
from crawler.github_fragment import FragmentReader
from crawler.github_listing import ListWalk, Repository, is_before, is_too_old
from crawler.pages.atom import parse_atom
from crawler.trip import settled, stops
from crawler.urls import origin_of
from wheels.errors import BrokenPage, ChannelError
from wheels.observation import Cause, Validators
from wheels.page import Release, Shape

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator

    from crawler.github_listing import Listing
    from crawler.trip import Client, Trip
    from wheels.observation import KnownRelease, Observation, PageRead, PageUnchanged
    from wheels.page import Page

BROKEN_IN_A_ROW = 3


class LayoutChanged(BrokenPage):
    """GitHub's pages no longer look as they did: nothing of them is believed for the rest of the run."""


class Health:
    """What this run has seen of the HTML of one client's GitHub, whichever channel saw it."""

    def __init__(self) -> None:
        self._broken: list[str] = []

    def note(self, repository: str, page: Page) -> None:
        """Count a fragment; one that could be read clears the count."""
        if page.shape is Shape.BROKEN:
            self._broken.append(repository)
        elif page.shape.usable:
            self._broken.clear()

    def is_bad_for(self, repository: str) -> bool:
        """Three broken fragments of three repositories speak about all, three of one about that one (e5)."""
        of_many = len(set(self._broken)) >= BROKEN_IN_A_ROW
        return of_many or self._broken[-BROKEN_IN_A_ROW:] == [repository] * BROKEN_IN_A_ROW


_HEALTH: WeakKeyDictionary[Client, Health] = WeakKeyDictionary()


class HtmlWalk:
    """One walk by HTML.

    Args:
        trip: the walk.
    """

    def __init__(self, trip: Trip) -> None:
        self.trip = trip
        self.who = Repository(trip)
        self.fragments = FragmentReader(trip, self.who)
        self.health = _HEALTH.setdefault(trip.client, Health())
        self.news: PageRead | None = None
        """The feed, when it was read anew."""
        self._judged: set[str] = set()
        """Tags of which it is decided whether they are read."""
        self._wanted = 0
        """Releases that lie within the limits."""
        self._begun = False

    async def walk(self) -> AsyncGenerator[Observation, None]:
        """All observations, newest release first.

        Raises:
            LayoutChanged: the pages are not what they were.
            ChannelError: the walk cannot go on.
        """
        self._check_health()
        async with aclosing(self._calls()) as calls, aclosing(in_order(calls, self._width())) as seen:
            async for observation in seen:
                yield observation
                self._check_health()

    def _width(self) -> int:
        """Releases under way: twice the slots of the host, so that none waits while a page is read and stored."""
        settings = self.trip.client.settings
        slots = settings.pace_of(origin_of(settings.github_url)).at_once
        return slots if slots == 1 else 2 * slots

    async def _calls(self) -> AsyncGenerator[Callable[[], Awaitable[Observation]], None]:
        """What is to be done: the list is read on while the releases that it has shown are."""
        silent = await self._ask_feed()
        walk = ListWalk(self.trip, self.who, rung=silent is None)
        listing = walk.listing if walk.is_due() else None
        told: list[Observation] = []
        if listing is not None:
            async with aclosing(walk.read()) as pages:
                async for observation in pages:
                    if observation is not None:
                        told.append(observation)
                    elif self._width() > 1:
                        for call in self._reads(listing):
                            yield call
            self._check_list(listing)
        if silent is not None:
            told.append(silent)
        elif self.news is not None and listing is not None and listing.first is not None:
            told.append(self.news)  # kept only now: a walk that was cut before shall find the bell ringing
        for observation in told:
            yield partial(_told, observation)
        for call in self._reads(listing):
            yield call

    def _reads(self, listing: Listing | None) -> Iterator[Callable[[], Awaitable[Observation]]]:
        """The due releases among those that were not looked at yet."""
        due = self._due(listing)
        for release in due if self._begun else self._with_canary(due):
            yield partial(self._read_release, release, listing, is_canary=not self._begun)
            self._begun = True

    # ------------------------------------------------------------------ feed

    async def _ask_feed(self) -> PageUnchanged | None:
        """The feed, when it is as it was; None when it rings, or cannot be read."""
        trip, url = self.trip, f"{self.who.base}.atom"
        if not trip.memory.releases and trip.options.max_releases is not None:
            return None  # a first look at the newest releases needs no bell
        try:
            response = await trip.ask(url)
        except ChannelError as error:
            if stops(error):
                raise
            return None  # it is only a bell
        if trip.is_same(response):
            return trip.unchanged(response, tag=None)
        page = parse_atom(
            response.body, response.media_type, response.url, status=response.status, charset=response.charset
        )
        page = settled(page, response)
        if page.shape.usable:
            self.who.identify(page)
            self.news = trip.told(page, response, tag=None)
        return None

    # ------------------------------------------------------------------ layout

    def _check_health(self) -> None:
        if self.health.is_bad_for(self.who.address):
            raise self._changed()

    def _check_list(self, listing: Listing) -> None:
        """A first page that was fetched and not understood says that the layout changed (row B25)."""
        if listing.first is None and listing.broken:
            raise self._changed()

    def _changed(self) -> LayoutChanged:
        what, reason = f"the releases of {self.who.address}", "GitHub's release pages do not look as they did"
        return LayoutChanged(
            "read", what, reason, "Set GITHUB_TOKEN to read them by REST; a newer wheelfind may know them."
        )

    def _with_canary(self, due: list[Release]) -> list[Release]:
        """Put a release that is known to have files first: if it cannot be read, no other is believed (e7)."""
        memory = self.trip.memory.releases
        known = next((r for r in due if (each := memory.get(r.tag)) and each.wheels and each.complete), None)
        first = known or next((release for release in due if release.announced), None)
        return due if first is None else [first, *(release for release in due if release.tag != first.tag)]

    # ------------------------------------------------------------------ releases

    def _due(self, listing: Listing | None) -> list[Release]:
        """The releases to read among those that were not looked at yet, newest first."""
        trip, most = self.trip, self.trip.options.max_releases
        fresh = [release for release in self._candidates(listing) if release.tag not in self._judged]
        self._judged.update(release.tag for release in fresh)
        candidates = [r for r in fresh if matches_tag(trip.channel, r.tag) and not r.draft]
        wanted = [release for release in candidates if not self._is_too_old(release)]
        room = None if most is None else max(0, most - self._wanted)
        self._wanted += len(wanted)
        if room is not None and len(wanted) > room:
            trip.limited(Cause.OPTION, f"the newest {most} releases were read")
        told = {release.tag: release.published_at for release in (self.news.page.releases if self.news else ())}
        return [release for release in wanted[:room] if self._is_due(release, told.get(release.tag))]

    def _candidates(self, listing: Listing | None) -> list[Release]:
        """All that the list shows; without one, what the feed and the catalog know."""
        if listing is not None and (listing.releases or listing.complete or listing.gone):
            return list(listing.releases.values())
        known = [each for each in self.trip.memory.releases.values() if "://" not in each.tag and not each.gone]
        known.sort(key=lambda each: each.published_at or "", reverse=True)
        found = {release.tag: release for release in (self.news.page.releases if self.news else ())}
        found |= {each.tag: _as_release(each) for each in known}
        return list(found.values())

    def _is_too_old(self, release: Release) -> bool:
        too_old = is_too_old(release, self.trip.options.since)
        if too_old:
            self.trip.limited(Cause.OPTION, f"releases since {self.trip.options.since:%Y-%m-%d} were read")
        return too_old

    def _is_due(self, release: Release, touched_at: str | None) -> bool:
        """Whether a release is to be read.

        Args:
            release: which.
            touched_at: what the feed says, when it is new.
        """
        trip = self.trip
        if release.tag in trip.done:
            return False
        known = trip.memory.releases.get(release.tag)
        read_at = known.last_read_at if known is not None else None
        if touched_at is not None and read_at is not None and not is_before(touched_at, read_at):
            return True
        return is_due(known, trip.known(self.fragments.url(release)), now=trip.now(), full=trip.options.full)

    async def _read_release(self, release: Release, listing: Listing | None, *, is_canary: bool) -> Observation:
        trip = self.trip
        trip.pages += 1
        known = trip.memory.releases.get(release.tag)
        listed = listing is not None and release.tag in listing.releases
        source = listing.first if listing is not None and listed and release.fragment_url else None
        try:
            response = await self.fragments.fetch(release, source)
            if trip.is_same(response):
                later = next_check(release.tag, release.published_at, (), response.fetched_at)
                return trip.unchanged(response, tag=release.tag, next_check_at=later)
            response, page = await self.fragments.read(release, response, known)
        except ChannelError as error:
            return trip.failed(self.fragments.url(release), release.tag, error)
        for _ in range(BROKEN_IN_A_ROW if is_canary and known is not None and known.wheels else 1):
            self.health.note(self.who.address, page)
        later = next_check(release.tag, release.published_at, page.assets, response.fetched_at)
        seen = trip.read(
            page,
            response,
            tag=release.tag,
            context=release.tag,
            release=release if listed else None,
            next_check_at=later if page.shape.complete else response.fetched_at,
        )
        return replace(seen, validators=_unconditional(seen.validators)) if page.links else seen


async def _told(observation: Observation) -> Observation:
    return observation


def _as_release(known: KnownRelease) -> Release:
    """A remembered release, for a walk that need not read the list."""
    is_fragment = "/expanded_assets/" in known.page_url
    return Release(
        tag=known.tag,
        published_at=known.published_at,
        fragment_url=known.page_url if is_fragment else None,
        immutable=known.immutable,
    )


def _unconditional(validators: Validators) -> Validators:
    """A page in several parts is always read anew: its first part says nothing about the others."""
    return replace(validators, etag=None, last_modified=None, body_sha256=None)
