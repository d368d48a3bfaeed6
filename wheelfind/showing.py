"""All that the catalog knows of one file: where it is, what its name says, its history and evidence.

It knows which views hold what; it must not know how it is printed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from wheels.errors import NotFound

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

_EVIDENCE = {
    "ledger": "SELECT * FROM ledger WHERE wheel_id = ? ORDER BY first_seen, id",
    "history": "SELECT * FROM history WHERE wheel_id = ? ORDER BY at, id",
    "libraries": "SELECT * FROM libraries WHERE wheel_id = ? ORDER BY member",
    "gpu_targets": "SELECT * FROM gpu_targets WHERE wheel_id = ? ORDER BY member, target",
    "verdicts": "SELECT * FROM verdicts WHERE wheel_id = ? ORDER BY torch",
}
_LISTS = ("python", "abi", "platform", "os", "arch", "sm")
_FLAGS = ("cxx11abi", "yanked", "replaced", "hash_conflict", "valid")


def show_file(connection: sqlite3.Connection, what: str) -> dict[str, Any]:
    """All that is known of a file.

    Args:
        connection: the catalog, open for reading.
        what: a file name, URL or digest, as published or decoded.

    Returns:
        ``{"asked": …, "wheels": [{facts, "ledger": […], "history": […], …}]}``, one entry for each place.

    Raises:
        NotFound: the catalog knows no such file.
    """
    rows = _rows_of(connection, what)
    wheels = [_facts(connection, row) | {"places": _places(row, rows)} for row in rows]
    if not wheels:
        hint = "A file name, URL or digest of the catalog; `wheelfind PACKAGE` lists them."
        raise NotFound("show", ascii(what)[1:-1], "the catalog knows no such file", hint)
    return {"asked": what, "wheels": wheels}


def _places(row: dict[str, Any], rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The other places of the same file among the rows, as `find` folds them."""
    same = [other for other in rows if other["id"] != row["id"] and _is_same_file(row, other)]
    return [{name: other[name] for name in ("channel", "tag", "url")} for other in same]


def _is_same_file(one: dict[str, Any], other: dict[str, Any]) -> bool:
    same_hash = one["sha256"] is not None and one["sha256"] == other["sha256"]
    return same_hash or unquote(one["url"]) == unquote(other["url"])


def _rows_of(connection: sqlite3.Connection, what: str) -> list[dict[str, Any]]:
    word = what.strip()
    if re.fullmatch(r"(?:\w+[:=-])?[0-9A-Fa-f]{32,128}", word):
        digest = re.split(r"[:=-]", word)[-1].lower()
        query = "SELECT * FROM wheels WHERE id IN (SELECT wheel_id FROM ledger WHERE digest = ?) ORDER BY id"
        return _select(connection, query, (digest,))
    path = urlsplit(word).path if "://" in word else word
    filename = unquote(re.split(r"[/\\]", path)[-1])
    rows = _select(connection, "SELECT * FROM wheels WHERE filename = ? ORDER BY id", (filename,))
    if "://" not in word:
        return rows
    wanted = unquote(word.partition("#")[0])
    return [row for row in rows if unquote(row["url"]) == wanted]


def _select(connection: sqlite3.Connection, query: str, values: Sequence[Any]) -> list[dict[str, Any]]:
    cursor = connection.execute(query, values)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def _facts(connection: sqlite3.Connection, row: dict[str, Any]) -> dict[str, Any]:
    facts = dict(row)
    for name in _LISTS:
        facts[name] = None if row[name] is None else row[name].split()
    for name in _FLAGS:
        facts[name] = None if row[name] is None else bool(row[name])
    for name, query in _EVIDENCE.items():
        facts[name] = _select(connection, query, (row["id"],))
    problems = "SELECT code, detail, first_seen, last_seen FROM problems WHERE url = ? ORDER BY id"
    facts["problems"] = _select(connection, problems, (row["url"],))
    return facts
