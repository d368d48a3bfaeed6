from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from keeping_world import go_and_keep
from observing import rows
from walkworld import Reply, World, awaited, go, remember

from crawler.channels import Channel, parse_spec
from crawler.http import Client
from crawler.walk import WalkOptions, walk
from wheels.errors import HostChanged, HttpStatus, RateLimited, TooSlow, Unreachable
from wheels.observation import Cause, ChannelMemory, Status
from wheels.page import Shape

if TYPE_CHECKING:
    from pathlib import Path

    from storage.write import Catalog

INDEX = Channel(
    name="h.test/whl",
    kind="index",
    address="https://h.test/whl",
    roots=("cu129", "cu130"),
    packages=("sgl-kernel", "sglang-kernel", "sglang"),
    hosts=frozenset({"h.test"}),
)
ASKED = frozenset({"sgl-kernel"})
PAGES = ("cu129/sgl-kernel", "cu129/sglang-kernel", "cu130/sgl-kernel", "cu130/sglang-kernel")
WHEEL = "sgl_kernel-0.3.21-cp310-abi3-manylinux2014_x86_64.whl"
JSON = "application/vnd.pypi.simple.v1+json"


def html_page(*names: str) -> bytes:
    return (
        "<!DOCTYPE html><html><body>" + "".join(f'<a href="{n}">{n}</a>' for n in names) + "</body></html>"
    ).encode()


def json_page(name: str, *files: str) -> bytes:
    entries = ",".join(f'{{"filename": "{file}", "url": "../../f/{file}", "hashes": {{}}}}' for file in files)
    return f'{{"meta": {{"api-version": "1.1"}}, "name": "{name}", "files": [{entries}]}}'.encode()


def world_of(**pages: bytes) -> World:
    world = World()
    world.missing(*(f"https://h.test/whl/{page}/" for page in PAGES))
    for path, body in pages.items():
        world.put(f"https://h.test/whl/{path}/", body)
    return world


@awaited
async def test_every_root_is_asked_for_every_name_of_the_project() -> None:
    world = world_of(**{"cu129/sgl-kernel": html_page(WHEEL), "cu130/sglang-kernel": html_page(WHEEL)})
    walked = await go(world, INDEX, packages=ASKED)
    assert world.asked == [f"https://h.test/whl/{page}/" for page in PAGES]
    assert list(walked.pages) == ["cu129/sgl-kernel", "cu130/sglang-kernel"]
    assert walked.pages["cu129/sgl-kernel"].context == "cu129/sgl-kernel"
    assert (walked.end.status, walked.end.requests, walked.end.releases) == (Status.OK, 4, 4)


@awaited
async def test_a_missing_page_of_one_root_is_no_failure() -> None:
    walked = await go(world_of(), INDEX, packages=ASKED)
    assert walked.end.status is Status.OK
    assert len(walked.seen) == 1


@awaited
async def test_without_packages_all_that_the_channel_names_are_read() -> None:
    world = world_of()
    world.missing("https://h.test/whl/cu129/sglang/", "https://h.test/whl/cu130/sglang/")
    await go(world, INDEX)
    assert len(world.asked) == 6


@pytest.mark.parametrize("etag", [True, False], ids=["by validators", "by the same bytes"])
@awaited
async def test_an_unchanged_page_is_told_as_such(etag: bool) -> None:
    world = world_of(**{"cu129/sgl-kernel": html_page(WHEEL)})
    world.put("https://h.test/whl/cu129/sgl-kernel/", html_page(WHEEL), etag=etag)
    first = await go(world, INDEX, packages=ASKED)
    second = await go(world.later(hours=1), INDEX, remember(first), packages=ASKED)
    assert second.unchanged == ["cu129/sgl-kernel"]
    assert second.end.status is Status.UNCHANGED
    assert second.end.not_modified == etag


@awaited
async def test_a_newer_parser_reads_the_same_body_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    world = world_of(**{"cu129/sgl-kernel": html_page(WHEEL)})
    first = await go(world, INDEX, packages=ASKED)
    monkeypatch.setattr("crawler.trip.PARSER_VERSION", 99)
    second = await go(world, INDEX, remember(first), packages=ASKED)
    assert list(second.pages) == ["cu129/sgl-kernel"]
    assert second.end.not_modified == 0


@awaited
async def test_json_and_html_are_both_read() -> None:
    world = world_of(**{"cu129/sgl-kernel": html_page(WHEEL)})
    world.put("https://h.test/whl/cu130/sgl-kernel/", json_page("sgl-kernel", WHEEL), media_type=JSON)
    walked = await go(world, INDEX, packages=ASKED)
    assert walked.names("cu129/sgl-kernel") == walked.names("cu130/sgl-kernel") == [WHEEL]


