"""`wheelfind download`: the chosen wheel, on this disk.

It knows how a wheel is chosen and what is said about it; it must not know how bytes travel or where they are kept
meanwhile.
"""

from __future__ import annotations

import os
import re
import shlex
import time
from contextlib import closing
from dataclasses import astuple
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wheelfind.asking import Filters, read_package, read_query
from wheelfind.console import Console, visible
from wheelfind.finding import Showing, find_wheels
from wheelfind.first_use import prepare_catalog
from wheelfind.formats import check_format
from wheelfind.here import machine_asked_for
from wheelfind.light import LightCommand
from wheelfind.option_groups import spread
from wheelfind.options import DECLARED, Choosing, Common, Reading
from wheelfind.ordering import check_order
from wheelfind.report.answers import miss_lines
from wheelfind.report.columns import human_size
from wheelfind.report.install_hint import open_builds
from wheelfind.report.records import write_report
from wheelfind.settings import user_path
from wheels.errors import ChannelError, NotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wheelfind.answer import Answer
    from wheelfind.choosing import Chosen
    from wheelfind.downloading import Got

_SECONDS_APART = 0.2
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("download", cls=LightCommand)
@spread(DECLARED)
def download(
    wheel: Annotated[
        str, typer.Argument(metavar="PACKAGE|URL", help="Name with a version if you like, or a wheel's URL.")
    ],
    filters: Filters,
    choosing: Choosing,
    reading: Reading,
    common: Common,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="DIR|FILE", help="Where to; this folder if not given.")
    ] = None,
    allow_unhashed: Annotated[
        bool, typer.Option("--allow-unhashed", help="Also a file whose hash is unknown or contradictory.")
    ] = False,
) -> int:
    """Download the wheel that `find` would list first, and check it.

    Examples:
      wheelfind download sgl_kernel --cu130 --x86_64
      wheelfind download 'flash-attn==2.8.*' --cu12 --torch 2.9 --here -o wheels/
      wheelfind download https://example.org/whl/pkg-1.0-py3-none-any.whl

    What was cut goes on where it ended (NAME.part). Size and sha256 are those of
    the catalog; a file that does not match is refused and deleted, and one that
    is there already is left alone. A URL that no catalog knows and that carries
    no #sha256=… wants --allow-unhashed.
    """
    from wheelfind.choosing import choose_url, choose_wheel  # noqa: PLC0415 - after the words were read

    console = Console(quiet=common.quiet, verbose=bool(common.verbose))
    form = check_format(common.format, ("table", "json", "jsonl"))
    if reading.offline:
        raise UsageError(
            "run", "--offline", "a download needs the network", "`wheelfind find --offline` names the URL."
        )
    if re.match(r"(?:https?|file)://", wheel, re.IGNORECASE):
        if any(astuple(filters)):
            raise UsageError("run", "download", "a URL takes no filters", "Name the package, or the URL alone.")
        chosen = choose_url(wheel, common.db, replay=reading.replay is not None)
    else:
        answer = _answer(wheel, filters, choosing, reading, common, console)
        chosen = choose_wheel(answer.wheels[0], replay=reading.replay is not None)
    target = _target(output, chosen.filename)
    facts = _bring(chosen, target, reading.replay, console, allow_unhashed=allow_unhashed)
    console.put(write_report(facts, form))
    return 0


def _answer(
    package: str, filters: Filters, choosing: Choosing, reading: Reading, common: Common, console: Console
) -> Answer:
    from crawler.channels import aliases_of  # noqa: PLC0415 - after the words were read

    machine = machine_asked_for(filters, console)
    query = read_query(read_package(package), filters, aliases=aliases_of, now=datetime.now(UTC), machine=machine)
    showing = Showing(
        prereleases=choosing.pre,
        yanked=choosing.yanked,
        vanished=choosing.vanished,
        sort=check_order(choosing.sort) if choosing.sort else None,
    )
    with (
        closing(prepare_catalog(query.packages, common.db, reading, console)) as prepared,
        prepared.source.damage_told(),
    ):
        answer = find_wheels(query, showing, prepared.source)
    if not answer.wheels:
        failed = {report.status for report in prepared.reports} | {channel.status for channel in answer.channels}
        _refuse_empty(package, answer, failed, console)
    if builds := open_builds(answer):
        version, several, example = builds
        reason = f"{version} is built for {several}, and which one is not said"
        raise UsageError("choose a wheel of", visible(package), reason, f"Choose one, say by {example}")
    return answer


