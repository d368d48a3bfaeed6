from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from walkworld import Reply, World, awaited

from crawler.channels import parse_spec
from crawler.continued import Joined, read_on
from crawler.trip import Trip, WalkOptions
from wheels.errors import HttpStatus
from wheels.observation import ChannelMemory
from wheels.page import Asset, Page, PageProblem, Shape

if TYPE_CHECKING:
    from crawler.response import Response

START = "https://l.test/1"
SHAPES = {b"ok": Shape.OK, b"empty": Shape.EMPTY, b"broken": Shape.BROKEN, b"partial": Shape.PARTIAL}


def parse(response: Response) -> Page:
    """A page that holds one file named like it; its body says the shape and where it goes on."""
    shape, _, following = response.body.partition(b" ")
    asset = Asset(filename="x.whl", url=f"{response.url}.whl")
    problem = PageProblem(code="bad-url", detail="the same everywhere")
    return Page(
        kind="links",
        url=response.url,
        shape=SHAPES[shape],
        reason="" if shape == b"ok" else shape.decode(),
        assets=(asset,) if shape in {b"ok", b"partial"} else (),
        links=("https://l.test/d/",),
        next_url=following.decode() or None,
        problems=(problem,),
    )


async def joined(*bodies: bytes | HttpStatus) -> Joined:
    """What answers at /1, /2 … come to."""
    world = World()
    for number, body in enumerate(bodies, 1):
        url = f"https://l.test/{number}"
        world.pages[url] = Reply(body=body) if isinstance(body, bytes) else body
    trip = Trip(parse_spec(f"links:{START}"), world, ChannelMemory(), WalkOptions())
    return await read_on(trip, await trip.ask(START), parse)


def files(result: Joined) -> list[str]:
    return [asset.url for asset in result.page.assets]


@awaited
async def test_one_answer_is_the_page_itself() -> None:
    result = await joined(b"ok")
    assert (result.answers, result.error, result.page.shape) == (1, None, Shape.OK)


@awaited
async def test_answers_are_one_page_under_the_first_address() -> None:
    result = await joined(b"ok https://l.test/2", b"empty https://l.test/3", b"ok")
    assert (result.answers, result.page.url, result.page.shape, result.page.next_url) == (3, START, Shape.OK, None)
    assert files(result) == [f"{START}.whl", "https://l.test/3.whl"]
    assert (len(result.page.links), len(result.page.problems)) == (1, 1)


@awaited
async def test_nothing_on_any_answer_is_nothing() -> None:
    result = await joined(b"empty https://l.test/2", b"empty")
    assert result.page.shape is Shape.EMPTY


@pytest.mark.parametrize(
    "last",
    [b"broken", b"partial", b"ok https://l.test/1", HttpStatus("read", "x", "status 500", status=500)],
    ids=["broken", "partial", "a loop", "an error"],
)
@awaited
async def test_a_list_that_is_not_read_to_its_end_is_not_whole(last: bytes | HttpStatus) -> None:
    result = await joined(b"ok https://l.test/2", last)
    assert result.page.shape is Shape.PARTIAL
    assert files(result)[0] == f"{START}.whl"
    assert (result.error is None) == isinstance(last, bytes)
    assert result.page.reason


@awaited
async def test_a_first_answer_that_is_no_page_is_the_verdict() -> None:
    result = await joined(b"broken https://l.test/2", b"ok")
    assert (result.answers, result.page.shape) == (1, Shape.BROKEN)


@awaited
async def test_a_list_without_end_is_left_where_it_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.continued._MOST_ANSWERS", 2)
    result = await joined(b"ok https://l.test/2", b"ok https://l.test/3", b"ok")
    assert (result.answers, result.page.shape) == (2, Shape.PARTIAL)
