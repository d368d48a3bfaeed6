"""Pages that are a heap of links: find-links pages, flat pages, directory listings.

It knows that such a page promises nothing but its links; it must not know any index standard.
"""

from __future__ import annotations

from crawler.pages.anchors import read_anchors
from crawler.pages.html import scan
from crawler.pages.text import decode
from crawler.pages.verdicts import charset_of, refuse_content, refuse_status, refuse_type
from wheels.page import Page, Shape


def parse_links(body: bytes, media_type: str, url: str, *, status: int = 200, charset: str | None = None) -> Page:
    """Parse a page of links.

    Args:
        body: whole body.
        media_type: of the Content-Type header; parameters are allowed.
        url: final URL, after redirects.
        status: HTTP status code.
        charset: of the Content-Type header.

    Returns:
        The page; never raises. Its links are the directories and pages at or below its own address.
    """
    text = decode(body, charset_of(media_type, charset))
    if refused := refuse_status("links", url, status, text) or refuse_type("links", url, media_type):
        return refused
    found, _ = read_anchors(text, url)
    ways = tuple(link for link in found.links if _is_below(link, url))
    if found.assets or ways:
        return Page(kind="links", url=url, shape=Shape.OK, assets=found.assets, links=ways, problems=found.problems)
    if refused := refuse_content("links", url, text):
        return refused
    if any(scan(text, frozenset({"html", "body", "h1", "a", "pre", "table"}))):
        return Page(kind="links", url=url, shape=Shape.EMPTY, reason="no file is linked", problems=found.problems)
    return Page(kind="links", url=url, shape=Shape.BROKEN, reason="not a page of links", problems=found.problems)


def _is_below(link: str, url: str) -> bool:
    """Whether a link leads down from the page: neither to its parent, nor to itself sorted anew, nor elsewhere."""
    page = url.partition("?")[0]
    directory = page[: page.rfind("/") + 1]
    return link.startswith(directory) and link.partition("?")[0] not in {directory, page}
