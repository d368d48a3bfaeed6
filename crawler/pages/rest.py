"""GitHub's REST answers about releases.

It knows lists and single objects of releases and of assets, and the service's refusals; it must not know tokens, nor of
pages still to be fetched more than the ``Link`` header says.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from crawler.pages.addresses import Base, path_of
from crawler.pages.github_urls import read_release_url
from crawler.pages.json_text import UnreadableJsonError, read_json
from crawler.pages.listing import Listing
from crawler.pages.text import clean, decode, exact_size, utc
from crawler.pages.verdicts import broken, charset_of, refuse_content
from wheels.page import Asset, Page, Release, Shape

if TYPE_CHECKING:
    from collections.abc import Callable

_OK = 200
_LIMIT = re.compile(r"rate limit|abuse detection", re.IGNORECASE)
_DEPTH = re.compile(r"only the first \d+ results", re.IGNORECASE)
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")
_NEXT = re.compile(r"<([^<>]*)>\s*;[^<]*\brel\s*=\s*\"?next\b", re.IGNORECASE)
_REPOSITORY = re.compile(r"/(?:api/v3/)?repos/([^/]+/[^/]+)/releases(?:/.*)?")
_REPOSITORY_ID = re.compile(r"/(?:api/v3/)?repositories/(\d{1,15})(?:/.*)?")


def parse_releases(
    body: bytes, media_type: str, url: str, *, status: int = 200, charset: str | None = None, link: str | None = None
) -> Page:
    """Parse a list of releases, or one release.

    Args:
        body: whole body.
        media_type: of the Content-Type header; JSON is judged by the body.
        url: final URL.
        status: HTTP status code.
        charset: of the Content-Type header.
        link: the ``Link`` header.

    Returns:
        The page; never raises. Each release holds its finished assets. PARTIAL with the reason ``depth``: the service's
        own end of a longer list.
    """
    return _parse("rest-releases", decode(body, charset_of(media_type, charset)), url, status, link, _read_releases)


def parse_assets(
    body: bytes, media_type: str, url: str, *, status: int = 200, charset: str | None = None, link: str | None = None
) -> Page:
    """Parse the list of one release's assets, or one asset.

    Args:
        body: whole body.
        media_type: of the Content-Type header; JSON is judged by the body.
        url: final URL.
        status: HTTP status code.
        charset: of the Content-Type header.
        link: the ``Link`` header.

    Returns:
        The page; never raises. Assets that are not finished (j5) are left out.
    """
    return _parse("rest-assets", decode(body, charset_of(media_type, charset)), url, status, link, _read_asset_list)


def _parse(
    kind: str,
    text: str,
    url: str,
    status: int,
    link: str | None,
    read: Callable[[list[Any], Base, Listing], tuple[Release, ...]],
) -> Page:
    try:
        document = read_json(text)
    except UnreadableJsonError as error:
        if status == _OK:
            return refuse_content(kind, url, text) or broken(kind, url, str(error))
        document = None
    if refused := _refuse(kind, url, status, document):
        return refused
    entries = document if isinstance(document, list) else [document]
    base, listing = Base(url), Listing()
    releases = read(entries, base, listing)
    next_url = read_next(link, base)
    shape, reason = _judge(entries, bool(releases or listing.assets), listing)
    return Page(
        kind=kind,
        url=url,
        shape=shape,
        reason=reason,
        assets=listing.assets,
        releases=releases,
        next_url=next_url,
        repository=_find_repository(entries, url),
        repository_id=_find_repository_id(url, next_url),
        problems=listing.problems,
    )


def _judge(entries: list[Any], found: bool, listing: Listing) -> tuple[Shape, str]:
    if not entries:
        return Shape.EMPTY, "nothing is listed"
    return (Shape.OK, "") if found or not listing.problems else (Shape.PARTIAL, "no entry can be read")


def read_next(link: str | None, base: Base) -> str | None:
    """The next page by the ``Link`` header (RFC 8288), absolute; None at the end (f5)."""
    found = _NEXT.search(link or "")
    try:
        return base.resolve(found[1])[0] if found else None
    except ValueError:
        return None


def _refuse(kind: str, url: str, status: int, document: Any) -> Page | None:
    """The verdict about what is no list: statuses, limits, errors; a message decides over its status (g5)."""
    said = document.get("message") if isinstance(document, dict) and "tag_name" not in document else None
    message = clean(said)[:200] if isinstance(said, str) else ""
    if _LIMIT.search(message):
        return Page(kind=kind, url=url, shape=Shape.RETRY, reason="rate limit")
    if _DEPTH.search(message):
        return Page(kind=kind, url=url, shape=Shape.PARTIAL, reason="depth")
    if status in {404, 410} or message == "Not Found":
        return Page(kind=kind, url=url, shape=Shape.GONE, reason=message or f"status {status}")
    if status == 429 or status >= 500:  # noqa: PLR2004 -- HTTP's own numbers
        return Page(kind=kind, url=url, shape=Shape.RETRY, reason=f"status {status}")
    if status != _OK or message:
        return _refuse_moved(kind, url, status, message, document)
    known = isinstance(document, list) or (
        isinstance(document, dict) and ("tag_name" in document or "state" in document)
    )
    return None if known else broken(kind, url, "JSON, but no list of releases or assets")


def _refuse_moved(kind: str, url: str, status: int, message: str, document: Any) -> Page:
    """BROKEN; where the answer names the repository's new address (h1), that is its link."""
    target = document.get("url") if isinstance(document, dict) else None
    moved = (target,) if isinstance(target, str) and target.startswith("http") else ()
    return Page(
        kind=kind,
        url=url,
        shape=Shape.BROKEN,
        reason=f"status {status} {message}".rstrip(),
        links=moved,
        repository_id=_find_repository_id(*moved),
    )


