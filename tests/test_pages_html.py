"""The tag scanner, against cases of the HTML standard and against a parser of that standard."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from crawler.pages.html import CUT, decode_references, plain_text, scan, start_tags, title

A = frozenset({"a"})

HOSTILE = {
    "anchors that never end": "<a " * 20_000,
    "anchors that never close": "<a href=x.whl>" * 20_000,
    "deep nesting": "<div>" * 200_000,
    "open double quotes": '<a "' * 20_000,
    "open single quotes": "<a b='" * 20_000,
    "attributes without value": "<a a=" * 20_000,
    "slashes": "<a/" * 50_000,
    "other tags that never end": "<b " * 50_000,
    "less-than signs": "<" * 200_000,
    "end tags that never end": "</" * 100_000,
    "comments that never end": "<!--" * 50_000,
    "sections that never end": "<![CDATA[" * 50_000,
    "scripts that never end": "<script>" * 50_000,
    "templates that never end": "<template>" * 50_000,
    "titles that never end": "<title " * 50_000,
    "references": '<a href="' + "&a" * 100_000 + '">',
    "one long text": "a" * 2_000_000,
    "many attributes": "<a" + " b=c" * 200_000 + ">",
}


def hrefs(text: str) -> list[str | None]:
    return [tag.attributes.get("href") for tag in scan(text, A) if tag.name == "a" and not tag.closes]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_A27_hostile_pages_are_scanned_in_linear_time(text: str) -> None:
    begin = time.process_time()
    for tag in scan(text, A | {"b"}):
        assert tag.attributes is not None
    list(start_tags(text, A))
    title(text)
    plain_text(text)
    assert time.process_time() - begin < 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<A HREF=x>", ["x"]),
        ("<a\nhref = 'x y' >", ["x y"]),
        ("<a/href=x/>", ["x/"]),
        ('<a href="x">', ["x"]),
        ('<a title="<a href=no>" href=x>', ["x"]),
        ("<a href=a href=b>", ["a"]),
        ("<a>", [None]),
        ("<a href>", [""]),
        ("<a href=>", [""]),
        ("<a =href=x>", [None]),
        ("<abbr href=x>", []),
        ("< a href=x>", []),
        ("</a href=x>", []),
        ("<a href=x", []),
        ("<a href='x>", []),
        ("<b><a href=x></b>", ["x"]),
        ("a < b <a href=x>", ["x"]),
    ],
)
def test_start_tags_are_read_as_the_standard_reads_them(text: str, found: list[str | None]) -> None:
    assert hrefs(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "<!-- <a href=no> --><a href=x>",
        "<!--><a href=x>",
        "<!---><a href=x>",
        "<!-- a --!><a href=x>",
        "<script>'<a href=no>'</script><a href=x>",
        "<SCRIPT>if (a<b) '</a>'</SCRIPT ><a href=x>",
        "<style><a href=no></style><a href=x>",
        "<![CDATA[<a href=no><a href=no>]]><a href=x>",
        "<textarea><a href=no></textarea><a href=x>",
        "<title><a href=no></title><a href=x>",
        "<template><a href=no><template></template><a href=no></template><a href=x>",
        "<?xml <a?><a href=x>",
        "<!doctype html><a href=x>",
        "</ <a href=no><a href=x>",
    ],
)
def test_A43_hidden_links_are_no_links(text: str) -> None:
    assert hrefs(text) == ["x"]


@pytest.mark.parametrize(
    "text", ["<a href=x", "<a href='", "<!-- ", "<script>", "<template>", "<b ", "<a><b x='", "<plaintext><a>"]
)
def test_a_text_that_ends_too_early_says_so(text: str) -> None:
    assert list(scan(text, A))[-1].name == CUT


@pytest.mark.parametrize("text", ["", "a", "<a>", "a < b", "<a><b></b>", "<!-- -->", "<script></script>", "<p>x<"])
def test_a_whole_text_says_nothing(text: str) -> None:
    assert all(tag.name == "a" for tag in scan(text, A))


@pytest.mark.parametrize(
    ("value", "decoded"),
    [
        ("f?a=1&amp;b=2", "f?a=1&b=2"),
        ("f?x=1&sect=2", "f?x=1&sect=2"),
        ("f?x=1&sect;=2", "f?x=1§=2"),
        ("a&notit;", "a&notit;"),
        ("a&not", "a¬"),
        ("&gt;=3.8", ">=3.8"),
        ("&#43;&#x2B;&#43", "+++"),
        ("&unknown;&", "&unknown;&"),
        ("a&#x27;b", "a'b"),
    ],
)
def test_A17_references_in_attribute_values(value: str, decoded: str) -> None:
    assert decode_references(value) == decoded


def test_offsets_point_into_the_text() -> None:
    text = "x<b><a href=y>z</a>"
    assert [text[tag.start : tag.stop] for tag in scan(text, A)] == ["<a href=y>", "</a>"]


def test_title_and_plain_text() -> None:
    assert title("<head><TITLE>\n Links &amp; for  x</TITLE>") == "Links & for x"
    assert plain_text("<b>a</b>&amp;<i> b\n</i>") == "a & b"


PIECES = st.sampled_from(
    [
        "<a",
        "href=x>",
        '<a href="y"',
        ">",
        "</a>",
        "<b c='",
        "'",
        '"',
        "<!--",
        "-->",
        "--!>",
        "<script>",
        "</script>",
        "<",
        "/",
        "=",
        "<title>",
        "</title>",
        "<textarea>",
        "</textarea>",
        " ",
        "a",
        "&amp;",
        "<br/>",
        "<?",
        "<!d",
        "</",
        "<style>",
        "</style",
    ]
)


@given(st.lists(PIECES, max_size=25).map("".join))
def test_the_scanner_agrees_with_a_parser_of_the_standard(text: str) -> None:
    # Inside <body>, so that the tree builder drops no anchor; unclosed ones it opens anew, so each address counts once.
    tree = LexborHTMLParser(f"<body><p>{text}")
    theirs = [node.attributes.get("href") or None for node in tree.css("a")]
    assert list(dict.fromkeys(href or None for href in hrefs(f"<body><p>{text}"))) == list(dict.fromkeys(theirs))


@given(st.text())
def test_any_text_is_scanned(text: str) -> None:
    for tag in scan(text, A):
        assert isinstance(tag.attributes, dict)
