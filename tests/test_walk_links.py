from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_pages_bucket import entry, listing
from test_walk_index import html_page
from walkworld import World, awaited, go, remember

from crawler.channels import Channel, parse_spec
from crawler.http import Client
from crawler.walk import WalkOptions, walk
from wheels.errors import HttpStatus, RateLimited
from wheels.observation import Cause, ChannelMemory, KnownRelease, PageRead, Status, WalkEnded
from wheels.page import Shape

if TYPE_CHECKING:
    from pathlib import Path

LINKS = Channel(name="l.test", kind="links", address="https://l.test", roots=("a.html", "b.html"), packages=("k2",))


@awaited
async def test_pages_of_links_are_read_one_by_one() -> None:
    world = World()
    world.put("https://l.test/a.html", html_page("x/k2-1%2Bcuda12.1-cp310-cp310-linux_x86_64.whl"))
    world.missing("https://l.test/b.html")
    walked = await go(world, LINKS)
    page = walked.pages["https://l.test/a.html"]
    assert page.tag is None
    assert page.page.assets[0].filename == "k2-1+cuda12.1-cp310-cp310-linux_x86_64.whl"
    assert walked.end.status is Status.OK


@awaited
async def test_a_page_of_links_that_the_user_names_must_be_there() -> None:
    world = World()
    world.missing("https://l.test/c.html")
    walked = await go(world, parse_spec("links:https://l.test/c.html"))
    assert walked.end.status is Status.FAILED
    assert "404" in walked.end.detail


@awaited
async def test_an_unchanged_page_of_links_is_not_read_again() -> None:
    world = World()
    world.put("https://l.test/a.html", html_page("k2-1-cp310-cp310-linux_x86_64.whl"))
    world.put("https://l.test/b.html", html_page("k2-2-cp310-cp310-linux_x86_64.whl"))
    first = await go(world, LINKS)
    second = await go(world, LINKS, remember(first))
    assert (second.unchanged, second.end.status) == ([None, None], Status.UNCHANGED)


@pytest.mark.parametrize("spec", ["links:{}", "links:{}/"], ids=["folder", "folder with a slash"])
@awaited
async def test_a_folder_of_wheels_is_a_channel(tmp_path: Path, spec: str) -> None:
    (tmp_path / "demo-1.0+cu130-cp312-cp312-linux_x86_64.whl").touch()
    (tmp_path / "notes.txt").touch()
    async with Client() as client:
        seen = [each async for each in walk(parse_spec(spec.format(tmp_path)), client, ChannelMemory(), WalkOptions())]
    names = [asset.filename for asset in seen[0].page.assets]  # type: ignore[union-attr] # a PageRead
    assert "demo-1.0+cu130-cp312-cp312-linux_x86_64.whl" in names
    assert isinstance(seen[-1], WalkEnded)
    assert seen[-1].status is Status.OK


ROOT = "https://d.test/whl/"
LISTING = parse_spec(f"links:{ROOT}")
ONE, TWO = "demo-1.0-py3-none-any.whl", "demo-2.0-py3-none-any.whl"


def listed(**directories: bytes) -> World:
    """A listing with one file and these directories."""
    world = World()
    world.put(ROOT, html_page("../", ONE, *(f"{name}/" for name in directories), "https://else.test/x/"))
    for name, body in directories.items():
        world.put(f"{ROOT}{name}/", body)
    return world


@awaited
async def test_directories_directly_below_a_listing_are_read_too() -> None:
    world = listed(cu130=html_page("../", TWO, "deeper/"), docs=html_page("../", "deeper/"))
    walked = await go(world, LISTING)
    assert list(walked.pages) == [ROOT, f"{ROOT}cu130/"]
    assert world.asked == [ROOT, f"{ROOT}cu130/", f"{ROOT}docs/"]
    assert walked.end.status is Status.OK


@awaited
async def test_a_page_without_a_final_slash_leads_nowhere() -> None:
    world = World()
    world.put("https://d.test/whl/page.html", html_page(ONE, "cu130/"))
    await go(world, parse_spec("links:https://d.test/whl/page.html"))
    assert world.asked == ["https://d.test/whl/page.html"]


