from __future__ import annotations

from dataclasses import replace

from githubmarkup import atom, fragment, release_list
from githubworld import API, CHANNEL, HTML, UH_OH, made, many, publish, published
from walkworld import World, awaited, go, remember

from crawler.channels import parse_spec
from crawler.settings import HostPace
from wheels.errors import HttpStatus, RateLimited, TooSlow, Unreachable
from wheels.observation import Cause, Status
from wheels.page import Shape


@awaited
async def test_feed_list_and_fragments_give_every_release() -> None:
    walked = await go(published(12), CHANNEL)
    assert list(walked.pages) == [f"v1.{number}" for number in reversed(range(12))]
    assert walked.names("v1.3") == ["demo-1.3000+cu130-cp312-cp312-linux_x86_64.whl"]
    assert walked.listing is not None
    assert (walked.listing.complete, walked.listing.repository_id, len(walked.listing.releases)) == (True, 7, 12)
    assert (walked.end.status, walked.end.releases) == (Status.OK, 12)
    assert walked.pages["v1.3"].context == "v1.3"


@awaited
async def test_an_unchanged_repository_costs_at_most_three_requests() -> None:
    world = published(25)
    memory = remember(await go(world, CHANNEL))
    again = await go(world.later(minutes=10), CHANNEL, memory)
    assert world.asked == [f"{HTML}.atom"]
    assert again.end.status is Status.UNCHANGED


@awaited
async def test_a_new_release_rings_the_bell_and_is_read_alone() -> None:
    world = published(25)
    memory = remember(await go(world, CHANNEL))
    publish(world, many(26))
    walked = await go(world.later(minutes=10), CHANNEL, memory)
    assert list(walked.pages) == ["v1.25"]
    assert len(world.asked) <= 5
    assert walked.listing is not None
    assert not walked.listing.complete


@awaited
async def test_old_releases_are_checked_again_at_growing_intervals() -> None:
    world = published(3)
    memory = remember(await go(world, CHANNEL))
    walked = await go(world.later(days=8), CHANNEL, memory)
    assert walked.pages == {}
    walked = await go(world.later(days=30), CHANNEL, memory)
    assert walked.unchanged.count("v1.1") == 1


@awaited
async def test_full_checks_all_and_an_unchanged_body_is_not_parsed_again() -> None:
    world = published(12)
    memory = remember(await go(world, CHANNEL))
    walked = await go(world.later(hours=1), CHANNEL, memory, full=True)
    assert len([tag for tag in walked.unchanged if tag]) == 12
    assert walked.pages == {}


@awaited
async def test_f9_moving_tags_and_fresh_nightlies_are_read_each_time() -> None:
    world = World()
    publish(
        world, [made(1, tag="nightly"), made(2, tag="nightly-2026-12-01-abc1234", time="2026-12-01T00:00:00Z"), made(3)]
    )
    memory = remember(await go(world, CHANNEL))
    walked = await go(world.later(minutes=10), CHANNEL, memory)
    assert sorted(filter(None, walked.unchanged)) == ["nightly", "nightly-2026-12-01-abc1234"]


@awaited
async def test_the_newest_releases_are_read_first_and_no_more_than_asked_for() -> None:
    world = published(30)
    walked = await go(world, CHANNEL, max_releases=12)
    assert list(walked.pages) == [f"v1.{number}" for number in range(29, 17, -1)]
    assert (walked.end.status, walked.end.cause) == (Status.PARTIAL, Cause.OPTION)
    assert len(world.asked) == 2 + 12


@awaited
async def test_a_walk_that_was_cut_goes_on_where_it_stopped() -> None:
    world = published(12)
    world.pages[f"{HTML}/expanded_assets/v1.5"] = RateLimited(
        "ask", "github.com", "slow down", until="2026-12-01T13:00:00Z"
    )
    cut = await go(world, CHANNEL)
    assert (cut.end.status, cut.end.cause, cut.end.not_before) == (
        Status.PARTIAL,
        Cause.RATE_LIMIT,
        "2026-12-01T13:00:00Z",
    )
    publish(world, many(12))
    walked = await go(world.later(hours=1), CHANNEL, remember(cut))
    assert list(walked.pages) == [f"v1.{number}" for number in range(5, -1, -1)]
    assert walked.end.status is Status.OK


@awaited
async def test_a_feed_that_fails_is_no_trouble() -> None:
    world = published(3)
    world.pages[f"{HTML}.atom"] = HttpStatus("read", "x", "status 500", status=500)
    assert (await go(world, CHANNEL)).end.status is Status.OK


@awaited
async def test_one_release_that_fails_costs_itself() -> None:
    world = published(5)
    world.pages[f"{HTML}/expanded_assets/v1.2"] = TooSlow("read", "x", "a deadline is past")
    walked = await go(world, CHANNEL)
    assert len(walked.pages) == 4
    assert (walked.end.status, walked.end.cause) == (Status.PARTIAL, Cause.PAGES)
    assert "deadline" in walked.end.detail


