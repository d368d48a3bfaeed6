"""One address asked until it answers, or until asking on would be rude.

It knows turns, tries, back-off, the run's budgets and rate limits; it must not know redirects, secrets or pages.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_random_exponential

from crawler.pace import Pace, Sleep
from crawler.throttle import Pause, exhausted, read_pause, until_text
from crawler.urls import Origin, origin_of, redact_url
from crawler.wire import Ask, Reply, Wire
from wheels.errors import FetchError, HttpStatus, RateLimited, TruncatedResponse, Unreachable

if TYPE_CHECKING:
    from datetime import datetime

    from crawler.settings import HttpSettings


@dataclass(slots=True)
class Counters:
    """What was asked."""

    requests: int = 0
    """Sent, redirects and retries included."""
    not_modified: int = 0
    """Answered with 304."""
    retries: int = 0


Keep = Callable[[Ask, Reply], None]
"""Sees each whole reply as it came (a recorder)."""


class _Again(Exception):
    """The try gave nothing final; ``error`` is what to raise when no further one follows."""

    def __init__(self, error: FetchError, *, held: bool = False, reply: Reply | None = None) -> None:
        super().__init__(error)
        self.error = error
        self.held = held
        self.reply = reply


class Tries:
    """The tries of one run.

    Args:
        settings: how often and how long.
        clock: UTC now.
        sleep: waits so many seconds.
    """

    def __init__(self, settings: HttpSettings, *, clock: Callable[[], datetime], sleep: Sleep) -> None:
        self.counters = Counters()
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        self._pace = Pace(settings, clock=clock, sleep=sleep)
        self._back_off = wait_random_exponential(multiplier=settings.backoff_seconds, max=settings.max_wait_seconds)

    async def answer(self, wire: Wire, ask: Ask, counters: Counters, keep: Keep | None = None) -> Reply:
        """Ask until there is an answer.

        Args:
            wire: who answers.
            ask: the request.
            counters: of the channel, counted beside the run's own.
            keep: sees each whole reply.

        Returns:
            The answer; one whose ``cut`` is not empty when no try brought a whole body.

        Raises:
            RateLimited: the host is parked.
            HttpStatus: a 5xx after all tries.
            TruncatedResponse: no reply, or only the start of one, after all tries.
            Unreachable: no connection.
            FetchError: the run's budget of requests is spent.
        """
        retrying = AsyncRetrying(
            stop=self._is_last,
            wait=self._wait,
            retry=retry_if_exception_type(_Again),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return await retrying(self._try, wire, ask, counters, keep, itertools.count())
        except _Again as again:
            if again.reply is not None and again.reply.body:
                return again.reply
            raise again.error from None

    async def replay(self, wire: Wire, ask: Ask, counters: Counters) -> Reply:
        """Take the recorded answer as it is: nothing waits and nothing is tried again.

        Raises:
            NotRecorded: there is none.
            RateLimited: a rate limit was recorded.
            HttpStatus: a 5xx was recorded.
        """
        self._count(ask, counters, retry=False)
        reply = await wire.exchange(ask)
        now, where = reply.recorded_at or self._clock(), redact_url(ask.url)
        pause = read_pause(reply.status, reply.headers, reply.body, now=now, waited=0, secondary_seconds=0.0)
        if pause is None:
            return reply
        if pause.limited:
            raise RateLimited("ask", where, pause.reason, "So it was recorded.", until_text(now, pause.seconds or 0.0))
        raise HttpStatus("read", where, pause.reason, "So it was recorded.", reply.status)

    def _is_last(self, state: RetryCallState) -> bool:
        counters, settings = self.counters, self._settings
        spent = counters.retries >= settings.retry_floor + settings.retry_share * counters.requests
        return spent or state.attempt_number >= settings.tries

    def _wait(self, state: RetryCallState) -> float:
        """Full jitter; nothing where the host itself is held back, which the next turn waits for."""
        again = state.outcome.exception() if state.outcome is not None else None
        return 0.0 if isinstance(again, _Again) and again.held else self._back_off(state)

    async def _try(self, wire: Wire, ask: Ask, counters: Counters, keep: Keep | None, numbers: Iterator[int]) -> Reply:
        tries_before = next(numbers)
        origin = origin_of(ask.url)
        async with self._pace.turn(origin, ahead=ask.ahead):
            self._count(ask, counters, retry=tries_before > 0)
            try:
                reply = await wire.exchange(ask)
            except Unreachable as error:
                self._pace.give_up(origin, error.reason)
                raise
        if keep is not None and not reply.cut and ask.sink is None:
            keep(ask, reply)
        self._judge(ask, origin, reply, tries_before)
        return reply

    def _count(self, ask: Ask, counters: Counters, *, retry: bool) -> None:
        if self.counters.requests >= self._settings.max_requests:
            reason = f"the run's budget of {self._settings.max_requests} requests is spent"
            raise FetchError("read", redact_url(ask.url), reason, "Run it again: it goes on where it ended.")
        for each in (self.counters, counters):
            each.requests += 1
            each.retries += retry

    def _judge(self, ask: Ask, origin: Origin, reply: Reply, tries_before: int) -> None:
        """Raise unless the reply is an answer."""
        now, secondary = self._clock(), self._settings.secondary_seconds
        where = redact_url(ask.url)
        if reply.status == 0:
            raise _Again(Unreachable("read", where, reply.cut, "Try again later."))
        pause = read_pause(
            reply.status, reply.headers, reply.body, now=now, waited=tries_before, secondary_seconds=secondary
        )
        if pause is not None and pause.limited:
            self._obey(origin, pause, tries_before)
        if pause is not None:
            raise _Again(HttpStatus("read", where, pause.reason, "The service is in trouble; try later.", reply.status))
        if reply.cut and ask.sink is None:
            raise _Again(TruncatedResponse("read", where, reply.cut, "Try again later."), reply=reply)
        left = exhausted(reply.headers, now)
        if left is not None:
            self._hold_or_park(origin, left, "its rate limit is used up")

    def _obey(self, origin: Origin, pause: Pause, tries_before: int) -> NoReturn:
        """A rate limit: hold the host back and ask again, or park it and end."""
        seconds = pause.seconds
        if seconds is None:
            seconds = self._settings.backoff_seconds * 2**tries_before * random.uniform(1.0, 2.0)
        if tries_before + 1 >= self._settings.tries:
            raise self._pace.park(origin, seconds, f"{pause.reason}, also after {tries_before + 1} tries")
        error = self._hold_or_park(origin, seconds, pause.reason)
        if error is not None:
            raise error
        raise _Again(HttpStatus("ask", origin.netloc, pause.reason), held=True)

    def _hold_or_park(self, origin: Origin, seconds: float, reason: str) -> RateLimited | None:
        if seconds > self._settings.max_wait_seconds:
            return self._pace.park(origin, seconds, reason)
        self._pace.hold(origin, seconds)
        return None
