"""From a query to its answer: which wheels fit, which are shown, what nearly fitted, how fresh that is.

It knows the rules of the surface about what is shown; it must not know where wheels are kept nor how answers look.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from wheelfind.answer import Answer, Freshness, Hidden, Holding, Miss
from wheelfind.folding import fold
from wheelfind.ordering import in_order, newest_first
from wheels.fit import Query, judge, judge_fully

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wheels.fit import Misfit
    from wheels.wheel import Wheel


class Source(Protocol):
    """What an answer is made from."""

    def candidates(self, query: Query) -> Iterable[Wheel]:
        """Wheels among which are all that fit the query, vanished ones too."""

    def freshness(self, query: Query, found: Sequence[str]) -> Sequence[Freshness]:
        """The channels that matter for the query, those of what was found among them."""

    def holdings(self, query: Query) -> Sequence[Holding]:
        """Newest releases of the query's channels and tags, with what they hold of any package."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """What of the fitting wheels is shown."""

    prereleases: bool = False
    yanked: bool = False
    vanished: bool = False
    sort: str | None = None
    limit: int | None = None


def find_wheels(query: Query, showing: Showing, source: Source) -> Answer:
    """Answer a query.

    Args:
        query: what is asked of a wheel.
        showing: what is shown of what fits.
        source: where wheels come from.
    """
    fitting = [wheel for wheel in source.candidates(query) if judge(wheel, query) is None]
    shown, hidden = _show(fitting, query, showing)
    folded = fold(in_order(shown, showing.sort))
    return Answer(
        query=query,
        wheels=tuple(folded[: showing.limit]),
        matched=len(folded),
        nearest=() if folded else tuple(_nearest(query, fitting, source)),
        channels=tuple(source.freshness(query, _channels_of(folded))),
        hidden=hidden,
    )


def _show(fitting: Sequence[Wheel], query: Query, showing: Showing) -> tuple[list[Wheel], Hidden]:
    live = [wheel for wheel in fitting if showing.vanished or wheel.vanished_at is None]
    kept = [wheel for wheel in live if showing.yanked or not wheel.yanked]
    if showing.prereleases or names_prerelease(query):
        final = kept
    else:
        final = [wheel for wheel in kept if not is_prerelease(wheel.version)] or kept
    return final, Hidden(
        prereleases=_files(kept) - _files(final),
        yanked=_files(live) - _files(kept),
        vanished=_files(fitting) - _files(live),
    )


def _channels_of(wheels: Sequence[Wheel]) -> Sequence[str]:
    places = (place.channel for wheel in wheels for place in wheel.places)
    return sorted({*(wheel.channel for wheel in wheels), *places})


def _files(wheels: Sequence[Wheel]) -> int:
    return len(fold(wheels))


_PRERELEASE = re.compile(r"(?:a|b|c|rc|alpha|beta|pre|preview|dev)[-_.]?\d*", re.IGNORECASE)


def is_prerelease(version: str | None) -> bool:
    """Whether PEP 440 calls a version a pre-release (development releases too).

    Args:
        version: public part, normalised; None is none.
    """
    return version is not None and _PRERELEASE.search(version) is not None


_UNSTABLE_TAG = re.compile(r"night|dev|pre|alpha|beta|rc|(?<!la)test|canary|weekly|daily|\d(?:a|b)\d", re.IGNORECASE)


def names_prerelease(query: Query) -> bool:
    """Whether the version or the tag that is asked for names pre-releases.

    Args:
        query: ``>=0.4.0rc1`` names them, and so does the tag ``nightly-*``, or a tag without a wildcard.
    """
    wanted = (
        part for part in query.spec.split(",") if not part.strip().startswith("!=")
    )  # what is excluded names none
    versions = (part.strip().lstrip("<>=~").strip() for part in wanted)
    by_version = any(is_prerelease(version.partition("+")[0]) for version in versions)
    return by_version or any(_UNSTABLE_TAG.search(tag) or not set(tag) & set("*?[") for tag in query.tag)


def _nearest(query: Query, fitting: Sequence[Wheel], source: Source) -> Iterable[Miss]:
    """Misses, best first: what is hidden, what one filter removed, else what the fewest removed, else what is there."""
    yield from _hidden_misses(fitting)
    wide = widened(query)
    groups: dict[tuple[str, ...], list[tuple[Wheel, tuple[Misfit, ...]]]] = {}
    for wheel in source.candidates(wide):
        if judge(wheel, wide) is None and wheel.vanished_at is None and (misfits := judge_fully(wheel, query)):
            groups.setdefault(tuple(misfit.filter for misfit in misfits), []).append((wheel, misfits))
    fewest = min(map(len, groups), default=0)
    nearest = {names: found for names, found in groups.items() if len(names) == fewest}
    yield from (_miss(names, found) for names, found in sorted(nearest.items(), key=lambda item: -len(item[1])))
    if not groups or "tag" in {name for names in nearest for name in names}:
        yield from _empty_miss(query, source)


def _hidden_misses(fitting: Sequence[Wheel]) -> Iterable[Miss]:
    for name in ("vanished", "yanked"):
        wheels = [wheel for wheel in fitting if name == ("vanished" if wheel.vanished_at else "yanked")]
        if wheels:
            reason = f"{name} files are not shown without --{name}"
            yield Miss(removed_by=(name,), reason=reason, count=_files(wheels), wheel=newest_first(wheels)[0])


def widened(query: Query) -> Query:
    """The same packages without any other filter."""
    return Query(packages=query.packages)


def _miss(names: tuple[str, ...], found: Sequence[tuple[Wheel, tuple[Misfit, ...]]]) -> Miss:
    wheels = newest_first(wheel for wheel, _ in found)
    misfits = [misfit for _, all_of_it in found for misfit in all_of_it]
    reason = "; ".join(_common_reason([misfit for misfit in misfits if misfit.filter == name]) for name in names)
    return Miss(removed_by=names, reason=reason, count=len(fold(wheels)), wheel=wheels[0])


def _common_reason(misfits: Sequence[Misfit]) -> str:
    said = [value for value, _ in Counter(misfit.found for misfit in misfits).most_common(5)]
    return replace(misfits[0], found=" / ".join(said)).reason


def _empty_miss(query: Query, source: Source) -> Iterable[Miss]:
    holdings = tuple(source.holdings(query))
    if holdings:
        what = " or ".join(query.packages) or "any package"
        yield Miss(removed_by=("package",), reason=f"no wheel of {what} is there", count=0, holds=holdings)