@awaited
async def test_a_release_that_is_gone_is_told() -> None:
    world = published(3)
    world.missing(f"{HTML}/expanded_assets/v1.1")
    walked = await go(world, CHANNEL)
    assert walked.shapes()["v1.1"] is Shape.GONE
    assert walked.end.status is Status.OK


@awaited
async def test_B25_three_broken_fragments_in_a_row_stop_the_reading() -> None:
    world = published(12)
    for each in many(12)[2:]:
        world.put(f"{HTML}/expanded_assets/{each.tag}", UH_OH)
    world.pages[API] = Unreachable("reach", "api.github.com", "refused")
    walked = await go(world, CHANNEL)
    assert sum(url.startswith(f"{HTML}/expanded_assets/") for url in world.asked) == 5
    assert (walked.end.status, walked.end.cause) == (Status.PARTIAL, Cause.PAGES)


@awaited
async def test_e5_other_channels_of_the_run_stop_when_three_repositories_are_broken() -> None:
    world = World()
    world.pages[API] = Unreachable("reach", "api.github.com", "refused")
    for owner in "abcd":
        base = f"https://github.com/{owner}/r/releases"
        world.put(f"{base}.atom", atom(f"{owner}/r", 1, many(1), updated="2026-06-01T00:00:00Z"))
        world.put(base, release_list(f"{owner}/r", many(1)))
        world.put(f"{base}/expanded_assets/v1.0", UH_OH)
        world.pages[API.replace("/o/", f"/{owner}/")] = Unreachable("reach", "api.github.com", "refused")
    for owner in "abc":
        await go(world, parse_spec(f"github:{owner}/r"))
    walked = await go(world, parse_spec("github:d/r"))
    assert walked.end.status is Status.FAILED
    assert not any("github.com/d/r/releases/expanded" in url for url in world.asked)


@awaited
async def test_e7_a_release_known_to_have_files_is_the_canary() -> None:
    world = published(12)
    memory = remember(await go(world, CHANNEL))
    for each in many(13):
        world.put(f"{HTML}/expanded_assets/{each.tag}", UH_OH, etag=False)
    world.pages[API] = Unreachable("reach", "api.github.com", "refused")
    walked = await go(world.later(days=40), CHANNEL, memory)
    assert sum("/expanded_assets/" in url for url in world.asked) == 1
    assert walked.end.cause is Cause.PAGES


@awaited
async def test_S05_a_rename_shows_the_new_name_and_the_same_id() -> None:
    world = World()
    publish(world, many(2), repository="n/r")
    new = "https://github.com/n/r/releases"
    for old in (HTML, f"{HTML}.atom"):
        world.pages[old] = replace(world.pages[old], url=old.replace("/o/", "/n/"))  # type: ignore[type-var] # a Reply
    for each in many(2):
        world.put(f"{new}/expanded_assets/{each.tag}", fragment("n/r", each))
    walked = await go(world, CHANNEL)
    assert walked.listing is not None
    assert (walked.listing.repository, walked.listing.repository_id, walked.listing.channel) == ("n/r", 7, "o/r")
    assert "/n/r/releases/download/" in walked.pages["v1.1"].page.assets[0].url


@awaited
async def test_S06_another_repository_under_the_old_name_is_read_anew() -> None:
    world = published(3)
    memory = remember(await go(world, CHANNEL))
    publish(world, many(3), repository_id=8)
    walked = await go(world.later(minutes=5), CHANNEL, memory)
    assert len(walked.pages) == 3
    assert walked.listing is not None
    assert walked.listing.repository_id == 8


@awaited
async def test_with_a_wide_pace_releases_are_read_while_their_list_still_is() -> None:
    world = published(40)
    world.settings = replace(world.settings, github_pace=HostPace(at_once=4))
    walked = await go(world, CHANNEL)
    assert list(walked.pages) == [f"v1.{number}" for number in reversed(range(40))]
    assert world.asked.index(f"{HTML}/expanded_assets/v1.39") < world.asked.index(f"{HTML}?page=4")
    assert 1 < world.most_at_once <= 9
    assert walked.listing is not None
    assert (walked.listing.complete, walked.end.status) == (True, Status.OK)


@awaited
async def test_with_a_wide_pace_no_more_than_the_newest_are_read() -> None:
    world = published(40)
    world.settings = replace(world.settings, github_pace=HostPace(at_once=4))
    walked = await go(world, CHANNEL, max_releases=12)
    assert list(walked.pages) == [f"v1.{number}" for number in range(39, 27, -1)]
    assert (walked.end.status, walked.end.cause) == (Status.PARTIAL, Cause.OPTION)


@awaited
async def test_with_a_wide_pace_a_limit_on_the_list_keeps_the_releases_before_it() -> None:
    world = published(40)
    world.settings = replace(world.settings, github_pace=HostPace(at_once=4))
    world.pages[f"{HTML}?page=3"] = RateLimited("ask", "github.com", "slow down", until="2026-12-01T13:00:00Z")
    cut = await go(world, CHANNEL)
    assert len(cut.pages) == 20
    assert (cut.end.status, cut.end.cause) == (Status.PARTIAL, Cause.RATE_LIMIT)
