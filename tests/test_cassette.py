"""Cassettes: ours play in vcrpy, vcrpy's play here, nothing secret lies in them, and a replay touches no network."""

from __future__ import annotations

import asyncio
import gzip
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import vcr
import yaml
from faultserver import FaultServer, as_json, redirect, reply
from fetching import HTML, NAMED, NOW, QUICK, Sleeps, get, run_all
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.cassette import (
    Exchange,
    ReplayWire,
    add_to_cassette,
    cassette_name,
    read_cassette,
    url_key,
    write_cassette,
)
from crawler.http import Client
from crawler.response import Access, Response
from crawler.settings import HttpSettings
from wheels.errors import FetchError, HttpStatus, NotRecorded, ProtocolError, RateLimited, UsageError
from wheels.observation import Validators

if TYPE_CHECKING:
    from pathlib import Path


def _exchange(url: str = "https://h.test/a", **changed: Any) -> Exchange:
    stated: dict[str, Any] = {
        "url": url,
        "status": 200,
        "headers": {"content-type": "text/html", "etag": '"a"'},
        "body": HTML,
        "recorded_at": NOW,
    }
    return Exchange(**{**stated, **changed})


def _replay(folder: Path, *urls: str, **asked: Any) -> list[Response | FetchError]:
    async def no_names(host: str, _port: int) -> list[str]:
        raise AssertionError(host)

    return run_all(urls, client={"replay": folder, "resolver": no_names, "settings": HttpSettings()}, **asked)


def _record(folder: Path, *urls: str, channel: str = "some/channel", choice: HttpSettings = QUICK) -> None:
    async def main() -> None:
        async with Client(settings=choice, record=folder, clock=lambda: NOW, sleep=Sleeps()) as client:
            for url in urls:
                await client.for_channel(channel, NAMED).fetch(url, accept="text/html")

    asyncio.run(main())


# The file


@settings(max_examples=50)
@given(body=st.one_of(st.binary(max_size=60), st.text(max_size=60).map(lambda text: text.encode(errors="replace"))))
def test_any_body_comes_back_byte_for_byte_here_and_in_vcrpy(
    tmp_path_factory: pytest.TempPathFactory, body: bytes
) -> None:
    path = tmp_path_factory.mktemp("cassettes") / "x.yaml"
    write_cassette(path, [_exchange(body=body)])
    assert read_cassette(path)[0].body == body
    with vcr.use_cassette(str(path), record_mode="none"):
        assert httpx.get("https://h.test/a").content == body


@pytest.mark.parametrize(
    "body", [b"a\nb", b"  a\n b\n\n", b"\n\n a", b"a\r\nb", b"\xef\xbb\xbfa\n", "\u2028\x85\n".encode()]
)
def test_texts_of_several_lines_come_back(tmp_path: Path, body: bytes) -> None:
    write_cassette(tmp_path / "x.yaml", [_exchange(body=body)])
    assert read_cassette(tmp_path / "x.yaml")[0].body == body


def test_exchange_comes_back_whole(tmp_path: Path) -> None:
    exchange = _exchange(accept="text/html", status=404)
    write_cassette(tmp_path / "x.yaml", [exchange])
    assert read_cassette(tmp_path / "x.yaml") == [exchange]
    assert [path.name for path in tmp_path.iterdir()] == ["x.yaml"]


def test_adding_replaces_the_same_request_and_keeps_the_others(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "x.yaml"
    add_to_cassette(path, [_exchange("https://h.test/1"), _exchange("https://h.test/2+b")])
    add_to_cassette(path, [_exchange("https://h.test/2%2Bb", body=b"new"), _exchange("https://h.test/3")])
    assert [(each.url[-5:], each.body) for each in read_cassette(path)] == [
        ("est/1", HTML),
        ("2%2Bb", b"new"),
        ("est/3", HTML),
    ]


def test_adding_to_a_file_that_is_no_cassette_leaves_it(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("precious: notes")
    with pytest.raises(UsageError, match="no vcrpy cassette"):
        add_to_cassette(tmp_path / "x.yaml", [_exchange()])
    assert (tmp_path / "x.yaml").read_text() == "precious: notes"


@pytest.mark.parametrize(
    ("channel", "expected"),
    [
        ("sgl-project/whl", "sgl-project__whl.yaml"),
        ("docs.sglang.ai/whl", "docs.sglang.ai__whl.yaml"),
        ("index", "index.yaml"),
        ("index:h.test:80/a b", "index__h.test__80__a__b.yaml"),
        ("../../etc", "etc.yaml"),
        ("", "other.yaml"),
    ],
)
def test_cassette_name(channel: str, expected: str) -> None:
    assert cassette_name(channel) == expected


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://h.test/a+b", "https://H.test:443/a%2Bb#frag", True),
        ("https://u:p@h.test", "https://h.test/", True),
        ("https://h.test/a@b", "https://h.test/a%40b", True),
        ("https://h.test/a%2Fb", "https://h.test/a/b", False),
        ("https://h.test/a%252Bb", "https://h.test/a%2Bb", False),
        ("https://h.test/a?page=1", "https://h.test/a?page=2", False),
        ("http://h.test/", "https://h.test/", False),
    ],
)
def test_url_key(one: str, other: str, *, same: bool) -> None:
    assert (url_key(one) == url_key(other)) is same


