"""Pages of package indexes: the hazards of table A that concern a parser, and every real page."""

from __future__ import annotations

import json
import time
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages_world import HASH, HTML, JSON, PAGE, WHEEL, codes, files, manifest, simple

from crawler.pages.links import parse_links
from crawler.pages.simple import parse_root, parse_simple
from wheels.page import Page, Shape

if TYPE_CHECKING:
    from pathlib import Path

OTHER = "cd" * 32
ROWS = manifest("indexes")


def urls(page: Page) -> list[str]:
    return [asset.url for asset in page.assets]


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


@pytest.mark.parametrize("fragment", [f"egg=foo&sha256={HASH}", f"sha256={HASH}&egg=foo", f"sha256={HASH}"])
def test_A08_digest_among_other_words_of_the_fragment(fragment: str) -> None:
    (asset,) = simple(f'<a href="{WHEEL}#{escape(fragment)}">').assets
    assert asset.sha256 == HASH
    assert asset.url == PAGE + WHEEL


def test_A09_fragment_and_hashes_disagree() -> None:
    page = simple(files({"url": f"{WHEEL}#sha256={HASH}", "hashes": {"sha256": OTHER}}), JSON)
    assert page.assets[0].hashes == (("sha256", OTHER), ("sha256", HASH))
    assert page.assets[0].sha256 is None
    assert codes(page) == ["hash-conflict"]


def test_A10_digests_are_lower_case() -> None:
    assert (
        simple(f'<a href="{WHEEL}#sha256={HASH.upper()}">').assets == simple(f'<a href="{WHEEL}#sha256={HASH}">').assets
    )


@pytest.mark.parametrize(
    "fragment", ["sha256=abc", "sha256=" + "z" * 64, "sha256=", "sha256-aGk=", "sha256=" + "a" * 65]
)
def test_A11_digest_that_is_none(fragment: str) -> None:
    page = simple(f'<a href="{WHEEL}#{fragment}">')
    assert page.assets[0].hashes == ()
    assert codes(page) == ["bad-hash"]
    assert page.shape is Shape.OK


@pytest.mark.parametrize("hashes", [{"sha256": "abc"}, {"sha256": None}, {"sha256": 1}, [], "x", {"sha256": "g" * 64}])
def test_A11_digest_that_is_none_in_json(hashes: object) -> None:
    page = simple(files({"url": WHEEL, "hashes": hashes}), JSON)
    assert page.assets[0].hashes == ()
    assert codes(page) == ["bad-hash"]


def test_A13_encoded_separator_in_the_fragment() -> None:
    assert simple(f'<a href="{WHEEL}#sha256%3D{HASH}">').assets[0].sha256 == HASH


def test_A14_other_algorithms_are_kept() -> None:
    hashes = {"md5": "0" * 32, "blake2b": "1" * 128}
    (asset,) = simple(files({"url": WHEEL, "hashes": hashes}), JSON).assets
    assert dict(asset.hashes) == hashes
    assert asset.sha256 is None
    assert simple(f'<a href="{WHEEL}#md5={"0" * 32}">').assets[0].hashes == (("md5", "0" * 32),)


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


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        (">=2.7, !=3.0.*,", []),
        (">=3.6.*", ["bad-requires-python"]),
        ("python3", ["bad-requires-python"]),
        (">=3.8", []),
    ],
)
def test_A19_requires_python_is_kept_verbatim(value: str, problems: list[str]) -> None:
    pages = (
        simple(f'<a href="{WHEEL}" data-requires-python="{escape(value)}">'),
        simple(files({"url": WHEEL, "requires-python": value}), JSON),
    )
    for page in pages:
        assert page.assets[0].requires_python == value
        assert codes(page) == problems


@pytest.mark.parametrize(
    ("attribute", "yanked", "reason"),
    [("", False, None), ("data-yanked", True, ""), ('data-yanked=""', True, ""), ('data-yanked="CVE"', True, "CVE")],
)
def test_A20_yanked_in_html(attribute: str, yanked: bool, reason: str | None) -> None:
    (asset,) = simple(f'<a href="{WHEEL}" {attribute}>').assets
    assert (asset.yanked, asset.yank_reason) == (yanked, reason)


