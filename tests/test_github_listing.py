from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from githubmarkup import fragment, release_list
from githubworld import API, CHANNEL, HTML, made, many, publish, published
from walkworld import NOON, Reply, World, awaited, go, remember

from crawler.channels import parse_spec
from wheels.errors import Unreachable
from wheels.observation import Cause, PageRead, Status
from wheels.page import Shape


@awaited
async def test_the_whole_list_is_read_again_after_a_day_though_the_feed_is_silent() -> None:
    world = published(25)
    memory = remember(await go(world, CHANNEL))
    publish(world, [each for each in many(25) if each.tag != "v1.3"])
    walked = await go(world.later(hours=25), CHANNEL, memory)
    assert walked.listing is not None
    assert walked.listing.complete
    assert "v1.3" not in {release.tag for release in walked.listing.releases}


@awaited
async def test_a_limited_walk_is_continued_by_the_next() -> None:
    world = published(30)
    memory = remember(await go(world, CHANNEL, max_releases=12))
    walked = await go(world, CHANNEL, memory)
    assert len(walked.pages) == 18
    assert walked.end.status is Status.OK


@awaited
async def test_since_leaves_out_what_is_older() -> None:
    releases = [made(number, time=f"2026-{number:02d}-01T00:00:00Z") for number in range(11, 0, -1)]
    world = World()
    publish(world, releases)
    walked = await go(world, CHANNEL, since=NOON - timedelta(days=100))
    assert list(walked.pages) == ["v1.11", "v1.10", "v1.9"]
    assert walked.end.cause is Cause.OPTION


@awaited
async def test_tags_outside_the_glob_are_left_out() -> None:
    world = published(12)
    walked = await go(world, parse_spec("github:o/r@v1.1*"))
    assert sorted(walked.pages) == ["v1.1", "v1.10", "v1.11"]  # type: ignore[type-var] # tags are texts
    assert walked.listing is not None
    assert len(walked.listing.releases) == 3


@pytest.mark.parametrize("status", [404, 410])
@awaited
async def test_B27_a_repository_that_is_not_there_fails_and_is_told_as_gone(status: int) -> None:
    world = World()
    world.pages |= {f"{HTML}.atom": Reply(status=404), HTML: Reply(status=status)}
    walked = await go(world, CHANNEL)
    assert walked.end.status is Status.FAILED
    assert "no such repository" in walked.end.detail
    gone = [each for each in walked.seen if isinstance(each, PageRead)]
    assert [(each.tag, each.page.shape) for each in gone] == [(None, Shape.GONE)]


@awaited
async def test_B27_a_blocked_repository_fails() -> None:
    world = World()
    world.pages |= {f"{HTML}.atom": Reply(status=451), HTML: Reply(status=451), API: Reply(status=451)}
    walked = await go(world, CHANNEL)
    assert walked.end.status is Status.FAILED


@awaited
async def test_a_repository_without_releases_is_empty_and_well() -> None:
    world = World()
    publish(world, [])
    walked = await go(world, CHANNEL)
    assert walked.end.status is Status.OK
    assert walked.listing is not None
    assert walked.listing.complete


@awaited
async def test_B25_a_list_of_unknown_shape_is_an_error_never_empty() -> None:
    world = published(3)
    world.put(HTML, b"<!DOCTYPE html><html><body><div>something new</div></body></html>")
    world.pages[API] = Unreachable("reach", "api.github.com", "refused")
    walked = await go(world, CHANNEL)
    assert walked.end.status is Status.FAILED
    assert walked.listing is None


@awaited
async def test_B29_a_list_that_moved_while_it_was_read_is_not_complete() -> None:
    world = published(15)
    first = iter(
        [
            Reply(body=release_list("o/r", many(15)[:10], following=2)),
            Reply(body=release_list("o/r", many(16)[:10], following=2)),
        ]
    )
    world.pages[HTML] = lambda: next(first)
    world.put(f"{HTML}/expanded_assets/v1.15", fragment("o/r", made(15)))
    walked = await go(world, CHANNEL)
    assert walked.listing is not None
    assert not walked.listing.complete
    assert "v1.15" in walked.pages
    assert walked.end.status is Status.OK


@awaited
async def test_a_pager_that_ends_with_a_status_is_partial_by_depth() -> None:
    world = published(25)
    world.missing(f"{HTML}?page=3")
    walked = await go(world, CHANNEL)
    assert (walked.end.status, walked.end.cause) == (Status.PARTIAL, Cause.DEPTH)
    assert len(walked.pages) == 20


@pytest.mark.parametrize("again", [10, 15], ids=["the first page again", "in a circle"])
@awaited
async def test_a_pager_that_repeats_itself_proves_no_absence(again: int) -> None:
    world = published(15)
    world.put(f"{HTML}?page=2", release_list("o/r", many(15)[again - 10 : again], following=2))
    walked = await go(world, CHANNEL)
    assert len(walked.pages) == again
    assert walked.listing is not None
    assert not walked.listing.complete


@awaited
async def test_addresses_of_github_lead_to_the_server_that_stands_for_it() -> None:
    world = published(12)
    own = "http://127.0.0.1:9"
    world.settings = replace(world.settings, github_url=own, github_api_url=f"{own}/api/v3")
    world.pages = {url.replace("https://github.com", own): reply for url, reply in world.pages.items()}
    walked = await go(world, CHANNEL)
    assert len(walked.pages) == 12
    assert all(url.startswith(own) for url in world.asked)
