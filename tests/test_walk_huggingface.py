from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from keeping_world import go_and_keep, urls
from observing import rows
from test_pages_huggingface import OID, large
from walkworld import Reply, World, awaited, go

from crawler.channels import parse_spec
from crawler.trip import Trip, WalkOptions
from wheels.errors import HttpStatus, RateLimited
from wheels.observation import Cause, ChannelMemory, Status

if TYPE_CHECKING:
    from storage.write import Catalog

CHANNEL = parse_spec("hf:o/r")
(URL,) = CHANNEL.root_urls()
NEXT = f"{URL}&cursor=2"
FILES = "https://huggingface.co/o/r/resolve/main"
ROOT, A, B = (f"demo-{number}.0-cp312-cp312-win_amd64.whl" for number in (1, 2, 3))


def put(world: World, *paths: str, url: str = URL, following: str | None = None, **facts: object) -> World:
    """What the tree holds."""
    body = json.dumps([large(path) for path in paths]).encode()
    link = f'<{following}>; rel="next"' if following else None
    world.put(url, body, media_type="application/json", link=link, **facts)
    return world


@awaited
async def test_each_directory_is_a_page_with_its_files(catalog: Catalog) -> None:
    world = put(World(), ROOT, f"cu130/torch2.9/{A}", f"cu128/{B}", "model.safetensors")
    walked = await go_and_keep(world, CHANNEL, catalog)
    assert (walked.end.status, walked.end.requests) == (Status.OK, 1)
    assert urls(catalog) == {
        f"{FILES}/{ROOT}": OID,
        f"{FILES}/cu130/torch2.9/{A}": OID,
        f"{FILES}/cu128/{B}": OID,
    }
    facts = "SELECT channel, tag, cuda, cuda_from, torch, size FROM wheels ORDER BY filename"
    assert rows(catalog, facts) == [
        ("huggingface.co/o/r", "main", None, None, None, 1234),
        ("huggingface.co/o/r", "cu130/torch2.9", "13.0", "tag", "2.9", 1234),
        ("huggingface.co/o/r", "cu128", "12.8", "tag", None, 1234),
    ]


@pytest.mark.parametrize("etag", [True, False], ids=["by validators", "by the same bytes"])
@awaited
async def test_an_unchanged_tree_writes_the_time_of_reading_only(catalog: Catalog, etag: bool) -> None:
    world = put(World(), ROOT, f"cu130/{A}", etag=etag)
    await go_and_keep(world, CHANNEL, catalog)
    before = rows(catalog, "SELECT id, url, first_seen FROM wheels")
    walked = await go_and_keep(world.later(hours=1), CHANNEL, catalog)
    assert (walked.end.status, walked.end.requests, walked.end.not_modified) == (Status.UNCHANGED, 1, int(etag))
    assert rows(catalog, "SELECT id, url, first_seen FROM wheels") == before
    assert rows(catalog, "SELECT DISTINCT last_seen FROM wheels") == [("2026-12-01T13:00:00Z",)]


@awaited
async def test_a_tree_over_several_answers_is_read_to_its_end(catalog: Catalog) -> None:
    world = put(put(World(), ROOT, f"cu130/{A}", following=NEXT), f"cu130/{B}", url=NEXT)
    walked = await go_and_keep(world, CHANNEL, catalog)
    assert walked.names("cu130") == [A, B]
    assert (walked.end.status, walked.end.requests) == (Status.OK, 2)
    again = await go_and_keep(world.later(hours=1), CHANNEL, catalog)
    assert again.end.requests == 2
    assert len(urls(catalog)) == 3


@awaited
async def test_a_directory_that_is_gone_vanishes_by_the_rule(catalog: Catalog) -> None:
    world = put(World(), ROOT, f"cu130/{A}", f"cu128/{B}")
    await go_and_keep(world, CHANNEL, catalog)
    put(world.later(hours=1), ROOT, f"cu130/{A}")
    await go_and_keep(world, CHANNEL, catalog)
    assert len(urls(catalog)) == 3
    walked = await go_and_keep(world.later(hours=7), CHANNEL, catalog)
    assert walked.end.status is Status.UNCHANGED
    assert urls(catalog).keys() == {f"{FILES}/{ROOT}", f"{FILES}/cu130/{A}"}