def _read_releases(entries: list[Any], base: Base, listing: Listing) -> tuple[Release, ...]:
    releases: dict[int | str, Release] = {}
    for entry in entries:
        tag = entry.get("tag_name") if isinstance(entry, dict) else None
        if not isinstance(tag, str) or not tag:
            listing.report("bad-url", entry)
            continue
        release = _read_release(clean(tag), entry, base, listing)
        releases.setdefault(release.release_id or release.tag, release)
    return tuple(releases.values())


def _read_release(tag: str, entry: dict[str, Any], base: Base, listing: Listing) -> Release:
    own = Listing()
    listed = entry.get("assets")
    if isinstance(listed, list):
        _read_assets(listed, base, own)
    listing.report_all(own.problems)
    return Release(
        tag=tag,
        title=_text(entry, "name"),
        published_at=utc(entry.get("published_at")) or utc(entry.get("created_at")),
        prerelease=_flag(entry, "prerelease"),
        draft=entry.get("draft") is True,
        immutable=_flag(entry, "immutable"),
        announced=len(own.assets) if isinstance(listed, list) else None,
        release_id=exact_size(entry.get("id")),
        assets=own.assets if isinstance(listed, list) else None,
        assets_url=_text(entry, "assets_url") or None,
    )


def _read_asset_list(entries: list[Any], base: Base, listing: Listing) -> tuple[Release, ...]:
    _read_assets(entries, base, listing)
    return ()


def _read_assets(entries: list[Any], base: Base, listing: Listing) -> None:
    for entry in entries:
        if isinstance(entry, dict) and (entry.get("state", "uploaded") != "uploaded" or entry.get("size") == 0):
            continue
        url = _asset_url(entry, base)
        if url:
            listing.add(_read_asset(entry, url, listing))
        else:
            listing.report("bad-url", entry.get("browser_download_url") if isinstance(entry, dict) else entry)


def _asset_url(entry: Any, base: Base) -> str:
    said = entry.get("browser_download_url") if isinstance(entry, dict) else None
    try:
        return base.resolve(said)[0] if isinstance(said, str) and said else ""
    except ValueError:
        return ""


def _read_asset(entry: dict[str, Any], url: str, listing: Listing) -> Asset:
    target = read_release_url(url)
    digest, size = entry.get("digest"), exact_size(entry.get("size"))
    found = _DIGEST.fullmatch(digest) if isinstance(digest, str) else None
    if digest is not None and not found:
        listing.report("bad-hash", digest, url)
    if size is None and entry.get("size") is not None:
        listing.report("bad-size", entry.get("size"), url)
    return Asset(
        filename=target.name if target else _text(entry, "name"),
        url=url,
        hashes=(("sha256", found[1]),) if found else (),
        size=size,
        uploaded_at=utc(entry.get("created_at")) or utc(entry.get("updated_at")),
    )


def _text(entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    return clean(value) if isinstance(value, str) else ""


def _flag(entry: dict[str, Any], key: str) -> bool | None:
    value = entry.get(key)
    return value if isinstance(value, bool) else None


def _find_repository(entries: list[Any], url: str) -> str | None:
    """``owner/repo``: the entries' own word first, for the address may be the old name's or a number's (h1, h3)."""
    for entry in entries:
        for key in ("html_url", "browser_download_url", "url"):
            said = _text(entry, key) if isinstance(entry, dict) else ""
            target = read_release_url(said) if said else None
            named = _REPOSITORY.fullmatch(path_of(said)) if said else None
            if target or named:
                return target.repository if target else named and named[1]
    named = _REPOSITORY.fullmatch(path_of(url))
    return named[1] if named else None


def _find_repository_id(*urls: str | None) -> int | None:
    found = (_REPOSITORY_ID.fullmatch(path_of(url)) for url in urls if url)
    return next((int(match[1]) for match in found if match), None)
