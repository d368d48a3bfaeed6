"""The one HTTP client: asks politely, follows redirects itself, tries again, and says clearly what went wrong.

It knows identity, turns, tries, redirects, validators and who may receive secrets; it must not know what pages mean.
"""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from crawler.body import ACCEPT_ENCODING
from crawler.cassette import ReplayWire
from crawler.credentials import Credentials
from crawler.guard import Resolve, resolve
from crawler.local import LocalWire
from crawler.recorder import KEPT_HEADERS, Recorder
from crawler.redirects import Arrival, check_chain, checked_address, redirect_target
from crawler.response import PAGE, Access, Limits, Response
from crawler.settings import HttpSettings
from crawler.sink import pour
from crawler.throttle import http_date
from crawler.tries import Counters, Tries
from crawler.urls import credentials_in, origin_of, redact_url, secrets_in, without_userinfo
from crawler.wire import Ask, NetworkWire, Reply, Wire
from wheels.errors import HostChanged, ProtocolError, TruncatedResponse
from wheels.page import PageProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import TracebackType

    from crawler.pace import Sleep
    from crawler.sink import Sink
    from wheels.observation import Validators

logger = logging.getLogger(__name__)

REFETCH_AFTER = timedelta(days=7)
"""B10: a page whose body is older is fetched unconditionally."""
_SKEW_SECONDS = 300.0


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
            return pour(await self.tries.replay(self._cassettes, ask, counters), ask)
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
        ahead: bool = False,
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
            ahead: before other requests that wait for the same host.

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
        start = self._start(url, access)
        conditions = self._conditions(validators, accept)
        ask = Ask(url=start, headers=self._headers(accept), limits=limits, access=access, ahead=ahead)
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

    async def pour(
        self,
        url: str,
        sink: Sink,
        *,
        headers: Mapping[str, str],
        limits: Limits,
        access: Access | None = None,
    ) -> Arrival:
        """Fetch a body of any size into a sink; redirects, secrets, turns and tries are those of :meth:`fetch`.

        Args:
            url: as for :meth:`fetch`.
            sink: takes the body as it travels.
            headers: beside our own; they go to every hop.
            limits: budgets of each request.
            access: what may be reached; None: the channel's.

        Returns:
            Where the redirects ended, whatever the status; ``reply.cut`` says why a body is not whole.

        Raises:
            FetchError: as for :meth:`fetch`, or raised by the sink.
        """
        access = access or self.access
        start = self._start(url, access)
        own = {**self._headers(""), "Accept-Encoding": "identity", **headers}
        arrival = await self._follow(Ask(url=start, headers=own, limits=limits, access=access, sink=sink))
        self._check(start, arrival, access, partial_ok=True)
        return arrival

    def learn(self, url: str, *, named: bool) -> None:
        """Note the credentials of an address of the channel, for what lies at the same origin."""
        self._credentials.learn(url, named=named)

    def _start(self, url: str, access: Access) -> str:
        start = checked_address(url, named=access.allow_private)
        self._credentials.learn(url, named=access.allow_private)
        self._hide(secrets_in(url))
        return start

    def _hide(self, others: set[str]) -> None:
        if self._client.recorder is not None:
            self._client.recorder.hide(others | self._credentials.secrets())

    async def _follow(self, ask: Ask) -> Arrival:
        """Walk the redirects, each hop with its own permissions and its own secrets."""
        passed: list[str] = []
        problems: list[PageProblem] = []
        while True:
            reply = await self._hop(ask)
            if reply.moved_to:
                passed.append(ask.url)
                ask = replace(ask, url=reply.moved_to)
            target = redirect_target(reply, ask.url)
            if target is None:
                conditional = any(name.startswith("If-") for name in ask.headers)
                return Arrival(
                    reply=reply, url=ask.url, conditional=conditional, passed=tuple(passed), problems=tuple(problems)
                )
            if credentials_in(target) is not None:  # B20: neither sent nor kept
                problems.append(PageProblem(code="userinfo-in-redirect", detail="dropped", url=redact_url(ask.url)))
            passed.append(ask.url)
            ask = replace(ask, url=without_userinfo(target), access=ask.access.after(private=reply.private))
            check_chain(passed, ask)

    async def _hop(self, ask: Ask) -> Reply:
        client = self._client
        reply = await client.answer(self._signed(ask), self.counters, self.name)
        unknown = reply.status == HTTPStatus.UNAUTHORIZED and not client.replaying
        if unknown and await self._credentials.ask_keyring(ask.url):
            self._hide(set())
            reply = await client.answer(self._signed(ask), self.counters, self.name)
        if reply.status == HTTPStatus.NOT_MODIFIED:
            self.counters.not_modified += 1
            client.tries.counters.not_modified += 1
        return reply

    def _signed(self, ask: Ask) -> Ask:
        return replace(ask, headers={**ask.headers, **self._credentials.headers_for(ask.url)})

    def _check(self, start: str, arrival: Arrival, access: Access, *, partial_ok: bool) -> None:
        reply, where = arrival.reply, redact_url(start)
        host = origin_of(arrival.url).host
        if host and arrival.passed and not access.names(host):
            reason = f"it moved to {redact_url(arrival.url)}, a host that the channel does not name"
            raise HostChanged("read", where, reason, "If the move is right, add the new address as a channel.")
        if reply.status == HTTPStatus.NOT_MODIFIED and not arrival.conditional:
            raise ProtocolError("read", where, "it answered 304 although nothing was asked conditionally")
        if reply.cut and not partial_ok:
            raise TruncatedResponse("read", where, reply.cut, "Try again later.")

    def _response(self, start: str, arrival: Arrival) -> Response:
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


def _agrees(reply: Reply, conditions: Mapping[str, str]) -> bool:
    """Whether a 304 is about the body that we hold: the ETag is the one that was sent, or none is stated."""
    stated, sent = reply.headers.get("etag"), conditions.get("If-None-Match")
    return stated is None or sent is None or stated.removeprefix("W/") == sent.removeprefix("W/")


def _content_type(text: str) -> tuple[str, str | None]:
    media_type, _, parameters = text.partition(";")
    charset = re.search(r"charset\s*=\s*\"?([A-Za-z0-9._:+-]{1,40})", parameters, re.IGNORECASE)
    return media_type.strip().lower(), charset[1].lower() if charset else None
