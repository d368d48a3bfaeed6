"""Tries, back-off, rate limits and budgets (hazards B13 to B15, sequences S08 to S11)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from faultserver import FaultServer, reply
from fetching import HTML, NAMED, NOW, QUICK, Sleeps, get, run_all, validators_of

from crawler.guard import resolve
from crawler.http import Client
from crawler.response import Response
from wheels.errors import (
    FetchError,
    HttpStatus,
    RateLimited,
    Unreachable,
)

if TYPE_CHECKING:
    from crawler.settings import HttpSettings


def _limited(
    server: FaultServer, answer: bytes, *, settings: HttpSettings = QUICK
) -> tuple[Response | FetchError, Sleeps]:
    sleeps = Sleeps()
    server.at("/", answer)
    server.at("/", reply(200, HTML))
    (found,) = run_all([server.url()], client={"sleep": sleeps, "clock": lambda: NOW, "settings": settings})
    return found, sleeps


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("stated", "date", "seconds"),
    [
        ("2", None, 2.0),
        ("Tue, 01 Dec 2026 15:00:05 GMT", "Tue, 01 Dec 2026 15:00:00 GMT", 5.0),
        ("Tue, 01 Dec 2026 12:00:05 GMT", "Tue, 01 Dec 2026 12:00:00 GMT", 5.0),
    ],
    ids=["seconds", "S10-date", "S10-date-by-the-server's-clock"],
)
def test_B13_retry_after_is_obeyed(
    server: FaultServer, status: int, stated: str, date: str | None, seconds: float
) -> None:
    found, sleeps = _limited(server, reply(status, Retry_After=stated, **({"Date": date} if date else {})))
    assert isinstance(found, Response)
    assert [wait for wait in sleeps if wait > 0.1] == [pytest.approx(seconds, abs=0.3)]


@pytest.mark.parametrize("stated", ["-1", "soon", "", "Tue, 01 Dec 1999 15:00:05 GMT", "1e9", "٣"])
def test_B13_unusable_retry_after_means_our_own_back_off(server: FaultServer, stated: str) -> None:
    found, sleeps = _limited(server, reply(429, Retry_After=stated.encode().decode("latin-1")))
    assert isinstance(found, Response)
    assert max(sleeps) < 0.1


@pytest.mark.parametrize("stated", ["301", "99999999", "9" * 40, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_B13_long_wait_parks_the_host_for_the_run(server: FaultServer, stated: str) -> None:
    server.at("/", reply(429, Retry_After=stated))
    server.at("/other", reply(200, HTML))
    first, second = run_all([server.url(), server.url("/other")], client={"clock": lambda: NOW})
    assert isinstance(first, RateLimited)
    assert isinstance(second, RateLimited)
    assert first.until >= "2026-12-01T15:05:01Z"
    assert server.paths() == ["/"]


def test_B13_find_waits_at_most_30_seconds(server: FaultServer) -> None:
    found, _ = _limited(server, reply(429, Retry_After="31"), settings=replace(QUICK, max_wait_seconds=30))
    assert isinstance(found, RateLimited)
    assert found.until == "2026-12-01T15:00:31Z"


SECONDARY = b'{"message": "You have exceeded a secondary rate limit. Please wait."}'


@pytest.mark.parametrize("body", [SECONDARY, b'{"message": "You have triggered an abuse detection mechanism."}'])
def test_B14_S09_secondary_limit_waits_60_then_120_then_parks(server: FaultServer, sleeps: Sleeps, body: bytes) -> None:
    server.at("/", reply(403, body, X_RateLimit_Remaining="4000"))
    first, second = run_all([server.url(), server.url("/b")], client={"sleep": sleeps, "clock": lambda: NOW})
    assert isinstance(first, RateLimited)
    assert isinstance(second, RateLimited)
    assert [wait for wait in sleeps if wait > 1] == [pytest.approx(60, abs=1), pytest.approx(120, abs=1)]
    assert first.until == "2026-12-01T15:04:00Z"
    assert server.paths() == ["/"] * 3


def test_B14_primary_limit_waits_for_the_reset(server: FaultServer) -> None:
    reset = str(int(NOW.timestamp()) + 40)
    found, sleeps = _limited(server, reply(403, b"{}", X_RateLimit_Remaining="0", X_RateLimit_Reset=reset))
    assert isinstance(found, Response)
    assert max(sleeps) == pytest.approx(41, abs=0.5)


def test_S08_primary_limit_far_away_parks_until_a_second_after_the_reset_and_other_hosts_go_on(
    server: FaultServer,
) -> None:
    reset = str(int(NOW.timestamp()) + 2400)
    server.at("/api/", reply(403, b"{}", X_RateLimit_Remaining="0", X_RateLimit_Reset=reset))
    with FaultServer() as html:
        html.at("/", reply(200, HTML))
        urls = [server.url("/api/"), html.url(), server.url("/api/")]
        first, second, third = run_all(urls, client={"clock": lambda: NOW})
    assert isinstance(first, RateLimited)
    assert first.until == "2026-12-01T15:40:01Z"
    assert isinstance(second, Response)
    assert isinstance(third, RateLimited)
    assert server.paths() == ["/api/"]


def test_S11_quota_used_up_by_a_good_answer_stops_the_next_request(server: FaultServer) -> None:
    reset = str(int(NOW.timestamp()) + 2400)
    server.at("/", reply(304, ETag='"a"', X_RateLimit_Remaining="0", X_RateLimit_Reset=reset))
    first, second = run_all([server.url()] * 2, client={"clock": lambda: NOW}, validators=validators_of())
    assert isinstance(first, Response)
    assert isinstance(second, RateLimited)


def test_403_without_signs_of_a_limit_is_an_answer(server: FaultServer) -> None:
    server.at("/", reply(403, b'{"message": "Forbidden"}', X_RateLimit_Remaining="55"))
    assert get(server.url()).status == 403


def test_limit_page_with_status_200_is_a_limit(server: FaultServer) -> None:
    whoa = "<!DOCTYPE html><html><head><title>Rate limit &middot; GitHub</title></head><h1>Whoa there!</h1></html>"
    found, sleeps = _limited(server, reply(200, whoa))
    assert isinstance(found, Response)
    assert found.body == HTML
    assert max(sleeps) == pytest.approx(60, abs=1)


def test_B15_burst_of_503_on_50_pages_ends_with_all_pages(server: FaultServer, sleeps: Sleeps) -> None:
    for page in range(50):
        server.at(f"/{page}", reply(503))
        server.at(f"/{page}", reply(503))
        server.at(f"/{page}", reply(200, HTML))

    async def main() -> list[Response]:
        async with Client(settings=QUICK, sleep=sleeps) as client:
            return await asyncio.gather(*(client.fetch(server.url(f"/{n}"), access=NAMED) for n in range(50)))

    assert {page.status for page in asyncio.run(main())} == {200}
    assert len(set(sleeps)) > 10  # full jitter


def test_B15_spent_retry_budget_ends_the_retries(server: FaultServer) -> None:
    server.always(reply(500))
    tight = replace(QUICK, retry_floor=3)
    found = run_all([server.url(f"/{n}") for n in range(20)], client={"settings": tight})
    assert all(isinstance(each, HttpStatus) and each.status == 500 for each in found)
    assert len(server.requests) < 20 * 1.4 + 3


def test_5xx_is_tried_thrice_then_told(server: FaultServer) -> None:
    server.always(reply(502))
    with pytest.raises(HttpStatus, match="502") as caught:
        get(server.url())
    assert (caught.value.status, len(server.requests)) == (502, 3)


def test_budget_of_requests_ends_the_run(server: FaultServer) -> None:
    server.always(reply(200, HTML))
    found = run_all([server.url()] * 3, client={"settings": replace(QUICK, max_requests=2)})
    assert isinstance(found[2], FetchError)
    assert len(server.requests) == 2


def test_unreachable_host_is_tried_once_a_run() -> None:
    with FaultServer() as gone:
        url = gone.url()
    tried: list[str] = []

    async def watch(host: str, port: int) -> list[str]:
        tried.append(host)
        return await resolve(host, port)

    async def main() -> list[object]:
        async with Client(settings=QUICK, resolver=watch) as client:
            return list(
                await asyncio.gather(*(client.fetch(url, access=NAMED) for _ in range(5)), return_exceptions=True)
            )

    assert all(isinstance(each, Unreachable) for each in asyncio.run(main()))
    assert len(tried) == 1


def test_name_that_does_not_resolve_is_unreachable() -> None:
    async def nothing(host: str, port: int) -> list[str]:
        raise OSError(-2, f"Name or service not known: {host}:{port}")

    with pytest.raises(Unreachable, match="does not resolve"):
        get("http://nowhere.test/", client={"resolver": nothing})
