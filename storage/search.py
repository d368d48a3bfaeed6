"""Finds wheels in an open catalog: plain SQL, read only, on the hot path.

It knows which rows may answer a search; it must not know which of them really fit (``wheels.fit``). It imports nothing
but ``sqlite3`` and words. Every value is a parameter; every piece of SQL is a constant of this module.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from storage.faults import translated
from wheels.wheel import Conflict, Wheel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from storage.faults import Reader

_TEXTS = (
    "filename", "problem", "package", "version", "local", "build", "glibc", "musl", "accelerator", "cuda", "cuda_from",
    "rocm", "torch", "torch_from", "commit", "date", "sm_from", "sm_read", "url", "channel", "tag", "sha256", "size",
    "uploaded_at", "requires_python", "yank_reason", "first_seen", "vanished_at", "version_key",
)  # fmt: skip
"""Columns of the view ``wheels`` that are a wheel's fields as they stand."""
_LISTS = ("python", "abi", "platform", "os", "arch", "sm")
_FLAGS = ("valid", "yanked", "replaced", "hash_conflict")
_OTHERS = ("last_seen", "cxx11abi", "cuda_conflict")
COLUMNS = (*_TEXTS, *_LISTS, *_FLAGS, *_OTHERS)
"""What :func:`read_wheel` needs, in its order."""
_LISTS_FROM = len(_TEXTS)
_FLAGS_FROM = _LISTS_FROM + len(_LISTS)
_OTHERS_FROM = _FLAGS_FROM + len(_FLAGS)
_SELECT = "SELECT " + ", ".join(f'"{name}"' for name in COLUMNS) + " FROM wheels"  # noqa: S608 - names of our own
_WILDCARDS = "*?["


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Which wheels may answer; None means any. Everything else is left to the judgement of fit."""

    packages: tuple[str, ...] = ()
    """Normalised names, or globs (``sgl*``); empty: any."""
    accelerator: str | None = None
    cuda: frozenset[str] | None = None
    """Every value of ``cuda`` that may fit, or globs: ``{"13.0", "13"}``, ``{"13", "13.*"}``."""
    arch: frozenset[str] | None = None
    """A wheel that names one of these: ``{"x86_64", "any"}``."""
    os: frozenset[str] | None = None
    channel: str | None = None
    """Name or earlier name of a channel."""
    tag_glob: str | None = None
    since: str | None = None
    """Uploaded or first seen at or after this date or time (UTC, ISO 8601)."""
    vanished: bool = True
    """Vanished ones too."""


def candidates(connection: Reader, search: Search) -> Iterator[Wheel]:
    """Wheels among which are all that a search may mean.

    Args:
        connection: from ``storage.open.open_reader``.
        search: what is known of the answer.

    Yields:
        Wheels in no order, one for each place of a file.

    Raises:
        CatalogError: the catalog is damaged.
    """
    where, values = conditions(connection, search)
    sql = f"{_SELECT} WHERE {' AND '.join(where)}" if where else _SELECT
    cursor = connection.execute(sql, values)
    with translated(connection.path, "read the catalog"):
        yield from map(read_wheel, cursor)


def wheels_named(connection: Reader, filename: str) -> Iterator[Wheel]:
    """Every wheel of one file name, one for each place.

    Args:
        connection: from ``storage.open.open_reader``.
        filename: decoded.

    Raises:
        CatalogError: the catalog is damaged.
    """
    cursor = connection.execute(f"{_SELECT} WHERE filename = ?", (filename,))
    with translated(connection.path, "read the catalog"):
        yield from map(read_wheel, cursor)


def conditions(connection: Reader, search: Search) -> tuple[list[str], list[object]]:
    """A search as conditions on the view ``wheels``, to be joined by AND, and their parameters in order."""
    parts = [
        _any_of([_like("package", name) for name in search.packages]),
        ("accelerator = ?", [search.accelerator]) if search.accelerator else None,
        _any_of([_like("cuda", version) for version in sorted(search.cuda)]) if search.cuda else None,
        ("0", []) if search.cuda is not None and not search.cuda else None,
        _any_of([("instr(arch, ?) > 0", [f" {word} "]) for word in sorted(search.arch or ())]),
        _any_of([("instr(os, ?) > 0", [f" {word} "]) for word in sorted(search.os or ())]),
        ("channel = ?", [channel_name(connection, search.channel)]) if search.channel else None,
        ("tag GLOB ?", [search.tag_glob]) if search.tag_glob else None,
        ("(uploaded_at >= ? OR first_seen >= ?)", [search.since, search.since]) if search.since else None,
        None if search.vanished else ("vanished_at IS NULL", []),
    ]
    kept = [part for part in parts if part is not None]
    return [condition for condition, _ in kept], [value for _, values in kept for value in values]


def _like(column: str, text: str) -> tuple[str, list[object]]:
    """An exact value, or a glob with the range of its fixed beginning, which the index serves."""
    fixed = text[: next((place for place, char in enumerate(text) if char in _WILDCARDS), len(text))]
    if fixed == text:
        return f"{column} = ?", [text]
    if not fixed:
        return f"{column} GLOB ?", [text]
    return f"({column} >= ? AND {column} < ? AND {column} GLOB ?)", [fixed, f"{fixed}\U0010ffff", text]


def _any_of(parts: list[tuple[str, list[object]]]) -> tuple[str, list[object]] | None:
    if not parts:
        return None
    return f"({' OR '.join(condition for condition, _ in parts)})", [value for _, values in parts for value in values]


def read_wheel(row: tuple[Any, ...]) -> Wheel:
    """A row of the view ``wheels`` as a wheel.

    Args:
        row: the values of :data:`COLUMNS`.
    """
    texts: dict[str, Any] = dict(zip(_TEXTS, row, strict=False))
    python, abi, platform, os, arch, sm = map(_words, row[_LISTS_FROM:_FLAGS_FROM])
    valid, yanked, replaced, hash_conflict = map(bool, row[_FLAGS_FROM:_OTHERS_FROM])
    last_seen, cxx11abi, cuda_conflict = row[_OTHERS_FROM:]
    return Wheel(
        **texts,
        python=python,
        abi=abi,
        platform=platform,
        os=os,
        arch=arch,
        sm=sm,
        valid=valid,
        yanked=yanked,
        replaced=replaced,
        hash_conflict=hash_conflict,
        last_seen=last_seen or texts["first_seen"],
        cxx11abi=None if cxx11abi is None else bool(cxx11abi),
        cuda_conflict=None if cuda_conflict is None else _conflicts(cuda_conflict),
    )


@lru_cache(maxsize=4096)
def _words(text: str | None) -> tuple[str, ...] | None:
    """A list that is kept as text."""
    return None if text is None else tuple(text.split())


def _conflicts(text: str) -> tuple[Conflict, ...]:
    import json  # noqa: PLC0415 - 5 ms that few searches need

    return tuple(Conflict(source=entry["from"], value=entry["value"]) for entry in json.loads(text))


# ---------------------------------------------------------------------- channels


def channel_name(connection: Reader, name: str) -> str:
    """The present name of a channel that may be known by an earlier one."""
    sql = "SELECT c.name FROM channel_alias a JOIN channel c ON c.id = a.channel_id WHERE a.alias = ?"
    row = connection.execute(sql, (name,)).fetchone()
    return name if row is None else str(row[0])


def freshness(
    connection: Reader, channels: Iterable[str] = (), *, packages: Iterable[str] = ()
) -> list[tuple[str, str | None, str]]:
    """How fresh channels are.

    Args:
        connection: from ``storage.open.open_reader``.
        channels: names, earlier ones too.
        packages: names or globs; the channels that hold a wheel of one of them follow.

    Returns:
        (channel, end of its last complete walk, status of its last walk) for each, in order; the status of one that was
        never walked is ``unread``.
    """
    found = []
    named = (channel_name(connection, name) for name in channels)
    for channel in dict.fromkeys([*named, *channels_of(connection, packages)]):
        row = connection.execute("SELECT last_complete_at, status FROM channel WHERE name = ?", (channel,)).fetchone()
        last_complete_at, status = row or (None, None)
        found.append((channel, last_complete_at, status or "unread"))
    return found


def channels_of(connection: Reader, packages: Iterable[str]) -> list[str]:
    """The channels that hold a wheel of one of these packages (names or globs), sorted."""
    wanted = _any_of([_like("package", name) for name in packages])
    if wanted is None:
        return []
    condition, values = wanted
    sql = "SELECT name FROM channel WHERE id IN (SELECT channel_id FROM wheel WHERE " + condition + ") ORDER BY name"  # noqa: S608 - conditions of our own
    return [str(row[0]) for row in connection.execute(sql, values)]


def read_channels(connection: Reader) -> frozenset[str]:
    """Every channel of which some page was ever read, under all its names."""
    sql = """SELECT c.id, c.name FROM channel c WHERE c.last_complete_at IS NOT NULL
             OR EXISTS (SELECT 1 FROM page p WHERE p.channel_id = c.id AND p.last_read_at IS NOT NULL)"""
    read = dict(connection.execute(sql).fetchall())
    aliases = connection.execute("SELECT alias, channel_id FROM channel_alias").fetchall()
    return frozenset(read.values()) | {alias for alias, channel_id in aliases if channel_id in read}


def pages_tried(connection: Reader, channel: str) -> dict[str, str | None]:
    """The releases and index pages of a channel that were asked for, and when each was last read.

    Returns:
        Times by tag (URL for pages without one); None for a page that was never there or never understood.
    """
    sql = """SELECT p.key, p.last_read_at FROM page p JOIN channel c ON c.id = p.channel_id
             WHERE c.name = ? AND p.tried_at IS NOT NULL"""
    return dict(connection.execute(sql, (channel_name(connection, channel),)).fetchall())


# ---------------------------------------------------------------------- what there is instead


def holdings(
    connection: Reader, channels: Iterable[str], *, tag_glob: str | None = None, limit: int = 5
) -> list[tuple[str, str | None, dict[str, int]]]:
    """The newest releases of some channels, and how many live wheels of which package each holds.

    Returns:
        At most ``limit`` of (channel, tag, wheels by package), newest first.
    """
    sql = """SELECT p.id, p.tag FROM page p JOIN channel c ON c.id = p.channel_id
             WHERE c.name = ? AND p.gone_since IS NULL AND p.last_read_at IS NOT NULL AND (? IS NULL OR p.tag GLOB ?)
             ORDER BY COALESCE(p.published_at, p.first_seen) DESC, p.id DESC LIMIT ?"""
    held = "SELECT package, COUNT(*) FROM wheel WHERE page_id = ? AND vanished_at IS NULL GROUP BY package"
    found = []
    for channel in dict.fromkeys(channel_name(connection, name) for name in channels):
        for page_id, tag in connection.execute(sql, (channel, tag_glob, tag_glob, limit)).fetchall():
            found.append((channel, tag, dict(connection.execute(held, (page_id,)).fetchall())))
    return found[:limit]


def package_names(connection: Reader) -> list[str]:
    """Every package of the catalog, sorted; steps from name to name, so it does not read every wheel."""
    sql = """WITH RECURSIVE step(name) AS (
                 SELECT MIN(package) FROM wheel
                 UNION ALL SELECT (SELECT MIN(package) FROM wheel WHERE package > step.name) FROM step
                 WHERE step.name IS NOT NULL)
             SELECT name FROM step WHERE name IS NOT NULL"""
    return [str(row[0]) for row in connection.execute(sql)]
