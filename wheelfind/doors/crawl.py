"""`wheelfind crawl`: read channels into the catalog, once or on a schedule.

It knows the options and how the summary looks; it must not know how a channel is read.
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wheelfind.console import visible, width_of
from wheelfind.durations import read_count, read_duration, read_since
from wheelfind.formats import check_format
from wheelfind.light import LightCommand
from wheelfind.log_lines import JsonConsole, LogLine, check_log_format, log_of
from wheelfind.option_groups import spread
from wheelfind.options import DECLARED, Common
from wheelfind.report.records import FORMATS, write_records
from wheelfind.schedule import crawl_every, ended_well_by_sigterm
from wheelfind.settings import catalog_location, user_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wheelfind.console import Console
    from wheelfind.crawling import CrawlOptions
    from wheelfind.keeping import ChannelReport

NAMES = (
    "channel",
    "status",
    "requests",
    "not_modified",
    "releases",
    "wheels",
    "added",
    "changed",
    "vanished",
    "problems",
    "seconds",
)
"""The row of a channel (contract), to which JSON adds ``cause`` and ``detail``."""
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def complete_channel(incomplete: str) -> list[str]:
    """Names of bundled channels, for the shell."""
    from crawler.channels import bundled_channels  # noqa: PLC0415 - only while completing

    return [channel.name for channel in bundled_channels() if channel.name.startswith(incomplete)]


@app.command("crawl", cls=LightCommand)
@spread(DECLARED)
def crawl(  # noqa: PLR0913, PLR0917 - one argument for each option of the surface
    common: Common,
    channels: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CHANNEL",
            help="Known names, or SPECs that are read this once; none means all.",
            autocompletion=complete_channel,
        ),
    ] = None,
    package: Annotated[
        list[str] | None, typer.Option("--package", metavar="NAME", help="Only channels of this package.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Look at every release again.")] = False,
    max_releases: Annotated[
        str | None, typer.Option("--max-releases", metavar="N", help="Only the newest of each channel.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="DATE", help="Only releases since: 2026-02-27 or 7d.")
    ] = None,
    jobs: Annotated[str | None, typer.Option("--jobs", metavar="N", help="Requests at once for each host.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say how many requests and how long it would take.")
    ] = False,
    record: Annotated[
        str | None, typer.Option("--record", metavar="DIR", help="Write every exchange to cassettes, without secrets.")
    ] = None,
    replay: Annotated[
        str | None, typer.Option("--replay", metavar="DIR", help="Read cassettes instead of the network.")
    ] = None,
    every: Annotated[
        str | None, typer.Option("--every", metavar="SPAN", help="Crawl again and again: 6h. SIGTERM ends it well.")
    ] = None,
    log_format: Annotated[
        str | None,
        typer.Option(
            "--log-format", metavar="FORMAT", help="Notes on standard error: text, or json (one event a line)."
        ),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for another crawl of this catalog to end.")] = False,
    accept_vanish: Annotated[
        list[str] | None,
        typer.Option("--accept-vanish", metavar="CHANNEL", help="Believe it when half of a channel is gone at once."),
    ] = None,
) -> int:
    """Read channels into the catalog: new releases, changed files, vanished ones. Nothing is ever deleted.

    Examples:
      wheelfind crawl                                   every known channel
      wheelfind crawl sgl-project/whl --max-releases 50
      wheelfind crawl --package sgl_kernel --package torch
      wheelfind crawl links:https://wheels.example/torch.html
      wheelfind crawl --every 6h -q

    GITHUB_TOKEN or GH_TOKEN makes GitHub channels faster and complete.
    """
    form = check_format(common.format, FORMATS)
    check_log_format(log_format)
    seconds = read_duration("--every", every) if every else None
    newest = read_count("--max-releases", max_releases) if max_releases else None
    earliest = datetime.fromisoformat(read_since(since, datetime.now(UTC))) if since else None
    at_once = read_count("--jobs", jobs) if jobs else None
    with ended_well_by_sigterm() if seconds is not None else nullcontext():
        from wheelfind import crawling  # noqa: PLC0415 - the network and the ORM, after the words were read

        options = crawling.CrawlOptions(
            location=catalog_location(common.db, os.environ),
            channels=tuple(channels or ()),
            packages=tuple(package or ()),
            full=full,
            max_releases=newest,
            since=earliest,
            jobs=at_once,
            record=user_path(record) if record else None,
            replay=user_path(replay) if replay else None,
            wait=wait,
            accept_vanish=tuple(accept_vanish or ()),
        )
        with log_of(log_format, common) as console:
            if dry_run:
                return _expect(options, form, console)
            if seconds is not None:
                return _repeat(options, seconds, form, console)
            return _once(options, form, console)
    return 0


def _once(options: CrawlOptions, form: str, console: Console) -> int:
    from wheelfind import crawling  # noqa: PLC0415 - see above

    reports = crawling.crawl(options, console.progress)
    _write(reports, form, console)
    return crawling.exit_status(reports)


def _repeat(options: CrawlOptions, seconds: float, form: str, console: Console) -> int:
    crawl_every(seconds, lambda: _once(options, form, console), say=console.complain)
    return 0


def _expect(options: CrawlOptions, form: str, console: Console) -> int:
    from wheelfind import crawling  # noqa: PLC0415 - see above

    rows = [asdict(expected) for expected in crawling.expect(options)]
    names = tuple(rows[0]) if rows else ()
    console.put(write_records(names, rows, form, width=width_of(sys.stdout, os.environ)))
    total = sum(row["requests"] for row in rows)
    console.say(LogLine(f"{total} requests to {len(rows)} channels", "expected", requests=total, channels=len(rows)))
    return 0


def _write(reports: Sequence[ChannelReport], form: str, console: Console) -> None:
    rows = [_facts(report) for report in reports]
    names = NAMES if form in {"table", "markdown"} else (*NAMES, "cause", "detail")
    console.put(write_records(names, rows, form, width=width_of(sys.stdout, os.environ)))
    for report in reports:
        if report.detail or isinstance(console, JsonConsole):
            level = "warning" if report.grave else "info"
            text = visible(", ".join(filter(None, (f"{report.channel}: {report.status}", report.detail))))
            console.say(LogLine(text, "channel-ended", level, **_facts(report)))
    counts = {
        status: sum(report.status == status for report in reports)
        for status in ("ok", "unchanged", "partial", "failed")
    }
    text = ", ".join(f"{count} {status}" for status, count in counts.items() if count) or "no channel to read"
    console.say(LogLine(text, "crawl-ended", counts=counts))


def _facts(report: ChannelReport) -> dict[str, Any]:
    facts = asdict(report)
    return facts | {"status": str(report.status), "cause": None if report.cause is None else str(report.cause)}
