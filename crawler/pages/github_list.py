"""GitHub's list of releases, ten a page.

It knows the blocks of a list page and tells tags from titles (b6); it must not know the files, which the page does not
list.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crawler.pages.addresses import Base, path_of
from crawler.pages.github_rows import read_counter, resolve_release_url
from crawler.pages.github_urls import repository_of
from crawler.pages.html import CUT, Tag, plain_text, scan
from crawler.pages.text import clean, decode, utc
from crawler.pages.verdicts import broken, charset_of, refuse_content, refuse_status, refuse_type
from wheels.page import Page, Release, Shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_KIND = "release-list"
_TAGS = frozenset({"a", "div", "html", "include-fragment", "meta", "relative-time", "section", "span"})
_NO_RELEASES = re.compile(r"There aren.{1,8}t any releases here", re.IGNORECASE)
_MAX_TITLE_CHARS = 2_000
_REPOSITORY_NAME = "octolytics-dimension-repository_nwo"
_REPOSITORY_ID = "octolytics-dimension-repository_id"


def parse_release_list(
    body: bytes, media_type: str, url: str, *, status: int = 200, charset: str | None = None, repository: str
) -> Page:
    """Parse a page of ``/releases``.

    Args:
        body: whole body.
        media_type: of the Content-Type header; parameters are allowed.
        url: final URL; its ``owner/repo`` holds over the one asked for.
        status: HTTP status code.
        charset: of the Content-Type header.
        repository: ``owner/repo`` that was asked for.

    Returns:
        The page; never raises. PARTIAL when a block of it is open or shows no sign of its files (row B25).
    """
    text = decode(body, charset_of(media_type, charset))
    if refused := refuse_status(_KIND, url, status, text) or refuse_type(_KIND, url, media_type):
        return refused
    tags = list(_outside_notes(scan(text, _TAGS)))
    repository = repository_of(url) or repository
    releases = tuple(_read_releases(text, tags, url, repository))
    shape, reason = _judge(text, tags, releases)
    if shape is Shape.BROKEN:
        return refuse_content(_KIND, url, text) or broken(_KIND, url, reason)
    marks = {
        mark.get("name"): mark.get("content", "") for mark in (tag.attributes for tag in tags if tag.name == "meta")
    }
    number = marks.get(_REPOSITORY_ID, "")
    return Page(
        kind=_KIND,
        url=url,
        shape=shape,
        reason=reason,
        releases=releases,
        next_url=_find_next(tags, url, repository),
        repository=marks.get(_REPOSITORY_NAME) or repository,
        repository_id=int(number) if re.fullmatch("[0-9]{1,15}", number) else None,
    )


def _outside_notes(tags: Iterable[Tag]) -> Iterator[Tag]:
    """Leave out the release notes: their links are their authors'."""
    depth = 0
    for tag in tags:
        if tag.name == "div" and (depth or "markdown-body" in tag.raw):
            depth += -1 if tag.closes else 1
        elif not depth or tag.name == CUT:
            yield tag


def _read_releases(text: str, tags: list[Tag], url: str, repository: str) -> Iterator[Release]:
    base, seen = Base(url), set()
    for block in _blocks(tags, base, repository):
        release = _read_release(text, block, base, repository)
        if release and release.tag not in seen:
            seen.add(release.tag)
            yield release


def _blocks(tags: list[Tag], base: Base, repository: str) -> Iterator[list[Tag]]:
    """The tags of each release: its section, or where there are none, from one link to a tag to the next one's."""
    sections = any(_opens_block(tag) for tag in tags)
    block: list[Tag] = []
    current = None
    for tag in tags:
        if sections:
            begins = _opens_block(tag)
        else:
            named = _tag_of(tag, base, repository)
            begins = named is not None and named != current
            current = named if begins else current
        if begins or (sections and tag.name == "section" and tag.closes):
            yield block
            block = []
        block.append(tag)
    yield block


def _opens_block(tag: Tag) -> bool:
    return tag.name == "section" and not tag.closes and tag.attributes.get("aria-labelledby", "").startswith("hd-")


def _tag_of(tag: Tag, base: Base, repository: str) -> str | None:
    """The release tag that a link or a fragment names; None for all other tags and repositories."""
    if tag.closes or tag.name not in {"a", "include-fragment"}:
        return None
    href = tag.attributes.get("href" if tag.name == "a" else "src", "")
    target = resolve_release_url(href, base)[1] if "/releases/" in href else None
    if target is None or target.repository.lower() != repository.lower():
        return None
    return target.tag if target.kind == ("tag" if tag.name == "a" else "expanded_assets") else None


def _read_release(text: str, block: list[Tag], base: Base, repository: str) -> Release | None:
    named = [(tag, name) for tag in block if (name := _tag_of(tag, base, repository)) is not None]
    if not named:
        return None
    link = next((tag for tag, _ in named if tag.name == "a"), None)
    fragment = next((tag for tag, _ in named if tag.name == "include-fragment"), None)
    labels = {plain_text(text[tag.stop : tag.stop + 60]).split(" ")[0].lower() for tag in block if "Label" in tag.raw}
    times = (tag.attributes.get("datetime") for tag in block if tag.name == "relative-time" and not tag.closes)
    return Release(
        tag=named[0][1],
        title=_title(text, link),
        published_at=utc(next(times, None)),
        prerelease="pre-release" in labels if fragment else None,
        draft="draft" in labels,
        immutable=True if "immutable" in labels else None,
        fragment_url=resolve_release_url(fragment.attributes["src"], base)[0] if fragment else None,
        announced=read_counter(text, block),
    )


def _title(text: str, link: Tag | None) -> str:
    end = text.find("</a", link.stop, link.stop + _MAX_TITLE_CHARS) if link else -1
    return clean(plain_text(text[link.stop : end])) if link and end >= 0 else ""


def _find_next(tags: list[Tag], url: str, repository: str) -> str | None:
    """The next page of the list (f1); links with ``rel=next`` that lead elsewhere are none."""
    for tag in tags:
        if tag.name == "a" and not tag.closes and "next" in tag.raw:
            attributes = tag.attributes
            if "next" in attributes.get("rel", "").split():
                address, target = attributes.get("href", ""), ""
                try:
                    target = Base(url).resolve(address)[0]
                except ValueError:
                    continue
                if path_of(target).lower().rstrip("/") == f"/{repository}/releases".lower():
                    return target
    return None


def _judge(text: str, tags: list[Tag], releases: tuple[Release, ...]) -> tuple[Shape, str]:
    if not releases:
        if _NO_RELEASES.search(text):
            return Shape.EMPTY, "the repository has no releases"
        return Shape.BROKEN, "no block of a release: the layout changed"
    opened = sum(_opens_block(tag) for tag in tags)
    ended = any(tag.name == "html" and tag.closes for tag in tags) or not any(tag.name == "html" for tag in tags)
    if tags[-1].name == CUT or not ended or opened > sum(tag.name == "section" and tag.closes for tag in tags):
        return Shape.PARTIAL, "the list has no end"
    unmarked = sum(release.fragment_url is None and release.announced is None for release in releases)
    if unmarked:
        return Shape.PARTIAL, f"{unmarked} of {len(releases)} releases show no sign of their files"
    return Shape.OK, ""
