"""The JSON form of an index (PEP 691, 700, 708, 714, 792), read into the same records as the HTML form.

It knows the documents' keys and what stands under them in the wild; it must not know how a body was decoded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

from packaging.utils import canonicalize_name

from crawler.pages.addresses import Base, filename_of
from crawler.pages.claims import is_specifier, read_fragment, read_hashes, read_sidecar
from crawler.pages.json_text import UnreadableJsonError, read_json
from crawler.pages.listing import Listing
from crawler.pages.marks import check_status, check_version, read_locations, refuse_version
from crawler.pages.text import clean, exact_size, utc
from crawler.pages.verdicts import broken
from wheels.page import Asset, Page, Shape

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")
# PEP 714: the new name wins; the last one is the HTML attribute's name, which some servers wrote into JSON.
_SIDECAR_KEYS = ("core-metadata", "dist-info-metadata", "data-dist-info-metadata")


def parse_json_project(text: str, url: str, *, project: str | None) -> Page:
    """Parse the JSON page of one project.

    Args:
        text: the decoded body.
        url: final URL, after redirects.
        project: the project that was asked for.

    Returns:
        The page; never raises.
    """
    try:
        document, version = _read_document(text, "files")
    except UnreadableJsonError as error:
        return broken("simple", url, str(error))
    listing, base = Listing(), Base(url)
    for entry in document["files"]:
        _read_entry(entry, base, listing)
    name = document.get("name")
    named = name if isinstance(name, str) and name else project
    mark = document.get("project-status")
    project_status, status_reason, problems = check_status(
        *((mark.get("status"), mark.get("reason")) if isinstance(mark, dict) else (mark, None))
    )
    meta = document.get("meta")
    tracks = meta.get("tracks") if isinstance(meta, dict) else None
    return Page(
        kind="simple",
        url=url,
        shape=Shape.OK if listing.assets else Shape.PARTIAL if document["files"] else Shape.EMPTY,
        reason="" if listing.assets else "no entry can be read" if document["files"] else "no file is listed",
        assets=listing.assets,
        project=canonicalize_name(clean(named)) if named else None,
        project_status=project_status,
        project_status_reason=status_reason,
        tracks=read_locations(tracks, url, listing),
        alternate_locations=read_locations(document.get("alternate-locations"), url, listing),
        problems=(*check_version(version), *problems, *listing.problems),
    )


def parse_json_root(text: str, url: str) -> Page:
    """Parse the JSON list of an index's projects into links to their pages.

    Args:
        text: the decoded body.
        url: final URL, after redirects.

    Returns:
        The page; never raises.
    """
    try:
        document, version = _read_document(text, "projects")
    except UnreadableJsonError as error:
        return broken("simple-root", url, str(error))
    base, listing = Base(url if url.endswith("/") else url + "/"), Listing()
    for project in document["projects"]:
        name = project.get("name") if isinstance(project, dict) else None
        if isinstance(name, str) and name.isascii() and name:
            listing.add_link(base.resolve(canonicalize_name(name) + "/")[0])
        else:
            listing.report("bad-url", project)
    return Page(
        kind="simple-root",
        url=url,
        shape=Shape.OK if listing.links else Shape.EMPTY,
        reason="" if listing.links else "no project is listed",
        links=listing.links,
        problems=(*check_version(version), *listing.problems),
    )


def _read_document(text: str, key: str) -> tuple[dict[str, Any], object]:
    """The document and its version, its list under the key assured."""
    document = read_json(text)
    if not isinstance(document, dict):
        raise UnreadableJsonError("not an index page: JSON without an object")
    meta = document.get("meta")
    version = meta.get("api-version") if isinstance(meta, dict) else None
    if isinstance(version, str) and (refusal := refuse_version(version)):
        raise UnreadableJsonError(refusal)
    if not isinstance(document.get(key), list):
        raise UnreadableJsonError(f"not an index page: JSON without a list of {key}")
    return document, version


def _read_entry(entry: object, base: Base, listing: Listing) -> None:
    href = entry.get("url") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(href, str) or not href.strip():
        listing.report("bad-url", entry)
        return
    try:
        url, fragment = base.resolve(href)
    except ValueError:
        listing.report("bad-url", href)
        return
    listing.add(_read_file(entry, url, fragment, listing))


def _read_file(entry: dict[str, Any], url: str, fragment: str, listing: Listing) -> Asset:
    said = entry.get("hashes")
    hashes, bad = read_hashes(said.items() if isinstance(said, dict) else ())
    from_fragment, bad_fragment = read_fragment(fragment) if fragment else ((), False)
    if bad or bad_fragment or (said is not None and not isinstance(said, dict)):
        listing.report("bad-hash", said if bad else fragment or said, url)
    metadata, metadata_sha256 = _read_sidecar(entry, url, listing)
    reason = entry.get("yanked")
    yanked = reason is not None and reason is not False
    return Asset(
        filename=_filename(entry, url, listing),
        url=url,
        hashes=tuple(dict.fromkeys((*hashes, *from_fragment))),
        size=_checked(exact_size, entry.get("size"), "bad-size", url, listing),
        uploaded_at=_checked(utc, entry.get("upload-time"), "bad-time", url, listing),
        requires_python=_read_requires_python(entry, url, listing),
        yanked=yanked,
        # PEP 592: the reason is text; true has none.
        yank_reason=clean(reason) if isinstance(reason, str) else "" if yanked else None,
        metadata=metadata,
        metadata_sha256=metadata_sha256,
    )


def _filename(entry: dict[str, Any], url: str, listing: Listing) -> str:
    said, named = entry.get("filename"), filename_of(url)
    if not isinstance(said, str) or not said or unquote(said) == named:
        return named
    if said != named:
        listing.report("name-mismatch", said, url)
    return clean(said)


def _read_sidecar(entry: dict[str, Any], url: str, listing: Listing) -> tuple[bool | None, str | None]:
    said = next((entry[key] for key in _SIDECAR_KEYS if key in entry), None)
    metadata, sha256, malformed = read_sidecar(said)
    if malformed:
        listing.report("bad-metadata", said, url)
    return metadata, sha256


def _read_requires_python(entry: dict[str, Any], url: str, listing: Listing) -> str | None:
    said = entry.get("requires-python")
    if said is not None and not (isinstance(said, str) and is_specifier(said)):
        listing.report("bad-requires-python", said, url)
    return clean(said) if isinstance(said, str) else None


def _checked(read: Callable[[object], _T | None], said: object, code: str, url: str, listing: Listing) -> _T | None:
    value = read(said)
    if value is None and said is not None:
        listing.report(code, said, url)
    return value
