"""Walks of pages of links: each with what continues it, a directory listing with the directories directly below it.

It knows how such pages hang together; it must not know what stands on them.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from crawler.abreast import in_order
from crawler.continued import read_on
from crawler.pages.links import parse_links
from crawler.trip import page_error
from crawler.urls import redact_url, without_userinfo
from wheels.errors import ChannelError, HttpStatus
from wheels.observation import Cause, Validators
from wheels.page import Page, Shape

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from crawler.response import Response
    from crawler.trip import Trip
    from wheels.observation import Observation

_AT_ONCE = 4
_MOST_DIRECTORIES = 1000


async def walk_links(trip: Trip) -> AsyncGenerator[Observation, None]:
    """Read pages of links, then the directories that a root with a final slash lists.

    Raises:
        ChannelError: the walk cannot go on.
    """
    roots = dict.fromkeys(trip.channel.root_urls())
    width = trip.options.jobs or _AT_ONCE
    below: dict[str, Response | None] = {}
    async with aclosing(in_order((partial(_read_root, trip, url) for url in roots), width)) as results:
        async for visit in results:
            below |= dict.fromkeys(visit.below, visit.response)
            for observation in _told(trip, visit):
                yield observation
    calls = (
        partial(_read_directory, trip, url, found_on)
        for url, found_on in islice(below.items(), _MOST_DIRECTORIES)
        if url not in roots
    )
    async with aclosing(in_order(calls, width)) as results:
        async for visit in results:
            for observation in _told(trip, visit):
                yield observation


@dataclass(frozen=True, slots=True, kw_only=True)
class _Visit:
    """What reading a page came to."""

    response: Response | None = None
    seen: Observation | None = None
    below: tuple[str, ...] = ()
    """Directories that it leads to."""
    failed_url: str = ""
    error: ChannelError | None = None
    """Why it, or what continues it, was not read."""


def _told(trip: Trip, visit: _Visit) -> Iterator[Observation]:
    """What was read first: an error may end the walk."""
    if visit.seen is not None:
        yield visit.seen
    if visit.error is not None:
        yield trip.failed(visit.failed_url, None, visit.error)


async def _read_root(trip: Trip, url: str) -> _Visit:
    """A page that the channel names."""
    visit, page = await _read(trip, url)
    known = _known_below(trip, url)
    if page is None:
        return replace(visit, below=tuple(known))
    if page.shape is Shape.GONE and visit.response and visit.response.requested_url not in trip.memory.releases:
        _note_missing(trip, visit.response)
        return _Visit()
    if page.shape is Shape.GONE:  # it was there: what it held stays, and somebody should look
        trip.trouble(Cause.PAGES, str(page_error(page)))
        return replace(visit, below=tuple(known))
    listed = [link for link in page.links if _is_directory(link)] if _is_directory(url) else []
    trip.count(page)
    return replace(visit, below=(*listed, *known))


async def _read_directory(trip: Trip, url: str, found_on: Response | None) -> _Visit:
    """A directory of a listing; one that holds no files, and never did, is nobody's trouble."""
    visit, page = await _read(trip, url, found_on)
    if page is None:
        return visit
    if not page.assets and visit.response and visit.response.requested_url not in trip.memory.releases:
        trip.used += 1
        return _Visit()
    trip.count(page)
    return visit


async def _read(trip: Trip, url: str, found_on: Response | None = None) -> tuple[_Visit, Page | None]:
    """A page with what continues it; None when it could not be read or is as it was."""
    trip.pages += 1
    try:
        response = await trip.ask(url, found_on=found_on)
    except ChannelError as error:
        return _Visit(failed_url=url, error=error), None
    if trip.is_same(response):
        return _Visit(response=response, seen=trip.unchanged(response, tag=None)), None
    joined = await read_on(trip, response, partial(_parsed, trip))
    found = trip.told(joined.page, response, tag=None)
    if joined.answers > 1:
        found = replace(found, validators=Validators())  # one answer's say nothing of the others
    return _Visit(response=response, seen=found, failed_url=joined.failed_url, error=joined.error), joined.page


def _parsed(trip: Trip, response: Response) -> Page:
    return parse_links(
        response.body,
        response.media_type,
        response.url,
        status=trip.channel.meant(response.status),
        charset=response.charset,
    )


def _is_directory(url: str) -> bool:
    return url.partition("?")[0].endswith("/")


def _known_below(trip: Trip, url: str) -> list[str]:
    """The directories below a root that earlier walks read: an unchanged root need not show them again."""
    shown = redact_url(without_userinfo(url))
    if not _is_directory(shown):
        return []
    start = shown.partition("?")[0]
    known = (tag for tag in trip.memory.releases if tag != shown and tag.startswith(start) and _is_directory(tag))
    return [tag for tag in known if "***" not in tag]  # what holds a secret is kept without it, and cannot be asked for


def _note_missing(trip: Trip, response: Response) -> None:
    """A page that is not there: of many bundled ones some are guesses, but what the user named should be there."""
    if trip.channel.user_named:
        trip.trouble(
            Cause.PAGES, str(HttpStatus("read", redact_url(response.requested_url), f"status {response.status}"))
        )
    else:
        trip.used += 1
