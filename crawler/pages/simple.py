"""The pages of a Python package index: one project's files (PEP 503) and the root that lists projects.

It knows the HTML form and hands the JSON form (PEP 691) on; it must not know which files are wanted.
"""

from __future__ import annotations

import re

from packaging.utils import canonicalize_name

from crawler.pages.anchors import read_anchors
from crawler.pages.html import title
from crawler.pages.marks import check_status, check_version, read_locations, refuse_version
from crawler.pages.simple_json import parse_json_project, parse_json_root
from crawler.pages.text import decode
from crawler.pages.verdicts import broken, charset_of, is_json_index, refuse_content, refuse_status, refuse_type
from wheels.page import Page, Shape

_PROJECT = re.compile(r"\blinks for\s+([a-z0-9._-]+)", re.IGNORECASE)
# What known generators write on a page that lists no file.
_GENERATED = re.compile(r"\b(links for|index of|simple (package )?(index|repository))\b", re.IGNORECASE)
_WHOLE = re.compile(r"</html>\s*(<!--[^>]*-->\s*)?\Z", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]*+>")


def parse_simple(
    body: bytes, media_type: str, url: str, *, status: int = 200, charset: str | None = None, project: str | None = None
) -> Page:
    """Parse the page of one project, HTML or JSON by its media type (PEP 503, 592, 629, 658, 691, 700, 708, 714, 792).

    Args:
        body: whole body.
        media_type: of the Content-Type header; parameters are allowed. Empty (a file): the first character decides.
        url: final URL, after redirects.
        status: HTTP status code.
        charset: of the Content-Type header.
        project: the project that was asked for.

    Returns:
        The page; never raises. A page of a later major version is BROKEN, and its reason names the version.
    """
    text = decode(body, charset_of(media_type, charset))
    if refused := refuse_status("simple", url, status, text):
        return refused
    if is_json_index(media_type, text):
        return parse_json_project(text, url, project=project)
    return refuse_type("simple", url, media_type) or _parse_html(text, url, project)


def parse_root(body: bytes, media_type: str, url: str, *, status: int = 200, charset: str | None = None) -> Page:
    """Parse a page that lists projects, or the roots of further indexes, as :attr:`wheels.page.Page.links`.

    Args:
        body: whole body.
        media_type: of the Content-Type header; parameters are allowed.
        url: final URL, after redirects.
        status: HTTP status code.
        charset: of the Content-Type header.

    Returns:
        The page; never raises. Files that stand on it too are its assets.
    """
    kind = "simple-root"
    text = decode(body, charset_of(media_type, charset))
    if refused := refuse_status(kind, url, status, text):
        return refused
    if is_json_index(media_type, text):
        return parse_json_root(text, url)
    if refused := refuse_type(kind, url, media_type):
        return refused
    found, marks = read_anchors(text, url)
    listed = bool(found.links or found.assets)
    shape, reason = _judge(text, url, listed=listed, marked="pypi:repository-version" in marks)
    return Page(
        kind=kind, url=url, shape=shape, reason=reason, assets=found.assets, links=found.links, problems=found.problems
    )


def _parse_html(text: str, url: str, project: str | None) -> Page:
    found, marks = read_anchors(text, url)
    version = marks.get("pypi:repository-version", ("1.0",))[-1]
    if refusal := refuse_version(version):
        return broken("simple", url, refusal)
    if not url.partition("?")[0].endswith(("/", ".html", ".htm")) and found.assets:
        found.report("no-trailing-slash", url, url)
    shape, reason = _judge(text, url, listed=bool(found.assets), marked="pypi:repository-version" in marks)
    named = project or _named_project(text)
    project_status, status_reason, problems = check_status(
        *(marks.get(f"pypi:project-status{name}", (None,))[-1] for name in ("", "-reason"))
    )
    tracks = read_locations(marks.get("pypi:tracks"), url, found)
    alternate_locations = read_locations(marks.get("pypi:alternate-locations"), url, found)
    return Page(
        kind="simple",
        url=url,
        shape=shape,
        reason=reason,
        assets=found.assets if shape.usable else (),
        links=found.links,
        project=canonicalize_name(named) if named else None,
        project_status=project_status,
        project_status_reason=status_reason,
        tracks=tracks,
        alternate_locations=alternate_locations,
        problems=(*check_version(version), *problems, *found.problems),
    )


def _named_project(text: str) -> str | None:
    named = _PROJECT.search(title(text))
    return named[1] if named else None


def _judge(text: str, url: str, *, listed: bool, marked: bool) -> tuple[Shape, str]:
    """OK for a page with entries; one without is EMPTY only if it is known as a whole, empty index (row A28).

    Known by its mark (PEP 629), by what generators write, or by saying nothing at all from start to end.
    """
    if listed:
        return Shape.OK, ""
    if refused := refuse_content("simple", url, text):
        return refused.shape, refused.reason
    if marked or _GENERATED.search(text) or (_WHOLE.search(text) and not _MARKUP.sub("", text).strip()):
        return Shape.EMPTY, "no file is listed"
    return Shape.BROKEN, "not an index page: no file is listed, and nothing shows that it is a whole index"
