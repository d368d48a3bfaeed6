"""A walk of one channel: what is read, as observations, and how it ended as the last of them.

It knows the kinds of channels and that a walk always ends with a word; it must not know what a kind's pages are.
"""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from crawler.due import is_due
from crawler.trip import Trip, WalkOptions
from crawler.walk_github import walk_github
from crawler.walk_huggingface import walk_huggingface
from crawler.walk_index import count_pages, walk_index
from crawler.walk_links import walk_links
from wheels.errors import ChannelError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from datetime import datetime

    from crawler.channels import Channel
    from crawler.trip import Client
    from wheels.observation import ChannelMemory, Observation

__all__ = ["WalkOptions", "expected_requests", "walk"]

_WALKS: dict[str, Callable[[Trip], AsyncGenerator[Observation, None]]] = {
    "github": walk_github,
    "index": walk_index,
    "links": walk_links,
    "hf": walk_huggingface,
}
_UNKNOWN_RELEASES = 100
"""What a repository that was never read is taken for."""


async def walk(
    channel: Channel, client: Client, memory: ChannelMemory, options: WalkOptions
) -> AsyncGenerator[Observation, None]:
    """Read a channel.

    Args:
        channel: what to read.
        client: the one HTTP client.
        memory: of earlier walks.
        options: how much.

    Yields:
        What was seen, in an order in which it may be stored; ``WalkEnded`` last, whatever happened.
    """
    trip = Trip(channel, client, memory, options)
    try:
        async with aclosing(_WALKS[channel.kind](trip)) as seen:
            async for observation in seen:
                yield observation
    except ChannelError as error:
        trip.stopped(error)
    yield trip.end()


def expected_requests(
    channel: Channel, memory: ChannelMemory, options: WalkOptions, *, now: datetime, token: bool = False
) -> int:
    """About how many requests a walk takes.

    Args:
        channel: what would be read.
        memory: of earlier walks.
        options: how much.
        now: UTC.
        token: whether there is one for GitHub's REST.
    """
    if channel.kind != "github":
        return count_pages(channel, memory, options)
    known = [each for each in memory.releases.values() if "://" not in each.tag and not each.gone]
    releases = len(known) or _UNKNOWN_RELEASES
    if options.max_releases is not None:
        releases = min(releases, options.max_releases)
    if token:
        return 1 + -(-releases // 100)
    due = [each for each in known if is_due(each, None, now=now, full=options.full)]
    if not known or not memory.list_complete:
        return 2 + -(-releases // 10) + releases
    return 1 + min(len(due), releases) + (-(-releases // 10) if options.full else 0)
