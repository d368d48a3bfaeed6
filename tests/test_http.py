"""The client against scripted servers, over real loopback sockets; times are scaled down by the settings."""

from __future__ import annotations

import asyncio
import logging
import traceback
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from faultserver import CUT, RESET, Act, FaultServer, head, redirect, reply
from fetching import HTML, NOW, QUICK, get, loopback, run_all, validators_of

from crawler.http import Client
from crawler.response import Access, Response
from crawler.settings import HttpSettings
from wheels.errors import (
    BadRedirect,
    FetchError,
    HostChanged,
    ProtocolError,
    WheelfindError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_fetch_tells_who_asks_and_what_came(server: FaultServer) -> None:
    server.at("/p/", reply(200, HTML, ETag='W/"1"', Last_Modified="Tue, 01 Dec 2026 10:00:00 GMT", Set_Cookie="a=b"))
    page = get(server.url("/p/"), accept="text/html")
    assert (page.status, page.body, page.media_type, page.whole) == (200, HTML, "text/html", True)
    assert (page.etag, page.last_modified) == ('W/"1"', "Tue, 01 Dec 2026 10:00:00 GMT")
    assert "set-cookie" not in page.headers
    sent = server.requests[0].headers
    assert (sent["user-agent"], sent["accept"]) == ("wheelfind/1.2 (+test)", "text/html")
    assert not {"authorization", "cookie"} & set(sent)


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("text/HTML; charset=UTF-8", ("text/html", "utf-8")),
        ("application/vnd.pypi.simple.v1+json", ("application/vnd.pypi.simple.v1+json", None)),
        ('text/html;charset="klingon"', ("text/html", "klingon")),
        ("", ("", None)),
    ],
)
def test_media_type_and_charset(server: FaultServer, stated: str, expected: tuple[str, str | None]) -> None:
    server.at("/", reply(200, HTML, Content_Type=stated))
    page = get(server.url())
    assert (page.media_type, page.charset) == expected


@pytest.mark.parametrize("status", [204, 400, 401, 403, 404, 410, 422, 451])
def test_B27_final_statuses_are_answers_not_errors(server: FaultServer, status: int) -> None:
    server.at("/", head(204) if status == 204 else reply(status, "<html>no</html>"))
    assert get(server.url()).status == status
    assert len(server.requests) == 1


def test_conditional_request_and_304(server: FaultServer) -> None:
    server.at("/", reply(304, ETag='"a"'))
    page = get(server.url(), validators=validators_of(), client={"clock": lambda: NOW + timedelta(hours=1)})
    assert page.not_modified
    assert server.requests[0].headers["if-none-match"] == '"a"'
    assert server.requests[0].headers["if-modified-since"] == "Tue, 01 Dec 2026 10:00:00 GMT"


def test_B10_304_about_another_body_is_fetched_anew(server: FaultServer) -> None:
    server.at("/", reply(304, ETag='"b"'))
    server.at("/", reply(200, HTML, ETag='"b"'))
    assert get(server.url(), validators=validators_of(), client={"clock": lambda: NOW}).body == HTML
    assert "if-none-match" not in server.requests[1].headers


def test_B10_304_that_nobody_asked_for_is_a_protocol_error(server: FaultServer) -> None:
    server.at("/", reply(304, ETag='"a"'))
    with pytest.raises(ProtocolError, match="304"):
        get(server.url())
    with pytest.raises(ProtocolError, match="304"):  # also the second time, after another ETag
        get(server.url(), validators=validators_of(etag='"z"'), client={"clock": lambda: NOW})


def test_B10_a_body_of_a_week_ago_is_fetched_unconditionally(server: FaultServer) -> None:
    server.at("/", reply(200, HTML))
    get(server.url(), validators=validators_of(), client={"clock": lambda: NOW + timedelta(days=7, seconds=1)})
    assert "if-none-match" not in server.requests[0].headers


def test_B11_validators_of_another_format_are_not_sent_and_weak_ones_count(server: FaultServer) -> None:
    server.at("/", reply(200, HTML))
    client = {"clock": lambda: NOW}
    get(server.url(), accept="text/html", validators=validators_of(accept="application/json"), client=client)
    assert "if-none-match" not in server.requests[0].headers
    server.at("/weak", reply(304, ETag='"a"'))
    assert get(server.url("/weak"), validators=validators_of(etag='W/"a"'), client=client).not_modified


def test_A03_redirects_are_followed_and_both_addresses_told(server: FaultServer) -> None:
    server.at("/simple/foo", redirect("/index/foo/#frag", 301))
    server.at("/index/foo/", reply(200, HTML))
    page = get(server.url("/simple/foo"))
    assert (page.requested_url, page.url) == (server.url("/simple/foo"), server.url("/index/foo/"))
    assert page.redirects == (server.url("/simple/foo"),)


def _hops(server: FaultServer, count: int) -> None:
    for hop in range(count):
        server.at(f"/{hop}", redirect(f"/{hop + 1}"))
    server.at(f"/{count}", reply(200, HTML))


