"""One wheel from one of its places to this disk: resumed where that is right, checked, then renamed.

It knows tries, places and checks; it must not know how a wheel is chosen or what a reply looks like.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawler.stream import FILE, stream
from crawler.urls import redact_url, without_userinfo
from wheelfind.part_file import PartFile
from wheels.errors import ChannelError, RangeError, TooSlow, TruncatedResponse, WrongFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crawler.http import Client
    from crawler.response import Access

_TRIES = 3
"""Tries in a row that bring nothing new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """One place of a file, and what may be reached from there."""

    url: str
    """May hold a password of the user's."""
    channel: str
    access: Access
    home: str = ""
    """Address of the channel, which may hold its credentials; empty when it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A file and how to know it."""

    origins: tuple[Origin, ...]
    sha256: str | None
    """None: whatever comes is taken."""
    size: int | None
    """Bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Got:
    """A file that is there."""

    sha256: str
    size: int
    """Bytes."""
    url: str
    """Where it came from, without secrets."""
    came: int
    """Bytes that this run brought."""
    resumed_from: int
    """Bytes that an earlier run had left."""


def already_there(target: Path, sha256: str | None) -> bool:
    """Whether the file is there and is the right one.

    Args:
        target: where it would be written.
        sha256: its digest; None: nothing is known to be right.
    """
    if sha256 is None or not target.is_file():
        return False
    with target.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256


async def download(
    wanted: Wanted,
    target: Path,
    client: Client,
    *,
    progress: Callable[[int], None],
    told: Callable[[str], None],
) -> Got:
    """Bring a file here; the target appears whole and checked, or not at all.

    Args:
        wanted: the file, at least one origin.
        target: where it is to lie; what is there is replaced.
        client: who asks.
        progress: is told how many bytes are there.
        told: is told why a place was left for the next one.

    Raises:
        WrongFile: what came is not what was promised; it is deleted.
        ChannelError: no place gave the file; what came stays for the next run.
        UsageError: the target cannot be written.
        DiskFull: there is no room.
    """
    with PartFile(target, size=wanted.size, progress=progress) as part:
        *others, last = wanted.origins
        for origin in others:
            try:
                return await _from(origin, wanted, part, client)
            except ChannelError as error:
                told(str(error))
        return await _from(last, wanted, part, client)


async def _from(origin: Origin, wanted: Wanted, part: PartFile, client: Client) -> Got:
    tries = 0
    while True:
        before = part.length
        try:
            await _fill(origin, wanted, part, client)
            return await _finished(origin, wanted, part)
        except (TruncatedResponse, TooSlow):
            tries = tries + 1 if part.length <= before else 1
            if tries >= _TRIES:
                raise
        except (RangeError, WrongFile) as error:
            # Another hash after a whole, fresh transfer would come again; an error page or a mixed file would not.
            again = isinstance(error, RangeError) or part.resumed_from > 0 or part.came == 0
            part.discard()
            tries += 1
            if tries >= _TRIES or not again:
                raise
        await asyncio.sleep(client.settings.backoff_seconds * 2**tries)


async def _fill(origin: Origin, wanted: Wanted, part: PartFile, client: Client) -> None:
    start, etag = part.resume(without_userinfo(origin.url))
    if start and part.complete:
        part.resumed_from = start
        return
    channel = client.for_channel(origin.channel, origin.access)
    if origin.home:
        channel.learn(origin.home, named=True)
    limits = FILE if wanted.size is None else replace(FILE, wire_bytes=wanted.size)
    await stream(channel, origin.url, part, start=start, unless_changed=etag, limits=limits)


async def _finished(origin: Origin, wanted: Wanted, part: PartFile) -> Got:
    """Check, then rename."""
    digest = await asyncio.to_thread(part.digest)
    if wanted.size is not None and part.length != wanted.size:
        raise _wrong(origin, f"{part.length} bytes came where {wanted.size} were promised")
    if part.length == 0:
        raise _wrong(origin, "nothing came")
    if wanted.sha256 not in (None, digest):
        raise _wrong(origin, f"its sha256 is {digest} where {wanted.sha256} was promised")
    part.finish()
    return Got(
        sha256=digest,
        size=part.length,
        url=redact_url(origin.url),
        came=part.came,
        resumed_from=part.resumed_from,
    )


def _wrong(origin: Origin, reason: str) -> WrongFile:
    hint = "It was deleted. `wheelfind show` names every hash ever seen; `wheelfind crawl` reads the channel anew."
    return WrongFile("take", redact_url(origin.url), reason, hint)
