"""Finding candidates: a superset of what fits, by index, with every value a parameter."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from observing import (
    INDEX,
    REPO,
    asset,
    crawl,
    index_page,
    new_catalog,
    release_list,
    release_page,
    release_wheels,
)

from storage.open import open_reader
from storage.search import (
    Search,
    candidates,
    channels_of,
    freshness,
    holdings,
    package_names,
    pages_tried,
    read_channels,
)
from wheels.filename import read_filename
from wheels.observation import Status
from wheels.page import Shape
from wheels.wheel import Conflict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from storage.faults import Reader

NAMES = (
    "sgl_kernel-0.3.21+cu130-cp310-abi3-manylinux2014_x86_64.whl",
    "sgl_kernel-0.3.21+cu130-cp310-abi3-manylinux2014_aarch64.whl",
    "sgl_kernel-0.3.20+cu129-cp310-abi3-manylinux2014_x86_64.whl",
    "sgl_kernel-0.3.19-cp310-abi3-manylinux2014_x86_64.whl",
    "sglang-0.5.0-py3-none-any.whl",
    "torch-2.9.0+cpu-cp312-cp312-win_amd64.whl",
)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    folder: Path = tmp_path_factory.mktemp("search")
    with closing(new_catalog(folder)) as catalog:
        crawl(catalog, 0, index_page(map(asset, NAMES), tag="cu130/demo"))
        old = release_page(release_wheels(1, 2, 3, 4))
        crawl(catalog, 1, release_list("v1", "v2", at=1), old)
        for at in (2, 9):
            crawl(catalog, at, release_list("v1", "v2", at=at), release_page(release_wheels(1, 2), at))
        crawl(catalog, 10, index_page((), 10, channel="broken.test", shape=Shape.BROKEN), status=Status.FAILED)
    with closing(open_reader(folder / "catalog.sqlite")) as connection:
        yield connection


def found(db: Reader, **search: object) -> list[str]:
    return sorted(wheel.filename for wheel in candidates(db, Search(**search)))  # type: ignore[arg-type]  # a table of cases


def named(*places: int) -> list[str]:
    return sorted(NAMES[place] for place in places)


CASES: dict[str, tuple[dict[str, object], list[str]]] = {
    "a package": ({"packages": ("sgl-kernel",)}, named(0, 1, 2, 3)),
    "several packages": ({"packages": ("sglang", "torch")}, named(4, 5)),
    "a glob": ({"packages": ("sgl*",)}, named(0, 1, 2, 3, 4)),
    "a glob and a name": ({"packages": ("sgl-k*", "torch")}, named(0, 1, 2, 3, 5)),
    "a glob without a beginning": ({"packages": ("*lang",)}, named(4)),
    "no such package": ({"packages": ("none",)}, []),
    "a CUDA version": ({"packages": ("sgl-kernel",), "cuda": frozenset({"13.0", "13"})}, named(0, 1, 3)),
    "any minor version": ({"packages": ("sgl-kernel",), "cuda": frozenset({"13", "13.*"})}, named(0, 1, 3)),
    "no CUDA version": ({"packages": ("sgl-kernel",), "cuda": frozenset[str]()}, []),
    "a machine": ({"packages": ("sgl-kernel",), "arch": frozenset({"x86_64", "any"})}, named(0, 2, 3)),
    "a machine, wildcards are letters": ({"packages": ("sgl-kernel",), "arch": frozenset({"x86%64"})}, []),
    "a system": ({"os": frozenset({"windows"})}, named(5)),
    "an accelerator": ({"accelerator": "cpu"}, named(5)),
    "a channel": ({"channel": INDEX}, named(0, 1, 2, 3, 4, 5)),
    "a tag": ({"tag_glob": "cu1?0/*", "accelerator": "cpu"}, named(5)),
    "a date": ({"since": "2026-12-01T01:00:00Z", "packages": ("torch",)}, []),
}


@pytest.mark.parametrize(("search", "wanted"), CASES.values(), ids=CASES.keys())
def test_a_search_finds(db: Reader, search: dict[str, object], wanted: list[str]) -> None:
    assert found(db, **search) == wanted


def test_vanished_wheels_are_left_out_on_request(db: Reader) -> None:
    assert len(found(db, packages=("demo",))) == 4
    assert len(found(db, packages=("demo",), vanished=False)) == 2


def test_a_wheel_has_all_that_its_name_says(db: Reader) -> None:
    (wheel,) = candidates(db, Search(packages=("torch",)))
    name = read_filename(NAMES[5], "cu130/demo")
    assert {field: getattr(wheel, field) for field in name.__dataclass_fields__} == {
        field: getattr(name, field) for field in name.__dataclass_fields__
    }
    assert (wheel.channel, wheel.tag, wheel.size, wheel.yanked) == (INDEX, "cu130/demo", 5, False)


def test_a_contradiction_is_found_again(db: Reader) -> None:
    (wheel,) = (wheel for wheel in candidates(db, Search(packages=("sgl-kernel",))) if wheel.cuda == "12.9")
    assert wheel.cuda_conflict == (Conflict(source="tag", value="13.0"),)


@pytest.mark.parametrize("word", ["x' OR 1=1--", "%", "_", '"', "]", "'; DROP TABLE wheel; --", "\x00"])
def test_D01_words_are_values(db: Reader, word: str) -> None:
    for search in ({"packages": (word,)}, {"channel": word}, {"accelerator": word}, {"cuda": frozenset({word})}):
        assert found(db, **search) == []


@given(st.text(max_size=8))
def test_D01_any_glob_is_a_glob(db: Reader, word: str) -> None:
    assert set(found(db, packages=(f"{word}*",))) <= {*NAMES, *found(db, packages=("demo",))}


def test_a_search_uses_the_index(db: Reader) -> None:
    plans: list[str] = []
    searches = (
        {"packages": ("a", "b")},
        {"packages": ("a*",)},
        {"packages": ("a",), "cuda": frozenset({"13.0", "13"})},
    )
    for search in searches:
        db.set_trace_callback(plans.append)
        found(db, **search)
        db.set_trace_callback(None)
    for sql in plans:
        steps = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {sql}")]
        assert steps, sql
        assert not [step for step in steps if step.startswith("SCAN")], (sql, steps)


# ---------------------------------------------------------------------- channels


def test_channels_that_were_read(db: Reader) -> None:
    assert read_channels(db) == {INDEX, REPO}
    assert channels_of(db, ["sgl*", "demo"]) == [INDEX, REPO]
    assert channels_of(db, []) == []


def test_freshness_by_channel_and_by_package(db: Reader) -> None:
    index = (INDEX, "2026-12-01T00:00:00Z", "ok")
    assert freshness(db, ["never.test", INDEX]) == [("never.test", None, "unread"), index]
    assert freshness(db, packages=["torch"]) == [index]


def test_pages_that_were_tried(db: Reader) -> None:
    assert pages_tried(db, REPO) == {"v1": "2026-12-01T09:00:00Z"}
    assert pages_tried(db, "broken.test") == {"cu130/demo": None}


def test_holdings_are_the_newest_releases(db: Reader) -> None:
    assert holdings(db, [REPO]) == [(REPO, "v1", {"demo": 2})]
    assert holdings(db, [INDEX], tag_glob="cu130/*") == [
        (INDEX, "cu130/demo", {"sgl-kernel": 4, "sglang": 1, "torch": 1})
    ]
    assert holdings(db, [INDEX], tag_glob="nightly*") == []


def test_package_names(db: Reader) -> None:
    assert package_names(db) == ["demo", "sgl-kernel", "sglang", "torch"]