@awaited
async def test_a_file_that_is_replaced_is_a_new_revision(catalog: Catalog) -> None:
    world = put(World(), ROOT)
    await go_and_keep(world, CHANNEL, catalog)
    body = json.dumps([large(ROOT, lfs={"oid": "c" * 64, "size": 5})]).encode()
    world.later(hours=1).put(URL, body, media_type="application/json")
    await go_and_keep(world, CHANNEL, catalog)
    assert urls(catalog) == {f"{FILES}/{ROOT}": "c" * 64}
    assert rows(catalog, "SELECT sha256, is_current FROM ledger ORDER BY id") == [(OID, 0), ("c" * 64, 1)]


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        pytest.param(HttpStatus("read", "x", "status 503", status=503), Cause.PAGES, id="an error"),
        pytest.param(RateLimited("ask", "x", "wait", until="2026-12-01T13:00:00Z"), Cause.RATE_LIMIT, id="a limit"),
        pytest.param(Reply(body=b"{}", media_type="application/json"), Cause.PAGES, id="no tree"),
    ],
)
@awaited
async def test_a_tree_that_is_cut_adds_and_never_ends(
    catalog: Catalog, reply: Reply | HttpStatus | RateLimited, cause: Cause
) -> None:
    world = put(World(), ROOT, f"cu130/{A}")
    await go_and_keep(world, CHANNEL, catalog)
    put(world, f"cu128/{B}", following=NEXT).pages[NEXT] = reply
    for _ in range(2):
        walked = await go_and_keep(world.later(hours=7), CHANNEL, catalog)
        assert (walked.end.status, walked.end.cause) == (Status.PARTIAL, cause)
    assert urls(catalog).keys() == {f"{FILES}/{ROOT}", f"{FILES}/cu130/{A}", f"{FILES}/cu128/{B}"}
    put(world.later(hours=1), ROOT, f"cu130/{A}", f"cu128/{B}")
    assert (await go_and_keep(world, CHANNEL, catalog)).end.status is Status.OK


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        pytest.param(Reply(body=b'{"error": "no"}', status=401, media_type="application/json"), "private", id="401"),
        pytest.param(Reply(body=b"<title>Log in</title>"), "login", id="a login page"),
        pytest.param(HttpStatus("read", "x", "status 500", status=500), "500", id="500"),
    ],
)
@awaited
async def test_what_is_no_tree_fails_and_ends_nothing(catalog: Catalog, reply: Reply | HttpStatus, said: str) -> None:
    world = put(World(), ROOT)
    await go_and_keep(world, CHANNEL, catalog)
    world.pages[URL] = reply
    for _ in range(2):
        walked = await go_and_keep(world.later(hours=7), CHANNEL, catalog)
        assert walked.end.status is Status.FAILED
        assert said in walked.end.detail
    assert len(urls(catalog)) == 1


@awaited
async def test_B27_a_repository_that_is_gone_marks_nothing_for_seven_days(catalog: Catalog) -> None:
    world = put(World(), ROOT, f"cu130/{A}")
    await go_and_keep(world, CHANNEL, catalog)
    world.missing(URL)
    for day in range(1, 10):
        await go_and_keep(world.later(days=1), CHANNEL, catalog)
        assert len(urls(catalog)) == (2 if day < 9 else 0)


@awaited
async def test_a_walk_that_is_cut_between_directories_reads_them_all_next_time(catalog: Catalog) -> None:
    world = put(World(), ROOT, f"cu130/{A}", f"cu128/{B}")
    walked = await go(world, CHANNEL)
    run = catalog.begin_run("crawl", world.now)
    catalog.store(walked.seen[0])
    catalog.end_run(run, "interrupted", world.now)
    await go_and_keep(world, CHANNEL, catalog)
    assert len(urls(catalog)) == 3


def test_B19_the_service_is_public_although_the_user_names_the_repository() -> None:
    trip = Trip(CHANNEL, World(), ChannelMemory(), WalkOptions())
    assert (trip.access.allow_private, trip.access.hosts) == (False, frozenset({"huggingface.co"}))
