from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wheelfind.durations import ago, read_count, read_duration, read_since
from wheels.errors import UsageError

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("0.5", 0.5), ("30m", 1800), ("6h", 21600), ("7d", 604800), ("1d 12h", 129600), ("2W", 1209600)],
)
def test_read_duration(text: str, seconds: float) -> None:
    assert read_duration("--every", text) == seconds


@pytest.mark.parametrize("text", ["", "h", "6x", "-6h", "0", "0h", "6h!", "1e3", "٣h"])
def test_read_duration_refuses(text: str) -> None:
    with pytest.raises(UsageError, match="no span of time"):
        read_duration("--every", text)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-02-27", "2026-02-27T00:00:00Z"),
        ("2026-02-27T10:00:00Z", "2026-02-27T10:00:00Z"),
        ("2026-02-27T10:00+01:00", "2026-02-27T09:00:00Z"),
        ("7d", "2026-02-22T12:00:00Z"),
    ],
)
def test_read_since(text: str, moment: str) -> None:
    assert read_since(text, NOW) == moment


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01", "99999999w", "27.02.2026"])
def test_read_since_refuses(text: str) -> None:
    with pytest.raises(UsageError, match="neither a date nor a span"):
        read_since(text, NOW)


@given(st.text(max_size=12))
def test_read_since_takes_any_text(text: str) -> None:
    with suppress(UsageError):
        assert datetime.fromisoformat(read_since(text, NOW)).tzinfo is not None


@pytest.mark.parametrize("text", ["0", "-1", "ten", "", "1.5", "99999999999999999999", "²"])
def test_read_count_refuses(text: str) -> None:
    with pytest.raises(UsageError, match="at least 1"):
        read_count("--limit", text)


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (None, "never"),
        ("2026-03-01T11:59:30Z", "just now"),
        ("2026-03-01T11:58:00Z", "2 minutes ago"),
        ("2026-03-01T11:00:00Z", "1 hour ago"),
        ("2026-02-20T12:00:00Z", "9 days ago"),
        ("2027-01-01T00:00:00Z", "just now"),
        ("nonsense", "at an unknown time"),
    ],
)
def test_ago(moment: str | None, text: str) -> None:
    assert ago(moment, NOW) == text
