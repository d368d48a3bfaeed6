"""Sockets on asyncio: what breaks becomes httpcore's errors."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable

import httpcore
import pytest
from faultserver import RESET, FaultServer, pause, reply

from crawler.sockets import AsyncioBackend

ASK = b"GET / HTTP/1.1\r\n\r\n"
Use = Callable[[httpcore.AsyncNetworkStream], Awaitable[bytes]]


def use(server: FaultServer, work: Use) -> bytes:
    """Connect, work, close."""

    async def main() -> bytes:
        stream = await AsyncioBackend().connect_tcp("127.0.0.1", server.port, timeout=2.0)
        try:
            return await work(stream)
        finally:
            await stream.aclose()

    return asyncio.run(main())


async def _ask(stream: httpcore.AsyncNetworkStream) -> bytes:
    await stream.write(b"")
    await stream.write(ASK, timeout=2.0)
    return await stream.read(100, timeout=0.2)


def test_bytes_go_and_come(server: FaultServer) -> None:
    server.at("/", reply(200, b"ok"))
    assert use(server, _ask).endswith(b"ok")


def test_facts_about_the_socket(server: FaultServer) -> None:
    async def facts(stream: httpcore.AsyncNetworkStream) -> bytes:
        assert stream.get_extra_info("server_addr") == ("127.0.0.1", server.port)
        assert stream.get_extra_info("socket").fileno() > 0
        assert stream.get_extra_info("ssl_object") is None
        return b""

    use(server, facts)


def test_silence_is_a_read_timeout(server: FaultServer) -> None:
    server.at("/", pause(5))
    with pytest.raises(httpcore.ReadTimeout):
        use(server, _ask)


def test_reset_is_a_read_error(server: FaultServer) -> None:
    server.at("/", RESET)
    with pytest.raises(httpcore.ReadError):
        use(server, _ask)


def test_a_server_that_takes_nothing_is_a_write_timeout(server: FaultServer) -> None:
    server.at("/", pause(5))

    async def flood(stream: httpcore.AsyncNetworkStream) -> bytes:
        await stream.write(ASK)
        await stream.write(b"x" * (32 << 20), timeout=0.1)
        return b""

    with pytest.raises(httpcore.WriteTimeout):
        use(server, flood)


def test_write_to_a_broken_connection_is_a_write_error(server: FaultServer) -> None:
    server.at("/", RESET)

    async def write_on(stream: httpcore.AsyncNetworkStream) -> bytes:
        await stream.write(ASK)
        await asyncio.sleep(0.05)
        for _ in range(20):
            await stream.write(b"x" * (8 << 20), timeout=1.0)
        return b""

    with pytest.raises(httpcore.WriteError):
        use(server, write_on)


def test_no_listener_is_a_connect_error() -> None:
    with FaultServer() as gone:
        port = gone.port
    with pytest.raises(httpcore.ConnectError):
        asyncio.run(AsyncioBackend().connect_tcp("127.0.0.1", port))


@pytest.mark.parametrize(
    ("act", "error"),
    [(pause(5), httpcore.ConnectTimeout), (b"not TLS at all\r\n", httpcore.ConnectError)],
    ids=["silence", "another-protocol"],
)
def test_handshakes_that_fail(server: FaultServer, act: bytes, error: type[Exception]) -> None:
    server.at("/", act)

    async def shake(stream: httpcore.AsyncNetworkStream) -> bytes:
        await stream.write(ASK)
        await stream.start_tls(ssl.create_default_context(), "h.test", timeout=0.1)
        return b""

    with pytest.raises(error):
        use(server, shake)
