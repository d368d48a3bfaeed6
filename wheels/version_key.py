"""An order-preserving text of a PEP 440 version.

It knows PEP 440's order and how to spell it so that plain text comparison gives it, in any database and collation; it
must not know what the version belongs to. Only digits and small letters are used, because collations skip punctuation.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_LENGTH = 1000
_INVALID = "0"
_VALID = "1"
_PRE = {"a": "1", "b": "2", "rc": "3"}
_LENGTHS = "0123456789abcdefghijklmnopqrstuvwxy"


@lru_cache(maxsize=8192)
def version_key(version: str) -> str:
    """Text that sorts as PEP 440 sorts the version (its section "Summary of permitted suffixes and relative ordering").

    Equal versions (``1.0``, ``1.0.0``) have equal keys. What is no version sorts before all; nothing is raised.

    Args:
        version: public part and, after a ``+``, the local segment: ``0.3.21+cu130``, ``1!2.0rc1.post1.dev2``.
    """
    # Longer than any file name: nobody's version, and int() raises for numbers of more than 4,300 digits.
    if len(version) > _MAX_LENGTH:
        return _INVALID
    try:
        parsed = Version(version)
    except InvalidVersion:
        return _INVALID
    return "".join((_VALID, _number(parsed.epoch), _release(parsed.release), _suffix(parsed), _local(parsed.local)))


def _number(value: int | str) -> str:
    """The number's length first, so that 10 comes after 9."""
    digits = str(value)
    if len(digits) < len(_LENGTHS):
        return _LENGTHS[len(digits)] + digits
    return f"z{len(digits):04}{digits}"


def _release(release: Iterable[int]) -> str:
    # No number starts with 0, which therefore ends a release before any longer one.
    numbers = list(release)
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return "".join(map(_number, numbers)) + "0"


def _suffix(parsed: Version) -> str:
    bare_dev = parsed.dev is not None and parsed.pre is None and parsed.post is None
    pre = "0" if bare_dev else "9"
    if parsed.pre is not None:
        pre = _PRE[parsed.pre[0]] + _number(parsed.pre[1])
    post = "0" if parsed.post is None else "1" + _number(parsed.post)
    dev = "9" if parsed.dev is None else "0" + _number(parsed.dev)
    return pre + post + dev


def _local(local: str | None) -> str:
    # No local segment is a prefix of any, words come before numbers, and a word ends with 00, which no word contains.
    parts = local.split(".") if local else []
    return "".join("2" + _number(int(p)) if p.isdigit() else "1" + p.replace("0", "01") + "00" for p in parts)
