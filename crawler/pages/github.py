"""GitHub's release pages as a reader without a token sees them: fragments of files, tag pages, lists.

It knows when rows prove a whole release, an empty one, a part or nothing (github-pages.md, parts b to f); it must not
know what was stored before.
"""

from __future__ import annotations

from crawler.pages.github_list import parse_release_list
from crawler.pages.github_rows import Rows, read_rows
from crawler.pages.github_urls import read_release_url, repository_of
from crawler.pages.html import title
from crawler.pages.text import clean, decode
from crawler.pages.verdicts import charset_of, refuse_content, refuse_status, refuse_type
from wheels.page import Page, Release, Shape

__all__ = ["parse_expanded_assets", "parse_release_list", "parse_tag_page"]

# Signs of files in the raw text: with one of them a page without links to files is changed, not empty (e3).
_TRACES = ("/releases/download/", "sha256:", "octicon-package")


def parse_expanded_assets(
    body: bytes,
    media_type: str,
    url: str,
    *,
    status: int = 200,
    charset: str | None = None,
    repository: str,
    tag: str,
    announced: int | None = None,
) -> Page:
    """Parse the fragment that lists one release's files.

    Args:
        body: whole body.
        media_type: of the Content-Type header; parameters are allowed.
        url: final URL; its ``owner/repo`` holds over the one asked for (a rename redirects, h3).
        status: HTTP status code.
        charset: of the Content-Type header.
        repository: ``owner/repo`` that was asked for.
        tag: decoded tag that was asked for.
        announced: uploaded files by the list or tag page; None when unknown.

    Returns:
        The page; never raises. OK and EMPTY are proven, PARTIAL lists what is; deferred fragments are its links.
    """
    kind = "expanded-assets"
    text = decode(body, charset_of(media_type, charset))
    if refused := refuse_status(kind, url, status, text) or refuse_type(kind, url, media_type):
        return refused
    repository = repository_of(url) or repository
    rows = read_rows(text, url, repository, tag)
    address = read_release_url(url)
    shape, reason = _judge(rows, text, rows.announced if announced is None else announced)
    if shape.complete and not (address and address.kind == "expanded_assets"):
        shape, reason = Shape.PARTIAL if rows.linked else Shape.BROKEN, "the reply came from another kind of page"
    if shape is Shape.BROKEN and (refused := refuse_content(kind, url, text)):
        return refused
    return Page(
        kind=kind,
        url=url,
        shape=shape,
        reason=reason,
        assets=rows.assets if shape.usable else (),
        links=rows.deferred,
        repository=repository,
        problems=rows.problems,
    )


def parse_tag_page(
    body: bytes,
    media_type: str,
    url: str,
    *,
    status: int = 200,
    charset: str | None = None,
    repository: str,
    tag: str | None = None,
) -> Page:
    """Parse the page of one release.

    Args:
        body: whole body.
        media_type: of the Content-Type header; parameters are allowed.
        url: final URL; its ``owner/repo`` holds over the one asked for, and its tag when none was asked for.
        status: HTTP status code.
        charset: of the Content-Type header.
        repository: ``owner/repo`` that was asked for.
        tag: decoded tag that was asked for; None for ``/releases/latest``.

    Returns:
        The page; never raises. OK: the fragment that its only link names lists all files. PARTIAL: further rows are
        deferred to that fragment. Files that stand on the page itself are its assets.
    """
    kind = "release-tag"
    text = decode(body, charset_of(media_type, charset))
    if refused := refuse_status(kind, url, status, text) or refuse_type(kind, url, media_type):
        return refused
    address = read_release_url(url)
    tag = tag if tag is not None else address.tag if address else ""
    repository = repository_of(url) or repository
    rows = read_rows(text, url, repository, tag, page_has_lists=True)
    if rows.deferred:
        shape, reason = (Shape.PARTIAL, "further files are deferred") if rows.assets else (Shape.OK, "")
    else:
        shape, reason = _judge(rows, text, rows.announced)
    if shape is Shape.BROKEN and (refused := refuse_content(kind, url, text)):
        return refused
    release = Release(
        tag=tag,
        title=clean(title(text)),
        fragment_url=rows.deferred[0] if rows.deferred else None,
        announced=rows.announced,
    )
    return Page(
        kind=kind,
        url=url,
        shape=shape,
        reason=reason,
        assets=rows.assets if shape.usable else (),
        links=rows.deferred,
        releases=(release,) if shape.usable else (),
        repository=repository,
        problems=rows.problems,
    )


def _judge(rows: Rows, text: str, announced: int | None) -> tuple[Shape, str]:
    """The verdict about rows (e3 to e6)."""
    if rows.linked:
        return _judge_files(rows, announced)
    if lack := rows.lack:
        return Shape.BROKEN, f"no link to a file, and {lack}"
    if any(trace in text for trace in _TRACES):
        return Shape.BROKEN, "signs of files, but no link to one: the layout changed"
    if announced:
        return Shape.PARTIAL, f"0 of {announced} announced files"
    return Shape.EMPTY, "the release has no files"


def _judge_files(rows: Rows, announced: int | None) -> tuple[Shape, str]:
    if lack := rows.lack:
        return Shape.PARTIAL, lack
    if not rows.assets:
        return Shape.PARTIAL, "only files of other releases"
    if announced is not None and announced != len(rows.assets):
        return Shape.PARTIAL, f"{len(rows.assets)} of {announced} announced files"
    return Shape.OK, ""
