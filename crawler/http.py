"""The one HTTP client: asks politely, follows redirects itself, tries again, and says clearly what went wrong.

It knows identity, turns, tries, redirects, validators and who may receive secrets; it must not know what pages mean.
"""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Self
from urllib.parse import urljoin, urlsplit

from crawler.body import ACCEPT_ENCODING
from crawler.cassette import ReplayWire
from crawler.credentials import Credentials
from crawler.guard import Resolve, resolve
from crawler.local import LocalWire
from crawler.recorder import KEPT_HEADERS, Recorder
from crawler.response import PAGE, Access, Limits, Response
from crawler.settings import HttpSettings
from crawler.throttle import http_date
from crawler.tries import Counters, Tries
from crawler.urls import Origin, credentials_in, origin_of, redact_url, secrets_in, without_userinfo
from crawler.wire import Ask, NetworkWire, Reply, Wire
from wheels.errors import BadRedirect, HostChanged, ProtocolError, TruncatedResponse, UnsafeAddress
from wheels.page import PageProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import TracebackType

    from crawler.pace import Sleep
    from wheels.observation import Validators

logger = logging.getLogger(__name__)

REFETCH_AFTER = timedelta(days=7)
"""B10: a page whose body is older is fetched unconditionally."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SKEW_SECONDS = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arrival:
    """Where a chain of redirects ended."""

    reply: Reply
    url: str
    conditional: bool
    passed: tuple[str, ...] = ()
    problems: tuple[PageProblem, ...] = ()


def utc_now() -> datetime:
    """The clock of the client unless another is given."""
    return datetime.now(UTC)


class Client:
    """All HTTP of one run; an async context manager.

    Args:
        settings: identity, pace, secrets.
        record: folder into which exchanges are written as cassettes.
        replay: folder of cassettes that answer in place of the network.
        clock: UTC now.
        sleep: waits so many seconds.
        resolver: how host names become addresses.
        wire: what answers requests, instead of the network.
    """

    def __init__(
        self,
        *,
        settings: HttpSettings | None = None,
        record: Path | None = None,
        replay: Path | None = None,
        clock: Callable[[], datetime] = utc_now,
        sleep: Sleep = asyncio.sleep,
        resolver: Resolve = resolve,
        wire: Wire | None = None,
    ) -> None:
        self.settings = settings or HttpSettings()
        self.clock = clock
        self.tries = Tries(self.settings, clock=clock, sleep=sleep)
        self.recorder = Recorder(record, self.settings, clock) if record is not None else None
        self._cassettes = ReplayWire(replay) if replay is not None else None
        self._network: Wire = wire or NetworkWire(self.settings, resolver)
        self._files = LocalWire()
        self._skew_told = False
        self._plain = self.for_channel("other")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._network.aclose()
        if self.recorder is not None:
            self.recorder.flush()

    @property
    def requests(self) -> int:
        """Requests sent, redirects and retries included."""
        return self.tries.counters.requests

    @property
    def not_modified(self) -> int:
        """Pages that were as before (304)."""
        return self.tries.counters.not_modified

    def for_channel(self, name: str, access: Access | None = None) -> ChannelClient:
        """A view for one channel: its own counters, credentials and cassette.

        Args:
            name: of the channel.
            access: what its requests may reach unless one says otherwise.
        """
        return ChannelClient(self, name, access or Access())

    async def fetch(
        self,
        url: str,
        *,
        accept: str = "",
        validators: Validators | None = None,
        limits: Limits = PAGE,
        access: Access | None = None,
        partial_ok: bool = False,
    ) -> Response:
        """Fetch outside any channel; see :meth:`ChannelClient.fetch`.

        Raises:
            FetchError: no usable reply.
            HostChanged: the page moved to a host that ``access`` does not name.
        """
        return await self._plain.fetch(
            url, accept=accept, validators=validators, limits=limits, access=access, partial_ok=partial_ok
        )

    @property
    def replaying(self) -> bool:
        """Whether cassettes answer in place of the network."""
        return self._cassettes is not None

    def has(self, url: str) -> bool:
        """Whether the cassettes of a replay answer a request for ``url``."""
        return self._cassettes is not None and self._cassettes.has(url)

    def has_below(self, prefix: str) -> bool:
        """Whether the cassettes of a replay hold anything at or below an address."""
        return self._cassettes is not None and self._cassettes.has_below(prefix)

    def replayed_hosts(self) -> frozenset[str]:
        """The hosts (``host`` or ``host:port``) that the cassettes of a replay know."""
        return self._cassettes.hosts() if self._cassettes is not None else frozenset()

    async def answer(self, ask: Ask, counters: Counters, channel: str) -> Reply:
        """One address, without redirects, asked for until it answers; see :meth:`Tries.answer`."""
        if self._cassettes is not None:
            return await self.tries.replay(self._cassettes, ask, counters)
        wire = self._files if urlsplit(ask.url).scheme == "file" else self._network
        keep = None if self.recorder is None else partial(self.recorder.keep, channel)
        return await self.tries.answer(wire, ask, counters, keep)

    def check_skew(self, server_date: datetime | None) -> None:
        """Say once when this machine's clock is far from a server's (row B33)."""
        if server_date is None or self._skew_told:
            return
        skew = (self.clock() - server_date).total_seconds()
        if abs(skew) > _SKEW_SECONDS:
            self._skew_told = True
            logger.warning("this machine's clock is %+.0f s from a server's; check it", skew)


class ChannelClient:
    """The client as one channel sees it.

    Args:
        client: whose turns and connections are used.
        name: of the channel.
        access: what its requests may reach.
    """

    def __init__(self, client: Client, name: str, access: Access) -> None:
        self.name = name
        self.access = access
        self.counters = Counters()
        self._client = client
        self._credentials = Credentials(client.settings)

    @property
    def requests(self) -> int:
        """Requests sent for this channel, redirects and retries included."""
        return self.counters.requests

    @property
    def not_modified(self) -> int:
        """Pages of this channel that were as before (304)."""
        return self.counters.not_modified

    async def fetch(
        self,
        url: str,
        *,
        accept: str = "",
        validators: Validators | None = None,
        limits: Limits = PAGE,
        access: Access | None = None,
        partial_ok: bool = False,
    ) -> Response:
        """Fetch one page.

        Args:
            url: absolute, http, https or (named by the user) file; userinfo becomes a credential of its origin.
            accept: the ``Accept`` header; empty for anything.
            validators: of the last reading; they make the request conditional if they were given for the same
                ``accept`` and are at most 7 days old.
            limits: budgets of each request.
            access: what may be reached; None: the channel's.
            partial_ok: return a body without a proven end (``whole`` False) after the last try, instead of raising.

        Returns:
            The reply for 200, 304 and any other final status below 500 that is no rate limit.

        Raises:
            RateLimited: the service asks to come back later than we wait; its host is parked.
            HttpStatus: a 5xx after all tries.
            TruncatedResponse: no whole body after all tries.
            Unreachable: no connection, or the host gave none earlier in this run.
            UnsafeAddress: a public address led to a private one.
            BadRedirect: a loop, more than ``limits.redirects`` hops, or another kind of address.
            TooLarge: a byte budget is spent.
            TooSlow: a deadline is past.
            ProtocolError: the reply breaks HTTP.
            HostChanged: the page moved to a host that ``access`` does not name.
            NotRecorded: in replay, there is no such exchange.
        """
        access = access or self.access
        start = _checked(url, named=access.allow_private)
        self._credentials.learn(url, named=access.allow_private)
        if self._client.recorder is not None:
            self._client.recorder.hide(secrets_in(url) | self._credentials.secrets())
        conditions = self._conditions(validators, accept)
        ask = Ask(url=start, headers=self._headers(accept), limits=limits, access=access)
        arrival = await self._follow(replace(ask, headers={**ask.headers, **conditions}))
        if arrival.reply.status == HTTPStatus.NOT_MODIFIED and not _agrees(arrival.reply, conditions):
            arrival = await self._follow(ask)  # B10: the answer is about another body than ours
        self._check(start, arrival, access, partial_ok=partial_ok)
        return self._response(start, arrival)

    def _headers(self, accept: str) -> dict[str, str]:
        return {
            "User-Agent": self._client.settings.user_agent,
            "Accept": accept or "*/*",
            "Accept-Encoding": ACCEPT_ENCODING,
        }

    def _conditions(self, validators: Validators | None, accept: str) -> dict[str, str]:
        """Conditional headers (RFC 9110 §13.1), if the last body is still to be trusted (B10, B11)."""
        if validators is None or validators.accept != accept or self._client.recorder is not None:
            return {}  # a recording needs the bodies
        if validators.read_at is not None and self._client.clock() - validators.read_at > REFETCH_AFTER:
            return {}
        stated = {"If-None-Match": validators.etag, "If-Modified-Since": validators.last_modified}
        return {name: value for name, value in stated.items() if value}

    async def _follow(self, ask: Ask) -> _Arrival:
        """Walk the redirects, each hop with its own permissions and its own secrets."""
        passed: list[str] = []
        problems: list[PageProblem] = []
        while True:
            reply = await self._hop(ask)
            if reply.moved_to:
                passed.append(ask.url)
                ask = replace(ask, url=reply.moved_to)
            target = _target(reply, ask.url)
            if target is None:
                conditional = any(name.startswith("If-") for name in ask.headers)
                return _Arrival(
                    reply=reply, url=ask.url, conditional=conditional, passed=tuple(passed), problems=tuple(problems)
                )
            if credentials_in(target) is not None:  # B20: neither sent nor kept
                problems.append(PageProblem(code="userinfo-in-redirect", detail="dropped", url=redact_url(ask.url)))
            passed.append(ask.url)
            ask = replace(ask, url=without_userinfo(target), access=ask.access.after(private=reply.private))
            _check_chain(passed, ask)

    async def _hop(self, ask: Ask) -> Reply:
        client = self._client
        secrets = self._credentials.headers_for(ask.url)
        full = replace(ask, headers={**ask.headers, **secrets})
        reply = await client.answer(full, self.counters, self.name)
        if reply.status == HTTPStatus.NOT_MODIFIED:
            self.counters.not_modified += 1
            client.tries.counters.not_modified += 1
        return reply

    def _check(self, start: str, arrival: _Arrival, access: Access, *, partial_ok: bool) -> None:
        reply, where = arrival.reply, redact_url(start)
        host = origin_of(arrival.url).host
        if host and arrival.passed and not access.names(host):
            reason = f"it moved to {redact_url(arrival.url)}, a host that the channel does not name"
            raise HostChanged("read", where, reason, "If the move is right, add the new address as a channel.")
        if reply.status == HTTPStatus.NOT_MODIFIED and not arrival.conditional:
            raise ProtocolError("read", where, "it answered 304 although nothing was asked conditionally")
        if reply.cut and not partial_ok:
            raise TruncatedResponse("read", where, reply.cut, "Try again later.")

    def _response(self, start: str, arrival: _Arrival) -> Response:
        reply = arrival.reply
        headers = {name: value for name, value in reply.headers.items() if name in KEPT_HEADERS}
        media_type, charset = _content_type(headers.get("content-type", ""))
        server_date = http_date(headers.get("date"))
        now = self._client.clock()
        if reply.recorded_at is None:
            self._client.check_skew(server_date)
        return Response(
            requested_url=start,
            url=arrival.url,
            status=reply.status,
            media_type=media_type,
            charset=charset,
            body=reply.body,
            whole=not reply.cut,
            etag=headers.get("etag"),
            last_modified=headers.get("last-modified"),
            link=headers.get("link"),
            headers=headers,
            fetched_at=reply.recorded_at or now,
            server_date=server_date,
            redirects=arrival.passed,
            private=reply.private,
            problems=arrival.problems,
        )


def _checked(url: str, *, named: bool) -> str:
    """The address to ask for, without userinfo and fragment."""
    try:
        origin = origin_of(url)
    except ValueError:
        raise ProtocolError("read", redact_url(url), "it is not a valid address") from None
    if origin.scheme == "file" and not named:
        raise UnsafeAddress("read", redact_url(url), "a page led to a file of this machine")
    if origin.scheme not in {"http", "https", "file"} or (origin.scheme != "file" and not origin.host):
        raise ProtocolError("read", redact_url(url), "only http, https and file addresses can be read")
    return without_userinfo(url)


def _target(reply: Reply, url: str) -> str | None:
    """Where a reply redirects to; None when it does not."""
    if reply.status not in _REDIRECTS:
        return None
    try:
        location = urljoin(url, reply.headers.get("location", "").strip())
        origin = origin_of(location)
    except ValueError:
        location, origin = "", Origin("", "", 0)
    if not reply.headers.get("location") or origin.scheme not in {"http", "https"} or not origin.host:
        shown = redact_url(reply.headers.get("location", ""))[:200] or "nowhere"
        raise BadRedirect(
            "read", redact_url(url), f"it redirects to {shown}; only http and https addresses are followed"
        )
    return location


def _check_chain(passed: list[str], ask: Ask) -> None:
    if ask.url in passed:
        raise BadRedirect("read", redact_url(passed[0]), f"its redirects go round in a circle at {redact_url(ask.url)}")
    if len(passed) > ask.limits.redirects:
        raise BadRedirect("read", redact_url(passed[0]), f"it redirects more than {ask.limits.redirects} times")


def _agrees(reply: Reply, conditions: Mapping[str, str]) -> bool:
    """Whether a 304 is about the body that we hold: the ETag is the one that was sent, or none is stated."""
    stated, sent = reply.headers.get("etag"), conditions.get("If-None-Match")
    return stated is None or sent is None or stated.removeprefix("W/") == sent.removeprefix("W/")


def _content_type(text: str) -> tuple[str, str | None]:
    media_type, _, parameters = text.partition(";")
    charset = re.search(r"charset\s*=\s*\"?([A-Za-z0-9._:+-]{1,40})", parameters, re.IGNORECASE)
    return media_type.strip().lower(), charset[1].lower() if charset else None
