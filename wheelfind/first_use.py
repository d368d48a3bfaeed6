"""Channels are read before the answer when none of the package's was ever read, or when that is asked for.

It knows when reading is due and says what came of it; it must not know how a channel is read.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from wheelfind.catalog_source import CatalogSource
from wheelfind.durations import read_duration
from wheelfind.settings import catalog_location
from wheels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wheelfind.console import Console
    from wheelfind.crawling import ChannelReport
    from wheelfind.options import Reading

LIMIT_SECONDS = 30.0
"""How long the reading before an answer may take."""


class Prepared:
    """A catalog that is ready to answer; closed by its user.

    Args:
        location: path or URL of the catalog.
        reports: how the channels ended that were read for this answer; empty when none was due.
        folder: where a throw-away catalog lies; None for the user's own.
    """

    def __init__(
        self,
        location: str,
        reports: Sequence[ChannelReport] = (),
        folder: tempfile.TemporaryDirectory[str] | None = None,
    ) -> None:
        self.location = location
        self.reports = reports
        self._folder = folder
        self.source = CatalogSource.open(location)

    def close(self) -> None:
        """Close the catalog, and remove it when it was a throw-away one."""
        self.source.close()
        if self._folder is not None:
            self._folder.cleanup()


def prepare_catalog(packages: Sequence[str], db: str | None, reading: Reading, console: Console) -> Prepared:
    """The catalog that answers for the packages, its channels read first where that is due.

    Args:
        packages: normalised names, aliases included.
        db: value of ``--db``.
        reading: when to read.
        console: takes progress and what could not be read.

    Raises:
        UsageError: the options contradict each other, or a value cannot be read.
        CatalogError: the catalog cannot be opened.
    """
    if reading.offline and (reading.refresh or reading.max_age or reading.replay):
        raise UsageError("run", "--offline", "it forbids what --refresh, --max-age and --replay ask for")
    if reading.replay:
        return _replayed(packages, reading.replay, console)
    location = catalog_location(db, os.environ)
    reports = () if reading.offline else _read_when_due(packages, location, reading, console)
    return Prepared(location, reports)


def _replayed(packages: Sequence[str], folder: str, console: Console) -> Prepared:
    cassettes = Path(folder).expanduser()
    if not cassettes.is_dir():
        raise UsageError(
            "replay", folder, "there is no such folder", "This project's own recordings: --replay cassettes"
        )
    room = tempfile.TemporaryDirectory(prefix="wheelfind-")
    try:
        location = str(Path(room.name) / "catalog.sqlite")
        return Prepared(location, _read(packages, location, console, replay=cassettes), room)
    except BaseException:
        room.cleanup()
        raise


def _read_when_due(
    packages: Sequence[str], location: str, reading: Reading, console: Console
) -> Sequence[ChannelReport]:
    max_age = read_duration("--max-age", reading.max_age) if reading.max_age else None
    if not reading.refresh and max_age is None and _was_read(packages, location):
        return ()
    return _read(packages, location, console, refresh=reading.refresh, max_age_seconds=max_age)


def _was_read(packages: Sequence[str], location: str) -> bool:
    source = CatalogSource.open(location)
    try:
        return source.knows(packages)
    finally:
        source.close()


def _read(
    packages: Sequence[str],
    location: str,
    console: Console,
    *,
    refresh: bool = False,
    max_age_seconds: float | None = None,
    replay: Path | None = None,
) -> Sequence[ChannelReport]:
    from wheelfind.crawling import read_first  # noqa: PLC0415 - the network and the ORM load only when reading is due

    reports = read_first(
        list(packages),
        location=location,
        refresh=refresh,
        max_age_seconds=max_age_seconds,
        replay=replay,
        limit_seconds=LIMIT_SECONDS,
        progress=console.detail if replay else console.say,
    )
    for report in reports:
        _say_what_is_missing(report, console)
    return reports


def _say_what_is_missing(report: ChannelReport, console: Console) -> None:
    if report.status in {"partial", "failed"}:
        what = "could not be read" if report.status == "failed" else "was read in part"
        console.say(f"{report.channel} {what}: {report.detail or report.cause or 'no reason given'}")
    if report.status == "partial":
        console.say(f"the rest: wheelfind crawl {shlex.quote(report.channel)}")
