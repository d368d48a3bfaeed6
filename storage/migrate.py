"""Brings a catalog's schema up to date: Alembic's revisions, then the views, in one transaction.

It knows how schemas are made; it must not know rows. A kill at any statement leaves the old schema whole, because the
version number is part of the same transaction (hazard B37).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, StaticPool, create_engine, event
from sqlalchemy.exc import DBAPIError

from storage.schema import APPLICATION_ID, REVISION, VIEW_NAMES, VIEWS

if TYPE_CHECKING:
    import sqlite3


def migrate(connection: sqlite3.Connection) -> None:
    """Apply every revision that the catalog lacks.

    Args:
        connection: opened with ``isolation_level=None``, outside a transaction.

    Raises:
        sqlite3.Error: what SQLite says; the old schema is untouched.
    """
    engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)
    event.listen(engine, "begin", lambda outer: outer.exec_driver_sql("BEGIN IMMEDIATE"))
    try:
        with engine.begin() as outer:
            if revision_of(connection) < REVISION:  # another program may have been faster
                _upgrade(outer)
    except DBAPIError as error:
        raise error.orig or error from error


def revision_of(connection: sqlite3.Connection) -> int:
    """How many revisions the catalog has."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _upgrade(connection: Connection) -> None:
    run = connection.exec_driver_sql
    for view in VIEW_NAMES:
        run(f'DROP VIEW IF EXISTS "{view}"')
    _run_revisions(connection)
    for statement in view_statements():
        run(statement)
    run(f"PRAGMA application_id = {APPLICATION_ID}")
    run(f"PRAGMA user_version = {REVISION}")


def _run_revisions(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def view_statements() -> list[str]:
    """The statements of ``views.sql``, one a view."""
    return [statement for part in VIEWS.read_text(encoding="utf-8").split(";") if (statement := part.strip())]
