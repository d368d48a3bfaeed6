"""The walk of a GitHub channel: which of GitHub's two faces is read, and when the other one steps in.

It knows the token's part, and limits and changed layouts as reasons to change over; it must not know pages or JSON.
"""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from crawler.github_html import HtmlWalk, LayoutChanged
from crawler.github_rest import RestWalk
from wheels.errors import ChannelError, NotRecorded
from wheels.observation import Cause

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from crawler.trip import Trip
    from wheels.observation import Observation


async def walk_github(trip: Trip) -> AsyncGenerator[Observation, None]:
    """Read a repository's releases: by REST with a token, by HTML without, and by the other way where that one fails.

    Raises:
        ChannelError: the walk cannot go on.
    """
    ways = (_by_rest_first, _by_html_first)
    async with aclosing(ways[trip.client.settings.github_token is None](trip)) as seen:
        async for observation in seen:
            yield observation


async def _by_rest_first(trip: Trip) -> AsyncGenerator[Observation, None]:
    """A limit (sequence S08), a refused token or an unreachable service leads over to HTML."""
    try:
        async with aclosing(RestWalk(trip).walk()) as seen:
            async for observation in seen:
                yield observation
    except ChannelError as error:
        trip.detail = trip.detail or f"{error}; read as HTML instead"
    else:
        return
    async with aclosing(HtmlWalk(trip).walk()) as seen:
        async for observation in seen:
            yield observation


async def _by_html_first(trip: Trip) -> AsyncGenerator[Observation, None]:
    """A changed layout (row B25), or a replay that holds REST alone, leads over to REST."""
    failure: ChannelError
    try:
        async with aclosing(HtmlWalk(trip).walk()) as seen:
            async for observation in seen:
                yield observation
    except LayoutChanged as changed:
        failure = changed
        trip.trouble(Cause.PAGES, str(changed))
    except NotRecorded as missing:
        if trip.used:
            raise
        failure = missing
    else:
        return
    try:
        async with aclosing(RestWalk(trip).walk()) as seen:
            async for observation in seen:
                yield observation
    except ChannelError:
        raise failure from None
