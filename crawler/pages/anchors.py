"""The links of an HTML index: each ``<a>`` becomes a file, a way to another page, or a problem.

It knows the attributes of PEP 503, 592, 658 and 714; it must not know what kind of page they stand on.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from crawler.pages.addresses import Base, decode_name, is_file, path_of
from crawler.pages.claims import Hashes, is_specifier, read_fragment, read_sidecar
from crawler.pages.html import read_attributes, start_tags
from crawler.pages.listing import Listing
from crawler.pages.text import clean
from wheels.page import Asset

_TAGS = frozenset({"a", "base", "meta"})
_REPEATED_CHARS = 120
_NO_LINK = re.compile(r"\s*(#|\?|javascript:|mailto:|data:|tel:|\Z)", re.IGNORECASE)
# How nearly all links of indexes begin: a plain absolute or relative address, perhaps its sha256. It is matched in the
# one pass that finds the tags.
_PLAIN_LINK = (
    r"""(?<=<a)[ \t\n\f\r]++href="("""
    r"""https?://[a-zA-Z0-9.-]++(?::[0-9]{1,4}+)?+/[!$%'-;=@-\[\]-~]++|[a-zA-Z0-9_%+~-][a-zA-Z0-9_%+.~/-]*+)"""
    r"""(?:(?<=\.whl)|(?<=\.tar\.gz)|(?<=\.zip))(?:\#sha256=([0-9a-f]{64}))?+\""""
)


def read_anchors(text: str, url: str) -> tuple[Listing, dict[str, tuple[str, ...]]]:
    """Read every link of a page.

    Args:
        text: the decoded page.
        url: its final URL; the first ``<base>`` with an address takes its place (row A01).

    Returns:
        Files, sub-pages in the page's order, and problems; and the contents of each named ``<meta>``, in their order.
    """
    tags = start_tags(text, _TAGS, _PLAIN_LINK)
    others = [(tag[2].lower(), read_attributes(tag["rest"])) for tag in tags if len(tag[2]) > 1]
    base = Base(url, next((href for name, tag in others if name == "base" and (href := tag.get("href"))), ""))
    listing = Listing()
    for tag in tags:
        _, name, address, sha256, rest, _ = tag.groups()
        if address and "/." not in address and (base.directory or ":" in address):
            url = address if ":" in address else base.directory + address
            hashes = (("sha256", sha256),) if sha256 else ()
            _add_file(url.rpartition("/")[2], url, hashes, rest, listing)
        elif len(name) == 1:
            _read_link(text[tag.end(2) : tag.end() - 1], base, listing)
    marks: dict[str, tuple[str, ...]] = {}
    for element, said in others:
        if element == "meta" and (mark := said.get("name", "").lower()):
            marks[mark] = (*marks.get(mark, ()), said.get("content", ""))
    return listing, marks


def _read_link(raw: str, base: Base, listing: Listing) -> None:
    href = read_attributes(raw).get("href", "")
    try:
        url, fragment = base.resolve(href)
    except ValueError:
        if not _NO_LINK.match(href):
            listing.report("bad-url", href)
        return
    segment = path_of(url).rpartition("/")[2]
    if not is_file(decode_name(segment)):
        if not _NO_LINK.match(href):
            listing.add_link(url)
        return
    hashes, bad = read_fragment(fragment)
    if bad:
        listing.report("bad-hash", fragment, url)
    _add_file(segment, url, hashes, raw, listing)


def _add_file(segment: str, url: str, hashes: Hashes, raw: str, listing: Listing) -> None:
    """Take the file of an anchor; ``raw`` holds the anchor's attributes, with or without the link."""
    facts, problems = _repeated_facts(raw) if len(raw) < _REPEATED_CHARS else _read_facts(raw)
    for code, detail in problems:
        listing.report(code, detail, url)
    filename = decode_name(segment) if "%" in segment else segment
    listing.add(Asset(filename=filename, url=url, hashes=hashes, **facts))


def _read_facts(raw: str) -> tuple[dict[str, Any], tuple[tuple[str, str], ...]]:
    """What an anchor's attributes say beside the link, as fields of an asset; and (code, detail) of each problem."""
    if "data-" not in raw.lower():
        return {}, ()
    attributes = read_attributes(raw)
    # PEP 714: the new name wins.
    sidecar = attributes.get("data-core-metadata", attributes.get("data-dist-info-metadata"))
    metadata, metadata_sha256, malformed = read_sidecar(sidecar)
    facts: dict[str, Any] = {} if sidecar is None else {"metadata": metadata, "metadata_sha256": metadata_sha256}
    problems = [("bad-metadata", sidecar or "")] if malformed else []
    if (requires_python := attributes.get("data-requires-python")) is not None:
        facts["requires_python"] = clean(requires_python)
        if not is_specifier(requires_python):
            problems.append(("bad-requires-python", requires_python))
    if (reason := attributes.get("data-yanked")) is not None:
        facts |= {"yanked": True, "yank_reason": clean(reason)}
    return facts, tuple(problems)


# The files of one release bear the same attributes, character for character.
_repeated_facts = lru_cache(maxsize=256)(_read_facts)
