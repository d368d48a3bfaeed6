from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from wheelfind.answer import Answer, Freshness, Holding
from wheelfind.finding import Showing, find_wheels, is_prerelease, names_prerelease
from wheels.fit import Query
from wheels.wheel import Wheel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def wheel(version: str, **facts: Any) -> Wheel:
    name = f"a-{version}-py3-none-any.whl"
    base = Wheel(
        filename=name,
        valid=True,
        package="a",
        version=version,
        version_key=version,
        url=f"https://h.test/{facts.get('tag')}/{name}",
        channel="owner/repo",
        tag=None,
        first_seen="2026-01-01T00:00:00Z",
        last_seen="2026-01-01T00:00:00Z",
    )
    return replace(base, **facts)


class Shelf:
    """A source that holds a few wheels."""

    def __init__(self, *wheels: Wheel, holds: Sequence[Holding] = ()) -> None:
        self.wheels = wheels
        self.holds = holds

    def candidates(self, query: Query) -> Iterable[Wheel]:
        del query
        return self.wheels

    def freshness(self, query: Query, found: Sequence[str]) -> Sequence[Freshness]:
        del query, found
        return [Freshness(channel="owner/repo", last_complete_at="2026-01-01T00:00:00Z", status="ok")]

    def holdings(self, query: Query) -> Sequence[Holding]:
        del query
        return self.holds


def ask(source: Shelf, showing: Showing | None = None, **query: Any) -> Answer:
    return find_wheels(Query(packages=("a",), **query), showing or Showing(), source)


def versions(answer: Answer) -> list[str | None]:
    return [one.version for one in answer.wheels]


def test_newest_come_first_and_the_limit_is_said() -> None:
    answer = ask(Shelf(wheel("1"), wheel("3"), wheel("2")), Showing(limit=2))
    assert versions(answer) == ["3", "2"]
    assert answer.matched == 3


def test_an_answer_says_how_fresh_its_channels_are() -> None:
    assert ask(Shelf()).channels[0].channel == "owner/repo"


def test_prereleases_are_hidden_and_counted() -> None:
    answer = ask(Shelf(wheel("1"), wheel("2rc1"), wheel("2.dev1")))
    assert versions(answer) == ["1"]
    assert answer.hidden.prereleases == 2


@pytest.mark.parametrize(
    ("showing", "query"),
    [
        pytest.param(Showing(prereleases=True), {}, id="--pre"),
        pytest.param(Showing(), {"spec": ">=1.dev0"}, id="the version names them"),
        pytest.param(Showing(), {"tag": ("nightly-*",)}, id="the tag names them"),
        pytest.param(Showing(), {"tag": ("nightly-1",)}, id="the tag is named"),
    ],
)
def test_prereleases_are_shown_when(showing: Showing, query: dict[str, Any]) -> None:
    shelf = Shelf(wheel("1", tag="nightly-1"), wheel("2rc1", tag="nightly-1"))
    assert versions(ask(shelf, showing, **query)) == ["2rc1", "1"]


def test_prereleases_are_shown_when_nothing_else_matches() -> None:
    answer = ask(Shelf(wheel("1", cuda="12.8"), wheel("2rc1", cuda="13.0")), cuda=("13.0",))
    assert versions(answer) == ["2rc1"]
    assert answer.hidden.prereleases == 0


def test_yanked_and_vanished_files_are_hidden_and_counted() -> None:
    shelf = Shelf(wheel("1"), wheel("2", yanked=True), wheel("3", vanished_at="2026-02-01T00:00:00Z"))
    answer = ask(shelf)
    assert versions(answer) == ["1"]
    assert (answer.hidden.yanked, answer.hidden.vanished) == (1, 1)
    assert versions(ask(shelf, Showing(yanked=True, vanished=True))) == ["3", "2", "1"]


def test_hidden_files_are_counted_once_whatever_their_places() -> None:
    twice = [wheel("2", yanked=True, sha256="a" * 64, url=f"https://{host}.test/a-2.whl") for host in "xy"]
    assert ask(Shelf(wheel("1"), *twice)).hidden.yanked == 1


def test_the_nearest_miss_names_the_filter_that_removed_it() -> None:
    answer = ask(Shelf(wheel("1", cuda="12.8"), wheel("2", cuda="12.6")), cuda=("13.0",))
    [miss] = answer.nearest
    assert (miss.removed_by, miss.count) == (("cuda",), 2)
    assert miss.reason == "cuda is 12.8 / 12.6, not 13.0"
    assert miss.wheel is not None
    assert miss.wheel.version == "2"


def test_nearest_misses_are_those_with_the_fewest_refusals() -> None:
    near, far = wheel("1", cuda="13.0", arch=("aarch64",)), wheel("2", cuda="12.8", arch=("aarch64",))
    answer = ask(Shelf(near, far), cuda=("13.0",), arch=("x86_64",))
    assert [miss.removed_by for miss in answer.nearest] == [("arch",)]


def test_two_filters_that_only_together_refuse_are_both_named() -> None:
    answer = ask(Shelf(wheel("1", cuda="12.8", arch=("aarch64",))), cuda=("13.0",), arch=("x86_64",))
    assert [miss.removed_by for miss in answer.nearest] == [("cuda", "arch")]


def test_hidden_files_that_would_match_are_the_first_miss() -> None:
    answer = ask(Shelf(wheel("1", yanked=True)))
    assert [(miss.removed_by, miss.count) for miss in answer.nearest] == [(("yanked",), 1)]


def test_an_answer_without_any_wheel_says_what_the_releases_hold() -> None:
    holds = [Holding(channel="owner/repo", tag="nightly-1", packages={"sglang": 2})]
    [miss] = ask(Shelf(holds=holds)).nearest
    assert (miss.removed_by, miss.wheel, miss.holds) == (("package",), None, tuple(holds))


def test_a_tag_without_the_package_says_what_it_holds() -> None:
    holds = [Holding(channel="owner/repo", tag="nightly-2", packages={"sglang": 2})]
    answer = ask(Shelf(wheel("1", tag="nightly-1"), holds=holds), tag=("nightly-2",))
    assert [miss.removed_by for miss in answer.nearest] == [("tag",), ("package",)]


def test_an_answer_with_wheels_has_no_misses() -> None:
    assert ask(Shelf(wheel("1"), wheel("2", cuda="12.8"))).nearest == ()


@pytest.mark.parametrize(
    ("version", "answer"),
    [
        ("1.0", False),
        ("1.0rc1", True),
        ("1.0a0", True),
        ("1.0b2", True),
        ("1.0.dev5", True),
        ("1.0.post1", False),
        (None, False),
    ],
)
def test_is_prerelease(version: str | None, answer: bool) -> None:
    assert is_prerelease(version) is answer


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        (Query(spec=">=1.0"), False),
        (Query(spec="==1.0rc1"), True),
        (Query(spec="==1.0+cu130a1"), False),
        (Query(spec="!=1.0rc1"), False),
        (Query(spec="!=1.0,>=0.9.dev1"), True),
        (Query(tag=("cu130/*",)), False),
        (Query(tag=("*latest*",)), False),
        (Query(tag=("nightly*",)), True),
        (Query(tag=("v1.0",)), True),
    ],
)
def test_names_prerelease(query: Query, answer: bool) -> None:
    assert names_prerelease(query) is answer
