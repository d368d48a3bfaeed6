"""Which channel would have found a file at a given URL: its repository, the directories of its pages, its file store.

It knows where the files of each kind of channel lie; it must not know how a channel is read, nor ask the network.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from crawler.channels import aliases_of, below, matches_tag
from wheels.filename import parse_filename

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawler.channels import Channel

_GITHUB = "github.com"
_RAW_GITHUB = "raw.githubusercontent.com"
_HUGGING_FACE = "huggingface.co"
_PAGE = ".html"
_FOLDER_PAGE = "index.html"
_OWN_FOLDER = "."
_FILE_VIEWS = frozenset({"resolve", "blob", "raw"})
"""The three addresses of one file of a Hugging Face repository: itself, its web page, its text."""


def covering(url: str, channels: Iterable[Channel]) -> Channel | None:
    """The first channel that would have found a file; None when none would.

    Args:
        url: of a wheel; a path alone (``/packages/…``) is one of the configured index's file host.
        channels: to choose from, in their order.
    """
    return Cover(channels).channel_of(url)


def publisher_of(url: str) -> str:
    """Who published a file, as people say it: ``owner/repo`` of a repository, else the host.

    Args:
        url: as for :func:`covering`; a path alone is ``(configured index)``.
    """
    parts = _split(url)
    if parts is None:
        return "(no URL)"
    host, segments = parts.hostname or "", parts.path.split("/")[1:]
    if not host:
        return "(configured index)"
    if host in {_GITHUB, _RAW_GITHUB}:
        return "/".join(segments[:2])
    return "/".join([host, *_repository(segments)]) if host == _HUGGING_FACE else host


@dataclass(frozen=True, slots=True, kw_only=True)
class _Area:
    """A directory in which files of a channel lie."""

    start: str
    """Decoded path with a final slash."""
    channel: Channel
    globs: tuple[str, ...] = ("*",)
    """Names of what lies directly in it, files or directories."""
    shallow: bool = False
    """Files only, nothing of its directories."""

    def holds(self, path: str) -> bool:
        """Whether a decoded path lies in it."""
        if not path.startswith(self.start):
            return False
        child, slash, _ = path[len(self.start) :].partition("/")
        return not (slash and self.shallow) and any(fnmatchcase(child, glob) for glob in self.globs)


class Cover:
    """The same question for many URLs.

    Args:
        channels: to choose from, in their order.
    """

    def __init__(self, channels: Iterable[Channel]) -> None:
        self._repositories: defaultdict[tuple[str, str], list[Channel]] = defaultdict(list)
        self._areas: defaultdict[str, list[_Area]] = defaultdict(list)
        self._configured: Channel | None = None
        for channel in channels:
            self._add(channel)

    def channel_of(self, url: str) -> Channel | None:
        """The first channel that would have found the file; None when none would.

        Args:
            url: as for :func:`covering`.
        """
        parts = _split(url)
        if parts is None:
            return None
        if not parts.hostname:
            return self._configured if parts.path.startswith("/") else None
        path = unquote(parts.path)
        if parts.hostname == _GITHUB:
            return self._of_release(path.split("/")[1:])
        if parts.hostname == _HUGGING_FACE:
            return self._of_tree(path.split("/")[1:])
        return self._of_page(parts.hostname, path)

    def _add(self, channel: Channel) -> None:
        if channel.configured and channel.kind == "index":
            self._configured = self._configured or channel
        if channel.kind in {"index", "links"}:
            for host, area in _areas(channel):
                self._areas[host].append(area)
            return
        for address in (channel.address, *channel.formerly):
            self._repositories[channel.kind, address.casefold()].append(channel)

    def _of_release(self, segments: list[str]) -> Channel | None:
        # /OWNER/REPO/releases/download/TAG/FILE; a tag may hold slashes. What lies in a branch is no release.
        if segments[2:4] != ["releases", "download"]:
            return None
        known = self._repositories.get(("github", "/".join(segments[:2]).casefold()), ())
        return next((channel for channel in known if matches_tag(channel, "/".join(segments[4:-1]))), None)

    def _of_tree(self, segments: list[str]) -> Channel | None:
        repository = _repository(segments)
        if not _FILE_VIEWS.intersection(segments[len(repository) :][:1]):
            return None
        return next(iter(self._repositories.get(("hf", "/".join(repository).casefold()), ())), None)

    def _of_page(self, host: str, path: str) -> Channel | None:
        areas = [area for area in self._areas.get(host, ()) if area.holds(path)]
        if not areas:
            return None
        # An index is asked for its packages only; a page of links hands over all that it lists.
        names = aliases_of(parse_filename(path).package or "")
        return next((a.channel for a in areas if a.channel.kind != "index" or _carries(a.channel, names)), None)


def _carries(channel: Channel, names: Iterable[str]) -> bool:
    return any(channel.may_carry(name) for name in names)


def _areas(channel: Channel) -> Iterator[tuple[str, _Area]]:
    own, start = _directory(channel.address)
    if channel.discover:
        yield own, _Area(start=start, channel=channel, globs=channel.discover)
    if _OWN_FOLDER in channel.files:
        yield own, _Area(start=start, channel=channel, shallow=True)
    files = (
        below(channel.address, each) if "://" not in each else each for each in channel.files if each != _OWN_FOLDER
    )
    for host, start in dict.fromkeys(map(_directory, (*channel.root_urls(), *files))):
        for name in {host, *(channel.hosts if host == own else ())}:
            yield name, _Area(start=start, channel=channel)


def _directory(url: str) -> tuple[str, str]:
    """Host and directory of what a page lists: of ``cu118/index.html`` its folder, of ``x.html`` one named ``x``.

    A bucket's listing says its folder in its query: ``?prefix=wheels/``.
    """
    parts = urlsplit(url)
    path = unquote(parts.path).removesuffix(_FOLDER_PAGE).removesuffix(_PAGE).rstrip("/") + "/"
    prefix = parse_qs(parts.query).get("prefix", [""])[0]
    return parts.hostname or "", (path + prefix).rstrip("/") + "/"


def _repository(segments: list[str]) -> list[str]:
    """The path of a Hugging Face repository: ``OWNER/REPO``, of data sets and spaces with their kind before it."""
    return segments[: 3 if segments[:1] in (["datasets"], ["spaces"]) else 2]


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None
