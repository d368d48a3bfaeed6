"""The SQL of the write path, compiled once from the tables.

It knows which columns each statement sets; it must not know values. Parameters are positional, in the order that the
names here state: what SQLAlchemy costs a row would be most of the time of a bulk write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sqlalchemy import bindparam, update
from sqlalchemy.dialects import sqlite

from storage import tables
from storage.rows import NAME_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Table
    from sqlalchemy.sql import ClauseElement
    from sqlmodel import SQLModel

_DIALECT = sqlite.dialect(paramstyle="qmark")


def table_of(row: type[SQLModel]) -> Table:
    """The Core table of a row class."""
    return cast("Table", row.__table__)  # type: ignore[attr-defined]  # SQLModel sets it at run time


def columns_of(row: type[SQLModel], *, without: Sequence[str] = ()) -> tuple[str, ...]:
    """Column names in the table's order."""
    return tuple(column.name for column in table_of(row).columns if column.name not in without)


def _sql(statement: ClauseElement, names: Sequence[str] | None = None) -> str:
    return str(statement.compile(dialect=_DIALECT, column_keys=list(names) if names is not None else None))


def inserting(row: type[SQLModel], *, without: Sequence[str] = ()) -> str:
    """INSERT of all columns but ``without``, in the table's order."""
    return _sql(sqlite.insert(table_of(row)), columns_of(row, without=without))


def upserting(row: type[SQLModel], key: Sequence[str], kept: Sequence[str] = (), *, without: Sequence[str] = ()) -> str:
    """INSERT that updates the row of the same key instead, all columns but the key and ``kept``."""
    insert = sqlite.insert(table_of(row))
    names = columns_of(row, without=without)
    changed = {name: insert.excluded[name] for name in names if name not in key and name not in kept}
    return _sql(insert.on_conflict_do_update(index_elements=list(key), set_=changed), names)


def updating(row: type[SQLModel], names: Sequence[str]) -> str:
    """UPDATE of the named columns in that order, the row's id last."""
    table = table_of(row)
    statement = update(table).where(table.c.id == bindparam("row_id"))
    return _sql(statement.ordered_values(*((table.c[name], bindparam(f"new_{name}")) for name in names)))


WHEEL_COLUMNS = columns_of(tables.WheelRow)
INSERT_WHEEL = inserting(tables.WheelRow)
INSERT_TAG = inserting(tables.WheelTagRow)
INSERT_SIGHTING = inserting(tables.SightingRow, without=("id",))
INSERT_EVENT = inserting(tables.EventRow, without=("id",))
INSERT_LISTING = _sql(sqlite.insert(table_of(tables.ListingRow)).on_conflict_do_nothing(), ("page_id", "wheel_id"))
UPSERT_PROBLEM = upserting(
    tables.ProblemRow, ("channel_id", "code", "url", "detail"), kept=("first_seen",), without=("id",)
)
UPSERT_VALIDATOR = upserting(tables.ValidatorRow, ("channel_id", "url"))
UPSERT_WALK = upserting(tables.WalkRow, ("run_id", "channel_id"))

FACT_COLUMNS = (
    "page_id", "url", "sha256", "claims", "size", "uploaded_at", "requires_python", "metadata_sha256",
    "yanked", "yank_reason", "replaced", "last_listed_at", "absent_since", "vanished_at",
)  # fmt: skip
"""What a later reading of a page may change in a wheel's row, its name aside."""
UPDATE_FACTS = updating(tables.WheelRow, FACT_COLUMNS)
UPDATE_NAME = updating(tables.WheelRow, NAME_COLUMNS)
UPDATE_SIGHTING = updating(tables.SightingRow, ("algorithm", "digest", "size", "uploaded_at", "last_seen"))
