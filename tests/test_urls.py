"""What of an address may be seen (rule R5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.urls import Origin, credentials_in, origin_of, redact_url, secrets_in, without_userinfo


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://h.test/a%2Bb+c#frag", "https://h.test/a%2Bb+c"),
        ("https://u:CANARY@h.test:8/", "https://h.test:8/"),
        ("https://CANARY@h.test/", "https://h.test/"),
        ("https://h.test/?page=2&per_page=100", "https://h.test/?page=2&per_page=100"),
        ("https://h.test/?token=CANARY&page=2", "https://h.test/?token=***&page=2"),
        ("https://h.test/?X-Amz-Signature=CANARY&a=", "https://h.test/?X-Amz-Signature=***&a="),
        ("https://h.test/?raw", "https://h.test/?raw"),
        ("https://h.test/?CANARYCANARYCANARYCANARY", "https://h.test/?***"),
        ("https://u:CANARY@[::1/x?t=CANARY", "https://[::1/x"),
        ("https://h.test/a\nb\x1b[0m\x9bc d", "https://h.test/ab%1B[0m%C2%9Bc%20d"),
        ("", ""),
    ],
)
def test_redact_url(url: str, shown: str) -> None:
    assert redact_url(url) == shown


@given(
    st.from_regex(r"[A-Za-z0-9!$;=%._~-]{0,12}CANARY[A-Za-z0-9!$;=%._~-]{0,12}", fullmatch=True),
    st.sampled_from(
        ["https://u:{}@h.test/", "https://{}@h.test/x", "https://h.test/?token={}", "https://h.test/?a=1&k={}&page=1"]
    ),
)
def test_R5_secrets_never_show(secret: str, shape: str) -> None:
    assert "CANARY" not in redact_url(shape.format(secret))


@given(st.text(max_size=80))
def test_any_text_is_shown_on_one_line(text: str) -> None:
    shown = redact_url("https://" + text)
    assert shown.isprintable() or not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in shown)
    assert redact_url(shown) == shown


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://H.test/x", Origin("https", "h.test", 443)),
        ("http://h.test.:81", Origin("http", "h.test", 81)),
        ("http://[::1]:8080/", Origin("http", "::1", 8080)),
        ("file:///x", Origin("file", "", 0)),
    ],
)
def test_origin_of(url: str, found: Origin) -> None:
    assert origin_of(url) == found


@pytest.mark.parametrize(("url", "netloc"), [("http://h.test:80/", "h.test"), ("https://[::1]:80/", "[::1]:80")])
def test_netloc_of_an_origin(url: str, netloc: str) -> None:
    assert origin_of(url).netloc == netloc


@pytest.mark.parametrize("url", ["http://[::1/", "http://h:port/", "http://h:99999/"])
def test_origins_that_cannot_be_read(url: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        origin_of(url)


def test_userinfo() -> None:
    url = "https://us%40er:p%3Aw@h.test/x?a=1#f"
    assert without_userinfo(url) == "https://h.test/x?a=1"
    assert credentials_in(url) == ("us@er", "p:w")
    assert credentials_in("https://h.test/") is None
    assert secrets_in("https://u:p%3Aw@h.test/?sig=abc&page=3") == {"p:w", "p%3Aw", "abc"}
