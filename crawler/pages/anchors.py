"""The links of an HTML index: each ``<a>`` becomes a file, a way to another page, or a problem.

It knows the attributes of PEP 503, 592, 658 and 714; it must not know what kind of page they stand on.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from crawler.pages.addresses import Base, decode_name, filename_of, is_file
from crawler.pages.claims import Hashes, is_specifier, read_fragment, read_sidecar
from crawler.pages.html import read_attributes, start_tags
from crawler.pages.listing import Listing
from crawler.pages.text import clean
from wheels.page import Asset

_TAGS = frozenset({"a", "base", "meta"})
_REPEATED_CHARS = 120
_NO_LINK = re.compile(r"\s*(#|\?|javascript:|mailto:|data:|tel:|\Z)", re.IGNORECASE)
_SEGMENT = r"[!$%'-\-0-;=@-\[\]-~][!$%'-.0-;=@-\[\]-~]*+"
# How nearly all links of indexes begin: a plain address without "." segments, perhaps its sha256. It is matched in the
# one pass that finds the tags.
_PLAIN_LINK = (
    r"""(?<=<a)[ \t\n\f\r]++href="(?P<address>"""
    rf"""(?:https?://[a-zA-Z0-9.-]++(?::[0-9]{{1,4}}+)?+/(?:{_SEGMENT}/)*+"""
    r"""|(?:[a-zA-Z0-9_%+~-][a-zA-Z0-9_%+.~-]*+/)*+)"""
    r"""(?P<file>[a-zA-Z0-9_][a-zA-Z0-9_%+.!~-]*+)(?:(?<=\.whl)|(?<=\.tar\.gz)|(?<=\.zip)))"""
    r"""(?:\#sha256=(?P<sha256>[0-9a-f]{64}))?+\""""
)


def read_anchors(text: str, url: str) -> tuple[Listing, dict[str, str]]:
    """Read every link of a page.

    Args:
        text: the decoded page.
        url: its final URL; the first ``<base>`` with an address takes its place (row A01).

    Returns:
        Files, sub-pages in the page's order, and problems; and the content of each named ``<meta>``.
    """
    tags = list(start_tags(text, _TAGS, _PLAIN_LINK))
    others = [(tag[2].lower(), read_attributes(tag["rest"])) for tag in tags if len(tag[2]) > 1]
    base = Base(url, next((href for name, tag in others if name == "base" and (href := tag.get("href"))), ""))
    listing = Listing()
    for tag in tags:
        address, name, sha256, rest = tag.group("address", "file", "sha256", "rest")
        if name and (base.directory or ":" in address):
            hashes = (("sha256", sha256),) if sha256 else ()
            address = address if ":" in address else base.directory + address
            listing.add(_read_file(decode_name(name), address, hashes, rest, listing))
        elif len(tag[2]) == 1:
            _read_link(text[tag.end(2) : tag.end() - 1], base, listing)
    return listing, {tag["name"].lower(): tag.get("content", "") for name, tag in others if "name" in tag}


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
    if not raw or "data-" not in raw.lower():
        return Asset(filename=filename, url=url, hashes=hashes)
    facts = _repeated_facts(raw) if len(raw) < _REPEATED_CHARS else _read_facts(raw)
    for code, detail in facts.problems:
        listing.report(code, detail, url)
    return Asset(
        filename=filename,
        url=url,
        hashes=hashes,
        requires_python=facts.requires_python,
        yanked=facts.yank_reason is not None,
        yank_reason=facts.yank_reason,
        metadata=facts.metadata,
        metadata_sha256=facts.metadata_sha256,
    )


class _Facts(NamedTuple):
    """What an anchor's attributes say beside the link."""

    requires_python: str | None
    yank_reason: str | None
    metadata: bool | None
    metadata_sha256: str | None
    problems: tuple[tuple[str, str], ...]
    """(code, detail)."""


def _read_facts(raw: str) -> _Facts:
    attributes = read_attributes(raw)
    problems = []
    # PEP 714: the new name wins.
    sidecar = attributes.get("data-core-metadata", attributes.get("data-dist-info-metadata"))
    metadata, metadata_sha256, malformed = read_sidecar(sidecar)
    if malformed:
        problems.append(("bad-metadata", sidecar or ""))
    requires_python = attributes.get("data-requires-python")
    if requires_python is not None and not is_specifier(requires_python):
        problems.append(("bad-requires-python", requires_python))
    yank_reason = attributes.get("data-yanked")
    return _Facts(
        requires_python and clean(requires_python),
        yank_reason and clean(yank_reason),
        metadata,
        metadata_sha256,
        tuple(problems),
    )


# The files of one release bear the same attributes, character for character.
_repeated_facts = lru_cache(maxsize=256)(_read_facts)
