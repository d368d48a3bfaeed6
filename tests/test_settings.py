"""Choices of the client: variables, the ``[pace]`` table, identity, and where the token may go."""

from __future__ import annotations

from typing import Any

import pytest

from crawler.settings import HostPace, HttpSettings, identity
from crawler.urls import origin_of
from wheels.errors import UsageError


def test_defaults_of_an_empty_environment() -> None:
    settings = HttpSettings.from_environment({})
    assert (settings.github_url, settings.github_api_url) == ("https://github.com", "https://api.github.com")
    assert (settings.github_token, settings.netrc, settings.ca_file) == (None, None, None)
    assert settings.pace_of(origin_of("https://github.com/x")) == HostPace(at_once=1, apart_seconds=1.0)
    assert settings.pace_of(origin_of("https://h.test/")) == HostPace(at_once=4, apart_seconds=0.0)


def test_identity_names_project_and_version() -> None:
    assert identity().startswith("wheelfind/")
    assert "(+" in identity()


@pytest.mark.parametrize(
    ("environ", "token"),
    [
        ({"GITHUB_TOKEN": " a ", "GH_TOKEN": "b"}, "a"),
        ({"GITHUB_TOKEN": "", "GH_TOKEN": "b"}, "b"),
        ({"GITHUB_TOKEN": "  "}, None),
    ],
)
def test_token_by_variable(environ: dict[str, str], token: str | None) -> None:
    assert HttpSettings.from_environment(environ).github_token == token


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("https://ghe.test/api/v3/repos/o/r", True),
        ("https://ghe.test:443/api/v3/repos", False),  # spelt otherwise than configured: rather not
        ("https://ghe.test/api/v3", False),
        ("https://ghe.test/api/v3x/", False),
        ("https://ghe.test/o/r/releases", False),
        ("http://ghe.test/api/v3/repos", False),
        ("https://ghe.test:8443/api/v3/repos", False),
        ("https://ghe.test.evil.test/api/v3/repos", False),
        ("https://github.com/", False),
    ],
)
def test_B17_token_goes_below_the_api_only(url: str, *, sent: bool) -> None:
    environ = {"GITHUB_TOKEN": "t", "WHEELFIND_GITHUB_API_URL": "https://ghe.test/api/v3/"}
    assert (HttpSettings.from_environment(environ).token_for(url) == "t") is sent


@pytest.mark.parametrize(
    ("environ", "api"),
    [
        ({}, "https://api.github.com"),
        ({"WHEELFIND_GITHUB_URL": "https://github.com/"}, "https://api.github.com"),
        ({"WHEELFIND_GITHUB_URL": "https://ghe.test/"}, "https://ghe.test/api/v3"),
        (
            {"WHEELFIND_GITHUB_URL": "https://ghe.test", "WHEELFIND_GITHUB_API_URL": "https://api.ghe.test"},
            "https://api.ghe.test",
        ),
    ],
    ids=["none", "github.com", "an enterprise", "an enterprise with an API host"],
)
def test_B17_token_of_an_enterprise_never_reaches_github_com(environ: dict[str, str], api: str) -> None:
    settings = HttpSettings.from_environment({"GITHUB_TOKEN": "t", **environ})
    assert settings.github_api_url == api
    asked = ("https://api.github.com", "https://ghe.test/api/v3", "https://api.ghe.test")
    assert [url for url in asked if settings.token_for(f"{url}/repos/o/r")] == [api]


@pytest.mark.parametrize("name", ["WHEELFIND_GITHUB_URL", "WHEELFIND_GITHUB_API_URL"])
@pytest.mark.parametrize(
    "value", ["ghe.test", "ftp://ghe.test", "https://", "https://u:CANARY@ghe.test", "http://[::1"]
)
def test_addresses_of_an_enterprise_that_are_none(name: str, value: str) -> None:
    with pytest.raises(UsageError, match=name) as caught:
        HttpSettings.from_environment({name: value})
    assert "CANARY" not in str(caught.value)


