from __future__ import annotations

from dataclasses import replace

import pytest
from githubmarkup import atom, fragment, tag_page
from githubworld import CHANNEL, HTML, made, many, publish, published
from walkworld import Reply, World, awaited, go, remember

from wheels.observation import Cause, ChannelMemory, KnownRelease, Status
from wheels.page import Shape


@awaited
async def test_e3_a_release_with_counter_two_is_empty() -> None:
    world = World()
    publish(world, [made(1, files=0), made(2)])
    walked = await go(world, CHANNEL)
    assert walked.shapes() == {"v1.2": Shape.OK, "v1.1": Shape.EMPTY}
    assert walked.end.status is Status.OK


@pytest.mark.parametrize(("announced", "shape"), [(0, Shape.EMPTY), (3, Shape.PARTIAL)], ids=["agrees", "disagrees"])
@awaited
async def test_e3_an_empty_release_needs_a_second_witness(announced: int, shape: Shape) -> None:
    world = World()
    publish(world, [made(1), made(2)])
    memory = remember(await go(world, CHANNEL))
    empty = replace(made(1), files=(), announced=announced)
    world.put(f"{HTML}/expanded_assets/v1.1", fragment("o/r", empty), etag=False)
    world.put(f"{HTML}/tag/v1.1", tag_page("o/r", empty))
    due = {**memory.releases, "v1.1": replace(memory.releases["v1.1"], next_check_at=None)}
    walked = await go(world, CHANNEL, replace(memory, releases=due))
    assert walked.shapes() == {"v1.1": shape}


@awaited
async def test_S04_a_release_that_shows_too_little_is_read_twice_then_partial() -> None:
    world = World()
    short = replace(made(1, files=4), announced=6)
    publish(world, [short])
    walked = await go(world, CHANNEL)
    assert world.asked.count(f"{HTML}/expanded_assets/v1.1") == 2
    assert walked.shapes() == {"v1.1": Shape.PARTIAL}
    assert len(walked.names("v1.1")) == 4
    assert (walked.end.status, walked.end.cause) == (Status.PARTIAL, Cause.PAGES)


@awaited
async def test_S04_an_upload_that_ends_meanwhile_is_whole() -> None:
    world = World()
    full = made(1, files=6)
    publish(world, [full])
    replies = iter([replace(full, files=full.files[:4]), full])
    world.pages[f"{HTML}/expanded_assets/v1.1"] = lambda: Reply(body=fragment("o/r", next(replies)), etag=False)
    walked = await go(world, CHANNEL)
    assert walked.shapes() == {"v1.1": Shape.OK}
    assert len(walked.names("v1.1")) == 6


@awaited
async def test_H23_B26_deferred_rows_are_fetched_and_united() -> None:
    world = World()
    full = made(1, files=50)
    publish(world, [full])
    rest = "https://github.com/o/r/releases/expanded_assets/v1.1?rest=1"
    world.put(
        f"{HTML}/expanded_assets/v1.1", fragment("o/r", replace(full, files=full.files[:10]), deferred=rest), etag=False
    )
    world.put(rest, fragment("o/r", full), etag=False)
    walked = await go(world, CHANNEL)
    assert walked.shapes() == {"v1.1": Shape.OK}
    assert len(walked.names("v1.1")) == 50
    assert walked.pages["v1.1"].validators.body_sha256 is None


@awaited
async def test_c7_a_tag_with_a_slash_is_asked_for_raw_and_then_encoded() -> None:
    world = World()
    slashed = made(1, tag="pkg/v1.0")
    memory = ChannelMemory(
        releases={"pkg/v1.0": KnownRelease(tag="pkg/v1.0", page_url="", last_read_at=None)},
        list_complete=True,
        validators=remember(await go(published(1), CHANNEL)).validators,
    )
    world.put(
        f"{HTML}.atom", atom("o/r", 7, many(1), updated="2026-06-01T00:00:00Z"), media_type="application/atom+xml"
    )
    world.missing(f"{HTML}/expanded_assets/pkg/v1.0")
    world.put(f"{HTML}/expanded_assets/pkg%2Fv1.0", fragment("o/r", slashed))
    walked = await go(world, CHANNEL, memory)
    assert len(walked.names("pkg/v1.0")) == 1


@awaited
async def test_a_release_that_was_read_in_part_is_asked_for_without_conditions() -> None:
    world = World()
    publish(world, [made(1, files=3)])
    memory = remember(await go(world, CHANNEL))
    world.put(f"{HTML}/expanded_assets/v1.1", fragment("o/r", made(1, files=3)), whole=False)
    half = remember(await go(world, CHANNEL, memory, full=True), memory)
    publish(world, [made(1, files=3)])
    walked = await go(world, CHANNEL, half)
    assert walked.shapes() == {"v1.1": Shape.OK}
