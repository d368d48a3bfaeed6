"""`wheelfind find`, the command that a package name alone calls.

It knows the order of things: read the query, read channels first where that is due, answer, write. It must not know
how any of them is done.
"""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from wheelfind.asking import Filters, read_package, read_query, shown_filters
from wheelfind.console import Console, visible, wants_colour, width_of
from wheelfind.durations import read_count
from wheelfind.explained import explained
from wheelfind.finding import Showing
from wheelfind.first_use import prepare_catalog
from wheelfind.formats import check_format
from wheelfind.here import machine_asked_for
from wheelfind.light import LightCommand
from wheelfind.option_groups import spread
from wheelfind.options import DECLARED, Common, Reading, Shown
from wheelfind.ordering import check_order
from wheelfind.report.answers import FORMATS, UNREAD, freshness_lines, hidden_line, miss_lines, write_answer
from wheelfind.report.columns import read_columns
from wheelfind.report.install_hint import install_lines
from wheelfind.several import check_newest_per, find_each, join
from wheels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wheelfind.answer import Answer
    from wheelfind.first_use import Prepared
    from wheels.fit import Query

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def complete_package(incomplete: str) -> list[str]:
    """Package names that bundled channels carry, for the shell."""
    from crawler.channels import bundled_channels  # noqa: PLC0415 - only when it is needed: the common way stays light

    names = {name for channel in bundled_channels() for name in channel.packages if not set(name) & set("*?[")}
    return sorted(name for name in names if name.startswith(incomplete))


Packages = Annotated[
    list[str],
    typer.Argument(
        metavar="PACKAGE",
        help="Names, with a version if you like: 'torch==2.9.*'; patterns: 'sgl*'.",
        autocompletion=complete_package,
    ),
]


@app.command("find", cls=LightCommand)
@spread(DECLARED)
def find(packages: Packages, filters: Filters, shown: Shown, reading: Reading, common: Common) -> int:
    """Find wheels of a package, newest first, with the exact URL of each.

    The word find may be left out, and words may stand in any order:

    Examples:
      wheelfind sgl_kernel --cu130 --x86_64
      wheelfind flash-attn --torch 2.9 --cp312 --linux --format uv
      wheelfind sgl_kernel --here
      wheelfind 'torch==2.10.*' --cpu --win_amd64 --format urls
      wheelfind sgl_kernel --tag 'nightly-*' --since 7d --format json
      wheelfind 'sgl*' flash-attn --newest-per cuda
      wheelfind sgl_kernel --cu130 --limit 1 --explain

    A filter given twice is an alternative; different filters hold together.
    Formats: table, json, jsonl, csv, markdown, pip, uv, urls, requirements.
    """
    console = Console(quiet=common.quiet, verbose=bool(common.verbose))
    form = check_format(common.format, FORMATS)
    columns = _columns(shown, form)
    showing = _showing(shown)
    newest_per = check_newest_per(shown.newest_per) if shown.newest_per else None
    queries = _queries(packages, filters, console)
    names = [name for query in queries for name in query.packages]
    with (
        closing(prepare_catalog(names, common.db, reading, console)) as prepared,
        prepared.source.damage_told(),
    ):
        answers = find_each(queries, showing, prepared.source, newest_per)
        answer = join(answers, showing)
        if shown.explain:
            answer = explained(answer, prepared.source.ledger)
    text = write_answer(
        answer,
        form,
        columns=columns,
        width=width_of(sys.stdout, os.environ),
        colour=wants_colour(sys.stdout, os.environ),
        raw=shown.raw,
    )
    console.put(text)
    if prepared.nothing_read and not (answer.wheels or answer.nearest):
        console.complain(_cut_off(answer, prepared))
    else:
        _explain(answer, answers, form, reading, common.db, console)
    return _status(answer, prepared)


def _columns(shown: Shown, form: str) -> tuple[str, ...]:
    if shown.explain and form not in {"table", "json", "jsonl"}:
        raise UsageError("run", "--explain", f"{form} has no room for it", "Formats with evidence: table, json, jsonl")
    if shown.raw and form != "csv":
        raise UsageError("run", "--raw", f"it is for csv, not for {form}", "Add: --format csv")
    if shown.columns and form not in {"table", "csv", "markdown"}:
        raise UsageError(
            "run", "--columns", f"{form} has all names or none", "Formats with columns: table, csv, markdown"
        )
    return read_columns(shown.columns) if shown.columns else ()


def _showing(shown: Shown) -> Showing:
    return Showing(
        prereleases=shown.pre,
        yanked=shown.yanked,
        vanished=shown.vanished,
        sort=check_order(shown.sort) if shown.sort else None,
        limit=read_count("--limit", shown.limit) if shown.limit else None,
    )


