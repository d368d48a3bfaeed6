"""Rows of any command in each general format: table, JSON, JSON lines, CSV, Markdown.

It knows formats; it must not know what the rows mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wheelfind.report.delimited import cell_text, write_csv, write_markdown
from wheelfind.report.facts import json_document, json_lines
from wheelfind.report.table import write_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FORMATS = ("table", "json", "jsonl", "csv", "markdown")


def write_records(
    names: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    form: str,
    *,
    width: int | None = None,
    all_text: bool = False,
) -> str:
    """Rows as text for standard output; without rows, a table is empty and JSON is ``[]``.

    Args:
        names: the columns, in their order.
        rows: a mapping with every column for each row.
        form: one of :data:`FORMATS`.
        width: terminal columns for a table; None means no limit.
        all_text: every text may be prose that a spreadsheet must not compute (columns of a user's own query).
    """
    if form == "json":
        return json_document(list(rows))
    if form == "jsonl":
        return json_lines(rows)
    if form == "csv":
        return write_csv(names, rows, all_text=all_text)
    if not rows:
        return ""
    cells = [[cell_text(row[name]) for name in names] for row in rows]
    if form == "markdown":
        return write_markdown(names, cells)
    return write_table(names, cells, width=width, last_below=names[-1] in {"url", "detail"}, keep_empty=True)


def write_report(facts: Mapping[str, Any], form: str) -> str:
    """One object: a line ``name: value`` for each fact, or JSON.

    Args:
        facts: in their order.
        form: ``table`` or one of the JSON formats.
    """
    if form == "json":
        return json_document(dict(facts))
    if form == "jsonl":
        return json_lines([facts])
    return "".join(f"{name}: {cell_text(value) or 'none'}\n" for name, value in facts.items())
