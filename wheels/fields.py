"""The dash-separated fields of a wheel's file name, as `packaging` cuts them and as a careful reader would.

It knows PEP 427 and how names go wrong; it must not know what labels say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
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
_PRE = re.compile(r"(?:a|b|rc|alpha|beta|pre|dev|post)\d{0,3}", re.IGNORECASE)


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
    """Why `packaging` refuses the name, as a phrase; None when it takes it.

    Args:
        stem: the file name without its last ``.whl``.
    """
    parts = stem.split("-")
    if len(parts) not in {5, 6}:
        return f"{len(parts)} fields where a wheel has 5 or 6"
    if not takes_start(f"{parts[0]}-0"):
        return f"{parts[0]!r} is no project name"
    if not is_version(parts[1]):
        return f"{parts[1]!r} is no version"
    if not takes_start("-".join(parts[:-3])):
        return f"{parts[2]!r} is no build tag"
    tags = "-".join(parts[-3:])
    return None if takes_tags(tags) else f"{tags!r} are no tags"


def takes_start(head: str) -> bool:
    """Whether `packaging` takes a name's part before the tags: ``torch-2.9.1+cu130``, ``fused_ssim-0.0.0-1``.

    `packaging` judges the parts one by one, so each part can be asked about once and remembered.
    """
    return head.count("-") in {1, 2} and _takes(f"{head}-py3-none-any.whl")


def takes_tags(tags: str) -> bool:
    """Whether `packaging` takes the three tag fields: ``cp312-abi3-manylinux2014_x86_64``."""
    return tags.count("-") == 2 and _takes(f"a-0-{tags}.whl")  # noqa: PLR2004 - between three fields


def is_version(text: str) -> bool:
    """Whether PEP 440 knows it as a version."""
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def is_explosion(stem: str) -> bool:
    """Whether the compressed tag sets multiply to more than 1,000 combinations.

    Args:
        stem: a file name without ``.whl``, or its tags.
    """
    return prod(part.count(".") + 1 for part in stem.split("-")[-3:]) > _MAX_COMBINATIONS


def split_start(head: str) -> Fields:
    """Name, version and build tag of a part that `packaging` takes."""
    name, field, *build = head.split("-")
    version, plus, local = field.partition("+")
    return Fields(name=name, version=version, local=local if plus else None, build=build[0] if build else None)


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
    at = next((i for i, part in enumerate(rest) if _PYTHON.fullmatch(part)), len(rest) - 3)
    before, rest = rest[: max(at, 0)], rest[max(at, 0) :]
    version = fields.version
    if version and before and _PRE.fullmatch(before[0]):
        # `1.0.0-rc1`: PEP 440 allows that dash, PEP 427 does not.
        version += before.pop(0)
    python = rest.pop(0) if at >= 0 else None
    abi = rest.pop(0) if rest and _ABI.fullmatch(rest[0]) else None
    platform, variant = _cut_platform(rest)
    build = before.pop() if len(before) == 1 and before[0][:1].isdigit() else None
    return Fields(
        name=fields.name,
        version=version,
        local=fields.local,
        build=build,
        python=python,
        abi=abi,
        platform=platform,
        slips=".".join(filter(None, [slip, *before])),
        variant="-".join(variant),
    )


def _cut_platform(rest: list[str]) -> tuple[str | None, list[str]]:
    if not rest:
        return None, []
    if not any(map(is_platform, rest[0].split("."))) and is_platform("-".join(rest)):
        # `macosx-10.9-intel`: dashes where underscores belong.
        return "-".join(rest), []
    return rest[0], rest[1:]


def _takes(filename: str) -> bool:
    try:
        parse_wheel_filename(filename)
    except InvalidWheelFilename:
        return False
    return True
