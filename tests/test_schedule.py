"""Crawling on a schedule, by a simulated clock."""

from __future__ import annotations

import pytest

from wheelfind.schedule import TERMINATED, crawl_every, ended_well_by_sigterm
from wheels.errors import CatalogBusy, UsageError


class Clock:
    """Time that passes only when somebody sleeps or works."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


HOURS = 3600.0
DAYS = 24 * HOURS


def run_for(clock: Clock, days: float, work_seconds: float = 60.0) -> tuple[list[float], list[str]]:
    """Starts and lines of a six-hour schedule whose every third crawl meets another one."""
    starts: list[float] = []
    lines: list[str] = []

    def once() -> None:
        starts.append(clock.now)
        clock.now += work_seconds
        if clock.now > days * DAYS:
            raise SystemExit(TERMINATED)
        if len(starts) % 3 == 0:
            raise CatalogBusy("crawl into", "catalog.sqlite", "process 7 holds it")

    crawl_every(6 * HOURS, once, say=lines.append, clock=clock, sleep=clock.sleep)
    return starts, lines


def test_schedule_starts_each_interval_and_survives_failures() -> None:
    starts, lines = run_for(Clock(), days=3)
    assert starts == [6 * HOURS * turn for turn in range(13)]
    assert lines == ["error: could not crawl into catalog.sqlite: process 7 holds it"] * 4


def test_schedule_with_crawls_longer_than_the_interval_goes_on_at_once() -> None:
    starts, _ = run_for(Clock(), days=2, work_seconds=8 * HOURS)
    assert starts == [8 * HOURS * turn for turn in range(6)] + [48 * HOURS]


def test_schedule_stops_for_a_request_that_can_never_work() -> None:
    def once() -> None:
        raise UsageError("read", "nowhere", "no channel has this name")

    with pytest.raises(UsageError):
        crawl_every(60, once, say=print, clock=Clock(), sleep=Clock().sleep)


def test_schedule_hands_on_other_signals() -> None:
    def once() -> None:
        raise SystemExit(130)

    with pytest.raises(SystemExit) as stopped:
        crawl_every(60, once, say=print, clock=Clock(), sleep=Clock().sleep)
    assert stopped.value.code == 130


def test_sigterm_before_the_first_crawl_ends_a_schedule_well_too() -> None:
    with ended_well_by_sigterm():
        raise SystemExit(TERMINATED)
