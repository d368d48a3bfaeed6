"""`wheelfind changes`: what is new, replaced, vanished or back again.

It knows which changes are asked for and how they read; it must not know where they are kept.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from storage.changes import changes_since
from storage.faults import translated
from storage.open import exists, locate, open_reader
from wheelfind.asking import Filters, read_package, read_query
from wheelfind.catalog_source import narrowed
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
    from collections.abc import Iterator, Sequence

DEFAULT_SINCE = "7d"
SHOWN = ("at", "kind", "package", "version", "local", "channel", "tag", "sha256", "sha256_before", "url")
KINDS = {"new": "new", "replaced": "replaced", "vanished": "vanished", "back": "back again"}
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("changes", cls=LightCommand)
@spread(DECLARED)
def changes(
    filters: Filters,
    common: Common,
    packages: Annotated[
        list[str] | None, typer.Argument(metavar="PACKAGE", help="Only of these packages; patterns too.")
    ] = None,
    limit: Annotated[str | None, typer.Option("--limit", metavar="N", help="At most so many.")] = None,
) -> int:
    """List what changed in the catalog: files that are new, replaced, vanished or back again.

    Examples:
      wheelfind changes --since 2026-02-27
      wheelfind changes sgl_kernel flash-attn --cu130 --since 1d --format json

    Without --since: the last seven days. Times are those at which a crawl saw it. Filters are those of find.
    """
    form = check_format(common.format, FORMATS)
    most = read_count("--limit", limit) if limit else None
    now = datetime.now(UTC)
    since = read_since(filters.since or DEFAULT_SINCE, now)
    console = Console(quiet=common.quiet)
    queries = _queries(packages or ["*"], replace(filters, since=None), now, console)
    location = catalog_location(common.db, os.environ)
    if not exists(location):
        console.say(f"there is no catalog yet at {location}; `wheelfind crawl` makes one")
    rows = list(islice(_rows(location, since, queries), most))
    names = SHOWN if form in {"table", "markdown"} else ("at", "kind", "sha256_before", *NAMES)
    console.put(write_records(names, rows, form, width=width_of(sys.stdout, os.environ)))
    counts = Counter(row["kind"] for row in rows)
    kinds = ", ".join(f"{counts[kind]} {word}" for kind, word in KINDS.items() if counts[kind])
    console.say(f"{kinds or 'nothing changed'} since {since}")
    return 0


def _queries(packages: Sequence[str], filters: Filters, now: datetime, console: Console) -> list[Query]:
    from crawler.channels import aliases_of  # noqa: PLC0415 - after the words were read

    machine = machine_asked_for(filters, console)
    return [read_query(read_package(name), filters, aliases=aliases_of, now=now, machine=machine) for name in packages]


def _rows(location: str, since: str, queries: Sequence[Query]) -> Iterator[dict[str, Any]]:
    if not exists(location):
        return
    with closing(open_reader(location)) as connection, translated(locate(location), "read the catalog"):
        wanted = narrowed(replace(queries[0], packages=tuple(name for query in queries for name in query.packages)))
        for change in changes_since(connection, since, wanted):
            if any(judge(change.wheel, query) is None for query in queries):
                before = {"at": change.at, "kind": change.kind, "sha256_before": change.sha256_before}
                yield before | wheel_facts(change.wheel)
