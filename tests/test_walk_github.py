from __future__ import annotations

from dataclasses import replace

import pytest
from githubmarkup import rest_releases
from githubworld import API, CHANNEL, HTML, UH_OH, many, publish, published, rest_world
from walkworld import World, awaited, go

from wheels.errors import RateLimited
from wheels.observation import Cause, Status
from wheels.page import Shape


@awaited
async def test_B25_a_changed_layout_leads_over_to_rest() -> None:
    world = published(3)
    for each in many(3):
        world.put(f"{HTML}/expanded_assets/{each.tag}", UH_OH)
    world.put(API, rest_releases("o/r", many(3)), media_type="application/json")
    walked = await go(world, CHANNEL)
    assert walked.shapes() == dict.fromkeys(["v1.2", "v1.1", "v1.0"], Shape.OK)
    assert (walked.end.status, walked.end.cause) == (Status.PARTIAL, Cause.PAGES)


@awaited
async def test_S08_rest_at_its_limit_goes_over_to_html() -> None:
    world = published(3)
    world.settings = replace(world.settings, github_token="t0ken")
    world.pages[API] = RateLimited("ask", "api.github.com", "used up", until="2026-12-01T12:40:00Z")
    walked = await go(world, CHANNEL)
    assert len(walked.pages) == 3
    assert walked.end.status is Status.OK
    assert world.asked.count(API) == 1


@awaited
async def test_a_token_that_is_refused_goes_over_to_html() -> None:
    world = published(3)
    world.settings = replace(world.settings, github_token="t0ken")
    world.put(API, b'{"message": "Bad credentials"}', status=401, media_type="application/json")
    walked = await go(world, CHANNEL)
    assert len(walked.pages) == 3
    assert "HTML" in walked.end.detail


@awaited
async def test_S08_what_rest_gave_before_its_limit_is_not_read_again() -> None:
    world = rest_world(many(110))
    publish(world, many(110))
    second = "https://api.github.com/repositories/7/releases?per_page=100&page=2"
    world.pages[second] = RateLimited("ask", "api.github.com", "used up", until="2026-12-01T12:40:00Z")
    walked = await go(world, CHANNEL)
    assert len(walked.pages) == 110
    assert sum("/expanded_assets/" in url for url in world.asked) == 10
    assert walked.end.status is Status.OK
    assert walked.listing is not None
    assert walked.listing.complete


@pytest.mark.parametrize("token", ["t0ken", None], ids=["with a token", "without"])
@awaited
async def test_a_replay_is_read_by_the_face_that_was_recorded(token: str | None) -> None:
    world = published(3) if token else rest_world(many(3))
    world.settings = replace(world.settings, github_token=token)
    walked = await go(world, CHANNEL)
    assert len(walked.pages) == 3
    assert walked.end.status is Status.OK


@awaited
async def test_a_replay_without_any_face_fails_and_says_so() -> None:
    walked = await go(World(), CHANNEL)
    assert walked.end.status is Status.FAILED
    assert "nothing stands there" in walked.end.detail