# vcrpy


@pytest.mark.parametrize("decode", [False, True], ids=["packed", "decoded"])
def test_what_vcrpy_records_plays_here(server: FaultServer, tmp_path: Path, *, decode: bool) -> None:
    server.at("/p", reply(200, gzip.compress(HTML), Content_Encoding="gzip", Date="Mon, 30 Nov 2026 12:00:00 GMT"))
    server.at("/moved", redirect("/p"))
    server.at("/json", as_json({"a": 1}))
    with vcr.use_cassette(str(tmp_path / "x.yaml"), decode_compressed_response=decode):
        httpx.get(server.url("/moved"), follow_redirects=True)
        httpx.get(server.url("/json"))
    page, data = _replay(tmp_path, server.url("/moved"), server.url("/json"))
    assert isinstance(page, Response)
    assert (page.body, page.url) == (HTML, server.url("/p"))
    assert page.fetched_at == datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert isinstance(data, Response)
    assert (data.body, data.media_type) == (b'{"a": 1}', "application/json")
    assert len(server.requests) == 3


def test_what_we_record_plays_in_vcrpy(server: FaultServer, tmp_path: Path) -> None:
    server.at("/p", reply(200, gzip.compress(HTML), Content_Encoding="gzip", ETag='"a"'))
    server.at("/moved", redirect("/p"))
    _record(tmp_path, server.url("/moved"))
    with vcr.use_cassette(str(tmp_path / "some__channel.yaml"), record_mode="none") as cassette:
        page = httpx.get(server.url("/moved"), follow_redirects=True)
        assert cassette.all_played
    assert (page.content, page.headers["etag"], page.status_code) == (HTML, '"a"', 200)
    assert len(server.requests) == 2


def test_old_shape_of_vcrpy_with_httpx_plays_here(tmp_path: Path) -> None:
    old: dict[str, Any] = {
        "request": {"method": "GET", "uri": "http://h.test/", "body": "", "headers": {"accept": ["*/*"]}},
        "response": {"content": "<html></html>", "http_version": "HTTP/1.1", "status_code": 200},
    }
    old["response"]["headers"] = {"Content-Type": ["text/html"], "Content-Encoding": ["gzip"]}  # decoded all the same
    (tmp_path / "x.yml").write_text(yaml.safe_dump({"interactions": [old], "version": 1}))
    (page,) = _replay(tmp_path, "http://h.test/")
    assert isinstance(page, Response)
    assert page.body == b"<html></html>"


def test_python_tags_are_read_as_plain_values_and_construct_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(
        "interactions:\n- request: {method: GET, uri: !!python/str 'http://h.test/', headers: {},\n"
        "    body: !!python/object/apply:os.system ['touch broken']}\n"
        "  response: {status: {code: 200, message: OK}, headers: {}, body: {string: !!python/unicode ok}}\nversion: 1\n"
    )
    assert read_cassette(tmp_path / "x.yaml")[0].body == b"ok"


@pytest.mark.parametrize(
    "text", ["", "[]", "a: [", "interactions: [{request: {}}]", "\x00", "interactions: 5", "&a [*a]"]
)
def test_broken_cassette_is_one_clear_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.yaml").write_text(text)
    with pytest.raises(UsageError, match=r"could not replay .*x\.yaml: it is no vcrpy cassette"):
        ReplayWire(tmp_path)


@pytest.mark.parametrize("folder", [".", "missing"])
def test_folder_without_cassettes_is_wrong_use(tmp_path: Path, folder: str) -> None:
    with pytest.raises(UsageError, match="no cassettes"):
        Client(replay=tmp_path / folder)


