"""Walks of package indexes.

It knows which pages an index has for which packages; it must not know what stands on them or how they are fetched.
"""

from __future__ import annotations

import re
from contextlib import aclosing
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from crawler.abreast import in_order
from crawler.channels import aliases_of, below, bundled_packages, normalized
from crawler.pages.simple import parse_root, parse_simple
from crawler.trip import page_error, settled
from wheels.errors import ChannelError, NotRecorded
from wheels.observation import Cause
from wheels.page import Page, Shape

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable

    from crawler.channels import Channel
    from crawler.response import Response
    from crawler.trip import Trip, WalkOptions
    from wheels.observation import ChannelMemory, Observation

ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"  # PEP 691
_AT_ONCE = 4
_DEPTH = 3
"""Levels of directories below the root of an index that nobody described: ``nightly/cu129/sglang``."""
_MOST_PAGES = 1000
_MOST_NEXT = 1000
"""Pages of one listing."""
_ROOT_NAME = re.compile(
    r"(cu|cuda|rocm|musa|gfx|torch|pt|py|v)?-?\d[\w.+-]*|cpu|xpu|npu|metal|vulkan|nightly|stable|test|pre|whl|AVX\w*|basic",
    re.IGNORECASE,
)


async def walk_index(trip: Trip) -> AsyncGenerator[Observation, None]:
    """Read an index: each root's page of each package, or, where nobody says which, everything that the root lists.

    Raises:
        ChannelError: the walk cannot go on.
    """
    packages = _packages(trip.channel, trip.memory, trip.options)
    if packages is None:
        async with aclosing(_walk_listing(trip)) as seen:
            async for observation in seen:
                yield observation
        return
    roots = [*trip.channel.root_urls(), *await _discovered(trip)]
    found = 0
    async with aclosing(_walk_roots(trip, roots, packages)) as seen:
        async for observation in seen:
            found += 1
            yield observation
    if not found and trip.channel.user_named and not trip.channel.configured:
        async with aclosing(_walk_nested(trip, packages)) as seen:
            async for observation in seen:
                yield observation


def count_pages(channel: Channel, memory: ChannelMemory, options: WalkOptions) -> int:
    """How many pages a walk of an index, or of what has no packages, asks for, as far as that is known before."""
    if channel.kind != "index":
        return max(len(channel.roots), sum("://" in tag for tag in memory.releases))
    packages = _packages(channel, memory, options)
    if packages is None:
        return max(2, len(memory.releases) + 1)
    return bool(channel.discover) + len(channel.roots) * len(packages)


def _packages(channel: Channel, memory: ChannelMemory, options: WalkOptions) -> tuple[str, ...] | None:
    """The packages to ask for, other names of the same projects too; None: whatever is listed."""
    asked = options.packages
    if asked is not None:
        names = dict.fromkeys(alias for package in sorted(asked) for alias in aliases_of(package))
        return tuple(name for name in names if channel.may_carry(name))
    if channel.packages:
        return channel.packages
    if not channel.configured:
        return None
    known = {tag for tag in memory.releases if "/" not in tag}
    return tuple(sorted({*bundled_packages(), *known}))


async def _discovered(trip: Trip) -> list[str]:
    """Roots that the address's own page lists and nobody described: the CUDA version of tomorrow."""
    channel = trip.channel
    if not channel.discover:
        return []
    page = await _root_page(trip, channel.address)
    names = _children(page) if page.shape.usable else []
    wanted = [name for name in names if any(fnmatchcase(name, glob) for glob in channel.discover)]
    return [below(channel.address, quote(name)) for name in wanted if name not in channel.roots]


async def _root_page(trip: Trip, url: str) -> Page:
    """A page that lists projects or roots; GONE or BROKEN when there is none, which is no trouble by itself.

    Raises:
        NotRecorded: in replay, it was not recorded.
    """
    try:
        response = await trip.ask(below(url, ""), accept=ACCEPT, conditional=False)
    except NotRecorded:
        raise
    except ChannelError as error:
        return Page(kind="simple-root", url=url, shape=Shape.BROKEN, reason=error.reason)
    return settled(_parsed_root(trip, response), response)


def _parsed_root(trip: Trip, response: Response) -> Page:
    status = trip.channel.meant(response.status)
    return parse_root(response.body, response.media_type, response.url, status=status, charset=response.charset)


