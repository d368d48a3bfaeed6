"""One request against a server that breaks HTTP in every way (hazards B01 to B09), over real loopback sockets."""

from __future__ import annotations

import gzip
import resource
import ssl
import subprocess
import time
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from faultserver import CUT, RESET, FaultServer, Request, chunk, head, pause, reply, trickle
from fetching import HTML, QUICK, Sleeps, get, loopback, run_all

from crawler.response import Limits, Response
from wheels.errors import (
    ProtocolError,
    TooLarge,
    TooSlow,
    TruncatedResponse,
    Unreachable,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize(
    ("coding", "encode"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda data: zlib.compress(data, wbits=-15)),
        ("gzip", lambda data: gzip.compress(data[:40]) + gzip.compress(data[40:])),
        ("gzip", lambda data: gzip.compress(data) + b"\0" * 9),
        ("identity", lambda data: data),
    ],
    ids=["gzip", "x-gzip", "zlib", "raw-deflate", "two-members", "padded", "identity"],
)
def test_codings_are_decoded(server: FaultServer, coding: str, encode: Callable[[bytes], bytes]) -> None:
    server.at("/", reply(200, encode(HTML), Content_Encoding=coding))
    assert get(server.url()).body == HTML


@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("text/html", HTML[: len(HTML) // 2]),
        ("text/html", b""),
        ("application/json", b'{"files": ['),
        ("application/atom+xml", b"<?xml version='1.0'?><feed><entry></entry>"),
        ("application/octet-stream", b"PK"),
    ],
)
def test_B01_close_delimited_body_without_a_proven_end_is_truncated(
    server: FaultServer, media_type: str, body: bytes
) -> None:
    server.at("/", head(200, Content_Type=media_type) + body, CUT)
    with pytest.raises(TruncatedResponse, match="states no length"):
        get(server.url())
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("text/html", HTML + b"\n"),
        ("text/html", b"<a href=x></HTML >\n<!-- made by a-b --> "),
        ("application/vnd.pypi.simple.v1+json", b"\xef\xbb\xbf{}"),
        ("application/atom+xml", b"<?xml version='1.0'?>\n<!-- c -->\n<feed xmlns='a'><entry></entry></feed>\n"),
    ],
)
def test_B01_close_delimited_body_with_a_proven_end_is_whole(server: FaultServer, media_type: str, body: bytes) -> None:
    server.at("/", head(200, Content_Type=media_type) + body, CUT)
    assert get(server.url()).body == body


def test_B01_gzip_stream_without_its_end_is_truncated(server: FaultServer) -> None:
    packed = gzip.compress(HTML * 50)
    server.at("/", head(200, Content_Encoding="gzip") + packed[:-9], CUT)
    with pytest.raises(TruncatedResponse, match="no end"):
        get(server.url())


def test_B01_the_start_of_a_cut_page_is_given_to_who_asks_for_it(server: FaultServer) -> None:
    server.at("/", head(200) + HTML[:-20], CUT)
    page = get(server.url(), partial_ok=True)
    assert (page.whole, page.body) == (False, HTML[:-20])


@pytest.mark.parametrize("end", [CUT, RESET], ids=["FIN", "RST"])
def test_B02_length_too_long_is_tried_thrice_then_truncated(server: FaultServer, sleeps: Sleeps, end: Any) -> None:
    server.at("/", head(200, length=100) + b"abc", pause(0.02), end)
    with pytest.raises(TruncatedResponse):
        get(server.url(), client={"sleep": sleeps})
    assert len(server.requests) == 3
    assert len(sleeps) == 2


def test_B02_a_later_whole_body_is_taken(server: FaultServer) -> None:
    server.at("/", head(200, length=100) + b"abc", CUT)
    server.at("/", reply(200, HTML))
    assert get(server.url()).body == HTML


def test_B02_connection_broken_before_a_reply_is_tried_again(server: FaultServer) -> None:
    server.at("/", RESET)
    server.at("/", CUT)
    server.at("/", reply(200, HTML))
    assert get(server.url()).body == HTML
    server.at("/never", CUT)
    with pytest.raises(Unreachable, match="before a reply"):
        get(server.url("/never"))


