"""The asset rows of GitHub's release pages, all layouts from 2020 to 2026.

It knows rows, their anchors and what stands in them, by the paths of links and never by the classes of anchors; it must
not know what a page of such rows proves.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from crawler.pages.addresses import Base
from crawler.pages.github_urls import ReleaseUrl, read_release_url
from crawler.pages.html import CUT, Tag, plain_text, scan
from crawler.pages.listing import Listing
from crawler.pages.text import utc
from wheels.page import Asset

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wheels.page import PageProblem

_TAGS = frozenset({"a", "clipboard-copy", "div", "include-fragment", "li", "relative-time", "span", "tr"})
_DIGEST = re.compile(r"sha256:([0-9a-f]{64})")
_SHOWN_DIGEST = re.compile(r">\s*(sha256:[^<\s]*)", re.IGNORECASE)
_ROW_CLASSES = frozenset({"Box-row", "Box-body"})
_ROOT_CLASS = "Box--condensed"
_SOURCE_ARCHIVES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """What a page shows of one release's files."""

    assets: tuple[Asset, ...]
    """Files of the release, proven by their own address."""
    archives: frozenset[str]
    """Suffixes of the release's own source archives."""
    rows: int
    """Rows of the whole page, whatever they hold."""
    explained: int
    """Files and source archives of the release, and foreign files, each once a row."""
    linked: bool
    """Some link leads to a file, a foreign one included."""
    closed: bool
    """Exactly one list of rows, and it ends before the text does."""
    cut: bool
    """The text ends inside a tag, a comment or raw text."""
    deferred: tuple[str, ...]
    """Addresses that hold the release's further rows."""
    announced: int | None
    """Uploaded files that the page announces; None when it does not."""
    problems: tuple[PageProblem, ...]

    @property
    def lack(self) -> str:
        """Why the rows may not be all there are, as a phrase; empty when they are (github-pages.md, e4)."""
        if self.cut or not self.closed:
            return "the list of files has no end"
        if self.deferred:
            return "further files are deferred"
        if self.rows != self.explained:
            return f"{self.explained} of {self.rows} rows are understood"
        return "" if len(self.archives) == _SOURCE_ARCHIVES else "the rows of the source archives are missing"


class _Anchor(NamedTuple):
    """A link to a file or source archive, and the row that it stands in."""

    tag: Tag
    url: str
    target: ReleaseUrl
    row: int
    """Number of the row; 0 outside all rows."""
    inside: list[Tag]
    """The tags from the link to the end of its row, or to the next such link."""


def read_rows(text: str, url: str, repository: str, tag: str, *, page_has_lists: bool = False) -> Rows:
    """Read the rows of a page.

    Args:
        text: the decoded page.
        url: its final URL.
        repository: ``owner/repo`` whose files are wanted.
        tag: decoded tag of the release whose files are wanted.
        page_has_lists: the page holds other lists, so only what lies inside the list of files counts as a row.
    """
    tags = list(scan(text, _TAGS))
    begin, end, closed = _find_root(tags)
    rows = [
        each.start
        for each in tags
        if (each.name == "li" and not each.closes and not page_has_lists)
        or (begin <= each.start < end and _is_row(each))
    ]
    base, listing = Base(url), Listing()
    anchors = _find_anchors(tags, rows, base)
    for anchor in anchors:
        _take(anchor, anchor.target.belongs(repository, tag), text, listing)
    known = [each for each in anchors if each.target.kind == "download" or each.target.belongs(repository, tag)]
    return Rows(
        assets=listing.assets,
        archives=frozenset(each.target.name for each in known if each.target.kind == "archive"),
        rows=len(rows),
        explained=len({(each.row, each.target) for each in known}),
        linked=any(each.target.kind == "download" for each in anchors),
        closed=closed,
        cut=text.rfind("<") > text.rfind(">") or (bool(tags) and tags[-1].name == CUT),
        deferred=tuple(dict.fromkeys(_deferred(tags, base))),
        announced=read_counter(text, tags),
        problems=listing.problems,
    )


def read_counter(text: str, tags: Iterable[Tag]) -> int | None:
    """Uploaded files by the counter beside "Assets", which counts the source archives too (b7); None without one."""
    for tag in tags:
        if tag.name == "span" and not tag.closes and "Counter" in tag.raw:
            before = plain_text(text[max(0, tag.start - 400) : tag.start])
            shown = tag.attributes.get("title") or plain_text(text[tag.stop : tag.stop + 40])
            number = re.match(r"[\d,]{1,9}", shown)
            if before.endswith("Assets") and number and int(number[0].replace(",", "") or 0) >= _SOURCE_ARCHIVES:
                return int(number[0].replace(",", "")) - _SOURCE_ARCHIVES
    return None


