"""Lists that people hand over: a name or URL a line, or a table with a head; a file, gzipped or not, or standard input.

It knows lines, tabs, commas and heads; it must not know what is done with the rows.
"""

from __future__ import annotations

import csv
import gzip
import itertools
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from wheels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

STANDARD_INPUT = "-"
_GZIP = b"\x1f\x8b"
_COLUMNS = {"tag_or_directory": "tag", "directory": "tag", "repo_or_channel": "publisher", "channel": "publisher"}
"""What tables of links call our columns."""


def read_rows(word: str, columns: Sequence[str]) -> Iterator[Mapping[str, str]]:
    """The rows of a list, blank ones left out; a column that a row lacks is missing or empty.

    Args:
        word: a path, or ``-`` for standard input.
        columns: what the fields of a list without a head are, in their order. A head is a first line that holds the
            first of these names; its names count then.

    Raises:
        UsageError: it cannot be read.
    """
    with _opened(word) as file:
        lines = (line.rstrip("\r\n") for line in map(_text, file))
        rows = csv.reader((line for line in lines if line.strip()), delimiter="\t", quoting=csv.QUOTE_NONE)
        first = next(rows, None)
        if first is None:
            return
        split = _commas if len(first) == 1 and "," in first[0] else list[str]
        names = [_COLUMNS.get(name, name) for name in map(str.casefold, split(first))]
        headed = columns[0] in names
        split = split if headed or len(columns) > 1 else list[str]  # a comma may be a part of a URL
        for row in rows if headed else itertools.chain([first], rows):
            yield dict(zip(names if headed else columns, split(row), strict=False))


def _commas(row: list[str]) -> list[str]:
    return next(csv.reader(row))


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").replace("\x00", "\ufffd")


@contextmanager
def _opened(word: str) -> Iterator[Iterable[bytes]]:
    if word == STANDARD_INPUT:
        if sys.stdin is None:
            raise UsageError("read a list from", "standard input", "it is closed", "Name a file, or pipe lines to it.")
        yield _unpacked(sys.stdin.buffer)
        return
    try:
        with Path(word).open("rb") as file:
            yield _unpacked(file)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError("read the list", ascii(word)[1:-1], reason, "Name a file, or - for standard input.") from error


def _unpacked(file: IO[bytes]) -> Iterable[bytes]:
    start = file.peek(2)[:2] if hasattr(file, "peek") else b""
    return gzip.GzipFile(fileobj=file) if start == _GZIP else file
