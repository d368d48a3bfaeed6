"""`wheelfind db`: the catalog as a file.

It knows its verbs; it must not know what a sound catalog is.
"""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from storage.open import exists
from wheelfind.console import Console
from wheelfind.formats import check_format
from wheelfind.light import LightCommand
from wheelfind.option_groups import spread
from wheelfind.options import DECLARED, Common
from wheelfind.report.records import write_report
from wheelfind.settings import catalog_location
from wheels.errors import NotFound, UsageError

VERBS = ("path", "info", "check", "backup")
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("db", cls=LightCommand)
@spread(DECLARED)
def db(
    verb: Annotated[str, typer.Argument(metavar="VERB", help="path, info, check or backup.")],
    common: Common,
    target: Annotated[str | None, typer.Argument(metavar="FILE", help="For backup: the copy to write.")] = None,
) -> int:
    """Care for the catalog.

    Examples:
      wheelfind db path                    where it lies
      wheelfind db info                    what it holds
      wheelfind db check                   whether it is sound: 1 when it is not
      wheelfind db backup copy.sqlite      a whole copy, also while a crawl runs

    The catalog is the one of --db, else of WHEELFIND_DB, else a file in your data
    folder.
    """
    form = check_format(common.format, ("table", "json", "jsonl"))
    location = catalog_location(common.db, os.environ)
    if verb not in VERBS:
        raise UsageError("run", f"db {ascii(verb)[1:-1]}", "there is no such verb", f"Verbs: {', '.join(VERBS)}")
    if (verb == "backup") is (target is None):
        reason = "it needs the file to write" if target is None else "it takes no file"
        raise UsageError("run", f"db {verb}", reason, "Like: wheelfind db backup copy.sqlite")
    if verb == "path":
        Console().put(f"{location}\n" if form == "table" else write_report({"path": location}, form))
        return 0
    if not exists(location):
        raise NotFound("open the catalog", location, "there is none yet", "`wheelfind crawl` makes one")
    facts, status = _run(verb, location, target or "")
    Console().put(write_report(facts, form))
    return status


def _run(verb: str, location: str, target: str) -> tuple[dict[str, Any], int]:
    from storage import check  # noqa: PLC0415 - `db path` needs none of it

    if verb == "info":
        return dict(check.catalog_info(location)), 0
    if verb == "backup":
        check.back_up(location, target)
        return {"path": location, "backup": target}, 0
    findings = list(check.check_catalog(location))
    return {"path": location, "sound": not findings, "findings": findings}, 1 if findings else 0
