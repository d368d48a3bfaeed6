"""A whole crawl: under which lock, of which channels, into which catalog, and what the run's record says at the end.

It knows the order of a crawl; it must not know terminals, pages or rows.
"""

from __future__ import annotations

import os
import shlex
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from crawler.http import Client, utc_now
from crawler.settings import CRAWL_WAIT_SECONDS, FIND_WAIT_SECONDS
from crawler.urls import origin_of
from crawler.walk import WalkOptions, expected_requests
from storage.lock import crawl_lock
from storage.open import exists, open_catalog, open_reader
from storage.search import package_names
from wheelfind.channel_choice import Surroundings, recorded
from wheelfind.interrupts import run_interruptible
from wheelfind.keeping import ChannelReport, Progress, crawl_channels, exit_status
from wheels.errors import CatalogBusy
from wheels.observation import ChannelMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from crawler.channels import Channel
    from crawler.settings import HostPace, HttpSettings
    from storage.write import Catalog

__all__ = ["ChannelReport", "CrawlOptions", "Expected", "crawl", "exit_status", "expect", "read_first"]

REPLY_SECONDS = 0.33
"""What a reply is taken for in an estimate."""
FIRST_RELEASES = 20
"""So many of the newest releases of a channel are read before a first answer (contract, "first use")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlOptions:
    """What a crawl was asked to do."""

    location: str
    """Path or URL of the catalog."""
    channels: tuple[str, ...] = ()
    """Known names or SPECs; empty: every known channel."""
    packages: tuple[str, ...] = ()
    full: bool = False
    max_releases: int | None = None
    since: datetime | None = None
    jobs: int | None = None
    record: Path | None = None
    replay: Path | None = None
    wait: bool = False
    """Wait for another crawl of the same catalog."""
    accept_vanish: tuple[str, ...] = ()
    limit_seconds: float | None = None
    """Stop after this long; what was read stays."""
    wait_seconds: float = CRAWL_WAIT_SECONDS
    """Longest wait that a host may ask for."""
    max_age_seconds: float | None = None
    """Leave out channels that were wholly read at most so long ago."""
    clock: Callable[[], datetime] = utc_now
    """UTC, aware: what is due, and when things were seen."""


def crawl(options: CrawlOptions, progress: Progress) -> list[ChannelReport]:
    """Crawl once.

    Args:
        options: what to read and how.
        progress: takes one line at a time.

    Returns:
        One report a channel.

    Raises:
        UsageError: a channel or setting that cannot be read.
        CatalogBusy: another crawl holds the catalog.
        CatalogError: the catalog cannot be written.
        Interrupted: a signal came; finished pages are stored.
    """
    around = Surroundings.of(os.environ, replay=options.replay is not None)
    channels = around.choose(options.channels, options.packages)
    with crawl_lock(options.location, wait=options.wait), closing(_open(options)) as catalog:
        with _run(catalog, options) as reports:
            reports.extend(run_interruptible(_walk_all(channels, catalog, options, around, progress)))
        return reports


def _open(options: CrawlOptions) -> Catalog:
    return open_catalog(options.location, options.clock)


def read_first(
    packages: Sequence[str],
    *,
    location: str,
    progress: Progress,
    limit_seconds: float,
    replay: Path | None = None,
    max_age_seconds: float | None = None,
) -> list[ChannelReport]:
    """Read the channels of some packages before an answer: indexes, and the newest releases.

    Args:
        packages: normalised names.
        location: path or URL of the catalog.
        progress: takes one line at a time.
        limit_seconds: stop after this long; what was read stays.
        replay: cassettes that answer in place of the network; they are read wholly.
        max_age_seconds: leave out channels that were wholly read at most so long ago; None: read all.

    Returns:
        One report a channel; none when another crawl is filling the catalog already, which is said.

    Raises:
        UsageError: a channel or setting that cannot be read.
        CatalogError: the catalog cannot be written.
        Interrupted: a signal came; finished pages are stored.
    """
    options = CrawlOptions(
        location=location,
        packages=tuple(packages),
        max_releases=None if replay else FIRST_RELEASES,
        replay=replay,
        limit_seconds=limit_seconds,
        wait_seconds=FIND_WAIT_SECONDS,
        max_age_seconds=max_age_seconds,
    )
    try:
        return crawl(options, progress)
    except CatalogBusy as busy:
        progress(f"{busy.reason}; the answer is from what it has stored so far")
        return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a crawl of one channel would cost."""

    channel: str
    requests: int
    seconds: float
    """At the pace of the channel's host, a reply taken for a third of a second."""


