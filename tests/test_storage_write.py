"""The writer: what each observation stores, confirms or leaves alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from observing import (
    INDEX,
    REPO,
    A,
    B,
    after,
    asset,
    crawl,
    dump,
    index_page,
    live,
    release_list,
    release_page,
    release_wheels,
    rows,
    unchanged,
    wheel_name,
    wheels,
)

from storage.scope import Delta
from wheels.errors import CatalogLocked, DiskFull, HttpStatus, Unreachable
from wheels.observation import Cause, PageFailed, Status, WalkEnded
from wheels.page import Page, PageProblem, Release, Shape

if TYPE_CHECKING:
    from pathlib import Path

    from storage.write import Catalog


def failed(at: float, error: Any, tag: str | None = "cu130/demo") -> PageFailed:
    url = index_page(tag=tag).requested_url
    return PageFailed(channel=INDEX, tag=tag, requested_url=url, error=error, fetched_at=after(at))


# ---------------------------------------------------------------------- what is stored


def test_a_page_becomes_rows_of_every_view(catalog: Catalog) -> None:
    listed = asset(wheel_name(1), requires_python=">=3.9", uploaded_at="2026-11-30T00:00:00Z", metadata=True)
    assert crawl(catalog, 0, index_page([listed])) == Delta(added=1)
    query = """SELECT package, version, local, python, cuda, os, glibc, url, size, channel, tag, first_seen, last_seen,
               valid FROM wheels"""
    assert rows(catalog, query) == [
        (
            "demo", "1.0", "cu130", " cp312 ", "13.0", " linux ", "2.28",
            f"https://files.test/{wheel_name(1).replace('+', '%2B')}", 5, INDEX, "cu130/demo",
            "2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z", 1,
        )
    ]  # fmt: skip
    assert rows(catalog, "SELECT python, abi, platform FROM wheel_tags") == [
        ("cp312", "cp312", "manylinux_2_28_x86_64")
    ]
    assert rows(catalog, "SELECT url, sha256, size, uploaded_at, is_current FROM ledger") == [
        (f"https://files.test/{wheel_name(1)}", A, 5, "2026-11-30T00:00:00Z", 1)
    ]
    assert rows(catalog, "SELECT channel, status, last_complete_at FROM channels") == [
        (INDEX, "ok", "2026-12-01T00:00:00Z")
    ]
    assert rows(catalog, "SELECT status, channel, channel_status, added FROM crawl_runs") == [("ok", INDEX, "ok", 1)]


def test_only_wheels_become_wheels(catalog: Catalog) -> None:
    others = [asset("demo-1.0.tar.gz"), asset(f"{wheel_name(1)}.metadata"), asset("SHA256SUMS")]
    assert crawl(catalog, 0, index_page(others)) == Delta()
    assert not rows(catalog, "SELECT * FROM wheels")
    assert not rows(catalog, "SELECT * FROM problems")


@pytest.mark.parametrize(
    ("filename", "shown"),
    [
        ("foo-1.0-py3-none-any\n.whl", r"foo-1.0-py3-none-any\n.whl"),
        ("foo-1.0-py3-none-\x1b]0;x\x07.whl", r"foo-1.0-py3-none-\x1b]0;x\x07.whl"),
        ("t\u043erch-2.0-py3-none-any.whl", r"t\u043erch-2.0-py3-none-any.whl"),
        ("a%2Bb-1.0-py3-none-any.whl", "a%2Bb-1.0-py3-none-any.whl"),
    ],
    ids=["newline", "escape", "cyrillic", "percent"],
)
def test_A37_A38_a_bad_name_is_a_problem_and_never_a_wheel(catalog: Catalog, filename: str, shown: str) -> None:
    bad = asset(filename, url="https://files.test/bad.whl")
    assert crawl(catalog, 0, index_page([bad, *wheels(1)])) == Delta(added=1, problems=1)
    ((code, detail),) = rows(catalog, "SELECT code, detail FROM problems")
    assert code == "bad-filename"
    assert detail.endswith(shown)


def test_a_name_that_packaging_refuses_is_kept_with_its_problem(catalog: Catalog) -> None:
    name = "torch-2.9.0-cp313-cp313-manylinux_2_28_x86_64-cuda12.6.whl"
    crawl(catalog, 0, index_page([asset(name)]))
    assert rows(catalog, "SELECT package, version, valid FROM wheels") == [("torch", "2.9.0", 0)]
    assert [code for (code,) in rows(catalog, "SELECT code FROM problems")] == ["bad-filename"]


def test_A34_spellings_of_one_version_stay_apart(catalog: Catalog) -> None:
    names = [f"foo-{version}-py3-none-any.whl" for version in ("1.0", "v1.0", "01.0")]
    crawl(catalog, 0, index_page(map(asset, names)))
    assert sorted(name for (name,) in rows(catalog, "SELECT filename FROM wheels")) == sorted(names)
    assert len(rows(catalog, "SELECT DISTINCT version_key FROM wheels")) == 1


def test_A35_version_keys_sort_as_pep_440_does(catalog: Catalog) -> None:
    order = "1.0.dev1 1.0a1 1.0rc1 1.0 1.0+abc 1.0+cpu 1.0+cu118 1.0+cu126 1.0+9 1.0+10 1.0.post1.dev2 1.0.post1 1!0.1"
    names = [f"foo-{version}-py3-none-any.whl" for version in order.split()]
    crawl(catalog, 0, index_page([asset(name) for name in sorted(names)]))
    assert [name for (name,) in rows(catalog, "SELECT filename FROM wheels ORDER BY version_key")] == names


def test_S16_names_that_differ_by_plus_and_dot_stay_apart(catalog: Catalog) -> None:
    crawl(catalog, 0, release_page([asset(f"a-1{sign}b-py3-none-any.whl") for sign in "+."]))
    assert len(rows(catalog, "SELECT * FROM wheels")) == 2


def test_two_spellings_of_one_url_are_one_wheel(catalog: Catalog) -> None:
    name = wheel_name(1)
    encoded = asset(name, url=f"https://files.test/{name.replace('+', '%2B')}")
    assert crawl(catalog, 0, index_page(wheels(1))).added == 1
    assert crawl(catalog, 1, index_page([encoded])) == Delta()
    assert rows(catalog, "SELECT url FROM ledger") == [(f"https://files.test/{name}",)]


def test_a_flat_page_gives_each_file_its_own_directory(catalog: Catalog) -> None:
    flat = index_page([asset("demo-1.0-py3-none-any.whl", folder="https://files.test/whl/cu126")], tag=None)
    crawl(catalog, 0, flat)
    assert rows(catalog, "SELECT tag, cuda, cuda_from FROM wheels") == [("whl/cu126", "12.6", "tag")]


def test_secrets_of_urls_are_not_stored(catalog: Catalog, tmp_path: Path) -> None:
    secret = asset(wheel_name(1), url=f"https://user:CANARY1@files.test/{wheel_name(1)}?token=CANARY2")
    url = "https://user:CANARY1@index.test/whl/?token=CANARY2"
    problem = PageProblem(code="bad-url", detail="x", url=url)
    page = Page(kind="simple", url=url, shape=Shape.OK, assets=(secret,), problems=(problem,))
    crawl(catalog, 0, index_page(requested_url=url, page=page))
    assert rows(catalog, "SELECT COUNT(*) FROM wheels") == [(1,)]
    assert not [file for file in tmp_path.iterdir() if b"CANARY" in file.read_bytes()]


# ---------------------------------------------------------------------- the same again


def test_the_same_page_twice_changes_nothing_but_last_seen(catalog: Catalog) -> None:
    page = index_page([*wheels(1, 2), asset("bad name.whl")])
    crawl(catalog, 0, page)
    before = dump(catalog)
    again = index_page([*wheels(1, 2), asset("bad name.whl")], 1)
    assert crawl(catalog, 1, again) == Delta(problems=1)
    assert dump(catalog) == before
    assert set(rows(catalog, "SELECT last_seen FROM wheels")) == {("2026-12-01T01:00:00Z",)}
    assert rows(catalog, "SELECT first_seen, last_seen FROM problems") == [
        ("2026-12-01T00:00:00Z", "2026-12-01T01:00:00Z")
    ]
    assert len(rows(catalog, "SELECT * FROM ledger")) == 2


def test_an_unchanged_page_writes_last_seen_only(catalog: Catalog) -> None:
    page = index_page(wheels(1))
    crawl(catalog, 0, page)
    before = dump(catalog)
    assert crawl(catalog, 5, unchanged(page, 5)) == Delta()
    assert dump(catalog) == before
    assert rows(catalog, "SELECT last_seen FROM wheels") == [("2026-12-01T05:00:00Z",)]


def test_ids_are_stable(catalog: Catalog) -> None:
    crawl(catalog, 0, index_page(wheels(1, 2)))
    before = rows(catalog, "SELECT id, filename FROM wheels")
    crawl(catalog, 1, index_page(wheels(2, 1, 3, sha256=B), 1))
    assert rows(catalog, "SELECT id, filename FROM wheels LIMIT 2") == before


# ---------------------------------------------------------------------- replaced files


def test_S01_B32_a_new_digest_is_a_new_ledger_row(catalog: Catalog) -> None:
    crawl(catalog, 0, release_page(release_wheels(1)))
    assert crawl(catalog, 1, release_page(release_wheels(1, sha256=B), 1)) == Delta(changed=1)
    assert rows(catalog, "SELECT sha256, replaced, hash_conflict FROM wheels") == [(B, 1, 0)]
    assert rows(catalog, "SELECT sha256, first_seen, last_seen, is_current FROM ledger ORDER BY id") == [
        (A, "2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z", 0),
        (B, "2026-12-01T01:00:00Z", "2026-12-01T01:00:00Z", 1),
    ]
    assert rows(catalog, "SELECT kind, at FROM history") == [("replaced", "2026-12-01T01:00:00Z")]


def test_a_fact_that_becomes_known_is_no_change_of_the_file(catalog: Catalog) -> None:
    name = wheel_name(1)
    crawl(catalog, 0, index_page([asset(name, sha256=None, size=None)]))
    crawl(catalog, 1, index_page([asset(name)], 1))
    crawl(catalog, 2, index_page([asset(name, sha256=None, size=None)], 2))
    assert rows(catalog, "SELECT sha256, size, replaced FROM wheels") == [(A, 5, 0)]
    assert len(rows(catalog, "SELECT * FROM ledger")) == 1


def test_A09_A31_several_digests_at_once_are_a_conflict(catalog: Catalog) -> None:
    name = wheel_name(1)
    crawl(catalog, 0, index_page([asset(name, sha256=A), asset(name, sha256=B)]))
    assert rows(catalog, "SELECT sha256, hash_conflict, replaced FROM wheels") == [(None, 1, 0)]
    assert rows(catalog, "SELECT sha256, is_current FROM ledger ORDER BY id") == [(A, 1), (B, 1)]
    crawl(catalog, 1, index_page([asset(name, sha256=B)], 1))
    assert rows(catalog, "SELECT sha256, hash_conflict FROM wheels") == [(B, 0)]
    assert rows(catalog, "SELECT sha256, is_current FROM ledger ORDER BY id") == [(A, 0), (B, 1)]


@pytest.mark.parametrize("github_first", [True, False], ids=["github before", "github after"])
def test_of_several_digests_the_one_that_github_states_is_shown(catalog: Catalog, github_first: bool) -> None:
    both = index_page([*release_wheels(1, sha256=A), *release_wheels(1, sha256=B)])
    stated = release_page(release_wheels(1, sha256=B))
    for page in (stated, both) if github_first else (both, stated):
        crawl(catalog, 0, page)
    query = "SELECT sha256, hash_conflict FROM wheels WHERE channel = ?"
    assert rows(catalog, query, INDEX) == [(B, 0)]
    assert len(rows(catalog, "SELECT * FROM ledger")) == 3


def test_yanks_come_and_go(catalog: Catalog) -> None:
    name = wheel_name(1)
    for at, reason in enumerate([None, "", None]):
        yanked = reason is not None
        crawl(catalog, at, index_page([asset(name, yanked=yanked, yank_reason=reason)], at))
        assert rows(catalog, "SELECT yanked, yank_reason FROM wheels") == [(int(yanked), reason)]


# ---------------------------------------------------------------------- pages that give less


def test_B35_a_partial_page_adds_and_ends_nothing(catalog: Catalog) -> None:
    crawl(catalog, 0, index_page(wheels(1, 2, 3, 4)))
    for at in (7, 14):
        crawl(catalog, at, index_page(wheels(4, 5), at, shape=Shape.PARTIAL), status=Status.PARTIAL)
    assert live(catalog) == {wheel_name(number) for number in (1, 2, 3, 4, 5)}
    assert ("partial",) in rows(catalog, "SELECT code FROM problems")
    assert catalog.memory(INDEX).validators[index_page().requested_url].etag == "at 0"
    assert not catalog.memory(INDEX).releases["cu130/demo"].complete


@pytest.mark.parametrize("shape", [Shape.BROKEN, Shape.RETRY])
def test_S03_a_broken_page_stores_a_problem_and_keeps_the_old_time(catalog: Catalog, shape: Shape) -> None:
    crawl(catalog, 0, index_page(wheels(1)))
    before = rows(catalog, "SELECT * FROM wheels")
    crawl(catalog, 7, index_page(wheels(2), 7, shape=shape), status=Status.FAILED)
    assert rows(catalog, "SELECT * FROM wheels") == before
    assert rows(catalog, "SELECT code, detail FROM problems") == [(shape.value, "as told")]
    assert rows(catalog, "SELECT shape, last_read_at, complete FROM releases") == [
        (shape.value, "2026-12-01T00:00:00Z", 1)
    ]


def test_a_page_that_failed_stores_a_problem(catalog: Catalog) -> None:
    crawl(catalog, 0, index_page(wheels(1)))
    crawl(catalog, 1, failed(1, Unreachable("read", "https://index.test/", "no route")), status=Status.FAILED)
    assert rows(catalog, "SELECT code, tag FROM problems") == [("unreachable", "cu130/demo")]
    assert rows(catalog, "SELECT status, last_complete_at FROM channels") == [("failed", "2026-12-01T00:00:00Z")]


def test_B34_a_broken_channel_leaves_the_others(catalog: Catalog) -> None:
    catalog.begin_run("crawl", after(0))
    catalog.store(index_page(wheels(1)))
    catalog.store(failed(0, Unreachable("read", "x", "y")))
    catalog.store(release_page(release_wheels(2)))
    catalog.store(WalkEnded(channel=INDEX, status=Status.FAILED, ended_at=after(0)))
    catalog.store(WalkEnded(channel=REPO, status=Status.OK, ended_at=after(0)))
    assert rows(catalog, "SELECT channel, channel_status FROM crawl_runs ORDER BY channel") == [
        (INDEX, "failed"),
        (REPO, "ok"),
    ]


# ---------------------------------------------------------------------- what the next walk knows


def test_memory_of_a_new_channel_is_empty(catalog: Catalog) -> None:
    memory = catalog.memory("never/seen")
    assert not memory.releases
    assert memory.last_complete_at is None


def test_memory_holds_releases_and_validators(catalog: Catalog) -> None:
    release = Release(tag="v1", title="One", published_at="2026-11-01T00:00:00Z", immutable=True, announced=2)
    listed = release_list("v1", "v2", repository=REPO, repository_id=7)
    page = release_page(release_wheels(1, 2))
    catalog.begin_run("crawl", after(0))
    for seen in (listed, index_page(channel=REPO, tag="v1", page=page.page, release=release, next_check_at=after(9))):
        catalog.store(seen)
    memory = catalog.memory(REPO)
    assert (memory.repository, memory.repository_id, memory.list_complete) == (REPO, 7, True)
    one, two = memory.releases["v1"], memory.releases["v2"]
    assert (one.wheels, one.complete, one.immutable, one.published_at) == (2, True, True, "2026-11-01T00:00:00Z")
    assert (one.last_read_at, one.next_check_at) == (after(0), after(9))
    assert (two.wheels, two.last_read_at, two.complete) == (0, None, False)


def test_B31_a_large_channel_is_remembered_release_by_release(catalog: Catalog) -> None:
    tags = [f"v{number}" for number in range(2000)]
    catalog.begin_run("crawl", after(0))
    catalog.store(release_list(*tags, complete=False))
    memory = catalog.memory(REPO)
    assert len(memory.releases) == 2000
    assert not memory.list_complete


# ---------------------------------------------------------------------- runs and faults


def test_a_run_that_never_ended_says_that_it_was_cut(catalog: Catalog) -> None:
    catalog.begin_run("first", after(0))
    run_id = catalog.begin_run("second", after(1))
    catalog.end_run(run_id, "ok", after(2))
    assert rows(catalog, "SELECT command, status, ended_at FROM crawl_runs ORDER BY id") == [
        ("first", "cut", None),
        ("second", "ok", "2026-12-01T02:00:00Z"),
    ]


def test_a_walk_says_how_it_ended(catalog: Catalog) -> None:
    catalog.begin_run("crawl", after(0))
    ended = WalkEnded(
        channel=REPO,
        status=Status.PARTIAL,
        cause=Cause.RATE_LIMIT,
        detail="come back",
        requests=3,
        not_modified=1,
        releases=2,
        not_before="2026-12-01T01:00:00Z",
        ended_at=after(0),
    )
    catalog.store(ended)
    assert rows(catalog, "SELECT status, cause, detail, not_before, last_complete_at FROM channels") == [
        ("partial", "rate-limit", "come back", "2026-12-01T01:00:00Z", None)
    ]
    assert rows(catalog, "SELECT requests, not_modified, releases FROM crawl_runs") == [(3, 1, 2)]


def test_B38_a_full_disk_keeps_the_last_whole_page(catalog: Catalog) -> None:
    crawl(catalog, 0, index_page(wheels(1)))
    pages = rows(catalog, "PRAGMA page_count")[0][0]
    rows(catalog, f"PRAGMA max_page_count = {pages}")
    with pytest.raises(DiskFull, match="bytes are free") as caught:
        catalog.store(index_page(wheels(*range(2000)), 1))
    assert caught.value.exit_status == 4
    assert str(catalog._path) in str(caught.value)
    assert live(catalog) == {wheel_name(1)}
    rows(catalog, f"PRAGMA max_page_count = {2**30}")
    catalog.store(index_page(wheels(*range(3)), 1))
    assert len(live(catalog)) == 3


def test_B40_a_held_catalog_is_said_to_be_locked(catalog: Catalog) -> None:
    rows(catalog, "PRAGMA busy_timeout = 10")
    with closing(sqlite3.connect(catalog._path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CatalogLocked) as caught:
            catalog.store(index_page(wheels(1)))
        other.execute("ROLLBACK")
    assert caught.value.exit_status == 4
    assert catalog.store(index_page(wheels(1))).added == 1


def test_B40_a_reader_never_stops_the_writer(catalog: Catalog) -> None:
    crawl(catalog, 0, index_page(wheels(1)))
    with closing(sqlite3.connect(catalog._path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT COUNT(*) FROM wheels").fetchone() == (1,)
        assert crawl(catalog, 1, index_page(wheels(1, 2), 1)).added == 1
        assert reader.execute("SELECT COUNT(*) FROM wheels").fetchone() == (1,)


def test_a_page_that_cannot_be_stored_leaves_nothing_of_itself(catalog: Catalog) -> None:
    rows(catalog, "CREATE TEMP TRIGGER stop BEFORE INSERT ON sighting BEGIN SELECT RAISE(ABORT, 'stop'); END")
    with pytest.raises(Exception, match="stop"):
        catalog.store(index_page(wheels(1)))
    assert not rows(catalog, "SELECT * FROM page")
    assert not rows(catalog, "SELECT * FROM wheel")


def test_B27_a_page_error_of_a_repository_is_noted(catalog: Catalog) -> None:
    crawl(catalog, 0, index_page(wheels(1)))
    gone = failed(1, HttpStatus("read", "x", "404", status=404), tag=None)
    crawl(catalog, 1, gone, status=Status.FAILED)
    assert rows(catalog, "SELECT gone_since FROM channels") == [("2026-12-01T01:00:00Z",)]
    crawl(catalog, 2, index_page(wheels(1), 2))
    assert rows(catalog, "SELECT gone_since FROM channels") == [(None,)]
