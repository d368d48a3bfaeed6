"""A stranger's SQL reads, and does nothing else."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from observing import crawl, index_page, new_catalog, wheels

from storage.sandbox import run_sql
from storage.schema import VIEW_NAMES
from wheels.errors import NotAllowed, NotFound, QueryStopped, UsageError

if TYPE_CHECKING:
    from pathlib import Path

ENDLESS = "with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with closing(new_catalog(tmp_path)) as catalog:
        crawl(catalog, 0, index_page(wheels(1, 2, 3)))
    return tmp_path / "catalog.sqlite"


def ask(path: Path, query: str, limit: int | None = None) -> list[tuple[object, ...]]:
    return list(run_sql(path, query, limit=limit)[1])


@pytest.mark.parametrize("view", VIEW_NAMES)
def test_every_view_can_be_read(path: Path, view: str) -> None:
    columns, rows = run_sql(path, f"SELECT * FROM {view}")  # noqa: S608 - names of our own
    assert "id" in columns or "wheel_id" in columns
    list(rows)


READING = {
    "lists stay text": ("SELECT count(*) FROM wheels WHERE python LIKE '% cp312 %'", 3),
    "the schema": ("SELECT count(*) FROM sqlite_schema WHERE type = 'view'", len(VIEW_NAMES)),
    "the schema's old name": ("SELECT count(*) FROM sqlite_master WHERE name = 'wheels'", 1),
    "D04 a recursion that ends": (ENDLESS.replace("from c)", "from c where n < 10)"), 10),
    "JSON": ("SELECT sum(value) FROM json_each('[1, 2]')", 3),
    "windows": ("SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY id) n FROM wheels)", 3),
    "values": ("VALUES (1)", 1),
    "characters by number": ("SELECT char(43)", "+"),
    "a semicolon at the end": ("SELECT 1;", 1),
}


@pytest.mark.parametrize(("query", "first"), READING.values(), ids=READING.keys())
def test_reading_works(path: Path, query: str, first: object) -> None:
    assert ask(path, query)[0][0] == first


def test_a_limit_is_only_as_asked(path: Path) -> None:
    assert len(ask(path, "SELECT * FROM wheels")) == 3
    assert len(ask(path, "SELECT * FROM wheels", limit=2)) == 2


FORBIDDEN = [
    "ATTACH '{folder}/new.db' AS n",
    "VACUUM INTO '{folder}/copy.db'",
    "VACUUM",
    "PRAGMA query_only = 0",
    "PRAGMA writable_schema = 1",
    "SELECT * FROM pragma_table_info('wheels')",
    "INSERT INTO wheel (id) VALUES (99)",
    "UPDATE wheel SET package = 'x'",
    "DELETE FROM wheel",
    "DROP VIEW wheels",
    "CREATE TABLE x (a)",
    "CREATE TEMP TABLE x (a)",
    "CREATE VIRTUAL TABLE temp.v USING fts5(a)",
    "BEGIN IMMEDIATE",
    "SAVEPOINT a",
    "REINDEX",
    "ANALYZE",
    "SELECT 1; DELETE FROM wheel",
    "SELECT load_extension('x')",
    "SELECT fts3_tokenizer('simple')",
    "WITH x AS (SELECT 1) DELETE FROM wheel",
]


@pytest.mark.parametrize("query", FORBIDDEN)
def test_D02_D03_nothing_else_is_allowed(path: Path, query: str) -> None:
    before = {file.name: file.read_bytes() for file in path.parent.iterdir() if file.suffix == ".sqlite"}
    with pytest.raises(NotAllowed) as caught:
        ask(path, query.format(folder=path.parent))
    assert caught.value.exit_status == 2
    assert {file.name: file.read_bytes() for file in path.parent.iterdir() if file.suffix == ".sqlite"} == before


INVALID = [
    "SELEC 1",
    "",
    "-- nothing",
    "SELECT * FROM nowhere",
    "SELECT ?",
    "SELECT writefile('a', 'b')",
    "\x00",
    "\ud800",
]


@pytest.mark.parametrize("query", INVALID, ids=ascii)
def test_invalid_sql_is_wrong_use(path: Path, query: str) -> None:
    with pytest.raises(UsageError) as caught:
        ask(path, query)
    assert caught.value.exit_status == 2


@pytest.mark.parametrize("query", [ENDLESS, ENDLESS.replace("count(*)", "n")], ids=["one row", "many rows"])
def test_D04_an_endless_query_is_stopped(path: Path, query: str) -> None:
    started = time.monotonic()
    with pytest.raises(QueryStopped, match=r"interrupted after 0\.2 s") as caught:
        for _ in run_sql(path, query, timeout_seconds=0.2)[1]:
            pass
    assert caught.value.exit_status == 1
    assert time.monotonic() - started < 5


GREEDY = [
    "SELECT replace(hex(zeroblob(200000000)), '0', 'ab')",
    "SELECT hex(zeroblob(600000))",
    "SELECT group_concat(hex(zeroblob(100000))) FROM sqlite_schema",
    "SELECT " + "(" * 200 + "1" + ")" * 200 + " + 1" * 200,
    "SELECT 1" + " UNION SELECT 1" * 100,
    "SELECT 'a' LIKE '" + "%a" * 1000 + "'",
]


@pytest.mark.parametrize("query", GREEDY, ids=lambda query: query[:30])
def test_D05_one_step_cannot_eat_the_memory(path: Path, query: str) -> None:
    started = time.monotonic()
    with pytest.raises(UsageError):
        ask(path, query)
    assert time.monotonic() - started < 2


def test_D05_an_over_long_printf_yields_null(path: Path) -> None:
    assert ask(path, "SELECT printf('%900000000d', 1)") == [(None,)]


def test_no_catalog_yet(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        run_sql(tmp_path / "none.sqlite", "SELECT 1")


def test_D05_an_answer_is_bounded_as_a_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.sandbox._MOST_CHARACTERS", 1_000)
    rows = "with recursive c(n) as (select 1 union all select n + 1 from c) select printf('%99d', n), x'00' from c"
    with pytest.raises(QueryStopped, match="too much memory"):
        ask(path, rows)
    assert len(ask(path, rows, limit=10)) == 10


def test_A40_a_query_that_is_no_text_is_wrong_use(path: Path) -> None:
    with pytest.raises(UsageError, match="no UTF-8"):
        ask(path, "select '\udcff'")