@awaited
async def test_an_unchanged_listing_has_its_directories_looked_at() -> None:
    world = listed(cu130=html_page(TWO))
    memory = remember(await go(world, LISTING))
    memory = ChannelMemory(
        validators=memory.validators, releases={f"{ROOT}cu130/": _known(f"{ROOT}cu130/"), ROOT: _known(ROOT)}
    )
    second = await go(world, LISTING, memory)
    assert world.asked == [ROOT, f"{ROOT}cu130/"]
    assert (second.unchanged, second.end.status) == ([None, None], Status.UNCHANGED)


@awaited
async def test_a_directory_that_a_listing_no_longer_shows_is_asked_for() -> None:
    world = listed()
    world.missing(f"{ROOT}cu130/")
    walked = await go(world, LISTING, ChannelMemory(releases={f"{ROOT}cu130/": _known(f"{ROOT}cu130/")}))
    assert walked.pages[f"{ROOT}cu130/"].page.shape is Shape.GONE
    assert walked.end.status is Status.OK


@awaited
async def test_one_bad_directory_costs_itself() -> None:
    world = listed(cu130=html_page(TWO), login=b"<form action=/login><input type=password>")
    world.pages[f"{ROOT}cu129/"] = HttpStatus("read", "x", "status 500", status=500)
    world.put(ROOT, html_page(ONE, "cu129/", "cu130/", "login/"))
    walked = await go(world, LISTING)
    assert list(walked.pages) == [ROOT, f"{ROOT}cu130/"]
    assert (walked.end.status, walked.end.cause) == (Status.PARTIAL, Cause.PAGES)


def _known(url: str) -> KnownRelease:
    return KnownRelease(tag=url, page_url=url, last_read_at=None, complete=True, wheels=1)


BUCKET = "https://b.test/?list-type=2&prefix=whl/&delimiter=/"
NEXT = "https://b.test/?list-type=2&prefix=whl%2F&delimiter=%2F&continuation-token=2"
CUT = "<IsTruncated>true</IsTruncated><NextContinuationToken>2</NextContinuationToken>"
WAYS = "<CommonPrefixes><Prefix>whl/cu130/</Prefix></CommonPrefixes>"


def bucket() -> World:
    world = World()
    first, last = listing(entry(f"whl/{ONE}"), head=CUT), listing(entry(f"whl/{TWO}"), WAYS)
    world.put(BUCKET, first.encode(), media_type="application/xml")
    world.put(NEXT, last.encode(), media_type="application/xml")
    below = listing(entry(f"whl/cu130/{ONE}")).encode()
    world.put("https://b.test/?list-type=2&prefix=whl%2Fcu130%2F&delimiter=%2F", below, media_type="application/xml")
    return world


@awaited
async def test_a_bucket_over_several_answers_is_one_page() -> None:
    walked = await go(bucket(), parse_spec(f"links:{BUCKET}"))
    page, below = walked.pages.values()
    assert [asset.filename for asset in page.page.assets] == [ONE, TWO]
    assert page.page.shape is Shape.OK
    assert page.validators.etag is None  # one answer's says nothing of the other
    assert [asset.url for asset in below.page.assets] == [f"https://b.test/whl/cu130/{ONE}"]
    assert walked.end.status is Status.OK


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (HttpStatus("read", "b", "status 500", status=500), Cause.PAGES),
        (RateLimited("ask", "b", "slow down", until="2026-12-01T13:00:00Z"), Cause.RATE_LIMIT),
    ],
    ids=["an error", "a limit"],
)
@awaited
async def test_a_bucket_that_is_cut_adds_and_never_ends(error: HttpStatus, cause: Cause) -> None:
    world = bucket()
    world.pages[NEXT] = error
    walked = await go(world, parse_spec(f"links:{BUCKET}"))
    (page,) = (each for each in walked.seen if isinstance(each, PageRead))
    assert page.page.shape is Shape.PARTIAL
    assert [asset.filename for asset in page.page.assets] == [ONE]
    assert (walked.end.status, walked.end.cause) == (Status.PARTIAL, cause)


@awaited
async def test_a_bucket_whose_answers_repeat_themselves_is_not_whole() -> None:
    world = bucket()
    world.put(NEXT, listing(entry(f"whl/{TWO}"), head=CUT).encode(), media_type="application/xml")
    walked = await go(world, parse_spec(f"links:{BUCKET}"))
    assert walked.pages[BUCKET].page.shape is Shape.PARTIAL
    assert world.asked == [BUCKET, NEXT]
