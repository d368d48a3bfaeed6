"""The links of an HTML index: each ``<a>`` becomes a file, a way to another page, or a problem.

It knows the attributes of PEP 503, 592, 658 and 714; it must not know what kind of page they stand on.
"""

from __future__ import annotations

import re

from crawler.pages.addresses import Base, filename_of, is_file
from crawler.pages.claims import Hashes, is_specifier, read_fragment, read_sidecar
from crawler.pages.html import read_attributes, scan, start_tags
from crawler.pages.listing import Listing
from crawler.pages.text import clean
from wheels.page import Asset

_BASE = frozenset({"base"})
_NO_LINK = re.compile(r"\s*(#|\?|javascript:|mailto:|data:|tel:|\Z)", re.IGNORECASE)
# The form that nearly all links of indexes have: a plain absolute or relative address, perhaps its sha256, perhaps more
# attributes. Groups: 1 directory, 2 file name, 3 sha256, 4 the other attributes.
_PLAIN_LINK = re.compile(
    r"""[ \t\n\f\r]++href="(https?://[a-zA-Z0-9.-]++(?::[0-9]{1,4}+)?+/(?:[!$%'-.0-;=@-\[\]-~]++/)*+"""
    r"""|(?:[a-zA-Z0-9_%+~-][a-zA-Z0-9_%+.~-]*+/)*+)([a-zA-Z0-9_][a-zA-Z0-9_+.!~-]*+)(?:#sha256=([0-9a-f]{64}))?+"(.*+)""",
    re.DOTALL,
)


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
    for raw in start_tags(text, "a"):
        plain = _PLAIN_LINK.match(raw)
        if plain and is_file(plain[2]) and (address := _plain_address(plain[1], plain[2], base)):
            hashes = (("sha256", plain[3]),) if plain[3] else ()
            listing.add(_read_file(plain[2], address, hashes, plain[4], listing))
        else:
            _read_link(raw, base, listing)
    return listing


def _plain_address(directory: str, filename: str, base: Base) -> str:
    """The address of a plain link; empty when it must be joined by the rules."""
    if ":" in directory:
        return "" if "/." in directory else directory + filename
    return base.directory and base.directory + directory + filename


def _base_href(text: str) -> str:
    if not re.search("<base", text, re.IGNORECASE):
        return ""
    return next((href for tag in scan(text, _BASE) if (href := tag.attributes.get("href"))), "")


def _read_link(raw: str, base: Base, listing: Listing) -> None:
    href = read_attributes(raw).get("href", "")
    try:
        url, fragment = base.resolve(href)
    except ValueError:
        if not _NO_LINK.match(href):
            listing.report("bad-url", href)
        return
    filename = filename_of(url)
    if not is_file(filename):
        if not _NO_LINK.match(href):
            listing.add_link(url)
        return
    hashes, bad = read_fragment(fragment)
    if bad:
        listing.report("bad-hash", fragment, url)
    listing.add(_read_file(filename, url, hashes, raw, listing))


def _read_file(filename: str, url: str, hashes: Hashes, raw: str, listing: Listing) -> Asset:
    """The record of a file; ``raw`` holds its anchor's attributes, with or without the link."""
    if "data-" not in raw.lower():
        return Asset(filename=filename, url=url, hashes=hashes)
    attributes = read_attributes(raw)
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
