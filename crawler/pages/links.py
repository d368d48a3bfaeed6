"""Pages that are a heap of links: find-links pages, flat pages, directory listings.

It knows that such a page promises nothing but its links, and how servers write their listings; it must not know any
index standard.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crawler.pages.addresses import Base
from crawler.pages.anchors import read_anchors
from crawler.pages.bucket import is_bucket, parse_bucket
from crawler.pages.html import decode_references, scan
from crawler.pages.text import decode
from crawler.pages.verdicts import charset_of, refuse_content, refuse_status, refuse_type
from wheels.page import Page, Shape

if TYPE_CHECKING:
    from wheels.page import Asset

_HEADING = re.compile(r"<(?:title|h1)\b[^<>]*+>\s*+(?:index of|directory listing|links for|files in)\b", re.IGNORECASE)
"""How an empty folder's listing, or an index page without files, still says what it is."""
# A row of nginx's, Apache's or lighttpd's listing: link, date, size. Rounded sizes have a unit; what is digits alone is
# exact. Times have no zone.
_GAP = r"(?:\s|&nbsp;|</?+t[dr]\b[^<>]*+>)++"
_ROW = re.compile(
    r"""<a\b[^<>]*?\shref=(?:"([^"<>]++)"|'([^'<>]++)')[^<>]*+>[^<]*+</a>"""
    rf"""{_GAP}(?:\d{{4}}-\w\w\w?-\d\d|\d\d-\w{{3}}-\d{{4}})\s++\d\d:\d\d(?::\d\d)?+{_GAP}(\d{{1,15}})(?=\s|<|\Z)""",
    re.IGNORECASE | re.ASCII,
)


def parse_links(body: bytes, media_type: str, url: str, *, status: int = 200, charset: str | None = None) -> Page:
    """Parse a page of links.

    Args:
        body: whole body.
        media_type: of the Content-Type header; parameters are allowed.
        url: final URL, after redirects.
        status: HTTP status code.
        charset: of the Content-Type header.

    Returns:
        The page; never raises. Its links are the directories and pages at or below its own address. Sizes are those
        that a server's listing or a bucket's states exactly.
    """
    text = decode(body, charset_of(media_type, charset))
    if refused := refuse_status("links", url, status, text):
        return refused
    if is_bucket(media_type, text):
        return parse_bucket(text, url)
    return refuse_type("links", url, media_type) or _parse_html(text, url)


def _parse_html(text: str, url: str) -> Page:
    found, _ = read_anchors(text, url)
    ways = tuple(link for link in found.links if _is_below(link, url))
    if found.assets or ways:
        assets = _with_sizes(found.assets, text, url)
        return Page(kind="links", url=url, shape=Shape.OK, assets=assets, links=ways, problems=found.problems)
    if refused := refuse_content("links", url, text):
        return refused
    if any("href" in tag.attributes for tag in scan(text, frozenset({"a"}))) or _HEADING.search(text):
        return Page(kind="links", url=url, shape=Shape.EMPTY, reason="no file is linked", problems=found.problems)
    return Page(kind="links", url=url, shape=Shape.BROKEN, reason="not a page of links", problems=found.problems)


def _is_below(link: str, url: str) -> bool:
    """Whether a link leads down from the page: neither to its parent, nor to itself sorted anew, nor elsewhere."""
    page = url.partition("?")[0]
    directory = page[: page.rfind("/") + 1]
    return link.startswith(directory) and link.partition("?")[0] not in {directory, page}


def _with_sizes(assets: tuple[Asset, ...], text: str, url: str) -> tuple[Asset, ...]:
    """The files with the sizes that stand beside them; two that contradict each other are none."""
    base = Base(url)
    sizes: dict[str, int | None] = {}
    for double, single, digits in _ROW.findall(text):
        try:
            address = base.resolve(decode_references(double or single))[0]
        except ValueError:
            continue
        sizes[address] = int(digits) if sizes.get(address, int(digits)) == int(digits) else None
    if not sizes:
        return assets
    return tuple(asset._replace(size=sizes.get(asset.url, asset.size)) for asset in assets)
