"""The log of a crawl as JSON: one event, one line, its facts with it."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from faultserver import CUT, head, reply

from wheelfind.log_lines import ConsoleHandler, JsonConsole, LogLine, check_log_format
from wheels.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from faultserver import FaultServer

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
PAGE = b'<!DOCTYPE html><html><a href="demo-1.0-py3-none-any.whl">demo</a></html>'


def crawl(tmp_path: Path, *words: str) -> tuple[int, list[dict[str, Any]]]:
    environment = {
        **os.environ,
        "WHEELFIND_CONFIG": str(tmp_path),
        "HOME": str(tmp_path),
        "PIP_CONFIG_FILE": os.devnull,
    }
    command = [sys.executable, "-m", "wheelfind", "crawl", "--log-format", "json", *words]
    done = subprocess.run(
        [*command, "--db", str(tmp_path / "catalog.sqlite")],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    return done.returncode, [json.loads(line) for line in done.stderr.splitlines()]


def test_each_event_is_one_object_with_its_facts(capsys: pytest.CaptureFixture[str]) -> None:
    console = JsonConsole(clock=lambda: NOON)
    console.progress(LogLine("o/r: 3 pages", "page-read", channel="o/r", pages=3))
    console.complain("error: no")
    one, other = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert one == {
        "at": "2026-12-01T12:00:00.000Z",
        "level": "info",
        "event": "page-read",
        "channel": "o/r",
        "pages": 3,
        "message": "o/r: 3 pages",
    }
    assert (other["level"], other["event"], other["channel"]) == ("error", "note", None)


def test_quiet_leaves_warnings_and_errors(capsys: pytest.CaptureFixture[str]) -> None:
    console = JsonConsole(quiet=True, clock=lambda: NOON)
    console.say("all well")
    console.say(LogLine("half well", "channel-ended", "warning"))
    assert [json.loads(line)["message"] for line in capsys.readouterr().err.splitlines()] == ["half well"]


def test_what_other_rooms_log_is_an_event_too(capsys: pytest.CaptureFixture[str]) -> None:
    record = logging.LogRecord("crawler.http", logging.WARNING, "", 0, "the clock is %d s off", (400,), None)
    ConsoleHandler(JsonConsole()).emit(record)
    said = json.loads(capsys.readouterr().err)
    assert (said["event"], said["logger"], said["message"]) == ("log", "crawler.http", "the clock is 400 s off")


def test_an_unknown_format_is_wrong_use() -> None:
    check_log_format("JSON")
    check_log_format(None)
    with pytest.raises(UsageError, match="no such format"):
        check_log_format("xml")


def test_D40_a_crawl_logs_one_line_an_event_whatever_stands_in_an_address(server: FaultServer, tmp_path: Path) -> None:
    forged = "/x%0a2026-12-01%20INFO%20all%20ok/"
    server.at("/whl/", reply(200, PAGE))
    server.at(forged, head(200, length=100) + b"<html>", CUT)
    status, events = crawl(tmp_path, f"links:{server.url('/whl/')}", f"links:{server.url(forged)}")
    assert status == 3
    assert {event["event"] for event in events} >= {"page-read", "channel-ended", "crawl-ended"}
    assert all(event["at"] and event["level"] and "channel" in event for event in events)
    assert sorted(event["status"] for event in events if event["event"] == "channel-ended") == ["failed", "ok"]
    assert not any("\n" in event["message"] for event in events)


def test_an_error_of_the_whole_crawl_is_an_event_with_its_hint(tmp_path: Path) -> None:
    status, events = crawl(tmp_path, "nowhere")
    assert (status, [event["event"] for event in events]) == (2, ["failed"])