def test_pace_of_an_enterprise_is_github_s() -> None:
    settings = HttpSettings.from_environment({"WHEELFIND_GITHUB_URL": "http://ghe.test:8080/"})
    assert settings.pace_of(origin_of("http://ghe.test:8080/o/r")).at_once == 1
    assert settings.pace_of(origin_of("http://ghe.test/o/r")).at_once == 4


@pytest.mark.parametrize(
    ("environ", "path"),
    [({"HOME": "/h"}, "/h/.netrc"), ({"HOME": "/h", "NETRC": "/n"}, "/n"), ({"USERPROFILE": "/w"}, "/w/.netrc")],
)
def test_password_file(environ: dict[str, str], path: str) -> None:
    assert str(HttpSettings.from_environment(environ).netrc) == path


def test_certificates_by_variable_and_choice() -> None:
    environ = {"SSL_CERT_FILE": "/a.pem", "PIP_CERT": "/b.pem"}
    assert HttpSettings.from_environment(environ).ca_file == "/a.pem"
    assert HttpSettings.from_environment({"PIP_CERT": "/b.pem"}).ca_file == "/b.pem"
    assert HttpSettings.from_environment(environ, ca_file="/c.pem", jobs=2).ca_file == "/c.pem"
    assert HttpSettings.from_environment(environ, ca_file=None).ca_file == "/a.pem"


def test_jobs_widen_hosts_without_a_pace_of_their_own() -> None:
    settings = HttpSettings(jobs=8)
    assert settings.pace_of(origin_of("https://h.test/")).at_once == 8
    assert settings.pace_of(origin_of("https://github.com/")) == HostPace(at_once=8, apart_seconds=1.0)
    chosen = settings.with_pace({"github.com": {"at_once": 2}})
    assert chosen.pace_of(origin_of("https://github.com/")) == HostPace(at_once=2, apart_seconds=1.0)


def test_pace_table_changes_hosts_and_the_default() -> None:
    table = {
        "default": {"at_once": 2},
        "github.com": {"apart_seconds": 3},
        "H.test:81": {"at_once": 9, "apart_seconds": 0.5},
    }
    settings = HttpSettings().with_pace(table)
    assert settings.pace_of(origin_of("https://x.test/")) == HostPace(at_once=2, apart_seconds=0.0)
    assert settings.pace_of(origin_of("https://github.com/")) == HostPace(at_once=1, apart_seconds=3.0)
    assert settings.pace_of(origin_of("http://h.test:81/")) == HostPace(at_once=9, apart_seconds=0.5)


@pytest.mark.parametrize(
    "values",
    [
        3,
        {"at_once": 0},
        {"at_once": "4"},
        {"at_once": True},
        {"apart_seconds": -1},
        {"apart_seconds": float("nan")},
        {"apart_seconds": float("inf")},
        {"speed": 1},
    ],
)
def test_pace_table_with_other_things_is_wrong_use(values: Any) -> None:
    with pytest.raises(UsageError, match="pace"):
        HttpSettings().with_pace({"h.test": values})


@pytest.mark.parametrize(
    ("url", "token"),
    [
        ("https://huggingface.co/api/models/o/r/tree/main", "canary"),
        ("https://huggingface.co:443/o/r/resolve/main/x.whl", "canary"),
        ("http://huggingface.co/o/r/resolve/main/x.whl", None),
        ("https://cdn-lfs.huggingface.co/x.whl", None),
        ("https://huggingface.co.test/x", None),
        ("https://api.github.com/repos/o/r", None),
    ],
)
def test_B17_hugging_face_token_goes_there_and_nowhere_else(url: str, token: str | None) -> None:
    settings = HttpSettings.from_environment({"HF_TOKEN": "canary"})
    assert settings.token_for(url) == token
    assert "canary" not in repr(settings)
