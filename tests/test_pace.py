"""Turns per host (hazard B44)."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace

from faultserver import FaultServer, pause, redirect, reply
from fetching import HTML, NAMED, NOW, QUICK, validators_of

from crawler.http import Client
from crawler.settings import HostPace, HttpSettings
from crawler.urls import origin_of


def test_B44_at_most_four_at_once_and_connections_are_reused(server: FaultServer) -> None:
    server.always(lambda _: (pause(0.002), reply(200, HTML)))

    async def main() -> None:
        async with Client(settings=QUICK) as client:
            await asyncio.gather(*(client.fetch(server.url(f"/{n}"), access=NAMED) for n in range(120)))

    asyncio.run(main())
    assert 2 <= server.most_at_once <= 4
    assert server.connections <= 4


def test_B44_github_pages_come_one_at_once_and_apart(server: FaultServer) -> None:
    environ = {"WHEELFIND_GITHUB_URL": server.url("")}
    settings = HttpSettings.from_environment(environ)
    assert settings.pace_of(origin_of(server.url())) == HostPace(at_once=1, apart_seconds=1.0)
    quick = replace(settings, hosts={f"127.0.0.1:{server.port}": HostPace(at_once=1, apart_seconds=0.05)})
    server.always(reply(200, HTML))

    async def main() -> None:
        async with Client(settings=quick) as client:
            await asyncio.gather(*(client.fetch(server.url(f"/{n}"), access=NAMED) for n in range(4)))

    asyncio.run(main())
    starts = [request.at for request in server.requests]
    assert min(later - earlier for earlier, later in itertools.pairwise(starts)) > 0.04
    assert server.most_at_once == 1


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