def _refuse_empty(package: str, answer: Answer, statuses: set[str], console: Console) -> None:
    console.say("\n".join(miss_lines(answer)) or "nothing comes near it")
    hint = f"`wheelfind {shlex.quote(package)}` lists what there is."
    if "failed" in statuses or statuses <= {"unread"}:
        raise ChannelError("find a wheel of", visible(package), "a channel that it needs could not be read", hint)
    raise NotFound("find a wheel of", visible(package), "none matches", hint)


def _target(output: str | None, filename: str) -> Path:
    place = user_path(output or ".")
    if output and output.endswith(("/", os.sep)):
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError("write to", output, error.strerror or str(error), "Choose another --output.") from None
    target = place / filename if place.is_dir() else place
    if not target.parent.is_dir() or (target.exists() and not target.is_file()):
        raise UsageError(
            "write to", str(target), "there is no such folder, or it is no file", "Choose another --output."
        )
    return target


def _bring(
    chosen: Chosen, target: Path, replay: str | None, console: Console, *, allow_unhashed: bool
) -> dict[str, Any]:
    from wheelfind.downloading import already_there  # noqa: PLC0415 - after the words were read

    if chosen.wanted.sha256 is None and not allow_unhashed:
        several = "it is listed with several hashes" if chosen.hash_conflict else "no hash of it is known"
        raise UsageError("trust", chosen.filename, several, "To take it all the same: --allow-unhashed")
    facts: dict[str, Any] = {"path": str(target), "filename": chosen.filename}
    if already_there(target, chosen.wanted.sha256):
        console.say("it is there already, with the right hash")
        url = chosen.shown_url
        size = target.stat().st_size
        return {**facts, "url": url, "sha256": chosen.wanted.sha256, "size": size, "status": "there already",
                "bytes_fetched": 0, "resumed_from": 0, "verified": True}  # fmt: skip
    got = _fetch(chosen, target, replay, console)
    status = "resumed" if got.resumed_from else "downloaded"
    if chosen.wanted.sha256 is None:
        console.say("nothing vouches for this file: its sha256 is only what came")
    return {**facts, "url": got.url, "sha256": got.sha256, "size": got.size, "status": status,
            "bytes_fetched": got.came, "resumed_from": got.resumed_from,
            "verified": chosen.wanted.sha256 is not None}  # fmt: skip


def _fetch(chosen: Chosen, target: Path, replay: str | None, console: Console) -> Got:
    from crawler.http import Client  # noqa: PLC0415 - only now the network is needed
    from wheelfind.downloading import download as bring  # noqa: PLC0415 - the network, after the words were read
    from wheelfind.interrupts import run_interruptible  # noqa: PLC0415 - the network, after the words were read

    folder = user_path(replay) if replay else None

    async def work() -> Got:
        async with Client(settings=chosen.http, replay=folder) as client:
            return await bring(chosen.wanted, target, client, progress=_progress(chosen, console), told=console.say)

    return run_interruptible(work())


def _progress(chosen: Chosen, console: Console) -> Callable[[int], None]:
    """A line of progress, a few times a second."""
    total = human_size(chosen.wanted.size)
    said = 0.0

    def tell(length: int) -> None:
        nonlocal said
        if time.monotonic() - said > _SECONDS_APART:
            said = time.monotonic()
            console.progress(f"{chosen.filename}: {human_size(length)}" + (f" of {total}" if total else ""))

    return tell
