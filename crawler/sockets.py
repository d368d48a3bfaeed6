"""Sockets for the HTTP transport, straight on asyncio.

It knows streams and their time limits; it must not know addresses' rights or HTTP. httpcore's own backend goes through
anyio, which costs more time a request than the socket itself.
"""

from __future__ import annotations

import asyncio
import ssl
from typing import TYPE_CHECKING, Any

import httpcore

if TYPE_CHECKING:
    from collections.abc import Iterable

_READ_AHEAD = 256 * 1024


class AsyncioStream(httpcore.AsyncNetworkStream):
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's interface
        """At most so many bytes; none at the end.

        Raises:
            httpcore.ReadTimeout: nothing came in time.
            httpcore.ReadError: the connection broke.
        """
        try:
            async with asyncio.timeout(timeout):
                return await self._reader.read(max_bytes)
        except TimeoutError:
            raise httpcore.ReadTimeout from None
        except (OSError, ssl.SSLError) as error:
            raise httpcore.ReadError(str(error)) from None

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's interface
        """Write all bytes.

        Raises:
            httpcore.WriteTimeout: they could not be written in time.
            httpcore.WriteError: the connection broke.
        """
        if not buffer:
            return
        if self._writer.transport.is_closing():
            raise httpcore.WriteError("the connection is closed")  # asyncio would only log it
        try:
            self._writer.write(buffer)
            if not self._writer.transport.get_write_buffer_size():
                return  # the usual case: a request fits into the socket's buffer
            async with asyncio.timeout(timeout):
                await self._writer.drain()
        except TimeoutError:
            raise httpcore.WriteTimeout from None
        except (OSError, ssl.SSLError) as error:
            raise httpcore.WriteError(str(error)) from None

    async def aclose(self) -> None:
        """Close at once: nothing of ours is left to be sent."""
        self._writer.transport.abort()
        await asyncio.sleep(0)  # lets asyncio free the socket

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
    ) -> httpcore.AsyncNetworkStream:
        """The same connection under TLS.

        Raises:
            httpcore.ConnectTimeout: the handshake took too long.
            httpcore.ConnectError: it failed.
        """
        try:
            async with asyncio.timeout(timeout):
                await self._writer.start_tls(ssl_context, server_hostname=server_hostname)
        except TimeoutError:
            await self.aclose()
            raise httpcore.ConnectTimeout from None
        except (OSError, ssl.SSLError) as error:
            await self.aclose()
            raise httpcore.ConnectError(str(error)) from None
        return self

    def get_extra_info(self, info: str) -> Any:
        """Facts about the socket: ``ssl_object``, ``socket``, ``server_addr``, ``client_addr``."""
        names = {"server_addr": "peername", "client_addr": "sockname"}
        return self._writer.get_extra_info(names.get(info, info))


class AsyncioBackend(httpcore.AsyncNetworkBackend):
    """Opens connections."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to an address.

        Raises:
            httpcore.ConnectTimeout: no answer in time.
            httpcore.ConnectError: no connection.
        """
        del local_address, socket_options  # never set here
        try:
            async with asyncio.timeout(timeout):
                reader, writer = await asyncio.open_connection(host, port, limit=_READ_AHEAD)
        except TimeoutError:
            raise httpcore.ConnectTimeout from None
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from None
        return AsyncioStream(reader, writer)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
