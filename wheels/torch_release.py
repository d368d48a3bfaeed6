"""Which torch release written digits mean: `2.9`, `271`, `pt211`, `2100`.

It knows torch's releases as far as they settle readings of undotted digits; it must not know where the digits stood.
"""

from __future__ import annotations

_LAST_PATCH = {(1, 1): 0, (2, 1): 2, (2, 2): 2}
"""Last patch of each release X.Y whose digits also read as X.Y0 to X.Y9 (2.1.1 or 2.11)."""
_CONTAINER_YEAR = 19
"""NGC containers are numbered year.month since 17.x; torch is far from a major version 19."""
_LATER_CUDA = (12, 4)
"""torch 2.1 and 2.2 were built for CUDA up to 12.1, 2.10 and later for 12.6 and on."""
_LATER_PYTHON = 312
"""torch 2.1 was built for CPython 3.8 to 3.11, 2.10 and later for 3.10 and on; 3.12 and later settle it."""
_EARLIER_PYTHON = 39
_LAST_MINOR = 29


def read_torch(digits: str) -> tuple[str, ...]:
    """All releases that the digits can mean, the one with a patch number first; none for a container release.

    Args:
        digits: ``2.9``, ``2.10.0``, ``271``, ``20``, ``2100``, ``25.09``.
    """
    if "." in digits:
        return () if int(digits.partition(".")[0]) >= _CONTAINER_YEAR else (digits,)
    major, rest = digits[0], digits[1:]
    if len(rest) == 1:
        return (f"{major}.{rest}",)
    if len(rest) == 2:  # noqa: PLR2004 - three digits: X.Y.Z or X.YZ
        return _three(major, rest)
    # Four digits; 2509 is the container of September 2025.
    return (f"{major}.{rest[:2]}.{rest[2]}",) if int(rest[:2]) <= _LAST_MINOR else ()


def _three(major: str, rest: str) -> tuple[str, ...]:
    minor, patch = rest[0], rest[1]
    last = _LAST_PATCH.get((int(major), int(minor)))
    readings = (f"{major}.{minor}.{patch}", f"{major}.{rest}")
    if last is None:
        return readings[:1]
    # torch 1.1.0 is older than every label of this kind.
    return readings if int(patch) <= last and major != "1" else readings[1:]


def choose_torch(readings: tuple[str, ...], cuda: str | None, python: tuple[str, ...] | None) -> str | None:
    """The reading that CUDA and Python allow; None when they leave it open.

    Args:
        readings: what :func:`read_torch` gives.
        cuda: ``12.8``, ``12`` or None.
        python: python tags of the wheel, ``cp312``.
    """
    if len(readings) < 2:  # noqa: PLR2004 - nothing to choose
        return readings[0] if readings else None
    later = _by_cuda(cuda)
    later = _by_python(python) if later is None else later
    return None if later is None else readings[later]


def _by_cuda(cuda: str | None) -> bool | None:
    if cuda is None:
        return None
    parts = tuple(map(int, cuda.split(".")))
    if len(parts) == 1 and parts[0] == _LATER_CUDA[0]:
        return None
    return parts >= _LATER_CUDA


def _by_python(python: tuple[str, ...] | None) -> bool | None:
    numbers = [
        int(tag[2:].rstrip("t")) for tag in python or () if tag.startswith("cp") and tag[2:].rstrip("t").isdigit()
    ]
    if not numbers:
        return None
    if max(numbers) >= _LATER_PYTHON:
        return True
    return False if min(numbers) <= _EARLIER_PYTHON else None