def _children(page: Page) -> list[str]:
    """The names of what a page lists directly below itself."""
    base = urlsplit(page.url)
    start = unquote(base.path).removesuffix("index.html").rstrip("/") + "/"
    names: dict[str, None] = {}
    for link in page.links:
        parts = urlsplit(link)
        path = unquote(parts.path).removesuffix("index.html")
        name = path.removeprefix(start).strip("/")
        if (
            (parts.scheme, parts.netloc) == (base.scheme, base.netloc)
            and path.startswith(start)
            and name
            and "/" not in name
        ):
            names[name] = None
    return list(names)


async def _walk_roots(trip: Trip, roots: Iterable[str], packages: tuple[str, ...]) -> AsyncGenerator[Observation, None]:
    pages = ((below(root, f"{package}/"), package) for root in roots for package in packages)
    calls = (partial(_read_project, trip, url, package) for url, package in pages)
    async with aclosing(in_order(calls, trip.options.jobs or _AT_ONCE)) as results:
        async for observation in results:
            if observation is not None:
                yield observation


async def _read_project(trip: Trip, url: str, package: str) -> Observation | None:
    """One project's page; None when it never was there."""
    tag = _tag(trip, url)
    trip.pages += 1
    try:
        response = await trip.ask(url, accept=ACCEPT)
    except ChannelError as error:
        return trip.failed(url, tag, error)
    if trip.is_same(response, accept=ACCEPT):
        return trip.unchanged(response, tag=tag, accept=ACCEPT)
    page = _parsed(trip, response, package)
    if page.shape is Shape.GONE and tag not in trip.memory.releases:
        trip.used += 1
        return None
    return trip.read(page, response, tag=tag, context="" if trip.channel.configured else tag, accept=ACCEPT)


def _parsed(trip: Trip, response: Response, package: str | None) -> Page:
    status = trip.channel.meant(response.status)
    return parse_simple(
        response.body,
        response.media_type,
        response.url,
        status=status,
        charset=response.charset,
        project=package,
    )


def _tag(trip: Trip, url: str) -> str:
    """The page's directory below the channel's address: ``cu130/sgl-kernel``."""
    start = unquote(urlsplit(trip.channel.address).path).rstrip("/")
    return unquote(urlsplit(url).path).removeprefix(start).strip("/").removesuffix("/index.html")


async def _walk_nested(trip: Trip, packages: tuple[str, ...]) -> AsyncGenerator[Observation, None]:
    """An address that has no such project itself may be the parent of indexes: ``cu130/``, ``nightly/``."""
    page = await _root_page(trip, trip.channel.address)
    roots = [below(trip.channel.address, quote(name)) for name in _children(page) if _ROOT_NAME.fullmatch(name)]
    if not page.shape.usable:
        trip.count(page)
        return
    async with aclosing(_walk_roots(trip, islice(roots, _MOST_PAGES), packages)) as seen:
        async for observation in seen:
            yield observation


async def _walk_listing(trip: Trip) -> AsyncGenerator[Observation, None]:
    """Everything below an address that nobody described: projects, and directories of projects."""
    page = await _root_page(trip, trip.channel.address)
    if page.shape is Shape.GONE:  # nothing else says what the index holds
        trip.trouble(Cause.PAGES, str(page_error(page)))
        return
    trip.count(page)
    waiting = [(below(trip.channel.address, f"{quote(name)}/"), 1) for name in _children(page)]
    while waiting:
        calls = (partial(_read_listed, trip, url, depth) for url, depth in waiting)
        waiting = []
        async with aclosing(in_order(calls, trip.options.jobs or _AT_ONCE)) as results:
            async for observation, deeper in results:
                waiting += deeper
                if observation is not None:
                    yield observation


async def _read_listed(trip: Trip, url: str, depth: int) -> tuple[Observation | None, list[tuple[str, int]]]:
    """A page that a listing leads to: a project's own, or a listing itself."""
    tag = _tag(trip, url)
    trip.pages += 1
    try:
        response = await trip.ask(url, accept=ACCEPT)
    except ChannelError as error:
        return trip.failed(url, tag, error), []
    if trip.is_same(response, accept=ACCEPT):
        return trip.unchanged(response, tag=tag, accept=ACCEPT), []
    page = _parsed(trip, response, normalized(tag.rpartition("/")[2]))
    names = [] if page.assets or depth >= _DEPTH else _children(_parsed_root(trip, response))
    if names:
        trip.used += 1
        return None, [(below(url, f"{quote(name)}/"), depth + 1) for name in names]
    return trip.read(page, response, tag=tag, context=tag, accept=ACCEPT), []
