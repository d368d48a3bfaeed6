"""What counts as "ask later", and for how long (hazards B13, B14; github-pages g)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.throttle import Pause, exhausted, http_date, read_pause, retry_after, until_text

NOW = datetime(2026, 12, 1, 15, 0, 0, tzinfo=UTC)
RESET = str(int(NOW.timestamp()) + 40)


def judge(status: int, headers: dict[str, str] | None = None, body: bytes = b"", *, waited: int = 0) -> Pause | None:
    return read_pause(status, headers or {}, body, now=NOW, waited=waited, secondary_seconds=60.0)


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (200, {}, b"<html>"),
        (404, {"retry-after": "5"}, b""),
        (403, {}, b'{"message": "Forbidden"}'),
        (403, {"x-ratelimit-remaining": "10", "x-ratelimit-reset": RESET}, b"{}"),
        (403, {"x-ratelimit-remaining": "0"}, b"{}"),
        (401, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET}, b"{}"),
        (200, {}, b"<title>Release of rate limit helper</title>"),
        (200, {}, b"x" * 5000 + b"<title>Rate limit</title>"),
        (200, {}, b"secondary rate limit"),
    ],
)
def test_answers(status: int, headers: dict[str, str], body: bytes) -> None:
    assert judge(status, headers, body) is None


@pytest.mark.parametrize(
    ("status", "headers", "body", "seconds"),
    [
        (429, {}, b"", None),
        (429, {"retry-after": "7"}, b"", 7),
        (403, {"retry-after": "7"}, b"{}", 7),
        (503, {"retry-after": "7"}, b"", 7),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET}, b"{}", 41),
        (429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET}, b"{}", 41),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET, "retry-after": "3"}, b"{}", 3),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1"}, b"{}", 1),
        (403, {}, b"API rate limit exceeded for 10.0.0.1. (But here's the good news: ...)", None),
        (403, {"x-github-request-id": "A"}, b"API rate limit exceeded", 60),
        (403, {}, b"You have exceeded a secondary rate limit", 60),
        (429, {"gh-limited-by": "x"}, b"", 60),
        (200, {}, b"<html><head>\n<title>\n Rate limit &middot; GitHub</title>", 60),
    ],
)
def test_B14_limits(status: int, headers: dict[str, str], body: bytes, seconds: float | None) -> None:
    pause = judge(status, headers, body)
    assert pause is not None
    assert pause.limited
    assert pause.seconds == seconds


@pytest.mark.parametrize("status", [500, 502, 503, 504, 520, 599])
def test_trouble_is_no_limit(status: int) -> None:
    pause = judge(status)
    assert pause is not None
    assert (pause.limited, pause.seconds) == (False, None)
    assert str(status) in pause.reason


@pytest.mark.parametrize(("waited", "seconds"), [(0, 60), (1, 120), (2, 240)])
def test_S09_unstated_secondary_waits_double(waited: int, seconds: float) -> None:
    pause = judge(403, {}, b"secondary rate limit", waited=waited)
    assert pause is not None
    assert pause.seconds == seconds


@given(st.integers(min_value=1, max_value=10**6), st.integers(min_value=-(10**7), max_value=10**7))
def test_S10_date_counts_from_the_server_s_clock_whatever_ours_says(seconds: int, skew: int) -> None:
    server = NOW + timedelta(seconds=skew)
    stated = format_datetime(server + timedelta(seconds=seconds), usegmt=True)
    headers = {"retry-after": stated, "date": format_datetime(server, usegmt=True)}
    pause = judge(429, headers)
    assert pause is not None
    assert pause.seconds == seconds


@given(st.text(max_size=60))
def test_B13_any_retry_after_is_read_without_trouble(text: str) -> None:
    seconds = retry_after(text, NOW)
    assert seconds is None or seconds > 0
    until_text(NOW, seconds or 0.0)
    http_date(text)


@pytest.mark.parametrize("text", ["-1", "0", "soon", "", None, "1.5", "٣", "Tue, 01 Dec 2020 00:00:00 GMT"])
def test_B13_unusable_retry_after(text: str | None) -> None:
    assert retry_after(text, NOW) is None


@pytest.mark.parametrize("text", ["9" * 400, "99999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_B13_absurd_retry_after_ends_in_a_date_all_the_same(text: str) -> None:
    seconds = retry_after(text, NOW)
    assert seconds is not None
    assert until_text(NOW, seconds) == "2036-11-28T15:00:00Z"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET}, 41),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "9" * 30}, None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon"}, None),
        ({"x-ratelimit-remaining": "1", "x-ratelimit-reset": RESET}, None),
        ({}, None),
    ],
)
def test_quota_used_up(headers: dict[str, str], seconds: float | None) -> None:
    assert exhausted(headers, NOW) == seconds