@awaited
async def test_403_means_404_where_the_channel_says_so() -> None:
    channel = Channel(
        name="s3", kind="index", address="https://h.test/whl", packages=("torch",), absent=frozenset({403})
    )
    world = World()
    world.pages["https://h.test/whl/torch/"] = Reply(status=403)
    assert (await go(world, channel)).end.status is Status.OK
    world.pages["https://h.test/whl/torch/"] = Reply(status=401)
    assert (await go(world, channel)).end.status is Status.FAILED


@awaited
async def test_a_page_that_was_there_and_is_gone_is_told() -> None:
    world = world_of(**{"cu129/sgl-kernel": html_page(WHEEL)})
    first = await go(world, INDEX, packages=ASKED)
    world.missing("https://h.test/whl/cu129/sgl-kernel/")
    second = await go(world, INDEX, remember(first), packages=ASKED)
    assert second.shapes() == {"cu129/sgl-kernel": Shape.GONE}


@awaited
async def test_an_index_without_a_first_page_has_failed_where_nobody_says_what_it_holds() -> None:
    world = World()
    world.missing("https://h.test/nope/")
    end = (await go(world, parse_spec("index:https://h.test/nope"))).end
    assert (end.status, end.cause) == (Status.FAILED, Cause.PAGES)
    assert end.detail == "could not read https://h.test/nope/: status 404"


@pytest.mark.parametrize(
    ("reply", "detail"),
    [
        pytest.param(Reply(body=b"<title>Sign in</title><form action=/login>"), "login", id="A26 login page"),
        pytest.param(Reply(body=b"{", media_type=JSON), "JSON", id="HTML promised as JSON"),
        pytest.param(Reply(body=json_page("x").replace(b"1.1", b"2.0"), media_type=JSON), "2.0", id="later version"),
        pytest.param(HttpStatus("read", "x", "status 503", status=503), "503", id="server error"),
        pytest.param(TooSlow("read", "x", "a deadline is past"), "deadline", id="deadline"),
        pytest.param(HostChanged("read", "x", "it moved to evil.test"), "evil.test", id="another host"),
    ],
)
@awaited
async def test_B34_one_bad_page_costs_itself(reply: Reply | HttpStatus, detail: str) -> None:
    world = world_of(**{"cu130/sgl-kernel": html_page(WHEEL)})
    world.pages["https://h.test/whl/cu129/sgl-kernel/"] = reply
    walked = await go(world, INDEX, packages=ASKED)
    assert walked.names("cu130/sgl-kernel") == [WHEEL]
    assert (walked.end.status, walked.end.cause) == (Status.PARTIAL, Cause.PAGES)
    assert detail in walked.end.detail


@awaited
async def test_B01_a_cut_body_adds_and_never_ends() -> None:
    world = world_of()
    world.put("https://h.test/whl/cu129/sgl-kernel/", html_page(WHEEL), whole=False)
    walked = await go(world, INDEX, packages=ASKED)
    assert walked.shapes() == {"cu129/sgl-kernel": Shape.PARTIAL}
    assert walked.names("cu129/sgl-kernel") == [WHEEL]
    assert (walked.end.status, walked.end.cause) == (Status.PARTIAL, Cause.PAGES)


@awaited
async def test_a_parked_host_ends_the_walk_and_says_until_when() -> None:
    world = world_of(**{"cu129/sgl-kernel": html_page(WHEEL)})
    world.pages["https://h.test/whl/cu130/sgl-kernel/"] = RateLimited(
        "ask", "h", "slow down", until="2026-12-01T13:00:00Z"
    )
    walked = await go(world, INDEX, packages=ASKED)
    assert (walked.end.status, walked.end.cause) == (Status.PARTIAL, Cause.RATE_LIMIT)
    assert walked.end.not_before == "2026-12-01T13:00:00Z"


@awaited
async def test_an_unreachable_host_fails_the_channel() -> None:
    world = world_of()
    for page in PAGES:
        world.pages[f"https://h.test/whl/{page}/"] = Unreachable("reach", "h.test", "refused")
    walked = await go(world, INDEX, packages=ASKED)
    assert (walked.end.status, walked.end.cause) == (Status.FAILED, Cause.PAGES)
    assert "refused" in walked.end.detail


