"""Trees of Hugging Face repositories."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages_world import codes

from crawler.pages.huggingface import parse_tree
from wheels.page import Page, Shape

URL = "https://huggingface.co/api/models/o/r/tree/main?recursive=true&expand=false"
TYPE = "application/json"
OID = "b" * 64
WHEEL = "demo-1.0+cu130-cp312-cp312-win_amd64.whl"


def large(path: str, **facts: Any) -> dict[str, Any]:
    """A file that is kept in LFS, as nearly all wheels are."""
    lfs = {"oid": OID, "size": 1234, "pointerSize": 129}
    return {"type": "file", "oid": "a" * 40, "size": 1234, "lfs": lfs, "path": path} | facts


def tree(document: Any, *, url: str = URL, repository: str = "o/r", **facts: Any) -> Page:
    return parse_tree(json.dumps(document).encode(), TYPE, url, repository=repository, **facts)


def test_a_large_file_has_its_size_and_sha256() -> None:
    page = tree([large(f"cu130/{WHEEL}"), {"type": "directory", "oid": "a" * 40, "size": 0, "path": "cu130"}])
    (asset,) = page.assets
    assert page.shape is Shape.OK
    assert (asset.filename, asset.sha256, asset.size) == (WHEEL, OID, 1234)
    assert asset.url == "https://huggingface.co/o/r/resolve/main/cu130/demo-1.0%2Bcu130-cp312-cp312-win_amd64.whl"


def test_git_s_own_oid_is_no_digest_of_the_file() -> None:
    (asset,) = tree([{"type": "file", "oid": "a" * 40, "size": 7, "path": WHEEL}]).assets
    assert (asset.hashes, asset.size) == ((), 7)


def test_a_data_set_lies_below_its_kind() -> None:
    url = URL.replace("models/o/r", "datasets/o/r")
    (asset,) = tree([large("Wan/a b.whl")], url=url, repository="datasets/o/r").assets
    assert asset.url == "https://huggingface.co/datasets/o/r/resolve/main/Wan/a%20b.whl"
    assert asset.filename == "a b.whl"


def test_a_name_is_never_decoded() -> None:
    (asset,) = tree([large("demo-1.0%2Bcu130-py3-none-any.whl")]).assets
    assert asset.filename == "demo-1.0%2Bcu130-py3-none-any.whl"
    assert asset.url.endswith("/demo-1.0%252Bcu130-py3-none-any.whl")


def test_what_is_no_distribution_is_left_out() -> None:
    page = tree([large("model.safetensors"), large("README.md"), {"type": "directory", "path": "x.whl"}])
    assert (page.shape, page.assets, codes(page)) == (Shape.EMPTY, (), [])


def test_a_long_tree_goes_on_by_the_link_header() -> None:
    link = f'<{URL}&limit=1000&cursor=abc%3D>; rel="next"'
    assert tree([large(WHEEL)], link=link).next_url == f"{URL}&limit=1000&cursor=abc%3D"
    assert tree([large(WHEEL)]).next_url is None


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (7, "bad-url"),
        ({}, "bad-url"),
        ({"type": "file", "path": 7}, "bad-url"),
        (large(f"../{WHEEL}"), "bad-url"),
        (large(f"/{WHEEL}"), "bad-url"),
        (large("\ud800.whl"), "bad-url"),
        (large(WHEEL, lfs={"oid": "short", "size": 3}), "bad-hash"),
        (large(WHEEL, lfs={"oid": OID, "size": -1}), "bad-size"),
        (large(WHEEL, size="12", lfs=None), "bad-size"),
    ],
    ids=["a number", "nothing", "no path", "way up", "root", "surrogate", "digest", "size", "size as text"],
)
def test_an_entry_that_is_wrong_costs_itself(entry: object, code: str) -> None:
    page = tree([entry, large("good-1.0-py3-none-any.whl")])
    assert page.shape is Shape.OK
    assert page.assets[-1].filename == "good-1.0-py3-none-any.whl"
    assert codes(page) == [code]


@pytest.mark.parametrize(
    ("document", "status", "shape", "reason"),
    [
        ([], 200, Shape.EMPTY, "no file is listed"),
        ([7], 200, Shape.PARTIAL, "no entry can be read"),
        ({}, 200, Shape.BROKEN, "no file tree"),
        ({"error": "Internal"}, 200, Shape.BROKEN, "Internal"),
        ({"error": "Invalid username or password."}, 401, Shape.BROKEN, "private or gated"),
        ({"error": "Repository not found"}, 404, Shape.GONE, "Repository not found"),
        ({"error": "Invalid rev id: main"}, 404, Shape.GONE, "Invalid rev id"),
        ({"error": "Access restricted"}, 403, Shape.BROKEN, "Access restricted"),
        ({"error": "We had to rate limit you"}, 403, Shape.RETRY, "rate limit"),
        ({"error": "Too Many Requests"}, 429, Shape.RETRY, "rate limit"),
        ({"error": "oops"}, 503, Shape.RETRY, "status 503"),
    ],
)
def test_verdicts(document: object, status: int, shape: Shape, reason: str) -> None:
    page = tree(document, status=status)
    assert page.shape is shape
    assert reason in page.reason


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        (b"<title>Log in</title><form action=/login>", Shape.BROKEN),
        (b"<title>Rate limit</title>", Shape.RETRY),
        (b'[{"type": "file"', Shape.BROKEN),
        (b"", Shape.BROKEN),
        (b"[" * 100_000, Shape.BROKEN),
    ],
)
def test_what_is_no_json_is_no_tree(body: bytes, shape: Shape) -> None:
    assert parse_tree(body, TYPE, URL, repository="o/r").shape is shape


KEYS = st.sampled_from(["type", "path", "size", "lfs", "oid", "error"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just("file") | st.just(WHEEL),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=20,
)


@given(VALUES, st.sampled_from([200, 401, 404, 500]), st.none() | st.text(max_size=30))
def test_no_json_raises(document: Any, status: int, link: str | None) -> None:
    for value in (document, [document]):
        assert tree(value, status=status, link=link).kind == "huggingface"


@given(st.binary(max_size=200), st.text(max_size=20))
def test_no_bytes_raise(body: bytes, media_type: str) -> None:
    assert not parse_tree(body, media_type, URL, repository="o/r").assets
