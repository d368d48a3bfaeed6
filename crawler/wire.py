"""One request, one reply, over the network: the only importer of httpx.

It knows connections, proxies, budgets and how a reply can break; it must not know redirects, retries, secrets' owners
or pages. Foreign exceptions end here: each becomes one of ours, with its text kept and its traceback dropped, because
httpx's own may hold URLs and header values (row B21).
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import ssl
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NoReturn, Protocol
from urllib.parse import unquote

import certifi
import httpcore
import httpx

from crawler.body import Body, CodingError, OverBudgetError, proves_its_end, size_text
from crawler.guard import GuardedBackend, Resolve, WatchedStream, looks_private, resolve
from crawler.sink import FILLED, Pour
from crawler.urls import Origin, origin_of, redact_url
from wheels.errors import FetchError, ProtocolError, TooLarge, TooSlow, Unreachable, UnsafeAddress

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping
    from datetime import datetime

    from crawler.response import Access, Limits
    from crawler.settings import HttpSettings
    from crawler.sink import Sink

# Their debug lines hold URLs and header values; ours say what is worth saying.
for _name in ("httpx", "httpcore"):
    logging.getLogger(_name).setLevel(logging.WARNING)

_IDLE_SECONDS = 15.0
_MOST_HEADERS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request: GET, without redirects."""

    url: str = field(repr=False)
    """Without userinfo and fragment; its query may hold secrets."""
    headers: Mapping[str, str] = field(repr=False)
    """May hold secrets: never shown."""
    limits: Limits
    access: Access
    sink: Sink | None = field(default=None, repr=False)
    """Takes the body of a 200 or 206 as it arrives; the reply then holds none, and a cut one is not asked for again."""
    ahead: bool = False
    """Goes before other requests that wait for the same host: a listing, whose entries keep its slots busy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back."""

    status: int
    """0: the connection broke before a reply."""
    headers: Mapping[str, str]
    """Lower-case names; values of repeated ones joined by ``, ``."""
    body: bytes = b""
    """Decoded."""
    cut: str = ""
    """Why the body is not whole; empty when it is."""
    private: bool = False
    """The other end is not a public address."""
    moved_to: str = ""
    """Where the page lies, if the wire itself found it elsewhere (a folder asked for without its slash)."""
    recorded_at: datetime | None = None
    """In replay: when it was recorded (UTC)."""


class Wire(Protocol):
    """Whatever answers requests: the network, a file, a cassette."""

    async def exchange(self, ask: Ask) -> Reply:
        """Answer one request.

        Raises:
            FetchError: there is no reply.
        """

    async def aclose(self) -> None:
        """Free what is held."""


