"""Bodies: codings, budgets, ends (hazards B01, B06, B07)."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.body import Body, CodingError, OverBudgetError, proves_its_end, size_text
from crawler.response import Limits

if TYPE_CHECKING:
    from collections.abc import Callable


def read(data: bytes, coding: str, *, step: int = 1 << 20, limits: Limits | None = None) -> Body:
    body = Body(coding, limits or Limits())
    for start in range(0, len(data), step):
        body.feed(data[start : start + step])
    return body


CODINGS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "plain": ("", lambda data: data),
    "identity": ("identity", lambda data: data),
    "gzip": ("GZip", gzip.compress),
    "zlib": ("deflate", zlib.compress),
    "raw": ("deflate", lambda data: zlib.compress(data, wbits=-15)),
    "members": ("gzip, identity", lambda data: gzip.compress(data[:5]) + gzip.compress(data[5:])),
}


@pytest.mark.parametrize("name", CODINGS)
@given(data=st.binary(max_size=300), step=st.integers(min_value=1, max_value=64))
def test_any_body_in_any_pieces(name: str, data: bytes, step: int) -> None:
    coding, encode = CODINGS[name]
    body = read(encode(data), coding, step=step)
    assert body.content() == data
    assert body.coding_ended


@given(st.binary(max_size=200), st.sampled_from(["gzip", "deflate"]))
def test_any_bytes_end_in_content_or_a_coding_error(data: bytes, coding: str) -> None:
    try:
        read(data, coding, step=7).content()
    except CodingError as error:
        assert "damaged" in str(error)  # noqa: PT017 - most draws raise, some are whole


@given(st.binary(min_size=1, max_size=200), st.data())
def test_B01_every_cut_of_a_gzip_body_is_noticed(data: bytes, draw: st.DataObject) -> None:
    packed = gzip.compress(data)
    cut = draw.draw(st.integers(min_value=1, max_value=len(packed) - 1))
    assert not read(packed[:cut], "gzip").coding_ended


@pytest.mark.parametrize("codings", ["gzip, gzip", "deflate,gzip", "gzip, br", "gzip, identity, gzip"])
def test_B06_chained_codings(codings: str) -> None:
    with pytest.raises(OverBudgetError):
        Body(codings, Limits())


@pytest.mark.parametrize("coding", ["br", "zstd", "compress", "x" * 500])
def test_codings_that_were_not_asked_for(coding: str) -> None:
    with pytest.raises(CodingError, match="not asked for"):
        Body(coding, Limits())


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_B06_bomb_is_stopped_early(coding: str) -> None:
    zeros = b"\0" * (16 << 20)
    packed = gzip.compress(zeros) if coding == "gzip" else zlib.compress(zeros)
    body = Body(coding, Limits())
    with pytest.raises(OverBudgetError, match="100 times"):
        body.feed(packed)
    assert len(body.content()) < 4 << 20


def test_B06_ratio_is_not_judged_below_its_threshold() -> None:
    assert len(read(gzip.compress(b"\0" * (1 << 20)), "gzip").content()) == 1 << 20


@pytest.mark.parametrize(
    ("coding", "data", "limits"),
    [
        ("", b"x" * 2001, Limits(decoded_bytes=2000)),
        ("", b"x" * 2001, Limits(wire_bytes=2000)),
        ("gzip", gzip.compress(b"x" * 2001), Limits(decoded_bytes=2000)),
    ],
)
def test_B07_budgets_are_named(coding: str, data: bytes, limits: Limits) -> None:
    with pytest.raises(OverBudgetError, match="2000 bytes"):
        read(data, coding, limits=limits)


@pytest.mark.parametrize(
    ("media_type", "body", "proven"),
    [
        ("text/html", b"<p></html>", True),
        ("application/xhtml+xml", b"<p></HTML\n>\n \n<!-- generated -->", True),
        ("application/vnd.pypi.simple.v1+html", b"</html>", True),
        ("text/html", b"<p></html", False),
        ("text/html", b"</html><p>", False),
        ("text/html", b"", False),
        ("text/html", b"</html><!-- " + b"-" * 5000, False),
        ("application/json", b"[]", True),
        ("application/json", b'{"a": [1, 2', False),
        ("application/json", b"", False),
        ("application/vnd.pypi.simple.v1+json", b"\xef\xbb\xbf{}", True),
        ("application/atom+xml", b"<feed><a/></feed>", True),
        ("text/xml", b"<?xml version='1.0'?><!DOCTYPE x><r:x></r:x>\n", True),
        ("application/atom+xml", b"<feed><entry></entry>", False),
        ("application/atom+xml", b"", False),
        ("text/plain", b"whole?", False),
        ("", b"</html>", False),
    ],
)
def test_B01_proven_ends(media_type: str, body: bytes, *, proven: bool) -> None:
    assert proves_its_end(body, media_type) is proven


@given(st.binary(max_size=100), st.sampled_from(["text/html", "application/json", "text/xml"]))
def test_B01_any_bytes_are_judged(body: bytes, media_type: str) -> None:
    proves_its_end(body, media_type)


@pytest.mark.parametrize("media_type", ["text/html", "text/xml"])
@pytest.mark.parametrize("unit", [b"<!--", b"</html", b"<!-- a -->", b"<?x ", b"<! ", b"-"])
def test_B01_end_is_judged_in_linear_time(media_type: str, unit: bytes) -> None:
    proves_its_end(unit * 50_000, media_type)  # the time limit of the test run judges


@pytest.mark.parametrize(
    ("size", "text"), [(64 << 20, "64 MiB"), (1536, "1536 bytes"), (2048, "2 KiB"), (7, "7 bytes")]
)
def test_sizes_for_people(size: int, text: str) -> None:
    assert size_text(size) == text
