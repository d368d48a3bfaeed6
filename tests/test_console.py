from __future__ import annotations

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wheelfind.console import Console, visible, wants_colour, width_of


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    return stream


@given(st.text())
def test_visible_text_is_printable_and_ordinary_text_as_it_was(text: str) -> None:
    assert visible(text).isprintable()
    assert visible(text) == text or not text.isprintable()


@pytest.mark.parametrize(
    ("text", "shown"), [("a\nb", r"a\nb"), ("\x1b[31m", r"\x1b[31m"), ("\u202e", r"\u202e"), ("é", "é")]
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_progress_is_one_line_that_the_next_text_takes_the_place_of(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_a_terminal(monkeypatch)
    console = Console()
    console.progress("one")
    console.progress("two")
    console.say("done")
    assert terminal.getvalue() == "\r\x1b[2Kone\r\x1b[2Ktwo\r\x1b[2Kdone\n"


def test_progress_stays_away_from_pipes_and_dumb_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_a_terminal(monkeypatch)
    monkeypatch.setenv("TERM", "dumb")
    Console().progress("one")
    Console(quiet=True, verbose=True).progress("one")
    assert terminal.getvalue() == ""
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    monkeypatch.setenv("TERM", "xterm")
    Console().progress("one")
    assert pipe.getvalue() == ""


def test_verbose_progress_is_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_a_terminal(monkeypatch)
    Console(verbose=True).progress("a\x1bb")
    assert terminal.getvalue() == "a\\x1bb\n"


def test_quiet_keeps_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_a_terminal(monkeypatch)
    console = Console(quiet=True)
    console.say("note")
    console.complain("error")
    assert terminal.getvalue() == "error\n"


def test_colour_is_for_terminals_without_no_color() -> None:
    assert wants_colour(Terminal(), {})
    assert not wants_colour(Terminal(), {"NO_COLOR": "1"})
    assert not wants_colour(Terminal(), {"TERM": "dumb"})
    assert not wants_colour(io.StringIO(), {})


def test_width_is_the_terminals_or_what_columns_says() -> None:
    assert width_of(io.StringIO(), {}) is None
    assert width_of(io.StringIO(), {"COLUMNS": "60"}) == 60
    assert width_of(io.StringIO(), {"COLUMNS": "wide"}) is None
    assert width_of(Terminal(), {}) is not None
