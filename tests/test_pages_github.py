"""GitHub's release pages: every real page, every hard case, and cases of the same kinds made here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages_world import HTML, codes, expected, manifest

from crawler.pages.github import parse_expanded_assets, parse_release_list, parse_tag_page
from wheels.page import Page, Shape

if TYPE_CHECKING:
    from pathlib import Path

HARD = {key: case for key, case in expected("hard/expected.json").items() if case["verdict"] != "LIST"}
REAL = {name: case for name, case in expected("expected_assets.json").items() if case["kind"] == "expanded_assets"}
PLACES = {row["file"]: row["owner/repo/tag"] for row in manifest("github")}
DIGESTS = [f"{number:064x}" for number in range(1, 9)]
WHEEL = "demo-1.0-py3-none-any.whl"


def fragment(body: str | bytes, repository: str = "o/r", tag: str = "v1", **asked: Any) -> Page:
    asked.setdefault("url", f"https://github.com/{repository}/releases/expanded_assets/{tag}")
    data = body.encode() if isinstance(body, str) else body
    return parse_expanded_assets(data, asked.pop("media_type", HTML), repository=repository, tag=tag, **asked)


def listed(body: str | bytes, repository: str = "o/r", **asked: Any) -> Page:
    data = body.encode() if isinstance(body, str) else body
    asked.setdefault("url", f"https://github.com/{repository}/releases")
    return parse_release_list(data, HTML, repository=repository, **asked)


def row(name: str = WHEEL, *, tag: str = "v1", cell: str = "", place: str = "o/r") -> str:
    return f'<li class="Box-row"><a href="/{place}/releases/download/{tag}/{name}"><span>{name}</span></a>{cell}</li>'


def button(digest: str, name: str) -> str:
    label = f"Copy to clipboard digest for {name}"
    return f'<span>sha256:{digest}</span><clipboard-copy aria-label="{label}" value="sha256:{digest}"></clipboard-copy>'


def sources(tag: str = "v1", place: str = "o/r") -> str:
    return "".join(
        f'<li class="Box-row"><a href="/{place}/archive/refs/tags/{tag}.{suffix}"><b>Source</b> ({suffix})</a></li>'
        for suffix in ("zip", "tar.gz")
    )


def box(*rows: str) -> str:
    return f'<div class="Box Box--condensed mt-3"><ul>{"".join(rows)}</ul></div>'


def names(page: Page) -> list[str]:
    return [asset.filename for asset in page.assets]


@pytest.mark.parametrize("key", HARD)
def test_hard_case(key: str, test_data: Path) -> None:
    case = HARD[key]
    asked = case["asked"]
    repository = f"{asked['owner']}/{asked['repo']}"
    url = "https://github.com/login?return_to=x" if key == "H16" else None
    body = (test_data / "github" / "hard" / case["file"]).read_bytes()
    page = fragment(body, repository, asked["tag"], **({"url": url} if url else {}))
    assert page.shape is Shape(case["verdict"].lower())
    assert names(page) == case["names"]
    if "digests" in case:
        assert [asset.sha256 and f"sha256:{asset.sha256}" for asset in page.assets] == case["digests"]
    assert all(asset.size is None for asset in page.assets)


def test_hard_case_H13_list_with_traps(test_data: Path) -> None:
    page = listed((test_data / "github" / "hard" / "h13_title_and_body_traps_list.html").read_bytes())
    assert page.shape is Shape.OK
    assert [(release.tag, release.announced) for release in page.releases] == [("v1", 0)]
    assert page.assets == ()


def test_hard_case_H23_defers_to_the_whole_fragment(test_data: Path) -> None:
    page = fragment((test_data / "github" / "hard" / "h23_show_all_deferred.html").read_bytes())
    assert page.links == ("https://github.com/o/r/releases/expanded_assets/v1",)


@pytest.mark.parametrize("name", REAL)
def test_real_fragment(name: str, test_data: Path) -> None:
    owner, repo, tag = PLACES[name].split("/", 2)
    page = fragment((test_data / "github" / "pages" / name).read_bytes(), f"{owner}/{repo}", tag)
    assert page.shape is Shape(REAL[name]["verdict"].lower())
    # Rows of other releases are dropped, digests that are none as well.
    own = [asset for asset in REAL[name]["assets"] if asset["tag"] == tag]
    assert [(asset.filename, asset.url, asset.uploaded_at) for asset in page.assets] == [
        (asset["name"], asset["download_url"], asset["time"]) for asset in own
    ]
    assert [asset.sha256 and f"sha256:{asset.sha256}" for asset in page.assets] == [asset["digest"] for asset in own]
    assert codes(page).count("foreign-asset") == len(REAL[name]["assets"]) - len(own)


def test_real_list(test_data: Path) -> None:
    body = (test_data / "github" / "pages" / "list_docket_asset_compress.html").read_bytes()
    page = listed(body, "markstory/asset_compress")
    assert (page.shape, page.repository, page.repository_id) == (Shape.OK, "markstory/asset_compress", 553608)
    assert page.next_url == "https://github.com/markstory/asset_compress/releases?page=2"
    assert [release.announced for release in page.releases] == [0] * 10
    first = page.releases[0]
    assert (first.tag, first.title, first.published_at) == ("5.0.1", "AssetCompress 5.0.1", "2024-07-26T12:30:15Z")
    assert first.fragment_url == "https://github.com/markstory/asset_compress/releases/expanded_assets/5.0.1"
    assert first.prerelease is False


def test_real_list_S14_a_title_is_no_tag(test_data: Path) -> None:
    page = listed((test_data / "github" / "pages" / "list_2025_codex_trimmed.html").read_bytes(), "openai/codex")
    assert [(release.tag, release.title) for release in page.releases] == [
        ("rust-v0.53.0", "0.53.0"),
        ("rust-v0.52.0", "0.52.0"),
    ]
    assert page.shape is Shape.PARTIAL


def test_real_excerpt_of_a_list_names_tag_and_count(test_data: Path) -> None:
    body = (test_data / "github" / "pages" / "list_2026-03_workers-sdk_excerpt.txt").read_bytes()
    (release,) = listed(body, "cloudflare/workers-sdk").releases
    assert release.tag == "wrangler@4.76.0"
    assert release.fragment_url == "https://github.com/cloudflare/workers-sdk/releases/expanded_assets/wrangler@4.76.0"


@pytest.mark.parametrize(
    ("key", "body", "shape", "found"),
    [
        ("H05", box(row(), sources())[: -len("</ul></div>")], Shape.PARTIAL, [WHEEL]),
        ("H05", box(row(), row("e-1.0-py3-none-any.whl")), Shape.PARTIAL, [WHEEL, "e-1.0-py3-none-any.whl"]),
        ("H05", box(row(), sources()) + "<", Shape.PARTIAL, [WHEEL]),
        ("H05", box(row(), sources()) + "<div", Shape.PARTIAL, [WHEEL]),
        ("H05", box(row(), sources()) + "<!-- ", Shape.PARTIAL, [WHEEL]),
        ("H14", box(row(), sources()) + "Uh oh! Whoa there!", Shape.OK, [WHEEL]),
        ("H22", box(row(), row(), sources()), Shape.OK, [WHEEL]),
        ("H22", box(row(), sources()) + box(row(), sources()), Shape.PARTIAL, [WHEEL]),
        ("H24", box(row(), row("old.whl", tag="v0"), sources()), Shape.OK, [WHEEL]),
        ("H24", box(row(), row("evil.whl", place="o/other"), sources()), Shape.OK, [WHEEL]),
        ("H24", box(row("old.whl", tag="v0"), sources()), Shape.PARTIAL, []),
        ("H24", box(row(), sources("v0")), Shape.PARTIAL, [WHEEL]),
        ("H26", box('<li class="Box-row"><button>x</button></li>', sources()), Shape.BROKEN, []),
        ("H26", box('<div class="Box-row"><b>x</b></div>', sources()), Shape.BROKEN, []),
        ("H26", box(sources(), '<svg class="octicon-package">'), Shape.BROKEN, []),
        ("H26", box(sources()) + "<!-- sha256: -->", Shape.BROKEN, []),
        ("H26", box(row(), "<li>unknown</li>", sources()), Shape.PARTIAL, [WHEEL]),
        ("-", box(sources("v0")), Shape.BROKEN, []),
        ("-", box(sources())[:-6], Shape.BROKEN, []),
        ("-", box(sources()) + box(), Shape.BROKEN, []),
        ("-", f"<ul>{row()}{sources()}</ul>", Shape.PARTIAL, [WHEEL]),
        ("-", "", Shape.BROKEN, []),
        ("-", "<title>Unicorn! &middot; GitHub</title><p>This page is taking too long to load.", Shape.BROKEN, []),
    ],
)
def test_kinds_of_hard_cases(key: str, body: str, shape: Shape, found: list[str]) -> None:
    page = fragment(body)
    assert (key, page.shape, names(page)) == (key, shape, found)
    assert bool(page.reason) is (shape is not Shape.OK)


@pytest.mark.parametrize("href", ["pkg%2Fv1.0", "pkg/v1.0", "pkg%2fv1.0"])
def test_H08_tag_with_slash(href: str) -> None:
    page = fragment(box(row(tag=href), sources("pkg/v1.0")), tag="pkg/v1.0")
    assert (page.shape, names(page)) == (Shape.OK, [WHEEL])


@pytest.mark.parametrize(
    ("tag", "href"), [("a#b", "a%23b"), ("a+b", "a%2Bb"), ("a+b", "a+b"), ("a b", "a%20b"), ("ä", "ä")]
)
def test_H10_tags_are_decoded_once(tag: str, href: str) -> None:
    url = "https://github.com/o/r/releases/expanded_assets/x"
    assert names(fragment(box(row(tag=href), sources(href)), tag=tag, url=url)) == [WHEEL]


def test_H19_a_digest_labelled_for_another_file_is_refused() -> None:
    other = "xdemo-1.0-py3-none-any.whl"
    page = fragment(box(row(cell=button(DIGESTS[0], other)), row(other, cell=button(DIGESTS[1], other)), sources()))
    assert [asset.sha256 for asset in page.assets] == [None, DIGESTS[1]]
    assert codes(page) == ["bad-hash"]


def test_a_row_whose_link_is_gone_gives_its_digest_to_nobody() -> None:
    lost = f'<li class="Box-row"><button>x</button><span>sha256:{DIGESTS[0]}</span></li>'
    page = fragment(box(row(), lost, sources()))
    assert (page.shape, page.assets[0].sha256) == (Shape.PARTIAL, None)


def test_button_and_shown_digest_that_differ_are_a_conflict() -> None:
    cell = button(DIGESTS[0], WHEEL).replace(f"<span>sha256:{DIGESTS[0]}", f"<span>sha256:{DIGESTS[1]}")
    page = fragment(box(row(cell=cell), sources()))
    assert page.assets[0].sha256 is None
    assert codes(page) == ["hash-conflict"]


@pytest.mark.parametrize("digest", ["sha256:abc123", "sha256:" + "A" * 64, "sha256:", "sha256:" + "g" * 64])
def test_a_digest_that_is_none_is_a_problem(digest: str) -> None:
    page = fragment(box(row(cell=f"<span>{digest}</span>"), sources()))
    assert (page.shape, page.assets[0].hashes, codes(page)) == (Shape.OK, (), ["bad-hash"])


def test_time_is_the_attribute_and_the_shadow_text_is_nothing() -> None:
    cell = (
        '<relative-time datetime="2026-09-03T22:50:33+02:00"><template shadowrootmode="open">'
        '<a href="/o/r/releases/download/v1/x">37 minutes ago</template>Sep 3</relative-time>'
    )
    page = fragment(box(row(cell=cell), sources()))
    assert [asset.uploaded_at for asset in page.assets] == ["2026-09-03T20:50:33Z"]


def test_name_comes_from_the_address_and_a_label_is_reported() -> None:
    page = fragment(box(row().replace(f"<span>{WHEEL}", "<span>Linux wheel"), sources()))
    assert (names(page), codes(page)) == ([WHEEL], ["name-mismatch"])


@pytest.mark.parametrize(
    ("announced", "shape"), [(None, Shape.OK), (1, Shape.OK), (2, Shape.PARTIAL), (0, Shape.PARTIAL)]
)
def test_B26_announced_files_must_all_be_there(announced: int | None, shape: Shape) -> None:
    assert fragment(box(row(), row("old.whl", tag="v0"), sources()), announced=announced).shape is shape


def test_B26_an_empty_fragment_of_an_announced_release_is_partial() -> None:
    assert fragment(box(sources()), announced=0).shape is Shape.EMPTY
    assert fragment(box(sources()), announced=58).shape is Shape.PARTIAL


def test_S05_owner_of_the_final_address_holds() -> None:
    page = parse_expanded_assets(
        box(row(place="n/r"), sources(place="N/R")).encode(),
        HTML,
        "https://github.com/n/r/releases/expanded_assets/v1",
        repository="o/r",
        tag="v1",
    )
    assert (page.shape, page.repository) == (Shape.OK, "n/r")


@pytest.mark.parametrize("host", ["https://github.com", "http://127.0.0.1:8000", ""])
def test_links_may_be_absolute_on_the_pages_own_host(host: str) -> None:
    body = box(row().replace('href="', f'href="{host}'), sources())
    page = fragment(body, url="http://127.0.0.1:8000/o/r/releases/expanded_assets/v1")
    assert page.shape is Shape.OK


def test_a_link_to_another_host_is_no_file_of_the_release() -> None:
    page = fragment(box(row().replace('href="', 'href="https://evil.test'), sources()))
    assert (page.shape, page.assets) == (Shape.BROKEN, ())


@pytest.mark.parametrize(
    ("asked", "shape"),
    [
        ({"status": 404}, Shape.GONE),
        ({"status": 410}, Shape.GONE),
        ({"status": 429}, Shape.RETRY),
        ({"status": 502}, Shape.RETRY),
        ({"status": 403}, Shape.BROKEN),
        ({"media_type": "application/json"}, Shape.BROKEN),
        ({"url": "https://github.com/o/r/releases/tag/v1"}, Shape.PARTIAL),
    ],
)
def test_a_good_body_in_a_bad_reply(asked: dict[str, Any], shape: Shape) -> None:
    assert fragment(box(row(), sources()), **asked).shape is shape


@pytest.mark.parametrize("status", [200, 403, 404, 429])
def test_H17_limit_page_whatever_its_status(status: int, test_data: Path) -> None:
    body = (test_data / "github" / "pages" / "error_html_429_secondary_rate_limit_excerpt.html").read_bytes()
    assert fragment(body, status=status).shape is Shape.RETRY
    assert listed(body, status=status).shape is Shape.RETRY


def block(tag: str, *, title: str = "t", more: str = "", count: int = 3) -> str:
    return (
        f'<section aria-labelledby="hd-{len(tag)}"><h2 class="sr-only">{title}</h2>'
        f'<relative-time datetime="2026-01-02T03:04:05Z"></relative-time>'
        f'<a href="/o/r/releases/tag/{tag}">{title}</a>{more}'
        f'<summary><span>Assets</span><span title="{count}" class="Counter ml-1">{count}</span></summary>'
        f'<include-fragment src="https://github.com/o/r/releases/expanded_assets/{tag}">Uh oh!</include-fragment>'
        "</section>"
    )


def test_list_reads_each_block() -> None:
    labels = '<span class="Label Label--warning">Pre-release</span><span class="Label">Immutable</span>'
    notes = (
        '<div class="markdown-body"><div></div><a href="/o/r/releases/tag/v0">v0</a>'
        '<a rel="next" href="/o/r/releases?page=9">n</a></div>'
    )
    contributors = '<span class="Counter" title="7">7</span>'
    following = '<a class="next_page" rel="next" href="/o/r/releases?page=2">'
    page = listed(block("v2", more=labels + notes + contributors, count=5) + block("pkg/v%2B1", title="v1") + following)
    assert page.shape is Shape.OK
    assert [(release.tag, release.announced, release.prerelease) for release in page.releases] == [
        ("v2", 3, True),
        ("pkg/v+1", 1, False),
    ]
    assert page.releases[0].immutable is True
    assert page.releases[0].published_at == "2026-01-02T03:04:05Z"
    assert page.next_url == "https://github.com/o/r/releases?page=2"


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ("<html>" + block("v1") + "</html>", Shape.OK),
        ("<html>" + block("v1"), Shape.PARTIAL),
        (block("v1")[:-10], Shape.PARTIAL),
        (block("v2") + block("v1")[:60], Shape.PARTIAL),
        (block("v1").replace("include-fragment", "x-fragment").replace("Counter", "Badge"), Shape.PARTIAL),
        ("<html><h2>There aren\u2019t any releases here</h2><p>Uh oh!</p></html>", Shape.EMPTY),
        ("<html><title>Releases</title></html>", Shape.BROKEN),
        ("<title>Sign in to GitHub</title><form action=/session>", Shape.BROKEN),
    ],
)
def test_B25_shape_of_a_list(body: str, shape: Shape) -> None:
    page = listed(body)
    assert page.shape is shape
    assert bool(page.reason) is (shape is not Shape.OK)


def test_releases_of_another_repository_are_none_of_the_list() -> None:
    assert listed(block("v1").replace("/o/r/", "/o/other/")).shape is Shape.BROKEN


def tag_page(body: str, **asked: Any) -> Page:
    return parse_tag_page(body.encode(), HTML, "https://github.com/o/r/releases/tag/v1", repository="o/r", **asked)


def test_tag_page_names_its_fragment_and_count() -> None:
    page = tag_page("<html><ul><li>menu</li></ul>" + block("v1", count=4) + "</html>")
    assert (page.shape, page.links) == (Shape.OK, ("https://github.com/o/r/releases/expanded_assets/v1",))
    assert (page.releases[0].tag, page.releases[0].announced) == ("v1", 2)


def test_tag_page_of_2020_lists_its_files_itself(test_data: Path) -> None:
    body = (test_data / "github" / "pages" / "ea_2020-12_raylib35_oldlayout.html").read_text()
    page = parse_tag_page(
        f"<html><ul><li>menu</li></ul>{body}</html>".encode(),
        HTML,
        "https://github.com/raysan5/raylib/releases/tag/3.5.0",
        repository="raysan5/raylib",
    )
    assert (page.shape, len(page.assets), page.links) == (Shape.OK, 12, ())


def test_tag_page_with_first_files_defers_the_rest() -> None:
    more = '<include-fragment data-deferred-src="/o/r/releases/expanded_assets/v1"></include-fragment>'
    page = tag_page(box(row()) + more)
    assert (page.shape, names(page), len(page.links)) == (Shape.PARTIAL, [WHEEL], 1)
    assert tag_page("<html>nothing</html>").shape is Shape.BROKEN
    assert tag_page("", status=404).shape is Shape.GONE


SAMPLE = box(row(cell=button(DIGESTS[0], WHEEL)), row("b+1.whl"), row("old.whl", tag="v0"), sources()) + block("v1")
PUT = st.sampled_from(["", "<", '"', ">", "<li>", "</div>", "&", "\0"])
EDITS = st.lists(st.tuples(st.integers(0, len(SAMPLE)), st.integers(0, 40), PUT), max_size=5)


@settings(max_examples=200)
@given(EDITS, st.sampled_from([200, 403, 404, 500]))
def test_edited_pages_never_raise_and_invent_nothing(edits: list[tuple[int, int, str]], status: int) -> None:
    text = SAMPLE
    for at, length, put in edits:
        text = text[:at] + put + text[at + length :]
    assert parse_release_list(
        text.encode(), HTML, "https://github.com/o/r/releases", status=status, repository="o/r"
    ).kind
    assert tag_page(text, status=status).kind == "release-tag"
    page = fragment(text, status=status)
    if not edits and status == 200:
        assert names(page) == [WHEEL, "b+1.whl"]
    assert page.shape is not Shape.EMPTY


@given(st.binary(max_size=200), st.text(max_size=20))
def test_no_bytes_raise(body: bytes, text: str) -> None:
    assert (
        fragment(body, tag=text, url="https://github.com/o/r/releases/expanded_assets/" + text).kind
        == "expanded-assets"
    )
    assert listed(body, text).kind == "release-list"
    assert parse_tag_page(body, text, text, repository=text, tag=text).kind == "release-tag"
