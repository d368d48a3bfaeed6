"""Pages of package indexes: the hazards of table A about links and whole pages, and every real page."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages_world import HASH, HTML, JSON, PAGE, WHEEL, codes, files, manifest, simple, urls

from crawler.pages.links import parse_links
from crawler.pages.simple import parse_root, parse_simple
from wheels.page import Page, Shape

if TYPE_CHECKING:
    from pathlib import Path

OTHER = "cd" * 32


ROWS = manifest("indexes")


def parse_row(row: dict[str, str], folder: Path) -> Page:
    body = (folder / "indexes" / row["file"]).read_bytes()
    if "root" in row["kind"]:
        return parse_root(body, HTML, PAGE)
    if "simple" not in row["kind"]:
        return parse_links(body, HTML, PAGE)
    return parse_simple(body, JSON if row["file"].endswith("json") else HTML, PAGE)


def number_before(word: str, notes: str) -> int:
    found = [note for note in notes.split("; ") if note.startswith(word)]
    return int(found[0].split(": ")[1].split(" ")[0]) if found else 0


@pytest.mark.parametrize("row", ROWS, ids=[row["file"] for row in ROWS])
def test_real_page(row: dict[str, str], test_data: Path) -> None:
    page = parse_row(row, test_data)
    assert page.shape is Shape.OK
    claims = sum(max(1, len(asset.hashes)) for asset in page.assets if asset.filename.endswith(".whl"))
    assert claims + number_before("exact duplicates", row["notes"]) >= int(row["wheel_links"]) >= claims
    assert codes(page) == ["hash-conflict"] * number_before("same URL with different sha256", row["notes"])
    assert sum(asset.yanked for asset in page.assets) >= number_before("yanked", row["notes"])
    stated = sum(asset.requires_python is not None for asset in page.assets)
    assert stated >= number_before("data-requires-python", row["notes"])


@pytest.mark.parametrize("row", ROWS, ids=[row["file"] for row in ROWS])
def test_real_page_cut_anywhere_never_raises(row: dict[str, str], test_data: Path) -> None:
    body = (test_data / "indexes" / row["file"]).read_bytes()
    for cut in range(0, len(body), max(1, len(body) // 20)):
        for media_type in (HTML, JSON):
            assert parse_simple(body[:cut], media_type, PAGE).kind == "simple"


def test_a_root_page_lists_its_projects(test_data: Path) -> None:
    body = (test_data / "indexes" / "sgl-project__cu130__index.html").read_bytes()
    page = parse_root(body, HTML, "https://docs.test/whl/cu130/")
    assert page.links[:2] == ("https://docs.test/whl/cu130/sgl-deep-gemm/", "https://docs.test/whl/cu130/sgl-kernel/")


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f'<base><base href="http://h.test/b/"><a href="{WHEEL}">', f"http://h.test/b/{WHEEL}"),
        (f'<base href="/b/"><base href="/c/"><a href="{WHEEL}">', f"http://h.test/b/{WHEEL}"),
        (f'<a href="{WHEEL}"><base href="/b/">', f"http://h.test/b/{WHEEL}"),
        (f'<base href="http://[::1/"><a href="{WHEEL}">', PAGE + WHEEL),
    ],
    ids=["empty base first", "two bases", "base behind the link", "malformed base"],
)
def test_A01_first_base_with_an_address_holds(body: str, found: str) -> None:
    assert urls(simple(body)) == [found]


def test_A02_base_is_relative_to_the_page() -> None:
    page = simple(f'<base href="../../pkgs/"><a href="{WHEEL}">')
    assert urls(page) == [f"http://h.test/pkgs/{WHEEL}"]


def test_A03_links_are_relative_to_the_final_address() -> None:
    assert urls(simple(f'<a href="{WHEEL}">', url="http://h.test/index/foo/")) == [f"http://h.test/index/foo/{WHEEL}"]


def test_A04_page_without_trailing_slash() -> None:
    page = simple(f'<a href="{WHEEL}">', url="http://h.test/simple/x")
    assert urls(page) == [f"http://h.test/simple/{WHEEL}"]
    assert codes(page) == ["no-trailing-slash"]


@pytest.mark.parametrize(
    "href", [f"//other.test/{WHEEL}", f"ht\ntps://other.test/{WHEEL}", f" \n//other.test/{WHEEL}\t"]
)
def test_A05_links_that_change_the_host_are_what_they_say(href: str) -> None:
    assert urls(simple(f'<a href="{href}">'))[0].partition(":")[2] == f"//other.test/{WHEEL}"


@pytest.mark.parametrize(
    "bad",
    [
        "https://[::1/f-1.0-py3-none-any.whl",
        "https://h.test:99999/f-1.0-py3-none-any.whl",
        "https://h.test:x/f-1.0-py3-none-any.whl",
        "https:///f-1.0-py3-none-any.whl",
        "ftp://h.test/f-1.0-py3-none-any.whl",
        "file:///f-1.0-py3-none-any.whl",
        "https:\\\\evil.test\\f-1.0-py3-none-any.whl",
        "https://h.test/f-1.0-py3-none-any\0.whl",
    ],
)
def test_A07_malformed_address_costs_itself(bad: str) -> None:
    for page in (simple(f'<a href="{bad}"><a href="{WHEEL}">'), simple(files({"url": bad}, {"url": WHEEL}), JSON)):
        assert urls(page) == [PAGE + WHEEL]
        assert codes(page) == ["bad-url"]
        assert page.shape is Shape.OK


@pytest.mark.parametrize("spelling", ["%2B", "+"])
def test_A15_plus_keeps_its_published_spelling(spelling: str) -> None:
    (asset,) = simple(f'<a href="torch-2.7.0{spelling}cu126-cp312-cp312-linux_x86_64.whl">').assets
    assert asset.filename == "torch-2.7.0+cu126-cp312-cp312-linux_x86_64.whl"
    assert asset.url == f"{PAGE}torch-2.7.0{spelling}cu126-cp312-cp312-linux_x86_64.whl"


def test_A15_both_spellings_are_one_file_and_a_space_is_another() -> None:
    page = simple(
        '<a href="a-1%2Bb-py3-none-any.whl"><a href="a-1+b-py3-none-any.whl"><a href="a-1 b-py3-none-any.whl">'
    )
    assert [asset.filename for asset in page.assets] == ["a-1+b-py3-none-any.whl", "a-1 b-py3-none-any.whl"]


def test_A16_names_are_decoded_once() -> None:
    page = simple('<a href="foo-1.0-py3-none-any%252F..%252Fx.whl">')
    assert page.assets[0].filename == "foo-1.0-py3-none-any%2F..%2Fx.whl"


@pytest.mark.parametrize(
    ("href", "query"), [(f"{WHEEL}?a=1&amp;b=2#sha256={HASH}", "?a=1&b=2"), (f"{WHEEL}?x=1&sect=2", "?x=1&sect=2")]
)
def test_A17_ampersands_in_addresses(href: str, query: str) -> None:
    assert urls(simple(f'<a href="{href}">')) == [PAGE + WHEEL + query]


@pytest.mark.parametrize("version", ["2.0", "2.99", "10.0"])
def test_A23_later_major_version_is_refused(version: str) -> None:
    for page in (
        simple(json.dumps({"meta": {"api-version": version}, "files": []}), JSON),
        simple(f'<meta name="pypi:repository-version" content="{version}"><a href="{WHEEL}">'),
    ):
        assert (page.shape, page.reason) == (Shape.BROKEN, f"unsupported api-version {version}")


@pytest.mark.parametrize("meta", [{"api-version": "1.99"}, {"api-version": 1.0}, {"api-version": "one"}, {}, None, 7])
def test_A23_other_versions_are_read_with_a_problem(meta: object) -> None:
    page = simple(json.dumps({"meta": meta, "files": [{"url": WHEEL}]}), JSON)
    assert urls(page) == [PAGE + WHEEL]
    assert codes(page) == ["api-version"]


def test_A23_version_of_an_html_page() -> None:
    assert codes(simple(f'<meta name="pypi:repository-version" content="1.3"><a href="{WHEEL}">')) == []
    assert codes(simple(f'<meta name="pypi:repository-version" content="1.99"><a href="{WHEEL}">')) == ["api-version"]


@pytest.mark.parametrize(
    ("body", "media_type", "reason"),
    [
        (b"\xef\xbb\xbf" + files({"url": WHEEL}).encode(), JSON, ""),
        (f'<a href="{WHEEL}" data-yanked="'.encode() + b'\xff">', "text/html; charset=klingon", "�"),
        (f'<a href="{WHEEL}" data-yanked="'.encode() + b'\xe9">', "text/html; charset=latin-1", "é"),
        (f'<meta charset="iso-8859-1"><a href="{WHEEL}" data-yanked="'.encode() + b'\xe9">', "text/html", "é"),
        (f'<a href="{WHEEL}" data-yanked="é">'.encode("utf-16"), "text/html", "é"),
        (f'<a href="{WHEEL}" data-yanked="é">'.encode("utf-16-le"), "text/html; charset=utf-16le", "é"),
        (f'<a href="{WHEEL}" data-yanked="é">'.encode(), "text/html; charset=base64", "é"),
    ],
    ids=["mark before JSON", "unknown", "latin-1", "meta", "utf-16 with mark", "utf-16 by header", "no charset at all"],
)
def test_A25_charsets(body: bytes, media_type: str, reason: str) -> None:
    (asset,) = simple(body, media_type).assets
    assert (asset.filename, asset.yank_reason or "") == (WHEEL, reason)


def test_A25_utf16_without_mark_or_header_is_no_index() -> None:
    page = simple(f'<a href="{WHEEL}">'.encode("utf-16-le"), "text/html")
    assert page.shape is Shape.BROKEN
    assert "not an index page" in page.reason


@pytest.mark.parametrize(
    "media_type", ["application/xhtml+xml", "TEXT/HTML", "application/vnd.pypi.simple.v1+html; q=1", ""]
)
def test_A26_old_markup_and_all_media_types_of_html(media_type: str) -> None:
    (asset,) = simple(f"<HTML><A HREF={WHEEL} DATA-YANKED>x</A>", media_type).assets
    assert (asset.url, asset.yanked) == (PAGE + WHEEL, True)


@pytest.mark.parametrize("media_type", ["text/plain", "application/json", "application/octet-stream", "image/png"])
def test_A26_other_media_types_are_no_index(media_type: str) -> None:
    page = simple(f'<a href="{WHEEL}">', media_type)
    assert (page.shape, page.reason) == (Shape.BROKEN, f"not an index page: media type {media_type}")


def test_A27_hostile_page_in_less_than_a_second() -> None:
    begin = time.process_time()
    assert simple("<a " * 20_000).shape is Shape.BROKEN
    assert time.process_time() - begin < 1


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ("<form action=/login><input type=password></form></html>", Shape.BROKEN),
        ("<title>Sign in</title><form></form></html>", Shape.BROKEN),
        ("<title>Unicorn!</title></html>", Shape.BROKEN),
        ("<title>404 Not Found</title></html>", Shape.BROKEN),
        ("<h1>Whoa there!</h1><p>wait</p></html>", Shape.RETRY),
        ("<!DOCTYPE html><h1>Links for black</h1>", Shape.EMPTY),
        ("<!DOCTYPE html><html><body></body></html>", Shape.EMPTY),
        ('<html><meta name="pypi:repository-version" content="1.1"><p>no files yet', Shape.EMPTY),
        ("<html><body><h1>Welcome</h1></body></html>", Shape.BROKEN),
        ("<!DOCTYPE html><html><title>Links for black</title></html>\n<!--SERIAL 1-->", Shape.EMPTY),
        ("<html><body><h1>hello</h1>", Shape.BROKEN),
        ("", Shape.BROKEN),
        ("OK", Shape.BROKEN),
    ],
)
def test_A28_page_without_files(body: str, shape: Shape) -> None:
    page = simple(body)
    assert page.shape is shape
    assert page.reason


@pytest.mark.parametrize(
    ("status", "problems"), [("quarantined", []), ("archived", []), ("active", []), ("frozen", ["project-status"])]
)
def test_A32_project_status(status: str, problems: list[str]) -> None:
    mark = f'<meta name="pypi:project-status" content="{status}">'
    mark += '<meta name="pypi:project-status-reason" content="🤖">'
    for page in (
        simple(files(**{"project-status": {"status": status, "reason": "🤖"}}), JSON),
        simple(f"{mark}<title>Links for foo</title>"),
    ):
        assert (page.project_status, page.project_status_reason) == (status, "🤖")
        assert codes(page) == problems
        assert page.shape is Shape.EMPTY


def test_A33_project_is_normalised() -> None:
    assert simple(f'<a href="{WHEEL}">', project="SGL_Kernel").project == "sgl-kernel"
    assert simple(f'<title>Links for sgl.kernel</title><a href="{WHEEL}">').project == "sgl-kernel"
    assert simple(files({"url": WHEEL}), JSON).project == "foo"


@pytest.mark.parametrize("name", ["a%0A", "a%1B%5D0;x%07", "%3Cscript%3E", "a%20b;rm", "t%D0%BErch", "a%00"])
def test_A37_A38_dangerous_names_stay_whole_for_the_check_of_names(name: str) -> None:
    (asset,) = simple(f'<a href="foo-1.0-py3-none-{name}.whl">').assets
    assert asset.url.endswith(f"{name}.whl")


def test_userinfo_is_dropped() -> None:
    assert urls(simple(f'<a href="https://u:p@h.test/{WHEEL}">')) == [f"https://h.test/{WHEEL}"]


@pytest.mark.parametrize(
    ("status", "shape"), [(404, Shape.GONE), (410, Shape.GONE), (429, Shape.RETRY), (503, Shape.RETRY)]
)
def test_status_decides_before_the_body(status: int, shape: Shape) -> None:
    assert simple(f'<a href="{WHEEL}">', status=status).shape is shape
    assert parse_root(b"<a href=x/>", HTML, PAGE, status=status).shape is shape


@given(st.binary(max_size=300), st.sampled_from([HTML, JSON, "", "text/html; charset=utf-16"]))
def test_no_bytes_raise(body: bytes, media_type: str) -> None:
    assert parse_simple(body, media_type, PAGE).kind == "simple"
    assert parse_root(body, media_type, PAGE).kind == "simple-root"
    assert parse_links(body, media_type, PAGE).kind == "links"
