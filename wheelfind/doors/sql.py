"""`wheelfind sql`: read-only SQL on the documented views.

It knows how rows are written; it must not know what SQL is allowed.
"""

from __future__ import annotations

import math
import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from storage.open import exists
from wheelfind.console import Console, standard_input, width_of
from wheelfind.durations import read_count, read_duration
from wheelfind.formats import check_format
from wheelfind.light import LightCommand
from wheelfind.option_groups import spread
from wheelfind.options import DECLARED, Common
from wheelfind.report.records import FORMATS, write_records
from wheelfind.settings import catalog_location

if TYPE_CHECKING:
    from collections.abc import Sequence

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("sql", cls=LightCommand)
@spread(DECLARED)
def sql(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One SELECT statement; - reads standard input.")],
    common: Common,
    limit: Annotated[str | None, typer.Option("--limit", metavar="N", help="At most so many rows.")] = None,
    timeout: Annotated[
        str, typer.Option("--timeout", metavar="SPAN", help="Stop the query after this long: 5, 1m.", show_default=True)
    ] = "5",
) -> int:
    """Ask the catalog in SQL. Nothing can be written.

    Examples:
      wheelfind sql 'SELECT cuda, count(*) FROM wheels GROUP BY cuda'
      wheelfind sql "SELECT url FROM wheels WHERE python LIKE '% cp312 %'" -f csv
      wheelfind sql 'SELECT filename, url FROM wheels WHERE hash_conflict'

    Views: wheels, wheel_tags, releases, channels, ledger, history, problems,
    crawl_runs; for inspected wheels: libraries, needed, symbols, gpu_targets,
    verdicts.
    """
    form = check_format(common.format, FORMATS)
    rows_wanted = read_count("--limit", limit) if limit else None
    seconds = read_duration("--timeout", timeout)
    console = Console(quiet=common.quiet)
    location = catalog_location(common.db, os.environ)
    if not exists(location):
        console.put(write_records((), [], form))
        console.say(f"there is no catalog yet at {location}; `wheelfind crawl` makes one")
        return 0
    from storage.sandbox import run_sql  # noqa: PLC0415 - only when there is something to ask

    statement = standard_input().read().decode("utf-8", "surrogateescape") if query == "-" else query
    columns, rows = run_sql(location, statement, limit=rows_wanted, timeout_seconds=seconds)
    names = unique_names(columns)
    records = [dict(zip(names, map(_plain, row), strict=True)) for row in rows]
    console.put(write_records(names, records, form, width=width_of(sys.stdout, os.environ), all_text=True))
    return 0


def unique_names(columns: Sequence[str]) -> list[str]:
    """Column names, each different: a second ``a`` is ``a_2``.

    Args:
        columns: as the query names them.
    """
    names: list[str] = []
    for column in columns:
        name, number = column, 2
        while name in names:
            name, number = f"{column}_{number}", number + 1
        names.append(name)
    return names


def _plain(value: Any) -> Any:
    """A value as JSON has it: bytes in hex digits, no infinities."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
