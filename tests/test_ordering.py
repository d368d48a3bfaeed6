from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from wheelfind.ordering import check_order, in_order, newest_first
from wheels.errors import UsageError
from wheels.wheel import Wheel


def wheel(name: str, **facts: Any) -> Wheel:
    base = Wheel(
        filename=name,
        valid=True,
        url=f"https://h.test/{name}",
        channel="c",
        tag=None,
        first_seen="2026-01-01T00:00:00Z",
        last_seen="2026-01-01T00:00:00Z",
    )
    return replace(base, **facts)


def names(wheels: list[Wheel]) -> list[str]:
    return [one.filename for one in wheels]


def test_newest_first_by_version_then_upload_then_python() -> None:
    rows = [
        wheel("old", version_key="1"),
        wheel("cp39", version_key="2", uploaded_at="2026-01-02", python=("cp39",)),
        wheel("cp313", version_key="2", uploaded_at="2026-01-02", python=("cp313",)),
        wheel("undated", version_key="2"),
        wheel("late", version_key="2", uploaded_at="2026-01-03"),
    ]
    assert names(newest_first(rows)) == ["late", "cp313", "cp39", "undated", "old"]


def test_newest_first_does_not_depend_on_the_order_given() -> None:
    rows = [wheel(name, version_key="1") for name in "cabd"]
    assert names(newest_first(rows)) == names(newest_first(reversed(rows))) == list("abcd")


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("size", ["b", "a", "c"]),
        ("-size", ["a", "b", "c"]),
        ("filename", ["a", "b", "c"]),
        ("-filename", ["c", "b", "a"]),
    ],
)
def test_in_order_puts_the_unknown_last(order: str, expected: list[str]) -> None:
    rows = [wheel("a", size=1), wheel("b", size=2), wheel("c")]
    assert names(in_order(rows, order)) == expected


def test_in_order_compares_versions_by_number() -> None:
    rows = [wheel("a", torch="2.9"), wheel("b", torch="2.10")]
    assert names(in_order(rows, "torch")) == ["b", "a"]


@pytest.mark.parametrize("name", ["name;drop table wheel", "url", "", "--size"])
def test_D01_an_order_that_is_none_is_wrong_use(name: str) -> None:
    with pytest.raises(UsageError, match="no such order"):
        check_order(name)
