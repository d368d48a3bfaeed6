"""`wheelfind parse`: the grammar of file names and labels by itself.

It knows where names come from and how their facts are written; it must not know the grammar.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wheelfind.console import Console, width_of
from wheelfind.formats import check_format
from wheelfind.light import LightCommand
from wheelfind.lists import STANDARD_INPUT, read_rows
from wheelfind.option_groups import spread
from wheelfind.options import DECLARED, Common
from wheelfind.report.facts import NAMES, json_text, wheel_facts
from wheels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FORMATS = ("jsonl", "json", "table", "csv", "markdown")
REPORT_FORMATS = ("table", "json", "jsonl")
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("parse", cls=LightCommand)
@spread(DECLARED)
def parse(
    common: Common,
    filenames: Annotated[
        list[str] | None, typer.Argument(metavar="FILENAME|-", help="File names, URLs or paths; - reads lines.")
    ] = None,
    tag: Annotated[
        str | None, typer.Option("--tag", metavar="TEXT", help="Release tag or directory in which labels may stand.")
    ] = None,
    report: Annotated[
        bool,
        typer.Option(
            "--report",
            help="Count instead: names, valid ones, labels understood, words that are not. Files of names are read "
            "too: filename, tag and publisher by tab or comma, or a table with these heads.",
        ),
    ] = False,
) -> int:
    """Read wheel file names field by field: one JSON line a name.

    Examples:
      wheelfind parse torch-2.9.1+cu130-cp312-cp312-manylinux_2_28_x86_64.whl
      wheelfind parse --tag v0.3-cu124 llama_cpp_python-0.3-py3-none-linux_x86_64.whl
      ls *.whl | wheelfind parse -
      wheelfind parse --report names.tsv

    Without a name, and for -, names are read from standard input, one a line.
    """
    if report:
        form = check_format(common.format, REPORT_FORMATS)
        Console().put(_report(filenames or [STANDARD_INPUT], tag or "", form))
        return 0
    form = check_format(common.format, FORMATS, default="jsonl")
    rows = (_facts(name, tag or "") for name in _names(filenames or ["-"]))
    console = Console(quiet=common.quiet)
    if form == "jsonl":
        for row in rows:
            console.put(f"{json_text(row)}\n")
    else:
        console.put(_written(list(rows), form))
    return 0


def _report(words: Iterable[str], tag: str, form: str) -> str:
    from wheelfind.name_report import report_names, write_name_report  # noqa: PLC0415 - not for the common way

    return write_name_report(report_names(_rows(words, tag)), form, width=width_of(sys.stdout, os.environ))


def _rows(words: Iterable[str], tag: str) -> Iterator[Mapping[str, str]]:
    from wheelfind.name_report import COLUMNS  # noqa: PLC0415 - not for the common way

    for word in words:
        if word.endswith(".whl"):
            yield {"filename": word, "tag": tag}
        else:
            yield from ({**row, "tag": row.get("tag") or tag} for row in read_rows(word, COLUMNS))


def _names(words: Iterable[str]) -> Iterator[str]:
    """Names one by one; blank ones are left out, bytes that are no text become U+FFFD."""
    for word in words:
        lines = _standard_input() if word == "-" else (word,)
        yield from (sound for line in lines if (sound := _sound(line)))


def _standard_input() -> Iterator[str]:
    if sys.stdin is None:
        raise UsageError("read names from", "standard input", "it is closed", "Name the files, or pipe names to it.")
    for line in sys.stdin.buffer:
        yield line.decode("utf-8", "replace")


def _sound(line: str) -> str:
    return line.strip().encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _facts(name: str, tag: str) -> dict[str, Any]:
    from wheels.filename import parse_filename  # noqa: PLC0415 - only when the first name is there

    facts = wheel_facts(parse_filename(name, tag))
    return facts | {"tag": tag or None}


def _written(rows: list[dict[str, Any]], form: str) -> str:
    from wheelfind.report.records import write_records  # noqa: PLC0415 - not for the default format

    said = tuple(name for name in NAMES if any(row[name] is not None for row in rows))
    names = NAMES if form == "csv" else said
    return write_records(names, rows, form, width=width_of(sys.stdout, os.environ))
