"""From walks to the catalog: runs channels side by side, keeps what they saw, and says how each ended.

It knows walks, one transaction a page and the sums; it must not know how a page is fetched, how a row is written, or
which channels were chosen.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler.walk import WalkOptions, walk
from storage.write import Catalog, Delta
from wheelfind.log_lines import LogLine
from wheels.errors import CatalogError, WheelfindError
from wheels.observation import Cause, Observation, PageFailed, PageUnchanged, Status, WalkEnded

if TYPE_CHECKING:
    from crawler.channels import Channel
    from crawler.http import Client

Progress = Callable[[str], None]
"""Takes one line for a person who waits: a ``LogLine`` where there are facts to it."""

GRAVE_CAUSES = frozenset({Cause.PAGES, Cause.RATE_LIMIT, Cause.CUT, Cause.VANISH})
"""A partial walk for one of these ends the crawl with status 3; the others are as asked or as documented."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelReport:
    """One row of ``wheelfind crawl``."""

    channel: str
    status: Status
    requests: int = 0
    not_modified: int = 0
    releases: int = 0
    """Releases or index pages looked at."""
    wheels: int = 0
    """Live wheels of the channel after the run."""
    added: int = 0
    changed: int = 0
    vanished: int = 0
    problems: int = 0
    seconds: float = 0.0
    cause: Cause | None = None
    detail: str = ""

    @property
    def grave(self) -> bool:
        """Whether this row makes the crawl end with status 3."""
        return self.status is Status.FAILED or (self.status is Status.PARTIAL and self.cause in GRAVE_CAUSES)


def exit_status(reports: Sequence[ChannelReport]) -> int:
    """The contract's status of a crawl: 3 when a channel failed or is partial against its will, else 0."""
    return 3 if any(report.grave for report in reports) else 0


@dataclass(slots=True)
class _Tally:
    """Adds up what one walk changed."""

    channel: str
    progress: Progress
    delta: Delta = field(default_factory=Delta)
    pages: int = 0
    ended: WalkEnded | None = None

    def add(self, seen: Observation, delta: Delta) -> None:
        self.delta += delta
        match seen:
            case WalkEnded():
                self.ended = seen
            case PageFailed(error=error):
                self._say(str(error), "page-failed", "warning", url=seen.requested_url, tag=seen.tag)
            case PageUnchanged():
                self.pages += 1
            case _:
                self.pages += 1
                text = f"{self.pages} pages, {self.delta.added} new wheels"
                self._say(text, "page-read", pages=self.pages, added=self.delta.added)

    def _say(self, text: str, event: str, level: str = "info", **facts: Any) -> None:
        self.progress(LogLine(f"{self.channel}: {text}", event, level, channel=self.channel, **facts))

    def report(self, wheels: int, seconds: float) -> ChannelReport:
        ended = self.ended or WalkEnded(channel=self.channel, status=Status.FAILED, cause=Cause.CUT)
        status, cause, detail = ended.status, ended.cause, ended.detail
        if self.delta.mass_vanish and status is not Status.FAILED:
            status, cause = Status.PARTIAL, Cause.VANISH
            detail = (
                f"half of its files were missing at once, nothing was marked; --accept-vanish {self.channel} accepts it"
            )
        return ChannelReport(
            channel=self.channel,
            status=status,
            cause=cause,
            detail=detail,
            requests=ended.requests,
            not_modified=ended.not_modified,
            releases=ended.releases,
            wheels=wheels,
            added=self.delta.added,
            changed=self.delta.changed,
            vanished=self.delta.vanished,
            problems=self.delta.problems,
            seconds=round(seconds, 3),
        )


async def crawl_channels(
    channels: Sequence[Channel],
    *,
    catalog: Catalog,
    client: Client,
    options: Callable[[Channel], WalkOptions],
    progress: Progress,
    limit_seconds: float | None = None,
) -> list[ChannelReport]:
    """Walk channels side by side and keep what they show, one transaction a page.

    Args:
        channels: what to read; each is walked once.
        catalog: open for writing, its run begun.
        client: the one HTTP client.
        options: what is asked of a channel.
        progress: takes one line at a time.
        limit_seconds: stop all walks after this long; finished pages stay, the cut channels say so. None: no limit.

    Returns:
        One report a channel, in the order given. A channel that fails never stops the others.

    Raises:
        CatalogError: the catalog could not be written; what was stored stays.
        asyncio.CancelledError: the run was interrupted; finished pages are stored and the channels marked cut.
    """
    reports: dict[str, ChannelReport] = {}
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(limit_seconds):
            try:
                async with asyncio.TaskGroup() as group:
                    for channel in channels:
                        group.create_task(_crawl_one(channel, catalog, client, options, progress, reports))
            except* CatalogError as failures:
                raise failures.exceptions[0] from None
    return [reports[channel.name] for channel in channels if channel.name in reports]


async def _crawl_one(
    channel: Channel,
    catalog: Catalog,
    client: Client,
    options: Callable[[Channel], WalkOptions],
    progress: Progress,
    reports: dict[str, ChannelReport],
) -> None:
    tally = _Tally(channel=channel.name, progress=progress)
    started = time.monotonic()

    def keep(seen: Observation) -> None:
        tally.add(seen, catalog.store(seen))

    try:
        async with contextlib.aclosing(
            walk(channel, client, catalog.memory(channel.name), options(channel))
        ) as observations:
            async for seen in observations:
                keep(seen)
    except asyncio.CancelledError:
        status = Status.PARTIAL if tally.pages else Status.FAILED
        keep(_ended(channel, status, Cause.CUT, "cut before its end; the next crawl goes on where this one stopped"))
        raise
    except CatalogError:
        raise
    except WheelfindError as error:
        keep(_ended(channel, Status.FAILED, Cause.PAGES, str(error)))
    except Exception as error:  # noqa: BLE001 - a fault of ours costs its channel, never the others (rule R2)
        keep(_ended(channel, Status.FAILED, Cause.PAGES, _fault(error)))
    finally:
        reports[channel.name] = tally.report(catalog.live_wheels(channel.name), time.monotonic() - started)


def _fault(error: Exception) -> str:
    """Kind and place of an error that nobody foresaw; its text may hold a secret."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"a fault of wheelfind: {type(error).__name__} in {place.name} ({Path(place.filename).name}:{place.lineno})"


def _ended(channel: Channel, status: Status, cause: Cause, detail: str) -> WalkEnded:
    return WalkEnded(channel=channel.name, status=status, cause=cause, detail=detail, ended_at=datetime.now(UTC))