def test_B16_five_hops_are_followed_six_are_not(server: FaultServer) -> None:
    _hops(server, 6)
    assert get(server.url("/1")).url == server.url("/6")
    with pytest.raises(BadRedirect, match="more than 5"):
        get(server.url("/0"))


@pytest.mark.parametrize(
    "location",
    [
        "/",
        "file:///etc/passwd",
        "ftp://h.test/x",
        "javascript:alert(1)",
        "http://",
        "http://[::1/",
        "http://h:99999/",
        "",
    ],
)
def test_B16_bad_redirects(server: FaultServer, location: str) -> None:
    server.at("/", redirect(location))
    with pytest.raises(BadRedirect):
        get(server.url())
    assert len(server.requests) == 1


def test_B20_userinfo_of_a_redirect_is_neither_sent_nor_kept(server: FaultServer) -> None:
    server.at("/", redirect(server.url("/x", userinfo="u:CANARY")))
    server.at("/x", reply(200, HTML))
    page = get(server.url())
    assert "authorization" not in server.requests[1].headers
    assert (page.url, [problem.code for problem in page.problems]) == (server.url("/x"), ["userinfo-in-redirect"])
    assert "CANARY" not in repr(page)


def test_A29_whole_move_to_a_host_that_the_channel_does_not_name(server: FaultServer) -> None:
    server.at("/", redirect(server.url("/portal", host="portal.test")))
    server.at("/portal", reply(200, HTML))
    access = Access(allow_private=True, hosts=frozenset({"127.0.0.1", "*.good.test"}))

    async def main() -> None:
        async with Client(settings=QUICK, resolver=loopback) as client:
            await client.fetch(server.url(), access=access)

    with pytest.raises(HostChanged, match=r"portal\.test"):
        asyncio.run(main())


def _broken_in_every_way(server: FaultServer) -> Iterator[str]:
    secret = "u:CANARY1"
    answers: dict[str, tuple[Act, ...]] = {
        "/500": (reply(500),),
        "/reset": (RESET,),
        "/short": (head(200, length=9) + b"a", CUT),
        "/bomb": (reply(200, b"x", Content_Encoding="gzip, gzip"),),
        "/junk": (b"CANARY2 is not HTTP\r\n\r\n", CUT),
        "/loop": (redirect("/loop?token=CANARY2"),),
        "/429": (reply(429, Retry_After="9999"),),
    }
    for path, answer in answers.items():
        server.at(f"{path}?token=CANARY2", *answer)
        yield server.url(f"{path}?token=CANARY2", userinfo=secret)
    yield server.url("/tls?token=CANARY2", userinfo=secret).replace("http:", "https:")
    yield "ftp://u:CANARY1@h.test/?token=CANARY2"
    yield "http://u:CANARY1@h.test:99999/?token=CANARY2"
    yield "http://u:CANARY1@nowhere.test:1/?token=CANARY2"


def test_B21_no_secret_in_errors_logs_or_tracebacks(
    server: FaultServer, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    environ = {"GITHUB_TOKEN": "CANARY3", "WHEELFIND_GITHUB_API_URL": server.url("/api")}
    quick = {"backoff_seconds": 0.0, "max_wait_seconds": 1.0, "connect_seconds": 0.2}
    settings = HttpSettings.from_environment(environ, **quick)
    server.at("/api/x", b"not HTTP at all\r\n\r\n", CUT)
    urls = [*_broken_in_every_way(server), server.url("/api/x")]
    for url in urls:  # a client each: a parked host would spare the others
        (found,) = run_all([url], client={"settings": settings, "resolver": loopback})
        assert isinstance(found, WheelfindError), url
        caplog.handler.stream.write("".join(traceback.format_exception(found)))
        shown = f"{found!r} {found} {found.hint} {''.join(traceback.format_exception(found))}"
        assert "CANARY" not in shown, url
    assert "CANARY" not in caplog.text.replace("GITHUB_TOKEN", "")
    assert "CANARY" not in "".join(capfd.readouterr())
    assert "CANARY" not in repr(settings)


def test_B33_clock_far_from_the_server_is_told_once(server: FaultServer, caplog: pytest.LogCaptureFixture) -> None:
    server.always(reply(200, HTML, Date="Mon, 01 Dec 2025 15:00:00 GMT"))
    page, _ = run_all([server.url()] * 2, client={"clock": lambda: NOW})
    assert isinstance(page, Response)
    assert (page.fetched_at, page.server_date) == (NOW, datetime(2025, 12, 1, 15, tzinfo=UTC))
    assert [record.levelname for record in caplog.records if "clock" in record.message] == ["WARNING"]


@pytest.mark.parametrize(
    "url", ["gopher://h/", "http:///x", "nonsense", "http://h:x/", "http://[::1/", "http://" + "a" * 300 + "/"]
)
def test_addresses_that_cannot_be_asked(url: str) -> None:
    with pytest.raises(FetchError):
        get(url)
