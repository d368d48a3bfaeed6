"""A sound catalog is found sound, a broken one is not, and a backup is whole."""

from __future__ import annotations

import stat
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from observing import B, asset, crawl, index_page, new_catalog, release_list, release_page, rows, wheel_name, wheels

from storage.check import back_up, catalog_info, check_catalog
from storage.open import open_reader
from wheels.errors import CatalogCorrupt, CatalogReadOnly, NotFound, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from storage.write import Catalog


def fill(catalog: Catalog) -> None:
    crawl(catalog, 0, index_page([*wheels(1, 2, 3, 4), asset("torch-2.9.0-cp313-cp313-linux_x86_64-cuda12.6.whl")]))
    for at in (1, 8):
        crawl(catalog, at, index_page(wheels(1, 2, 3, sha256=B), at))
    crawl(catalog, 9, release_list("v1", "v2"), release_page(wheels(5)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with closing(new_catalog(tmp_path)) as catalog:
        fill(catalog)
    return tmp_path / "catalog.sqlite"


def test_a_catalog_with_a_history_is_sound(path: Path) -> None:
    assert check_catalog(path) == []


BREAKS = {
    "a lost ledger": ("DELETE FROM sighting WHERE wheel_id = 1", "ledger row"),
    "no current revision": ("UPDATE sighting SET last_seen = first_seen WHERE wheel_id = 1", "no current row"),
    "a lost tag": ("DELETE FROM wheel_tag WHERE wheel_id = 1", "no tag"),
    "an orphan": ("DELETE FROM page WHERE id = 1", "not there"),
    "another digest": ("UPDATE wheel SET sha256 = 'x' WHERE id = 1", "digest"),
    "another URL": ("UPDATE wheel SET url = 'https://x.test/y.whl' WHERE id = 1", "another URL"),
    "a sudden end": ("UPDATE wheel SET vanished_at = '2026-12-02' WHERE id = 1", "two absences"),
    "a lost view": ("DROP VIEW ledger", "ledger is missing"),
}


@pytest.mark.parametrize(("sql", "said"), BREAKS.values(), ids=BREAKS.keys())
def test_a_broken_invariant_is_found(catalog: Catalog, sql: str, said: str) -> None:
    fill(catalog)
    rows(catalog, "PRAGMA foreign_keys = OFF")
    rows(catalog, sql)
    assert any(said in finding for finding in check_catalog(catalog._path))


def test_info_counts(path: Path) -> None:
    info = catalog_info(path)
    counts = {
        name: info[name] for name in ("wheels", "live_wheels", "channels", "releases", "ledger_rows", "crawl_runs")
    }
    assert counts == {"wheels": 6, "live_wheels": 4, "channels": 2, "releases": 3, "ledger_rows": 9, "crawl_runs": 4}
    assert info["bytes"] == path.stat().st_size
    assert (info["revision"], info["last_crawl_status"]) == ("0002", "ok")


def test_a_backup_is_whole_and_private(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    back_up(path, copy)
    assert check_catalog(copy) == []
    with closing(open_reader(copy)) as db:
        assert (wheel_name(4),) in db.execute("SELECT filename FROM wheels").fetchall()
    assert stat.S_IMODE(copy.stat().st_mode) & 0o077 == 0


def test_a_backup_is_made_while_a_crawl_writes(catalog: Catalog, tmp_path: Path) -> None:
    fill(catalog)
    catalog._db.execute("BEGIN IMMEDIATE")
    back_up(catalog._path, tmp_path / "copy.sqlite")
    catalog._db.execute("ROLLBACK")
    assert catalog_info(tmp_path / "copy.sqlite")["wheels"] == 6


def test_a_backup_overwrites_nothing(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    copy.write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        back_up(path, copy)
    assert copy.read_text() == "mine"


def test_a_backup_needs_a_place(path: Path, tmp_path: Path) -> None:
    with pytest.raises(CatalogReadOnly):
        back_up(path, tmp_path / "no" / "folder" / "copy.sqlite")


def test_no_catalog_yet(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        check_catalog(tmp_path / "none.sqlite")


def test_a_damaged_catalog_has_no_backup(path: Path, tmp_path: Path) -> None:
    pages = bytearray(path.read_bytes())
    pages[8192 : len(pages) // 2] = bytes(len(pages) // 2 - 8192)
    path.write_bytes(pages)
    with pytest.raises(CatalogCorrupt):
        back_up(path, tmp_path / "copy.sqlite")
    assert not (tmp_path / "copy.sqlite").exists()
