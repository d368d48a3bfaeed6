"""The walk of a GitHub channel: which of GitHub's two faces is read, and when the other one steps in.

It knows the token's part, limits and changed layouts as reasons to change over; it must not know pages or JSON.
"""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from crawler.github_html import HtmlWalk, LayoutChanged
from crawler.github_rest import RestRefused, RestWalk
from wheels.errors import ChannelError, RateLimited
from wheels.observation import Cause

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from crawler.trip import Trip
    from wheels.observation import Observation


async def walk_github(trip: Trip) -> AsyncGenerator[Observation, None]:
    """Read a repository's releases: by REST with a token, by HTML without.

    REST's limit leads over to HTML (sequence S08), a changed layout of the HTML to REST (row B25).

    Raises:
        ChannelError: the walk cannot go on.
    """
    rest_open = True
    if trip.client.settings.github_token is not None:
        try:
            async with aclosing(RestWalk(trip).walk()) as seen:
                async for observation in seen:
                    yield observation
        except (RateLimited, RestRefused) as error:
            rest_open = False
            trip.detail = f"{error}; read as HTML instead"
        else:
            return
    try:
        async with aclosing(HtmlWalk(trip).walk()) as seen:
            async for observation in seen:
                yield observation
    except LayoutChanged as changed:
        trip.trouble(Cause.PAGES, str(changed))
        if not rest_open:
            return
    else:
        return
    async with aclosing(_by_rest_after_all(trip)) as seen:
        async for observation in seen:
            yield observation


async def _by_rest_after_all(trip: Trip) -> AsyncGenerator[Observation, None]:
    """What REST gives without a token, after the HTML could not be read; its own failure adds nothing to that."""
    try:
        async with aclosing(RestWalk(trip).walk()) as seen:
            async for observation in seen:
                yield observation
    except (ChannelError, RestRefused):
        return