@pytest.mark.parametrize(
    ("said", "yanked", "reason"),
    [
        ({}, False, None),
        ({"yanked": False}, False, None),
        ({"yanked": None}, False, None),
        ({"yanked": True}, True, ""),
        ({"yanked": ""}, True, ""),
        ({"yanked": "why"}, True, "why"),
    ],
)
def test_A20_yanked_in_json(said: dict[str, object], yanked: bool, reason: str | None) -> None:
    (asset,) = simple(files({"url": WHEEL, **said}), JSON).assets
    assert (asset.yanked, asset.yank_reason) == (yanked, reason)


@pytest.mark.parametrize(
    ("said", "metadata", "sha256", "problems"),
    [
        ({"core-metadata": True}, True, None, []),
        ({"core-metadata": False}, False, None, []),
        ({"core-metadata": {}}, True, None, []),
        ({"core-metadata": {"sha256": HASH}}, True, HASH, []),
        ({"dist-info-metadata": {"sha256": HASH}}, True, HASH, []),
        ({"data-dist-info-metadata": {"sha256": HASH}}, True, HASH, []),
        ({"core-metadata": False, "dist-info-metadata": True}, False, None, []),
        ({"core-metadata": {"sha256": HASH}, "data-dist-info-metadata": {"sha256": OTHER}}, True, HASH, []),
        ({"core-metadata": "garbage"}, True, None, ["bad-metadata"]),
        ({"core-metadata": {"sha256": "abc"}}, True, None, ["bad-metadata"]),
        ({"core-metadata": 3}, True, None, ["bad-metadata"]),
        ({}, None, None, []),
    ],
)
def test_A21_metadata_in_json(
    said: dict[str, object], metadata: bool | None, sha256: str | None, problems: list[str]
) -> None:
    page = simple(files({"url": WHEEL, **said}), JSON)
    assert (page.assets[0].metadata, page.assets[0].metadata_sha256) == (metadata, sha256)
    assert codes(page) == problems


@pytest.mark.parametrize(
    ("attributes", "metadata", "sha256", "problems"),
    [
        ('data-core-metadata="true"', True, None, []),
        (f'data-core-metadata="sha256={HASH}"', True, HASH, []),
        (f'data-dist-info-metadata="sha256={HASH}"', True, HASH, []),
        (f'data-dist-info-metadata="sha256={OTHER}" data-core-metadata="sha256={HASH}"', True, HASH, []),
        ('data-core-metadata="false" data-dist-info-metadata="true"', False, None, []),
        ('data-core-metadata="garbage"', True, None, ["bad-metadata"]),
        ("data-core-metadata", True, None, ["bad-metadata"]),
        ("", None, None, []),
    ],
)
def test_A21_metadata_in_html(attributes: str, metadata: bool | None, sha256: str | None, problems: list[str]) -> None:
    page = simple(f'<a href="{WHEEL}" {attributes}>')
    assert (page.assets[0].metadata, page.assets[0].metadata_sha256) == (metadata, sha256)
    assert codes(page) == problems


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


def test_A31_one_address_with_two_digests_keeps_both() -> None:
    page = simple(f'<a href="{WHEEL}#sha256={HASH}"><a href="{WHEEL}#sha256={OTHER}"><a href="{WHEEL}#sha256={OTHER}">')
    (asset,) = page.assets
    assert asset.hashes == (("sha256", HASH), ("sha256", OTHER))
    assert asset.sha256 is None
    assert codes(page) == ["hash-conflict"]


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


