"""Parts of files over real sockets: what a range reply must be, and what is refused (hazards C01-C10, S12)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from faultserver import CUT, RESET, FaultServer, Request, head, redirect, reply
from fetching import NAMED, QUICK, Sleeps, loopback

from crawler.http import Client
from crawler.response import Access
from crawler.stream import FILE, Span, stream
from wheels.errors import (
    FetchError,
    HttpStatus,
    RangeError,
    TooLarge,
    TruncatedResponse,
    UnsafeAddress,
)

if TYPE_CHECKING:
    from pathlib import Path

BODY = bytes(range(256)) * 20


@dataclass
class Heap:
    spans: list[Span] = field(default_factory=list)
    data: bytes = b""

    def begin(self, span: Span) -> None:
        self.spans.append(span)
        self.data = b""

    def take(self, data: bytes) -> None:
        self.data += data


def read(url: str, *, client: dict[str, Any] | None = None, **asked: Any) -> tuple[Span, bytes]:
    async def main() -> tuple[Span, bytes]:
        heap = Heap()
        async with Client(**{"settings": QUICK, "sleep": Sleeps(), **(client or {})}) as running:
            channel = running.for_channel("files", asked.pop("access", NAMED))
            return await stream(channel, url, heap, **asked), heap.data

    return asyncio.run(main())


def ranges(request: Request) -> bytes:
    """An honest server of ranges."""
    asked = request.headers.get("range", "")
    if not asked:
        return reply(200, BODY, ETag='"v1"')
    first, _, last = asked.removeprefix("bytes=").partition("-")
    start, end = int(first), min(int(last or len(BODY)), len(BODY) - 1) + 1
    return part(start, end)


def part(start: int, end: int, stated: str | None = None, **headers: str) -> bytes:
    content_range = f"bytes {start}-{end - 1}/{len(BODY)}" if stated is None else stated
    more = {"Content_Range": content_range} if content_range else {}
    return reply(206, BODY[start:end], ETag='"v1"', **more, **headers)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        pytest.param(0, None, BODY, id="the whole"),
        pytest.param(100, None, BODY[100:], id="from an offset"),
        pytest.param(100, 200, BODY[100:200], id="a part"),
        pytest.param(0, 1, BODY[:1], id="the first byte"),
        pytest.param(len(BODY) - 5, len(BODY) + 100, BODY[-5:], id="past the end"),
    ],
)
def test_a_span_is_what_was_asked_for(server: FaultServer, start: int, end: int | None, expected: bytes) -> None:
    server.at("/f", ranges)
    span, data = read(server.url("/f"), start=start, end=end)
    assert data == expected
    assert (span.start, span.end, span.total, span.etag) == (start, start + len(expected), len(BODY), '"v1"')


def test_C07_C10_no_coding_and_no_cache_is_asked_for(server: FaultServer) -> None:
    server.at("/f", ranges)
    read(server.url("/f"), start=1, end=9)
    sent = server.requests[0].headers
    assert (sent["range"], sent["accept-encoding"], sent["cache-control"]) == ("bytes=1-8", "identity", "no-cache")
    assert server.requests[0].method == "GET"


def test_C01_C05_a_server_without_ranges_is_left_at_once(server: FaultServer) -> None:
    server.at("/f", head(200, length=3_000_000_000, Accept_Ranges="bytes"), b"x" * 1000, CUT)
    with pytest.raises(RangeError, match="the whole file instead"):
        read(server.url("/f"), start=1000, end=2000)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(part(0, 1000), id="the first bytes"),
        pytest.param(part(1000, 2000, ""), id="no content range"),
        pytest.param(part(1000, 2000, "bytes 1000-1999"), id="no total"),
        pytest.param(part(1000, 1500), id="a shorter end that is not the file's"),
        pytest.param(part(1000, 2100), id="a longer end"),
        pytest.param(part(1000, 2000, "items 1000-1999/5120"), id="another unit"),
    ],
)
def test_C02_C03_another_part_is_refused(server: FaultServer, answer: bytes) -> None:
    server.at("/f", answer)
    with pytest.raises(RangeError):
        read(server.url("/f"), start=1000, end=2000)


def test_C02_an_unsaid_total_is_no_harm(server: FaultServer) -> None:
    server.at("/f", part(1000, 2000, "bytes 1000-1999/*"))
    span, data = read(server.url("/f"), start=1000, end=2000)
    assert (span.total, data) == (None, BODY[1000:2000])


def test_C02_a_body_of_another_length_is_cut(server: FaultServer) -> None:
    server.at("/f", part(1000, 1900, "bytes 1000-1999/5120"))
    with pytest.raises(TruncatedResponse, match="1000 bytes were promised and 900 came"):
        read(server.url("/f"), start=1000, end=2000)


@pytest.mark.parametrize("status", [400, 501, 416])
def test_C03_a_refused_range_says_so(server: FaultServer, status: int) -> None:
    server.at("/f", reply(status))
    with pytest.raises(FetchError):
        read(server.url("/f"), start=1000, end=2000)


def test_C07_a_packed_part_is_refused(server: FaultServer) -> None:
    server.at("/f", part(1000, 2000, Content_Encoding="gzip"))
    with pytest.raises(RangeError, match="packed"):
        read(server.url("/f"), start=1000, end=2000)


def test_C08_the_whole_file_comes_when_it_changed(server: FaultServer) -> None:
    server.at("/f", reply(200, BODY, ETag='"v2"'))
    span, data = read(server.url("/f"), start=1000, unless_changed='"v1"')
    assert server.requests[0].headers["if-range"] == '"v1"'
    assert (span.start, span.etag, data) == (0, '"v2"', BODY)


def test_a_weak_validator_is_none(server: FaultServer) -> None:
    server.at("/f", reply(200, BODY, ETag='W/"v1"'))
    assert read(server.url("/f"))[0].etag is None


def test_C09_S12_a_stale_signed_target_is_asked_for_anew(server: FaultServer) -> None:
    with FaultServer() as store:
        server.at("/f", redirect(store.url("/blob?sig=old%2B1")))
        server.at("/f", redirect(store.url("/blob?sig=new%2B2")))
        store.at("/blob?sig=old%2B1", reply(403, b"expired"))
        store.at("/blob?sig=new%2B2", reply(200, BODY))
        _, data = read(server.url("/f"))
    assert data == BODY
    assert server.paths() == ["/f", "/f"]


def test_C09_a_target_that_stays_closed_is_asked_for_three_times(server: FaultServer) -> None:
    with FaultServer() as store:
        server.at("/f", redirect(store.url("/blob?sig=CANARY")))
        store.at("/blob?sig=CANARY", reply(403, b"expired"))
        with pytest.raises(HttpStatus) as refused:
            read(server.url("/f"))
    assert (refused.value.status, len(server.requests)) == (403, 3)
    assert "CANARY" not in str(refused.value)


def test_a_cut_file_leaves_what_came(server: FaultServer) -> None:
    server.at("/f", head(200, length=len(BODY)), BODY[:1000], CUT)
    with pytest.raises(TruncatedResponse, match="ended too early"):
        read(server.url("/f"))
    assert len(server.requests) == 1


def test_a_connection_that_breaks_before_the_reply_is_tried_again(server: FaultServer) -> None:
    server.at("/f", RESET)
    server.at("/f", reply(200, BODY))
    assert read(server.url("/f"))[1] == BODY


def test_a_file_beyond_its_budget_is_refused(server: FaultServer) -> None:
    server.at("/f", reply(200, BODY))
    with pytest.raises(TooLarge):
        read(server.url("/f"), limits=replace(FILE, wire_bytes=len(BODY) - 1))


def test_B17_secrets_stay_at_their_origin_while_streaming(server: FaultServer) -> None:
    with FaultServer() as store:
        server.at("/f", redirect(store.url("/blob", host="localhost")))
        store.at("/blob", reply(200, BODY))
        read(server.url("/f", userinfo="u:CANARY"), client={"resolver": loopback})
    assert "authorization" in server.requests[0].headers
    assert "authorization" not in store.requests[0].headers


def test_B19_a_private_address_that_nobody_named_is_not_read(server: FaultServer) -> None:
    with pytest.raises(UnsafeAddress):
        read(server.url("/f"), access=Access())
    assert not server.requests


def test_a_file_of_this_machine_is_read_piece_by_piece(tmp_path: Path) -> None:
    (tmp_path / "f.whl").write_bytes(BODY * 500)
    span, data = read((tmp_path / "f.whl").as_uri())
    assert (data, span.total) == (BODY * 500, len(BODY) * 500)
