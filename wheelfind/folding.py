"""One row per file: places of the same file become one wheel with `places`.

It knows when two rows are the same file; it must not know why the rows were chosen or in which order they are shown.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING
from urllib.parse import unquote

from wheels.wheel import Conflict, Place, Wheel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def fold(wheels: Iterable[Wheel]) -> list[Wheel]:
    """Fold rows of the same file into one; the first of a group keeps its place in the order.

    Rows are one file when their decoded URL or their sha256 is equal; a row without sha256 also when name and a known
    size are equal and no cuda, torch or accelerator differs.

    Args:
        wheels: rows in the order of the answer.
    """
    groups = _Groups()
    for wheel in wheels:
        groups.add(wheel)
    return [_one_of(group) for group in groups.in_order()]


class _Groups:
    """Groups of rows, found again by any of their keys; two groups that turn out to be one are joined."""

    def __init__(self) -> None:
        self._members: dict[int, list[Wheel]] = {}
        self._by_key: dict[tuple[str, ...], int] = {}
        self._by_look: dict[tuple[str, int], list[int]] = {}
        self._numbers = count()

    def add(self, wheel: Wheel) -> None:
        keys = _keys(wheel)
        known = {self._by_key[key] for key in keys if key in self._by_key} or self._alike(wheel)
        home = min(known) if known else next(self._numbers)
        members = self._members.setdefault(home, [])
        for other in sorted(known - {home}):
            members += self._members.pop(other)
            self._by_key = {key: home if group == other else group for key, group in self._by_key.items()}
        members.append(wheel)
        self._by_key.update(dict.fromkeys(keys, home))
        if wheel.size is not None:
            self._by_look.setdefault((wheel.filename, wheel.size), []).append(home)

    def _alike(self, wheel: Wheel) -> set[int]:
        if wheel.size is None:
            return set()
        homes = self._by_look.get((wheel.filename, wheel.size), ())
        return {home for home in homes if home in self._members and _may_join(wheel, self._members[home])}

    def in_order(self) -> list[list[Wheel]]:
        return [self._members[home] for home in sorted(self._members)]


def _keys(wheel: Wheel) -> tuple[tuple[str, ...], ...]:
    by_url = ("url", unquote(wheel.url))
    return (by_url, ("sha256", wheel.sha256)) if wheel.sha256 else (by_url,)


def _may_join(wheel: Wheel, members: Sequence[Wheel]) -> bool:
    unhashed = wheel.sha256 is None or all(other.sha256 is None for other in members)
    return unhashed and all(_agree(wheel, other) for other in members)


def _agree(one: Wheel, other: Wheel) -> bool:
    return (one.cuda, one.torch, one.accelerator) == (other.cuda, other.torch, other.accelerator)


def _one_of(group: Sequence[Wheel]) -> Wheel:
    if len(group) == 1:
        return group[0]
    shown = min(group, key=_shown_first)
    others = [wheel for wheel in group if wheel is not shown]
    # The digest that GitHub states holds over several that an index lists for the same URL.
    sha256, conflict = _agreed_hash([wheel for wheel in group if unquote(wheel.url) == unquote(shown.url)])
    return replace(
        shown,
        places=(*shown.places, *(place for wheel in others for place in _places_of(wheel))),
        sha256=sha256,
        hash_conflict=conflict,
        cuda_conflict=_said_otherwise(shown, others),
        size=_first_known(wheel.size for wheel in [shown, *others]),
        uploaded_at=shown.uploaded_at or next((wheel.uploaded_at for wheel in others if wheel.uploaded_at), None),
    )


def _said_otherwise(shown: Wheel, others: Sequence[Wheel]) -> tuple[Conflict, ...] | None:
    """What contradicts the CUDA version that is shown, other names of the same bytes included."""
    renamed = [wheel for wheel in others if wheel.filename != shown.filename and wheel.cuda and shown.cuda]
    found = [
        Conflict(source=wheel.cuda_from or "filename", value=wheel.cuda or "")
        for wheel in renamed
        if not _both_true(wheel.cuda or "", shown.cuda or "")
    ]
    return tuple(dict.fromkeys([*(shown.cuda_conflict or ()), *found])) or None


def _both_true(one: str, other: str) -> bool:
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def _first_known(values: Iterable[int | None]) -> int | None:
    return next((value for value in values if value is not None), None)


def _places_of(wheel: Wheel) -> tuple[Place, ...]:
    return (Place(channel=wheel.channel, tag=wheel.tag, url=wheel.url), *wheel.places)


def _shown_first(wheel: Wheel) -> tuple[bool, bool, bool, bool]:
    """Which row of a file says most: not gone, with a digest, with a size."""
    return (wheel.vanished_at is not None, wheel.yanked, wheel.sha256 is None, wheel.size is None)


def _agreed_hash(same_url: Sequence[Wheel]) -> tuple[str | None, bool]:
    stated = [wheel.sha256 for wheel in same_url if wheel.sha256 and states_digests(wheel.channel)]
    claims = {wheel.sha256 for wheel in same_url if wheel.sha256}
    if stated:
        return stated[0], False
    if len(claims) > 1 or any(wheel.hash_conflict for wheel in same_url):
        return None, True
    return next(iter(claims), None), False


def states_digests(channel: str) -> bool:
    """Whether a channel is a GitHub repository, which computes its digests itself.

    Args:
        channel: its name; ``owner/repo`` is a repository (owners hold no dot), ``docs.sglang.ai/whl`` a page.
    """
    owner, slash, repository = channel.partition("/")
    return bool(slash) and bool(repository) and not set(owner) & set(".:") and "/" not in repository
