"""GitHub's REST answers about releases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages_world import codes, expected

from crawler.pages.rest import parse_assets, parse_releases
from wheels.page import Asset, Page, Shape

if TYPE_CHECKING:
    from pathlib import Path

JSON = "application/json; charset=utf-8"
URL = "https://api.github.com/repos/o/r/releases?per_page=100"
DIGEST = "ab" * 32
# Pages of other kinds, and recordings that hold answers inside, are not answers.
REAL = {
    name: case
    for name, case in expected("expected_assets.json").items()
    if case["kind"] == "rest" and not any(word in name for word in ("octokit", "event", "rate_limit"))
}


def asset(name: str = "a+b.whl", **more: Any) -> dict[str, object]:
    url = f"https://github.com/o/r/releases/download/v1/{name.replace('+', '%2B')}"
    said = {"id": 5, "name": name, "state": "uploaded", "size": 12, "created_at": "2026-01-02T03:04:05Z"}
    return {**said, "browser_download_url": url, "digest": f"sha256:{DIGEST}", **more}


def release(tag: str = "v1", **more: object) -> dict[str, object]:
    return {"id": 9, "tag_name": tag, "name": "t", "draft": False, "prerelease": False, "assets": [asset()], **more}


def releases(document: object, **asked: Any) -> Page:
    return parse_releases(json.dumps(document).encode(), JSON, asked.pop("url", URL), **asked)


def assets(document: object, **asked: Any) -> Page:
    return parse_assets(json.dumps(document).encode(), JSON, URL, **asked)


def found(page: Page) -> list[Asset]:
    return [*page.assets, *(asset for each in page.releases for asset in each.assets or ())]


@pytest.mark.parametrize("name", REAL)
def test_real_answer(name: str, test_data: Path) -> None:
    document = json.loads((test_data / "github" / "pages" / name).read_text())
    first = document[0] if isinstance(document, list) and document else document
    page = assets(document) if "state" in first else releases(document)
    assert page.shape is (Shape.OK if document else Shape.EMPTY)
    for read, said in zip(found(page), REAL[name]["assets"], strict=True):
        assert (read.filename, read.url, read.size, read.uploaded_at) == (
            said["name"],
            said["download_url"],
            said["size_bytes"],
            said["created_at"],
        )
        assert (read.sha256 and f"sha256:{read.sha256}") == (
            said["digest"] if len(said["digest"] or "") == 71 else None
        )
    assert codes(page) == ["bad-hash"] * sum(len(said["digest"] or "x" * 71) != 71 for said in REAL[name]["assets"])


def test_real_recordings_of_other_clients_hold_answers_inside(test_data: Path) -> None:
    recording = json.loads((test_data / "github" / "pages" / "rest_octokit_release_assets.json").read_text())
    pages = [releases(each["response"]) for each in recording if "tag_name" in each["response"]]
    assert pages[0].repository == "octokit-fixture-org/release-assets"


def test_release_keeps_its_facts() -> None:
    page = releases([release("pkg/v1+cu130", prerelease=True, immutable=True, published_at="2026-01-02T03:04:05Z")])
    (read,) = page.releases
    assert (read.tag, read.title, read.release_id, read.announced) == ("pkg/v1+cu130", "t", 9, 1)
    assert (read.prerelease, read.draft, read.immutable, read.published_at) == (
        True,
        False,
        True,
        "2026-01-02T03:04:05Z",
    )
    (file,) = read.assets or ()
    assert (file.filename, file.sha256, file.size) == ("a+b.whl", DIGEST, 12)
    assert file.url == "https://github.com/o/r/releases/download/v1/a%2Bb.whl"
    assert page.repository == "o/r"


@pytest.mark.parametrize("more", [{"state": "starter"}, {"state": "open"}, {"size": 0}])
def test_unfinished_assets_are_left_out(more: dict[str, object]) -> None:
    page = releases([release(assets=[asset("b.whl", **more), asset()])])
    assert [file.filename for file in found(page)] == ["a+b.whl"]
    assert page.releases[0].announced == 1


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"digest": "sha256:abc123"}, "bad-hash"),
        ({"digest": 7}, "bad-hash"),
        ({"size": -1}, "bad-size"),
        ({"size": "12"}, "bad-size"),
        ({"size": 2**64}, "bad-size"),
    ],
)
def test_bad_facts_cost_themselves(more: dict[str, Any], problem: str) -> None:
    page = assets([asset(**more)])
    assert ([file.filename for file in page.assets], codes(page)) == (["a+b.whl"], [problem])


@pytest.mark.parametrize("bad", [None, 7, {}, {"browser_download_url": "https://[::1/x"}, {"browser_download_url": 7}])
def test_a_bad_entry_costs_itself(bad: object) -> None:
    assert [file.filename for file in assets([bad, asset()]).assets] == ["a+b.whl"]
    page = releases([bad, release()])
    assert ([each.tag for each in page.releases], codes(page)) == (["v1"], ["bad-url"])
    assert releases([bad]).shape is Shape.PARTIAL


def test_a_release_without_assets_list_says_nothing_of_assets() -> None:
    (read,) = releases([release(assets=None)]).releases
    assert (read.assets, read.announced) == (None, None)


def test_B29_a_release_that_stands_twice_counts_once() -> None:
    assert len(releases([release(), release()]).releases) == 1


def test_link_header_leads_on_and_names_the_repository() -> None:
    link = (
        '<https://api.github.com/repositories/401025/releases?page=2>; rel="next", <https://x.test/?page=9>; rel="last"'
    )
    page = releases([release()], link=link)
    assert page.next_url == "https://api.github.com/repositories/401025/releases?page=2"
    assert page.repository_id == 401025
    assert releases([release()], link='<https://x.test/>; rel="prev"').next_url is None
    assert releases([release()]).next_url is None


def test_real_link_header(test_data: Path) -> None:
    reply = json.loads((test_data / "github" / "pages" / "headers_2019_releases_list_link.json").read_text())[
        "response"
    ]
    page = releases([release()], link=reply["headers"]["Link"])
    assert page.next_url
    assert page.repository_id


@pytest.mark.parametrize(
    ("status", "document", "shape", "reason"),
    [
        (422, {"message": "Only the first 1000 results are available."}, Shape.PARTIAL, "depth"),
        (422, {"message": "Only the first 10000 results are available."}, Shape.PARTIAL, "depth"),
        (422, {"message": "Validation Failed"}, Shape.BROKEN, "status 422 Validation Failed"),
        (
            403,
            {"message": "API rate limit exceeded for 127.0.0.1. (But here's the good news: …)"},
            Shape.RETRY,
            "rate limit",
        ),
        (403, {"message": "You have exceeded a secondary rate limit"}, Shape.RETRY, "rate limit"),
        (200, {"message": "You have triggered an abuse detection mechanism"}, Shape.RETRY, "rate limit"),
        (
            403,
            {"message": "Must have push access to repository"},
            Shape.BROKEN,
            "status 403 Must have push access to repository",
        ),
        (404, {"message": "Not Found"}, Shape.GONE, "Not Found"),
        (200, {"message": "Not Found"}, Shape.GONE, "Not Found"),
        (410, None, Shape.GONE, "status 410"),
        (429, None, Shape.RETRY, "status 429"),
        (500, {"error": "Server Error"}, Shape.RETRY, "status 500"),
        (200, {"resources": {}}, Shape.BROKEN, "JSON, but no list of releases or assets"),
        (200, "x", Shape.BROKEN, "JSON, but no list of releases or assets"),
    ],
)
def test_S07_S09_answers_that_are_no_list(status: int, document: object, shape: Shape, reason: str) -> None:
    for read in (releases, assets):
        page = read(document, status=status)
        assert (page.shape, page.reason) == (shape, reason)


@pytest.mark.parametrize(
    ("name", "status", "shape"),
    [
        ("error_2013_403_primary_limit.json", 403, Shape.RETRY),
        ("error_2018_403_abuse_retry_after.json", 403, Shape.RETRY),
        ("error_2018_500_server_error.json", 500, Shape.RETRY),
        ("error_2018_301_renamed.json", 301, Shape.BROKEN),
    ],
)
def test_real_refusal(name: str, status: int, shape: Shape, test_data: Path) -> None:
    page = parse_releases((test_data / "github" / "pages" / name).read_bytes(), JSON, URL, status=status)
    assert page.shape is shape
    if status == 301:
        assert (page.links, page.repository_id) == (("https://api.github.com/repositories/112116543",), 112116543)


def test_html_in_place_of_json() -> None:
    assert parse_releases(b"<title>Unicorn!</title>", JSON, URL).shape is Shape.BROKEN
    assert parse_releases(b"<h1>Whoa there!</h1>", "text/html", URL).shape is Shape.RETRY
    assert parse_releases(b"<h1>Whoa there!</h1>", "text/html", URL, status=404).shape is Shape.GONE
    assert parse_releases(b'[{"tag_name"', JSON, URL).shape is Shape.BROKEN


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["tag_name", "assets", "state", "message", "url", "id", "size", "digest"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(VALUES, st.sampled_from([200, 301, 403, 422]))
def test_no_document_raises(document: object, status: int) -> None:
    for value in (document, [document], release(assets=document), {**asset(), "size": document}):
        assert releases(value, status=status).kind == "rest-releases"
        assert assets(value, status=status).kind == "rest-assets"


@given(st.binary(max_size=100), st.text(max_size=40))
def test_no_bytes_raise(body: bytes, text: str) -> None:
    assert parse_releases(body, text, text, link=text).kind == "rest-releases"
    assert parse_assets(body, text, text, link=f"<{text}>; rel=next").kind == "rest-assets"