def expect(options: CrawlOptions) -> list[Expected]:
    """What a crawl would cost, from what the catalog knows of earlier ones; asks nobody and writes nothing.

    Raises:
        UsageError: a channel or setting that cannot be read.
        CatalogError: the catalog cannot be read.
    """
    around = Surroundings.of(os.environ, replay=False)
    channels = around.choose(options.channels, options.packages)
    memories, stored = _known(options.location, channels)
    now = datetime.now(UTC)
    settings = replace(around.http, jobs=options.jobs)

    def expected(channel: Channel) -> Expected:
        asked = _walk_options(options, around.asked_of(channel, options.packages, stored))
        token = settings.github_token is not None
        count = expected_requests(channel, memories[channel.name], asked, now=now, token=token)
        pace = settings.pace_of(origin_of(_home(channel, settings, token=token)))
        return Expected(channel=channel.name, requests=count, seconds=round(count * _seconds_apart(pace), 1))

    return [expected(channel) for channel in channels]


def _known(location: str, channels: Sequence[Channel]) -> tuple[dict[str, ChannelMemory], list[str]]:
    """What an existing catalog knows of channels and packages; one that is not there is not made."""
    if not exists(location):
        return {channel.name: ChannelMemory() for channel in channels}, []
    with closing(open_catalog(location)) as catalog, closing(open_reader(location)) as reader:
        return {channel.name: catalog.memory(channel.name) for channel in channels}, package_names(reader)


def _home(channel: Channel, settings: HttpSettings, *, token: bool) -> str:
    """The address whose pace a walk of the channel keeps."""
    if channel.kind != "github":
        return channel.root_urls()[0]
    return settings.github_api_url if token else settings.github_url


def _seconds_apart(pace: HostPace) -> float:
    return max(pace.apart_seconds, REPLY_SECONDS / pace.at_once)


@contextmanager
def _run(catalog: Catalog, options: CrawlOptions) -> Iterator[list[ChannelReport]]:
    """The run's record: it says how the run ended, whatever ended it."""
    run = catalog.begin_run(_command(options), accept_vanish=options.accept_vanish)
    reports: list[ChannelReport] = []
    status = "failed"
    try:
        yield reports
        status = "failed" if exit_status(reports) else "ok"
    except SystemExit:
        status = "interrupted"
        raise
    finally:
        catalog.end_run(run, status)


def _command(options: CrawlOptions) -> str:
    """The run's command line as far as it may be kept: SPECs can hold passwords, names cannot."""
    names = [word for word in options.channels if "@" not in word and "?" not in word]
    return shlex.join(["crawl", *names, *(f"--package={package}" for package in options.packages)])


async def _walk_all(
    channels: Sequence[Channel], catalog: Catalog, options: CrawlOptions, around: Surroundings, progress: Progress
) -> list[ChannelReport]:
    with closing(open_reader(options.location)) as reader:
        stored = package_names(reader)
    settings = replace(around.http, jobs=options.jobs, max_wait_seconds=options.wait_seconds)

    def walk_options(channel: Channel) -> WalkOptions:
        return _walk_options(options, around.asked_of(channel, options.packages, stored))

    async with Client(settings=settings, record=options.record, replay=options.replay, clock=options.clock) as client:
        chosen = [channel for channel in channels if not client.replaying or recorded(channel, client)]
        chosen = [channel for channel in chosen if not _fresh(catalog, channel, options.max_age_seconds)]
        return await crawl_channels(
            chosen,
            catalog=catalog,
            client=client,
            options=walk_options,
            progress=progress,
            limit_seconds=options.limit_seconds,
        )


def _fresh(catalog: Catalog, channel: Channel, max_age_seconds: float | None) -> bool:
    """Whether a channel was wholly read so lately that it is left out."""
    if max_age_seconds is None:
        return False
    read_at = catalog.memory(channel.name).last_complete_at
    return read_at is not None and (datetime.now(UTC) - read_at).total_seconds() <= max_age_seconds


def _walk_options(options: CrawlOptions, packages: frozenset[str] | None) -> WalkOptions:
    return WalkOptions(
        packages=packages,
        full=options.full,
        max_releases=options.max_releases,
        since=options.since,
        jobs=options.jobs,
    )