def resolve_release_url(href: str, base: Base) -> tuple[str, ReleaseUrl | None]:
    """The absolute address of a link and what it says of a release; None for links that say nothing."""
    if "/" not in href:
        return "", None
    try:
        url = base.resolve(href)[0]
    except ValueError:
        return "", None
    return url, read_release_url(url) if _host(url) in {_host(base.url), "github.com"} else None


def _host(url: str) -> str:
    return url.partition("//")[2].partition("/")[0].lower()


def _is_row(tag: Tag) -> bool:
    if tag.closes or tag.name not in {"div", "li", "tr"}:
        return False
    named = "Box-" in tag.raw and not _ROW_CLASSES.isdisjoint(tag.attributes.get("class", "").split())
    return named or tag.name == "li"


def _find_root(tags: Sequence[Tag]) -> tuple[int, int, bool]:
    """Where the list of files begins and ends, and whether it is the only one and is closed."""
    roots = [
        number
        for number, tag in enumerate(tags)
        if not tag.closes and _ROOT_CLASS in tag.raw and _ROOT_CLASS in tag.attributes.get("class", "").split()
    ]
    if not roots:
        return 0, 0, False
    root, depth = tags[roots[0]], 0
    for tag in tags[roots[0] :]:
        depth += 0 if tag.name != root.name else -1 if tag.closes else 1
        if depth == 0:
            return root.start, tag.start, len(roots) == 1
    return root.start, tags[-1].stop, False


def _find_anchors(tags: list[Tag], rows: list[int], base: Base) -> list[_Anchor]:
    """The links of files and source archives with what belongs to each (b4)."""
    found = []
    for number, tag in enumerate(tags):
        if tag.name == "a" and not tag.closes:
            url, target = resolve_release_url(tag.attributes.get("href", ""), base)
            if target and target.kind in {"download", "archive"}:
                found.append((number, tag, url, target))
    starts = [tag.start for tag in tags]
    bounds = sorted({*(number for number, *_ in found), *(bisect_left(starts, row) for row in rows), len(tags)})
    return [
        _Anchor(tag, url, target, bisect_left(rows, tag.start), tags[number + 1 : bounds[bisect_right(bounds, number)]])
        for number, tag, url, target in found
    ]


def _deferred(tags: Iterable[Tag], base: Base) -> Iterable[str]:
    """Fragments that the page leaves to be fetched, a release's rows in them (f3)."""
    for tag in tags:
        if tag.name == "include-fragment" and not tag.closes:
            attributes = tag.attributes
            for name in ("data-deferred-src", "src"):
                url, target = resolve_release_url(attributes.get(name, ""), base)
                if target and target.kind == "expanded_assets":
                    yield url


def _take(anchor: _Anchor, own: bool, text: str, listing: Listing) -> None:
    if anchor.target.kind == "archive":
        return
    if own:
        listing.add(_read_asset(anchor, text, listing))
    else:
        target = anchor.target
        listing.report("foreign-asset", f"{target.name} of {target.repository} {target.tag}", anchor.url)


def _read_asset(anchor: _Anchor, text: str, listing: Listing) -> Asset:
    name, stop = anchor.target.name, anchor.inside[-1].stop if anchor.inside else anchor.tag.stop
    end = next((tag for tag in anchor.inside if tag.name == "a" and tag.closes), None)
    shown = plain_text(text[anchor.tag.stop : end.start]) if end else ""
    if shown and shown != name:
        listing.report("name-mismatch", f"{name} is shown as {shown}", anchor.url)
    time = next((tag.attributes.get("datetime") for tag in anchor.inside if tag.name == "relative-time"), None)
    digests = _read_digests(anchor, text[anchor.tag.stop : stop], listing)
    return Asset(
        filename=name, url=anchor.url, hashes=tuple(("sha256", each) for each in digests), uploaded_at=utc(time)
    )


def _read_digests(anchor: _Anchor, row: str, listing: Listing) -> Iterable[str]:
    """Digests of a row: the copy button's, unless its label names another file (d2), and the one that is shown."""
    claims, refused = [], set()
    for tag in anchor.inside:
        if tag.name == "clipboard-copy" and not tag.closes:
            label, value = tag.attributes.get("aria-label", ""), tag.attributes.get("value", "")
            if "digest for" in label and not label.endswith(" " + anchor.target.name):
                refused.add(value)
                listing.report("bad-hash", f"{value} is labelled: {label}", anchor.url)
            elif value.lower().startswith("sha256") or "digest" in label:
                claims.append(value)
    claims += [value for value in _SHOWN_DIGEST.findall(row) if value not in refused]
    for claim in dict.fromkeys(claims):
        if digest := _DIGEST.fullmatch(claim):
            yield digest[1]
        else:
            listing.report("bad-hash", claim, anchor.url)
