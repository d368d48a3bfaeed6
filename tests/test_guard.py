"""Addresses that may not be asked (hazard B19)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from faultserver import FaultServer, redirect, reply
from fetching import HTML, NAMED, PUBLIC, QUICK, Detour, get, run_all

from crawler.guard import resolve
from crawler.http import Client
from crawler.response import Access, Response
from crawler.wire import NetworkWire
from wheels.errors import (
    FetchError,
    UnsafeAddress,
)


def _from_public_page(server: FaultServer, location: str, access: Access) -> list[Response | FetchError]:
    async def resolver(host: str, _port: int) -> list[str]:
        return [PUBLIC] if host == "public.test" else await resolve(host, _port)

    server.at("/", redirect(location))
    wire = NetworkWire(QUICK, resolver, Detour())
    return run_all([server.url("/", host="public.test")], client={"wire": wire}, access=access)


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/",
        "http://[::ffff:127.0.0.1]/",
        "http://0x7f.1/",
        "http://100.100.100.200/",
        "http://localhost/",
    ],
)
@pytest.mark.parametrize("access", [Access(), NAMED], ids=["found", "named"])
def test_B19_public_page_never_leads_to_a_private_address(server: FaultServer, location: str, access: Access) -> None:
    (found,) = _from_public_page(server, location, access)
    assert isinstance(found, UnsafeAddress)
    assert server.paths() == ["/"]


def test_B19_private_page_that_the_user_named_may_lead_on_but_not_back_from_public(server: FaultServer) -> None:
    server.at("/private", redirect(server.url("/here", host="localhost")))
    server.at("/here", redirect(server.url("/public", host="public.test")))
    server.at("/public", redirect(server.url("/here")))

    async def resolver(host: str, _port: int) -> list[str]:
        return [PUBLIC] if host == "public.test" else ["127.0.0.1"]

    (found,) = run_all([server.url("/private")], client={"wire": NetworkWire(QUICK, resolver, Detour())})
    assert isinstance(found, UnsafeAddress)
    assert server.paths() == ["/private", "/here", "/public"]


def test_B19_access_of_links_follows_the_page(server: FaultServer) -> None:
    server.at("/", reply(200, HTML))
    page = get(server.url())
    assert page.private
    assert NAMED.beyond(page) == NAMED
    assert NAMED.beyond(replace(page, private=False)) == Access()


def test_B19_connection_of_a_named_address_is_not_lent_to_a_request_that_may_not_go_there(server: FaultServer) -> None:
    server.always(reply(200, HTML))

    async def main() -> None:
        async with Client(settings=QUICK) as client:
            await client.fetch(server.url(), access=NAMED)
            await client.fetch(server.url(), access=Access())

    with pytest.raises(UnsafeAddress):
        asyncio.run(main())
