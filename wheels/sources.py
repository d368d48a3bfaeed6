"""What the parts of one name and its context say together: which source is heard first.

It knows the order label, slipped label, variant, build tag, version, project name, and how paths are read; it must not
know tags or how a name is cut.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote

from wheels.label import NOTHING, Facts, finest_cuda, read_cuda, read_label
from wheels.label_tokens import BINDINGS, HABITS

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")

_MAX_CONTEXT = 4096
_SCHEME = re.compile(r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,20}://[^/\\]*", re.IGNORECASE)
_SEGMENT = re.compile(r"[^\s/\\]+")
_WORD = re.compile(r"[^._-]+")
_HASH = re.compile(r"[0-9a-f]+")
_DATE = re.compile(r"(?<!\d)20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{0,6}(?!\d)")
_DOTTED_DATE = re.compile(r"(20)?(\d\d)\.(\d{1,2})\.(\d\d)(?!\d)")
_HABITS = tuple((habit.package, re.compile(habit.pattern)) for habit in HABITS)


@lru_cache(maxsize=8192)
def hear_filename(name: str, package: str, version: str, local: str, slips: str, variant: str, build: str) -> Facts:
    """What a file name says by itself, apart from its tags.

    Args:
        name: project name as it stands in the name.
        package: the same, PEP 503 normalised.
        version: public part of the version, as it stands in the name.
        local: local segment.
        slips: words of a label that stand elsewhere in front of the tags.
        variant: fields behind the platform tag; a hash there names a variant, not a revision.
        build: build tag; a hash there is a job number.
    """
    label, slipped, numbered = read_label(local), read_label(slips), _read_build(build)
    said = [label, slipped, _undated(read_label(variant)), numbered, _read_habit(package, version)]
    heard = _merge([*said, _read_package(name, package)])
    dates = (facts.date for facts in (label, slipped, _read_version_date(version, slipped.commit), numbered))
    date = _first(dates)
    return heard if heard.date == date else replace(heard, date=date)


@lru_cache(maxsize=8192)
def hear_context(context: str, package: str) -> Facts:
    """What a release tag or directory says of a package's file; the deepest directory is heard first.

    Args:
        context: tag, directory or URL; several may be joined by spaces. A segment's own mention of the package is
            skipped (the directory ``nvidia-cuda-cupti`` says nothing of CUDA).
        package: PEP 503 normalised; may be empty.
    """
    if not context:
        return NOTHING
    text = unquote(context[:_MAX_CONTEXT])
    segments = _SEGMENT.findall(_SCHEME.sub(" ", text) if "://" in text else text)
    # Directories that are a digest, or a part of one, say no more than a revision would: nothing that is heard here.
    said = [read_label(_without(each, package)) for each in reversed(segments) if not _HASH.fullmatch(each)]
    heard = _undated(_merge(said))
    if not heard.cuda:
        return heard
    deepest = next(facts.cuda for facts in said if facts.cuda)
    return replace(heard, cuda=deepest if heard.accelerator == "cuda" else ())


def _merge(said: list[Facts]) -> Facts:
    """The first that says a fact is heard; CUDA versions are kept all, the finest of those that agree."""
    said = [facts for facts in said if facts is not NOTHING]
    if len(said) < 2:  # noqa: PLR2004 - nothing to merge
        return said[0] if said else NOTHING
    return Facts(
        accelerator=_first(facts.accelerator for facts in said),
        cuda=finest_cuda(tuple(value for facts in said for value in facts.cuda)),
        rocm=_first(facts.rocm for facts in said),
        torch=_first(facts.torch or None for facts in said) or (),
        cxx11abi=_first(facts.cxx11abi for facts in said),
        commit=_first(facts.commit for facts in said),
        date=_first(facts.date for facts in said),
        sm=_first(facts.sm or None for facts in said) or (),
    )


def _first(values: Iterable[T | None]) -> T | None:
    return next((value for value in values if value is not None), None)


def _undated(facts: Facts) -> Facts:
    # A revision or date there is not the build's own.
    return replace(facts, commit=None, date=None) if facts.commit or facts.date else facts


def _read_build(build: str) -> Facts:
    if not build:
        return NOTHING
    # `1.vulkan`, `20180816`: a build tag begins with its number (PEP 427), unless the number is a date.
    facts = read_label(build)
    return replace(facts if facts.date else read_label(build.lstrip("0123456789")), commit=None)


@lru_cache(maxsize=16384)
def _read_package(name: str, package: str) -> Facts:
    """``cucim_cu12``: CUDA anywhere; ``torch_npu``: an accelerator as the last word. A bare ``cuda`` says nothing."""
    facts = read_label(name)
    words = _WORD.findall(name)
    last = read_label(words[-1]).accelerator if len(words) > 1 and not package.startswith(BINDINGS) else None
    versioned = "cuda" if facts.cuda else "rocm" if facts.rocm else None
    accelerator = versioned or (None if last == "cuda" else last)
    return Facts(accelerator=accelerator, cuda=facts.cuda, rocm=facts.rocm) if accelerator else NOTHING


def _read_habit(package: str, version: str) -> Facts:
    for name, pattern in _HABITS:
        if name == package and (match := pattern.search(version)):
            return Facts(accelerator="cuda", cuda=(read_cuda(match[1]),))
    return NOTHING


def _read_version_date(version: str, commit: str | None) -> Facts:
    """``1.25.5.dev20250203``, ``18.0.0.2023082811``.

    Dotted only with a year of four digits and a day of two (``2026.01.19``: the last number of ``2024.6.1`` counts
    releases of a month), or with a revision behind it.
    """
    if match := _DATE.search(version):
        return read_label(match[0][:8])
    dotted = _DOTTED_DATE.match(version)
    if dotted and (dotted[1] or commit):
        return read_label(f"20{dotted[2]}{dotted[3]:0>2}{dotted[4]}")
    return NOTHING


def _without(segment: str, package: str) -> str:
    start = segment[: len(package)].lower().replace("_", "-").replace(".", "-")
    rest = segment[len(package) :]
    return rest if package and start == package and not rest[:1].isalnum() else segment
