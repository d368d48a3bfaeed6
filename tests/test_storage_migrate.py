"""Schemas are made wholly or not at all, and agree with the tables."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from killing import count_statements, kill_at_statement
from sqlmodel import SQLModel

import storage
import storage.tables
from storage.migrate import migrate, view_statements
from storage.schema import REVISION, VIEW_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

MIGRATIONS = Path(storage.__file__).with_name("migrations")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "c.sqlite", isolation_level=None)) as connection:
        yield connection


def names(db: sqlite3.Connection) -> list[str]:
    return [name for (name,) in db.execute("SELECT name FROM sqlite_master ORDER BY name")]


def test_the_migrated_schema_is_that_of_the_tables(db: sqlite3.Connection) -> None:
    migrate(db)
    engine = sa.create_engine("sqlite://", creator=lambda: db, poolclass=sa.StaticPool)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        differences = [change for change in compare_metadata(context, SQLModel.metadata) if change[0] != "remove_table"]
    assert differences == []


def test_partial_indexes_and_views_are_there(db: sqlite3.Connection) -> None:
    migrate(db)
    partial = db.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE INDEX%WHERE%' ORDER BY name").fetchall()
    assert [name for (name,) in partial] == ["page_gone", "wheel_absent", "wheel_claims", "wheel_unlisted"]
    assert set(VIEW_NAMES) <= set(names(db))
    assert (
        db.execute("SELECT sql FROM sqlite_master WHERE name = 'wheel_tag'")
        .fetchone()[0]
        .strip()
        .endswith("WITHOUT ROWID")
    )


def test_there_is_one_revision_for_each_step_of_the_schema() -> None:
    revisions = list(ScriptDirectory(str(MIGRATIONS)).walk_revisions())
    assert len(revisions) == REVISION


def test_migrating_twice_does_nothing(db: sqlite3.Connection) -> None:
    migrate(db)
    before = list(db.iterdump())
    migrate(db)
    assert list(db.iterdump()) == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX")
def test_B37_a_migration_that_is_killed_anywhere_is_undone_or_done(tmp_path: Path) -> None:
    for number in range(0, count_statements(_migrate), 9):
        path = tmp_path / f"{number}.sqlite"
        kill_at_statement(path, number, _migrate)
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert db.execute("PRAGMA user_version").fetchone()[0] in {0, REVISION}
            assert bool(names(db)) is bool(db.execute("PRAGMA user_version").fetchone()[0])
            migrate(db)
            assert set(VIEW_NAMES) <= set(names(db))


def _migrate(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA journal_mode = WAL")
    migrate(db)


def test_every_view_is_named() -> None:
    assert [_bare(statement).split()[2] for statement in view_statements()] == list(VIEW_NAMES)


def _bare(statement: str) -> str:
    return "\n".join(line for line in statement.splitlines() if not line.startswith("--")).strip()


def test_views_use_no_function_of_ours() -> None:
    text = " ".join(map(_bare, view_statements())).upper()
    calls = {word.rsplit(" ", 1)[-1] for word in text.replace("(", " (").split(" (")[:-1] if word.rsplit(" ", 1)[-1]}
    assert calls <= {"NULLIF", "COALESCE"}


def test_revisions_run_without_a_configuration_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection)
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("0002",)


def test_a_catalog_of_the_first_schema_is_brought_up_to_date(db: sqlite3.Connection) -> None:
    migrate(db)
    wanted = db.execute("SELECT name FROM pragma_table_info('page') ORDER BY name").fetchall()
    _undo_locations(db)
    db.execute("INSERT INTO channel (id, name, list_complete) VALUES (1, 'c', 0)")
    db.execute("INSERT INTO page (channel_id, key, url, first_seen, complete) VALUES (1, 'k', 'u', 't', 0)")
    migrate(db)
    assert db.execute("SELECT name FROM pragma_table_info('page') ORDER BY name").fetchall() == wanted
    assert db.execute("SELECT channel, url, tracks, alternate_locations FROM releases").fetchall() == [
        ("c", "u", None, None)
    ]


def _undo_locations(db: sqlite3.Connection) -> None:
    for view in VIEW_NAMES:
        db.execute(f'DROP VIEW "{view}"')
    db.execute("ALTER TABLE page DROP COLUMN tracks")
    db.execute("ALTER TABLE page DROP COLUMN alternate_locations")
    db.execute("UPDATE alembic_version SET version_num = '0001'")
    db.execute("PRAGMA user_version = 1")
