"""The channels: where wheels are published, which packages each is worth asking for, and what a SPEC means.

It knows addresses, names and packages; it must not know how a channel is read. It imports no HTTP: every
command may ask it.
"""

from __future__ import annotations

import fnmatch
import os
import re
import tomllib
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import SplitResult, unquote, urlsplit

from wheels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crawler.configured_index import ConfiguredIndex

Kind = Literal["github", "index", "links", "hf"]

SPEC_HINT = (
    "A SPEC is github:OWNER/REPO[@TAG_GLOB], index:URL (PEP 503/691 pages), links:URL (find-links, flat page, "
    "directory listing; a path too) or hf:OWNER/REPO (Hugging Face)."
)
_REPOSITORY = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/[A-Za-z0-9._-]{1,100}")
_TREE = re.compile(r"(?:(datasets|spaces)/)?[A-Za-z0-9][\w.-]{0,95}/[\w.-]{1,96}", re.ASCII)
_HUGGING_FACE = "huggingface.co"
_LATER_KINDS = frozenset({"oci"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """One place where wheels are published."""

    name: str
    """``owner/repo``, host and path without scheme, ``index`` for the configured index."""
    kind: Kind
    address: str = field(repr=False)
    """``owner/repo`` (``datasets/owner/repo``), or a URL (of an index without a final slash): a user's
    own may hold a password."""
    roots: tuple[str, ...] = ("",)
    """Below the address: what comes before ``/PACKAGE/`` of an index, the pages themselves of links."""
    discover: tuple[str, ...] = ()
    """Globs of further roots of an index, looked for on the address's own page."""
    tag_glob: str | None = None
    """Only releases whose tag matches; None: all."""
    packages: tuple[str, ...] = ()
    """Normalised names worth asking for; empty: any."""
    note: str = ""
    hosts: frozenset[str] = frozenset()
    """Hosts at which its pages may lie after redirects, globs allowed; empty for ``file:`` and for GitHub."""
    files: tuple[str, ...] = ()
    """Where its files lie, if not below its roots: URLs, or paths below the address."""
    formerly: tuple[str, ...] = ()
    """Older addresses of a repository, which lead to it."""
    absent: frozenset[int] = frozenset()
    """Statuses that mean 404 there."""
    user_named: bool = False
    """Named by the user: its address may be private."""
    configured: bool = False
    """Part of the configured index."""

    @property
    def spec(self) -> str:
        """The SPEC that names it."""
        return f"{self.kind}:{self.address}" + (f"@{self.tag_glob}" if self.tag_glob else "")

    def root_urls(self) -> tuple[str, ...]:
        """The roots as absolute URLs, in their order; of a Hugging Face repository its tree."""
        if self.kind == "hf":
            kind = "" if self.address.startswith(("datasets/", "spaces/")) else "models/"
            return (f"https://{_HUGGING_FACE}/api/{kind}{self.address}/tree/main?recursive=true&expand=false",)
        return tuple(below(self.address, root) if root else self.address for root in self.roots)

    def meant(self, status: int) -> int:
        """What a status of this channel's server means: 404, where that is how it says so.

        Args:
            status: HTTP status code.
        """
        return 404 if status in self.absent else status

    def may_carry(self, package: str) -> bool:
        """Whether it is worth asking for a package.

        Args:
            package: a normalised name.
        """
        return not self.packages or package in self.packages


def below(address: str, path: str) -> str:
    """The address of what lies below another one; a query (a token, say) stays behind the path.

    Args:
        address: a URL with or without a final slash.
        path: relative, as it is written in URLs; empty for the address with a final slash.
    """
    start, mark, query = address.partition("?")
    return f"{start.rstrip('/')}/{path}{mark}{query}"


def normalized(package: str) -> str:
    """The name as PEP 503 normalises it."""
    return re.sub(r"[-_.]+", "-", package).lower()


@cache
def bundled_channels() -> tuple[Channel, ...]:
    """The channels of ``channels.toml``, in its order."""
    return tuple(_bundled(entry) for entry in tomllib.loads(_bundled_text())["channel"])


@cache
def bundled_packages() -> tuple[str, ...]:
    """Every package that a bundled channel names, sorted."""
    return tuple(sorted({package for channel in bundled_channels() for package in channel.packages}))


def aliases_of(package: str) -> tuple[str, ...]:
    """The names of a project, the one asked for first.

    Args:
        package: any spelling.
    """
    asked = normalized(package)
    others = next((group for group in _renamed() if asked in group), ())
    return (asked, *(name for name in others if name != asked))


def channels_for(packages: Iterable[str], channels: Iterable[Channel]) -> tuple[Channel, ...]:
    """The channels worth asking for any of the packages, in their order.

    Args:
        packages: any spelling; other names of the same project count too.
        channels: to choose from.
    """
    names = {name for package in packages for name in aliases_of(package)}
    return tuple(channel for channel in channels if any(channel.may_carry(name) for name in names))


def choose_channel(word: str, channels: Iterable[Channel]) -> Channel:
    """The channel that a word of the user's names: a known name, in any case, else a SPEC (of a known channel, too).

    Raises:
        UsageError: it is neither.
    """
    known = {channel.name.casefold(): channel for channel in channels}
    found = known.get(word.casefold().removesuffix("/"))
    if found is not None:
        return found
    if ":" in word:
        named = parse_spec(word)
        return known.get(named.name.casefold(), named)
    from difflib import get_close_matches  # noqa: PLC0415 - only for a wrong name: the common way stays light

    near = sorted(name for name in known if word.casefold() in name)[:3] or get_close_matches(word.casefold(), known)
    hint = f"Near: {', '.join(near)}. {SPEC_HINT}" if near else SPEC_HINT
    raise UsageError("read", word, "no channel has this name", hint)


def parse_spec(spec: str) -> Channel:
    """The channel that a SPEC describes.

    Args:
        spec: ``github:OWNER/REPO[@TAG_GLOB]``, ``index:URL``, ``links:URL`` or ``hf:OWNER/REPO``; a path stands for a
            URL.

    Raises:
        UsageError: it is none of these.
    """
    kind, colon, rest = spec.partition(":")
    if kind in _LATER_KINDS and colon:
        raise UsageError("use", spec, f"{kind}: channels are not available in this version", SPEC_HINT)
    if kind == "github" and rest:
        return _github(spec, rest)
    if kind in {"index", "links"} and rest:
        return _pages("index" if kind == "index" else "links", rest)
    if kind == "hf" and rest:
        return _hugging_face(spec, rest)
    raise UsageError("use", spec, "it is no SPEC", SPEC_HINT)


def configured_channels(index: ConfiguredIndex) -> tuple[Channel, ...]:
    """The channels that pip's or uv's configuration names: ``index``, further indexes, find-links pages and folders."""
    found = [replace(_pages("index", index.index_url), name="index")] if index.index_url else []
    extra = (_pages("index", url) for url in index.extra_index_urls)
    found += [replace(channel, name=f"index:{channel.name}") for channel in extra]
    found += [_pages("links", url) for url in index.find_links]
    return tuple(replace(channel, configured=True) for channel in found)


def _github(spec: str, rest: str) -> Channel:
    address, at, glob = rest.partition("@")
    if not _REPOSITORY.fullmatch(address) or (at and not glob):
        raise UsageError("use", spec, "github: wants OWNER/REPO, with @ and a pattern of tags if you like", SPEC_HINT)
    return Channel(name=rest, kind="github", address=address, tag_glob=glob or None, user_named=True)


def _hugging_face(spec: str, address: str) -> Channel:
    if not _TREE.fullmatch(address):
        raise UsageError("use", spec, "hf: wants OWNER/REPO, datasets/OWNER/REPO or spaces/OWNER/REPO", SPEC_HINT)
    hosts = frozenset({_HUGGING_FACE})
    return Channel(name=f"{_HUGGING_FACE}/{address}", kind="hf", address=address, hosts=hosts, user_named=True)


def _pages(kind: Literal["index", "links"], stated: str) -> Channel:
    url = _as_url(stated)
    parts = _split(url)
    if parts is None or (parts.scheme != "file" and not parts.hostname):
        shown = stated.rpartition("@")[2].partition("?")[0]
        raise UsageError("use", f"{kind}:{shown}", "it is no http, https or file address and no path", SPEC_HINT)
    hosts = frozenset({parts.hostname}) if parts.hostname else frozenset()
    address = url.rstrip("/") if kind == "index" else url  # a page's own slash decides where its relative links lead
    return Channel(name=_name(parts), kind=kind, address=address, hosts=hosts, user_named=True)


def _split(url: str) -> SplitResult | None:
    """The URL's parts; None when it is none that can be read."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts if parts.scheme in {"http", "https", "file"} else None


def _as_url(stated: str) -> str:
    """A path as a ``file:`` URL, a URL as it stands."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", stated):  # one letter and a colon is a drive
        return stated
    return Path(os.path.expanduser(stated)).absolute().as_uri()  # noqa: PTH111 - Path raises for ~ of nobody


def _name(parts: SplitResult) -> str:
    """Host and path, without userinfo and query: what may be printed."""
    if parts.scheme == "file":
        return unquote(parts.path).rstrip("/") or "/"
    return (parts.netloc.rpartition("@")[2].lower() + parts.path).rstrip("/")


def _bundled_text() -> str:
    return Path(__file__).with_name("channels.toml").read_text(encoding="utf-8")


@cache
def _renamed() -> tuple[tuple[str, ...], ...]:
    head = _bundled_text().partition("[[channel]]")[0]
    return tuple(tuple(group) for group in tomllib.loads(head)["renamed"]["groups"])


def _bundled(entry: Mapping[str, Any]) -> Channel:
    spec = parse_spec(f"{entry['kind']}:{entry['address']}")
    return replace(
        spec,
        roots=tuple(entry.get("roots", ("",))),
        discover=tuple(entry.get("discover", ())),
        packages=tuple(entry["packages"]),
        note=entry["note"],
        hosts=spec.hosts | frozenset(entry.get("hosts", ())),
        files=tuple(entry.get("files", ())),
        formerly=tuple(entry.get("formerly", ())),
        absent=frozenset(entry.get("absent", ())),
        user_named=False,
    )


def matches_tag(channel: Channel, tag: str) -> bool:
    """Whether a release of this tag belongs to the channel."""
    return channel.tag_glob is None or fnmatch.fnmatchcase(tag, channel.tag_glob)
