"""What pages claim of a file: digests, sidecars, required Pythons.

It knows PEP 503, 658, 691 and 714 and their usual misspellings; it must not know which format a claim came in.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote

from packaging.specifiers import InvalidSpecifier, SpecifierSet

if TYPE_CHECKING:
    from collections.abc import Iterable

Hashes = tuple[tuple[str, str], ...]
"""(algorithm, lower-case hex digest)."""

_SHA256 = re.compile("[0-9a-f]{64}")
_HEX = re.compile("[0-9a-f]{8,256}")
_HEX_DIGITS = {
    "md5": 32,
    "sha1": 40,
    "sha224": 56,
    "sha256": 64,
    "sha384": 96,
    "sha512": 128,
    "blake2b": None,
    "blake2s": None,
}
_SHA256_FRAGMENT_CHARS = len("sha256=") + 64


def read_hashes(claims: Iterable[tuple[str, object]]) -> tuple[Hashes, bool]:
    """Take the digests that are digests.

    Args:
        claims: (algorithm, digest) as the page says them.

    Returns:
        The claims, digests in lower case (row A10), and whether some were no digests (row A11).
    """
    kept, bad = [], False
    for algorithm, digest in claims:
        name, value = algorithm.lower(), digest.lower() if isinstance(digest, str) else ""
        digits = _HEX_DIGITS.get(name)
        if _HEX.fullmatch(value) and digits in {None, len(value)}:
            kept.append((name, value))
        else:
            bad = True
    return tuple(dict.fromkeys(kept)), bad


def read_fragment(fragment: str) -> tuple[Hashes, bool]:
    """Take the digests of a link's fragment; other words of it (``egg=``) are left aside (rows A08, A13)."""
    if len(fragment) == _SHA256_FRAGMENT_CHARS and fragment.startswith("sha256="):
        digest = fragment[7:].lower()
        if _SHA256.fullmatch(digest):
            return (("sha256", digest),), False
    return read_hashes(_fragment_claims(unquote(fragment))) if fragment else ((), False)


def _fragment_claims(fragment: str) -> Iterable[tuple[str, object]]:
    for part in fragment.split("&"):
        name, _, value = part.partition("=")
        # "sha256-…" is the spelling of subresource integrity: meant as a hash, so it is a bad one, not a stranger.
        if name.lower() in _HEX_DIGITS or name.lower().startswith("sha256"):
            yield name, value


def conflicting(hashes: Hashes) -> bool:
    """Whether two digests of one algorithm are claimed."""
    return len({algorithm for algorithm, _ in hashes}) < len(hashes)


def read_sidecar(value: object) -> tuple[bool | None, str | None, bool]:
    """Read an announcement of a METADATA sidecar (PEP 658, 714), of HTML or JSON.

    Args:
        value: attribute text, or JSON value; None when the page says nothing.

    Returns:
        Whether there is one (None: not said), its sha256, and whether the announcement is malformed (row A21).
    """
    if value is None or isinstance(value, bool):
        return value, None, False
    if isinstance(value, str):
        if value.lower() in {"true", "false"}:
            return value.lower() == "true", None, False
        value = dict([value.partition("=")[::2]])
        if value.get("") == "" or "" in value.values():
            return True, None, True
    if not isinstance(value, dict):
        return True, None, True
    hashes, bad = read_hashes(value.items())
    return True, dict(hashes).get("sha256"), bad


@lru_cache(maxsize=4096)
def is_specifier(requires_python: str) -> bool:
    """Whether a ``requires-python`` can be read, a comma at its end forgiven (row A19)."""
    try:
        SpecifierSet(requires_python.rstrip(", "))
    except InvalidSpecifier:
        return False
    return True
