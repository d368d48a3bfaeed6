"""A wheel's file name, read field by field: what `packaging` says of it, and what its label and context say.

It knows which of name and context wins and what contradicts what; it must not know pages, catalogs or queries.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from packaging.utils import canonicalize_name
from packaging.version import Version

from wheels.fields import (
    Fields,
    is_explosion,
    is_version,
    refuse,
    split_carefully,
    split_start,
    takes_start,
    takes_tags,
)
from wheels.label import Facts, agree
from wheels.sources import hear_context, hear_filename
from wheels.tags import Platform, read_platform
from wheels.torch_release import choose_torch
from wheels.wheel import Conflict, WheelName

# Rule R6: checked before anything else sees the name.
_GOOD = re.compile(r"[A-Za-z0-9._+!-]{1,255}\.whl")
_BAD_CHARACTERS = "not 1 to 255 of the characters A-Z a-z 0-9 . _ + ! - and .whl"
_EXPLOSION = "more than 1000 tag combinations"
_UNPRINTABLE = re.compile(r"[^ -~]")
_URL_TAIL = re.compile(r"(?<=\.whl)[?#].*", re.DOTALL)
_NUMBERS = re.compile(r"\d+(?:\.\d+)+")


def parse_filename(name: str, context: str = "") -> WheelName:
    """What a wheel's file name says. Never raises.

    Args:
        name: a file name, path or URL; the last segment counts, percent-decoded once (``%2B`` and ``+`` are the same).
        context: the release tag or directory where the file was found; heard only where the name is silent.

    Returns:
        The facts by the contract's names; ``problem`` says why a name is not valid or what looks wrong in a valid one.
    """
    path = name if name.endswith(".whl") else _URL_TAIL.sub("", name)
    return read_filename(unquote(path.rpartition("/")[2].rpartition("\\")[2]), context)


def read_filename(filename: str, context: str = "", package_hint: str | None = None) -> WheelName:
    """What a file name says that is decoded already: a ``%`` left in it makes it a bad name. Never raises.

    Args:
        filename: last segment of a URL's path, percent-decoded.
        context: the release tag or directory where the file was found.
        package_hint: the project, PEP 503 normalised, whose page lists the file; it allows dashes in the name.

    Returns:
        The facts; for a name that rule R6 refuses only ``filename`` (unprintable characters escaped) and ``problem``.
    """
    if not _GOOD.fullmatch(filename):
        return WheelName(filename=_escape(filename), valid=False, problem=f"bad-filename: {_BAD_CHARACTERS}")
    stem = filename[: -len(".whl")]
    head = stem.rsplit("-", 3)[0]
    start, tags = _read_start(head), _read_tags(stem[len(head) + 1 :])
    if start and tags:
        return _join(filename, start, tags, context, valid=True, problem=start.problem or tags.problem)
    if is_explosion(stem):
        return WheelName(filename=filename, valid=False, problem=f"bad-filename: {_EXPLOSION}")
    fields = split_carefully(stem)
    problem = _explain(stem, fields, package_hint)
    return _join(filename, _start_of(fields), _tags_of(fields), context, valid=False, problem=problem)


def _escape(text: str) -> str:
    return _UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def _explain(stem: str, fields: Fields, package_hint: str | None) -> str:
    # `sgl-kernel-0.1.0-py3-none-any` on the page of sgl-kernel: only the name's dash is wrong.
    if package_hint and fields.version and _canonical(fields.name) == package_hint:
        mended = fields.name.replace("-", "_") + stem[len(fields.name) :]
        if refuse(mended) is None:
            return f"noncanonical-name: dashes in the project name {fields.name!r}"
    return f"bad-filename: {refuse(stem)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """What stands in front of the tags, read."""

    package: str
    version: str | None
    local: str | None
    build: str | None
    facts: Facts
    problem: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tags:
    """The tags, read."""

    python: tuple[str, ...] | None
    abi: tuple[str, ...] | None
    platform: tuple[str, ...] | None
    where: Platform
    problem: str | None


@lru_cache(maxsize=8192)
def _read_start(head: str) -> _Start | None:
    """Name, version and build tag; None when `packaging` refuses them."""
    return _start_of(split_start(head)) if takes_start(head) else None


@lru_cache(maxsize=16384)
def _read_tags(text: str) -> _Tags | None:
    """Python, abi and platform tags; None when `packaging` refuses them or they are too many to ask it."""
    if is_explosion(text) or not takes_tags(text):
        return None
    python, abi, platform = text.split("-")
    return _tags_of(Fields(name="", python=python, abi=abi, platform=platform))


def _start_of(fields: Fields) -> _Start:
    package = _canonical(fields.name)
    version = Version(fields.version).public if fields.version and is_version(fields.version) else None
    words = fields.version or "", fields.local or "", fields.slips, fields.variant, fields.build or ""
    return _Start(
        package=package,
        version=version,
        local=fields.local,
        build=fields.build,
        facts=hear_filename(fields.name, package, *words),
        problem=_look_wrong(fields, version),
    )


def _look_wrong(fields: Fields, normal: str | None) -> str | None:
    """What looks wrong in front of the tags of a name that `packaging` takes."""
    if fields.version != normal:
        return f"noncanonical-name: version {fields.version!r} is {normal} by PEP 440"
    if fields.build and _NUMBERS.fullmatch(fields.build):
        return f"noncanonical-name: the build tag {fields.build!r} looks like a version"
    if fields.name.endswith((".", "_")):
        return f"noncanonical-name: the project name {fields.name!r} ends with a separator"
    return None


def _tags_of(fields: Fields) -> _Tags:
    platform = _expand(fields.platform)
    problem = None
    if platform and platform[-1] == "whl":
        problem = "noncanonical-name: .whl stands twice"
    elif "+" in (fields.platform or ""):
        problem = "noncanonical-name: a plus in the platform tag"
    return _Tags(
        python=_expand(fields.python),
        abi=_expand(fields.abi),
        platform=platform,
        where=read_platform(platform or ()),
        problem=problem,
    )


def _expand(text: str | None) -> tuple[str, ...] | None:
    """A compressed set's members; ``py2.7`` and ``3.0`` are no sets."""
    if not text:
        return None
    members = tuple(text.split("."))
    return (text,) if any(member[:1].isdigit() for member in members[1:]) else members


