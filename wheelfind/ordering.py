"""The order of an answer: newest first, or by one of a few named columns.

It knows how wheels compare; it must not know which of them are shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from wheels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wheels.wheel import Wheel


def newest_first(wheels: Iterable[Wheel]) -> list[Wheel]:
    """Newest version first; the same version by upload, build, Python and label, the same down to the URL.

    Args:
        wheels: in any order.
    """
    ordered = sorted(wheels, key=lambda wheel: (wheel.filename, wheel.channel, wheel.tag or "", wheel.url))
    ordered.sort(key=_age, reverse=True)
    return ordered


def _age(wheel: Wheel) -> tuple[Any, ...]:
    return (wheel.version_key, wheel.uploaded_at or "", _numbers(wheel.build), _numbers((wheel.python or ("",))[-1]))


def _numbers(text: str | None) -> tuple[int, ...]:
    # `cp313` after `cp39`: digits of a Python tag are a major digit and a minor number.
    digits = "".join(re.findall(r"\d+", text or ""))[:12]
    return (int(digits[:1]), int(digits[1:] or 0)) if digits else ()


_KEYS: dict[str, Callable[[Wheel], Any]] = {
    "version": lambda wheel: wheel.version_key,
    "uploaded": lambda wheel: wheel.uploaded_at,
    "date": lambda wheel: wheel.date,
    "first-seen": lambda wheel: wheel.first_seen,
    "last-seen": lambda wheel: wheel.last_seen,
    "size": lambda wheel: wheel.size,
    "python": lambda wheel: _numbers((wheel.python or ("",))[-1]),
    "cuda": lambda wheel: _parts(wheel.cuda),
    "torch": lambda wheel: _parts(wheel.torch),
    "package": lambda wheel: wheel.package,
    "filename": lambda wheel: wheel.filename,
    "channel": lambda wheel: wheel.channel,
    "tag": lambda wheel: wheel.tag,
}
_DESCENDING = frozenset({"version", "uploaded", "date", "first-seen", "last-seen", "size", "python", "cuda", "torch"})
"""Where newest, largest or highest comes first unless asked otherwise."""


def _parts(version: str | None) -> tuple[int, ...] | None:
    return None if version is None else tuple(int(part) for part in re.findall(r"\d+", version))


def check_order(name: str) -> str:
    """A valid name of an order.

    Args:
        name: as given to ``--sort``; a leading ``-`` turns it round.

    Raises:
        UsageError: there is no such order.
    """
    if name.removeprefix("-").replace("_", "-") not in _KEYS:
        raise UsageError(
            "sort by", name, "there is no such order", f"Orders: {', '.join(_KEYS)}; a leading - reverses."
        )
    return name


def in_order(wheels: Iterable[Wheel], name: str | None) -> list[Wheel]:
    """Wheels in the order asked for, newest first among equals; what is unknown comes last.

    Args:
        wheels: in any order.
        name: an order of :func:`check_order`; None means newest first.
    """
    ordered = newest_first(wheels)
    if name is None:
        return ordered
    word = name.removeprefix("-").replace("_", "-")
    key = _KEYS[word]
    known = [wheel for wheel in ordered if key(wheel) is not None]
    known.sort(key=key, reverse=(word in _DESCENDING) != name.startswith("-"))
    return known + [wheel for wheel in ordered if key(wheel) is None]
