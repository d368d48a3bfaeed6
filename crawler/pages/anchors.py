"""The links of an HTML index: each ``<a>`` becomes a file, a way to another page, or a problem.

It knows the attributes of PEP 503, 592, 658 and 714; it must not know what kind of page they stand on.
"""

from __future__ import annotations

import re

from crawler.pages.addresses import Base, filename_of, is_file
from crawler.pages.claims import is_specifier, read_fragment, read_sidecar
from crawler.pages.html import scan
from crawler.pages.listing import Listing
from crawler.pages.text import clean
from wheels.page import Asset

_ANCHOR = frozenset({"a"})
_BASE = frozenset({"base"})
_NO_LINK = re.compile(r"\s*(#|\?|javascript:|mailto:|data:|tel:|\Z)", re.IGNORECASE)


def read_anchors(text: str, url: str) -> Listing:
    """Read every link of a page.

    Args:
        text: the decoded page.
        url: its final URL; the first ``<base>`` with an address takes its place (row A01).

    Returns:
        Files, sub-pages in the page's order, and problems.
    """
    base = Base(url, _base_href(text))
    listing = Listing()
    for tag in scan(text, _ANCHOR):
        if not tag.closes:
            _read_anchor(tag.attributes, base, listing)
    return listing


def _base_href(text: str) -> str:
    if not re.search("<base", text, re.IGNORECASE):
        return ""
    return next((href for tag in scan(text, _BASE) if (href := tag.attributes.get("href"))), "")


def _read_anchor(attributes: dict[str, str], base: Base, listing: Listing) -> None:
    href = attributes.get("href", "")
    try:
        url, fragment = base.resolve(href)
    except ValueError:
        if not _NO_LINK.match(href):
            listing.report("bad-url", href)
        return
    filename = filename_of(url)
    if is_file(filename):
        listing.add(_read_file(filename, url, fragment, attributes, listing))
    elif not _NO_LINK.match(href):
        listing.add_link(url)


def _read_file(filename: str, url: str, fragment: str, attributes: dict[str, str], listing: Listing) -> Asset:
    hashes, bad = read_fragment(fragment) if fragment else ((), False)
    if bad:
        listing.report("bad-hash", fragment, url)
    if len(attributes) == 1:
        return Asset(filename=filename, url=url, hashes=hashes)
    # PEP 714: the new name wins.
    sidecar = attributes.get("data-core-metadata", attributes.get("data-dist-info-metadata"))
    metadata, metadata_sha256, malformed = read_sidecar(sidecar)
    if malformed:
        listing.report("bad-metadata", sidecar, url)
    requires_python = attributes.get("data-requires-python")
    if requires_python is not None and not is_specifier(requires_python):
        listing.report("bad-requires-python", requires_python, url)
    yanked = attributes.get("data-yanked")
    return Asset(
        filename=filename,
        url=url,
        hashes=hashes,
        requires_python=requires_python and clean(requires_python),
        yanked=yanked is not None,
        yank_reason=yanked and clean(yanked),
        metadata=metadata,
        metadata_sha256=metadata_sha256,
    )
