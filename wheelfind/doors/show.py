"""`wheelfind show`: all that is known of one file.

It knows how a file's facts read; it must not know where they are kept.
"""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from storage.faults import translated
from storage.open import locate, open_reader
from wheelfind.console import Console, visible
from wheelfind.formats import check_format
from wheelfind.light import LightCommand
from wheelfind.option_groups import spread
from wheelfind.options import DECLARED, Common
from wheelfind.report.delimited import cell_text
from wheelfind.report.facts import json_document, json_lines
from wheelfind.settings import catalog_location
from wheelfind.showing import show_file

if TYPE_CHECKING:
    from collections.abc import Iterator

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("show", cls=LightCommand)
@spread(DECLARED)
def show(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File name, URL or hash.")],
    common: Common,
) -> int:
    """Show all that is known of one file: facts, places, every hash ever seen, what happened to it.

    Examples:
      wheelfind show sgl_kernel-0.3.21+cu130-cp312-abi3-manylinux2014_x86_64.whl
      wheelfind show sha256:9f2c… --format json

    The catalog alone is asked: nothing is read from the network.
    """
    form = check_format(common.format, ("table", "json", "jsonl"))
    location = catalog_location(common.db, os.environ)
    with closing(open_reader(location)) as connection, translated(locate(location), "read the catalog"):
        known = show_file(connection, file)
    if form == "table":
        Console().put("\n".join("".join(f"{line}\n" for line in _lines(wheel)) for wheel in known["wheels"]))
    else:
        Console().put(json_document(known) if form == "json" else json_lines([known]))
    return 0


def _lines(wheel: dict[str, Any]) -> Iterator[str]:
    yield visible(wheel["filename"])
    for name, value in wheel.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield f"  {name}:"
            yield from (f"    {visible(_entry(row))}" for row in value)
        elif name != "filename" and value not in (None, []):
            yield f"  {name}: {visible(cell_text(value))}"


def _entry(row: dict[str, Any]) -> str:
    shown = {
        name: value for name, value in row.items() if value is not None and name not in {"id", "wheel_id", "filename"}
    }
    return cell_text(shown)
