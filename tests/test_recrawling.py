"""Crawls of one repository again and again, end to end over loopback: what they ask, write, and where they go on."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from fakegithub import REPOSITORY, FakeGithub, moved_on, releases

from wheelfind.crawling import CrawlOptions, crawl, exit_status
from wheels.observation import Cause, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wheelfind.keeping import ChannelReport

FRAGMENTS = f"/{REPOSITORY}/releases/expanded_assets/"
COUNT = 25


@pytest.fixture
def github() -> Iterator[FakeGithub]:
    with FakeGithub(releases(COUNT)) as running:
        yield running


@pytest.fixture(params=["with a token", "without"])
def place(github: FakeGithub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A catalog to be, and a configuration that knows this GitHub and no pace."""
    host = github.url.removeprefix("http://")
    (tmp_path / "config.toml").write_text(f'[pace]\n"{host}" = {{ at_once = 4, apart_seconds = 0 }}\n')
    monkeypatch.setenv("WHEELFIND_CONFIG", str(tmp_path))
    monkeypatch.setenv("WHEELFIND_GITHUB_URL", github.url)
    monkeypatch.setenv("WHEELFIND_GITHUB_API_URL", f"{github.url}/api")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    if request.param == "with a token":
        monkeypatch.setenv("GITHUB_TOKEN", "t0ken")
    return tmp_path / "catalog.sqlite"


def crawl_once(place: Path, github: FakeGithub, **options: object) -> ChannelReport:
    github.asked.clear()
    chosen = CrawlOptions(location=str(place), channels=(f"github:{REPOSITORY}",), **options)  # type: ignore[arg-type]  # vary by test
    (report,) = crawl(chosen, lambda _: None)
    return report


def rows(place: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(place)) as db:
        return db.execute(query).fetchall()


def facts(place: Path) -> list[list[tuple[object, ...]]]:
    """All that is documented but for when a page was last read."""
    return [
        rows(place, "SELECT id, filename, url, sha256, size, first_seen, vanished_at, replaced, tag FROM wheels"),
        rows(place, "SELECT id, url, digest, first_seen, is_current FROM ledger"),
        rows(place, "SELECT * FROM history"),
        rows(place, "SELECT * FROM problems"),
        rows(place, "SELECT id, tag, url, kind, title, published_at, first_seen, shape, complete FROM releases"),
    ]


def test_an_unchanged_crawl_costs_at_most_three_requests_and_writes_last_seen_only(
    place: Path, github: FakeGithub
) -> None:
    crawl_once(place, github)
    before = facts(place)
    report = crawl_once(place, github)
    assert (report.status, len(github.asked) <= 3) == (Status.UNCHANGED, True)
    assert report.not_modified == len(github.asked)
    assert facts(place) == before


def test_a_new_release_is_found_by_the_next_run(place: Path, github: FakeGithub) -> None:
    crawl_once(place, github)
    github.made = [moved_on(github.made, 1)[0], *github.made]
    report = crawl_once(place, github)
    assert (report.added, len(github.asked) <= 6) == (1, True)
    assert rows(place, "SELECT filename FROM wheels WHERE tag = 'v2.1'") == [("demo_kernel-2.1-py3-none-any.whl",)]


def test_full_finds_the_replaced_files_of_an_old_release(place: Path, github: FakeGithub) -> None:
    crawl_once(place, github)
    *rest, _ = github.made
    github.made = [*rest, moved_on(github.made, 1)[-1]]
    report = crawl_once(place, github, full=True)
    assert (report.changed, report.added) == (2, 0)
    replaced = rows(place, "SELECT DISTINCT tag FROM wheels WHERE replaced")
    assert replaced == [(f"v1.{COUNT - 1}",)]
    assert rows(place, "SELECT count(*) FROM ledger WHERE NOT is_current") == [(2,)]


def test_the_growing_interval_finds_them_too(place: Path, github: FakeGithub) -> None:
    crawl_once(place, github)
    *rest, _ = github.made
    github.made = [*rest, moved_on(github.made, 1)[-1]]
    if "GITHUB_TOKEN" not in os.environ:  # REST lists every file of every release each time
        assert crawl_once(place, github, clock=days_from_now(1)).changed == 0
    assert crawl_once(place, github, clock=days_from_now(40)).changed == 2


def days_from_now(days: float) -> Callable[[], datetime]:
    return lambda: datetime.now(UTC) + timedelta(days=days)


def test_a_limit_in_mid_run_keeps_what_was_stored_and_the_next_run_goes_on(place: Path, github: FakeGithub) -> None:
    github.limit_after = 12
    with_token = "GITHUB_TOKEN" in os.environ
    if with_token:
        github.made = releases(250)
        github.limit_after = 2
    report = crawl_once(place, github)
    stored = rows(place, "SELECT count(*) FROM wheels")[0][0]
    assert (report.status, report.cause, exit_status([report])) == (Status.PARTIAL, Cause.RATE_LIMIT, 3)
    assert isinstance(stored, int)
    assert 0 < stored < 2 * len(github.made)
    ((until,),) = rows(place, "SELECT not_before FROM channels")
    assert str(until)[:-1] in report.detail
    read_before = {tag for (tag,) in rows(place, "SELECT DISTINCT tag FROM wheels")}
    github.limit_after = None
    report = crawl_once(place, github)
    assert report.status is Status.OK
    assert report.added == 2 * len(github.made) - stored
    again = {path.removeprefix(FRAGMENTS) for path in github.asked if path.startswith(FRAGMENTS)}
    assert not again & read_before
