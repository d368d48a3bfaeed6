"""The listing of an object store's bucket: the ListBucket answer of S3 and of those that speak its language.

It knows both versions of that answer; it must not know which buckets there are.
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import parse_qsl, quote, unquote_plus, urlencode
from xml.etree.ElementTree import ParseError, XMLParser

from crawler.pages.addresses import is_file
from crawler.pages.listing import Listing
from crawler.pages.text import clean, exact_size, utc
from crawler.pages.verdicts import bare_type, broken
from wheels.page import Asset, Page, Shape

XML_TYPES = frozenset({"application/xml", "text/xml"})
_ROOT = "ListBucketResult"
_FIELDS = frozenset(
    {"Key", "LastModified", "Size", "Prefix", "EncodingType", "IsTruncated", "NextContinuationToken", "NextMarker"}
)
_MAX_DIGITS = 16
_MAX_CHARS = 4_096
"""Of one field: a key has at most 1,024 bytes."""


def is_bucket(media_type: str, text: str) -> bool:
    """Whether a reply is a bucket's listing, or should be one by its media type."""
    return bare_type(media_type) in XML_TYPES or (not media_type and f"<{_ROOT}" in text[:1024])


def parse_bucket(text: str, url: str) -> Page:
    """Parse the listing of a bucket.

    Args:
        text: the decoded body.
        url: final URL; with its query, which names prefix and delimiter.

    Returns:
        The page; never raises. Sizes are exact. An ETag is no claim: it is the MD5 of some files, and of others not.
    """
    if "<!DOCTYPE" in text:  # no listing has one, and entities of one's own are how XML explodes
        return broken("links", url, "XML with a document type")
    reader = _Reader()
    whole = _read_all(text, reader)
    if reader.root != _ROOT:
        return broken("links", url, f"XML, but no bucket listing: {reader.root or 'no element'}")
    listing = Listing()
    address = url.partition("?")[0]
    folder = address if address.endswith("/") else f"{address}/"
    for entry in reader.entries:
        _read_entry(entry, _decoded(entry.key, reader), folder, listing)
    for prefix in reader.prefixes:
        listing.add_link(_ask_again(url, prefix=_decoded(prefix, reader)))
    goes_on = reader.said.get("IsTruncated") == "true"
    following = _next_url(url, reader) if goes_on else None
    if not whole or (goes_on and following is None):
        shape, reason = Shape.PARTIAL, "the listing ends before its end"
    else:
        empty = not (listing.assets or listing.links)
        shape, reason = (Shape.EMPTY, "no file is listed") if empty else (Shape.OK, "")
    return Page(
        kind="links",
        url=url,
        shape=shape,
        reason=reason,
        assets=listing.assets,
        links=listing.links,
        next_url=following,
        problems=listing.problems,
    )


class _Entry(NamedTuple):
    """One file of the listing, as it stands."""

    key: str
    modified: str
    size: str


class _Reader:
    """Takes the parser's events: no tree is built, and what came before an error is kept."""

    def __init__(self) -> None:
        self.root = ""
        self.entries: list[_Entry] = []
        self.prefixes: list[str] = []
        self.said: dict[str, str] = {}
        """What the listing says of itself."""
        self._path: list[str] = []
        self._fields: dict[str, str] = {}
        self._text = ""

    def start(self, tag: str, _: dict[str, str]) -> None:
        """An element begins; namespaces are left aside, they vary by vendor."""
        self._path.append(tag.rpartition("}")[2])
        self.root = self.root or self._path[0]
        self._text = ""
        if len(self._path) == 2:  # noqa: PLR2004 - directly below the root
            self._fields = {}

    def data(self, text: str) -> None:
        """Text, maybe in pieces."""
        if self._path and self._path[-1] in _FIELDS and len(self._text) < _MAX_CHARS:
            self._text += text

    def end(self, _: str) -> None:
        """An element ends."""
        name, depth = self._path.pop(), len(self._path)
        if depth == 1 and name == "Contents" and "Key" in self._fields:
            fields = self._fields
            self.entries.append(_Entry(fields["Key"], fields.get("LastModified", ""), fields.get("Size", "")))
        elif depth == 1 and name == "CommonPrefixes" and self._fields.get("Prefix"):
            self.prefixes.append(self._fields["Prefix"])
        elif name in _FIELDS:
            (self.said if depth == 1 else self._fields).setdefault(name, self._text)
        self._text = ""


def _read_all(text: str, reader: _Reader) -> bool:
    """Read to the end, or as far as it is XML; whether that was the end."""
    parser = XMLParser(target=reader)  # noqa: S314 - no document type, so no entities; the reader builds no tree
    try:
        parser.feed(text)
        parser.close()
    except (ParseError, ValueError):
        return False
    return True


def _decoded(key: str, reader: _Reader) -> str:
    # S3, "encoding-type": keys as in a form's data, which XML could not hold otherwise.
    return unquote_plus(key) if reader.said.get("EncodingType") == "url" else key


def _read_entry(entry: _Entry, key: str, folder: str, listing: Listing) -> None:
    filename = key.rpartition("/")[2]
    if not is_file(filename):
        return
    url = folder + quote(key)
    digits = entry.size.strip()
    size = exact_size(int(digits)) if digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS else None
    if size is None and digits:
        listing.report("bad-size", digits, url)
    listing.add(Asset(filename=clean(filename), url=url, size=size, uploaded_at=utc(entry.modified.strip())))


def _next_url(url: str, reader: _Reader) -> str | None:
    """Where the listing goes on: by a token (version 2), a marker, or the last key (version 1 without a delimiter)."""
    token = reader.said.get("NextContinuationToken")
    if token:
        return _ask_again(url, **{"continuation-token": token})
    last = reader.said.get("NextMarker") or (reader.entries[-1].key if reader.entries else "")
    return _ask_again(url, marker=_decoded(last, reader)) if last else None


def _ask_again(url: str, **changed: str) -> str:
    """The listing's address with parts of its query changed; a token or marker belongs to one prefix only."""
    address, _, query = url.partition("?")
    paging = {"marker", "continuation-token", "start-after"}
    kept = {key: value for key, value in parse_qsl(query, keep_blank_values=True) if key not in paging}
    return f"{address}?{urlencode(kept | changed, quote_via=quote, errors='replace')}"
