from __future__ import annotations

import random
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import pytest
from observing import crawl, index_page, new_catalog, wheels

from storage.faults import translated
from storage.open import open_reader
from wheels.errors import CatalogCorrupt, CatalogError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with closing(new_catalog(tmp_path)) as catalog:
        crawl(catalog, 0, index_page(wheels(1, 2, 3)))
    return tmp_path / "catalog.sqlite"


def test_B37_a_schema_that_is_no_text_is_corrupt(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content.replace(b"CREATE TABLE alembic_version", b"CREATE\x87\xffABLE alembic_version"))
    with pytest.raises(CatalogCorrupt), closing(open_reader(path)) as reader:
        reader.execute("SELECT * FROM wheels")


@pytest.mark.parametrize("seed", range(20))
def test_B37_whatever_is_damaged_is_one_of_our_errors(path: Path, seed: int) -> None:
    chance = random.Random(seed)
    content = bytearray(path.read_bytes())
    for _ in range(2_000):
        content[chance.randrange(100, len(content))] = chance.randrange(256)
    path.write_bytes(content)
    with suppress(CatalogError), closing(open_reader(path)) as reader, translated(path, "read"):
        reader.execute("SELECT * FROM wheels").fetchall()


def test_A40_words_that_are_no_text_find_nothing_and_break_nothing(path: Path) -> None:
    with closing(open_reader(path)) as reader:
        assert reader.execute("SELECT count(*) FROM wheels WHERE tag GLOB ?", ("\udcff*",)).fetchone() == (0,)
        assert reader.execute("SELECT :a, :b", {"a": "x\udcff", "b": 1}).fetchone() == ("x\ufffd", 1)


def test_other_errors_keep_their_cause(path: Path) -> None:
    with pytest.raises(CatalogError) as caught, translated(path, "read"):
        raise sqlite3.OperationalError("no such table: x")
    assert isinstance(caught.value.__cause__, sqlite3.OperationalError)
