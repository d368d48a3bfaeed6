"""Shorthands, `--cu130 --cp312 --x86_64`, as the named options that they stand for.

It knows the short words and their meaning; it must not know which command is run or what its options do.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_ARCHES = {
    "x86_64": "x86_64",
    "amd64": "x86_64",
    "aarch64": "aarch64",
    "arm64": "aarch64",
    "i686": "i686",
    "armv7l": "armv7l",
    "ppc64le": "ppc64le",
    "s390x": "s390x",
    "riscv64": "riscv64",
    "universal2": "universal2",
}
_SYSTEMS = ("linux", "windows", "macos", "musllinux", "android", "ios", "emscripten")
ACCELERATORS = ("cuda", "rocm", "cpu", "xpu", "npu", "metal", "musa", "neuron", "tpu", "vulkan")
"""Every accelerator of the surface; those without a version have a shorthand of their own."""

_WORDS: dict[str, tuple[str, ...]] = {
    **{short: ("--arch", arch) for short, arch in _ARCHES.items()},
    **{system: ("--os", system) for system in _SYSTEMS},
    **{name: ("--accelerator", name) for name in ACCELERATORS if name not in {"cuda", "rocm"}},
    "win_amd64": ("--os", "windows", "--arch", "x86_64"),
    "win_arm64": ("--os", "windows", "--arch", "aarch64"),
    "win32": ("--os", "windows", "--arch", "i686"),
}


def cuda_version(digits: str) -> str:
    """A CUDA version from what follows `cu`: ``13.0`` from ``130`` or ``13.0``, ``13`` (any 13.x) from ``13``.

    Two digits from 10 to 19 are a major, else the last digit is the minor; a third part (``13.0.1``) is dropped.
    """
    if "." in digits:
        return ".".join(digits.split(".")[:2])
    if len(digits) == 1 or (len(digits) == 2 and digits.startswith("1")):  # noqa: PLR2004 - the rule's own number
        return digits
    return f"{digits[:-1]}.{digits[-1]}"


def rocm_version(digits: str) -> str:
    """A ROCm version from what follows `rocm`: undotted digits one by one, ``64`` is ``6.4``."""
    return digits if "." in digits else ".".join(digits)


_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[str], tuple[str, ...]]], ...] = (
    (re.compile(r"cu(?:da)?(\d{1,3}|\d{1,2}(?:\.\d{1,2}){1,2})"), lambda digits: ("--cuda", cuda_version(digits))),
    (re.compile(r"rocm(\d{1,4}|\d{1,2}(?:\.\d{1,2}){1,3})"), lambda digits: ("--rocm", rocm_version(digits))),
    (re.compile(r"(?:cp|py)(\d(?:\.?\d{1,2})?t?)"), lambda digits: ("--python", _python_version(digits))),
    (re.compile(r"(pp\d\.?\d{1,2})"), lambda word: ("--python", word)),
    (re.compile(r"sm_?(\d{2,3}[af]?)"), lambda target: ("--sm", target)),
    (re.compile(r"torch(\d+(?:\.\d+)+)"), lambda version: ("--torch", version)),
)


def _python_version(digits: str) -> str:
    return digits if "." in digits or not digits[1:2].isdigit() else f"{digits[0]}.{digits[1:]}"


def expand_word(word: str) -> tuple[str, ...] | None:
    """The named options that one shorthand stands for; None when it is no shorthand.

    Args:
        word: one word of the command line, ``--cu130``.
    """
    if not word.startswith("--"):
        return None
    name = word[2:].lower()
    known = _WORDS.get(name) or _WORDS.get(name.replace("-", "_"))
    if known:
        return known
    matches = ((pattern.fullmatch(name), meaning) for pattern, meaning in _PATTERNS)
    return next((meaning(match[1]) for match, meaning in matches if match), None)


def expand(words: Iterable[str], value_options: frozenset[str]) -> list[str]:
    """A command line with every shorthand replaced; values of options and all behind ``--`` stay as they are.

    Args:
        words: the command line without the program's name.
        value_options: names of the options whose value is the next word.
    """
    return list(_expanded(iter(words), value_options))


def _expanded(words: Iterator[str], value_options: frozenset[str]) -> Iterator[str]:
    for word in words:
        if word == "--":
            yield word
            yield from words
            return
        yield from expand_word(word) or (word,)
        if word in value_options:
            yield from (value for value in [next(words, None)] if value is not None)


def known_shorthands() -> tuple[str, ...]:
    """Shorthands to offer in completion and suggestions: all fixed words, and the versions of today."""
    versions = (
        "cu118",
        "cu126",
        "cu128",
        "cu129",
        "cu130",
        "cu13",
        "rocm64",
        "cp310",
        "cp311",
        "cp312",
        "cp313",
        "cp314",
    )
    return tuple(f"--{word}" for word in (*_WORDS, *versions))
