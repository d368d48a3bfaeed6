"""Pages in the shape of GitHub's, written here: lists, fragments, feeds and REST answers of made-up or stated facts.

The shape follows github-pages.md of the shared folder; no line of it is GitHub's own markup.
"""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One uploaded file."""

    name: str
    sha256: str | None = None
    size: int | None = None
    time: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """One release."""

    tag: str
    files: tuple[File, ...] = ()
    time: str | None = None
    announced: int | None = None
    """What the Counter says beside the source archives; None: the truth."""
    number: int = 1

    @property
    def counter(self) -> int:
        """The Counter's number."""
        return 2 + (len(self.files) if self.announced is None else self.announced)


def fragment(repository: str, made: Made, *, deferred: str | None = None) -> bytes:
    """The answer of ``expanded_assets/TAG``: names with a raw ``+``, tags with ``%2B`` (github-pages.md, c1 and c2)."""
    rows = [_row(repository, made.tag, file) for file in made.files]
    if deferred:
        source = html.escape(deferred)
        rows.append(f'<li class="Box-row"><include-fragment data-deferred-src="{source}"></include-fragment></li>')
    for suffix in ("zip", "tar.gz"):
        href = f"/{repository}/archive/refs/tags/{quote(made.tag, safe='/+')}.{suffix}"
        rows.append(f'<li class="Box-row"><a href="{href}" rel="nofollow"><span>Source code</span> ({suffix})</a></li>')
    lines = "\n".join(f"  {row}" for row in rows)
    return f'<div class="Box Box--condensed">\n <ul>\n{lines}\n </ul>\n</div>\n'.encode()


def _row(repository: str, tag: str, file: File) -> str:
    href = f"/{repository}/releases/download/{quote(tag, safe='/')}/{quote(file.name, safe='+')}"
    name = html.escape(file.name)
    cells = f'<a href="{href}" class="wb-break-all" rel="nofollow"><span class="text-bold">{name}</span></a>'
    if file.sha256:
        label = f"Copy to clipboard digest for {name}"
        cells += f'<clipboard-copy value="sha256:{file.sha256}" aria-label="{label}"></clipboard-copy>'
    if file.time:
        cells += f'<relative-time datetime="{file.time}">{file.time[:10]}</relative-time>'
    return f'<li class="Box-row">{cells}</li>'


def release_list(
    repository: str, releases: list[Made], *, following: int | None = None, base: str = "https://github.com"
) -> bytes:
    """A page of ``/releases``; ``following``: the number of the next page."""
    blocks = "\n".join(_block(repository, made, base) for made in releases)
    pager = (
        f'<a rel="next" class="next_page" href="/{repository}/releases?page={following}">Next</a>' if following else ""
    )
    nothing = "" if releases else "<p>There aren&rsquo;t any releases here</p>"
    head = "<!DOCTYPE html>\n<html>\n<head><title>Releases</title></head>\n"
    return f"{head}<body>\n{blocks}{nothing}\n{pager}\n</body>\n</html>\n".encode()


def _block(repository: str, made: Made, base: str) -> str:
    tag = quote(made.tag, safe="/")
    when = f'<relative-time datetime="{made.time}">{made.time[:10]}</relative-time>' if made.time else ""
    mark, source = f"hd-{made.number}", f"{base}/{repository}/releases/expanded_assets/{tag}"
    return (
        f'<section aria-labelledby="{mark}"><h2 class="sr-only" id="{mark}">{html.escape(made.tag)}</h2>'
        f'<a href="/{repository}/releases/tag/{tag}" class="Link--primary">{html.escape(made.tag)}</a>{when}'
        f'<details open><summary>Assets <span title="{made.counter}" class="Counter">{made.counter}</span></summary>'
        f'<include-fragment src="{source}"></include-fragment></details></section>'
    )


def tag_page(repository: str, made: Made) -> bytes:
    """The page of one release."""
    return f"<!DOCTYPE html>\n<html><head><title>{html.escape(made.tag)}</title></head><body>{_block(repository, made, 'https://github.com')}</body></html>".encode()


def atom(
    repository: str, repository_id: int, releases: list[Made], *, updated: str, base: str = "https://github.com"
) -> bytes:
    """``releases.atom``: the newest ten."""
    entries = "".join(
        f"<entry><id>tag:github.com,2008:Repository/{repository_id}/{html.escape(made.tag)}</id>"
        f"<updated>{made.time or updated}</updated>"
        f'<link rel="alternate" type="text/html" href="{base}/{repository}/releases/tag/{quote(made.tag, safe="/")}"/>'
        f"<title>{html.escape(made.tag)}</title></entry>\n"
        for made in releases[:10]
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<id>tag:github.com,2008:{base}/{repository}/releases</id>\n"
        f'<link type="text/html" rel="alternate" href="{base}/{repository}/releases"/>\n'
        f"<title>Release notes from {repository}</title>\n<updated>{updated}</updated>\n{entries}</feed>\n"
    ).encode()


def rest_releases(repository: str, releases: list[Made], *, inline: int | None = None) -> bytes:
    """A page of REST's releases; names' ``+`` are ``%2B`` in download addresses. ``inline``: cut the assets there."""
    return json.dumps([_rest(repository, made, inline) for made in releases], indent=0).encode()


def rest_assets(repository: str, made: Made, start: int = 0, stop: int | None = None) -> bytes:
    """A page of REST's assets of one release."""
    return json.dumps([_rest_asset(repository, made.tag, file) for file in made.files[start:stop]], indent=0).encode()


def _rest(repository: str, made: Made, inline: int | None) -> dict[str, Any]:
    api = f"https://api.github.com/repos/{repository}/releases"
    return {
        "url": f"{api}/{made.number}",
        "assets_url": f"{api}/{made.number}/assets",
        "html_url": f"https://github.com/{repository}/releases/tag/{quote(made.tag, safe='/')}",
        "id": made.number,
        "tag_name": made.tag,
        "name": made.tag,
        "draft": False,
        **({"published_at": made.time} if made.time else {}),
        "assets": [_rest_asset(repository, made.tag, file) for file in made.files[:inline]],
    }


def _rest_asset(repository: str, tag: str, file: File) -> dict[str, Any]:
    url = f"https://github.com/{repository}/releases/download/{quote(tag, safe='/')}/{quote(file.name, safe='')}"
    asset: dict[str, Any] = {"name": file.name, "state": "uploaded"}
    asset |= {"size": file.size} if file.size is not None else {}
    asset |= {"created_at": file.time} if file.time else {}
    return asset | {"digest": f"sha256:{file.sha256}" if file.sha256 else None, "browser_download_url": url}
