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


ROWS = {
    "nginx": (
        '<html><head><title>Index of /whl/</title></head><body><h1>Index of /whl/</h1><hr><pre><a href="../">../</a>\n'
        '<a href="cu130/">cu130/</a>                    27-Feb-2026 10:11       -\n'
        '<a href="a-1.0%2Bcu130-py3-none-any.whl">a-1.0+cu130-py3-none-a..&gt;</a> 27-Feb-2026 10:11     535601072\n'
        '<a href="b-1.0-py3-none-any.whl">b-1.0-py3-none-any.whl</a>   27-Feb-2026 10:11     12M\n</pre></body></html>'
    ),
    "Apache, a table": (
        '<h1>Index of /whl</h1><table><tr><th><a href="?C=N;O=D">Name</a></th><th><a href="?C=S;O=A">Size</a></th></tr>'
        '<tr><td valign="top"><img src="/icons/back.gif" alt="[PARENTDIR]"></td><td><a href="/">Up</a></td>'
        '<td>&nbsp;</td><td align="right">  - </td></tr>'
        '<tr><td><img alt="[DIR]"></td><td><a href="cu130/">cu130/</a></td><td align="right">2026-02-27 10:11  </td>'
        '<td align="right">  - </td><td>&nbsp;</td></tr>'
        '<tr><td><img alt="[   ]"></td><td><a href="a-1.0%2Bcu130-py3-none-any.whl">a-1.0+cu130-py..&gt;</a></td>'
        '<td align="right">2026-02-27 10:11  </td><td align="right">535601072 </td><td>&nbsp;</td></tr>'
        '<tr><td><img alt="[   ]"></td><td><a href="b-1.0-py3-none-any.whl">b-1.0</a></td>'
        '<td align="right">2026-02-27 10:11  </td><td align="right"> 12M</td><td>&nbsp;</td></tr></table>'
    ),
    "Apache, preformatted": (
        '<title>Index of /whl</title><pre><img src="/icons/blank.gif" alt="Icon "> <a href="?C=N;O=D">Name</a> '
        '<a href="?C=M;O=A">Last modified</a> <a href="?C=S;O=A">Size</a><hr><a href="/">Parent Directory</a>   -\n'
        '<img alt="[DIR]"> <a href="cu130/">cu130/</a>  27-Feb-2026 10:11    -\n'
        '<img alt="[   ]"> <a href="a-1.0%2Bcu130-py3-none-any.whl">a-1.0..&gt;</a> 27-Feb-2026 10:11  535601072\n'
        '<img alt="[   ]"> <a href="b-1.0-py3-none-any.whl">b-1.0</a> 27-Feb-2026 10:11  1.2M\n<hr></pre>'
    ),
    "lighttpd": (
        '<title>Index of /whl/</title><table><tr class="d"><td class="n"><a href="cu130/">cu130</a>/</td>'
        '<td class="m">2026-Feb-27 10:11:12</td><td class="s">- &nbsp;</td><td class="t">Directory</td></tr>'
        '<tr><td class="n"><a href="a-1.0%2Bcu130-py3-none-any.whl">a</a></td><td class="m">2026-Feb-27 10:11:12</td>'
        '<td class="s">535601072</td></tr><tr><td class="n"><a href="b-1.0-py3-none-any.whl">b</a></td>'
        '<td class="m">2026-Feb-27 10:11:12</td><td class="s">1.2M</td></tr></table>'
    ),
}


@pytest.mark.parametrize("body", ROWS.values(), ids=ROWS)
def test_a_server_s_listing_gives_files_directories_and_exact_sizes(body: str) -> None:
    page = links(body, url="https://h.test/whl/")
    assert [(asset.filename, asset.size) for asset in page.assets] == [
        ("a-1.0+cu130-py3-none-any.whl", 535601072),
        ("b-1.0-py3-none-any.whl", None),
    ]
    assert page.links == ("https://h.test/whl/cu130/",)
    assert {asset.uploaded_at for asset in page.assets} == {None}  # its time has no zone
    assert page.problems == ()


def test_two_sizes_of_one_file_are_none() -> None:
    row = f'<a href="{WHEEL}">w</a> 27-Feb-2026 10:11 {{}}\n'
    assert links(row.format(1) + row.format(2)).assets[0].size is None
    assert links(row.format(1) * 2).assets[0].size == 1


@pytest.mark.parametrize(
    ("href", "address"),
    [
        ("https://huggingface.co/o/r/blob/main/a.whl", "https://huggingface.co/o/r/resolve/main/a.whl"),
        (
            "https://huggingface.co/datasets/o/r/blob/v1/x/a.whl",
            "https://huggingface.co/datasets/o/r/resolve/v1/x/a.whl",
        ),
        ("https://huggingface.co/o/r/resolve/main/blob/a.whl", "https://huggingface.co/o/r/resolve/main/blob/a.whl"),
        ("https://h.test/o/r/blob/main/a.whl", "https://h.test/o/r/blob/main/a.whl"),
    ],
)
def test_hugging_face_s_web_page_of_a_file_stands_for_the_file(href: str, address: str) -> None:
    assert links(f'<a href="{href}">').assets[0].url == address


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        pytest.param(b"<html><h1>Welcome</h1></html>", Shape.BROKEN, id="a page of something else"),
        pytest.param(b"<html><body></body></html>", Shape.BROKEN, id="nothing at all"),
        pytest.param(b"<html><h1>Index of /whl/</h1><hr><pre></pre></html>", Shape.EMPTY, id="an empty folder"),
        pytest.param(b'<html><body><a href="../">../</a></body></html>', Shape.EMPTY, id="the way up alone"),
    ],
)
def test_a_page_without_files_is_empty_only_when_it_shows_what_it_is(body: bytes, shape: Shape) -> None:
    assert parse_links(body, "text/html", "https://h.test/whl/").shape is shape


def test_A27_endless_open_anchors_are_no_page_of_links() -> None:
    assert parse_links(b"<a " * 20000, "text/html", "https://h.test/whl/").shape is Shape.BROKEN
