"""`wheelfind channels`: which channels there are, and what is known of each.

It knows its verbs; it must not know where channels are kept or how they are read.
"""

from __future__ import annotations

import os
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crawler.channels import bundled_channels, choose_channel, configured_channels
from crawler.configured_index import Machine, configured_index
from crawler.urls import redact_url
from crawler.user_channels import add_channel, remove_channel, user_channels
from storage import search
from storage.faults import translated
from storage.open import exists, locate, open_reader
from wheelfind.console import Console, width_of
from wheelfind.formats import check_format
from wheelfind.light import LightCommand
from wheelfind.lists import read_rows
from wheelfind.option_groups import spread
from wheelfind.options import DECLARED, Common
from wheelfind.report.records import FORMATS, write_records
from wheelfind.settings import catalog_location, config_file
from wheels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crawler.channels import Channel

VERBS = ("list", "add", "remove", "show", "cover")
NAMES = ("channel", "kind", "address", "tag_glob", "packages", "origin", "last_complete_at", "status", "note")
SHOWN = ("channel", "kind", "origin", "status", "last_complete_at", "note")
"""Columns of the table; packages and addresses are long."""
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("channels", cls=LightCommand)
@spread(DECLARED)
def channels(
    common: Common,
    verb: Annotated[str, typer.Argument(metavar="VERB", help="list, add, remove, show or cover.")] = "list",
    name: Annotated[
        str | None, typer.Argument(metavar="SPEC|CHANNEL|FILE", help="What to add, remove, show or cover.")
    ] = None,
    package: Annotated[
        list[str] | None,
        typer.Option("--package", metavar="NAME", help="With add: a package that is worth asking for."),
    ] = None,
) -> int:
    """List the channels that are read, add one, remove one, show one, or say which would have found each of many URLs.

    Examples:
      wheelfind channels list
      wheelfind channels add github:sgl-project/whl@nightly-*
      wheelfind channels add index:https://wheels.example/simple
      wheelfind channels add links:https://wheels.example/torch.html
      wheelfind channels show sgl-project/whl --format json
      wheelfind channels remove sgl-project/whl
      wheelfind channels cover urls.txt

    A SPEC is github:OWNER/REPO (and @TAG_GLOB if you like), index:URL, links:URL
    or hf:OWNER/REPO. Yours stand in the configuration file.
    """
    form = check_format(common.format, FORMATS)
    if verb not in VERBS:
        raise UsageError("run", f"channels {ascii(verb)[1:-1]}", "there is no such verb", f"Verbs: {', '.join(VERBS)}")
    if (verb == "list") is not (name is None):
        reason = "it takes no name" if verb == "list" else "it needs a channel"
        raise UsageError("run", f"channels {verb}", reason, "Like: wheelfind channels add github:OWNER/REPO")
    if verb == "cover":
        return _cover(name or "", form, Console(quiet=common.quiet))
    location = catalog_location(common.db, os.environ)
    _freshness([name or ""], location)  # trouble with the catalog is told before the configuration is changed
    rows = _rows(_chosen(verb, name or "", package or ()), location)
    names = SHOWN if form in {"table", "markdown"} and verb == "list" else NAMES
    Console().put(write_records(names, rows, form, width=width_of(sys.stdout, os.environ)))
    return 0


def _cover(word: str, form: str, console: Console) -> int:
    from wheelfind.covered import covered_rows, write_shares  # noqa: PLC0415 - reads names: only for this verb

    rows = covered_rows(read_rows(word, ("url",)), [channel for each in _known().values() for channel in each])
    console.put(write_records(("url", "channel"), rows, form))
    console.say(write_shares(rows))
    return 0


def _known() -> Mapping[str, Sequence[Channel]]:
    """Every known channel, by origin."""
    added = user_channels(config_file(os.environ))
    return {"bundled": bundled_channels(), "added": added, "configured": _configured()}


def _chosen(verb: str, name: str, packages: Sequence[str]) -> Mapping[str, Sequence[Channel]]:
    """Channels by their origin."""
    path = config_file(os.environ)
    if verb == "add":
        return {"added": [add_channel(path, name, packages)]}
    if verb == "remove":
        return {"removed": [remove_channel(path, name)]}
    known = _known()
    if verb == "list":
        return known
    chosen = choose_channel(name, [channel for channels in known.values() for channel in channels])
    origin = next((origin for origin, channels in known.items() if chosen in channels), "not added")
    return {origin: [chosen]}


def _configured() -> Sequence[Channel]:
    return configured_channels(configured_index(os.environ, Machine(home=Path.home())))


def _rows(chosen: Mapping[str, Sequence[Channel]], location: str) -> list[dict[str, Any]]:
    fresh = _freshness([channel.name for channels in chosen.values() for channel in channels], location)
    return [_row(channel, origin, fresh) for origin, channels in chosen.items() for channel in channels]


def _freshness(names: Sequence[str], location: str) -> dict[str, tuple[str | None, str]]:
    if not exists(location):
        return {}
    with closing(open_reader(location)) as connection, translated(locate(location), "read the catalog"):
        return {name: (last, status) for name, last, status in search.freshness(connection, names)}


def _row(channel: Channel, origin: str, fresh: Mapping[str, tuple[str | None, str]]) -> dict[str, Any]:
    last_complete_at, status = fresh.get(channel.name, (None, "unread"))
    return {
        "channel": channel.name,
        "kind": channel.kind,
        "address": redact_url(channel.address),
        "tag_glob": channel.tag_glob,
        "packages": list(channel.packages),
        "origin": origin,
        "last_complete_at": last_complete_at,
        "status": status,
        "note": channel.note,
    }