@lru_cache(maxsize=16384)
def _canonical(name: str) -> str:
    return canonicalize_name(name)


def _join(filename: str, start: _Start, tags: _Tags, context: str, *, valid: bool, problem: str | None) -> WheelName:
    name, where = start.facts, tags.where
    place = hear_context(context, start.package)
    accelerator = name.accelerator or place.accelerator
    cuda, cuda_from = _show_cuda(name, place)
    torch, torch_from = _show_torch(start.package, name, place, cuda, tags.python)
    sm, sm_from = _show_sm(name, place)
    return WheelName(
        filename=filename,
        valid=valid,
        problem=problem,
        package=start.package or None,
        version=start.version,
        local=start.local,
        build=start.build,
        python=tags.python,
        abi=tags.abi,
        platform=tags.platform,
        os=where.os,
        arch=where.arch,
        glibc=where.glibc,
        musl=where.musl,
        accelerator=accelerator,
        cuda=cuda,
        cuda_from=cuda_from,
        cuda_conflict=_contradict(cuda, name, place),
        rocm=(name.rocm or place.rocm) if accelerator == "rocm" else None,
        torch=torch,
        torch_from=torch_from,
        cxx11abi=place.cxx11abi if name.cxx11abi is None else name.cxx11abi,
        commit=name.commit,
        date=name.date,
        sm=sm,
        sm_from=sm_from,
    )


def _show_cuda(name: Facts, place: Facts) -> tuple[str | None, str | None]:
    if name.accelerator not in {None, "cuda"}:
        return None, None
    if name.cuda:
        return name.cuda[0], "filename"
    # A tag that names several versions says none of this file.
    return (place.cuda[0], "tag") if len(place.cuda) == 1 else (None, None)


def _contradict(shown: str | None, name: Facts, place: Facts) -> tuple[Conflict, ...] | None:
    """What says another CUDA version than the one shown, or any where the name says another accelerator."""
    if not name.cuda and (not place.cuda or name.accelerator in {None, "cuda"}):
        return None
    others = [Conflict(source="filename", value=value) for value in name.cuda if value != shown]
    if shown is None or not any(agree(value, shown) for value in place.cuda):
        others += [Conflict(source="tag", value=value) for value in place.cuda]
    return tuple(others) or None


def _show_torch(
    package: str, name: Facts, place: Facts, cuda: str | None, python: tuple[str, ...] | None
) -> tuple[str | None, str | None]:
    if package == "torch" or not (name.torch or place.torch):
        return None, None
    if not name.torch:
        torch = choose_torch(place.torch, cuda, python)
        return torch, "tag" if torch else None
    heard = tuple(one for one in name.torch if any(agree(one, other) for other in place.torch))
    torch = choose_torch(heard if len(heard) == 1 else name.torch, cuda, python)
    return torch, "filename" if torch else None


def _show_sm(name: Facts, place: Facts) -> tuple[tuple[str, ...] | None, str | None]:
    if name.sm:
        return name.sm, "filename"
    if place.sm and name.accelerator in {None, place.accelerator}:
        return place.sm, "tag"
    return None, None
