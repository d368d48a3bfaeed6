"""An answer of `find` in each of its formats, and the notes beside it.

It knows the shapes of the surface; it must not know how answers are made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wheelfind.asking import shown_query
from wheelfind.console import visible
from wheelfind.durations import ago
from wheelfind.report.columns import HEADS, default_columns, row_of
from wheelfind.report.table import write_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from wheelfind.answer import Answer, Freshness, Holding, Miss

UNREAD = "unread"
"""Status of a channel that no crawl has looked at."""
FORMATS = ("table", "json", "jsonl", "csv", "markdown", "pip", "uv", "urls", "requirements")


def write_answer(
    answer: Answer,
    form: str,
    *,
    columns: tuple[str, ...] = (),
    width: int | None = None,
    colour: bool = False,
    raw: bool = False,
) -> str:
    """An answer as text for standard output.

    Args:
        answer: what was found.
        form: one of :data:`FORMATS`.
        columns: what a table, Markdown or CSV shows; empty means the usual.
        width: terminal columns; None means no limit.
        colour: whether a table may be coloured.
        raw: leave CSV's free text as it is.

    Raises:
        WheelfindError: a name or URL is not safe for the program that the format is for.
    """
    if form == "table":
        return _table(answer, columns, width, colour=colour)
    if form == "csv":
        return _csv(answer, columns, raw=raw)
    return _WRITERS[form](answer, columns)


def _table(answer: Answer, columns: tuple[str, ...], width: int | None, *, colour: bool) -> str:
    if not answer.wheels:
        return ""
    if answer.evidence:
        from wheelfind.report.explaining import write_explained  # noqa: PLC0415 - only for --explain

        return write_explained(answer)
    names = columns or default_columns(answer)
    rows = [row_of(wheel, names, answer.query) for wheel in answer.wheels]
    heads = [HEADS.get(name, name) for name in names]
    below = names[-1] == "url"
    return write_table(heads, rows, width=width, last_below=below, colour=colour, right=frozenset({"size"}))


def _json(answer: Answer, columns: tuple[str, ...]) -> str:
    from wheelfind.report.facts import json_document  # noqa: PLC0415 - only for this format

    del columns  # In JSON every key is always there.
    return json_document(
        {
            "query": shown_query(answer.query),
            "wheels": _wheels_facts(answer),
            "nearest": [_miss_facts(miss) for miss in answer.nearest],
            "channels": [_freshness_facts(channel) for channel in answer.channels],
        }
    )


def _wheels_facts(answer: Answer) -> list[dict[str, Any]]:
    from wheelfind.report.facts import wheel_facts  # noqa: PLC0415 - only for these formats

    wheels = [wheel_facts(wheel) for wheel in answer.wheels]
    if answer.evidence:
        from wheelfind.report.explaining import evidence_facts  # noqa: PLC0415 - only for --explain

        for facts, said in zip(wheels, answer.evidence, strict=True):
            facts["evidence"] = evidence_facts(said)
    return wheels


def _miss_facts(miss: Miss) -> dict[str, Any]:
    from wheelfind.report.facts import wheel_facts  # noqa: PLC0415 - only for this format

    return {
        "removed_by": list(miss.removed_by),
        "reason": miss.reason,
        "count": miss.count,
        "wheel": wheel_facts(miss.wheel) if miss.wheel else None,
        "holds": [{"channel": held.channel, "tag": held.tag, "packages": dict(held.packages)} for held in miss.holds],
    }


def _freshness_facts(channel: Freshness) -> dict[str, Any]:
    return {"channel": channel.channel, "last_complete_at": channel.last_complete_at, "status": channel.status}


def _jsonl(answer: Answer, columns: tuple[str, ...]) -> str:
    from wheelfind.report.facts import json_lines  # noqa: PLC0415 - only for this format

    del columns  # In JSON every key is always there.
    return json_lines(_wheels_facts(answer))


def _csv(answer: Answer, columns: tuple[str, ...], *, raw: bool) -> str:
    from wheelfind.report.delimited import write_csv  # noqa: PLC0415 - only for this format
    from wheelfind.report.facts import NAMES, wheel_facts  # noqa: PLC0415 - only for this format

    return write_csv(columns or NAMES, (wheel_facts(wheel) for wheel in answer.wheels), raw=raw)


def _markdown(answer: Answer, columns: tuple[str, ...]) -> str:
    from wheelfind.report.delimited import write_markdown  # noqa: PLC0415 - only for this format

    names = columns or default_columns(answer)
    rows = [row_of(wheel, names, answer.query) for wheel in answer.wheels]
    return write_markdown([HEADS.get(name, name) for name in names], rows) if rows else ""


def _command(installer: str) -> Callable[[Answer, tuple[str, ...]], str]:
    def write(answer: Answer, columns: tuple[str, ...]) -> str:
        from wheelfind.report.installing import write_command  # noqa: PLC0415 - only for this format

        del columns
        return f"{write_command(answer.wheels[0], installer)}\n" if answer.wheels else ""

    return write


def _urls(answer: Answer, columns: tuple[str, ...]) -> str:
    from wheelfind.report.installing import write_urls  # noqa: PLC0415 - only for this format

    del columns
    return write_urls(answer.wheels)


def _requirements(answer: Answer, columns: tuple[str, ...]) -> str:
    from wheelfind.report.installing import write_requirements  # noqa: PLC0415 - only for this format

    del columns
    return write_requirements(answer.wheels)


_WRITERS: dict[str, Callable[[Answer, tuple[str, ...]], str]] = {
    "json": _json,
    "jsonl": _jsonl,
    "markdown": _markdown,
    "pip": _command("pip"),
    "uv": _command("uv"),
    "urls": _urls,
    "requirements": _requirements,
}


def freshness_lines(answer: Answer, now: datetime) -> Iterator[str]:
    """How fresh each channel of an answer is, one line a channel.

    Args:
        answer: what was found.
        now: aware.
    """
    for channel in answer.channels:
        yield f"{visible(channel.channel)}: {_freshness(channel, now)}"


def _freshness(channel: Freshness, now: datetime) -> str:
    if channel.last_complete_at:
        return f"{channel.status}, completely read {ago(channel.last_complete_at, now)} ({channel.last_complete_at})"
    return "never read" if channel.status == UNREAD else f"{channel.status}, never completely read"


def hidden_line(answer: Answer) -> str:
    """What fits but is not shown, and the options that show it; empty when nothing is."""
    counts = (
        (answer.hidden.prereleases, "pre-release", "--pre"),
        (answer.hidden.yanked, "yanked file", "--yanked"),
        (answer.hidden.vanished, "vanished file", "--vanished"),
    )
    said = [f"{count} {what}{'s' if count > 1 else ''} ({option})" for count, what, option in counts if count]
    return f"hidden: {', '.join(said)}" if said else ""


def miss_lines(answer: Answer) -> Iterator[str]:
    """Nearest misses for people, one line each.

    Args:
        answer: one without wheels.
    """
    for miss in answer.nearest:
        if miss.wheel:
            files = "1 file" if miss.count == 1 else f"{miss.count} files, newest"
            yield f"  removed by {' and '.join(miss.removed_by)}: {visible(miss.reason)}"
            yield f"    {files} {visible(miss.wheel.filename)}"
            yield f"    {visible(miss.wheel.url)}"
        else:
            yield f"  {visible(miss.reason)}; looked at:"
        yield from (f"    {_holding(held)}" for held in miss.holds)


def _holding(held: Holding) -> str:
    names = sorted(held.packages.items(), key=lambda item: -item[1])
    what = ", ".join(f"{name} ({count})" for name, count in names[:6]) or "no wheels"
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""  # noqa: PLR2004 - as many as are named
    return visible(f"{held.channel} {held.tag or ''}".strip() + f" holds {what}{more}")
