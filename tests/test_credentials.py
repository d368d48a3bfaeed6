"""Who receives which password (hazards B17, B22)."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from faultserver import FaultServer, Request, as_json, redirect, reply
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


KEYRING = """
import collections, os, time

Credential = collections.namedtuple("Credential", "username password")


def get_credential(service, username):
    with open(os.environ["ASKED"], "a") as asked:
        asked.write(f"{service} {username}\\n")
    if os.environ.get("HANGS"):
        time.sleep(60)
    if os.environ.get("PROMPTS"):
        input("password? ")
    return Credential(username or "u", "CANARY") if service == os.environ["SERVICE"] else None
"""


def known(request: Request) -> bool:
    return b64decode(request.headers.get("authorization", "").removeprefix("Basic ")).endswith(b":CANARY")


@pytest.fixture
def keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: FaultServer) -> Path:
    """A keyring that knows a password for the server; gives the file in which it notes what it was asked."""
    (tmp_path / "keyring.py").write_text(KEYRING)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    monkeypatch.setenv("SERVICE", server.url("/simple").partition("//")[2].partition("/")[0])
    server.always(lambda request: reply(200, HTML) if known(request) else reply(401, b"who?"))
    return tmp_path / "asked"


def test_keyring_is_asked_once_and_only_after_a_refusal(server: FaultServer, keyring: Path) -> None:
    server.at("/open", reply(200, HTML))
    found = run_all([server.url("/open"), server.url("/simple/a/"), server.url("/simple/b/")])
    sent = [each.headers.get("authorization") for each in server.requests]
    assert [getattr(each, "status", each) for each in found] == [200, 200, 200]
    assert sent == [None, None, "Basic dTpDQU5BUlk=", "Basic dTpDQU5BUlk="]
    asked = keyring.read_text().splitlines()
    assert asked[0] == f"{server.url('/simple/a')} None"
    assert len(asked) == len(set(asked))


def test_keyring_is_asked_for_the_password_of_the_user_in_the_address(server: FaultServer, keyring: Path) -> None:
    found = run_all([server.url(path, userinfo="me") for path in ("/simple/a/", "/simple/b/")])
    assert [getattr(each, "status", each) for each in found] == [200, 200]
    assert {line.split()[1] for line in keyring.read_text().splitlines()} == {"me"}


def test_keyring_is_not_asked_where_a_password_is_known(server: FaultServer, keyring: Path) -> None:
    server.at("/simple/a/", reply(401, b"who?"))
    [found] = run_all([server.url("/simple/a/", userinfo="u:wrong")])
    assert getattr(found, "status", None) == 401
    assert not keyring.exists()


def test_keyring_is_not_asked_for_addresses_that_a_redirect_led_to(server: FaultServer, keyring: Path) -> None:
    with FaultServer() as other:
        server.at("/simple/a/", redirect(other.url("/away")))
        other.always(reply(401, b"who?"))
        run_all([server.url("/simple/a/")])
    assert not keyring.exists()


@pytest.mark.parametrize("trouble", ["PROMPTS", "HANGS"])
def test_keyring_that_wants_to_ask_somebody_blocks_nothing(
    server: FaultServer, keyring: Path, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    monkeypatch.setenv(trouble, "1")
    monkeypatch.setattr("crawler.keyring_door._SECONDS", 1.0)
    [found] = run_all([server.url("/simple/a/")])
    assert getattr(found, "status", None) == 401
    assert keyring.exists()


def test_keyring_that_is_not_installed_is_not_asked(server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawler.keyring_door.find_spec", lambda _name: None)
    server.always(reply(401, b"who?"))
    [found] = run_all([server.url("/simple/a/")])
    assert getattr(found, "status", None) == 401
    assert len(server.requests) == 1


def test_keyring_password_is_not_recorded(server: FaultServer, keyring: Path, tmp_path: Path) -> None:
    server.at("/simple/c/", lambda request: reply(200 if known(request) else 401, b"<p>CANARY</p>"))
    run_all([server.url("/simple/c/")], client={"record": tmp_path / "cassettes"})
    assert keyring.exists()
    assert all("CANARY" not in path.read_text() for path in (tmp_path / "cassettes").iterdir())
