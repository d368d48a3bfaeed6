"""Addresses that may not be asked (hazard B19)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address
from typing import Any

import httpcore
import pytest
from faultserver import FaultServer, redirect, reply
from fetching import HTML, NAMED, PUBLIC, QUICK, Detour, get, run_all
from hypothesis import given
from hypothesis import strategies as st

from crawler.guard import GuardedBackend, is_public, looks_private, resolve
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


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "1.1.1.1",
        "2606:4700:4700::1111",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2002:808:808::1",
    ],
)
def test_B19_public_addresses(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.1.2.3",
        "0.0.0.0",  # noqa: S104 - refused, not bound
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "100.100.100.200",
        "192.0.2.1",
        "198.18.0.1",
        "203.0.113.5",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2002:a00:1::5",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:db8::1",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "fd12:3456::1",
        "fec0::1",
        "ff02::1",
        "nonsense",
        "",
        "0x7f.1",
        "2130706433",
    ],
)
def test_B19_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


@given(st.one_of(st.ip_addresses(v=4).map(str), st.ip_addresses(v=6).map(str), st.text(max_size=40)))
def test_B19_wrapping_never_changes_the_verdict(text: str) -> None:
    try:
        inner = IPv4Address(text)
    except ValueError:
        is_public(text)  # never raises
        return
    for wrapped in (f"::ffff:{text}", f"64:ff9b::{text}", str(IPv6Address((0x2002 << 112) | (int(inner) << 80)))):
        assert is_public(wrapped) == is_public(text)


@pytest.mark.parametrize(
    ("host", "private"),
    [
        ("10.0.0.1", True),
        ("[::1]", True),
        ("::1", True),
        ("127.1", True),
        ("0x7f.1", True),
        ("2130706433", True),
        ("017700000001", True),
        ("localhost", True),
        ("intranet", True),
        ("printer.local", True),
        ("metadata.google.internal", True),
        ("8.8.8.8", False),
        ("docs.example.org", False),
        ("127.1.example.org", False),
    ],
)
def test_B19_names_that_a_proxy_would_resolve(host: str, *, private: bool) -> None:
    assert looks_private(host) is private


class Dialled(httpcore.AsyncNetworkBackend):
    """Notes which addresses were dialled; those in ``dead`` do not answer."""

    def __init__(self, *dead: str) -> None:
        self.addresses: list[str] = []
        self._dead = dead

    async def connect_tcp(self, host: str, *_: Any, **__: Any) -> httpcore.AsyncNetworkStream:
        self.addresses.append(host)
        if host in self._dead:
            raise httpcore.ConnectError("refused")
        return httpcore.AsyncMockStream([])


def dial(answers: list[list[str]], *dead: str, allow_private: bool = False) -> tuple[list[str], int]:
    """Connect once; the addresses that were dialled, and how often the name was looked up."""
    inner, left = Dialled(*dead), list(answers)

    async def resolver(_host: str, _port: int) -> list[str]:
        return left.pop(0)

    backend = GuardedBackend(allow_private=allow_private, resolver=resolver, inner=inner)
    asyncio.run(backend.connect_tcp("name.test", 443, timeout=1.0))
    return inner.addresses, len(answers) - len(left)


def test_B19_name_is_resolved_once_and_the_judged_address_is_dialled() -> None:
    assert dial([["8.8.8.8"], ["127.0.0.1"]]) == (["8.8.8.8"], 1)


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["2606:4700::1", "::1"]])
def test_B19_one_private_address_refuses_the_name(addresses: list[str]) -> None:
    with pytest.raises(UnsafeAddress, match="not public"):
        dial([addresses])
    assert dial([addresses], allow_private=True)[0] == addresses[:1]


def test_next_address_is_dialled_when_the_first_is_dead() -> None:
    assert dial([["2606:4700::1", "8.8.8.8"]], "2606:4700::1")[0] == ["2606:4700::1", "8.8.8.8"]
    with pytest.raises(httpcore.ConnectError):
        dial([["8.8.8.8"]], "8.8.8.8")


@pytest.mark.parametrize("answer", [OSError("down"), TimeoutError(), []], ids=["error", "silence", "nothing"])
def test_names_without_an_address(answer: object) -> None:
    async def resolver(_host: str, _port: int) -> list[str]:
        if isinstance(answer, Exception):
            raise answer
        return []

    backend = GuardedBackend(allow_private=True, resolver=resolver, inner=Dialled())
    with pytest.raises((httpcore.ConnectError, httpcore.ConnectTimeout)):
        asyncio.run(backend.connect_tcp("name.test", 443, timeout=1.0))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_resolver_finds_loopback(host: str) -> None:
    assert {"127.0.0.1", "::1"} & set(asyncio.run(resolve(host, 80)))


@pytest.mark.parametrize("host", ["a" * 80 + ".test", "\udcff.test"])
def test_resolver_raises_for_names_without_address(host: str) -> None:
    with pytest.raises(OSError):  # noqa: PT011 - its text is the system's
        asyncio.run(resolve(host, 80))
