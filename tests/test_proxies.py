"""Proxies of the environment (hazard B23)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from faultserver import FaultServer, reply
from fetching import HTML, QUICK, get, run_all

from crawler.proxies import Proxies
from crawler.response import Access
from crawler.settings import HttpSettings
from crawler.urls import origin_of
from wheels.errors import Unreachable, UnsafeAddress, UsageError


def test_B23_dead_proxy_is_named_by_its_host_only(server: FaultServer) -> None:
    with FaultServer() as gone:
        proxy = gone.url("", userinfo="u:CANARY")
    environ = {"https_proxy": proxy, "http_proxy": proxy, "NO_PROXY": "127.0.0.1"}
    settings = HttpSettings.from_environment(environ)
    server.at("/", reply(200, HTML))
    for scheme in ("http", "https"):
        (found,) = run_all([f"{scheme}://name.test/"], client={"settings": settings})
        assert isinstance(found, Unreachable)
        assert f"127.0.0.1:{gone.port}" in str(found)
        assert "CANARY" not in f"{found!r}{settings!r}"
    assert get(server.url(), client={"settings": settings}).status == 200  # NO_PROXY


def test_B23_proxy_gets_the_request_and_its_own_password(server: FaultServer) -> None:
    settings = replace(QUICK, proxies=Proxies(by_scheme={"http": server.url("", userinfo="u:CANARY")}))
    server.at("http://name.test/x", reply(200, HTML))
    assert get("http://name.test/x", client={"settings": settings}).body == HTML
    assert server.requests[0].headers["proxy-authorization"] == "Basic dTpDQU5BUlk="
    assert server.requests[0].headers["host"] == "name.test"


def test_B23_proxy_that_refuses_is_told_without_its_password(server: FaultServer) -> None:
    settings = replace(QUICK, proxies=Proxies(by_scheme={"https": server.url("", userinfo="u:CANARY")}))
    server.at("name.test:443", reply(407))
    with pytest.raises(Unreachable, match="407") as caught:
        get("https://name.test/", client={"settings": settings})
    assert "CANARY" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["http://10.0.0.1/", "http://127.1/", "http://metadata.internal/", "http://intranet/", "http://evil.test/"]
)
def test_B23_behind_a_proxy_only_the_list_of_hosts_is_asked(server: FaultServer, url: str) -> None:
    settings = replace(QUICK, proxies=Proxies(by_scheme={"http": server.url("")}))
    (found,) = run_all([url], client={"settings": settings}, access=Access(hosts=frozenset({"good.test"})))
    assert isinstance(found, UnsafeAddress)
    assert server.requests == []


@pytest.mark.parametrize(
    ("environ", "url", "proxy"),
    [
        ({"HTTP_PROXY": "http://p.test:1"}, "http://h.test/", "http://p.test:1"),
        ({"HTTP_PROXY": "http://p.test:1"}, "https://h.test/", None),
        ({"HTTPS_PROXY": "p.test:1"}, "https://h.test/", "http://p.test:1"),
        ({"ALL_PROXY": "http://p.test"}, "https://h.test/", "http://p.test"),
        ({"http_proxy": "http://low.test", "HTTP_PROXY": "http://p.test"}, "http://h.test/", "http://low.test"),
        ({"HTTP_PROXY": "http://p.test", "REQUEST_METHOD": "GET"}, "http://h.test/", None),
        ({"HTTP_PROXY": ""}, "http://h.test/", None),
    ],
)
def test_proxy_by_variable(environ: dict[str, str], url: str, proxy: str | None) -> None:
    assert Proxies.from_environment(environ).of(origin_of(url)) == proxy


@pytest.mark.parametrize(
    ("exceptions", "url", "direct"),
    [
        ("h.test", "http://h.test/", True),
        ("h.test", "http://sub.h.test/", True),
        ("h.test", "http://noth.test/", False),
        (".h.test", "http://sub.h.test/", True),
        ("*.h.test", "http://sub.h.test/", True),
        ("h.test:81", "http://h.test:81/", True),
        ("h.test:81", "http://h.test/", False),
        ("*", "http://h.test/", True),
        ("a.test, h.test", "http://h.test/", True),
        ("H.TEST", "http://h.test/", True),
        ("10.0.0.0/8", "http://10.2.3.4/", True),
        ("10.0.0.0/8", "http://11.2.3.4/", False),
        ("::1", "http://[::1]/", True),
        ("localhost,127.0.0.1", "http://127.0.0.1:80/", True),
        ("", "http://h.test/", False),
    ],
)
def test_B23_exceptions(exceptions: str, url: str, *, direct: bool) -> None:
    environ = {"all_proxy": "http://p.test", "NO_PROXY": exceptions}
    assert (Proxies.from_environment(environ).of(origin_of(url)) is None) is direct


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "ftp://127.0.0.1:1", "socks4://u:CANARY@127.0.0.1:1"])
def test_B23_proxies_of_another_kind_are_one_clear_sentence(proxy: str) -> None:
    settings = replace(QUICK, proxies=Proxies(by_scheme={"http": proxy}))
    (found,) = run_all(["http://name.test/"], client={"settings": settings})
    assert isinstance(found, Unreachable)
    assert "CANARY" not in f"{found!r}"


@pytest.mark.parametrize("proxy", ["http://u:CANARY@h.test:99999/", "http://u:CANARY@[::1", "/", "http://"])
def test_B23_a_variable_that_holds_no_address_is_wrong_use_and_not_shown(proxy: str) -> None:
    with pytest.raises(UsageError) as caught:
        Proxies.from_environment({"HTTPS_PROXY": proxy})
    assert "HTTPS_PROXY" in str(caught.value)
    assert "CANARY" not in f"{caught.value!r}"
