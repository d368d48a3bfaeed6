"""Keys sort as PEP 440 does, whatever compares them."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from wheels.version_key import version_key

A35_ORDER = [
    *("1.0.dev1", "1.0a1", "1.0rc1", "1.0", "1.0+abc", "1.0+cpu", "1.0+cu118", "1.0+cu126", "1.0+9", "1.0+10"),
    *("1.0.post1.dev2", "1.0.post1", "1!0.1"),
]
LOCALS = ["a", "a0", "a00", "a01", "a1", "b", "0", "9", "10", "10.a", "10.0"]
EQUAL = [
    ("1.0", "1.0.0"),
    ("1", "1.0.0.0"),
    ("0", "0.0"),
    ("1.0+CU126", "1.0+cu126"),
    ("1.0+cu126_torch2.7", "1.0+cu126.torch2.7"),
    ("v1.0", "1.0"),
    ("1.0-1", "1.0.post1"),
    ("1.0rc", "1.0rc0"),
    ("0!1", "1"),
    ("1.0+01", "1.0+1"),
]
_NUMBER = st.one_of(st.integers(0, 12), st.integers(0, 10**40))
_LOCAL = st.lists(st.one_of(st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True), _NUMBER.map(str)), min_size=1, max_size=4)


@st.composite
def versions(draw: st.DrawFn) -> str:
    epoch = draw(st.sampled_from(["", "0!", "1!", "10!"]))
    release = ".".join(map(str, draw(st.lists(_NUMBER, min_size=1, max_size=4))))
    pre, post, dev = (draw(st.none() | _NUMBER) for _ in range(3))
    letter = draw(st.sampled_from(["a", "b", "rc"]))
    local = draw(st.none() | _LOCAL)
    parts = (
        "" if pre is None else f"{letter}{pre}",
        "" if post is None else f".post{post}",
        "" if dev is None else f".dev{dev}",
        "" if local is None else "+" + ".".join(local),
    )
    return epoch + release + "".join(parts)


def test_A35_shuffled_versions_sort_as_pep_440_says() -> None:
    shuffled = random.Random(1).sample(A35_ORDER, len(A35_ORDER))
    assert sorted(shuffled, key=version_key) == A35_ORDER


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_A34_equal_versions_have_equal_keys(one: str, other: str) -> None:
    assert Version(one) == Version(other)
    assert version_key(one) == version_key(other)


@pytest.mark.parametrize(
    "text", ["", "main", "1.0+a+b", "1.x", "\udc80", "9" * 5000, "1." * 50_000 + "1", "nightly\n1"]
)
def test_what_is_no_version_sorts_before_all(text: str) -> None:
    assert version_key(text) < version_key("0.dev0")


@given(versions(), versions())
def test_keys_compare_as_versions_do(one: str, other: str) -> None:
    assert (version_key(one) < version_key(other)) == (Version(one) < Version(other))
    assert (version_key(one) == version_key(other)) == (Version(one) == Version(other))


@given(versions())
def test_keys_hold_only_digits_and_small_letters(version: str) -> None:
    assert version_key(version).isalnum()
    assert version_key(version) == version_key(version).lower()


@given(st.text())
def test_any_text_has_a_key(text: str) -> None:
    assert version_key(text)


@pytest.mark.parametrize(("lower", "higher"), [*combinations(LOCALS, 2)])
def test_local_words_with_zeros_keep_their_order(lower: str, higher: str) -> None:
    assert Version(f"1+{lower}") < Version(f"1+{higher}")
    assert version_key(f"1+{lower}") < version_key(f"1+{higher}")
