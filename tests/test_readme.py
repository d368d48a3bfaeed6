"""The README is true: every view, column and command stands in it, and its examples print what it shows."""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from storage.open import open_catalog
from wheelfind.command_line import COMMANDS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def documented_views() -> dict[str, set[str]]:
    """View to the words in its row of the table."""
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| (.+) \|$", README, re.MULTILINE)
    return {view: set(re.findall(r"`(\w+)`", columns)) for view, columns in rows}


def test_every_view_and_column_is_documented(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    open_catalog(path).close()
    documented = documented_views()
    with closing(sqlite3.connect(path)) as connection:
        views = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
        assert set(views) <= set(documented)
        for view in views:
            columns = {column[0] for column in connection.execute(f"SELECT * FROM {view} LIMIT 0").description}  # noqa: S608 - names of the schema itself
            assert columns <= documented[view], view


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_stands_in_it(command: str) -> None:
    assert f"wheelfind {command}" in README or f"`{command}`" in README


def shown_examples() -> list[tuple[str, str]]:
    """Command lines of console blocks that show their output, with it."""
    blocks = re.findall(r"^```console\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    examples = [block.partition("\n") for block in blocks]
    return [(first.removeprefix("$ "), output) for first, _, output in examples if output and "$ " not in output]


@pytest.mark.parametrize(("line", "output"), [each for each in shown_examples() if "wheelfind" in each[0]])
def test_an_example_prints_what_it_shows(line: str, output: str, tmp_path: Path) -> None:
    words = shlex.split(line.partition("wheelfind ")[2])
    environ = {**os.environ, "WHEELFIND_CONFIG": str(tmp_path), "WHEELFIND_DB": str(tmp_path / "catalog.sqlite")}
    command = [sys.executable, "-m", "wheelfind", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environ)
    ages = r"\d+ \w+ ago|just now|yesterday"
    said = re.sub(ages, "…", done.stdout + done.stderr)
    assert re.sub(ages, "…", output) == said
