"""The files of one page while it is read: repetitions fold, one address keeps every claim.

It knows assets and problems; it must not know the format that they come from.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from crawler.pages.claims import conflicting
from crawler.pages.text import describe
from wheels.page import Asset, PageProblem

if TYPE_CHECKING:
    from collections.abc import Iterable

# Hugging Face shows a file as a web page under "blob"; the file itself lies under "resolve".
_BLOB = re.compile(r"\A(https?://huggingface\.co/(?:(?:datasets|spaces)/)?[^/?#]++/[^/?#]++)/blob/")


class Listing:
    """Collects what a page lists, in page order."""

    def __init__(self) -> None:
        self._assets: dict[str, Asset] = {}
        self._links: dict[str, None] = {}
        self._problems: list[PageProblem] = []

    def add(self, asset: Asset) -> None:
        """Take one file; a second entry of its address adds its claims to the first (row A31)."""
        if "/blob/" in asset.url:
            asset = asset._replace(url=_BLOB.sub(r"\1/resolve/", asset.url))
        key = asset.url if "%" not in asset.url else unquote(asset.url)
        known = self._assets.setdefault(key, asset)
        if known is not asset:
            self._assets[key] = _merged(known, asset)

    def add_link(self, url: str) -> None:
        """Take the address of a sub-page."""
        self._links.setdefault(url)

    def report(self, code: str, detail: object, url: str = "") -> None:
        """Take a problem, which costs itself only (rule R2)."""
        self._problems.append(PageProblem(code=code, detail=describe(detail), url=url))

    def report_all(self, problems: Iterable[PageProblem]) -> None:
        """Take the problems of a part of the page."""
        self._problems.extend(problems)

    @property
    def assets(self) -> tuple[Asset, ...]:
        """Every file, once for each address."""
        return tuple(self._assets.values())

    @property
    def links(self) -> tuple[str, ...]:
        """Addresses of sub-pages, each once."""
        return tuple(self._links)

    @property
    def problems(self) -> tuple[PageProblem, ...]:
        """What was reported, each once, then one for each address with digests that contradict each other."""
        return tuple(dict.fromkeys((*self._problems, *self._conflicts())))

    def _conflicts(self) -> Iterable[PageProblem]:
        for asset in self._assets.values():
            if len(asset.hashes) > 1 and conflicting(asset.hashes):
                claims = " ".join(f"{algorithm}={digest}" for algorithm, digest in asset.hashes)
                yield PageProblem(code="hash-conflict", detail=describe(claims), url=asset.url)


def _merged(first: Asset, second: Asset) -> Asset:
    if first == second:
        return first
    return first._replace(
        hashes=tuple(dict.fromkeys((*first.hashes, *second.hashes))),
        size=second.size if first.size is None else first.size,
        uploaded_at=first.uploaded_at or second.uploaded_at,
        requires_python=second.requires_python if first.requires_python is None else first.requires_python,
        yanked=first.yanked or second.yanked,
        yank_reason=second.yank_reason if first.yank_reason is None else first.yank_reason,
        metadata=second.metadata if first.metadata is None else first.metadata,
        metadata_sha256=first.metadata_sha256 or second.metadata_sha256,
    )
