"""A writer that is killed anywhere leaves whole pages, and the next run ends where an uninterrupted one would."""

from __future__ import annotations

import os
from contextlib import closing
from shutil import copytree
from typing import TYPE_CHECKING

import pytest
from killing import count_statements, kill_at_statement
from observing import INDEX, B, after, crawl, dump, index_page, live, new_catalog, wheels

from storage.check import check_catalog
from storage.migrate import migrate
from storage.open import open_catalog
from storage.write import Catalog
from wheels.observation import Status, WalkEnded

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

KILLS = 24
BEFORE = index_page(wheels(1, 2, 3))
RUN = (
    index_page([*wheels(1, 2, sha256=B), *wheels(6)], 7),
    index_page(wheels(4, 5), 7, tag="cu129/demo"),
    WalkEnded(channel=INDEX, status=Status.OK, ended_at=after(7)),
)


def write(db: sqlite3.Connection, path: Path) -> None:
    catalog = Catalog(db, path, lambda: after(7))
    run_id = catalog.begin_run("crawl", after(7))
    for seen in RUN:
        catalog.store(seen)
    catalog.end_run(run_id, "ok", after(7))


def migrate_and_write(db: sqlite3.Connection, path: Path) -> None:
    migrate(db)
    catalog = Catalog(db, path, lambda: after(0))
    crawl(catalog, 0, BEFORE)
    write(db, path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX")
def test_B37_a_killed_writer_leaves_whole_pages(tmp_path: Path) -> None:
    with closing(new_catalog(tmp_path / "start")) as catalog:
        crawl(catalog, 0, BEFORE)
    wanted = whole_run(tmp_path / "start", tmp_path / "whole")
    count = count_statements(lambda db: migrate_and_write(db, tmp_path)) - count_statements(migrate)
    for number in range(0, count, max(1, count // KILLS)):
        path = copytree(tmp_path / "start", tmp_path / str(number)) / "catalog.sqlite"
        kill_at_statement(path, number, lambda db, path=path: write(db, path))  # type: ignore[misc]  # bound now
        with closing(open_catalog(path)) as catalog:
            assert check_catalog(path) == []
            assert len(live(catalog)) in {3, 4, 6}
            write(catalog._db, path)
            assert dump(catalog) == wanted


def whole_run(start: Path, folder: Path) -> list[tuple[object, ...]]:
    path = copytree(start, folder) / "catalog.sqlite"
    with closing(open_catalog(path)) as catalog:
        write(catalog._db, path)
        return dump(catalog)
