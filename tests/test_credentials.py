"""Who receives which password (hazards B17, B22)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from faultserver import FaultServer, as_json, redirect, reply
from fetching import HTML, PUBLIC, QUICK, Detour, get, loopback, run_all

from crawler.response import Access
from crawler.settings import HttpSettings
from crawler.wire import NetworkWire
from wheels.errors import (
    UsageError,
)

if TYPE_CHECKING:
    from pathlib import Path


def test_B17_credentials_stay_at_their_origin(server: FaultServer) -> None:
    with FaultServer() as other:
        for away in (other.url("/away", host="localhost"), server.url("/away", host="localhost")):
            server.at("/", redirect(away, Set_Cookie="sid=CANARY"))
        server.at("/same", redirect("/", 307))
        server.always(reply(200, HTML))
        other.at("/away", reply(200, HTML))
        urls = [server.url("/", userinfo="u:CANARY1"), server.url("/same", userinfo="u:CANARY1")]
        run_all(urls, client={"resolver": loopback})
        arrived = [*other.requests, *(each for each in server.requests if each.path == "/away")]
    kept = [each for each in server.requests if each.path != "/away"]
    assert len(arrived) == 2
    assert all("authorization" not in each.headers and "cookie" not in each.headers for each in [*arrived])
    assert all(each.headers["authorization"] == "Basic dTpDQU5BUlkx" for each in kept)


def test_B17_github_token_goes_to_the_api_and_nowhere_else(server: FaultServer) -> None:
    with FaultServer() as page:
        environ = {"GITHUB_TOKEN": "CANARY", "WHEELFIND_GITHUB_API_URL": server.url("/api/v3")}
        settings = HttpSettings.from_environment(environ)
        server.at("/api/v3/repos", redirect("/api/v3/repositories/1", 301))
        server.at("/api/v3/repositories/1", redirect(page.url("/blob")))
        page.at("/blob", as_json([]))
        server.always(reply(200, HTML))
        run_all(
            [server.url("/api/v3/repos"), server.url("/o/r/releases"), page.url("/x")], client={"settings": settings}
        )
        sent = {each.path: each.headers.get("authorization") for each in [*server.requests, *page.requests]}
    assert sent == {
        "/api/v3/repos": "Bearer CANARY",
        "/api/v3/repositories/1": "Bearer CANARY",
        "/blob": None,
        "/o/r/releases": None,
        "/x": None,
    }


def test_B22_netrc_is_asked_for_the_exact_name_and_never_beside_userinfo(server: FaultServer, tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine good.test login u password CANARY\ndefault login d password CANARY\n")
    server.always(reply(200, HTML))
    settings = replace(QUICK, netrc=netrc)
    urls = [
        server.url("/userinfo", userinfo="good.test:"),
        server.url("/subdomain", host="x.good.test"),
        server.url("/exact", host="good.test"),
    ]
    run_all(urls, client={"settings": settings, "resolver": loopback})
    sent = {each.path: each.headers.get("authorization") for each in server.requests}
    assert sent == {"/userinfo": "Basic Z29vZC50ZXN0Og==", "/subdomain": None, "/exact": "Basic dTpDQU5BUlk="}


def test_B22_netrc_is_not_for_addresses_that_the_user_did_not_name(server: FaultServer, tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine public.test login u password CANARY\n")
    server.always(reply(200, HTML))

    async def resolver(_host: str, _port: int) -> list[str]:
        return [PUBLIC]

    settings = replace(QUICK, netrc=netrc)
    url = server.url("/", host="public.test")
    run_all([url], client={"wire": NetworkWire(settings, resolver, Detour()), "settings": settings}, access=Access())
    assert "authorization" not in server.requests[0].headers


def test_broken_netrc_is_left_aside(server: FaultServer, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "netrc").write_text("machine\n  garbage CANARY\n")
    server.always(reply(200, HTML))
    get(server.url(), client={"settings": replace(QUICK, netrc=tmp_path / "netrc")})
    assert "netrc" in caplog.text
    assert "CANARY" not in caplog.text


def test_token_with_a_line_break_is_refused_without_being_shown() -> None:
    with pytest.raises(UsageError) as caught:
        HttpSettings.from_environment({"GITHUB_TOKEN": "CANARY\nX: y"})
    assert "CANARY" not in str(caught.value)