@awaited
async def test_many_failures_in_a_row_end_the_walk() -> None:
    channel = Channel(name="h", kind="index", address="https://h.test", packages=tuple(f"p{n}" for n in range(50)))
    world = World()
    for number in range(50):
        world.pages[f"https://h.test/p{number}/"] = HttpStatus("read", "h", "status 500", status=500)
    walked = await go(world, channel)
    assert walked.end.status is Status.FAILED
    assert len(world.asked) < 12


@awaited
async def test_an_unrecorded_page_fails_its_channel() -> None:
    world = World()
    world.put("https://h.test/whl/cu129/sgl-kernel/", html_page(WHEEL))
    walked = await go(world, INDEX, packages=ASKED)
    assert walked.end.status is Status.FAILED


@awaited
async def test_new_roots_are_discovered_on_the_address_itself() -> None:
    channel = Channel(
        name="h", kind="index", address="https://h.test/whl", roots=("cu130",), discover=("cu*",), packages=("sglang",)
    )
    world = World()
    world.put("https://h.test/whl/", html_page("cu130/", "cu140/", "pr/", "../up/", "cu140/deeper/"))
    world.put("https://h.test/whl/cu130/sglang/", html_page("sglang-1-py3-none-any.whl"))
    world.put("https://h.test/whl/cu140/sglang/", html_page("sglang-2-py3-none-any.whl"))
    walked = await go(world, channel)
    assert list(walked.pages) == ["cu130/sglang", "cu140/sglang"]


@awaited
async def test_a_failing_discovery_is_no_trouble() -> None:
    channel = Channel(
        name="h", kind="index", address="https://h.test/whl", roots=("cu130",), discover=("cu*",), packages=("sglang",)
    )
    world = World()
    world.pages["https://h.test/whl/"] = HttpStatus("read", "h", "status 500", status=500)
    world.put("https://h.test/whl/cu130/sglang/", html_page("sglang-1-py3-none-any.whl"))
    assert (await go(world, channel)).end.status is Status.OK


@awaited
async def test_a_spec_without_packages_reads_all_that_the_root_lists() -> None:
    world = World()
    world.put("https://i.test/simple/", html_page("black/", "click/", "/elsewhere/x/", "https://other.test/simple/y/"))
    world.put("https://i.test/simple/black/", html_page("black-1-py3-none-any.whl"))
    world.put("https://i.test/simple/click/", html_page("click-1-py3-none-any.whl"))
    walked = await go(world, parse_spec("index:https://i.test/simple"))
    assert list(walked.pages) == ["black", "click"]
    assert walked.end.status is Status.OK


@awaited
async def test_a_spec_without_packages_follows_roots_of_roots() -> None:
    world = World()
    world.put("https://i.test/whl/", html_page("cu130/", "nightly/"))
    world.put("https://i.test/whl/cu130/", html_page("sglang/"))
    world.put("https://i.test/whl/nightly/", html_page("cu129/"))
    world.put("https://i.test/whl/nightly/cu129/", html_page("sglang/"))
    world.put("https://i.test/whl/cu130/sglang/", html_page("sglang-1-py3-none-any.whl"))
    world.put("https://i.test/whl/nightly/cu129/sglang/", html_page("sglang-2-py3-none-any.whl"))
    walked = await go(world, parse_spec("index:https://i.test/whl"))
    assert list(walked.pages) == ["cu130/sglang", "nightly/cu129/sglang"]


@awaited
async def test_a_spec_with_packages_looks_below_roots_when_it_has_none_itself() -> None:
    world = World()
    world.missing(
        "https://i.test/whl/sgl-kernel/", "https://i.test/whl/sglang-kernel/", "https://i.test/whl/cu130/sglang-kernel/"
    )
    world.put("https://i.test/whl/", html_page("cu130/", "about/"))
    world.put("https://i.test/whl/cu130/sgl-kernel/", html_page(WHEEL))
    walked = await go(world, parse_spec("index:https://i.test/whl"), packages=ASKED)
    assert list(walked.pages) == ["cu130/sgl-kernel"]


@awaited
async def test_the_configured_index_says_nothing_beside_names() -> None:
    channel = Channel(name="index", kind="index", address="https://i.test/simple", configured=True, user_named=True)
    world = World()
    world.put("https://i.test/simple/sgl-kernel/", html_page(WHEEL))
    world.missing("https://i.test/simple/sglang-kernel/")
    walked = await go(world, channel, packages=ASKED)
    assert walked.pages["sgl-kernel"].context == ""


