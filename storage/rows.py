"""From a page to rows: which of its files are wheels, under which key they are kept, and what their names say.

It knows the columns of a wheel; it must not know what is stored already. Pure.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from storage.ledger import Claim
from storage.urls import directory_of, free_text, host_of, stored_url, url_key
from wheels.filename import read_filename
from wheels.page import PageProblem
from wheels.version_key import version_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wheels.observation import PageRead
    from wheels.page import Asset
    from wheels.wheel import WheelName

READER = 1
"""Raise it when names are read in another way: stored pages are then read anew when they are next met."""

FILE_KINDS = frozenset({"simple", "links"})
"""Pages of files whose directories may say something (indexes, find-links)."""

TAG_LIMIT = 1000
_FILENAME = re.compile(r"[A-Za-z0-9._+!-]{1,255}\.whl")

NAME_COLUMNS = (
    "package", "version", "local", "build", "python", "abi", "platform", "os", "arch", "glibc", "musl",
    "accelerator", "cuda", "cuda_from", "cuda_conflict", "rocm", "torch", "torch_from", "cxx11abi",
    "commit", "date", "sm", "sm_from", "sm_read", "version_key", "valid", "problem", "filename",
)  # fmt: skip
"""The columns that follow from a name and its context, in the table's order."""


class Key(NamedTuple):
    """What a wheel's row is known by within its channel."""

    tag: str
    """Release tag or directory; empty for none."""
    url: bytes


@dataclass(slots=True, kw_only=True)
class Listed:
    """One wheel as its page shows it; built once a file, so not frozen: a page folds repetitions into it."""

    filename: str
    context: str
    url: str
    """Stored spelling."""
    claims: tuple[Claim, ...]
    requires_python: str | None
    yanked: int
    yank_reason: str | None
    metadata_sha256: str | None


def listed_wheels(seen: PageRead, problems: list[PageProblem]) -> dict[Key, Listed]:
    """Every wheel on a page, one entry a decoded URL.

    Args:
        seen: the page.
        problems: takes one row for each name that breaks rule R6.
    """
    found: dict[Key, Listed] = {}
    contexts = _Contexts(seen)
    for asset in seen.page.assets:
        if not asset.filename.endswith(".whl"):
            continue
        if not _FILENAME.fullmatch(asset.filename):
            problems.append(_unnamed(asset))
            continue
        key = Key(contexts.tag(asset.url), url_key(asset.url))
        known = found.get(key)
        if known is None:
            found[key] = _listed(asset, contexts.text(asset.url))
        else:
            known.claims += _claims(asset)
    return found


def _unnamed(asset: Asset) -> PageProblem:
    detail = f"not a wheel's file name: {asset.filename}"
    return PageProblem(code="bad-filename", detail=detail, url=stored_url(asset.url))


class _Contexts:
    """The tag and the context of each file of one page."""

    def __init__(self, seen: PageRead) -> None:
        self._tag = seen.tag
        self._context = seen.context
        self._speaks = seen.page.kind in FILE_KINDS and (seen.tag is None or bool(seen.context))
        self._host = host_of(seen.page.url) if seen.tag is not None else None
        self._last = ("", "")

    def tag(self, url: str) -> str:
        """The page's tag, else the file's own directory."""
        return directory_of(url) if self._tag is None else self._tag

    def text(self, url: str) -> str:
        """What stands beside the name: the page's context and, on the page's own host, the file's directory."""
        if not self._speaks:
            return self._context
        folder = url.rpartition("/")[0]
        if folder != self._last[0]:  # files of one directory follow each other
            self._last = (folder, self._beside(url))
        return self._last[1]

    def _beside(self, url: str) -> str:
        if self._host is not None and host_of(url) != self._host:
            return self._context
        directory = directory_of(url)
        return f"{self._context}/{directory}" if self._context and directory else self._context or directory


def _listed(asset: Asset, context: str) -> Listed:
    return Listed(
        filename=asset.filename,
        context=context,
        url=stored_url(asset.url),
        claims=_claims(asset),
        requires_python=free_text(asset.requires_python),
        yanked=int(asset.yanked),
        yank_reason=free_text(asset.yank_reason) if asset.yanked else None,
        metadata_sha256=asset.metadata_sha256 or ("" if asset.metadata else None),
    )


def _claims(asset: Asset) -> tuple[Claim, ...]:
    hashes: Iterable[tuple[str | None, str | None]] = asset.hashes or ((None, None),)
    url = asset.url if "?" not in asset.url and "@" not in asset.url else stored_url(asset.url)
    return tuple(Claim(url, algorithm, digest, asset.size, asset.uploaded_at) for algorithm, digest in hashes)


def read_name(listed: Listed, project: str | None) -> WheelName:
    """What a wheel's name and context say."""
    return read_filename(listed.filename, listed.context, project)


def is_readable(name: WheelName) -> bool:
    """Whether a name says enough to be kept: a careful reader may take what ``packaging`` refuses."""
    return name.valid or (name.package is not None and name.version is not None)


def name_problem(filename: str, problem: str | None, url: str, *, valid: bool) -> PageProblem | None:
    """The row of ``problems`` for a name that is refused, or looks wrong.

    Args:
        filename: decoded.
        problem: ``code: why``, as the reader of names says it; None when nothing is wrong.
        url: where the file is.
        valid: what ``packaging`` says.
    """
    if problem is None and valid:
        return None
    code, _, why = (problem or "bad-filename: refused").partition(": ")
    return PageProblem(code=code, detail=f"{filename}: {why}", url=stored_url(url))


def name_values(name: WheelName) -> tuple[str | int | None, ...]:
    """The values of :data:`NAME_COLUMNS`."""
    version = name.version or ""
    return (
        name.package, name.version, name.local, name.build, _words(name.python), _words(name.abi),
        _words(name.platform), _words(name.os), _words(name.arch), name.glibc, name.musl,
        name.accelerator, name.cuda, name.cuda_from, _conflicts(name), name.rocm, name.torch, name.torch_from,
        None if name.cxx11abi is None else int(name.cxx11abi), name.commit, name.date, _words(name.sm), name.sm_from,
        name.sm_read, version_key(f"{version}+{name.local}" if name.local else version), int(name.valid), name.problem,
        name.filename,
    )  # fmt: skip


@lru_cache(maxsize=4096)
def _words(items: tuple[str, ...] | None) -> str | None:
    """A list as text, so that ``LIKE '% cp312 %'`` finds its items."""
    if items is None:
        return None
    return f" {' '.join(items)} " if items else " "


def _conflicts(name: WheelName) -> str | None:
    if name.cuda_conflict is None:
        return None
    return json.dumps([{"from": conflict.source, "value": conflict.value} for conflict in name.cuda_conflict])


def tag_rows(wheel_id: int, name: WheelName) -> Iterator[tuple[int, str, str, str]]:
    """The rows of ``wheel_tag``: every combination of a compressed set (PEP 425)."""
    tags = product(dict.fromkeys(name.python or ()), dict.fromkeys(name.abi or ()), dict.fromkeys(name.platform or ()))
    for _, (python, abi, platform) in zip(range(TAG_LIMIT), tags, strict=False):
        yield wheel_id, python, abi, platform
