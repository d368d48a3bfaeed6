"""GitHub's feed of releases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.pages.atom import parse_atom
from wheels.page import Page, Shape

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://github.com/o/r/releases.atom"
HEAD = '<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom">'


def entry(tag: str, title: str = "t", link: str | None = None, number: int = 7) -> str:
    href = f"https://github.com/o/r/releases/tag/{tag}" if link is None else link
    return (
        f"<entry><id>tag:github.com,2008:Repository/{number}/{tag}</id><updated>2026-01-02T03:04:05+02:00</updated>"
        f'<link rel="alternate" type="text/html" href="{href}"/><title>{title}</title></entry>'
    )


def atom(body: str | bytes, *, status: int = 200) -> Page:
    return parse_atom(
        body.encode() if isinstance(body, str) else body, "application/atom+xml; charset=utf-8", URL, status=status
    )


def test_real_feeds(test_data: Path) -> None:
    pages = test_data / "github" / "pages"
    page = atom((pages / "atom_docket_asset_compress.atom").read_bytes())
    assert (page.shape, page.repository, page.repository_id) == (Shape.OK, "markstory/asset_compress", 553608)
    assert (len(page.releases), page.releases[0].tag, page.releases[0].title) == (10, "5.0.1", "AssetCompress 5.0.1")
    page = atom((pages / "atom_2020_feed-rs.xml").read_bytes())
    assert [release.tag for release in page.releases] == ["v0.2.0", "0.1.3", "0.1.1", "0.1.0"]
    assert page.releases[0].published_at == "2020-01-19T05:08:59Z"


def test_S14_the_tag_is_in_the_link_not_in_the_title() -> None:
    (release,) = atom(HEAD + entry("rust-v0.53.0", "0.53.0") + "</feed>").releases
    assert (release.tag, release.title) == ("rust-v0.53.0", "0.53.0")


def test_S15_a_tag_may_hold_slashes_and_signs() -> None:
    page = atom(HEAD + entry("pkg/v1.0") + entry("a%2Bb") + entry("x@1") + "</feed>")
    assert [release.tag for release in page.releases] == ["pkg/v1.0", "a+b", "x@1"]


def test_tag_without_link_is_in_the_id() -> None:
    page = atom(HEAD + entry("pkg/v1", link="https://github.com/o/r/commits/x") + "</feed>")
    assert ([release.tag for release in page.releases], page.repository_id) == (["pkg/v1"], 7)


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        (HEAD + "</feed>", Shape.EMPTY),
        (HEAD + entry("v1") + "<entry><title>x</title></entry></feed>", Shape.PARTIAL),
        (HEAD + entry("v1"), Shape.BROKEN),
        ("<rss></rss>", Shape.BROKEN),
        ("", Shape.BROKEN),
        ("<title>Rate limit</title>", Shape.RETRY),
        ("<title>Sign in to GitHub</title>", Shape.BROKEN),
        ('<!DOCTYPE feed [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + HEAD[38:] + "&b;</feed>", Shape.BROKEN),
        ("<a>" * 100_000, Shape.BROKEN),
        ("<a>" * 100_000 + "</a>" * 100_000, Shape.BROKEN),
    ],
    ids=[
        "no entry",
        "entry without tag",
        "cut",
        "another root",
        "nothing",
        "limit",
        "login",
        "entities",
        "open",
        "deep",
    ],
)
def test_shape_of_a_feed(body: str, shape: Shape) -> None:
    assert atom(body).shape is shape


@pytest.mark.parametrize(("status", "shape"), [(404, Shape.GONE), (500, Shape.RETRY), (429, Shape.RETRY)])
def test_status_decides(status: int, shape: Shape) -> None:
    assert atom(HEAD + "</feed>", status=status).shape is shape


@given(st.binary(max_size=200), st.text(max_size=60))
def test_no_bytes_raise(body: bytes, text: str) -> None:
    assert atom(body).kind == "atom"
    assert atom(HEAD + text + "</feed>").kind == "atom"
