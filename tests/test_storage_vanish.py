"""Rule R1: when an absent file's life ends, and when it does not."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from observing import (
    INDEX,
    REPO,
    A,
    B,
    after,
    crawl,
    index_page,
    live,
    new_catalog,
    release_list,
    release_page,
    release_wheels,
    rows,
    unchanged,
    wheel_name,
    wheels,
)

from storage.check import check_catalog
from wheels.errors import HttpStatus
from wheels.observation import PageFailed, Status
from wheels.page import Shape

if TYPE_CHECKING:
    from storage.write import Catalog


def names(*numbers: int) -> set[str]:
    return {wheel_name(number) for number in numbers}


# ---------------------------------------------------------------------- two absences, six hours apart


def test_B28_two_complete_walks_end_a_life(catalog: Catalog) -> None:
    crawl(catalog, 0, index_page(wheels(1, 2, 3)))
    assert crawl(catalog, 1, index_page(wheels(1, 2), 1)).vanished == 0
    assert crawl(catalog, 7, index_page(wheels(1, 2), 7)).vanished == 1
    assert live(catalog) == names(1, 2)
    query = "SELECT vanished_at, last_seen, sha256 FROM wheels WHERE filename = ?"
    assert rows(catalog, query, wheel_name(3)) == [("2026-12-01T07:00:00Z", "2026-12-01T00:00:00Z", A)]
    assert rows(catalog, "SELECT kind, at FROM history") == [("vanished", "2026-12-01T07:00:00Z")]


@pytest.mark.parametrize("second", ["read", "304"])
def test_the_second_absence_may_be_an_unchanged_page(catalog: Catalog, second: str) -> None:
    crawl(catalog, 0, index_page(wheels(1, 2, 3)))
    missing = index_page(wheels(1, 2), 1)
    crawl(catalog, 1, missing)
    crawl(catalog, 8, index_page(wheels(1, 2), 8) if second == "read" else unchanged(missing, 8))
    assert live(catalog) == names(1, 2)


@pytest.mark.parametrize(("hours", "vanished"), [(5.99, 0), (6, 1)])
def test_the_gap_is_six_hours(catalog: Catalog, hours: float, vanished: int) -> None:
    crawl(catalog, 0, index_page(wheels(1, 2, 3)))
    crawl(catalog, 1, index_page(wheels(1, 2), 1))
    assert crawl(catalog, 1 + hours, index_page(wheels(1, 2), 1 + hours)).vanished == vanished


def test_B33_a_clock_that_goes_back_ends_nothing(catalog: Catalog) -> None:
    crawl(catalog, 0, index_page(wheels(1, 2, 3)))
    crawl(catalog, 24 * 365, index_page(wheels(1, 2), 24 * 365))
    assert crawl(catalog, 8, index_page(wheels(1, 2), 8)).vanished == 0


def test_S02_a_file_that_comes_back_in_time_never_vanished(catalog: Catalog) -> None:
    crawl(catalog, 0, index_page(wheels(1, 2, 3)))
    crawl(catalog, 1, index_page(wheels(1, 2), 1))
    crawl(catalog, 1.2, index_page([*wheels(1, 2), *wheels(3, sha256=B)], 1.2))
    crawl(catalog, 9, index_page(wheels(1, 2), 9))
    assert live(catalog) == names(1, 2, 3)
    query = "SELECT sha256, replaced FROM wheels WHERE filename = ?"
    assert rows(catalog, query, wheel_name(3)) == [(B, 1)]


def test_reappearing_clears_the_mark_and_keeps_the_history(catalog: Catalog) -> None:
    crawl(catalog, 0, index_page(wheels(1, 2, 3)))
    for at in (1, 8):
        crawl(catalog, at, index_page(wheels(1, 2), at))
    assert crawl(catalog, 9, index_page(wheels(1, 2, 3), 9)).back == 1
    assert live(catalog) == names(1, 2, 3)
    assert [kind for (kind,) in rows(catalog, "SELECT kind FROM history ORDER BY id")] == ["vanished", "back"]


# ---------------------------------------------------------------------- what says nothing


@pytest.mark.parametrize("status", [Status.PARTIAL, Status.FAILED])
def test_a_walk_that_is_not_complete_marks_nothing(catalog: Catalog, status: Status) -> None:
    crawl(catalog, 0, index_page(wheels(1, 2, 3)))
    for at in (1, 8, 15):
        assert crawl(catalog, at, index_page(wheels(1, 2), at), status=status).vanished == 0
    assert live(catalog) == names(1, 2, 3)


def test_the_absence_of_a_walk_that_was_cut_does_not_count(catalog: Catalog) -> None:
    crawl(catalog, 0, index_page(wheels(1, 2, 3)))
    crawl(catalog, 1, index_page(wheels(1, 2), 1), status=Status.PARTIAL)
    assert crawl(catalog, 8, index_page(wheels(1, 2), 8)).vanished == 0
    assert crawl(catalog, 15, index_page(wheels(1, 2), 15)).vanished == 1


def test_a_page_that_was_not_read_says_nothing(catalog: Catalog) -> None:
    two = index_page(wheels(3), tag="cu129/demo")
    crawl(catalog, 0, index_page(wheels(1, 2)), two)
    for at in (7, 14):
        crawl(catalog, at, index_page(wheels(1, 2), at))
    assert live(catalog) == names(1, 2, 3)


@pytest.mark.parametrize("shape", [Shape.BROKEN, Shape.RETRY, Shape.PARTIAL])
def test_B25_other_verdicts_end_nothing(catalog: Catalog, shape: Shape) -> None:
    crawl(catalog, 0, index_page(wheels(1, 2, 3)))
    for at in (7, 14, 21):
        crawl(catalog, at, index_page((), at, shape=shape))
    assert live(catalog) == names(1, 2, 3)


# ---------------------------------------------------------------------- mass vanish


@pytest.mark.parametrize("shape", [Shape.EMPTY, Shape.OK])
def test_A28_an_empty_page_is_a_mass_vanish(catalog: Catalog, shape: Shape) -> None:
    crawl(catalog, 0, index_page(wheels(*range(50))))
    before = rows(catalog, "SELECT * FROM wheels")
    for at in (7, 14):
        delta = crawl(catalog, at, index_page((), at, shape=shape))
        assert delta.mass_vanish
        assert (delta.vanished, delta.problems) == (0, 1)
    assert rows(catalog, "SELECT * FROM wheels") == before
    assert rows(catalog, "SELECT code FROM problems") == [("mass-vanish",)]
    assert rows(catalog, "SELECT status, cause, last_complete_at FROM channels") == [
        ("partial", "mass-vanish", "2026-12-01T00:00:00Z")
    ]


def test_half_is_not_yet_a_mass_vanish(catalog: Catalog) -> None:
    crawl(catalog, 0, index_page(wheels(1, 2, 3, 4)))
    for at in (7, 14):
        assert not crawl(catalog, at, index_page(wheels(1, 2), at)).mass_vanish
    assert live(catalog) == names(1, 2)


def test_new_files_do_not_outweigh_missing_ones(catalog: Catalog) -> None:
    crawl(catalog, 0, index_page(wheels(1, 2, 3, 4)))
    assert crawl(catalog, 7, index_page(wheels(1, *range(10, 30)), 7)).mass_vanish


def test_S03_the_half_is_counted_over_the_channel(catalog: Catalog) -> None:
    full = release_page(release_wheels(*range(58)))
    other = release_page(release_wheels(*range(100), tag="v2"), tag="v2")
    crawl(catalog, 0, full, other)
    crawl(catalog, 1, release_page((), 1, shape=Shape.BROKEN), unchanged(other, 1), status=Status.PARTIAL)
    assert len(rows(catalog, "SELECT 1 FROM wheels WHERE vanished_at IS NULL")) == 158
    first = crawl(catalog, 2, release_page((), 2, shape=Shape.EMPTY), unchanged(other, 2))
    assert (first.vanished, first.mass_vanish) == (0, False)
    assert crawl(catalog, 3, release_page((), 3, shape=Shape.EMPTY), unchanged(other, 3)).vanished == 0
    assert crawl(catalog, 8, release_page((), 8, shape=Shape.EMPTY), unchanged(other, 8)).vanished == 58


def test_a_mass_vanish_can_be_accepted(catalog: Catalog) -> None:
    crawl(catalog, 0, index_page(wheels(1, 2, 3)))
    crawl(catalog, 1, index_page(wheels(1), 1))
    assert crawl(catalog, 8, index_page(wheels(1), 8), accept=["another"]).vanished == 0
    assert crawl(catalog, 9, index_page(wheels(1), 9), accept=[INDEX]).vanished == 2


# ---------------------------------------------------------------------- releases and repositories


def test_a_release_that_a_complete_list_lacks_counts_as_read_without_its_files(catalog: Catalog) -> None:
    keep = release_page(release_wheels(1, 2, tag="v2"), tag="v2")
    crawl(catalog, 0, release_list("v1", "v2"), release_page(release_wheels(3)), keep)
    for at in (7, 14):
        crawl(catalog, at, release_list("v2", at=at), unchanged(keep, at))
    assert live(catalog) == names(1, 2)
    assert catalog.memory(REPO).releases["v1"].gone


def test_B31_S07_an_incomplete_list_says_nothing_of_releases(catalog: Catalog) -> None:
    keep = release_page(release_wheels(1, 2, tag="v2"), tag="v2")
    crawl(catalog, 0, release_list("v1", "v2"), release_page(release_wheels(3)), keep)
    for at in (7, 14):
        crawl(catalog, at, release_list("v2", at=at, complete=False), unchanged(keep, at))
    assert live(catalog) == names(1, 2, 3)


@pytest.mark.parametrize("order", ["list first", "list last"])
@pytest.mark.parametrize(("complete", "left"), [(True, {1, 2}), (False, {1, 2, 3})])
def test_a_fragment_that_is_gone_counts_while_the_list_is_complete(
    catalog: Catalog, order: str, complete: bool, left: set[int]
) -> None:
    keep = release_page(release_wheels(1, 2, tag="v2"), tag="v2")
    crawl(catalog, 0, release_list("v1", "v2"), release_page(release_wheels(3)), keep)
    for at in (7, 14):
        seen: list[Any] = [release_list("v1", "v2", at=at, complete=complete), unchanged(keep, at)]
        seen.insert(1 if order == "list first" else 0, release_page((), at, shape=Shape.GONE))
        crawl(catalog, at, *seen)
    assert live(catalog) == names(*left)


@pytest.mark.parametrize("way", ["read", "304"])
def test_a_release_that_is_back_brings_its_files_back(catalog: Catalog, way: str) -> None:
    keep = release_page(release_wheels(1, 2, tag="v2"), tag="v2")
    back = release_page(release_wheels(3))
    crawl(catalog, 0, release_list("v1", "v2"), back, keep)
    for at in (7, 14):
        crawl(catalog, at, release_list("v2", at=at), unchanged(keep, at))
    again = release_page(release_wheels(3), 21) if way == "read" else unchanged(back, 21)
    assert crawl(catalog, 21, release_list("v1", "v2", at=21), again, unchanged(keep, 21)).back == 1
    assert live(catalog) == names(1, 2, 3)


def gone(at: float) -> PageFailed:
    error = HttpStatus("read", "the repository", "404", status=404)
    url = f"https://github.test/{REPO}/releases"
    return PageFailed(channel=REPO, tag=None, requested_url=url, error=error, fetched_at=after(at))


def test_B27_a_repository_that_answers_404_marks_nothing_for_seven_days(catalog: Catalog) -> None:
    crawl(catalog, 0, release_list("v1"), release_page(release_wheels(1, 2)))
    for day in range(1, 8):
        assert crawl(catalog, day * 24, gone(day * 24), status=Status.FAILED).vanished == 0
    assert len(live(catalog)) == 2
    assert crawl(catalog, 8 * 24, gone(8 * 24), status=Status.FAILED).vanished == 0
    assert crawl(catalog, 9 * 24, gone(9 * 24), status=Status.FAILED).vanished == 2


def test_B27_a_repository_that_is_back_starts_anew(catalog: Catalog) -> None:
    page = release_page(release_wheels(1, 2))
    crawl(catalog, 0, release_list("v1"), page)
    for day in (1, 6):
        crawl(catalog, day * 24, gone(day * 24), status=Status.FAILED)
    crawl(catalog, 7 * 24, release_list("v1", at=7 * 24), unchanged(page, 7 * 24))
    for day in (9, 11):
        crawl(catalog, day * 24, gone(day * 24), status=Status.FAILED)
    assert len(live(catalog)) == 2


def test_an_index_page_that_is_gone_marks_nothing_for_seven_days(catalog: Catalog) -> None:
    keep = index_page(wheels(1, 2), tag="cu129/demo")
    crawl(catalog, 0, index_page(wheels(3)), keep)
    for day in (1, 7, 8, 9):
        crawl(catalog, day * 24, index_page((), day * 24, shape=Shape.GONE), unchanged(keep, day * 24))
        assert (wheel_name(3) in live(catalog)) is (day < 9)


# ---------------------------------------------------------------------- files on several pages


def test_a_file_lives_while_one_of_its_pages_lists_it(catalog: Catalog) -> None:
    def page(number: int, at: float, *listed: int) -> Any:
        return index_page(wheels(*listed), at, tag=None, requested_url=f"https://index.test/{number}.html")

    crawl(catalog, 0, page(1, 0, 1, 2, 3), page(2, 0, 3, 4, 5))
    assert len(live(catalog)) == 5
    for at in (7, 14):
        crawl(catalog, at, page(1, at, 1, 2), page(2, at, 3, 4, 5))
    assert live(catalog) == names(1, 2, 3, 4, 5)
    for at in (21, 28):
        crawl(catalog, at, page(1, at, 1, 2), page(2, at, 4, 5))
    assert live(catalog) == names(1, 2, 4, 5)


# ---------------------------------------------------------------------- against a simple model


class Model:
    """Which of a page's wheels live, by the words of rule R1."""

    def __init__(self) -> None:
        self.known: set[int] = set()
        self.unlisted: set[int] = set()
        self.absent: dict[int, float] = {}
        self.vanished: set[int] = set()

    def walk(self, at: float, listed: frozenset[int], shape: Shape, *, complete: bool) -> None:
        if not shape.usable:
            return
        before = set(self.known)
        self.known |= listed
        self.vanished -= listed
        self.unlisted -= listed
        self.absent = {number: since for number, since in self.absent.items() if number not in listed}
        if shape.complete:
            self.unlisted |= before - listed
            if complete:
                self._judge(at, before)

    def _judge(self, at: float, before: set[int]) -> None:
        missing = self.unlisted - self.vanished
        due = {number for number in missing if at - self.absent.setdefault(number, at) >= 6}
        if len(missing) * 2 <= len(before - self.vanished):
            self.vanished |= due


