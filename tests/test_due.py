from __future__ import annotations

from datetime import timedelta

import pytest
from walkworld import NOON

from crawler.due import is_moving, next_check


@pytest.mark.parametrize(
    ("tag", "moves"),
    [
        ("nightly", True),
        ("latest", True),
        ("continuous-release_main", True),
        ("main-devel", True),
        ("cpu", True),
        ("AVX2", True),
        ("v1", False),
        ("v0.3.21", False),
        ("nightly-2026-02-27-52c8a3632", False),
        ("20250101", False),
        ("52c8a3632", False),
        ("detectron2-0.6", False),
    ],
)
def test_l1_tags_without_version_day_or_commit_move(tag: str, moves: bool) -> None:
    assert is_moving(tag) is moves


@pytest.mark.parametrize(
    ("age", "expected"),
    [
        pytest.param(timedelta(0), timedelta(hours=1), id="new"),
        pytest.param(timedelta(days=1), timedelta(hours=2.4), id="a day"),
        pytest.param(timedelta(days=100), timedelta(days=10), id="a hundred days"),
        pytest.param(timedelta(days=4000), timedelta(days=30), id="years"),
        pytest.param(timedelta(days=-5), timedelta(hours=1), id="from the future"),
    ],
)
def test_intervals_grow_with_age(age: timedelta, expected: timedelta) -> None:
    assert next_check("v1", (NOON - age).isoformat(), (), NOON) - NOON == expected
