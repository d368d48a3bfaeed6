"""Whose turn it is: how many requests run at once, how far apart, and which hosts are not asked any more.

It knows hosts, slots and times; it must not know what is asked for.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from crawler.throttle import until_text
from wheels.errors import RateLimited, Unreachable

if TYPE_CHECKING:
    from crawler.settings import HostPace, HttpSettings
    from crawler.urls import Origin

Sleep = Callable[[float], Awaitable[None]]
_ALL_AT_ONCE = 16


class Slots:
    """A semaphore with two queues: a request that finds others work goes ahead of those that wait.

    Args:
        count: holders at once.
    """

    def __init__(self, count: int) -> None:
        self._free = count
        self._ahead: deque[asyncio.Future[None]] = deque()
        self._others: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def hold(self, *, ahead: bool = False) -> AsyncIterator[None]:
        """Wait for a slot, then hold it.

        Args:
            ahead: wait in the queue that is served first.
        """
        if self._free:
            self._free -= 1
        else:
            await self._wait(self._ahead if ahead else self._others)
        try:
            yield
        finally:
            self._give()

    async def _wait(self, queue: deque[asyncio.Future[None]]) -> None:
        given: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(given)
        try:
            await given
        except asyncio.CancelledError:
            if not given.cancelled():  # the slot came in the same moment: it goes to the next
                self._give()
            raise
        finally:
            queue.remove(given)

    def _give(self) -> None:
        given = next((each for each in (*self._ahead, *self._others) if not each.done()), None)
        if given is None:
            self._free += 1
        else:
            given.set_result(None)


class _Host:
    """One host of this run."""

    def __init__(self, pace: HostPace) -> None:
        self.apart_seconds = pace.apart_seconds
        self.slots = Slots(pace.at_once)
        self.first = asyncio.Lock()
        self.answered = False
        self.not_before = 0.0
        """Monotonic time of the next start."""
        self.parked_until: datetime | None = None
        self.parked_because = ""
        self.unreachable = ""

    @asynccontextmanager
    async def alone_at_first(self) -> AsyncIterator[None]:
        """Hold everybody else back until the host has answered once."""
        if not self.answered:
            async with self.first:
                if not self.answered:
                    yield
                    return
        yield


class Pace:
    """Turns of all hosts.

    Args:
        settings: slots and distances.
        clock: UTC now.
        sleep: waits so many seconds.
        ticks: monotonic seconds.
    """

    def __init__(
        self,
        settings: HttpSettings,
        *,
        clock: Callable[[], datetime],
        sleep: Sleep,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        self._ticks = ticks
        self._all = asyncio.Semaphore(settings.jobs or _ALL_AT_ONCE)
        self._hosts: dict[Origin, _Host] = {}

    @asynccontextmanager
    async def turn(self, origin: Origin, *, ahead: bool = False) -> AsyncIterator[None]:
        """Wait for a slot and for the host's distance, then hold the slot.

        Args:
            origin: the host.
            ahead: before all others that wait: a listing, whose entries keep the slots busy.

        A host that never answered is asked by one request alone: an unreachable one is tried once a run.

        Raises:
            RateLimited: the host is parked.
            Unreachable: the host could not be reached earlier in this run.
        """
        host = self._host(origin)
        self._refuse(origin, host)
        async with host.slots.hold(ahead=ahead), host.alone_at_first(), self._started(origin, host):
            yield
        host.answered = True

    @asynccontextmanager
    async def _started(self, origin: Origin, host: _Host) -> AsyncIterator[None]:
        self._refuse(origin, host)
        start = max(self._ticks(), host.not_before)
        host.not_before = max(host.not_before, start + host.apart_seconds)
        if start > self._ticks():
            await self._sleep(start - self._ticks())
            self._refuse(origin, host)
        async with self._all:
            yield

    def hold(self, origin: Origin, seconds: float) -> None:
        """Let no request to the host start for so long."""
        host = self._host(origin)
        host.not_before = max(host.not_before, self._ticks() + seconds)

    def park(self, origin: Origin, seconds: float, reason: str) -> RateLimited:
        """Ask the host no more until then; returns the error that says so."""
        host = self._host(origin)
        host.parked_until = max(self._clock() + timedelta(seconds=seconds), host.parked_until or self._clock())
        host.parked_because = reason
        return self._parked(origin, host)

    def give_up(self, origin: Origin, reason: str) -> None:
        """Ask the host no more in this run: it cannot be reached."""
        self._host(origin).unreachable = reason

    def _host(self, origin: Origin) -> _Host:
        if origin not in self._hosts:
            self._hosts[origin] = _Host(self._settings.pace_of(origin))
        return self._hosts[origin]

    def _refuse(self, origin: Origin, host: _Host) -> None:
        if host.unreachable:
            raise Unreachable("reach", origin.netloc, host.unreachable, "It was tried once in this run.")
        if host.parked_until is not None and self._clock() < host.parked_until:
            raise self._parked(origin, host)

    def _parked(self, origin: Origin, host: _Host) -> RateLimited:
        until = until_text(host.parked_until or self._clock(), 0.0)
        return RateLimited(
            "ask", origin.netloc, f"{host.parked_because}; not before {until}", f"Come back after {until}.", until
        )
