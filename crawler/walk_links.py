"""Walks of pages of links: each with what continues it, a directory listing with the directories directly below it.

It knows how such pages hang together; it must not know what stands on them.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from crawler.abreast import in_order
from crawler.continued import read_on
from crawler.pages.links import parse_links
from crawler.urls import redact_url, without_userinfo
from wheels.errors import ChannelError, HttpStatus
from wheels.observation import Cause, Validators
from wheels.page import Page, Shape

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

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
        async for observations, directories in results:
            below |= directories
            for observation in observations:
                yield observation
    calls = (
        partial(_read_directory, trip, url, found_on)
        for url, found_on in islice(below.items(), _MOST_DIRECTORIES)
        if url not in roots
    )
    async with aclosing(in_order(calls, width)) as results:
        async for observations in results:
            for observation in observations:
                yield observation


async def _read_root(trip: Trip, url: str) -> tuple[list[Observation], dict[str, Response | None]]:
    """A page that the channel names; and the directories below it, with the answer that showed them."""
    trip.pages += 1
    try:
        response = await trip.ask(url)
    except ChannelError as error:
        return [trip.failed(url, None, error)], {}
    known = _known_below(trip, url)
    if trip.is_same(response):
        return [trip.unchanged(response, tag=None)], dict.fromkeys(known, response)
    joined = await read_on(trip, response, partial(_parsed, trip))
    page = joined.page
    if page.shape is Shape.GONE and response.requested_url not in trip.memory.releases:
        _note_missing(trip, response)
        return [], {}
    seen: list[Observation] = [_told(trip, page, response, answers=joined.answers)]
    if joined.error is not None:
        seen.append(trip.failed(joined.failed_url, None, joined.error))
    listed = [link for link in page.links if _is_directory(link)] if _is_directory(url) else []
    return seen, dict.fromkeys((*listed, *known), response)


async def _read_directory(trip: Trip, url: str, found_on: Response | None) -> list[Observation]:
    """A directory of a listing; one that holds no files, and never did, is nobody's trouble."""
    trip.pages += 1
    try:
        response = await trip.ask(url, found_on=found_on)
    except ChannelError as error:
        return [trip.failed(url, None, error)]
    if trip.is_same(response):
        return [trip.unchanged(response, tag=None)]
    joined = await read_on(trip, response, partial(_parsed, trip))
    if not joined.page.assets and response.requested_url not in trip.memory.releases:
        trip.used += 1
        return []
    seen: list[Observation] = [_told(trip, joined.page, response, answers=joined.answers)]
    if joined.error is not None:
        seen.append(trip.failed(joined.failed_url, None, joined.error))
    return seen


def _told(trip: Trip, page: Page, response: Response, *, answers: int) -> Observation:
    found = trip.read(page, response, tag=None)
    return found if answers == 1 else replace(found, validators=Validators())  # all of it anew next time


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
