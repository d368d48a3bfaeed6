"""How URLs and texts from outside are written: one spelling, no secrets, nothing that cannot be printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.urls import directory_of, escaped, free_text, host_of, stored_url, url_key
from wheels.redaction import shown_url

STORED = {
    "A15 a raw plus": ("https://h.test/a/x-1+cu.whl", "https://h.test/a/x-1%2Bcu.whl"),
    "A15 an encoded plus": ("https://h.test/a/x-1%2Bcu.whl", "https://h.test/a/x-1%2Bcu.whl"),
    "a plus of the directory": ("https://h.test/v1+a/x.whl", "https://h.test/v1+a/x.whl"),
    "other escapes stay": ("https://h.test/%7Ea/x.whl", "https://h.test/%7Ea/x.whl"),
    "R5 userinfo": ("https://u:p@h.test/x.whl", "https://h.test/x.whl"),
    "R5 a signature": ("https://h.test/x+y.whl?sig=SECRET&page=2", "https://h.test/x%2By.whl?sig=***&page=2"),
    "R5 a bare token": (f"https://h.test/x.whl?{'t' * 40}", "https://h.test/x.whl?***"),
    "R5 a malformed address": ("https://u:p@[::1/x.whl?t=S", "https://[::1/x.whl"),
}


@pytest.mark.parametrize(("url", "stored"), STORED.values(), ids=STORED.keys())
def test_a_stored_url(url: str, stored: str) -> None:
    assert stored_url(url) == stored


def test_spellings_of_one_url_have_one_key() -> None:
    one, other = "https://h.test/v1+a/x-1+cu.whl", "https://h.test/v1%2Ba/x-1%2Bcu.whl"
    assert url_key(one) == url_key(other) == url_key(stored_url(one))
    assert url_key(one) != url_key("https://h.test/v1 a/x-1 cu.whl")


@given(st.text(max_size=60))
def test_storing_twice_is_storing_once(text: str) -> None:
    url = f"https://h.test/{text}"
    assert stored_url(stored_url(url)) == stored_url(url)
    assert url_key(stored_url(url)) == url_key(shown_url(url))


@pytest.mark.parametrize(
    ("url", "directory", "host"),
    [
        ("https://H.test:81/whl/cu126/x.whl?a=/b", "whl/cu126", "h.test:81"),
        ("https://u@h.test/x.whl", "", "h.test"),
        ("file:///data/a%20b/x.whl", "data/a b", ""),
    ],
)
def test_parts_of_a_url(url: str, directory: str, host: str) -> None:
    assert (directory_of(url), host_of(url)) == (directory, host)


def test_R6_free_text_can_be_stored() -> None:
    assert free_text("a\x00b\ud800c") == "a\ufffdb\ufffdc"
    assert len(free_text("x" * 5000) or "") == 2000
    assert free_text(None) is None


@given(st.text())
def test_R6_escaped_text_can_be_printed(text: str) -> None:
    shown = escaped(text)
    assert shown.isascii()
    assert not shown or shown.isprintable()
    assert len(shown) <= 300
