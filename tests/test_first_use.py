from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest

from wheelfind.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

WHEEL = "mypkg-1.0+cu130-cp312-cp312-linux_x86_64.whl"
Run = tuple[int, str, str]


@pytest.fixture(autouse=True)
def user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A user with a catalog that is not there yet, a channel of his own on this disk, and no package index."""
    page = tmp_path / "page.html"
    page.write_text(f'<!DOCTYPE html><html><body><a href="{WHEEL}#sha256={"ab" * 32}">{WHEEL}</a></body></html>')
    config = tmp_path / "config.toml"
    config.write_text(f'[[channel]]\nspec = "links:{page.as_uri()}"\npackages = ["mypkg"]\n')
    monkeypatch.setenv("WHEELFIND_CONFIG", str(config))
    monkeypatch.setenv("WHEELFIND_DB", str(tmp_path / "data" / "catalog.sqlite"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    def call(*words: str) -> Run:
        status = main(words)
        out, err = capfd.readouterr()
        return status, out, err

    return call


def page_of(tmp_path: Path) -> Path:
    return tmp_path / "page.html"


def test_channels_are_read_before_the_first_answer_and_kept(run: Callable[..., Run], tmp_path: Path) -> None:
    status, out, _ = run("mypkg", "--cu130", "--format", "urls")
    assert status == 0
    assert out.strip().endswith(WHEEL.replace("+", "%2B"))
    page_of(tmp_path).unlink()
    assert run("mypkg", "--cu130", "--format", "urls")[:2] == (0, out)


def test_offline_never_reads(run: Callable[..., Run], tmp_path: Path) -> None:
    status, out, err = run("mypkg", "--offline")
    assert (status, out) == (3, "")
    assert "none of its channels was ever read" in err
    assert not (tmp_path / "data").exists()


def test_channels_of_which_none_can_be_read_are_one_sentence_with_status_3(
    run: Callable[..., Run], tmp_path: Path
) -> None:
    page_of(tmp_path).unlink()
    status, out, err = run("mypkg")
    assert (status, out, err.count("\n")) == (3, "", 1)
    assert str(page_of(tmp_path)) in err
    assert "--replay" in err
    assert "could not be read: " in run("mypkg", "-v")[2]


def test_an_answer_without_a_match_is_status_1_when_all_was_read(run: Callable[..., Run]) -> None:
    status, _, err = run("mypkg", "--cu128")
    assert status == 1
    assert "removed by cuda" in err


def test_refresh_reads_again(run: Callable[..., Run], tmp_path: Path) -> None:
    run("mypkg")
    later = WHEEL.replace("1.0", "1.1")
    page_of(tmp_path).write_text(
        f'<!DOCTYPE html><html><body><a href="{WHEEL}">a</a><a href="{later}">b</a></body></html>'
    )
    assert len(run("mypkg", "--format", "jsonl")[1].splitlines()) == 1
    assert len(run("mypkg", "--format", "jsonl", "--max-age", "6h")[1].splitlines()) == 1
    assert len(run("mypkg", "--format", "jsonl", "--refresh")[1].splitlines()) == 2


def test_the_answer_says_how_fresh_its_channels_are(run: Callable[..., Run], tmp_path: Path) -> None:
    channels = json.loads(run("mypkg", "--format", "json")[1])["channels"]
    assert [(channel["channel"], channel["status"]) for channel in channels] == [(str(page_of(tmp_path)), "ok")]


def test_progress_is_for_terminals(run: Callable[..., Run]) -> None:
    _, _, err = run("mypkg")
    assert "pages" not in err
    assert "\x1b" not in err


def test_crawl_has_one_row_a_channel(run: Callable[..., Run], tmp_path: Path) -> None:
    status, out, err = run("crawl", "--package", "mypkg", "--format", "json")
    [row] = json.loads(out)
    assert status == 0
    assert (row["channel"], row["status"], row["wheels"], row["added"]) == (str(page_of(tmp_path)), "ok", 1, 1)
    assert "1 ok" in err
    [again] = json.loads(run("crawl", "--package", "mypkg", "--format", "json")[1])
    assert (again["status"], again["added"], again["changed"]) == ("unchanged", 0, 0)


def test_crawl_of_a_broken_channel_is_status_3(run: Callable[..., Run], tmp_path: Path) -> None:
    page_of(tmp_path).unlink()
    status, out, _ = run("crawl", "--package", "mypkg", "--format", "json")
    assert status == 3
    assert json.loads(out)[0]["status"] == "failed"


def test_crawl_of_a_spec_keeps_rows_and_adds_no_channel(run: Callable[..., Run], tmp_path: Path) -> None:
    other = tmp_path / "other.html"
    other.write_text('<!DOCTYPE html><html><body><a href="other-1.0-py3-none-any.whl">x</a></body></html>')
    assert run("crawl", f"links:{other}")[0] == 0
    assert run("other", "--offline", "--format", "urls")[0] == 0
    assert str(other) not in run("channels", "list")[1]


def test_dry_run_reads_nothing(run: Callable[..., Run], tmp_path: Path) -> None:
    status, out, _ = run("crawl", "--package", "mypkg", "--dry-run", "--format", "json")
    assert status == 0
    assert json.loads(out)[0]["requests"] >= 1
    assert not (tmp_path / "data" / "catalog.sqlite").exists()