def _queries(packages: Sequence[str], filters: Filters, console: Console) -> list[Query]:
    from crawler.channels import aliases_of  # noqa: PLC0415 - only when it is needed: the common way stays light

    machine = machine_asked_for(filters, console)
    now = datetime.now(UTC)
    read = (read_query(read_package(name), filters, aliases=aliases_of, now=now, machine=machine) for name in packages)
    return list(dict.fromkeys(read))


def _status(answer: Answer, prepared: Prepared) -> int:
    if answer.wheels:
        return 0
    statuses = {*(report.status for report in prepared.reports), *(channel.status for channel in answer.channels)}
    return 3 if "failed" in statuses or statuses <= {UNREAD} else 1


def _explain(
    answer: Answer, answers: Sequence[Answer], form: str, reading: Reading, db: str | None, console: Console
) -> None:
    """How fresh the answer is, and all that is not data.

    A table is a report and ends with its freshness; JSON holds it. Without a match JSON leaves one line to say.
    """
    fresh = list(freshness_lines(answer, datetime.now(UTC)))
    unread = [line for each in answers for line in _unread(each, reading, db)]
    empty = [each for each in answers if not each.wheels]
    if not answer.wheels and form == "json":
        nothing = (_nothing(each).removesuffix("; nearest misses:") for each in empty)
        console.complain("; ".join([*nothing, *unread, *(line for each in empty for line in _near(each))]))
        return
    if answer.wheels and form == "table":
        console.put("".join(f"{line}\n" for line in ["", *fresh]))
    for each in empty:
        console.complain("\n".join([_nothing(each), *miss_lines(each), *_near(each)]))
    if fresh and form != "json" and not (answer.wheels and form == "table"):
        console.say("\n".join(fresh))
    for line in [*_notes(answer, form), *unread]:
        console.say(line)


def _cut_off(answer: Answer, prepared: Prepared) -> str:
    """Why there is no answer at all: one sentence that says what to do."""
    reports = prepared.reports
    return visible(
        f"no wheel of {answer.query.packages[0]} could be looked for, none of its {len(reports)} channels could be "
        f"read ({reports[0].channel}: {reports[0].detail}; -v tells the others); "
        "without a network, --replay DIR answers from recorded exchanges, for example --replay cassettes"
        + "".join(f"; {line}" for line in _near(answer))
    )


def _notes(answer: Answer, form: str) -> Iterator[str]:
    if answer.query.loads_with:
        yield "no verdict about a torch build is stored yet: --loads-with matches nothing"
    if hidden := hidden_line(answer):
        yield hidden
    if len(answer.wheels) < answer.matched:
        yield f"showing {len(answer.wheels)} of {answer.matched}; --limit {answer.matched} shows all"
    if answer.wheels and form in {"table", "markdown"}:
        yield from install_lines(answer)


def _unread(answer: Answer, reading: Reading, db: str | None) -> Iterator[str]:
    """What was not read, and what reads it."""
    missing = [channel for channel in answer.channels if channel.status in {UNREAD, "failed", "partial"}]
    failed = [channel for channel in missing if channel.status == "failed"]
    package = answer.query.packages[0]
    pattern = not set(package).isdisjoint("*?")
    if reading.replay or pattern or (answer.channels and not missing):
        return
    line = shlex.join(["wheelfind", "crawl", "--package", package, *(["--db", db] if db else [])])
    if not answer.channels:
        yield f"the configured index was not asked for {package}: {line}"
        return
    yield f"{len(missing)} of {len(answer.channels)} channels of {package} are not wholly read: {line}"
    if failed and not answer.wheels:
        yield "without a network, --replay DIR answers from recorded exchanges, for example --replay cassettes"


def _near(answer: Answer) -> Iterator[str]:
    """The packages that a slip of the pen was probably meant to be."""
    from difflib import get_close_matches  # noqa: PLC0415 - only without a match: the common way stays light

    package = answer.query.packages[0]
    known = complete_package("")
    if package not in known and (near := get_close_matches(package, known, n=2, cutoff=0.8)):
        yield f"did you mean {' or '.join(near)}?"


def _nothing(answer: Answer) -> str:
    asked = f"no wheel of {answer.query.packages[0]} matches {shown_filters(answer.query)}".rstrip()
    if all(channel.status == UNREAD for channel in answer.channels):
        return f"{asked}: none of its channels was ever read into this catalog"
    failed = sum(channel.status == "failed" for channel in answer.channels)
    if failed:
        return f"{asked}, and {failed} of its {len(answer.channels)} channels could not be read"
    return f"{asked}; nearest misses:" if answer.nearest else asked
