"""What a page of the outside world says, in one shape for every format.

HTML indexes, JSON indexes, flat link pages, GitHub fragments and REST answers all become a :class:`Page`; nothing
behind the parsers knows which it was. It must not know how a page is fetched or stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Shape(StrEnum):
    """The verdict about a page's shape. Only OK and EMPTY may end the life of anything stored."""

    OK = "ok"
    """Recognised and whole."""
    EMPTY = "empty"
    """Recognised, whole, and proven to list nothing."""
    PARTIAL = "partial"
    """Some records proven, the whole not: adds, never ends."""
    BROKEN = "broken"
    """Shape not recognised: an error of the channel."""
    RETRY = "retry"
    """A rate-limit page whatever its status, or a 5xx."""
    GONE = "gone"
    """404 or 410."""

    @property
    def complete(self) -> bool:
        """Whether absence from this page says anything."""
        return self in {Shape.OK, Shape.EMPTY}

    @property
    def usable(self) -> bool:
        """Whether records of this page may be stored."""
        return self in {Shape.OK, Shape.EMPTY, Shape.PARTIAL}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageProblem:
    """One thing on a page that could not be taken; it costs itself only (rule R2).

    Codes in use: ``bad-url``, ``bad-filename``, ``bad-hash``, ``hash-conflict``, ``bad-size``, ``bad-metadata``,
    ``bad-requires-python``, ``bad-location``, ``bad-time``, ``foreign-asset``, ``name-mismatch``,
    ``noncanonical-name``, ``no-trailing-slash``, ``api-version``, ``project-status``, ``mass-vanish``,
    ``userinfo-in-redirect``, and each page-level verdict in lower case (``broken``, ``partial`` …).
    """

    code: str
    detail: str
    """At most 300 characters, control characters escaped."""
    url: str = ""
    """The link or page it is about; may be empty."""


class Asset(NamedTuple):
    """One file that a page lists.

    A named tuple, where its neighbours are dataclasses: pages list them by the hundred thousand, and a frozen dataclass
    takes more than twice as long to make.
    """

    filename: str
    """Last path segment, percent-decoded exactly once."""
    url: str
    """Absolute, without fragment and userinfo, in the published spelling (raw ``+`` or ``%2B`` as it stood)."""
    hashes: tuple[tuple[str, str], ...] = ()
    """(algorithm, lower-case hex digest), every claim of the page; sha256 of 64 hex digits, others as they stand."""
    size: int | None = None
    """Exact bytes; None when the page shows no or only rounded sizes."""
    uploaded_at: str | None = None
    """UTC, ISO 8601 with ``Z``; None when unknown or without a zone."""
    requires_python: str | None = None
    """Verbatim."""
    yanked: bool = False
    yank_reason: str | None = None
    """PEP 592 reason; ``""`` is yanked without a reason; None when not yanked."""
    metadata: bool | None = None
    """PEP 658/714: a METADATA sidecar is announced; None when the page says nothing."""
    metadata_sha256: str | None = None

    @property
    def sha256(self) -> str | None:
        """The one sha256 that is claimed; None when none or several are."""
        digests = {digest for algorithm, digest in self.hashes if algorithm == "sha256"}
        return digests.pop() if len(digests) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One GitHub release as a list, feed or REST answer names it."""

    tag: str
    """Decoded tag; may hold ``/``, ``+`` and ``@``."""
    title: str = ""
    published_at: str | None = None
    """UTC, ISO 8601."""
    prerelease: bool | None = None
    draft: bool = False
    immutable: bool | None = None
    fragment_url: str | None = None
    """``include-fragment[src]`` as it stood, absolute."""
    announced: int | None = None
    """Uploaded assets that the page announces (Counter minus the two source archives, or the length of REST's list)."""
    release_id: int | None = None
    """REST id."""
    assets: tuple[Asset, ...] | None = None
    """Inline assets (REST); None when the page does not list them."""
    assets_url: str | None = None
    """REST URL of the asset list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A parsed page."""

    kind: str
    """``simple``, ``simple-root``, ``links``, ``release-list``, ``release-tag``, ``expanded-assets``, ``atom``,
    ``rest-releases``, ``huggingface``."""
    url: str
    """Final URL, after redirects."""
    shape: Shape
    reason: str = ""
    """Why the shape is not OK, as a phrase; empty for OK."""
    assets: tuple[Asset, ...] = ()
    """Every file listed, wheels or not, in page order; exact repetitions folded, one URL with other facts kept."""
    links: tuple[str, ...] = ()
    """Absolute URLs of sub-pages (projects of a root, deferred fragments, directories of a listing)."""
    releases: tuple[Release, ...] = ()
    next_url: str | None = None
    """The next page of the listing; None at the end."""
    project: str | None = None
    """Normalised project name that the page is about, when it says so."""
    project_status: str | None = None
    """PEP 792, verbatim."""
    project_status_reason: str | None = None
    tracks: tuple[str, ...] = ()
    """PEP 708: pages of this project on the indexes whose files it extends; absolute URLs."""
    alternate_locations: tuple[str, ...] = ()
    """PEP 708: pages of this project on other indexes that hold the same project; absolute URLs."""
    repository: str | None = None
    """``owner/repo`` that a GitHub page shows."""
    repository_id: int | None = None
    """GitHub's own id: survives renames."""
    problems: tuple[PageProblem, ...] = ()