class NetworkWire:
    """The network.

    Args:
        settings: proxies, certificates, connect timeout.
        resolver: how names become addresses.
        dial: opens connections to addresses (a test's detour).
    """

    def __init__(
        self,
        settings: HttpSettings,
        resolver: Resolve = resolve,
        dial: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        self._settings = settings
        self._dial = dial
        self._resolver = resolver
        self._tls: ssl.SSLContext | None = None
        self._transports: dict[tuple[str | None, bool, str], PoolTransport] = {}

    async def exchange(self, ask: Ask) -> Reply:
        """Send a request and read its reply within its budgets.

        Raises:
            Unreachable: no connection.
            UnsafeAddress: the address is private and not named by the user.
            TooSlow: a deadline is past.
            TooLarge: a byte budget is spent.
            ProtocolError: the reply breaks HTTP, or its coding is unknown or damaged.
        """
        origin = origin_of(ask.url)
        proxy = self._settings.proxies.of(origin)
        if proxy is not None:
            _judge_proxied(ask, origin, proxy)
        start = time.monotonic()
        with _translated(ask, proxy):
            transport = self._transport(proxy, origin.scheme, allow_private=ask.access.allow_private)
            async with asyncio.timeout(min(ask.limits.floor_after_seconds, ask.limits.seconds)) as deadline:
                request = httpx.Request(
                    "GET", ask.url, headers=dict(ask.headers), extensions=self._timeouts(ask.limits)
                )
                try:
                    response = await transport.handle_async_request(request)
                except (httpcore.ReadError, httpcore.WriteError, httpcore.RemoteProtocolError) as error:
                    return _broken(error)
                response.request = request
                deadline.reschedule(asyncio.get_running_loop().time() + ask.limits.seconds - (time.monotonic() - start))
                try:
                    return await _read(response, ask, start)
                finally:
                    await response.aclose()

    async def aclose(self) -> None:
        """Close all connections."""
        for transport in self._transports.values():
            await transport.aclose()
        self._transports.clear()

    def _timeouts(self, limits: Limits) -> dict[str, Any]:
        connect = self._settings.connect_seconds
        return {"timeout": {"connect": connect, "read": limits.stall_seconds, "write": limits.stall_seconds}}

    def _transport(self, proxy: str | None, scheme: str, *, allow_private: bool) -> PoolTransport:
        # Connections to private addresses lie in a pool of their own: a request that may not go there never finds one.
        # No httpx.AsyncClient on top: it keeps cookies, logs addresses, and trips over a Location that is no URL.
        key = (proxy, allow_private, scheme)
        if key not in self._transports:
            self._transports[key] = PoolTransport(self._pool(proxy, scheme, allow_private=allow_private))
        return self._transports[key]

    def _pool(self, proxy: str | None, scheme: str, *, allow_private: bool) -> httpcore.AsyncConnectionPool:
        allowed = allow_private or proxy is not None
        backend = GuardedBackend(allow_private=allowed, resolver=self._resolver, inner=self._dial)
        return httpcore.AsyncConnectionPool(
            ssl_context=self._context() if scheme == "https" else None,
            proxy=_proxy(proxy) if proxy is not None else None,
            max_connections=None,  # crawler.pace counts
            keepalive_expiry=_IDLE_SECONDS,
            network_backend=backend,
        )

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = ssl.create_default_context()
            self._tls.load_verify_locations(certifi.where())
            _trust(self._tls, self._settings.ca_file)
        return self._tls


def _trust(context: ssl.SSLContext, stated: str | None) -> None:
    if stated is None:
        return
    try:
        if os.path.isdir(stated):  # noqa: PTH112 - as OpenSSL will see it
            context.load_verify_locations(capath=stated)
        else:
            context.load_verify_locations(cafile=stated)
    except (OSError, ssl.SSLError) as error:
        hint = "Check SSL_CERT_FILE, REQUESTS_CA_BUNDLE, PIP_CERT and pip's `cert`."
        raise Unreachable("trust the certificates of", stated, error.strerror or "it holds none", hint) from None


class PoolTransport(httpx.AsyncBaseTransport):
    """httpx on a pool of ours (its own transport takes no network backend); httpcore's exceptions pass through."""

    def __init__(self, pool: httpcore.AsyncConnectionPool) -> None:
        self._pool = pool

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; the reply's body is still on its way."""
        url = request.url
        target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        ask = httpcore.Request(
            request.method, target, headers=request.headers.raw, content=b"", extensions=request.extensions
        )
        reply = await self._pool.handle_async_request(ask)
        return httpx.Response(reply.status, headers=reply.headers, stream=_Stream(reply), extensions=reply.extensions)

    async def aclose(self) -> None:
        """Close the pool."""
        await self._pool.aclose()


class _Stream(httpx.AsyncByteStream):
    def __init__(self, reply: httpcore.Response) -> None:
        self._reply = reply

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._reply.aiter_stream():
            yield part

    async def aclose(self) -> None:
        await self._reply.aclose()


def _broken(error: Exception) -> Reply:
    if isinstance(error, httpcore.RemoteProtocolError) and "disconnected" not in str(error):
        raise error
    return Reply(status=0, headers={}, cut=f"the connection broke before a reply ({_plain(error)})")


async def _read(response: httpx.Response, ask: Ask, start: float) -> Reply:
    """The reply with as much body as came, and why it is not whole."""
    if len(response.headers.raw) > _MOST_HEADERS:
        raise httpcore.RemoteProtocolError(f"it has more than {_MOST_HEADERS} headers")
    headers = {name.lower(): value for name, value in response.headers.items()}
    stream = response.extensions.get("network_stream")
    private = stream.private if isinstance(stream, WatchedStream) else False
    if ask.sink is not None and response.status_code in FILLED:
        ask.sink.begin(response.status_code, headers)
        cut = await _feed(response, Pour(ask.sink, ask.limits), ask.limits, start)
        return Reply(status=response.status_code, headers=headers, cut=cut, private=private)
    body = Body(headers.get("content-encoding", ""), ask.limits)
    length = headers.get("content-length", "")
    if length.isdigit() and int(length) > ask.limits.wire_bytes and response.status_code == HTTPStatus.OK:
        raise OverBudgetError(f"it is larger than {size_text(ask.limits.wire_bytes)} on the wire")
    cut = await _feed(response, body, ask.limits, start)
    content = body.content()
    if not cut and response.status_code == HTTPStatus.OK:
        cut = _why_not_whole(headers, body, content, stream)
    if isinstance(stream, WatchedStream) and "transfer-encoding" in headers and length:
        stream.spoilt = True  # RFC 9112 §6.1: length and chunks together may be smuggling; not to be reused
    return Reply(status=response.status_code, headers=headers, body=content, cut=cut, private=private)


async def _feed(response: httpx.Response, body: Body | Pour, limits: Limits, start: float) -> str:
    try:
        async for chunk in response.aiter_raw():
            body.feed(chunk)
            elapsed = time.monotonic() - start
            if elapsed > limits.floor_after_seconds and body.wire_bytes < elapsed * limits.floor_bytes_per_second:
                reason = f"it came slower than {limits.floor_bytes_per_second} bytes a second"
                raise TooSlow("read", redact_url(str(response.url)), reason)
    except httpcore.RemoteProtocolError as error:
        if "peer closed" not in str(error):
            raise
        return f"the connection ended too early, {body.wire_bytes} bytes came"
    except (httpcore.ReadError, httpcore.WriteError):
        return f"the connection broke after {body.wire_bytes} bytes"
    return ""


def _why_not_whole(headers: Mapping[str, str], body: Body, content: bytes, stream: object) -> str:
    if not body.coding_ended:
        return "its compressed stream has no end"
    if "transfer-encoding" in headers:
        return ""
    length = headers.get("content-length", "")
    if not length:
        media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        return "" if proves_its_end(content, media_type) else "it states no length and does not show its own end"
    if isinstance(stream, WatchedStream) and stream.body_bytes > int(length):
        stream.spoilt = True
        return f"it states {length} bytes but more came"
    return ""


def _proxy(url: str) -> httpcore.Proxy:
    parts = httpx.URL(url)
    auth = (unquote(parts.username), unquote(parts.password)) if parts.userinfo else None
    target = httpcore.URL(scheme=parts.raw_scheme, host=parts.raw_host, port=parts.port, target=b"/")
    return httpcore.Proxy(target, auth=auth)


def _judge_proxied(ask: Ask, origin: Origin, proxy: str) -> None:
    kind = proxy.partition(":")[0].lower()
    if kind not in {"http", "https"} and (not kind.startswith("socks5") or find_spec("socksio") is None):
        reason = f"the proxy variables name one of the kind {kind[:20]!r}"
        raise Unreachable("reach", origin.netloc, reason, "Name an http:// proxy, or except this host in NO_PROXY.")
    # B19 behind a proxy: it resolves the name, so only the name itself can be judged.
    if ask.access.allow_private or (not looks_private(origin.host) and ask.access.names(origin.host)):
        return
    reason = "a proxy would resolve the name, and the channel does not list this host"
    raise UnsafeAddress("connect to", origin.netloc, reason, "Name the address yourself if it is meant to be read.")


@contextmanager
def _translated(ask: Ask, proxy: str | None) -> Iterator[None]:
    """The one place where foreign exceptions become ours."""
    try:
        yield
    except FetchError:
        raise
    except (httpx.HTTPError, httpx.InvalidURL, OSError, OverBudgetError, CodingError, *_CORE_ERRORS) as error:
        _raise_ours(error, ask, proxy)


_CORE_ERRORS = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)