@awaited
async def test_an_unknown_package_of_the_configured_index_is_an_honest_no() -> None:
    channel = Channel(name="index", kind="index", address="https://i.test/simple", configured=True, user_named=True)
    world = World()
    world.missing("https://i.test/simple/nothing/")
    walked = await go(world, channel, packages=frozenset({"nothing"}))
    assert walked.end.status is Status.OK
    assert world.asked == ["https://i.test/simple/nothing/"]


@awaited
async def test_B44_no_more_pages_at_once_than_jobs() -> None:
    channel = Channel(name="h", kind="index", address="https://h.test", packages=tuple(f"p{n}" for n in range(40)))
    world = World()
    for number in range(40):
        world.put(f"https://h.test/p{number}/", html_page(f"p{number}-1-py3-none-any.whl"))
    walked = await go(world, channel, jobs=3)
    assert world.most_at_once <= 3
    assert list(walked.pages) == [f"p{n}" for n in range(40)]


@awaited
async def test_a_walk_that_is_closed_leaves_nothing_running() -> None:
    world = world_of(**{"cu129/sgl-kernel": html_page(WHEEL)})
    seen = walk(INDEX, world, ChannelMemory(), WalkOptions(packages=ASKED))
    await anext(seen)
    await seen.aclose()
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []


@awaited
async def test_a_folder_that_is_an_index_is_read_by_its_index_pages(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "index.html").write_bytes(html_page("demo-1.0-py3-none-any.whl"))
    async with Client() as client:
        channel, options = parse_spec(f"index:{tmp_path}"), WalkOptions(packages=frozenset({"demo"}))
        seen = [each async for each in walk(channel, client, ChannelMemory(), options)]
        everything = [each async for each in walk(channel, client, ChannelMemory(), WalkOptions())]
    for result in (seen, everything):
        assert result[0].tag == "demo"  # type: ignore[union-attr] # a PageRead
        assert result[-1].status is Status.OK  # type: ignore[union-attr] # WalkEnded


@pytest.mark.parametrize("form", ["JSON", "HTML"])
@awaited
async def test_A32_files_of_a_quarantined_project_are_kept_and_never_vanish(catalog: Catalog, form: str) -> None:
    world, url = World(), "https://q.test/simple/sgl-kernel/"
    channel = parse_spec("index:https://q.test/simple")
    world.missing("https://q.test/simple/sglang-kernel/")
    world.put(url, json_page("sgl-kernel", WHEEL), media_type=JSON)
    await go_and_keep(world, channel, catalog, packages=ASKED)
    body = json_page("sgl-kernel").replace(b'"files"', b'"project-status": {"status": "quarantined"}, "files"')
    if form == "JSON":
        world.put(url, body, media_type=JSON)
    else:
        world.put(url, b'<meta name="pypi:project-status" content="quarantined"><title>Links for sgl-kernel</title>')
    for _ in range(3):
        walked = await go_and_keep(world.later(hours=7), channel, catalog, packages=ASKED)
        assert walked.end.status in {Status.OK, Status.UNCHANGED}
    assert rows(catalog, "SELECT filename, vanished_at FROM wheels") == [(WHEEL, None)]
    assert rows(catalog, "SELECT DISTINCT project_status FROM releases") == [("quarantined",)]
    assert rows(catalog, "SELECT * FROM problems") == []
    world.put(url, json_page("sgl-kernel", WHEEL), media_type=JSON)
    await go_and_keep(world.later(hours=7), channel, catalog, packages=ASKED)
    assert rows(catalog, "SELECT project_status, complete FROM releases") == [(None, 1)]


@awaited
async def test_marks_of_a_project_are_seen_in_the_view_of_releases(catalog: Catalog) -> None:
    world = World()
    marks = (
        b'"project-status": {"status": "deprecated", "reason": "moved"}, "alternate-locations": ["https://b.test/x/"]'
    )
    body = json_page("sgl-kernel", WHEEL).replace(
        b'"1.1"', b'"1.2", "tracks": ["https://a.test/x/", "https://a.test/y/"]'
    )
    body = body.replace(b'"files"', marks + b', "files"')
    world.put("https://q.test/simple/sgl-kernel/", body, media_type=JSON)
    world.missing("https://q.test/simple/sglang-kernel/")
    await go_and_keep(world, parse_spec("index:https://q.test/simple"), catalog, packages=ASKED)
    marks_of = "SELECT project_status, project_status_reason, tracks, alternate_locations FROM releases"
    assert rows(catalog, marks_of) == [
        ("deprecated", "moved", " https://a.test/x/ https://a.test/y/ ", " https://b.test/x/ ")
    ]