# Replay


def test_replay_answers_any_number_of_times_at_the_recorded_time(tmp_path: Path) -> None:
    write_cassette(tmp_path / "x.yaml", [_exchange("https://h.test/a%2Bb")])
    found = _replay(tmp_path, *["https://h.test/a+b"] * 3)
    assert [each.fetched_at for each in found if isinstance(each, Response)] == [NOW] * 3
    assert {each.requested_url for each in found if isinstance(each, Response)} == {"https://h.test/a+b"}


def test_replay_of_an_unrecorded_address_fails(tmp_path: Path) -> None:
    write_cassette(tmp_path / "x.yaml", [_exchange()])
    for url in ("https://h.test/other", "https://other.test/a", "http://h.test/a", tmp_path.as_uri()):
        (found,) = _replay(tmp_path, url)
        assert isinstance(found, NotRecorded), url
        assert "--record" in found.hint


def test_replay_ignores_validators_and_takes_a_recorded_304_for_an_error(tmp_path: Path) -> None:
    write_cassette(tmp_path / "x.yaml", [_exchange(), _exchange("https://h.test/304", status=304, body=b"")])
    validators = Validators(etag='"a"', read_at=NOW)
    (page,) = _replay(tmp_path, "https://h.test/a", validators=validators)
    assert isinstance(page, Response)
    assert page.status == 200
    (stale,) = _replay(tmp_path, "https://h.test/304")
    assert isinstance(stale, ProtocolError)


def test_replay_of_failures_waits_for_nothing(tmp_path: Path) -> None:
    limited = {"content-type": "text/html", "retry-after": "600"}
    write_cassette(
        tmp_path / "x.yaml",
        [
            _exchange("https://h.test/500", status=500),
            _exchange("https://h.test/429", status=429, headers=limited),
            _exchange("https://h.test/ok", headers={"x-ratelimit-remaining": "0", "x-ratelimit-reset": "9999999999"}),
            _exchange("https://h.test/404", status=404),
        ],
    )
    found = _replay(tmp_path, *[f"https://h.test/{name}" for name in ("500", "429", "ok", "404", "ok")])
    assert [type(each) for each in found] == [HttpStatus, RateLimited, Response, Response, Response]
    assert isinstance(found[1], RateLimited)
    assert found[1].until == "2026-12-01T15:10:00Z"


def test_what_was_recorded_can_be_asked_about(tmp_path: Path) -> None:
    write_cassette(tmp_path / "x.yaml", [_exchange("https://github.test/O/R/releases?page=2")])
    client = Client(replay=tmp_path)
    assert client.replaying
    assert client.replayed_hosts() == {"github.test"}
    assert client.has("https://github.test/O/R/releases?page=2")
    assert not client.has("https://github.test/O/R/releases")
    assert client.has_below("https://github.test/o/r/")
    assert client.has_below("https://github.test/O/R/releases")
    assert not client.has_below("https://github.test/O/R2")
    assert not client.has_below("https://github.test/O/Rel")
    assert not Client().has_below("https://github.test/")


# Recording


def test_recording_keeps_time_status_and_each_hop_and_is_added_to(server: FaultServer, tmp_path: Path) -> None:
    server.at("/a", redirect("/b"))
    server.at("/b", reply(200, HTML, Set_Cookie="sid=CANARY"))
    server.at("/c", reply(404, "<html>no</html>"))
    _record(tmp_path, server.url("/a"))
    _record(tmp_path, server.url("/c"))
    kept = read_cassette(tmp_path / "some__channel.yaml")
    assert [(each.url, each.status) for each in kept] == [
        (server.url("/a"), 302),
        (server.url("/b"), 200),
        (server.url("/c"), 404),
    ]
    assert {each.recorded_at for each in kept} == {NOW}
    assert {each.accept for each in kept} == {"text/html"}
    assert "CANARY" not in (tmp_path / "some__channel.yaml").read_text()


def test_recording_asks_unconditionally_and_keeps_the_last_of_several_tries(
    server: FaultServer, tmp_path: Path
) -> None:
    server.at("/", reply(503))
    server.at("/", reply(200, HTML))
    client = {"record": tmp_path}
    get(server.url(), validators=Validators(etag='"a"', read_at=NOW), client=client, accept="")
    assert "if-none-match" not in server.requests[0].headers
    assert [each.status for each in read_cassette(tmp_path / "other.yaml")] == [200]


