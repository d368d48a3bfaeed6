"""Whether code built for one GPU target runs on a GPU: `120`, `120a`, `100f`, `compute_90`, `gfx942`.

It knows the vendors' naming of targets; it must not know where a wheel's targets were read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_NVIDIA = re.compile(
    r"(?P<ptx>ptx|compute)?(?:sm)?[_-]?(?P<major>\d{1,2})[._]?(?P<minor>\d)(?P<kind>[af]?)(?P<ptx_after>[+_-]?ptx)?",
    re.ASCII,
)
_AMD = re.compile(r"gfx[0-9a-f]+(?:[:_-][\w+-]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One target as a name says it."""

    name: str
    """Normalised: ``sm_120a``, ``gfx942``."""
    major: int = 0
    """NVIDIA compute capability; 0 for other makers."""
    minor: int = 0
    kind: str = ""
    """``a``: exactly this capability; ``f`` and empty: this minor and later ones of the same major."""
    ptx: bool = False
    """Intermediate code, which every later GPU compiles for itself."""


@lru_cache(maxsize=512)
def parse_target(text: str) -> Target | None:
    """A GPU target from its name; None when it is none.

    Args:
        text: ``120``, ``12.0``, ``sm_120a``, ``compute_90``, ``90+ptx``, ``gfx942``.
    """
    word = text.strip().lower()
    if _AMD.fullmatch(word):
        return Target(name=word)
    match = _NVIDIA.fullmatch(word)
    if match is None:
        return None
    ptx = bool(match["ptx"] or match["ptx_after"])
    major, minor, kind = int(match["major"]), int(match["minor"]), match["kind"]
    name = f"{'compute' if ptx else 'sm'}_{major}{minor}{kind}"
    return Target(name=name, major=major, minor=minor, kind=kind, ptx=ptx)


def match_target(built: str, gpu: str) -> bool:
    """Whether code for ``built`` runs on the GPU that ``gpu`` names (CUDA programming guide, binary compatibility).

    Args:
        built: a target of the wheel.
        gpu: the GPU asked for; ``120``, ``120a`` and ``12.0`` all name the GPU of capability 12.0.
    """
    code, device = parse_target(built), parse_target(gpu)
    if code is None or device is None:
        return False
    if code.major == 0 or device.major == 0:
        return code.name.split(":")[0] == device.name.split(":")[0]
    return _runs(code, device)


def _runs(code: Target, device: Target) -> bool:
    if code.kind == "a":
        return (code.major, code.minor) == (device.major, device.minor)
    if code.ptx and not code.kind:
        return (code.major, code.minor) <= (device.major, device.minor)
    return code.major == device.major and code.minor <= device.minor