def _raise_ours(error: Exception, ask: Ask, proxy: str | None) -> NoReturn:
    where = redact_url(ask.url)
    limits = ask.limits
    match error:
        case OverBudgetError():
            raise TooLarge("read", where, str(error)) from None
        case CodingError():
            raise ProtocolError("read", where, str(error)) from None
        case httpcore.ConnectTimeout() | httpcore.ConnectError() | httpcore.ProxyError():
            raise Unreachable("reach", where, _why_unreachable(error, proxy), _OFFLINE_HINT) from None
        case httpcore.ReadTimeout() | httpcore.WriteTimeout():
            raise TooSlow("read", where, f"nothing came for {limits.stall_seconds:g} s") from None
        case TimeoutError():
            slowest = (
                f"it was not there after {limits.seconds:g} s, or its head not after {limits.floor_after_seconds:g} s"
            )
            raise TooSlow("read", where, slowest) from None
        case _:
            raise ProtocolError("read", where, _plain(error)) from None


_OFFLINE_HINT = "Check the network and the proxy variables."


def _why_unreachable(error: Exception, proxy: str | None) -> str:
    reason = "no connection in time" if isinstance(error, httpcore.ConnectTimeout) and not str(error) else _plain(error)
    return reason if proxy is None else f"by the proxy {origin_of(proxy).netloc}: {reason}"


def _plain(error: Exception) -> str:
    """The error's text without anything that could be a secret: no header values, no URLs."""
    text = str(error) or type(error).__name__
    if isinstance(error, httpx.InvalidURL):
        return "it is not a valid address"
    if isinstance(error, (httpcore.LocalProtocolError, httpx.LocalProtocolError)):
        return "the request cannot be written as HTTP"
    return re.sub(r":?\s*(?:bytearray\()?b['\"].*", "", text.splitlines()[0])[:200]  # h11 quotes what the server sent
