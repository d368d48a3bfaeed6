"""The file tree of a Hugging Face repository: answers of ``/api/models/OWNER/REPO/tree/main?recursive=true``.

It knows the tree's entries and where a file of it is downloaded; it must not know how many answers a whole tree takes.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from crawler.pages.addresses import Base, is_file
from crawler.pages.json_text import UnreadableJsonError, read_json
from crawler.pages.listing import Listing
from crawler.pages.rest import read_next
from crawler.pages.text import clean, decode, exact_size
from crawler.pages.verdicts import broken, charset_of, refuse_content, refuse_status
from wheels.page import Asset, Page, Shape

KIND = "huggingface"
_OID = re.compile(r"(?:sha256:)?([0-9a-f]{64})")
_LIMIT = re.compile(r"rate limit|too many requests", re.IGNORECASE)
_STATUS = re.compile(r"status 40[13]")
_UNSAFE = {"", ".", ".."}


def parse_tree(
    body: bytes,
    media_type: str,
    url: str,
    *,
    repository: str,
    status: int = 200,
    charset: str | None = None,
    link: str | None = None,
) -> Page:
    """Parse one answer of the tree API.

    Args:
        body: whole body.
        media_type: of the Content-Type header; JSON is judged by the body.
        url: final URL.
        repository: ``OWNER/REPO`` or ``datasets/OWNER/REPO``: the tree does not name it.
        status: HTTP status code.
        charset: of the Content-Type header.
        link: the ``Link`` header, by which a long tree goes on.

    Returns:
        The page; never raises. Files that are no distributions are left out. A repository that is private or was never
        there answers 401: BROKEN, for nobody says which.
    """
    text = decode(body, charset_of(media_type, charset))
    if refused := refuse_status(KIND, url, status, text):
        return _explained(refused, text)
    try:
        document = read_json(text)
    except UnreadableJsonError as error:
        return refuse_content(KIND, url, text) or broken(KIND, url, str(error))
    if not isinstance(document, list):
        return _explained(broken(KIND, url, "JSON, but no file tree"), text)
    base, listing = Base(url), Listing()
    found = sum([_read_entry(entry, base, repository, listing) for entry in document])
    return Page(
        kind=KIND,
        url=url,
        shape=Shape.PARTIAL if document and not found else Shape.OK if listing.assets else Shape.EMPTY,
        reason="no entry can be read" if document and not found else "" if listing.assets else "no file is listed",
        assets=listing.assets,
        next_url=read_next(link, base),
        repository=repository,
        problems=listing.problems,
    )


def _explained(page: Page, text: str) -> Page:
    """A refusal with what the service says of it; a limit is one whatever its status."""
    try:
        document = read_json(text)
    except UnreadableJsonError:
        return page
    said = document.get("error") if isinstance(document, dict) else None
    message = clean(said)[:200] if isinstance(said, str) else ""
    if _LIMIT.search(message):
        return Page(kind=KIND, url=page.url, shape=Shape.RETRY, reason="rate limit")
    if _STATUS.fullmatch(page.reason):
        message = f"{message} (no such repository, or one that is private or gated)".lstrip()
    return Page(kind=KIND, url=page.url, shape=page.shape, reason=f"{page.reason} {message}".rstrip())


def _read_entry(entry: Any, base: Base, repository: str, listing: Listing) -> bool:
    """Take the distribution that an entry is; whether it was an entry at all."""
    path = entry.get("path") if isinstance(entry, dict) else None
    if not isinstance(path, str) or not _UNSAFE.isdisjoint(path.split("/")):
        listing.report("bad-url", entry)
        return False
    filename = path.rpartition("/")[2]
    if entry.get("type") != "file" or not is_file(filename):
        return True
    try:
        url = base.resolve(f"/{repository}/resolve/main/{quote(path)}")[0]
    except ValueError:  # a surrogate cannot be part of an address
        listing.report("bad-url", path)
        return False
    listing.add(_read_file(entry, clean(filename), url, listing))
    return True


def _read_file(entry: dict[str, Any], filename: str, url: str, listing: Listing) -> Asset:
    """The file of an entry; only the oid of a large file is its sha256, any other one is Git's own."""
    lfs = entry.get("lfs")
    large = lfs if isinstance(lfs, dict) else {}
    oid, size = large.get("oid"), large.get("size", entry.get("size"))
    digest = _OID.fullmatch(oid.lower()) if isinstance(oid, str) else None
    if oid is not None and not digest:
        listing.report("bad-hash", oid, url)
    if size is not None and exact_size(size) is None:
        listing.report("bad-size", size, url)
    hashes = (("sha256", digest[1]),) if digest else ()
    return Asset(filename=filename, url=url, hashes=hashes, size=exact_size(size))
