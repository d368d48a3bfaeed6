"""Whole crawls: real sockets in front, a real catalog behind."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from faultserver import CUT, FaultServer, head, pause, reply

from crawler.walk import walk as honest
from storage.lock import crawl_lock
from wheelfind.crawling import CrawlOptions, crawl, exit_status, expect, read_first
from wheels.errors import CatalogBusy, UsageError
from wheels.observation import Cause, Status

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from crawler.channels import Channel
    from wheelfind.keeping import ChannelReport
    from wheels.observation import Observation

WHEEL = "sgl_kernel-0.3.21+cu130-cp310-abi3-manylinux2014_x86_64.whl"
NEWER = "sgl_kernel-0.3.22+cu130-cp310-abi3-manylinux2014_x86_64.whl"


def page(*names: str) -> bytes:
    links = "".join(f'<a href="{name}#sha256={number:064x}">{name}</a><br>' for number, name in enumerate(names))
    return f"<!DOCTYPE html><html><body>{links}</body></html>".encode()


@pytest.fixture(autouse=True)
def bare_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No configuration of this machine: neither files of wheelfind nor those of pip."""
    monkeypatch.setenv("WHEELFIND_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


@pytest.fixture
def location(tmp_path: Path) -> str:
    return str(tmp_path / "catalog.sqlite")


def crawl_links(location: str, *urls: str, **options: object) -> list[ChannelReport]:
    channels = tuple(f"links:{url}" for url in urls)
    return crawl(CrawlOptions(location=location, channels=channels, **options), lambda _: None)  # type: ignore[arg-type]  # the options vary by test


def rows(location: str, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(location)) as connection:
        return connection.execute(query).fetchall()


def test_crawl_keeps_what_a_page_lists_and_reports_it(server: FaultServer, location: str) -> None:
    server.at("/whl/", reply(200, page(WHEEL)))
    (report,) = crawl_links(location, server.url("/whl/"))
    assert (report.status, report.requests, report.added, report.wheels) == (Status.OK, 1, 1, 1)
    assert rows(location, "SELECT filename, cuda FROM wheels") == [(WHEEL, "13.0")]
    assert rows(location, "SELECT status FROM crawl_runs") == [("ok",)]


def test_second_crawl_of_the_same_pages_changes_nothing_but_the_time_of_reading(
    server: FaultServer, location: str
) -> None:
    server.at("/whl/", reply(200, page(WHEEL), ETag='"a"'))
    server.at("/whl/", reply(304, ETag='"a"'))
    crawl_links(location, server.url("/whl/"))
    everything = "SELECT id, filename, url, sha256, first_seen, vanished_at, replaced FROM wheels"
    before = rows(location, everything), rows(location, "SELECT count(*) FROM ledger")
    (report,) = crawl_links(location, server.url("/whl/"))
    assert (report.status, report.not_modified, report.added, report.changed) == (Status.UNCHANGED, 1, 0, 0)
    assert (rows(location, everything), rows(location, "SELECT count(*) FROM ledger")) == before


def test_B34_one_bad_channel_never_stops_the_others(server: FaultServer, location: str) -> None:
    server.at("/good/", reply(200, page(WHEEL)))
    server.at("/login/", reply(200, "<html><form action=/login><input type=password></form></html>"))
    server.at("/broken/", head(200, length=1000) + b"<html>", CUT)
    server.at("/newer/", reply(200, page(NEWER)))
    reports = crawl_links(location, *(server.url(f"/{name}/") for name in ("good", "login", "broken", "newer")))
    assert [report.status for report in reports] == [Status.OK, Status.FAILED, Status.FAILED, Status.OK]
    assert exit_status(reports) == 3
    assert rows(location, "SELECT count(*) FROM wheels") == [(2,)]
    assert rows(location, "SELECT count(*) FROM problems") != [(0,)]


def test_B34_a_fault_of_ours_costs_its_channel_and_shows_no_secret(
    server: FaultServer, location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def walk(channel: Channel, *rest: Any) -> AsyncIterator[Observation]:
        if channel.address.endswith("/bad.html"):
            raise ValueError("CANARY")
        return honest(channel, *rest)

    monkeypatch.setattr("wheelfind.keeping.walk", walk)
    server.always(reply(200, page(WHEEL)))
    bad, good = crawl_links(location, server.url("/bad.html"), server.url("/good.html"))
    assert (bad.status, good.status) == (Status.FAILED, Status.OK)
    assert "ValueError in walk (test_crawling.py:" in bad.detail
    assert "CANARY" not in bad.detail


def test_crawl_beside_another_is_refused_and_names_it(server: FaultServer, location: str) -> None:
    with crawl_lock(location), pytest.raises(CatalogBusy, match=str(os.getpid())):
        crawl_links(location, server.url("/whl/"))
    assert server.requests == []


def test_crawl_of_no_channel_is_wrong_use_before_anything_is_made(location: str) -> None:
    with pytest.raises(UsageError, match="no channel has this name"):
        crawl(CrawlOptions(location=location, channels=("nowhere",)), lambda _: None)
    assert not Path(location).exists()


def test_time_limit_keeps_what_was_read_and_says_that_the_channel_was_cut(server: FaultServer, location: str) -> None:
    server.at("/quick/", reply(200, page(WHEEL)))
    server.at("/slow/", pause(30))
    quick, slow = crawl_links(location, server.url("/quick/"), server.url("/slow/"), limit_seconds=0.7)
    assert quick.status is Status.OK
    assert (slow.status, slow.cause) == (Status.FAILED, Cause.CUT)  # no page of it could be used
    assert rows(location, "SELECT count(*) FROM wheels") == [(1,)]


def test_B43_sigterm_in_a_crawl_ends_it_with_finished_pages_kept(server: FaultServer, location: str) -> None:
    server.at("/quick/", reply(200, page(WHEEL)))
    server.at("/slow/", pause(30))
    words = ["crawl", f"links:{server.url('/quick/')}", f"links:{server.url('/slow/')}", "--db", location]
    process = subprocess.Popen([sys.executable, "-m", "wheelfind", *words], stdout=subprocess.DEVNULL)
    stored = "SELECT count(*) FROM wheels"
    deadline = time.monotonic() + 60
    while not (Path(location).exists() and _ready(location, stored)) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 128 + signal.SIGTERM
    assert rows(location, stored) == [(1,)]
    assert set(rows(location, "SELECT status FROM crawl_runs")) == {("interrupted",)}


def _ready(location: str, query: str) -> bool:
    try:
        return rows(location, query) == [(1,)]
    except sqlite3.Error:
        return False


def test_first_reading_asks_the_channels_of_the_package_only(
    server: FaultServer, location: str, tmp_path: Path
) -> None:
    (tmp_path / "config").mkdir()
    config = f'[[channel]]\nspec = "links:{server.url("/whl/")}"\npackages = ["my-kernel"]\n'
    (tmp_path / "config" / "config.toml").write_text(config)
    server.at("/whl/", reply(200, page("my_kernel-1.0-cp310-abi3-manylinux2014_x86_64.whl")))
    no_index = tmp_path / "pip.conf"
    no_index.write_text("[global]\nno-index = true\n")
    os.environ["PIP_CONFIG_FILE"] = str(no_index)
    (report,) = read_first(["my-kernel"], location=location, progress=lambda _: None, limit_seconds=20)
    assert (report.status, report.added) == (Status.OK, 1)


def test_expected_requests_ask_nobody_and_make_nothing(server: FaultServer, location: str) -> None:
    spec = f"links:{server.url('/whl/')}"
    (expected,) = expect(CrawlOptions(location=location, channels=(spec,)))
    assert (expected.requests, server.requests) == (1, [])
    assert not Path(location).exists()


def test_B21_secrets_of_an_address_reach_neither_catalog_nor_output(server: FaultServer, location: str) -> None:
    server.at("/whl/?token=CANARY2", reply(500, "no"))
    url = server.url("/whl/?token=CANARY2", userinfo="u:CANARY1")
    words = ["crawl", f"links:{url}", "--db", location, "-v", "--format", "json"]
    done = subprocess.run([sys.executable, "-m", "wheelfind", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    spoken = done.stdout + done.stderr
    stored = b"".join(path.read_bytes() for path in Path(location).parent.glob("catalog.sqlite*"))
    assert "CANARY" not in spoken
    assert b"CANARY" not in stored


def test_A22_an_announced_metadata_file_is_a_claim_that_no_crawl_believes_or_fetches(
    server: FaultServer, location: str
) -> None:
    announced = f'<a href="{WHEEL}" data-core-metadata="sha256={"b" * 64}">{WHEEL}</a>'
    server.at("/whl/", reply(200, f"<!DOCTYPE html><html>{announced}</html>"))
    server.at(f"/whl/{WHEEL}.metadata", reply(200, "Metadata-Version: 2.1\nRequires-Dist: torch==9.9\nEvil: line\n"))
    (report,) = crawl_links(location, server.url("/whl/"))
    assert report.status is Status.OK
    assert server.paths() == ["/whl/"]
    assert rows(location, "SELECT sha256, metadata_sha256, torch FROM wheels") == [(None, "b" * 64, None)]


def test_a_second_crawl_ends_with_status_5_and_a_killed_one_frees_the_catalog_at_once(
    server: FaultServer, location: str
) -> None:
    server.at("/slow/", pause(30))
    server.at("/quick/", reply(200, page(WHEEL)))
    first = subprocess.Popen([*crawl_words(server.url("/slow/")), "--db", location], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not server.requests and time.monotonic() < deadline:
        time.sleep(0.02)
    command = [*crawl_words(server.url("/quick/")), "--db", location]
    second = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (second.returncode, f"process {first.pid} " in second.stderr) == (5, True)
    first.kill()
    first.wait(10)
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert rows(location, "SELECT status FROM crawl_runs ORDER BY id") == [("cut",), ("ok",)]


def crawl_words(url: str) -> list[str]:
    return [sys.executable, "-m", "wheelfind", "crawl", f"links:{url}"]


def test_a_directory_listing_is_read_with_the_directories_below_it(server: FaultServer, location: str) -> None:
    head_row = (
        f'<h1>Index of /whl/</h1><pre><a href="../">../</a>\n<a href="{WHEEL}">w</a> 27-Feb-2026 10:11  535601072\n'
    )
    server.at("/whl/", reply(200, f'<html>{head_row}<a href="old/">old/</a> 27-Feb-2026 10:11  -\n</pre></html>'))
    server.at("/whl/old/", reply(200, page(NEWER)))
    for status in (Status.OK, Status.UNCHANGED):
        (report,) = crawl_links(location, server.url("/whl/"))
        assert (report.status, report.requests, report.wheels) == (status, 2, 2)
    assert rows(location, "SELECT filename, size FROM wheels ORDER BY filename") == [(WHEEL, 535601072), (NEWER, None)]


def test_a_page_of_links_that_is_gone_fails_its_channel_and_ends_nothing(server: FaultServer, location: str) -> None:
    server.at("/whl/", reply(200, page(WHEEL)))
    server.at("/whl/", reply(404, "gone"))
    crawl_links(location, server.url("/whl/"))
    (report,) = crawl_links(location, server.url("/whl/"))
    assert (report.status, report.wheels, exit_status([report])) == (Status.FAILED, 1, 3)
