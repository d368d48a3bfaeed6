"""Which network addresses may be asked, and the sockets that hold to it (row B19).

It knows addresses and streams; it must not know pages or why somebody asks. A name is resolved once, every address of
it is judged, and the connection goes to a judged address: no second look-up lies between check and use.
"""

from __future__ import annotations

import asyncio
import re
import select
import socket
import threading
from collections.abc import Awaitable, Callable, Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Any

import httpcore

from crawler.sockets import AsyncioBackend
from wheels.errors import UnsafeAddress

if TYPE_CHECKING:
    import ssl

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Host and port in; addresses as text, in the order to try them, out."""

_NAT64 = IPv6Network("64:ff9b::/96")
_V4_COMPATIBLE = IPv6Network("::/96")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_MOST_HEADS = 20  # informational replies before the real one
_MOST_HEAD_BYTES = 256 * 1024
_OTHER_ADDRESS_SECONDS = 3.0  # for each address but the last: a dead IPv6 route must not spend the whole budget


def unwrap(address: Address) -> Address:
    """The IPv4 address inside a mapped, compatible, NAT64 or 6to4 one; else the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address in _NAT64 or (address in _V4_COMPATIBLE and int(address) > 1):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def is_public(text: str) -> bool:
    """Whether an address, as text, is one of the public internet; what is not an address is not public."""
    try:
        address = unwrap(ip_address(text.partition("%")[0]))
    except ValueError:
        return False
    if address.is_multicast or address.is_reserved or address.is_unspecified:
        return False
    return address.is_global and not (isinstance(address, IPv6Address) and address.is_site_local)


def looks_private(host: str) -> bool:
    """Whether a host that only a proxy will resolve is plainly private: a literal address, or a local name."""
    try:
        ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return (
            "." not in host
            or host.endswith((".local", ".localhost", ".internal", ".lan", ".home.arpa"))
            or _is_number(host)
        )
    return not is_public(host.strip("[]"))


def _is_number(host: str) -> bool:
    # inet_aton also reads "127.1", "0x7f.1" and "017700000001" as addresses.
    return all(re.fullmatch(r"0x[0-9a-f]*|[0-9]+", label) for label in host.lower().split("."))


async def resolve(host: str, port: int) -> list[str]:
    """Look a host up once, in a daemon thread, so that a hanging resolver never holds up the end of the program.

    Raises:
        OSError: the name has no address.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[list[str]] = loop.create_future()

    def deliver(found: list[str] | OSError) -> None:
        if not future.done():
            future.set_exception(found) if isinstance(found, OSError) else future.set_result(found)

    def look_up() -> None:
        found: list[str] | OSError
        try:
            found = [str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
        except UnicodeError:
            found = OSError("the name is not a host name")
        except OSError as error:
            found = error
        try:
            loop.call_soon_threadsafe(deliver, found)
        except RuntimeError:
            return  # the loop has ended meanwhile

    threading.Thread(target=look_up, name=f"resolve {host}", daemon=True).start()
    return list(dict.fromkeys(await future))


def _is_readable(connection: socket.socket | None) -> bool:
    """Whether something waits to be read on an idle connection, its end included; a closed socket says yes."""
    if connection is None or connection.fileno() < 0:
        return True
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([connection], [], [], 0)[0])
    poller = select.poll()
    poller.register(connection, select.POLLIN)
    return bool(poller.poll(0))


class WatchedStream(httpcore.AsyncNetworkStream):
    """A socket that counts what arrives: bytes beyond the stated length, and heads without end (rows B03, B09).

    Args:
        inner: the real stream.
        private: whether its other end is not a public address.
    """

    def __init__(self, inner: httpcore.AsyncNetworkStream, *, private: bool) -> None:
        self._inner = inner
        self.private = private
        self.body_bytes = 0
        """Bytes after the head of the current reply."""
        self.spoilt = False
        """True: the bytes that follow cannot be trusted; the pool must drop this connection."""
        self._head: bytes | None = b""
        self._heads = 0
        self._socket: socket.socket | None = None
        """Kept, because the pool asks of every idle connection before each request."""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's interface
        """Read, and note where the head ends."""
        chunk = await self._inner.read(max_bytes, timeout)
        if self._head is None:
            self.body_bytes += len(chunk)
        else:
            self._look_for_head_end(self._head + chunk)
        return chunk

    def _look_for_head_end(self, head: bytes) -> None:
        while end := _HEAD_END.search(head):
            if not head.startswith((b"HTTP/1.1 1", b"HTTP/1.0 1")):
                self._head, self.body_bytes = None, len(head) - end.end()
                return
            head = head[end.end() :]  # RFC 9110 §15.2: any number of informational replies may precede
            self._heads += 1
        self._head = head
        if self._heads > _MOST_HEADS or len(head) > _MOST_HEAD_BYTES:
            raise httpcore.RemoteProtocolError("the head of the reply does not end")

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's interface
        """Write a request: what is read from now on is a new reply."""
        self._head, self._heads, self.body_bytes = b"", 0, 0
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close the socket."""
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
    ) -> httpcore.AsyncNetworkStream:
        """The same connection under TLS, watched inside it; the certificate is checked against the name."""
        return WatchedStream(await self._inner.start_tls(ssl_context, server_hostname, timeout), private=self.private)

    def get_extra_info(self, info: str) -> Any:
        """Facts about the socket; a spoilt one calls itself readable, by which the pool knows it as dead."""
        if info != "is_readable":
            return self._inner.get_extra_info(info)
        if self._socket is None:
            self._socket = self._inner.get_extra_info("socket")
        return self.spoilt or _is_readable(self._socket)


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Opens connections, to public addresses only unless told otherwise.

    Args:
        allow_private: the address was named by the user.
        resolver: how names become addresses; called once a connection.
        inner: opens the connection to a judged address.
    """

    def __init__(
        self, *, allow_private: bool, resolver: Resolve = resolve, inner: httpcore.AsyncNetworkBackend | None = None
    ) -> None:
        self._allow_private = allow_private
        self._resolve = resolver
        self._inner = inner or AsyncioBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Resolve, judge, connect.

        Raises:
            UnsafeAddress: an address of the host is not public.
            httpcore.ConnectError: the name has no address, or none of them answers.
        """
        addresses = await self._judged(host, port, timeout)
        for address in addresses[:-1]:
            quick = min(timeout or _OTHER_ADDRESS_SECONDS, _OTHER_ADDRESS_SECONDS)
            try:
                return await self._connect(address, port, quick, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._connect(addresses[-1], port, timeout, local_address, socket_options)

    async def _judged(self, host: str, port: int, seconds: float | None) -> list[str]:
        try:
            addresses = await asyncio.wait_for(self._resolve(host, port), seconds)
        except TimeoutError:
            raise httpcore.ConnectTimeout("the name server did not answer") from None
        except OSError as error:
            raise httpcore.ConnectError(f"its name does not resolve ({error.strerror or error})") from None
        if not addresses:
            raise httpcore.ConnectError("its name has no address")
        private = [address for address in addresses if not is_public(address)]
        if private and not self._allow_private:
            raise UnsafeAddress(
                "connect to", host, f"its address {private[0]} is not public, and no address of yours named it",
                "Name the address yourself (`wheelfind channels add`) if it is meant to be read.",
            )  # fmt: skip
        return addresses

    async def _connect(
        self,
        address: str,
        port: int,
        timeout: float | None,  # noqa: ASYNC109 - handed on
        local_address: str | None,
        socket_options: Iterable[Any] | None,
    ) -> httpcore.AsyncNetworkStream:
        stream = await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
        return WatchedStream(stream, private=not is_public(address))

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
