"""`wheelfind changes`: what is new, replaced, vanished or back again.

It knows which changes are asked for and how they read; it must not know where they are kept.
"""

from __future__ import annotations

import os
import sys
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from storage.changes import changes_since
from storage.faults import translated
from storage.open import exists, locate, open_reader
from wheelfind.asking import Filters, read_package, read_query
from wheelfind.console import Console, width_of
from wheelfind.durations import read_count, read_since
from wheelfind.formats import check_format
from wheelfind.here import machine_asked_for
from wheelfind.light import LightCommand
from wheelfind.option_groups import spread
from wheelfind.options import DECLARED, Common
from wheelfind.report.facts import NAMES, wheel_facts
from wheelfind.report.records import FORMATS, write_records
from wheelfind.settings import catalog_location
from wheels.fit import Query, judge

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT_SINCE = "7d"
SHOWN = ("at", "kind", "package", "version", "local", "channel", "tag", "sha256", "url")
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("changes", cls=LightCommand)
@spread(DECLARED)
def changes(
    filters: Filters,
    common: Common,
    package: Annotated[str | None, typer.Argument(metavar="[PACKAGE]", help="Only of this package.")] = None,
    limit: Annotated[str | None, typer.Option("--limit", metavar="N", help="At most so many.")] = None,
) -> int:
    """List what changed in the catalog: files that are new, replaced, vanished or back again.

    Examples:
      wheelfind changes --since 2026-02-27
      wheelfind changes sgl_kernel --cu130 --since 1d --format json

    Without --since: the last seven days. Times are those at which a crawl saw it.
    """
    form = check_format(common.format, FORMATS)
    most = read_count("--limit", limit) if limit else None
    now = datetime.now(UTC)
    since = read_since(filters.since or DEFAULT_SINCE, now)
    console = Console(quiet=common.quiet)
    query = _query(package, replace(filters, since=None), now, console)
    location = catalog_location(common.db, os.environ)
    if not exists(location):
        console.say(f"there is no catalog yet at {location}; `wheelfind crawl` makes one")
    rows = list(_rows(location, since, query))[:most]
    names = SHOWN if form in {"table", "markdown"} else ("at", "kind", *NAMES)
    console.put(write_records(names, rows, form, width=width_of(sys.stdout, os.environ)))
    console.say(f"{len(rows)} changes since {since}")
    return 0


def _query(package: str | None, filters: Filters, now: datetime, console: Console) -> Query:
    from crawler.channels import aliases_of  # noqa: PLC0415 - after the words were read

    named = read_package(package or "*")
    aliases = aliases_of if package else lambda name: (name,)
    machine = machine_asked_for(filters, console)
    return read_query(named, filters, aliases=aliases, now=now, machine=machine)


def _rows(location: str, since: str, query: Query) -> Iterator[dict[str, Any]]:
    if not exists(location):
        return
    with closing(open_reader(location)) as connection, translated(locate(location), "read the catalog"):
        for at, kind, wheel in changes_since(connection, since):
            if judge(wheel, query) is None:
                yield {"at": at, "kind": kind, **wheel_facts(wheel)}