@pytest.mark.parametrize(
    "text",
    [
        '{"meta":{"api-version":"1.0"},"files":[1],"files":[]}',
        '{"meta":{"api-version":"1.0"},"files":[],"x":NaN}',
        '{"meta":{"api-version":"1.0"},"files":[],"x":-Infinity}',
        '{"meta":{"api-version":"1.0"},"files":[],"x":' + "9" * 5_000 + "}",
        '{"meta":{"api-version":"1.0"},"files":[],"x":' + "[" * 70 + "]" * 70 + "}",
        '{"meta":{"api-version":"1.0"},"files":' + "[" * 200_000,
        '{"meta":{"api-version":"1.0"},"files":[{"url":"a","url":"b"}]}',
        '{"meta":{"api-version":"1.0"},"files":{}}',
        '{"meta":{"api-version":"1.0"}}',
        '{"meta":{"api-version":"1.0"},"files":[',
        "[]",
        "",
        "null",
        "<html></html>",
    ],
    ids=[
        "files twice",
        "NaN",
        "infinity",
        "endless number",
        "depth",
        "recursion",
        "url twice",
        "no list",
        "no files",
        "cut",
        "a list",
        "nothing",
        "null",
        "HTML",
    ],
)
def test_A40_json_that_may_not_be_trusted(text: str) -> None:
    page = simple(text, JSON)
    assert page.shape is Shape.BROKEN
    assert page.assets == ()


def test_html_where_json_was_promised_says_so() -> None:
    assert simple("<html></html>", JSON + "; charset=utf-8").reason == "HTML where JSON was promised"


@pytest.mark.parametrize("size", ["-1", '"12"', "1.5", "1e400", "9" * 5_000, str(2**64), str(2**53), "true"])
def test_A40_A41_size_that_is_none(size: str) -> None:
    page = simple(f'{{"meta":{{"api-version":"1.0"}},"files":[{{"url":"{WHEEL}","size":{size}}}]}}', JSON)
    assert page.assets[0].size is None
    assert codes(page) == ["bad-size"]


def test_A40_surrogates_and_nul_are_replaced() -> None:
    entry = {"url": WHEEL, "filename": "\ud800.whl", "yanked": "a\0\ud800b" + "c" * 3_000, "requires-python": ">=3\0"}
    page = simple(files(entry, {"url": "\ud800.whl"}), JSON)
    (asset,) = page.assets
    assert asset.filename == "\ufffd.whl"
    assert asset.yank_reason == "a\ufffd\ufffdb" + "c" * 1_996
    assert asset.requires_python == ">=3\ufffd"
    assert repr(page).encode()
    assert all(len(problem.detail) <= 300 and problem.detail.isascii() for problem in page.problems)


@pytest.mark.parametrize(
    ("said", "read", "problems"),
    [
        ("2021-06-05T00:15:37.534150Z", "2021-06-05T00:15:37.534150Z", []),
        ("2024-01-01T02:00:00+02:00", "2024-01-01T00:00:00Z", []),
        ("2099-01-01T00:00:00Z", "2099-01-01T00:00:00Z", []),
        ("2099-01-01T00:00:00", None, ["bad-time"]),
        ("0001-01-01T00:00:00+14:00", None, ["bad-time"]),
        ("yesterday", None, ["bad-time"]),
        (12, None, ["bad-time"]),
        (None, None, []),
    ],
)
def test_A41_upload_time(said: object, read: str | None, problems: list[str]) -> None:
    page = simple(files({"url": WHEEL, "upload-time": said, "size": 12}), JSON)
    assert (page.assets[0].uploaded_at, page.assets[0].size) == (read, 12)
    assert codes(page) == problems


def test_userinfo_is_dropped() -> None:
    assert urls(simple(f'<a href="https://u:p@h.test/{WHEEL}">')) == [f"https://h.test/{WHEEL}"]


def test_a_name_beside_another_address_is_a_problem() -> None:
    page = simple(files({"url": "x-1.0-py3-none-any.whl", "filename": WHEEL}), JSON)
    assert page.assets[0].filename == WHEEL
    assert codes(page) == ["name-mismatch"]


def test_an_entry_that_is_none_costs_itself() -> None:
    page = simple(files(7, {}, {"url": 7}, None, {"url": WHEEL}), JSON)
    assert urls(page) == [PAGE + WHEEL]
    assert set(codes(page)) == {"bad-url"}


@pytest.mark.parametrize(
    ("status", "shape"), [(404, Shape.GONE), (410, Shape.GONE), (429, Shape.RETRY), (503, Shape.RETRY)]
)
def test_status_decides_before_the_body(status: int, shape: Shape) -> None:
    assert simple(f'<a href="{WHEEL}">', status=status).shape is shape
    assert parse_root(b"<a href=x/>", HTML, PAGE, status=status).shape is shape


