"""The shapes of GitHub's release addresses.

It knows paths and their encodings (``+`` and ``%2B``, ``@`` and ``%40``, ``/`` and ``%2F`` in tags); it must not know
pages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from crawler.pages.addresses import path_of

_DOWNLOAD = re.compile(r"/([^/]+)/([^/]+)/releases/download/(.+)/([^/]+)")
_ARCHIVE = re.compile(r"/([^/]+)/([^/]+)/archive/(?:refs/tags/)?(.+)\.(zip|tar\.gz)")
_PAGE = re.compile(r"/([^/]+)/([^/]+)/releases/(tag|expanded_assets)/(.+?)/?")
_RELEASES = re.compile(r"/([^/]+)/([^/]+)/(?:releases|tags)(?:[/.].*)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseUrl:
    """What an address under a release says."""

    kind: str
    """``download``, ``archive``, ``tag`` or ``expanded_assets``."""
    repository: str
    """``owner/repo`` as it stands."""
    tag: str
    """Decoded exactly once; may hold ``/``."""
    name: str = ""
    """Decoded asset name, or the archive's suffix."""

    def belongs(self, repository: str, tag: str) -> bool:
        """Whether it lies under that release; owner and repository know no case."""
        return self.tag == tag and self.repository.lower() == repository.lower()


def read_release_url(url: str) -> ReleaseUrl | None:
    """Read an absolute address; None when it is none of a release."""
    path = path_of(url)
    if found := _DOWNLOAD.fullmatch(path):
        owner, name, tag, filename = found.groups()
        return ReleaseUrl(kind="download", repository=_join(owner, name), tag=unquote(tag), name=unquote(filename))
    if found := _ARCHIVE.fullmatch(path):
        owner, name, tag, suffix = found.groups()
        return ReleaseUrl(kind="archive", repository=_join(owner, name), tag=unquote(tag), name=suffix)
    if found := _PAGE.fullmatch(path):
        owner, name, kind, tag = found.groups()
        return ReleaseUrl(kind=kind, repository=_join(owner, name), tag=unquote(tag))
    return None


def repository_of(url: str) -> str | None:
    """``owner/repo`` of an address under a repository's releases; None for others."""
    found = _RELEASES.fullmatch(path_of(url))
    return _join(found[1], found[2]) if found else None


def _join(owner: str, name: str) -> str:
    return f"{unquote(owner)}/{unquote(name)}"
