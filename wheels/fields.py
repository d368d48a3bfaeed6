"""The dash-separated fields of a wheel's file name, as `packaging` cuts them and as a careful reader would.

It knows PEP 427 and how names go wrong; it must not know what labels say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from wheels.tags import is_platform

_MAX_COMBINATIONS = 1000
_VERSION = re.compile(
    r"v?(?:\d{1,9}!)?\d+(?:\.\d+)*(?:[._]?(?:a|b|c|rc|alpha|beta|pre|preview|post|dev|r|rev)[._]?\d*){0,3}(?=[._+]|$)",
    re.IGNORECASE,
)
_PYTHON = re.compile(r"(?:cp|py|pp|ip|jy|pypy|graalpy)\d+[\w.+]*", re.IGNORECASE)
_ABI = re.compile(r"none|abi\d+t?|(?:cp|pp|py|pypy|graalpy|jython|ironpython)\d[\w.]*", re.IGNORECASE)
_NUMBERED = re.compile(r"\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The fields as they stand; None where there is none."""

    name: str
    version: str | None = None
    """Public part of the version field."""
    local: str | None = None
    """What follows the first plus of the version field."""
    build: str | None = None
    python: str | None = None
    abi: str | None = None
    platform: str | None = None
    slips: str = ""
    """Words that slipped out of the label: behind the version with a dot, or in fields before the Python tag."""
    variant: str = ""
    """Fields behind the platform: a variant label (PEP 817's drafts)."""


def refuse(stem: str) -> str | None:
    """Why `packaging` refuses the name, as a phrase; None when it takes it. Each part is judged by it once.

    Args:
        stem: the file name without its last ``.whl``.
    """
    parts = stem.split("-")
    if len(parts) not in {5, 6}:
        return f"{len(parts)} fields where a wheel has 5 or 6"
    if not _is_name(parts[0]):
        return f"{parts[0]!r} is no project name"
    if not _is_version(parts[1]):
        return f"{parts[1]!r} is no version"
    if len(parts) == 6 and not _is_build(parts[2]):  # noqa: PLR2004 - with a build tag a name has six fields
        return f"{parts[2]!r} is no build tag"
    return _refuse_tags("-".join(parts[-3:]))


def is_explosion(stem: str) -> bool:
    """Whether the compressed tag sets multiply to more than 1,000 combinations."""
    return prod(part.count(".") + 1 for part in stem.split("-")[-3:]) > _MAX_COMBINATIONS


def split_strictly(stem: str) -> Fields:
    """The fields of a name that `packaging` takes."""
    parts = stem.split("-")
    version, plus, local = parts[1].partition("+")
    return Fields(
        name=parts[0],
        version=version,
        local=local if plus else None,
        build=parts[2] if len(parts) == 6 else None,  # noqa: PLR2004 - with a build tag a name has six fields
        python=parts[-3],
        abi=parts[-2],
        platform=parts[-1],
    )


def split_carefully(stem: str) -> Fields:
    """The fields of any name, as a careful reader would take them.

    The version is the first field that begins with one; what precedes it is the name. Tags are known by their looks.

    Args:
        stem: the file name without its last ``.whl``.
    """
    while stem.endswith(".whl"):
        stem = stem[: -len(".whl")]
    parts = stem.split("-")
    at = next((i for i, part in enumerate(parts) if i and _VERSION.match(part)), None)
    name = "-".join(parts[: at or 1])
    version, local, slip = _cut_version(parts[at]) if at else (None, None, "")
    if at is None and len(parts) > 1 and not _PYTHON.fullmatch(parts[1]):
        at = 1
        slip, plus, after = parts[1].partition("+")
        local = after if plus else None
    rest = parts[(at or 0) + 1 :]
    return _with_tags(Fields(name=name, version=version, local=local), slip, rest)


def _cut_version(part: str) -> tuple[str, str | None, str]:
    match = _VERSION.match(part)
    version = match[0] if match else part
    public, plus, local = part.partition("+")
    return version, local if plus else None, public[len(version) :].strip("._")


def _with_tags(fields: Fields, slip: str, rest: list[str]) -> Fields:
    at = next((i for i, part in enumerate(rest) if _PYTHON.fullmatch(part)), None)
    if at is None:
        at = max(len(rest) - 3, 0)
    before, rest = rest[:at], rest[at:]
    python = rest.pop(0) if rest else None
    abi = rest.pop(0) if rest and _ABI.fullmatch(rest[0]) else None
    platform, variant = _cut_platform(rest)
    build = before[0] if len(before) == 1 and _NUMBERED.match(before[0]) else None
    slips = [slip, *(before if build is None else [])]
    return Fields(
        name=fields.name,
        version=fields.version,
        local=fields.local,
        build=build,
        python=python,
        abi=abi,
        platform=platform,
        slips=".".join(filter(None, slips)),
        variant="-".join(variant),
    )


def _cut_platform(rest: list[str]) -> tuple[str | None, list[str]]:
    if not rest:
        return None, []
    if not any(map(is_platform, rest[0].split("."))) and is_platform("-".join(rest)):
        # `macosx-10.9-intel`: dashes where underscores belong.
        return "-".join(rest), []
    return rest[0], rest[1:]


@lru_cache(maxsize=16384)
def _is_name(name: str) -> bool:
    return _takes(f"{name}-0-py3-none-any.whl")


@lru_cache(maxsize=65536)
def _is_version(version: str) -> bool:
    try:
        Version(version)
    except InvalidVersion:
        return False
    except ValueError:
        # int() refuses numbers of more than 4,300 digits.
        return False
    return True


@lru_cache(maxsize=4096)
def _is_build(build: str) -> bool:
    return _takes(f"a-0-{build}-py3-none-any.whl")


@lru_cache(maxsize=16384)
def _refuse_tags(tags: str) -> str | None:
    """Why `packaging` refuses the three tag fields; None when it takes them.

    Args:
        tags: ``cp312-abi3-manylinux2014_x86_64``.
    """
    return None if _takes(f"a-0-{tags}.whl") else f"{tags!r} are no tags"


def _takes(filename: str) -> bool:
    try:
        parse_wheel_filename(filename)
    except InvalidWheelFilename:
        return False
    except ValueError:
        # int() refuses numbers of more than 4,300 digits.
        return False
    return True