def test_json_root_lists_normalised_pages() -> None:
    body = json.dumps(
        {"meta": {"api-version": "1.0"}, "projects": [{"name": "SGL_Kernel"}, {"name": 7}, {"name": "тorch"}]}
    )
    page = parse_root(body.encode(), JSON, "https://h.test/simple")
    assert page.links == ("https://h.test/simple/sgl-kernel/",)
    assert codes(page) == ["bad-url", "bad-url"]


def test_an_empty_root_and_a_root_of_a_later_version() -> None:
    assert parse_root(b'{"meta":{"api-version":"1.0"},"projects":[]}', JSON, PAGE).shape is Shape.EMPTY
    later = parse_root(b'{"meta":{"api-version":"2.0"},"projects":[]}', JSON, PAGE)
    assert (later.shape, later.reason) == (Shape.BROKEN, "unsupported api-version 2.0")
    assert parse_root(b"<form><input type=password></form></html>", HTML, PAGE).shape is Shape.BROKEN


@given(st.binary(max_size=300), st.sampled_from([HTML, JSON, "", "text/html; charset=utf-16"]))
def test_no_bytes_raise(body: bytes, media_type: str) -> None:
    assert parse_simple(body, media_type, PAGE).kind == "simple"
    assert parse_root(body, media_type, PAGE).kind == "simple-root"
    assert parse_links(body, media_type, PAGE).kind == "links"


KEYS = st.sampled_from(
    [
        "meta",
        "api-version",
        "files",
        "url",
        "filename",
        "hashes",
        "sha256",
        "size",
        "yanked",
        "core-metadata",
        "name",
        "project-status",
        "upload-time",
        "requires-python",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


@given(VALUES)
def test_no_json_raises(document: Any) -> None:
    for value in (
        document,
        {"meta": {"api-version": "1.0"}, "files": document},
        {"files": [document], "projects": [document]},
    ):
        assert parse_simple(json.dumps(value).encode(), JSON, PAGE).kind == "simple"
        assert parse_root(json.dumps(value).encode(), JSON, PAGE).kind == "simple-root"


NAMES = st.text("abc123._+%é&<>\"' -", min_size=1, max_size=12).map(lambda text: f"p-{text}.whl")
ENTRIES = st.fixed_dictionaries(
    {"name": NAMES},
    optional={
        "sha256": st.text("0123456789abcdef", min_size=64, max_size=64),
        "requires-python": st.sampled_from([">=3.8", ">=3.8,<4", "", "python3"]),
        "yanked": st.text(st.characters(exclude_characters="\r\0", codec="utf-8"), max_size=9),
        "core-metadata": st.sampled_from(["true", HASH]),
    },
)


def as_json(entry: dict[str, str]) -> dict[str, object]:
    kept: dict[str, object] = {key: entry[key] for key in ("requires-python", "yanked") if key in entry}
    if "core-metadata" in entry:
        kept["core-metadata"] = True if entry["core-metadata"] == "true" else {"sha256": entry["core-metadata"]}
    return {
        "url": quote(entry["name"], safe="+"),
        "hashes": {"sha256": entry["sha256"]} if "sha256" in entry else {},
        **kept,
    }


def as_html(entry: dict[str, str]) -> str:
    href = quote(entry["name"], safe="+") + (f"#sha256={entry['sha256']}" if "sha256" in entry else "")
    said = {f"data-{key}": entry[key] for key in ("requires-python", "yanked", "core-metadata") if key in entry}
    if said.get("data-core-metadata") == HASH:
        said["data-core-metadata"] = f"sha256={HASH}"
    return (
        f'<a href="{escape(href)}"' + "".join(f' {name}="{escape(value)}"' for name, value in said.items()) + ">x</a>"
    )


@settings(max_examples=300)
@given(st.lists(ENTRIES, min_size=1, max_size=6))
def test_html_and_json_of_one_page_give_equal_records(entries: list[dict[str, str]]) -> None:
    html = simple("<!doctype html>" + "\n".join(map(as_html, entries)))
    data = simple(files(*map(as_json, entries)), JSON)
    assert html.assets == data.assets
    assert html.problems == data.problems
