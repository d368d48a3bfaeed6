"""``file:`` addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fetching import HTML, get, run_all

from crawler.response import Access, Response
from wheels.errors import (
    UnsafeAddress,
)

if TYPE_CHECKING:
    from pathlib import Path


def test_file_addresses_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "index.html").write_bytes(HTML)
    (tmp_path / "a+b-1.0-py3-none-any.whl").write_bytes(b"PK")
    root = tmp_path.as_uri()
    page, listing, missing = run_all([f"{root}/demo/", f"{root}/", f"{root}/none/"])
    (without_slash,) = run_all([f"{root}/demo"])
    assert isinstance(without_slash, Response)
    assert (without_slash.url, without_slash.redirects) == (f"{root}/demo/", (f"{root}/demo",))
    assert isinstance(page, Response)
    assert (page.body, page.media_type, page.private) == (HTML, "text/html", True)
    assert isinstance(listing, Response)
    assert b'<a href="./a%2Bb-1.0-py3-none-any.whl">a+b-1.0-py3-none-any.whl</a>' in listing.body
    assert b'<a href="./demo/">demo/</a>' in listing.body
    assert isinstance(missing, Response)
    assert missing.status == 404


def test_file_addresses_of_pages_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsafeAddress):
        get(tmp_path.as_uri(), access=Access())
