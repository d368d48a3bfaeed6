"""Channels are read before the answer when none of the package's was ever read, or when that is asked for.

It knows when reading is due and says what came of it; it must not know how a channel is read.
"""

from __future__ import annotations

import os
import sys
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.channels import aliases_of, bundled_channels, bundled_packages, channels_for
from wheelfind.catalog_source import CatalogSource
from wheelfind.console import visible
from wheelfind.durations import read_duration
from wheelfind.settings import catalog_location, config_file, user_path
from wheels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from crawler.channels import Channel
    from wheelfind.console import Console
    from wheelfind.keeping import ChannelReport
    from wheelfind.options import Reading

LIMIT_SECONDS = 30.0
"""How long the reading before an answer may take."""
MOST_NAMES = 8
"""A pattern that fits more known packages than these reads nothing by itself."""
CONFIGURED = "index"
"""Name of the configured index, which is asked for any package."""


class Prepared:
    """A catalog that is ready to answer; closed by its user.

    Args:
        location: path or URL of the catalog.
        needed: names of the channels that the answer rests on.
        reports: how the channels ended that were read for this answer; empty when none was due.
        folder: where a throw-away catalog lies; None for the user's own.
    """

    def __init__(
        self,
        location: str,
        needed: Sequence[str],
        reports: Sequence[ChannelReport] = (),
        folder: tempfile.TemporaryDirectory[str] | None = None,
    ) -> None:
        self.reports = reports
        self._folder = folder
        self.source = CatalogSource(location, needed)

    @property
    def nothing_read(self) -> bool:
        """Whether channels were to be read for this answer and each of them failed."""
        return nothing_read(self.reports)

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
    if (reading.offline or reading.replay) and (reading.refresh or reading.max_age):
        option = "--offline" if reading.offline else "--replay"
        raise UsageError("run", option, "it forbids what --refresh and --max-age ask for")
    if reading.replay:
        return _replayed(packages, reading.replay, console)
    location = catalog_location(db, os.environ)
    projects = _projects(packages, os.environ)
    channels = needed_channels([name for names in projects for name in names] or packages, os.environ)
    reports = () if reading.offline else _read_when_due(projects, channels, location, reading, console)
    names = [channel.name for channel in channels] + [report.channel for report in reports]
    return Prepared(location, list(dict.fromkeys(names)), reports)


def needed_channels(packages: Sequence[str], environ: Mapping[str, str]) -> tuple[Channel, ...]:
    """Bundled and own channels that may carry the packages.

    Args:
        packages: normalised names.
        environ: the process environment.

    Raises:
        UsageError: the configuration file cannot be read.
    """
    return channels_for(packages, (*bundled_channels(), *_own_channels(environ)))


def _own_channels(environ: Mapping[str, str]) -> tuple[Channel, ...]:
    path = config_file(environ)
    if not os.path.exists(path):  # noqa: PTH110 - Path.exists raises for a name that is too long
        return ()
    from crawler.user_channels import user_channels  # noqa: PLC0415 - most users have none

    return user_channels(path)


def _replayed(packages: Sequence[str], folder: str, console: Console) -> Prepared:
    cassettes = user_path(folder)
    if not cassettes.is_dir():
        hint = "This project's own recordings: --replay cassettes"
        raise UsageError("replay", folder, "there is no such folder", hint)
    room = tempfile.TemporaryDirectory(prefix="wheelfind-")
    try:
        location = str(Path(room.name) / "catalog.sqlite")
        projects = _projects(packages, os.environ, most=sys.maxsize)
        reports = _read([name for names in projects for name in names], location, console, replay=cassettes)
        return Prepared(location, [report.channel for report in reports], reports, room)
    except BaseException:
        room.cleanup()
        raise


def _read_when_due(
    projects: Sequence[Sequence[str]], channels: Sequence[Channel], location: str, reading: Reading, console: Console
) -> Sequence[ChannelReport]:
    max_age = read_duration("--max-age", reading.max_age) if reading.max_age else None
    asked = reading.refresh or max_age is not None
    due = [names for names in projects if asked or not _was_read(names, channels_for(names, channels), location)]
    packages = list(dict.fromkeys(name for names in due for name in names))
    return _read(packages, location, console, max_age_seconds=max_age) if packages else ()


def _projects(packages: Sequence[str], environ: Mapping[str, str], most: int = MOST_NAMES) -> list[Sequence[str]]:
    """The packages by project; a pattern is one of all known names that it fits, unless these are too many to read."""
    projects: dict[Sequence[str], None] = {}
    for name in packages:
        if set(name).isdisjoint("*?"):
            projects[tuple(sorted(aliases_of(name)))] = None
        else:
            fitting = sorted(known for known in _known_names(environ) if fnmatchcase(known, name))
            projects.update({tuple(fitting): None} if 0 < len(fitting) <= most else {})
    return list(projects)


def _known_names(environ: Mapping[str, str]) -> set[str]:
    own = (name for channel in _own_channels(environ) for name in channel.packages)
    return {name for name in (*bundled_packages(), *own) if set(name).isdisjoint("*?[")}


def _was_read(packages: Sequence[str], channels: Sequence[Channel], location: str) -> bool:
    with CatalogSource(location) as source, source.damage_told():
        return (
            source.knows(packages)
            or source.was_asked(CONFIGURED, packages)
            or any(source.was_asked(c.name, packages if c.kind == "index" else None) for c in channels)
        )


def _read(
    packages: Sequence[str],
    location: str,
    console: Console,
    *,
    max_age_seconds: float | None = None,
    replay: Path | None = None,
) -> Sequence[ChannelReport]:
    from wheelfind.crawling import read_first  # noqa: PLC0415 - the network and the ORM load only when reading is due

    reports = read_first(
        list(packages),
        location=location,
        max_age_seconds=max_age_seconds,
        replay=replay,
        limit_seconds=LIMIT_SECONDS,
        progress=console.progress,
    )
    say = console.detail if nothing_read(reports) else console.say
    for report in reports:
        _say_what_is_missing(report, say)
    return reports


def nothing_read(reports: Sequence[ChannelReport]) -> bool:
    """Whether channels were to be read and each of them failed."""
    return bool(reports) and all(report.status == "failed" for report in reports)


def _say_what_is_missing(report: ChannelReport, say: Callable[[str], None]) -> None:
    if report.status in {"partial", "failed"}:
        what = "could not be read" if report.status == "failed" else "was read in part"
        say(visible(f"{report.channel} {what}: {report.detail or report.cause or 'no reason given'}"))
