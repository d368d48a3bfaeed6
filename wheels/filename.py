"""A wheel's file name, read field by field: what `packaging` says of it, and what its label and context say.

It knows which of name and context wins and what contradicts what; it must not know pages, catalogs or queries.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from wheels.fields import Fields, is_explosion, refuse, split_carefully, split_strictly
from wheels.label import Facts, agree
from wheels.sources import hear_context, hear_filename
from wheels.tags import read_platform
from wheels.torch_release import choose_torch
from wheels.wheel import Conflict, WheelName

# Rule R6: checked before anything else sees the name.
_GOOD = re.compile(r"[A-Za-z0-9._+!-]{1,255}\.whl")
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
    last = re.split(r"[/\\]", _URL_TAIL.sub("", name))[-1]
    return read_filename(unquote(last), context)


def read_filename(filename: str, context: str = "", package_hint: str | None = None) -> WheelName:
    """What a file name says that is decoded already: a ``%`` left in it makes it a bad name. Never raises.

    Args:
        filename: last segment of a URL's path, percent-decoded.
        context: the release tag or directory where the file was found.
        package_hint: the project, PEP 503 normalised, whose page lists the file; it allows dashes in the name.
    """
    if not _GOOD.fullmatch(filename):
        reason = "not 1 to 255 of the characters A-Z a-z 0-9 . _ + ! - and .whl"
        return WheelName(filename=_escape(filename), valid=False, problem=f"bad-filename: {reason}")
    stem = filename[: -len(".whl")]
    if is_explosion(stem):
        reason = "more than 1000 tag combinations"
        return WheelName(filename=filename, valid=False, problem=f"bad-filename: {reason}")
    refused = refuse(stem)
    fields = split_carefully(stem) if refused else split_strictly(stem)
    problem = _explain(stem, fields, refused, package_hint) if refused else _look_wrong(fields)
    return _read(filename, fields, context, valid=refused is None, problem=problem)


def _escape(text: str) -> str:
    return _UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def _explain(stem: str, fields: Fields, reason: str | None, package_hint: str | None) -> str:
    # `sgl-kernel-0.1.0-py3-none-any` on the page of sgl-kernel: only the name's dash is wrong.
    if package_hint and fields.version and canonicalize_name(fields.name) == package_hint:
        mended = fields.name.replace("-", "_") + stem[len(fields.name) :]
        if refuse(mended) is None:
            return f"noncanonical-name: dashes in the project name {fields.name!r}"
    return f"bad-filename: {reason}"


@lru_cache(maxsize=65536)
def _look_wrong(fields: Fields) -> str | None:
    """What looks wrong in a name that `packaging` takes."""
    version, platform = fields.version or "", fields.platform or ""
    normal = _normalise(version)
    if platform.split(".")[-1] == "whl":
        return "noncanonical-name: .whl stands twice"
    if "+" in platform:
        return "noncanonical-name: a plus in the platform tag"
    if version != normal:
        return f"noncanonical-name: version {version!r} is {normal} by PEP 440"
    if fields.build and _NUMBERS.fullmatch(fields.build):
        return f"noncanonical-name: the build tag {fields.build!r} looks like a version"
    if fields.name[-1] in "._":
        return f"noncanonical-name: the project name {fields.name!r} ends with a separator"
    return None


@lru_cache(maxsize=65536)
def _normalise(version: str) -> str | None:
    try:
        return Version(version).public
    except InvalidVersion:
        return None
    except ValueError:
        # int() refuses numbers of more than 4,300 digits.
        return None


@lru_cache(maxsize=16384)
def _expand(text: str | None) -> tuple[str, ...] | None:
    """A compressed set's members; ``py2.7`` and ``3.0`` are no sets."""
    if not text:
        return None
    members = tuple(text.split("."))
    return members if len(members) == 1 or not _is_dotted(members) else (text,)


def _is_dotted(members: tuple[str, ...]) -> bool:
    return any(member[:1].isdigit() for member in members[1:])


_read_platform = lru_cache(maxsize=16384)(read_platform)


def _read(filename: str, fields: Fields, context: str, *, valid: bool, problem: str | None) -> WheelName:
    package = _canonical(fields.name)
    python, platform = _expand(fields.python), _expand(fields.platform)
    where = _read_platform(platform or ())
    name = hear_filename(
        package, fields.version or "", fields.local or "", fields.slips, fields.variant, fields.build or ""
    )
    place = hear_context(context, package)
    cuda, cuda_from = _show_cuda(name, place)
    torch, torch_from = _show_torch(package, name, place, cuda, python)
    accelerator = name.accelerator or place.accelerator
    sm, sm_from = _show_sm(name, place)
    return WheelName(
        filename=filename,
        valid=valid,
        problem=problem,
        package=package or None,
        version=_normalise(fields.version) if fields.version else None,
        local=fields.local,
        build=fields.build,
        python=python,
        abi=_expand(fields.abi),
        platform=platform,
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


@lru_cache(maxsize=16384)
def _canonical(name: str) -> str:
    return canonicalize_name(name)


def _show_cuda(name: Facts, place: Facts) -> tuple[str | None, str | None]:
    if name.accelerator not in {None, "cuda"}:
        return None, None
    if name.cuda:
        return name.cuda[0], "filename"
    # A tag that names several versions says none of this file.
    if place.accelerator == "cuda" and len(place.cuda) == 1:
        return place.cuda[0], "tag"
    return None, None


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
