from __future__ import annotations

import tracemalloc
from dataclasses import replace
from datetime import timedelta
from functools import partial

from githubmarkup import rest_assets, rest_releases
from githubworld import API, CHANNEL, made, many, rest_world, wheel
from walkworld import NOON, Reply, World, awaited, go, remember

from crawler.walk import WalkOptions, walk
from wheels.observation import Cause, ChannelMemory, PageRead, Status
from wheels.page import Shape


@awaited
async def test_rest_addresses_of_github_lead_to_the_server_that_stands_for_it() -> None:
    world = rest_world(many(150))
    own = "http://127.0.0.1:9/api/v3"
    world.settings = replace(world.settings, github_url="http://127.0.0.1:9", github_api_url=own)
    world.pages = {url.replace("https://api.github.com", own): reply for url, reply in world.pages.items()}
    walked = await go(world, CHANNEL)
    assert len(walked.pages) == 150
    assert all(url.startswith(own) for url in world.asked)


@awaited
async def test_rest_reads_a_hundred_releases_a_request() -> None:
    world = rest_world(many(150))
    walked = await go(world, CHANNEL)
    assert (len(walked.pages), len(world.asked)) == (150, 3)
    assert walked.listing is not None
    assert (walked.listing.complete, walked.listing.repository_id) == (True, 7)
    assert walked.end.status is Status.OK
    assert walked.names("v1.3") == ["demo-1.3000+cu130-cp312-cp312-linux_x86_64.whl"]
    assert "%2Bcu130" in walked.pages["v1.3"].page.assets[0].url


@awaited
async def test_rest_an_unchanged_repository_is_all_304() -> None:
    world = rest_world(many(150))
    memory = remember(await go(world, CHANNEL))
    walked = await go(world.later(hours=1), CHANNEL, memory)
    assert len(world.asked) == walked.end.not_modified == 2
    assert walked.end.status is Status.UNCHANGED
    assert len([tag for tag in walked.unchanged if tag]) == 150


@awaited
async def test_rest_a_304_without_link_still_leads_to_the_next_page() -> None:
    world = rest_world(many(150))
    memory = remember(await go(world, CHANNEL))
    world.pages[API] = replace(world.pages[API], link=None)  # type: ignore[type-var] # a Reply
    walked = await go(world, CHANNEL, memory)
    assert walked.end.not_modified == 2


@awaited
async def test_rest_a_change_on_a_later_page_is_found() -> None:
    world = rest_world(many(150))
    memory = remember(await go(world, CHANNEL))
    changed = [
        replace(each, files=(*each.files, wheel(1, "extra"))) if each.tag == "v1.0" else each for each in many(150)
    ]
    world.pages = rest_world(changed).pages
    walked = await go(world, CHANNEL, memory)
    assert len(walked.names("v1.0")) == 2


@awaited
async def test_B26_rest_asks_for_the_assets_of_a_release_that_may_be_cut() -> None:
    full = made(1, files=250)
    world = rest_world([full])
    world.put(API, rest_releases("o/r", [full], inline=30), media_type="application/json")
    base = "https://api.github.com/repos/o/r/releases/2/assets?per_page=100"
    for number, start in enumerate((0, 100, 200), 1):
        link = f'<{base}&page={number + 1}>; rel="next"' if number < 3 else None
        url = base if number == 1 else f"{base}&page={number}"
        world.put(url, rest_assets("o/r", full, start, start + 100), media_type="application/json", link=link)
    walked = await go(world, CHANNEL)
    assert len(walked.names("v1.1")) == 250
    assert walked.shapes() == {"v1.1": Shape.OK}


@awaited
async def test_S07_rest_that_ends_at_its_depth_is_partial_by_depth() -> None:
    world = rest_world(many(150))
    second = "https://api.github.com/repositories/7/releases?per_page=100&page=2"
    body = b'{"message": "Only the first 1000 results are available."}'
    world.put(second, body, status=422, media_type="application/json")
    walked = await go(world, CHANNEL)
    assert (walked.end.status, walked.end.cause) == (Status.PARTIAL, Cause.DEPTH)
    assert walked.listing is not None
    assert not walked.listing.complete
    assert len(walked.pages) == 100


