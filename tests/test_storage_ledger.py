"""The ledger of one file: revisions begin, gain facts and end, and never change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.ledger import Claim, Revision, Standing, first_standing, revise

NOON, NOON_FINER, LATER = "2026-01-01T12:00:00Z", "2026-01-01T12:00:00.5Z", "2026-01-02T12:00:00Z"
URL = "https://files.test/demo.whl"


def claim(digest: str | None = "a", size: int | None = 5, at: str | None = None, algorithm: str = "sha256") -> Claim:
    return Claim(URL, algorithm if digest else None, digest, size, at)


def told(*readings: tuple[Claim, ...]) -> Standing:
    """Fold readings in order; reading N is at time N."""
    standing = first_standing(readings[0], "0")
    for number, claims in enumerate(readings[1:], start=1):
        standing = revise(standing.revisions, claims, str(number), str(number - 1))
    return standing


CASES = {
    "the same again": ([(claim(),), (claim(),)], 1, False, {"a"}),
    "S01 another digest": ([(claim("a"),), (claim("b"),)], 2, True, {"b"}),
    "another size": ([(claim(None, 5),), (claim(None, 6),)], 2, True, set()),
    "another date": ([(claim(at=NOON),), (claim(at=LATER),)], 2, True, {"a"}),
    "the same date, finer": (
        [(claim(at=NOON),), (claim(at=NOON_FINER),)],
        1,
        False,
        {"a"},
    ),
    "one upload, begun and ended": ([(claim(at=NOON),), (claim(at=NOON.replace(":00:", ":20:")),)], 1, False, {"a"}),
    "a digest is learnt": ([(claim(None),), (claim("a"),)], 1, False, {"a"}),
    "a size is learnt": ([(claim("a", None),), (claim("a", 5),)], 1, False, {"a"}),
    "the digest is not said again": ([(claim("a"),), (claim(None),)], 1, False, {"a"}),
    "nothing is said again": ([(claim("a"),), (claim(None, None),)], 1, False, {"a"}),
    "the digest is not said, the size differs": ([(claim("a", 5),), (claim(None, 6),)], 2, True, set()),
    "A31 two at once": ([(claim("a"), claim("b"))], 2, False, {"a", "b"}),
    "A31 two at once, then one": ([(claim("a"), claim("b")), (claim("b"),)], 2, False, {"b"}),
    "one, then two at once": ([(claim("a"),), (claim("a"), claim("b"))], 2, True, {"a", "b"}),
    "back to the first": ([(claim("a"),), (claim("b"),), (claim("a"),)], 2, True, {"a"}),
    "A14 md5 beside it": ([(claim("a"),), (claim("a"), claim("m", algorithm="md5"))], 2, False, {"a"}),
    "A14 md5 no more": ([(claim("a"), claim("m", algorithm="md5")), (claim("a"),)], 2, False, {"a"}),
    "md5 differs": ([(claim("m", algorithm="md5"),), (claim("n", algorithm="md5"),)], 2, True, set()),
    "one digest with two sizes": ([(claim("a", 5), claim("a", 6))], 2, False, {"a"}),
}


@pytest.mark.parametrize(("readings", "count", "replaced", "digests"), CASES.values(), ids=CASES.keys())
def test_readings_meet(readings: list[tuple[Claim, ...]], count: int, replaced: bool, digests: set[str]) -> None:
    standing = told(*readings)
    assert len(standing.revisions) == count
    assert standing.replaced is replaced
    assert standing.sha256s == digests


def test_an_ended_revision_says_when_it_was_last_listed() -> None:
    old, new = told((claim("a"),), (claim("a"),), (claim("b"),)).revisions
    assert (old.first_seen, old.last_seen) == ("0", "1")
    assert (new.first_seen, new.last_seen) == ("2", None)


def test_conflicting_sizes_are_unknown() -> None:
    assert told((claim("a", 5), claim("b", 6))).size is None


CLAIMS = st.builds(
    claim,
    st.sampled_from([None, "a", "b"]),
    st.sampled_from([None, 5, 6]),
    st.sampled_from([None, NOON, LATER]),
    st.sampled_from(["sha256", "md5"]),
)
READINGS = st.lists(st.lists(CLAIMS, min_size=1, max_size=3).map(tuple), min_size=1, max_size=6)


@given(READINGS)
def test_the_ledger_only_grows(readings: list[tuple[Claim, ...]]) -> None:
    before: tuple[Revision, ...] = ()
    for number, claims in enumerate(readings):
        standing = revise(before, claims, str(number), str(number - 1))
        for old, new in zip(before, standing.revisions, strict=False):
            assert all(fact in {None, later} for fact, later in zip(old.claim, new.claim, strict=True))
            assert old.first_seen == new.first_seen
        assert len(standing.revisions) >= len(before)
        assert any(revision.last_seen is None for revision in standing.revisions)
        before = standing.revisions


@given(READINGS)
def test_the_same_reading_twice_changes_nothing(readings: list[tuple[Claim, ...]]) -> None:
    standing = told(*readings)
    again = revise(standing.revisions, readings[-1], "later", "now")
    assert again.revisions == standing.revisions
    assert not again.replaced


@given(st.lists(CLAIMS, min_size=1, max_size=3).map(tuple))
def test_a_first_standing_is_a_revision_of_nothing(claims: tuple[Claim, ...]) -> None:
    assert first_standing(claims, "0") == revise((), claims, "0", "0")
