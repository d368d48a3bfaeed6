"""Opening a catalog: for reading without a trace, for writing with care; what cannot be opened says why."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING, NoReturn

import pytest
from observing import crawl, index_page, new_catalog, wheels

from storage import open as opening
from storage.open import exists, locate, open_catalog, open_reader
from storage.schema import REVISION
from storage.search import Search, candidates
from wheels.errors import CatalogCorrupt, CatalogError, CatalogNewer, CatalogReadOnly, NotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def marked(path: Path, pragma: str) -> Path:
    with closing(sqlite3.connect(path)) as db:
        db.execute(pragma)
        db.commit()
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with closing(new_catalog(tmp_path)) as catalog:
        crawl(catalog, 0, index_page(wheels(1)))
    return tmp_path / "catalog.sqlite"


def count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT COUNT(*) FROM wheels").fetchone()[0])


# ---------------------------------------------------------------------- places


def test_a_place_is_a_path_or_a_url(tmp_path: Path) -> None:
    assert locate(f"sqlite:///{tmp_path}/c.sqlite") == tmp_path / "c.sqlite"
    assert locate(tmp_path / "c.sqlite") == tmp_path / "c.sqlite"


def test_another_database_is_wrong_use_and_shows_no_secret() -> None:
    with pytest.raises(UsageError) as caught:
        locate("postgresql+psycopg://user:CANARY@db.test/x")
    assert "CANARY" not in str(caught.value)


# ---------------------------------------------------------------------- new catalogs


@pytest.mark.skipif(os.name == "nt", reason="Windows has no mode bits")
def test_D31_a_new_catalog_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        open_catalog(tmp_path / "new" / "folder" / "c.sqlite").close()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new" / "folder" / "c.sqlite").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "new" / "folder").stat().st_mode) == 0o700


def test_a_new_catalog_has_a_write_ahead_log_and_the_newest_schema(tmp_path: Path) -> None:
    with closing(open_catalog(tmp_path / "c.sqlite")), closing(open_reader(tmp_path / "c.sqlite")) as reader:
        assert reader.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert reader.execute("PRAGMA user_version").fetchone() == (REVISION,)


@pytest.mark.parametrize("kind", ["missing", "empty"])
def test_no_catalog_yet_is_not_found(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "c.sqlite"
    if kind == "empty":
        path.touch()
    assert not exists(path)
    with pytest.raises(NotFound, match="none yet"):
        open_reader(path)
    assert path.exists() is (kind == "empty")


def test_an_empty_file_becomes_a_catalog(tmp_path: Path) -> None:
    (tmp_path / "c.sqlite").touch()
    open_catalog(tmp_path / "c.sqlite").close()
    assert exists(tmp_path / "c.sqlite")


# ---------------------------------------------------------------------- catalogs that cannot be used


def test_B41_a_newer_catalog_is_refused_and_keeps_every_byte(path: Path) -> None:
    marked(path, f"PRAGMA user_version = {REVISION + 1}")
    before = digest(path)
    for door in (open_reader, open_catalog):
        with pytest.raises(CatalogNewer, match="newer wheelfind") as caught:
            door(path)
        assert caught.value.exit_status == 4
    assert digest(path) == before


def test_an_older_catalog_is_not_read_as_it_is(path: Path) -> None:
    marked(path, f"PRAGMA user_version = {REVISION - 1}")
    with pytest.raises(CatalogError, match="older wheelfind"):
        open_reader(path)


CORRUPT = {
    "text": b"this is no database at all, and it is long enough to be looked at twice",
    "a damaged head": b"SQLite format 3\x00" + b"\xff" * 500,
}


@pytest.mark.parametrize("content", CORRUPT.values(), ids=CORRUPT.keys())
def test_what_is_no_catalog_is_corrupt_and_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "c.sqlite"
    path.write_bytes(content)
    for door in (open_reader, open_catalog):
        with pytest.raises(CatalogCorrupt) as caught:
            door(path)
        assert caught.value.exit_status == 4
    assert path.read_bytes() == content


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    path = marked(tmp_path / "c.sqlite", "CREATE TABLE notes (text)")
    before = digest(path)
    for door in (open_reader, open_catalog):
        with pytest.raises(CatalogCorrupt, match="something else"):
            door(path)
    assert digest(path) == before


def test_a_damaged_catalog_says_so_when_it_is_read(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    path.write_bytes(content)
    with closing(open_reader(path)) as reader, pytest.raises(CatalogCorrupt):
        list(candidates(reader, Search(packages=("demo",))))
    with pytest.raises(CatalogCorrupt), closing(open_catalog(path)) as catalog:
        catalog.memory("index.test/whl")


def test_a_folder_is_no_catalog(tmp_path: Path) -> None:
    with pytest.raises(CatalogReadOnly):
        open_catalog(tmp_path)


# ---------------------------------------------------------------------- read-only places


def test_B39_a_reader_leaves_no_trace(path: Path) -> None:
    before = digest(path)
    with closing(open_reader(path)) as reader:
        assert count(reader) == 1
        with pytest.raises(CatalogReadOnly):
            reader.execute("DELETE FROM wheel")
    assert digest(path) == before


def test_a_reader_sees_what_a_writer_has_just_stored(path: Path) -> None:
    with closing(open_catalog(path)) as catalog, closing(open_reader(path)) as reader:
        catalog.store(index_page(wheels(1, 2), 1))
        assert count(reader) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX")
def test_B39_a_catalog_in_a_read_only_folder_is_read_but_not_written(path: Path) -> None:
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        assert as_a_user(path, lambda: str(count(open_reader(path)))) == "1"
        assert as_a_user(path, lambda: str(open_catalog(path))) == "CatalogReadOnly"
        assert as_a_user(path, lambda: str(open_catalog(path.parent / "new.sqlite"))) == "CatalogReadOnly"
    finally:
        path.parent.chmod(0o700)


def as_a_user(path: Path, action: Callable[[], str]) -> str:
    """What an action answers, or the class of its error, in a process that may not write where root may."""
    folders = [folder for folder in list(path.parents)[1:] if folder.name.startswith("pytest")]
    for folder in folders:
        folder.chmod(0o711)
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        _answer(writer, action)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as answer:
        return answer.read()


def _answer(writer: int, action: Callable[[], str]) -> NoReturn:
    try:
        if AS_ROOT:
            os.setgid(65534)
            os.setuid(65534)
        os.write(writer, action().encode())
    except Exception as error:  # noqa: BLE001 - the parent looks at it
        os.write(writer, type(error).__name__.encode())
    finally:
        os._exit(0)


def test_immutable_only_where_the_folder_is_not_writable(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "immutable=1" not in opening._read_uri(path)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "immutable=1" in opening._read_uri(path)
    path.with_name(f"{path.name}-wal").touch()
    assert "immutable=1" not in opening._read_uri(path)


# ---------------------------------------------------------------------- the hot path


def test_reading_imports_neither_orm_nor_parsers(path: Path) -> None:
    code = """
import sys
from storage.open import open_reader
from storage.search import Search, candidates
assert len(list(candidates(open_reader(sys.argv[1]), Search(packages=("demo",))))) == 1
heavy = {"sqlalchemy", "sqlmodel", "pydantic", "alembic", "packaging", "platformdirs", "httpx", "json"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_folder_is_no_catalog_to_read(tmp_path: Path) -> None:
    with pytest.raises(CatalogReadOnly, match="it is a folder"):
        exists(tmp_path)
