"""The ledger of one file: which revisions were claimed, and what a new reading does to them.

It knows how claims of a page meet claims of earlier readings; it must not know tables or SQL. A revision is never
removed and none of its known facts ever changes: it gains facts that were unknown, and it ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

_TO_SECONDS = 19
"""Length of ``2026-12-01T15:00:00``: formats differ in their fractions of a second, files do not."""


class Claim(NamedTuple):
    """One thing that a page says of a file."""

    url: str
    """Published spelling."""
    algorithm: str | None
    digest: str | None
    size: int | None
    uploaded_at: str | None


_ONE_UPLOAD = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One ledger row."""

    id: int | None
    """None until it is stored."""
    claim: Claim
    first_seen: str
    last_seen: str | None
    """None while it is listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is true of a file after a reading."""

    revisions: tuple[Revision, ...]
    replaced: bool
    """This reading contradicts an earlier one."""
    sha256s: frozenset[str]
    """All that are listed now."""
    size: int | None
    """None when unknown or several are listed."""
    uploaded_at: str | None


def first_standing(claims: tuple[Claim, ...], at: str) -> Standing:
    """A file that was never seen: the same as ``revise((), claims, at, at)``, at once where a page claims one thing."""
    if len(claims) > 1:
        return revise((), claims, at, at)
    _, algorithm, digest, size, uploaded_at = claims[0]
    return Standing(
        revisions=(Revision(id=None, claim=claims[0], first_seen=at, last_seen=None),),
        replaced=False,
        sha256s=frozenset((digest,)) if digest and algorithm == "sha256" else frozenset(),
        size=size,
        uploaded_at=uploaded_at,
    )


def revise(revisions: tuple[Revision, ...], claims: tuple[Claim, ...], at: str, seen_before: str) -> Standing:
    """Fold a reading into a file's revisions.

    Args:
        revisions: all that are stored.
        claims: all that the page says now; at least one.
        at: time of the reading.
        seen_before: when the page was last read before, the end of revisions that it no longer shows.
    """
    before = [revision for revision in revisions if revision.last_seen is None]
    after: dict[int, Revision] = dict(enumerate(revisions))
    touched: set[int] = set()
    replaced = False
    for claim in dict.fromkeys(claims):
        place = _matching(after, touched, claim)
        if place is None or after[place].last_seen is not None:
            replaced |= any(_contradicts(claim, old.claim) for old in before)
        place = len(after) if place is None else place
        known = after.get(place) or Revision(id=None, claim=claim, first_seen=at, last_seen=None)
        after[place] = replace(known, claim=_filled(known.claim, claim), last_seen=None)
        touched.add(place)
    for place in range(len(revisions)):
        if after[place].last_seen is None and place not in touched and _ended(after[place].claim, claims):
            after[place] = replace(after[place], last_seen=seen_before)
    return _standing(tuple(after.values()), replaced=replaced)


def _matching(after: dict[int, Revision], touched: set[int], claim: Claim) -> int | None:
    """The revision that a claim speaks of: the same digest, else one whose digest or facts were unknown."""
    fits = [place for place, revision in after.items() if not _contradicts(claim, revision.claim)]
    same = [place for place in fits if after[place].claim[1:3] == claim[1:3]]
    current = [place for place in same if after[place].last_seen is None]
    if current or same:
        return (current or same)[0]
    for place in fits:
        known = after[place]
        if known.last_seen is None and (claim.digest is None or (known.claim.digest is None and place not in touched)):
            return place
    return None


def _contradicts(claim: Claim, known: Claim) -> bool:
    """Whether both cannot be of one file."""
    return (
        (claim.algorithm == known.algorithm and claim.digest != known.digest)
        or _differ(claim.size, known.size)
        or _is_another_time(claim, known)
    )


def _is_another_time(claim: Claim, known: Claim) -> bool:
    """Whether the times are those of two uploads. One upload of one digest has a beginning and an end."""
    one, other = _second(claim.uploaded_at), _second(known.uploaded_at)
    if one is None or other is None or one == other:
        return False
    if claim.digest is None or claim.digest != known.digest:
        return True
    try:
        return abs(datetime.fromisoformat(one) - datetime.fromisoformat(other)) > _ONE_UPLOAD
    except ValueError:
        return True


def _differ(one: object, other: object) -> bool:
    return one is not None and other is not None and one != other


def _second(time: str | None) -> str | None:
    return None if time is None else time[:_TO_SECONDS]


def _filled(known: Claim, claim: Claim) -> Claim:
    algorithm, digest = (known.algorithm, known.digest) if known.digest is not None else (claim.algorithm, claim.digest)
    size = claim.size if known.size is None else known.size
    return Claim(known.url, algorithm, digest, size, known.uploaded_at or claim.uploaded_at)


def _ended(known: Claim, claims: tuple[Claim, ...]) -> bool:
    """An unlisted digest ends; one of an algorithm that the page no longer names stays while nothing contradicts it."""
    named = {claim.algorithm for claim in claims}
    return known.algorithm in named or known.algorithm is None or all(_contradicts(claim, known) for claim in claims)


def _standing(revisions: tuple[Revision, ...], *, replaced: bool) -> Standing:
    current = [revision.claim for revision in revisions if revision.last_seen is None]
    sizes = {claim.size for claim in current if claim.size is not None}
    times = {_second(claim.uploaded_at): claim.uploaded_at for claim in current if claim.uploaded_at is not None}
    return Standing(
        revisions=revisions,
        replaced=replaced,
        sha256s=frozenset(claim.digest for claim in current if claim.algorithm == "sha256" and claim.digest),
        size=sizes.pop() if len(sizes) == 1 else None,
        uploaded_at=next(iter(times.values())) if len(times) == 1 else None,
    )
