from __future__ import annotations

from dataclasses import replace

import pytest
from walkworld import NOON, World

from crawler.channels import parse_spec
from crawler.response import Response
from crawler.trip import Trip, WalkOptions, page_error, settled
from wheels.errors import BrokenPage, ChannelError, NotAnIndex, RateLimited, UnsupportedApiVersion
from wheels.observation import Cause, ChannelMemory, Status
from wheels.page import Page, PageProblem, Shape

WHOLE = Response(
    requested_url="https://h.test/", url="https://h.test/", status=200, media_type="text/html", fetched_at=NOON
)
PAGE = Page(kind="simple", url="https://h.test/", shape=Shape.OK)


@pytest.fixture
def trip() -> Trip:
    return Trip(parse_spec("index:https://h.test"), World(), ChannelMemory(), WalkOptions())


def test_B01_a_body_that_was_cut_proves_no_absence() -> None:
    cut = replace(WHOLE, whole=False)
    assert settled(PAGE, WHOLE).shape is Shape.OK
    assert settled(PAGE, cut).shape is Shape.PARTIAL
    assert settled(replace(PAGE, shape=Shape.BROKEN), cut).shape is Shape.BROKEN


def test_what_was_odd_on_the_way_is_told_once() -> None:
    odd = replace(WHOLE, problems=(PageProblem(code="userinfo-in-redirect", detail="dropped"),))
    assert len(settled(settled(PAGE, odd), odd).problems) == 1


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        pytest.param(replace(PAGE, shape=Shape.BROKEN), NotAnIndex, id="index"),
        pytest.param(
            replace(PAGE, shape=Shape.BROKEN, reason="unsupported api-version 2.0"), UnsupportedApiVersion, id="version"
        ),
        pytest.param(replace(PAGE, kind="expanded-assets", shape=Shape.BROKEN), BrokenPage, id="fragment"),
        pytest.param(replace(PAGE, shape=Shape.RETRY), BrokenPage, id="limit page"),
    ],
)
def test_a_verdict_is_an_error_of_its_kind(page: Page, kind: type[ChannelError]) -> None:
    assert type(page_error(page)) is kind


def test_a_walk_that_used_nothing_and_met_trouble_failed(trip: Trip) -> None:
    trip.trouble(Cause.PAGES, "no")
    assert trip.end().status is Status.FAILED
    trip.used += 1
    assert trip.end().status is Status.PARTIAL


def test_depth_outweighs_an_option_and_trouble_outweighs_both(trip: Trip) -> None:
    trip.used += 1
    trip.limited(Cause.OPTION, "option")
    trip.limited(Cause.DEPTH, "depth")
    assert (trip.end().cause, trip.end().detail) == (Cause.DEPTH, "depth")
    trip.stopped(RateLimited("ask", "h", "limit", until="2026-12-01T13:00:00Z"))
    assert (trip.end().cause, trip.end().not_before) == (Cause.RATE_LIMIT, "2026-12-01T13:00:00Z")


def test_nothing_seen_and_nothing_wrong_is_ok(trip: Trip) -> None:
    assert (trip.end().status, trip.end().cause) == (Status.OK, None)
