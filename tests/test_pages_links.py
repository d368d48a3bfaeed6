"""Pages that are a heap of links, and how links become addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pages_world import HASH, HTML, PAGE, WHEEL, codes

from crawler.pages.addresses import Base, filename_of, is_file
from crawler.pages.links import parse_links
from wheels.page import Page, Shape

if TYPE_CHECKING:
    from pathlib import Path


def links(body: str, url: str = PAGE, media_type: str = HTML) -> Page:
    return parse_links(body.encode(), media_type, url)


def test_flat_page_keeps_the_directory_of_each_file(test_data: Path) -> None:
    body = (test_data / "indexes" / "brettcannon__archive_links.pytorch.html").read_bytes()
    page = parse_links(body, HTML, "https://h.test/whl/torch_stable.html")
    assert page.assets[-1].url == "https://h.test/whl/cu101/torchvision-0.5.0-cp38-cp38-win_amd64.whl"
    assert sum("%2B" in asset.url and "+" in asset.filename for asset in page.assets) == 168


def test_directory_listing_leads_neither_up_nor_to_itself(test_data: Path) -> None:
    body = (test_data / "indexes" / "brettcannon__archive_links.aicoe-tensorflow.html").read_bytes()
    page = parse_links(body, HTML, "https://h.test/index/manylinux2010/AVX2/simple/tensorflow/")
    assert (len(page.assets), page.links) == (10, ())


def test_directories_below_the_page_are_its_links() -> None:
    page = links(
        f'<a href="../">..</a><a href="cu130/">d</a><a href="https://other.test/simple/">o</a><a href="{WHEEL}">f</a>'
    )
    assert page.links == (PAGE + "cu130/",)
    assert [asset.filename for asset in page.assets] == [WHEEL]


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ("<html><h1>Index of /x</h1><a href=../>up</a></html>", Shape.EMPTY),
        ("<form action=/session><input name=login></form>", Shape.BROKEN),
        ("<title>Rate limit &middot; GitHub</title>", Shape.RETRY),
        ("no markup", Shape.BROKEN),
        ("", Shape.BROKEN),
    ],
)
def test_page_without_files(body: str, shape: Shape) -> None:
    assert links(body).shape is shape


def test_other_media_type_is_no_page_of_links() -> None:
    assert links("{}", media_type="application/json").shape is Shape.BROKEN


def test_links_that_lead_nowhere_are_no_problems() -> None:
    page = links(f'<a href="mailto:a@b.test"><a href="javascript:x()"><a href="#top"><a><a href=""><a href="{WHEEL}">')
    assert codes(page) == []
    assert page.links == ()


@pytest.mark.parametrize(
    ("href", "address", "fragment"),
    [
        ("a.whl", "http://h.test/simple/foo/a.whl", ""),
        ("../a.whl#x", "http://h.test/simple/a.whl", "x"),
        ("/a b.whl", "http://h.test/a b.whl", ""),
        ("?q=1", "http://h.test/simple/foo/?q=1", ""),
        ("HTTPS://H.test/A.whl", "https://H.test/A.whl", ""),
        ("https://h.test", "https://h.test/", ""),
        ("https://u:p@h.test:8000/a.whl", "https://h.test:8000/a.whl", ""),
        ("https://[::1]/a.whl", "https://[::1]/a.whl", ""),
        ("https://h.test/x/../a.whl", "https://h.test/x/../a.whl", ""),
        ("https://h.test/.hidden/a.whl", "https://h.test/.hidden/a.whl", ""),
        ("cu118/a%2Bb.whl#sha256=" + HASH, "http://h.test/simple/foo/cu118/a%2Bb.whl", "sha256=" + HASH),
    ],
)
def test_addresses_keep_their_published_spelling(href: str, address: str, fragment: str) -> None:
    assert Base(PAGE).resolve(href) == (address, fragment)


@pytest.mark.parametrize(
    "page_url", [PAGE, "http://127.0.0.1:54321/simple/foo/", "http://h.test/simple/foo/index.html?x=/y/"]
)
def test_relative_links_of_all_pages(page_url: str) -> None:
    assert Base(page_url).resolve("../x/a.whl")[0] == page_url.partition("foo/")[0] + "x/a.whl"
    assert Base(page_url).resolve("x/a.whl")[0] == page_url.partition("foo/")[0] + "foo/x/a.whl"


def test_a_file_page_may_link_files() -> None:
    assert Base("file:///srv/simple/foo/index.html").resolve("a.whl")[0] == "file:///srv/simple/foo/a.whl"
    assert Base("file:///srv/x/index.html").resolve("http://h.test/a.whl")[0] == "http://h.test/a.whl"


def test_names_of_files() -> None:
    assert filename_of("https://h.test/a/%D0%B4%2B.whl?x=/y#z") == "д+.whl"
    assert filename_of("https://h.test") == ""
    assert [is_file(name) for name in ("a.whl", "A.TAR.GZ", "a.zip", "index.html", "a", "", "whl")] == [True] * 3 + [
        False
    ] * 4
