"""Who is behind a channel's name: renames move rows, another repository starts anew."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from observing import REPO, crawl, live, release_list, release_page, release_wheels, rows, wheel_name

from storage.open import open_reader
from storage.search import Search, candidates, freshness, read_channels

if TYPE_CHECKING:
    from storage.write import Catalog

NEW = "new-owner/wheels"
OLD_ID, OTHER_ID = 7, 8


def renamed_list(at: float) -> Any:
    return release_list("v1", at=at, repository=NEW, repository_id=OLD_ID)


def renamed_page(at: float) -> Any:
    return release_page(release_wheels(1, 2, 3, repository=NEW), at)


@pytest.fixture
def known(catalog: Catalog) -> Catalog:
    listed = release_list("v1", repository=REPO, repository_id=OLD_ID)
    crawl(catalog, 0, listed, release_page(release_wheels(1, 2, 3)))
    return catalog


def test_S05_a_renamed_repository_keeps_its_rows(known: Catalog) -> None:
    before = rows(known, "SELECT id, filename, first_seen, sha256 FROM wheels")
    delta = crawl(known, 1, renamed_list(1), renamed_page(1))
    assert (delta.added, delta.changed, delta.vanished) == (0, 0, 0)
    assert rows(known, "SELECT id, filename, first_seen, sha256 FROM wheels") == before
    assert rows(known, "SELECT DISTINCT channel FROM wheels") == [(NEW,)]
    assert all(f"github.test/{NEW}/" in url for (url,) in rows(known, "SELECT url FROM wheels"))
    assert rows(known, "SELECT DISTINCT is_current FROM ledger") == [(1,)]


def test_S05_the_page_alone_shows_the_rename(known: Catalog) -> None:
    seen = renamed_page(1)
    crawl(known, 1, replace(seen, page=replace(seen.page, repository=NEW)))
    assert len(rows(known, "SELECT * FROM wheels")) == 3


def test_S05_the_old_name_stays_an_alias(known: Catalog) -> None:
    crawl(known, 1, renamed_list(1), renamed_page(1))
    assert known.memory(REPO) == known.memory(NEW)
    assert known.memory(REPO).repository == NEW
    assert known.live_wheels(REPO) == 3
    reader = open_reader(known._path)
    assert read_channels(reader) == {REPO, NEW}
    assert freshness(reader, [REPO]) == [(NEW, "2026-12-01T01:00:00Z", "ok")]
    assert len(list(candidates(reader, Search(channel=REPO)))) == 3
    reader.close()


def test_S05_old_files_of_a_renamed_repository_vanish_as_others_do(known: Catalog) -> None:
    page = release_page(release_wheels(1, 2, repository=NEW), 1)
    for at in (1, 8):
        later = release_page(page.page.assets, at)
        crawl(known, at, renamed_list(at), later)
    assert live(known) == {wheel_name(1), wheel_name(2)}


def test_a_name_has_no_case(known: Catalog) -> None:
    crawl(known, 1, release_list("v1", at=1, repository="Owner/Wheels", repository_id=OLD_ID))
    assert rows(known, "SELECT channel FROM channels") == [(REPO,)]


def test_S06_another_repository_under_the_name_is_not_merged(known: Catalog) -> None:
    for at in (1, 8):
        other = release_list("v1", at=at, repository=REPO, repository_id=OTHER_ID)
        crawl(known, at, other, release_page(release_wheels(1, 9), at))
    held = rows(known, "SELECT channel, filename, vanished_at IS NULL FROM wheels ORDER BY id")
    assert held == [
        *((f"{REPO}#{OLD_ID}", wheel_name(number), 0) for number in (1, 2, 3)),
        *((REPO, wheel_name(number), 1) for number in (1, 9)),
    ]
    assert rows(known, "SELECT channel, superseded_by FROM channels ORDER BY id") == [
        (f"{REPO}#{OLD_ID}", REPO),
        (REPO, None),
    ]


def test_S06_another_repository_under_an_earlier_name(known: Catalog) -> None:
    crawl(known, 1, renamed_list(1), renamed_page(1))
    other = release_list("v1", at=2, repository=REPO, repository_id=OTHER_ID)
    crawl(known, 2, other, release_page(release_wheels(9), 2))
    assert rows(known, "SELECT channel, COUNT(*) FROM wheels GROUP BY channel ORDER BY channel") == [
        (NEW, 3),
        (REPO, 1),
    ]
