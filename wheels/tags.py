"""What platform tags say: operating systems, architectures, lowest glibc and musl.

It knows PEP 425, 513, 571, 599, 600, 656, 730, 738, 776 and Apple's fat binaries; it must not know any package.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_GLIBC = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}
_LINUX = re.compile(
    r"(?:(?P<old>manylinux(?:1|2010|2014))|manylinux_(?P<glibc>\d{1,4}_\d{1,4})|musllinux_(?P<musl>\d{1,4}_\d{1,4})|linux)"
    r"_(?P<arch>\w+)"
)
_OTHERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "windows",
        re.compile(r"(?:win|mingw|cygwin)(?:_|(?=32))(?P<arch>32|\w+?)(?:_(?:gnu|ucrt|llvm|clang|msvcrt)\w*)?"),
    ),
    ("macos", re.compile(r"macosx(?:[._-]\d{1,4}){0,2}[._-](?P<arch>[a-z]\w*)")),
    ("ios", re.compile(r"ios_\d{1,4}_\d{1,4}_(?P<arch>\w+?)_iphone(?:os|simulator)")),
    ("android", re.compile(r"android_\d{1,4}_(?P<arch>\w+)")),
    ("emscripten", re.compile(r"(?:emscripten|pyodide|pyemscripten)(?:_\d{1,5}){0,4}_(?P<arch>\w+)")),
)
_ARCHES: dict[str, tuple[str, ...]] = {
    "amd64": ("x86_64",),
    "arm64": ("aarch64",),
    "arm64_v8a": ("aarch64",),
    "armeabi_v7a": ("armv7l",),
    "armhf": ("armv7l",),
    "32": ("i686",),
    "x86": ("i686",),
    "i386": ("i686",),
    "i586": ("i686",),
    "intel": ("i686", "x86_64"),
    "fat": ("i686", "ppc"),
    "fat3": ("i686", "ppc", "x86_64"),
    "fat64": ("ppc64", "x86_64"),
    "universal": ("i686", "ppc", "ppc64", "x86_64"),
}
_LEVEL = re.compile(r"_v\d$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """What a compressed set of platform tags says; None is unknown."""

    os: tuple[str, ...] | None = None
    arch: tuple[str, ...] | None = None
    glibc: str | None = None
    musl: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _One:
    os: str
    arch: tuple[str, ...]
    glibc: tuple[int, ...] | None = None
    musl: tuple[int, ...] | None = None


def read_platform(tags: tuple[str, ...]) -> Platform:
    """Operating systems and architectures of a set of platform tags (the union of its members, sorted).

    Args:
        tags: platform tags, expanded; members that are no platform say nothing.
    """
    members = [member for tag in tags if (member := _read_one(tag.lower())) is not None]
    return Platform(
        os=tuple(sorted({member.os for member in members})) or None,
        arch=tuple(sorted({arch for member in members for arch in member.arch})) or None,
        glibc=_lowest([member.glibc for member in members if member.glibc]),
        musl=_lowest([member.musl for member in members if member.musl]),
    )


def is_platform(tag: str) -> bool:
    """Whether a field looks like a platform tag."""
    return _read_one(tag.lower()) is not None


def _read_one(tag: str) -> _One | None:
    if tag == "any":
        return _One(os="any", arch=("any",))
    # `win_amd64+x86_64_v3`: a CPU level behind a plus, seen in the wild.
    tag = tag.partition("+")[0]
    if match := _LINUX.fullmatch(tag):
        glibc = _GLIBC[match["old"]] if match["old"] else _numbers(match["glibc"])
        return _One(os="linux", arch=_arch(match["arch"]), glibc=glibc, musl=_numbers(match["musl"]))
    for system, pattern in _OTHERS:
        if match := pattern.fullmatch(tag):
            return _One(os=system, arch=_arch(match["arch"]))
    return None


def _arch(word: str) -> tuple[str, ...]:
    if word in _ARCHES:
        return _ARCHES[word]
    # `linux_x86_64_v3`: the level is no architecture of its own.
    word = _LEVEL.sub("", word)
    return _ARCHES.get(word, (word,))


def _numbers(text: str | None) -> tuple[int, ...] | None:
    return tuple(map(int, text.split("_"))) if text else None


def _lowest(versions: list[tuple[int, ...]]) -> str | None:
    return ".".join(map(str, min(versions))) if versions else None