def test_B03_length_too_short_is_truncated_and_the_connection_dropped(server: FaultServer) -> None:
    server.at("/", head(200, length=2) + b"abcdef")
    server.at("/next", reply(200, HTML))
    first, second = run_all([server.url(), server.url("/next")])
    assert isinstance(first, TruncatedResponse)
    assert isinstance(second, Response)
    assert second.body == HTML
    assert len({request.connection for request in server.requests}) == 4


def test_B04_two_lengths_are_refused(server: FaultServer) -> None:
    server.at("/", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc", CUT)
    with pytest.raises(ProtocolError):
        get(server.url())
    assert len(server.requests) == 1


def test_B04_length_and_chunks_are_read_once_and_not_pooled(server: FaultServer) -> None:
    mixed = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n"
    server.at("/", mixed + chunk(HTML) + chunk(b""))
    first, second = run_all([server.url(), server.url()])
    assert isinstance(first, Response)
    assert isinstance(second, Response)
    assert first.body == second.body == HTML
    assert [request.connection for request in server.requests] == [1, 2]


def test_B05_cut_chunks_are_truncated(server: FaultServer) -> None:
    server.at("/", head(200, Transfer_Encoding="chunked") + chunk(b"abcde"), CUT)
    with pytest.raises(TruncatedResponse):
        get(server.url())
    assert len(server.requests) == 3


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def test_B06_chained_codings_are_refused_before_they_unpack(server: FaultServer) -> None:
    bomb = gzip.compress(gzip.compress(b"\0" * (8 << 20)))
    server.at("/", reply(200, bomb, Content_Encoding="gzip, gzip"))
    with pytest.raises(TooLarge, match="2 times over"):
        get(server.url())


def test_B06_bomb_is_stopped_by_its_ratio(server: FaultServer) -> None:
    server.at("/", reply(200, gzip.compress(b"\0" * (64 << 20)), Content_Encoding="gzip"))
    before = _peak_mib()
    with pytest.raises(TooLarge, match="100 times its size"):
        get(server.url())
    assert _peak_mib() - before < 100


def test_B06_unasked_coding_is_a_protocol_error(server: FaultServer) -> None:
    server.at("/", reply(200, HTML, Content_Encoding="br"))
    with pytest.raises(ProtocolError, match="br"):
        get(server.url())


def test_B07_endless_page_is_stopped_at_the_cap_that_the_message_names(server: FaultServer) -> None:
    server.at("/", head(200, Transfer_Encoding="chunked"), *[chunk(b"x" * 60_000)] * 40, chunk(b""))
    with pytest.raises(TooLarge, match="1 MiB"):
        get(server.url(), limits=Limits(wire_bytes=1 << 20))


def test_B07_stated_length_over_the_cap_is_not_read(server: FaultServer) -> None:
    server.at("/", head(200, length=300_000_000) + b"x" * 1000, pause(5))
    started = time.monotonic()
    with pytest.raises(TooLarge, match="64 MiB"):
        get(server.url())
    assert time.monotonic() - started < 2


def test_B08_slow_body_meets_the_deadline(server: FaultServer) -> None:
    server.at("/", head(200, length=1000), *trickle(b"x" * 1000, seconds=0.02))
    with pytest.raises(TooSlow, match=r"0\.2 s"):
        get(server.url(), limits=Limits(seconds=0.2))
    assert len(server.requests) == 1


def test_B08_slow_body_meets_the_floor(server: FaultServer) -> None:
    server.at("/", head(200, length=1000), *trickle(b"x" * 1000, seconds=0.02))
    with pytest.raises(TooSlow, match="slower than 1024 bytes"):
        get(server.url(), limits=Limits(seconds=30, floor_after_seconds=0.1))


def test_B08_slow_head_meets_the_deadline(server: FaultServer) -> None:
    server.at("/", *trickle(head(200, length=5, X="y" * 200), seconds=0.02))
    with pytest.raises(TooSlow):
        get(server.url(), limits=Limits(floor_after_seconds=0.2))


def test_B08_silence_meets_the_stall_limit_and_others_go_on(server: FaultServer) -> None:
    server.at("/hang", head(200, length=5), pause(5))
    server.at("/ok", reply(200, HTML))
    stuck, fine = run_all([server.url("/hang"), server.url("/ok")], limits=Limits(stall_seconds=0.1))
    assert isinstance(stuck, TooSlow)
    assert isinstance(fine, Response)


@pytest.mark.parametrize(
    "answer",
    [
        head(200, length=2, X="y" * 200_000) + b"ok",
        b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(10_000)) + b"\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" * 2_000,
        b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
    ],
    ids=["200-kB-header", "10,000-headers", "1xx-forever", "no-colon", "another-protocol"],
)
def test_B09_head_without_bounds_is_a_protocol_error(server: FaultServer, answer: bytes) -> None:
    server.at("/", answer, pause(2), CUT)
    with pytest.raises(ProtocolError):
        get(server.url(), limits=Limits(floor_after_seconds=1.5))


