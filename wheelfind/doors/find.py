"""`wheelfind find`, the command that a package name alone calls.

It knows the order of things: read the query, read channels first where that is due, answer, write. It must not know
how any of them is done.
"""

from __future__ import annotations

import os
import sys
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from wheelfind.asking import Filters, read_package, read_query, shown_filters
from wheelfind.console import Console, wants_colour, width_of
from wheelfind.durations import read_count
from wheelfind.finding import Showing, find_wheels
from wheelfind.first_use import prepare_catalog
from wheelfind.formats import check_format
from wheelfind.light import LightCommand
from wheelfind.option_groups import spread
from wheelfind.options import DECLARED, Common, Reading, Shown
from wheelfind.ordering import check_order
from wheelfind.report.answers import FORMATS, UNREAD, freshness_lines, hidden_line, miss_lines, write_answer
from wheelfind.report.columns import read_columns
from wheelfind.report.install_hint import install_lines

if TYPE_CHECKING:
    from wheelfind.answer import Answer
    from wheelfind.first_use import Prepared
    from wheels.fit import Query

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def complete_package(incomplete: str) -> list[str]:
    """Package names that bundled channels carry, for the shell."""
    from crawler.channels import bundled_channels  # noqa: PLC0415 - only when it is needed: the common way stays light

    names = {name for channel in bundled_channels() for name in channel.packages if not set(name) & set("*?[")}
    return sorted(name for name in names if name.startswith(incomplete))


Package = Annotated[
    str,
    typer.Argument(
        metavar="PACKAGE", help="Name, with a version if you like: 'torch==2.9.*'.", autocompletion=complete_package
    ),
]


@app.command("find", cls=LightCommand)
@spread(DECLARED)
def find(package: Package, filters: Filters, shown: Shown, reading: Reading, common: Common) -> int:
    """Find wheels of a package, newest first, with the exact URL of each.

    The word find may be left out, and words may stand in any order:

    Examples:
      wheelfind sgl_kernel --cu130 --x86_64
      wheelfind flash-attn --torch 2.9 --cp312 --linux --format uv
      wheelfind sgl_kernel --here
      wheelfind 'torch==2.10.*' --cpu --win_amd64 --format urls
      wheelfind sgl_kernel --tag 'nightly-*' --since 7d --format json

    A filter given twice is an alternative; different filters hold together.
    Formats: table, json, jsonl, csv, markdown, pip, uv, urls, requirements.
    """
    console = Console(quiet=common.quiet, verbose=bool(common.verbose))
    form = check_format(common.format, FORMATS)
    columns = read_columns(shown.columns) if shown.columns else ()
    showing = _showing(shown)
    query = _query(package, filters, console)
    with closing(prepare_catalog(query.packages, common.db, reading, console)) as prepared:
        answer = find_wheels(query, showing, prepared.source)
    text = write_answer(
        answer,
        form,
        columns=columns,
        width=width_of(sys.stdout, os.environ),
        colour=wants_colour(sys.stdout, os.environ),
        raw=shown.raw,
    )
    console.put(text)
    _explain(answer, form, console)
    return _status(answer, prepared)


def _showing(shown: Shown) -> Showing:
    return Showing(
        prereleases=shown.pre,
        yanked=shown.yanked,
        vanished=shown.vanished,
        sort=check_order(shown.sort) if shown.sort else None,
        limit=read_count("--limit", shown.limit) if shown.limit else None,
    )


def _query(package: str, filters: Filters, console: Console) -> Query:
    from crawler.channels import aliases_of  # noqa: PLC0415 - only when it is needed: the common way stays light

    machine = None
    if filters.here:
        from wheelfind.machine import probe_machine  # noqa: PLC0415 - only when it is needed: the common way stays light

        machine = probe_machine(os.environ)
        console.say(f"here: {machine.describe()}")
    return read_query(read_package(package), filters, aliases=aliases_of, now=datetime.now(UTC), machine=machine)


def _status(answer: Answer, prepared: Prepared) -> int:
    if answer.wheels:
        return 0
    statuses = {*(report.status for report in prepared.reports), *(channel.status for channel in answer.channels)}
    return 3 if "failed" in statuses or statuses <= {UNREAD} else 1


def _explain(answer: Answer, form: str, console: Console) -> None:
    """All that is not data, to standard error; a table is a report, which ends with how fresh its channels are."""
    now = datetime.now(UTC)
    if not answer.wheels:
        _explain_nothing(answer, form, console)
    if form == "table" and answer.wheels:
        console.put("".join(f"{line}\n" for line in ["", *freshness_lines(answer, now)]))
    elif form != "json":
        for line in freshness_lines(answer, now):
            console.say(line)
    if hidden := hidden_line(answer):
        console.say(hidden)
    if len(answer.wheels) < answer.matched:
        console.say(f"showing {len(answer.wheels)} of {answer.matched}; --limit {answer.matched} shows all")
    if answer.wheels and form in {"table", "markdown"}:
        for line in install_lines(answer):
            console.say(line)


def _explain_nothing(answer: Answer, form: str, console: Console) -> None:
    asked = f"no wheel of {answer.query.packages[0]} matches {shown_filters(answer.query)}".rstrip()
    if all(channel.status == UNREAD for channel in answer.channels):
        asked += ": none of its channels was ever read into this catalog"
    if form == "json":
        console.complain(f"{asked}; nearest misses are in `nearest`" if answer.nearest else asked)
        return
    console.complain(asked)
    if answer.nearest:
        console.complain("nearest misses:")
    for line in miss_lines(answer):
        console.complain(line)
