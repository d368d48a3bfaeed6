"""Which part of a name, tag or address says what of a wheel.

It knows how names are cut into words and asks the grammar about each; it must not know which source wins, nor what the
catalog remembers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from wheels.label import Facts, read_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wheels.wheel import Wheel

# A word, with the numbers that dots or underscores part from it: `torch2.9`, `sm_120`.
_WORD = re.compile(r"[^\s/\\._+-]+(?:[._]\d[^\s/\\._+-]*)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """One piece of evidence."""

    source: str
    """``filename``, ``tag``, ``requires``, ``binary``, ``page`` or ``ledger``; the key ``from`` in JSON."""
    part: str
    """Which part of the source: ``label``, ``tags``, ``directory``, ``conflict`` …"""
    text: str
    """As it stands there."""
    says: Mapping[str, object]
    """Facts by the names of the surface."""


def explain(wheel: Wheel) -> tuple[Saying, ...]:
    """What the name, the tag and the place of a wheel say, in this order; then what contradicts what is shown.

    Args:
        wheel: one row.
    """
    return (*_of_name(wheel), *_of_place(wheel), *_conflicts(wheel))


def _of_name(wheel: Wheel) -> Iterator[Saying]:
    stem = wheel.filename.removesuffix(".whl")
    *front, python, abi, platform = stem.split("-") if stem.count("-") >= 4 else ["", stem, "", "", ""]  # noqa: PLR2004 - PEP 427: five parts
    for part, text in zip(("name", "version", "build"), front, strict=False):
        public, plus, local = text.partition("+")
        yield from _words("filename", part, public)
        if plus:
            yield from _words("filename", "label", local)
    names = ("python", "abi", "platform", "os", "arch", "glibc", "musl")
    said = {name: value for name in names if (value := getattr(wheel, name)) is not None}
    yield Saying(source="filename", part="tags", text=f"{python}-{abi}-{platform}".strip("-"), says=said)


def _of_place(wheel: Wheel) -> Iterator[Saying]:
    by_tag = list(_words("tag", "tag", wheel.tag or ""))
    yield from by_tag
    if not by_tag and "tag" in {wheel.cuda_from, wheel.torch_from, wheel.sm_from}:
        folder = unquote(urlsplit(wheel.url).path).rpartition("/")[0]
        yield from _words("tag", "directory", folder)


def _conflicts(wheel: Wheel) -> Iterator[Saying]:
    for said in wheel.cuda_conflict or ():
        yield Saying(source=said.source, part="conflict", text=said.value, says={"cuda": said.value})


def _words(source: str, part: str, text: str) -> Iterator[Saying]:
    for match in _WORD.finditer(text):
        if said := _said(read_label(match[0])):
            yield Saying(source=source, part=part, text=match[0], says=said)


def _said(facts: Facts) -> dict[str, object]:
    values = {field.name: getattr(facts, field.name) for field in fields(facts)}
    said = {name: value for name, value in values.items() if value not in (None, ())}
    one = {name: value[0] for name, value in said.items() if isinstance(value, tuple) and len(value) == 1}
    return {**said, **one}
