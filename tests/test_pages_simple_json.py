"""The JSON form of an index: what may not be trusted, roots, and equality with the HTML form."""

from __future__ import annotations

import json
from html import escape
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages_world import HASH, HTML, JSON, PAGE, WHEEL, codes, files, simple, urls

from crawler.pages.simple import parse_root, parse_simple
from wheels.page import Shape


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


def test_a_name_beside_another_address_is_a_problem() -> None:
    page = simple(files({"url": "x-1.0-py3-none-any.whl", "filename": WHEEL}), JSON)
    assert page.assets[0].filename == WHEEL
    assert codes(page) == ["name-mismatch"]


def test_an_entry_that_is_none_costs_itself() -> None:
    page = simple(files(7, {}, {"url": 7}, None, {"url": WHEEL}), JSON)
    assert urls(page) == [PAGE + WHEEL]
    assert set(codes(page)) == {"bad-url"}


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
