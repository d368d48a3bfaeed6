from __future__ import annotations

import tracemalloc
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from githubmarkup import File, Made, atom, fragment, release_list, rest_assets, rest_releases, tag_page
from walkworld import NOON, Reply, World, awaited, go, remember

from crawler.channels import parse_spec
from crawler.due import is_moving, next_check
from crawler.walk import WalkOptions, expected_requests, walk
from wheels.errors import HttpStatus, RateLimited, TooSlow, Unreachable
from wheels.observation import Cause, ChannelMemory, KnownRelease, PageRead, Status
from wheels.page import Shape

CHANNEL = parse_spec("github:o/r")
HTML = "https://github.com/o/r/releases"
API = "https://api.github.com/repos/o/r/releases?per_page=100"
UH_OH = b"<div>Uh oh! There was an error while loading. Please reload this page.</div>"


def wheel(number: int, name: str = "demo") -> File:
    return File(name=f"{name}-1.{number}+cu130-cp312-cp312-linux_x86_64.whl", sha256=f"{number:064x}")


def made(number: int, *, files: int = 1, time: str | None = "2026-01-01T00:00:00Z", tag: str | None = None) -> Made:
    wheels = tuple(wheel(number * 1000 + each) for each in range(files))
    return Made(tag=tag or f"v1.{number}", files=wheels, time=time, number=number + 1)


def many(count: int) -> list[Made]:
    """Releases, newest first."""
    return [made(number) for number in reversed(range(count))]


def publish(world: World, releases: list[Made], *, repository_id: int = 7, repository: str = "o/r") -> None:
    """Set the whole HTML face of a repository."""
    world.put(
        f"{HTML}.atom",
        atom(repository, repository_id, releases, updated="2026-06-01T00:00:00Z"),
        media_type="application/atom+xml",
    )
    pages = [releases[start : start + 10] for start in range(0, len(releases), 10)] or [[]]
    for number, page in enumerate(pages, 1):
        following = number + 1 if number < len(pages) else None
        url = HTML if number == 1 else f"{HTML}?page={number}"
        world.put(url, release_list(repository, page, following=following), etag=False)
    for each in releases:
        world.put(f"{HTML}/expanded_assets/{each.tag}", fragment(repository, each), etag=False)


def published(count: int) -> World:
    world = World()
    publish(world, many(count))
    return world


# ---------------------------------------------------------------- without a token


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
async def test_the_whole_list_is_read_again_after_a_day_though_the_feed_is_silent() -> None:
    world = published(25)
    memory = remember(await go(world, CHANNEL))
    publish(world, [each for each in many(25) if each.tag != "v1.3"])
    walked = await go(world.later(hours=25), CHANNEL, memory)
    assert walked.listing is not None
    assert walked.listing.complete
    assert "v1.3" not in {release.tag for release in walked.listing.releases}


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
    assert len(world.asked) == 1 + 2 + 12


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


# ---------------------------------------------------------------- witnesses


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


# ---------------------------------------------------------------- layout


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
async def test_B25_a_changed_layout_leads_over_to_rest() -> None:
    world = published(3)
    for each in many(3):
        world.put(f"{HTML}/expanded_assets/{each.tag}", UH_OH)
    world.put(API, rest_releases("o/r", many(3)), media_type="application/json")
    walked = await go(world, CHANNEL)
    assert walked.shapes() == dict.fromkeys(["v1.2", "v1.1", "v1.0"], Shape.OK)
    assert (walked.end.status, walked.end.cause) == (Status.PARTIAL, Cause.PAGES)


@awaited
async def test_B25_a_list_of_unknown_shape_is_an_error_never_empty() -> None:
    world = published(3)
    world.put(HTML, b"<!DOCTYPE html><html><body><div>something new</div></body></html>")
    world.pages[API] = Unreachable("reach", "api.github.com", "refused")
    walked = await go(world, CHANNEL)
    assert walked.end.status is Status.FAILED
    assert walked.listing is None


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


# ---------------------------------------------------------------- identity


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


# ---------------------------------------------------------------- lists that move or end early


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
async def test_a_release_that_was_read_in_part_is_asked_for_without_conditions() -> None:
    world = World()
    publish(world, [made(1, files=3)])
    memory = remember(await go(world, CHANNEL))
    world.put(f"{HTML}/expanded_assets/v1.1", fragment("o/r", made(1, files=3)), whole=False)
    half = remember(await go(world, CHANNEL, memory, full=True), memory)
    publish(world, [made(1, files=3)])
    walked = await go(world, CHANNEL, half)
    assert walked.shapes() == {"v1.1": Shape.OK}


# ---------------------------------------------------------------- with a token


def rest_world(releases: list[Made], *, page: int = 100) -> World:
    world = World(token="t0ken")
    pages = [releases[start : start + page] for start in range(0, len(releases), page)] or [[]]
    for number, each in enumerate(pages, 1):
        following = f'<https://api.github.com/repositories/7/releases?per_page=100&page={number + 1}>; rel="next"'
        url = API if number == 1 else f"https://api.github.com/repositories/7/releases?per_page=100&page={number}"
        link = following if number < len(pages) else None
        world.put(url, rest_releases("o/r", each), media_type="application/json", link=link)
    return world


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


# ---------------------------------------------------------------- when


@pytest.mark.parametrize(
    ("tag", "moves"),
    [
        ("nightly", True),
        ("latest", True),
        ("continuous-release_main", True),
        ("main-devel", True),
        ("cpu", True),
        ("AVX2", True),
        ("v1", False),
        ("v0.3.21", False),
        ("nightly-2026-02-27-52c8a3632", False),
        ("20250101", False),
        ("52c8a3632", False),
        ("detectron2-0.6", False),
    ],
)
def test_l1_tags_without_version_day_or_commit_move(tag: str, moves: bool) -> None:
    assert is_moving(tag) is moves


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        pytest.param(timedelta(0), timedelta(hours=1), id="new"),
        pytest.param(timedelta(days=1), timedelta(hours=2.4), id="a day"),
        pytest.param(timedelta(days=100), timedelta(days=10), id="a hundred days"),
        pytest.param(timedelta(days=4000), timedelta(days=30), id="years"),
        pytest.param(timedelta(days=-5), timedelta(hours=1), id="from the future"),
    ],
)
def test_intervals_grow_with_age(age: timedelta, expected: timedelta) -> None:
    assert next_check("v1", (NOON - age).isoformat(), (), NOON) - NOON == expected


def test_requests_are_estimated() -> None:
    options = WalkOptions()
    assert expected_requests(CHANNEL, ChannelMemory(), options, now=NOON) == 112
    assert expected_requests(CHANNEL, ChannelMemory(), options, now=NOON, token=True) == 2
    limited = WalkOptions(max_releases=20)
    assert expected_requests(CHANNEL, ChannelMemory(), limited, now=NOON) == 24
