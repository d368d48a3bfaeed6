"""Crawling again and again: one crawl each interval, until SIGTERM.

It knows intervals and survives failures; it must not know what a crawl does.
"""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wheels.errors import UsageError, WheelfindError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TERMINATED = 128 + signal.SIGTERM


@contextmanager
def ended_well_by_sigterm() -> Iterator[None]:
    """Around all that a schedule does, its imports too: SIGTERM is the way to end it, not a failure."""
    try:
        yield
    except SystemExit as stop:
        if stop.code != TERMINATED:
            raise


def crawl_every(
    interval_seconds: float,
    once: Callable[[], object],
    *,
    say: Callable[[str], None],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Call ``once`` at the beginning of each interval, for days; return when SIGTERM has come.

    A crawl that takes longer than the interval is followed by the next at once. One that fails is reported, and the
    next is tried in its turn.

    Args:
        interval_seconds: from one start to the next.
        once: one crawl; SystemExit with a signal's status ends the schedule.
        say: takes one line.
        clock: monotonic seconds.
        sleep: waits so many seconds.

    Raises:
        UsageError: the request itself is wrong; no later try would do better.
        SystemExit: another signal than SIGTERM came.
    """
    with ended_well_by_sigterm():
        while True:
            started = clock()
            try:
                once()
            except UsageError:
                raise
            except WheelfindError as error:
                say(f"error: {error}")
            sleep(max(0.0, started + interval_seconds - clock()))
