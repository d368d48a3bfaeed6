"""A small world for walks: pages by URL, a clock that is set, a client that answers from them, and a memory."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import wraps
from hashlib import sha256
from typing import TYPE_CHECKING, ParamSpec

from crawler.response import Access, Response
from crawler.settings import HttpSettings
from crawler.walk import WalkOptions, walk
from wheels.errors import ChannelError, NotRecorded
from wheels.observation import (
    ChannelMemory,
    KnownRelease,
    Observation,
    PageRead,
    PageUnchanged,
    ReleaseListRead,
    Validators,
    WalkEnded,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from crawler.channels import Channel
    from wheels.page import Shape

P = ParamSpec("P")


def awaited(test: Callable[P, Coroutine[None, None, None]]) -> Callable[P, None]:
    """A test that waits."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What stands at an address."""

    body: bytes = b""
    status: int = 200
    media_type: str = "text/html"
    link: str | None = None
    url: str | None = None
    """Final URL, when it redirects."""
    etag: bool = True
    """Whether the server validates."""
    whole: bool = True


class World:
    """The outside: addresses and what they answer; it notes what was asked."""

    def __init__(self, *, token: str | None = None) -> None:
        self.pages: dict[str, Reply | ChannelError | Callable[[], Reply]] = {}
        self.settings = HttpSettings(github_token=token)
        self.now = NOON
        self.asked: list[str] = []
        self.at_once = 0
        self.most_at_once = 0

    def clock(self) -> datetime:
        return self.now

    def later(self, **by: float) -> World:
        self.now += timedelta(**by)
        return self

    def put(self, url: str, body: bytes, **facts: object) -> None:
        self.pages[url] = replace(Reply(body=body), **facts)  # type: ignore[arg-type] # facts are its fields

    def missing(self, *urls: str) -> None:
        for url in urls:
            self.pages[url] = Reply(status=404)

    def for_channel(self, name: str, access: Access | None = None) -> Visitor:
        return Visitor(self, name, access or Access())


@dataclass
class Visitor:
    """The client as one channel sees it."""

    world: World
    name: str
    access: Access
    requests: int = 0
    not_modified: int = 0

    async def fetch(
        self,
        url: str,
        *,
        accept: str = "",
        validators: Validators | None = None,
        access: Access | None = None,
        partial_ok: bool = False,
        ahead: bool = False,
    ) -> Response:
        assert partial_ok or access is not None
        del ahead  # whose turn it is is the client's own affair
        self.requests += 1
        world = self.world
        world.asked.append(url)
        world.at_once += 1
        world.most_at_once = max(world.most_at_once, world.at_once)
        await asyncio.sleep(0)
        world.at_once -= 1
        found = world.pages.get(url)
        if callable(found) and not isinstance(found, ChannelError):
            found = found()
        if found is None:
            raise NotRecorded("replay", url, "nothing stands there")
        if isinstance(found, ChannelError):
            raise found
        etag = f'"{sha256(found.body).hexdigest()[:12]}"' if found.etag and found.status == 200 else None
        same = etag is not None and validators is not None and validators.etag == etag and validators.accept == accept
        self.not_modified += same
        return Response(
            requested_url=url,
            url=found.url or url,
            status=304 if same else found.status,
            media_type=found.media_type,
            body=b"" if same else found.body,
            whole=found.whole,
            etag=etag,
            link=found.link,
            fetched_at=world.now,
            redirects=(url,) if found.url else (),
        )


@dataclass
class Walked:
    """What a walk saw."""

    seen: list[Observation] = field(default_factory=list)

    @property
    def end(self) -> WalkEnded:
        assert isinstance(self.seen[-1], WalkEnded)
        return self.seen[-1]

    @property
    def pages(self) -> dict[str | None, PageRead]:
        """Pages with files that were read, by tag (or by address where they have none)."""
        files = [
            each for each in self.seen if isinstance(each, PageRead) and each.page.kind not in {"atom", "release-list"}
        ]
        return {each.tag or each.requested_url: each for each in files if each.tag or each.page.kind == "links"}

    @property
    def unchanged(self) -> list[str | None]:
        return [each.tag for each in self.seen if isinstance(each, PageUnchanged)]

    @property
    def listing(self) -> ReleaseListRead | None:
        return next((each for each in self.seen if isinstance(each, ReleaseListRead)), None)

    def names(self, tag: str) -> list[str]:
        return [asset.filename for asset in self.pages[tag].page.assets]

    def shapes(self) -> dict[str | None, Shape]:
        return {tag: each.page.shape for tag, each in self.pages.items()}


async def go(world: World, channel: Channel, memory: ChannelMemory | None = None, **options: object) -> Walked:
    """Walk once."""
    options.setdefault("refetch_seconds", 0.0)
    chosen = WalkOptions(**options)  # type: ignore[arg-type] # its own fields
    world.asked.clear()
    return Walked([seen async for seen in walk(channel, world, memory or ChannelMemory(), chosen)])


def remember(walked: Walked, memory: ChannelMemory | None = None) -> ChannelMemory:
    """What a catalog would hand to the next walk."""
    memory = memory or ChannelMemory()
    validators, releases = dict(memory.validators), dict(memory.releases)
    for seen in walked.seen:
        if isinstance(seen, PageUnchanged):
            validators[seen.requested_url] = seen.validators
            if seen.tag in releases:
                releases[seen.tag] = replace(
                    releases[seen.tag], last_read_at=seen.fetched_at, next_check_at=seen.next_check_at
                )
        elif isinstance(seen, ReleaseListRead):
            memory = replace(
                memory, list_complete=seen.complete, repository=seen.repository, repository_id=seen.repository_id
            )
            for release in seen.releases:
                blank = KnownRelease(tag=release.tag, page_url="", last_read_at=None)
                known = releases.get(release.tag, blank)
                releases[release.tag] = replace(known, published_at=release.published_at or known.published_at)
        elif isinstance(seen, PageRead) and seen.page.shape.usable:
            if seen.page.shape.complete:
                validators[seen.requested_url] = seen.validators
            if seen.tag is not None:
                releases[seen.tag] = KnownRelease(
                    tag=seen.tag,
                    page_url=seen.page.url,
                    last_read_at=seen.fetched_at,
                    next_check_at=seen.next_check_at,
                    complete=seen.page.shape.complete,
                    wheels=len(seen.page.assets),
                    published_at=seen.release.published_at if seen.release else None,
                )
    return replace(memory, validators=validators, releases=releases)
