"""Runs a stranger's SQL on the catalog, read-only for certain.

It knows what a statement may do; it must not know what is asked. Four fences, because ``mode=ro`` alone still lets
ATTACH make files (hazards D02 to D05): the file is opened read-only, an authorizer allows reading alone, nothing can be
attached, and time and sizes are bounded.
"""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

from storage.faults import translated
from storage.open import locate, open_reader
from wheels.errors import CatalogError, NotAllowed, QueryStopped, UsageError, WheelfindError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Value = str | int | float | bytes | None

_STEPS = 1000
"""Virtual machine instructions between two looks at the clock: a fraction of a millisecond."""
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 1_000_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 500,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 250_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 100,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_MOST_CHARACTERS = 1 << 28
"""Characters and bytes of a whole answer: more than a million wheels with their URLs, less than a machine's memory."""
_ALWAYS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE})
_FUNCTIONS = frozenset({
    "abs", "avg", "char", "coalesce", "concat", "concat_ws", "count", "cume_dist", "date", "datetime", "dense_rank",
    "first_value", "format", "glob", "group_concat", "hex", "ifnull", "iif", "instr", "json", "json_array",
    "json_array_length", "json_each", "json_extract", "json_group_array", "json_group_object", "json_object",
    "json_quote", "json_tree", "json_type", "json_valid", "julianday", "lag", "last_value", "lead", "length",
    "like", "likelihood", "likely", "lower", "ltrim", "max", "min", "nth_value", "ntile", "nullif", "octet_length",
    "percent_rank", "printf", "quote", "rank", "replace", "round", "row_number", "rtrim", "sign", "strftime",
    "string_agg", "substr", "substring", "sum", "time", "timediff", "total", "trim", "typeof", "unhex", "unicode",
    "unixepoch", "unlikely", "upper", "zeroblob", "random", "sqlite_version", "ceil", "ceiling", "floor", "mod",
    "power", "pow", "sqrt", "exp", "ln", "log", "log10", "log2", "->", "->>",
})  # fmt: skip
_TABLE_FUNCTIONS = ("json_each", "json_tree")
_FORBIDDEN = frozenset({"SQLITE_AUTH", "SQLITE_READONLY", "SQLITE_CANTOPEN"})
_REFUSED = re.compile("not authorized|authorization denied|prohibited")
_NOT_UNDERSTOOD = frozenset({"", "SQLITE_ERROR", "SQLITE_TOOBIG", "SQLITE_MISMATCH", "SQLITE_RANGE", "SQLITE_MISUSE"})


def run_sql(
    location: str | Path, query: str, *, limit: int | None = None, timeout_seconds: float = 5.0
) -> tuple[list[str], Iterator[tuple[Value, ...]]]:
    """Run one SELECT on the documented views.

    Args:
        location: path or ``sqlite:///`` URL of the catalog.
        query: one statement.
        limit: at most so many rows; None: all.
        timeout_seconds: for the whole query, reading its rows included.

    Returns:
        The columns' names, and an iterator over the rows that closes the catalog at its end.

    Raises:
        NotAllowed: it would write, attach, change a setting, or is several statements.
        UsageError: SQLite does not understand it.
        QueryStopped: it ran out of time or memory; also while rows are read.
        NotFound: no catalog there yet.
        CatalogError: the catalog cannot be read.
    """
    path = locate(location)
    with ExitStack() as opened:
        connection = opened.enter_context(closing(open_reader(location)))
        _fence(connection, timeout_seconds)
        with _judged(path, timeout_seconds):
            cursor = sqlite3.Connection.execute(connection, query)  # judged here, not as a damaged catalog
        if cursor.description is None:
            raise UsageError("run", "the query", "it is empty", "ask with SELECT")
        opened.pop_all()  # the rows' iterator closes it
    columns = [column[0] for column in cursor.description]
    return columns, _rows(connection, cursor, path, limit, timeout_seconds)


def _fence(connection: sqlite3.Connection, timeout_seconds: float) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    for function in _TABLE_FUNCTIONS:  # made known now: the authorizer would refuse their declaration
        connection.execute(f"SELECT 1 FROM {function}('[]')").close()  # noqa: S608 - names of our own
    # No hard_heap_limit: it would bind every database of the process for ever. Sizes and time bound memory instead.
    for category, bound in _LIMITS.items():
        connection.setlimit(category, bound)
    until = time.monotonic() + timeout_seconds
    connection.set_progress_handler(lambda: int(time.monotonic() > until), _STEPS)
    connection.set_authorizer(_authorize)


def _authorize(action: int, first: str | None, second: str | None, schema: str | None, _view: str | None) -> int:
    """Say whether a statement may do one thing; everything that is not named here is refused."""
    if action in _ALWAYS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_READ:
        return sqlite3.SQLITE_OK if schema in {None, "main"} or first in _TABLE_FUNCTIONS else sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION:
        return sqlite3.SQLITE_OK if (second or "").lower() in _FUNCTIONS else sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_DENY


def _rows(
    connection: sqlite3.Connection, cursor: sqlite3.Cursor, path: Path, limit: int | None, timeout_seconds: float
) -> Iterator[tuple[Value, ...]]:
    with closing(connection), closing(cursor), _judged(path, timeout_seconds):
        room = _MOST_CHARACTERS
        for number, row in enumerate(cursor):
            if limit is not None and number >= limit:
                return
            room -= sum(len(value) for value in row if isinstance(value, (str, bytes)))
            if room < 0:
                raise MemoryError
            yield row


@contextmanager
def _judged(path: Path, timeout_seconds: float) -> Iterator[None]:
    """What SQLite says of a query, as one of our errors."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise UsageError("run", "the query", "it is no UTF-8 text", "write it in UTF-8") from error
    except (sqlite3.Warning, sqlite3.Error, MemoryError) as error:
        raise _judge(error, path, timeout_seconds) from error


def _judge(error: Exception, path: Path, timeout_seconds: float) -> WheelfindError:
    name, said = getattr(error, "sqlite_errorname", ""), str(error)
    if name == "SQLITE_INTERRUPT":
        reason = f"interrupted after {timeout_seconds:g} s"
        return QueryStopped("finish", "the query", reason, "narrow it, or give it more time with --timeout")
    if isinstance(error, MemoryError) or name == "SQLITE_NOMEM":
        return QueryStopped("finish", "the query", "it needs too much memory", "narrow it, or select fewer columns")
    if "one statement" in said:
        return NotAllowed("run", "the query", "it is more than one statement", "give one SELECT")
    if name in _FORBIDDEN or _REFUSED.search(said):
        return NotAllowed(
            "run", "the query", f"only reading is allowed ({said})", "ask with SELECT; a crawl alone writes"
        )
    if name in _NOT_UNDERSTOOD:
        hint = "the views: SELECT name, sql FROM sqlite_schema WHERE type = 'view'"
        return UsageError("run", "the query", said, hint)
    try:
        with translated(path, "read the catalog"):
            raise error
    except CatalogError as known:
        return known