STEPS = st.lists(
    st.tuples(
        st.sampled_from([1, 4, 7]),
        st.frozensets(st.integers(0, 5), min_size=2),
        st.sampled_from([Shape.OK, Shape.OK, Shape.OK, Shape.PARTIAL, Shape.BROKEN]),
        st.sampled_from([A, B]),
        st.sampled_from([True, True, True, False]),
    ),
    min_size=3,
    max_size=12,
)


@settings(max_examples=40)
@given(STEPS)
def test_random_walks_agree_with_the_rule_and_delete_nothing(steps: list[Any]) -> None:
    with TemporaryDirectory() as folder, closing(new_catalog(Path(folder))) as catalog:
        model, at = Model(), 0.0
        ledger: dict[int, tuple[Any, ...]] = {}
        for gap, listed, shape, sha256, complete in steps:
            at += gap
            page = index_page(wheels(*sorted(listed), sha256=sha256), at, shape=shape)
            crawl(catalog, at, page, status=Status.OK if complete else Status.PARTIAL)
            model.walk(at, listed, shape, complete=complete)
            assert live(catalog) == names(*(model.known - model.vanished))
            now = {row[0]: row for row in rows(catalog, "SELECT id, url, digest, size, first_seen FROM ledger")}
            assert ledger.items() <= now.items()
            ledger = now
            before = rows(catalog, "SELECT * FROM wheels")
            catalog.store(page)
            assert rows(catalog, "SELECT * FROM wheels") == before
        assert check_catalog(catalog._path) == []