def test_informational_replies_are_passed_over(server: FaultServer) -> None:
    server.at("/", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" * 2 + reply(200, HTML))
    assert get(server.url()).body == HTML


def _certificate(folder: Path, name: str) -> tuple[Path, Path]:
    key, cert = folder / "key.pem", folder / "cert.pem"
    made = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
    ]
    names = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-keyout", str(key), "-out", str(cert)]
    try:
        subprocess.run([*made, *names], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("openssl cannot make a certificate here")
    return cert, key


def test_B19_https_checks_the_name_at_the_judged_address(tmp_path: Path) -> None:
    cert, key = _certificate(tmp_path, "shop.test")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, key)
    seen: list[str | None] = []
    context.sni_callback = lambda _socket, name, _context: seen.append(name)
    trusting = {"settings": replace(QUICK, ca_file=str(cert)), "resolver": loopback}
    with FaultServer(tls=context) as server:
        server.always(reply(200, HTML))
        right, wrong = run_all([server.url("/", host="shop.test"), server.url("/", host="other.test")], client=trusting)
        (untrusted,) = run_all([server.url("/", host="shop.test")], client={"resolver": loopback})
    assert isinstance(right, Response)
    assert isinstance(wrong, Unreachable)
    assert isinstance(untrusted, Unreachable)
    assert "certificate" in str(untrusted)
    assert seen[0] == "shop.test"
    assert server.requests[0].headers["host"] == f"shop.test:{server.port}"


def _seen(request: Request) -> bytes:
    return reply(200, f"<html>{request.path}</html>")


def test_paths_are_asked_as_they_are_spelt(server: FaultServer) -> None:
    server.always(_seen)
    page = get(server.url("/a%2Bb+c/d%2Fe?x=%41&y=1+2"))
    assert page.body == b"<html>/a%2Bb+c/d%2Fe?x=%41&y=1+2</html>"


@pytest.mark.parametrize("content", [None, "no certificate"], ids=["missing", "empty"])
def test_certificates_that_cannot_be_read_are_named(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "own.pem"
    if content is not None:
        file.write_text(content)
    with pytest.raises(Unreachable, match=r"own\.pem"):
        get("https://name.test/", client={"settings": replace(QUICK, ca_file=str(file)), "resolver": loopback})


def test_folder_of_certificates_is_taken(tmp_path: Path) -> None:
    with FaultServer() as gone:
        url = gone.url("/", host="name.test").replace("http:", "https:")
    with pytest.raises(Unreachable, match=r"name\.test"):
        get(url, client={"settings": replace(QUICK, ca_file=str(tmp_path)), "resolver": loopback})


def test_response_prints_without_secrets(server: FaultServer) -> None:
    server.at("/?token=CANARY", reply(200, b"<html>CANARY</html>"))
    page = get(server.url("/?token=CANARY"))
    assert "CANARY" not in repr(page)
    assert "19 bytes" in repr(page)
