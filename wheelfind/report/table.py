"""Rows of text as aligned columns that fit narrow and wide terminals; nothing is ever cut.

It knows widths; it must not know what the columns mean.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from wheelfind.console import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

GAP = "  "
DIM, BOLD, PLAIN = "\x1b[2m", "\x1b[1m", "\x1b[0m"


def display_width(text: str) -> int:
    """Terminal cells that a text takes: wide East Asian characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(_cells(letter) for letter in text)


def _cells(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def write_table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    width: int | None = None,
    last_below: bool = False,
    colour: bool = False,
    right: frozenset[str] = frozenset(),
    keep_empty: bool = False,
) -> str:
    """A table with a head; columns without any text are left out unless they are to be kept.

    Args:
        head: names of the columns.
        rows: a text for each column.
        width: terminal columns; None means no limit.
        last_below: when a row does not fit, its last column (the URL) gets a line of its own below.
        colour: the head in bold.
        right: names of columns to align to the right.
        keep_empty: show columns without any text too.
    """
    shown = [i for i in range(len(head)) if keep_empty or not rows or any(row[i] for row in rows)]
    cells = [[visible(row[i]) for i in shown] for row in rows]
    names = [visible(head[i]) for i in shown]
    wide = _widths([names, *cells])
    fits = width is None or sum(wide) + len(GAP) * (len(wide) - 1) <= width
    split = last_below and not fits and len(names) > 1
    body = [_line(row, names, wide, right, split=split) for row in cells]
    top = _line(names, names, wide, right, split=split)
    return "".join(f"{line}\n" for line in [f"{BOLD}{top}{PLAIN}" if colour else top, *body])


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(display_width(cell) for cell in column) for column in zip(*rows, strict=True)]


def _line(
    row: Sequence[str], names: Sequence[str], widths: Sequence[int], right: frozenset[str], *, split: bool
) -> str:
    padded = [_pad(cell, width, right=name in right) for cell, name, width in zip(row, names, widths, strict=True)]
    if not split:
        return GAP.join(padded).rstrip()
    return GAP.join(padded[:-1]).rstrip() + f"\n{GAP}{row[-1]}"


def _pad(cell: str, width: int, *, right: bool) -> str:
    space = " " * (width - display_width(cell))
    return space + cell if right else cell + space
