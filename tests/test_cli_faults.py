"""The program where its surroundings fail: closed and full streams, places that cannot be, words that are no text."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wheelfind.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setenv("WHEELFIND_DB", str(tmp_path / "catalog.sqlite"))
    monkeypatch.setenv("WHEELFIND_CONFIG", str(tmp_path / "config"))
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*words: str) -> tuple[int, str, str]:
        status = main(words)
        out, err = capfd.readouterr()
        return status, out, err

    return call


@pytest.mark.parametrize("words", ["--help", "--version", "find --help", "parse a.whl", "channels", "db path"])
@pytest.mark.parametrize(("output", "reason"), [(">/dev/full", "No space left"), (">&-", "could not")])
def test_B38_an_answer_that_nobody_takes_is_one_sentence(words: str, output: str, reason: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full")
    command = f"{shlex.quote(sys.executable)} -m wheelfind {words} {output}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False, cwd=ROOT)
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: could not")
    assert reason.encode() in done.stderr
    assert b"fault of wheelfind" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.parametrize("words", ["find 2>&-", "find >&- 2>&- <&-", "parse - <&-"])
def test_closed_streams_are_wrong_use_at_most(words: str) -> None:
    command = f"{shlex.quote(sys.executable)} -m wheelfind {words}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False, cwd=ROOT)
    assert done.returncode == 2
    assert b"fault of wheelfind" not in done.stderr


@pytest.mark.parametrize("words", [("db", "info"), ("find", "foo", "--offline"), ("channels",), ("sql", "select 1")])
@pytest.mark.parametrize(("place", "expected"), [("~nobody-by-that-name/x", 2), ("x" * 5_000, 4)])
def test_places_that_cannot_be_are_one_sentence(
    run: Callable[..., tuple[int, str, str]], words: tuple[str, ...], place: str, expected: int
) -> None:
    status, out, err = run(*words, "--db", place)
    assert (status, out) == (expected, "")
    assert err.startswith("error: could not")
    assert "fault of wheelfind" not in err


def test_B21_the_version_shows_no_password(
    run: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHEELFIND_DB", "postgres://u:CANARY@h.test/\x1bdb")
    status, out, _ = run("--version")
    assert status == 0
    assert "CANARY" not in out
    assert "\x1b" not in out
