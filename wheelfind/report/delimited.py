"""Rows as CSV and as Markdown.

It knows both grammars and what spreadsheets take for a formula; it must not know what the columns mean.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

from wheelfind.console import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FREE_TEXT = frozenset(
    {"tag", "channel", "yank_reason", "problem", "requires_python", "detail", "reason", "note", "cause"}
)
"""Columns that hold somebody's prose: the only ones in which a leading sign is no number."""


def write_csv(
    names: Sequence[str], rows: Iterable[Mapping[str, Any]], *, raw: bool = False, all_text: bool = False
) -> str:
    """CSV (RFC 4180 with newlines alone) with a head; lists are joined by spaces, unknown is empty.

    Args:
        names: the columns.
        rows: a mapping for each line.
        raw: leave free text as it is, even where a spreadsheet would compute it.
        all_text: every text may be prose (columns of a user's own query).
    """
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow([_csv_cell("", name, raw=raw, all_text=all_text) for name in names])
    for row in rows:
        writer.writerow([_csv_cell(name, row[name], raw=raw, all_text=all_text) for name in names])
    return sink.getvalue()


def _csv_cell(name: str, value: Any, *, raw: bool, all_text: bool) -> str:
    text = cell_text(value)
    prose = isinstance(value, str) and (all_text or name in FREE_TEXT) and not raw
    # A spreadsheet computes what begins so; an apostrophe in front makes it text.
    guard = "'" if prose and text.startswith(("=", "+", "-", "@", "\t", "\r")) else ""
    return guard + "".join(part if part in "\n\t" else visible(part) for part in re.split(r"([\n\t])", text))


def cell_text(value: Any) -> str:
    """A value in one cell: lists joined by spaces, booleans in words, unknown empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return " ".join(cell_text(item) for item in value)
    if isinstance(value, dict):
        return " ".join(f"{key}={cell_text(item)}" for key, item in value.items() if item is not None)
    return str(value)


def write_markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; whatever has a meaning in Markdown or HTML is escaped, URLs become links by themselves.

    Args:
        head: names of the columns.
        rows: a text for each column.
    """
    lines = [_markdown_line([visible(name).replace("|", r"\|") for name in head]), _markdown_line(["---"] * len(head))]
    return "".join(
        f"{line}\n" for line in [*lines, *(_markdown_line([_markdown_cell(c) for c in row]) for row in rows)]
    )


def _markdown_line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _markdown_cell(text: str) -> str:
    text = visible(text)
    if text.startswith(("https://", "http://")):
        return "<" + text.replace("<", "%3C").replace(">", "%3E").replace("|", "%7C") + ">"
    for sign in "\\`*_[]<>|":
        text = text.replace(sign, f"\\{sign}")
    return text
