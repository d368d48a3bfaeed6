"""Walks of Hugging Face repositories: the tree of files, told directory by directory.

It knows that one tree holds all directories; it must not know what an entry of it looks like.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote

from crawler.continued import read_on
from crawler.pages.huggingface import parse_tree
from wheels.errors import ChannelError
from wheels.observation import Validators
from wheels.page import Asset, Page, Shape

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from crawler.response import Response
    from crawler.trip import Trip
    from wheels.observation import Observation

_ACCEPT = "application/json"
_ROOT = "main"
"""The tag of files that lie in no directory: the revision."""


async def walk_huggingface(trip: Trip) -> AsyncGenerator[Observation, None]:
    """Read a repository's files, each directory as a page of its own.

    Raises:
        ChannelError: the walk cannot go on.
    """
    (url,) = trip.channel.root_urls()
    trip.pages += 1
    try:
        response = await trip.ask(url, accept=_ACCEPT)
    except ChannelError as error:
        yield trip.failed(url, None, error)
        return
    if trip.is_same(response, accept=_ACCEPT):
        for tag in (None, *trip.memory.releases):
            yield trip.unchanged(response, tag=tag, accept=_ACCEPT)
        return
    tree = await read_on(trip, response, partial(_parsed, trip.channel.address), accept=_ACCEPT)
    trip.count(tree.page)
    if tree.page.shape.usable:
        for tag, page in _directories(tree.page, trip):
            # Without validators: if we are cut before the last directory, the whole tree must come again.
            yield replace(
                trip.told(page, response, tag=tag, context=tag, accept=_ACCEPT), validators=Validators(accept=_ACCEPT)
            )
    listed = trip.told(replace(tree.page, assets=()), response, tag=None, accept=_ACCEPT)
    # One answer's validators say nothing of those that continue it.
    yield listed if tree.answers == 1 else replace(listed, validators=Validators(accept=_ACCEPT))
    if tree.error is not None:
        yield trip.failed(tree.failed_url, None, tree.error)


def _parsed(repository: str, response: Response) -> Page:
    return parse_tree(
        response.body,
        response.media_type,
        response.url,
        repository=repository,
        status=response.status,
        charset=response.charset,
        link=response.link,
    )


def _directories(tree: Page, trip: Trip) -> Iterator[tuple[str, Page]]:
    """Each directory with the files in it; one that a whole tree lacks holds none."""
    found: dict[str, list[Asset]] = {}
    for asset in tree.assets:
        found.setdefault(_directory(asset.url, trip.channel.address), []).append(asset)
    if tree.shape.complete:
        for tag, known in trip.memory.releases.items():
            if known.wheels:
                found.setdefault(tag, [])
    for tag, assets in found.items():
        shape = (
            Shape.EMPTY
            if tree.shape.complete and not assets
            else Shape.PARTIAL
            if not tree.shape.complete
            else Shape.OK
        )
        yield tag, replace(tree, shape=shape, assets=tuple(assets), problems=())


def _directory(url: str, repository: str) -> str:
    path = url.partition(f"/{repository}/resolve/{_ROOT}/")[2]
    return unquote(path.rpartition("/")[0]) or _ROOT