@awaited
async def test_B29_rest_that_moved_is_not_complete() -> None:
    world = rest_world(many(150))
    link = '<https://api.github.com/repositories/7/releases?per_page=100&page=2>; rel="next"'
    bodies = iter([rest_releases("o/r", many(150)[:100]), rest_releases("o/r", many(151)[:100])])
    world.pages[API] = lambda: Reply(body=next(bodies), media_type="application/json", link=link)
    walked = await go(world, CHANNEL)
    assert walked.listing is not None
    assert not walked.listing.complete
    assert walked.end.status is Status.OK


@awaited
async def test_rest_404_fails_and_is_told_as_gone() -> None:
    world = World(token="t0ken")
    world.put(API, b'{"message": "Not Found"}', status=404, media_type="application/json")
    walked = await go(world, CHANNEL)
    assert walked.end.status is Status.FAILED
    assert isinstance(walked.seen[0], PageRead)
    assert walked.seen[0].page.shape is Shape.GONE


@awaited
async def test_rest_reads_no_more_than_asked_for() -> None:
    walked = await go(rest_world(many(150)), CHANNEL, max_releases=5)
    assert len(walked.pages) == 5
    assert walked.end.cause is Cause.OPTION


@awaited
async def test_rest_a_page_that_ends_with_the_last_wanted_release_is_not_the_whole_list() -> None:
    walked = await go(rest_world(many(150)), CHANNEL, max_releases=100)
    assert walked.listing is not None
    assert (walked.listing.complete, walked.end.cause) == (False, Cause.OPTION)
    walked = await go(rest_world(many(100)), CHANNEL, max_releases=100)
    assert walked.listing is not None
    assert (walked.listing.complete, walked.end.status) == (True, Status.OK)


@awaited
async def test_rest_since_leaves_out_what_is_older_but_no_moving_tag() -> None:
    releases = [made(number, time=f"2026-{number:02d}-01T00:00:00Z") for number in range(11, 0, -1)]
    stale = made(99, tag="nightly", time="2020-01-01T00:00:00Z")
    walked = await go(rest_world([*releases, stale]), CHANNEL, since=NOON - timedelta(days=100))
    assert list(walked.pages) == ["v1.11", "v1.10", "v1.9", "nightly"]
    assert walked.end.cause is Cause.OPTION


@awaited
async def test_rest_drafts_are_left_out() -> None:
    world = World(token="t0ken")
    world.put(
        API, rest_releases("o/r", many(1)).replace(b'"draft": false', b'"draft": true'), media_type="application/json"
    )
    assert (await go(world, CHANNEL)).pages == {}


@awaited
async def test_B31_twenty_thousand_releases_keep_memory_flat_and_end_at_the_depth() -> None:
    count = 20_000
    world = World(token="t0ken")

    def page(number: int) -> Reply:
        releases = [made(n, files=5) for n in range(count - number * 100, count - (number - 1) * 100)]
        link = f'<https://api.github.com/repositories/7/releases?per_page=100&page={number + 1}>; rel="next"'
        return Reply(body=rest_releases("o/r", releases), media_type="application/json", link=link)

    world.pages[API] = partial(page, 1)
    for number in range(2, count // 100 + 1):
        url = f"https://api.github.com/repositories/7/releases?per_page=100&page={number}"
        world.pages[url] = partial(page, number)
    body = b'{"message": "Only the first 10000 results are available."}'
    world.put("https://api.github.com/repositories/7/releases?per_page=100&page=101", body, status=422)
    tracemalloc.start()
    releases, peak = 0, 0
    async for seen in walk(CHANNEL, world, ChannelMemory(), WalkOptions()):
        releases += isinstance(seen, PageRead) and seen.tag is not None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert releases == 10_000
    assert peak < 64 << 20