def test_B21_recording_holds_no_secret(server: FaultServer, tmp_path: Path) -> None:
    environ = {"GITHUB_TOKEN": "CANARY-token", "WHEELFIND_GITHUB_API_URL": server.url("/api")}
    body = (
        f"<html><a href='{server.url('/x', userinfo='u:CANARY-password')}'>\n"
        "<a href='https://s3.test/f?X-Amz-Signature=CANARY&amp;X-Amz-Date=CANARY&page=3'>\n"
        "<a href='https://blob.test/f?sp=r&sig=CANARY&se=CANARY&jwt=CANARY&access_token=CANARY'>\n"
        "you sent CANARY-query and CANARY-token, CANARY-password and ghp_CANARYCANARYCANARYCANARY12</html>"
    )
    server.at("/p?token=CANARY-query&page=2", reply(200, body, Link="<https://h.test/?sig=CANARY>; rel=next"))
    server.at("/away", redirect(server.url("/p?token=CANARY-query&page=2", userinfo="u:CANARY-password")))
    server.at("/api/x", as_json({"echo": "Bearer CANARY-token"}))
    choice = HttpSettings.from_environment(environ)
    url = server.url("/p?token=CANARY-query&page=2", userinfo="u:CANARY-password")
    _record(tmp_path, url, server.url("/away"), server.url("/api/x"), choice=choice)
    text = (tmp_path / "some__channel.yaml").read_text()
    assert "CANARY" not in text
    assert "page=3" in text
    assert "token=***&page=2" in text
    (again,) = _replay(tmp_path, server.url("/p?token=another&page=2"))
    assert isinstance(again, Response)


def test_recording_hides_the_configured_index_and_its_file_host(server: FaultServer, tmp_path: Path) -> None:
    hashed = "/packages/ab/cd/" + "0" * 60 + "/demo-1.0-py3-none-any.whl"
    with FaultServer() as files:
        root = server.url("/repository/all/simple")
        project = (
            f"<html><a href='{files.url(hashed)}#sha256=00'>demo</a>\n<a href='{root}/other/'>o</a>\n"
            "<a href='/repository/all/simple/third/'>t</a></html>"
        )
        server.at("/repository/all/simple/demo/", reply(200, project))
        data = {"files": [{"url": files.url("/plain/demo-2.0-py3-none-any.whl")}], "self": root + "/demo/"}
        server.at("/repository/all/simple/json/", reply(200, yaml_safe_json(data), Content_Type="application/json"))
        server.at("/repository/all/simple/moved/", redirect("../demo/"))
        choice = HttpSettings(index_url=server.url("/repository/all/simple", userinfo="u:CANARY-password"))
        _record(tmp_path, f"{root}/demo/", f"{root}/json/", f"{root}/moved/", channel="index", choice=choice)
        text = (tmp_path / "index.yaml").read_text()
        assert str(files.port) not in text
    assert str(server.port) not in text
    assert "CANARY" not in text
    page, data_page, moved = _replay(
        tmp_path, *[f"https://index.example/simple/{name}/" for name in ("demo", "json", "moved")], access=Access()
    )
    assert isinstance(page, Response)
    assert f"https://files.index.example{hashed}#sha256=00".encode() in page.body
    assert b"https://index.example/simple/other/" in page.body
    assert b"'/simple/third/'" in page.body
    assert isinstance(data_page, Response)
    assert rb"https:\/\/files.index.example\/plain\/demo-2.0-py3-none-any.whl" in data_page.body
    assert isinstance(moved, Response)
    assert moved.url == "https://index.example/simple/demo/"


def yaml_safe_json(value: object) -> bytes:
    """JSON with escaped slashes, as some servers write it."""
    return as_json(value).partition(b"\r\n\r\n")[2].replace(b"/", rb"\/")


def test_recording_hides_the_public_registry_on_pages_of_other_channels(server: FaultServer, tmp_path: Path) -> None:
    from distlib.index import DEFAULT_INDEX  # noqa: PLC0415 - never written down, only read

    registry = str(httpx.URL(str(DEFAULT_INDEX)).host)
    files = "https://files.registry.test/packages/ab/cd/" + "0" * 60 + "/x.whl"
    server.at("/", reply(200, f"<html>see https://{registry}/project/x and www.{registry} and {files}</html>"))
    _record(tmp_path, server.url())
    text = (tmp_path / "some__channel.yaml").read_text()
    assert registry not in text
    assert "registry.test" not in text
    assert "https://index.example/project/x" in text
