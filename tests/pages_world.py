"""What the tests of page parsers share: short spellings and the tables of the real pages."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler.pages.simple import parse_simple

if TYPE_CHECKING:
    from wheels.page import Page

HTML = "text/html; charset=utf-8"
JSON = "application/vnd.pypi.simple.v1+json"
PAGE = "http://h.test/simple/foo/"
WHEEL = "f-1.0-py3-none-any.whl"
HASH = "ab" * 32

_DATA = os.environ.get("WHEELFIND_TEST_DATA")


def simple(body: str | bytes, media_type: str = HTML, url: str = PAGE, **asked: Any) -> Page:
    return parse_simple(body.encode() if isinstance(body, str) else body, media_type, url, **asked)


def files(*entries: object, **more: object) -> str:
    """A JSON page with these entries."""
    return json.dumps({"meta": {"api-version": "1.1"}, "name": "foo", "files": entries, **more})


def urls(page: Page) -> list[str]:
    return [asset.url for asset in page.assets]


def codes(page: Page) -> list[str]:
    return [problem.code for problem in page.problems]


def manifest(folder: str) -> list[dict[str, str]]:
    """The rows of a folder's table; none without the data, so that its tests are not made."""
    if not _DATA:
        return []
    lines = (Path(_DATA) / folder / "MANIFEST.tsv").read_text().splitlines()
    return list(csv.DictReader(lines, delimiter="\t"))


def expected(name: str) -> dict[str, Any]:
    """A table of expectations below ``github``; empty without the data."""
    table: dict[str, Any] = json.loads((Path(_DATA) / "github" / name).read_text()) if _DATA else {}
    return table
