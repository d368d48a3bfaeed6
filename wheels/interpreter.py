"""Which wheel tags an interpreter takes: `3.12`, `cp312`, `3.13t`, `pp310`.

It knows PEP 425, 384, 703 and 803 as far as names go; it must not know which interpreter runs it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = re.compile(r"(?P<family>[a-z]*?)(?P<major>\d)(?:[._]?(?P<minor>\d+))?(?:\.\d+)*(?P<threaded>t?)", re.ASCII)
_FAMILIES = {"": "cp", "py": "cp", "cpython": "cp", "python": "cp", "pypy": "pp", "graalpy": "graalpy"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """An interpreter as far as wheel tags tell them apart."""

    family: str
    """Tag prefix: ``cp``, ``pp``, ``graalpy``."""
    major: int
    minor: int | None
    """None: any minor version of that major."""
    threaded: bool = False
    """A free-threaded build (PEP 703)."""


@lru_cache(maxsize=64)
def parse_interpreter(text: str) -> Interpreter | None:
    """An interpreter from what people write; None when the text is none.

    Args:
        text: ``3.12``, ``3.12.4``, ``312``, ``cp312``, ``py312``, ``3.13t``, ``cp313t``, ``3``, ``pp310``.
    """
    match = _WORD.fullmatch(text.strip().lower())
    if match is None:
        return None
    family = _FAMILIES.get(match["family"], match["family"])
    minor = None if match["minor"] is None else int(match["minor"])
    return Interpreter(family=family, major=int(match["major"]), minor=minor, threaded=bool(match["threaded"]))


def match_tags(interpreter: Interpreter, python: Iterable[str], abi: Iterable[str]) -> bool:
    """Whether any pair of the two tag sets suits the interpreter.

    Args:
        interpreter: whom the wheel is for.
        python: python tags of the wheel, expanded (``cp312``, ``py3``).
        abi: abi tags of the wheel, expanded (``abi3``, ``cp312``, ``none``).
    """
    abis = tuple(abi)
    return any(_match_pair(interpreter, tag, one_abi) for tag in python for one_abi in abis)


def _match_pair(interpreter: Interpreter, tag: str, abi: str) -> bool:
    other = parse_interpreter(tag)
    if other is None or other.major != interpreter.major:
        return False
    if tag.startswith("py"):
        return abi == "none" and _not_newer(other, interpreter)
    if other.family != interpreter.family:
        return False
    if abi in {"abi3", "abi3t"}:
        return _match_stable(interpreter, other, abi)
    same = interpreter.minor is None or other.minor == interpreter.minor
    return same and (abi == "none" or interpreter.minor is None or _is_threaded(abi) == interpreter.threaded)


def _match_stable(interpreter: Interpreter, other: Interpreter, abi: str) -> bool:
    # PEP 384 and 803: built for an older minor loads in a newer one, each abi in its own kind of build only.
    return (abi == "abi3t") == interpreter.threaded and _not_newer(other, interpreter)


def _not_newer(wheel: Interpreter, asked: Interpreter) -> bool:
    return wheel.minor is None or asked.minor is None or wheel.minor <= asked.minor


def _is_threaded(abi: str) -> bool:
    # The flags that follow the version: cp313t, cp313td.
    return "t" in abi.lstrip("abcdefghijklmnopqrsuvwxyz").lstrip("0123456789_")
