"""The facts of one wheel under the names that the whole surface uses.

``WheelName`` is what a file name and its context say; ``Wheel`` is that plus where and when it was found. Both know
nothing of how they were read or stored. None is "unknown" everywhere; an empty list is "known to be empty".
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Another source says another CUDA version than the one shown."""

    source: str
    """``filename``, ``tag``, ``requires`` or ``binary``; the key ``from`` in JSON."""
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelName:
    """A wheel's file name, read field by field.

    For a name that ``packaging`` refuses, the fields say how a careful reader would take it, as far as that is
    possible.
    """

    filename: str
    """Decoded."""
    valid: bool
    """What ``packaging.utils.parse_wheel_filename`` says."""
    problem: str | None = None
    """Why it is not valid, or what looks wrong in a valid one; None when nothing does."""
    package: str | None = None
    """PEP 503 normalised."""
    version: str | None = None
    """Public part, PEP 440 normalised."""
    local: str | None = None
    """Local segment, verbatim."""
    build: str | None = None
    python: tuple[str, ...] | None = None
    abi: tuple[str, ...] | None = None
    platform: tuple[str, ...] | None = None
    os: tuple[str, ...] | None = None
    arch: tuple[str, ...] | None = None
    glibc: str | None = None
    """Lowest glibc that the platform tags promise, ``2.17``."""
    musl: str | None = None
    accelerator: str | None = None
    cuda: str | None = None
    cuda_from: str | None = None
    cuda_conflict: tuple[Conflict, ...] | None = None
    rocm: str | None = None
    torch: str | None = None
    torch_from: str | None = None
    cxx11abi: bool | None = None
    commit: str | None = None
    date: str | None = None
    """ISO date."""
    sm: tuple[str, ...] | None = None
    sm_from: str | None = None
    sm_read: str | None = None
    """``whole``, ``partial``; None unless read from the binary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One more place of the same file."""

    channel: str
    tag: str | None
    url: str

    @property
    def filename(self) -> str:
        """The file's name there, decoded; the same bytes may bear several."""
        return unquote(urlsplit(self.url).path.rpartition("/")[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel(WheelName):
    """A wheel of the catalog: its name's facts, where it is, and what is known of its life."""

    url: str
    """Published URL, each ``+`` of the file name written ``%2B``."""
    channel: str
    tag: str | None
    places: tuple[Place, ...] = ()
    sha256: str | None = None
    size: int | None = None
    """Bytes."""
    uploaded_at: str | None = None
    requires_python: str | None = None
    yanked: bool = False
    yank_reason: str | None = None
    replaced: bool = False
    hash_conflict: bool = False
    first_seen: str
    last_seen: str
    vanished_at: str | None = None
    version_key: str = ""
    """Sorts as PEP 440 does; not part of the JSON surface."""
