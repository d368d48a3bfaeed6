from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wheelfind.folding import fold, states_digests
from wheels.wheel import Wheel

NAME = "a-1.0+cu130-py3-none-any.whl"
A, B = "a" * 64, "b" * 64


def wheel(**facts: Any) -> Wheel:
    base = Wheel(
        filename=NAME,
        valid=True,
        url="https://one.test/a-1.0%2Bcu130-py3-none-any.whl",
        channel="one.test",
        tag=None,
        first_seen="2026-01-01T00:00:00Z",
        last_seen="2026-01-01T00:00:00Z",
    )
    return replace(base, **facts)


OTHER = "https://two.test/a-1.0%2Bcu130-py3-none-any.whl"


@pytest.mark.parametrize(
    ("first", "second", "files"),
    [
        pytest.param({}, {"channel": "two"}, 1, id="the same URL"),
        pytest.param({}, {"url": "https://one.test/a-1.0+cu130-py3-none-any.whl"}, 1, id="the same URL decoded"),
        pytest.param({"sha256": A}, {"sha256": A, "url": OTHER}, 1, id="the same sha256"),
        pytest.param({"sha256": A}, {"sha256": B, "url": OTHER}, 2, id="another sha256"),
        pytest.param({"size": 9}, {"size": 9, "url": OTHER}, 1, id="no sha256, the same name and size"),
        pytest.param(
            {"size": 9, "sha256": A}, {"size": 9, "url": OTHER}, 1, id="one without sha256, the same name and size"
        ),
        pytest.param(
            {"size": 9, "sha256": A}, {"size": 9, "sha256": B, "url": OTHER}, 2, id="the same size, other sha256"
        ),
        pytest.param({"size": 9}, {"size": 8, "url": OTHER}, 2, id="another size"),
        pytest.param({}, {"url": OTHER}, 2, id="the same name, no size known"),
        pytest.param({"size": 9, "cuda": "13.0"}, {"size": 9, "cuda": "12.8", "url": OTHER}, 2, id="another CUDA"),
        pytest.param({"size": 9, "torch": "2.9"}, {"size": 9, "torch": "2.8", "url": OTHER}, 2, id="another torch"),
        pytest.param(
            {"size": 9, "accelerator": "cpu"},
            {"size": 9, "accelerator": "xpu", "url": OTHER},
            2,
            id="another accelerator",
        ),
        pytest.param({"size": 9}, {"size": 9, "filename": "b.whl", "url": OTHER}, 2, id="another name"),
    ],
)
def test_fold_knows_when_rows_are_one_file(first: dict[str, Any], second: dict[str, Any], files: int) -> None:
    assert len(fold([wheel(**first), wheel(**second)])) == files
    assert len(fold([wheel(**second), wheel(**first)])) == files


def test_fold_lists_the_other_places() -> None:
    [one] = fold([wheel(sha256=A, tag="v1"), wheel(sha256=A, url=OTHER, channel="two.test", tag="whl")])
    assert (one.channel, one.tag) == ("one.test", "v1")
    assert [(place.channel, place.tag, place.url) for place in one.places] == [("two.test", "whl", OTHER)]


def test_fold_joins_groups_that_a_later_row_proves_to_be_one() -> None:
    rows = [
        wheel(url="https://one.test/x.whl"),
        wheel(url=OTHER, sha256=A),
        wheel(url="https://one.test/x.whl", sha256=A),
    ]
    [one] = fold(rows)
    assert len(one.places) == 2


def test_fold_never_joins_two_builds_through_a_third_row() -> None:
    rows = [
        wheel(size=9, cuda="12.8"),
        wheel(size=9, cuda="13.0", url=OTHER),
        wheel(size=9, url="https://three.test/x.whl"),
    ]
    assert len(fold(rows)) == 3


def test_fold_takes_the_digest_that_github_states_over_several_listed() -> None:
    listed = wheel(hash_conflict=True, channel="docs.test/whl")
    stated = wheel(sha256=A, channel="owner/repo", tag="v1")
    [one] = fold([listed, stated])
    assert (one.sha256, one.hash_conflict) == (A, False)


def test_fold_leaves_the_hash_open_when_two_pages_disagree_about_a_url() -> None:
    [one] = fold([wheel(sha256=A, channel="docs.test/one"), wheel(sha256=B, channel="docs.test/two")])
    assert (one.sha256, one.hash_conflict) == (None, True)


def test_fold_fills_size_and_time_from_another_place() -> None:
    [one] = fold([wheel(sha256=A), wheel(url=OTHER, sha256=A, size=9, uploaded_at="2026-01-01T00:00:00Z")])
    assert (one.size, one.uploaded_at) == (9, "2026-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("channel", "answer"),
    [
        ("sgl-project/whl", True),
        ("docs.sglang.ai/whl", False),
        ("index", False),
        ("127.0.0.1:80/x", False),
        ("a/b/c", False),
    ],
)
def test_states_digests(channel: str, answer: bool) -> None:
    assert states_digests(channel) is answer


ROWS = st.lists(
    st.builds(
        wheel,
        url=st.sampled_from([f"https://h.test/{i}.whl" for i in range(5)]),
        sha256=st.sampled_from([None, A, B]),
        size=st.sampled_from([None, 8, 9]),
        cuda=st.sampled_from([None, "13.0"]),
        filename=st.sampled_from(["a.whl", "b.whl"]),
    ),
    max_size=12,
)


@given(ROWS)
def test_fold_loses_no_place_and_repeats_no_url(rows: list[Wheel]) -> None:
    folded = fold(rows)
    assert sum(1 + len(one.places) for one in folded) == len(rows)
    urls = [{one.url, *(place.url for place in one.places)} for one in folded]
    assert all(mine.isdisjoint(other) for i, mine in enumerate(urls) for other in urls[i + 1 :])
