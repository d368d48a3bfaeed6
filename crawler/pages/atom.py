"""GitHub's feed of releases: the newest ten, a bell that says what changed.

It knows that a feed's titles are no tags (rows S14, S15); it must not know files, which no feed lists.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from crawler.pages.github_urls import read_release_url, repository_of
from crawler.pages.text import clean, decode, utc
from crawler.pages.verdicts import broken, charset_of, refuse_content, refuse_status
from wheels.page import Page, Release, Shape

if TYPE_CHECKING:
    from collections.abc import Iterator

_KIND = "atom"
_ATOM = "{http://www.w3.org/2005/Atom}"
_ENTRY_ID = re.compile(r"tag:[^:]*:Repository/(\d{1,15})/(.+)", re.DOTALL)


def parse_atom(body: bytes, media_type: str, url: str, *, status: int = 200, charset: str | None = None) -> Page:
    """Parse ``releases.atom`` (f8).

    Args:
        body: whole body.
        media_type: of the Content-Type header; the body decides.
        url: final URL.
        status: HTTP status code.
        charset: of the Content-Type header.

    Returns:
        The page; never raises. Its releases have a tag, a title and the entry's ``updated`` time as ``published_at``.
    """
    text = decode(body, charset_of(media_type, charset))
    if refused := refuse_status(_KIND, url, status, text):
        return refused
    feed = _read_feed(text)
    if feed is None:
        return refuse_content(_KIND, url, text) or broken(_KIND, url, "not an Atom feed")
    entries = feed.findall(f"{_ATOM}entry")
    releases = tuple({release.tag: release for release in map(_read_entry, entries) if release}.values())
    ids = [found for entry in entries if (found := _ENTRY_ID.fullmatch(_text(entry, "id")))]
    shape = Shape.OK if len(releases) == len(entries) else Shape.PARTIAL
    return Page(
        kind=_KIND,
        url=url,
        shape=shape if entries else Shape.EMPTY,
        reason=""
        if releases and shape is Shape.OK
        else "an entry without a tag"
        if entries
        else "no release is listed",
        releases=releases,
        repository=next((named for link in _links(feed) if (named := repository_of(link))), None) or repository_of(url),
        repository_id=int(ids[0][1]) if ids else None,
    )


def _read_feed(text: str) -> ET.Element | None:
    # Entities are declared in a document type only, which no feed has: none, and nothing can be blown up.
    if "<!DOCTYPE" in text.upper() or "<!ENTITY" in text.upper():
        return None
    try:
        feed = ET.fromstring(re.sub(r"\A\s*<\?xml[^>]*\?>", "", text))  # noqa: S314 -- without a document type
    except (ET.ParseError, ValueError):
        return None
    return feed if feed.tag == f"{_ATOM}feed" else None


def _read_entry(entry: ET.Element) -> Release | None:
    named = _ENTRY_ID.fullmatch(_text(entry, "id"))
    linked = (target.tag for link in _links(entry) if (target := read_release_url(link)) and target.kind == "tag")
    tag = next(linked, named[2] if named else None)
    if not tag:
        return None
    return Release(tag=clean(tag), title=clean(_text(entry, "title")), published_at=utc(_text(entry, "updated")))


def _links(element: ET.Element) -> Iterator[str]:
    for link in element.findall(f"{_ATOM}link"):
        if link.get("rel", "alternate") == "alternate":
            yield link.get("href", "")


def _text(element: ET.Element, name: str) -> str:
    return " ".join((element.findtext(_ATOM + name) or "").split())
