"""Each row of the tables of hazards that is due has a test that bears its id; the list here is this project's own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGES_AND_NAMES = """
A01 A02 A03 A04 A05 A07 A08 A09 A10 A11 A13 A14 A15 A16 A17 A19 A20 A21 A22 A23 A25 A26 A27 A28 A29 A31 A32 A33 A34 A35
A37 A38 A39 A40 A41 A43
"""
CRAWL_AND_HTTP = """
B01 B02 B03 B04 B05 B06 B07 B08 B09 B10 B11 B13 B14 B15 B16 B17 B19 B20 B21 B22 B23 B25 B26 B27 B28 B29 B31 B32 B33 B34
B35 B37 B38 B39 B40 B41 B43 B44
"""
LOGS = "D40"

_NAME = re.compile(r"^ *(?:async )?def (test_\w+)", re.MULTILINE)


def names_of_tests() -> list[str]:
    return [name for path in Path(__file__).parent.glob("test_*.py") for name in _NAME.findall(path.read_text("utf-8"))]


@pytest.mark.parametrize("row", f"{PAGES_AND_NAMES} {CRAWL_AND_HTTP} {LOGS}".split())
def test_row_has_a_test_that_bears_its_id(row: str) -> None:
    assert any(row in name.split("_") for name in names_of_tests())
