"""Turns per host (hazard B44)."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import pytest
from faultserver import FaultServer, pause, redirect, reply
from fetching import HTML, NAMED, NOW, QUICK, Sleeps, validators_of

from crawler.http import Client
from crawler.pace import Pace, Slots
from crawler.settings import HostPace, HttpSettings
from crawler.urls import Origin, origin_of
from wheels.errors import RateLimited, Unreachable


def test_B44_at_most_four_at_once_and_connections_are_reused(server: FaultServer) -> None:
    server.always(lambda _: (pause(0.002), reply(200, HTML)))

    async def main() -> None:
        async with Client(settings=QUICK) as client:
            await asyncio.gather(*(client.fetch(server.url(f"/{n}"), access=NAMED) for n in range(120)))

    asyncio.run(main())
    assert 2 <= server.most_at_once <= 4
    assert server.connections <= 4


def test_B44_github_pages_come_one_at_once_and_a_second_apart(server: FaultServer, sleeps: Sleeps) -> None:
    settings = HttpSettings.from_environment({"WHEELFIND_GITHUB_URL": server.url("")})
    assert settings.pace_of(origin_of(server.url())) == HostPace(at_once=1, apart_seconds=1.0)
    server.always(reply(200, HTML))

    async def main() -> None:
        async with Client(settings=settings, sleep=sleeps) as client:
            await asyncio.gather(*(client.fetch(server.url(f"/{n}"), access=NAMED) for n in range(4)))

    asyncio.run(main())
    assert server.most_at_once == 1
    assert [round(wait) for wait in sleeps] == [1, 2, 3]  # nobody really slept, so the waits add up


def test_counters_by_channel_and_in_all(server: FaultServer) -> None:
    server.at("/a", redirect("/b"))
    server.always(reply(304, ETag='"a"'))

    async def main() -> tuple[int, ...]:
        async with Client(settings=QUICK, clock=lambda: NOW) as client:
            one, two = client.for_channel("one", NAMED), client.for_channel("two", NAMED)
            await one.fetch(server.url("/a"), validators=validators_of())
            await two.fetch(server.url("/c"), validators=validators_of())
            return one.requests, one.not_modified, two.requests, client.requests, client.not_modified

    assert asyncio.run(main()) == (2, 1, 1, 3, 2)


class Hand:
    """A clock moved by hand: sleeping moves it."""

    def __init__(self) -> None:
        self.seconds = 100.0
        self.slept: list[float] = []

    def ticks(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return NOW + timedelta(seconds=self.seconds - 100.0)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds
        await asyncio.sleep(0)


ONE, TWO = origin_of("https://one.test/"), origin_of("https://two.test/")


def pace_of(hand: Hand, **hosts: HostPace) -> Pace:
    settings = HttpSettings(hosts={f"{name}.test": pace for name, pace in hosts.items()})
    return Pace(settings, clock=hand.now, sleep=hand.sleep, ticks=hand.ticks)


async def _turn(pace: Pace, origin: Origin) -> None:
    async with pace.turn(origin):
        await asyncio.sleep(0)


def test_distance_is_kept_between_starts_and_only_at_that_host() -> None:
    hand = Hand()

    async def main() -> None:
        pace = pace_of(hand, one=HostPace(at_once=1, apart_seconds=2.0))
        for origin in (ONE, ONE, TWO, TWO, ONE):
            await _turn(pace, origin)

    asyncio.run(main())
    assert hand.slept == [2.0, 2.0]


def test_held_host_waits_once_and_others_do_not() -> None:
    hand = Hand()

    async def main() -> None:
        pace = pace_of(hand)
        pace.hold(ONE, 60.0)
        await _turn(pace, TWO)
        assert hand.slept == []
        await _turn(pace, ONE)
        await _turn(pace, ONE)

    asyncio.run(main())
    assert hand.slept == [60.0]


def test_parked_host_refuses_until_its_time() -> None:
    hand = Hand()

    async def main() -> None:
        pace = pace_of(hand)
        error = pace.park(ONE, 400.0, "its rate limit is reached")
        assert (error.until, str(error)) == (
            "2026-12-01T15:06:40Z",
            "could not ask one.test: its rate limit is reached; not before 2026-12-01T15:06:40Z",
        )
        pace.park(ONE, 10.0, "again")  # an earlier time never wins
        with pytest.raises(RateLimited):
            await _turn(pace, ONE)
        hand.seconds += 399
        with pytest.raises(RateLimited):
            await _turn(pace, ONE)
        hand.seconds += 1
        await _turn(pace, ONE)

    asyncio.run(main())


def test_host_parked_while_others_wait_for_their_turn_refuses_them_too() -> None:
    hand = Hand()

    async def main() -> list[BaseException | None]:
        pace = pace_of(hand, one=HostPace(at_once=1))

        async def first() -> None:
            async with pace.turn(ONE):
                await asyncio.sleep(0)
                pace.park(ONE, 400.0, "limit")

        return await asyncio.gather(first(), *(_turn(pace, ONE) for _ in range(3)), return_exceptions=True)

    assert [type(each) for each in asyncio.run(main())] == [type(None), RateLimited, RateLimited, RateLimited]


def test_unreachable_host_refuses_for_the_whole_run() -> None:
    async def main() -> None:
        pace = pace_of(Hand())
        pace.give_up(ONE, "no route")
        with pytest.raises(Unreachable, match="no route"):
            await _turn(pace, ONE)
        await _turn(pace, TWO)

    asyncio.run(main())


def test_first_request_goes_alone_and_the_rest_together() -> None:
    running, most = 0, []

    async def main() -> None:
        pace = pace_of(Hand())

        async def one() -> None:
            nonlocal running
            async with pace.turn(ONE):
                running += 1
                most.append(running)
                await asyncio.sleep(0.005)
                running -= 1

        await asyncio.gather(*(one() for _ in range(12)))

    asyncio.run(main())
    assert most[:2] == [1, 1]
    assert max(most) == 4


def test_cancelled_turn_gives_its_slot_back() -> None:
    async def main() -> None:
        pace = pace_of(Hand(), one=HostPace(at_once=1))

        async def stuck() -> None:
            async with pace.turn(ONE):
                await asyncio.sleep(60)

        for _ in range(3):
            task = asyncio.ensure_future(stuck())
            await asyncio.sleep(0.001)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await asyncio.wait_for(_turn(pace, ONE), 1)

    asyncio.run(main())


def test_a_slot_goes_to_who_is_ahead_and_is_never_lost() -> None:
    order: list[str] = []

    async def main() -> None:
        slots = Slots(1)

        async def take(name: str, *, ahead: bool = False) -> None:
            async with slots.hold(ahead=ahead):
                order.append(name)
                await asyncio.sleep(0)

        async with slots.hold():
            tasks = [asyncio.create_task(take(name, ahead=name == "listing")) for name in ("a", "b", "listing", "c")]
            await asyncio.sleep(0)
            tasks[1].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with asyncio.timeout(1), slots.hold():
            order.append("later")

    asyncio.run(main())
    assert order == ["listing", "a", "c", "later"]


def test_a_slot_that_comes_with_a_cancellation_goes_to_the_next() -> None:
    async def main() -> None:
        slots = Slots(1)

        async def take() -> None:
            async with slots.hold():
                pass

        async with slots.hold():
            first, second = asyncio.create_task(take()), asyncio.create_task(take())
            await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        async with asyncio.timeout(1):
            await second

    asyncio.run(main())
