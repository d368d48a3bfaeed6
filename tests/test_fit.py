from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wheels.fit import Query, filters_of, judge, judge_fully
from wheels.gpu_target import match_target, parse_target
from wheels.interpreter import match_tags, parse_interpreter
from wheels.wheel import Wheel

WHEEL = Wheel(
    filename="a-1.0+cu130-cp312-cp312-manylinux_2_28_x86_64.whl",
    valid=True,
    package="a",
    version="1.0",
    local="cu130",
    python=("cp312",),
    abi=("cp312",),
    platform=("manylinux_2_28_x86_64",),
    os=("linux",),
    arch=("x86_64",),
    glibc="2.28",
    accelerator="cuda",
    cuda="13.0",
    torch="2.9",
    cxx11abi=True,
    sm=("90", "120a"),
    url="https://files.test/a-1.0%2Bcu130-cp312-cp312-manylinux_2_28_x86_64.whl",
    channel="owner/repo",
    tag="nightly-2026-02-27",
    uploaded_at="2026-02-27T10:00:00Z",
    first_seen="2026-03-01T00:00:00Z",
    last_seen="2026-03-01T00:00:00Z",
)


def fits(query: dict[str, Any], **facts: Any) -> bool:
    return judge(replace(WHEEL, **facts), Query(**query)) is None


@pytest.mark.parametrize(
    ("query", "facts", "fit"),
    [
        pytest.param({"cuda": ("13.0",)}, {}, True, id="the same CUDA"),
        pytest.param({"cuda": ("12.8",)}, {}, False, id="another CUDA"),
        pytest.param({"cuda": ("12.8", "13.0")}, {}, True, id="either CUDA"),
        pytest.param({"cuda": ("13",)}, {}, True, id="any minor of a major"),
        pytest.param({"cuda": ("13",), "exact": True}, {}, True, id="any minor of a major, exact"),
        pytest.param({"cuda": ("13.0",)}, {"cuda": "13"}, True, id="a wheel that says only the major"),
        pytest.param({"cuda": ("13.0",), "exact": True}, {"cuda": "13"}, False, id="only the major, exact"),
        pytest.param({"cuda": ("13",), "exact": True}, {"cuda": "13"}, True, id="major asked and said, exact"),
        pytest.param({"cuda": ("1",)}, {}, False, id="a major is no prefix of digits"),
        pytest.param({"cuda": ("13.0",)}, {"cuda": None}, False, id="unknown CUDA"),
        pytest.param({"rocm": ("6.4",)}, {"rocm": "6.4.1"}, True, id="a longer ROCm"),
        pytest.param({"rocm": ("6.4",)}, {"accelerator": "rocm", "rocm": None}, False, id="ROCm of unsaid version"),
        pytest.param({"accelerator": ("cpu", "xpu")}, {"accelerator": "xpu"}, True, id="either accelerator"),
        pytest.param({"accelerator": ("cpu",)}, {"accelerator": None}, False, id="unknown accelerator"),
        pytest.param({"torch": ("2.9",)}, {"torch": "2.9.1"}, True, id="torch by prefix"),
        pytest.param({"torch": ("2.9.1",)}, {}, True, id="torch by prefix, back"),
        pytest.param({"torch": ("2.1",)}, {"torch": "2.10"}, False, id="torch by components, not by text"),
        pytest.param({"torch": ("2.9",)}, {"torch": None}, False, id="unknown torch"),
        pytest.param({"python": ("3.12",)}, {}, True, id="the same Python"),
        pytest.param({"python": ("3.11",)}, {}, False, id="another Python"),
        pytest.param(
            {"python": ("3.13",)}, {"python": ("cp310",), "abi": ("abi3",)}, True, id="abi3 of an older Python"
        ),
        pytest.param(
            {"python": ("3.9",)}, {"python": ("cp310",), "abi": ("abi3",)}, False, id="abi3 of a newer Python"
        ),
        pytest.param(
            {"python": ("3.13t",)}, {"python": ("cp310",), "abi": ("abi3",)}, False, id="abi3 without threads"
        ),
        pytest.param({"python": ("3.13t",)}, {"python": ("cp313",), "abi": ("cp313t",)}, True, id="free-threaded"),
        pytest.param({"python": ("3.13",)}, {"python": ("cp313",), "abi": ("cp313t",)}, False, id="free-threaded only"),
        pytest.param({"python": ("3.12",)}, {"python": ("py3",), "abi": ("none",)}, True, id="py3"),
        pytest.param({"python": ("3.12",)}, {"python": ("py2", "py3"), "abi": ("none",)}, True, id="py2.py3"),
        pytest.param({"python": ("3.12",)}, {"python": ("py39",), "abi": ("none",)}, True, id="py39"),
        pytest.param({"python": ("3.8",)}, {"python": ("py39",), "abi": ("none",)}, False, id="py39 for an older one"),
        pytest.param({"python": ("3",)}, {}, True, id="any Python 3"),
        pytest.param({"python": ("3.12",)}, {"python": None, "abi": None}, False, id="unknown Python"),
        pytest.param({"os": ("linux",)}, {}, True, id="Linux"),
        pytest.param({"os": ("windows",)}, {}, False, id="another system"),
        pytest.param({"os": ("windows",)}, {"os": ("any",)}, True, id="any system"),
        pytest.param({"os": ("linux",)}, {"platform": ("musllinux_1_2_x86_64",)}, True, id="musl is Linux too"),
        pytest.param({"os": ("musllinux",)}, {"platform": ("musllinux_1_2_x86_64",)}, True, id="musl"),
        pytest.param({"os": ("musllinux",)}, {}, False, id="musl asked, glibc there"),
        pytest.param({"arch": ("x86_64",)}, {}, True, id="architecture"),
        pytest.param({"arch": ("aarch64",)}, {}, False, id="another architecture"),
        pytest.param({"arch": ("aarch64",)}, {"arch": ("universal2",)}, True, id="universal2"),
        pytest.param({"arch": ("i686",)}, {"arch": ("universal2",)}, False, id="universal2 is not everything"),
        pytest.param({"arch": ("aarch64",)}, {"arch": ("any",)}, True, id="any architecture"),
        pytest.param({"glibc": ("2.28",)}, {}, True, id="the same glibc"),
        pytest.param({"glibc": ("2.17",)}, {}, False, id="an older glibc"),
        pytest.param({"glibc": ("2.9",)}, {}, False, id="glibc by number, not by text"),
        pytest.param({"glibc": ("2.17",)}, {"glibc": None}, True, id="unknown glibc passes"),
        pytest.param(
            {"glibc": ("2.17",)}, {"glibc": None, "platform": ("musllinux_1_2_x86_64",)}, False, id="no glibc"
        ),
        pytest.param({"glibc": ("2.17",)}, {"glibc": None, "os": ("windows",)}, False, id="no glibc on Windows"),
        pytest.param({"cxx11abi": (True,)}, {}, True, id="C++11 ABI"),
        pytest.param({"cxx11abi": (False,)}, {}, False, id="the other C++ ABI"),
        pytest.param({"cxx11abi": (False,)}, {"cxx11abi": None}, False, id="unknown C++ ABI"),
        pytest.param({"sm": ("120",)}, {}, True, id="GPU"),
        pytest.param({"sm": ("100",)}, {}, False, id="another GPU"),
        pytest.param({"sm": ("120",)}, {"sm": None}, False, id="unknown GPUs"),
        pytest.param({"sm": ("100",)}, {"sm_read": "partial"}, True, id="partly read GPUs never say no"),
        pytest.param({"channel": ("owner/repo",)}, {}, True, id="channel"),
        pytest.param({"channel": ("Owner/*",)}, {}, True, id="channel by pattern, in any case"),
        pytest.param({"channel": ("owner",)}, {}, False, id="a part of the channel's name"),
        pytest.param({"tag": ("nightly-*",)}, {}, True, id="tag by pattern"),
        pytest.param({"tag": ("v*",)}, {"tag": None}, False, id="no tag"),
        pytest.param({"since": "2026-02-27T00:00:00Z"}, {}, True, id="uploaded since"),
        pytest.param({"since": "2026-02-28T00:00:00Z"}, {}, False, id="uploaded before"),
        pytest.param(
            {"since": "2026-02-27T09:00:00Z"}, {"uploaded_at": None, "date": "2026-02-27"}, True, id="built since"
        ),
        pytest.param({"since": "2026-02-27T00:00:00Z"}, {"uploaded_at": None}, False, id="unknown date"),
        pytest.param({"spec": "==1.0"}, {}, True, id="a public version matches any label"),
        pytest.param({"spec": ">=1.1"}, {}, False, id="another version"),
        pytest.param({"spec": "==1.0"}, {"version": "nonsense"}, False, id="no version"),
        pytest.param({"spec": ">0.9"}, {"version": "1.0rc1"}, True, id="a pre-release is a version"),
        pytest.param({"packages": ("a", "b")}, {}, True, id="package or its other name"),
        pytest.param({"packages": ("a*",)}, {"package": "ab"}, True, id="package by pattern"),
        pytest.param({"loads_with": ("torch==2.9.1",)}, {}, False, id="no verdict is stored"),
        pytest.param({"driver_cuda": "13.0"}, {"cuda": "12.8"}, True, id="an older CUDA than the driver's"),
        pytest.param({"driver_cuda": "12.8"}, {}, False, id="a newer CUDA than the driver's"),
        pytest.param({"driver_cuda": "12.8"}, {"cuda": "12.9"}, True, id="a newer minor of the driver's major"),
        pytest.param({"driver_cuda": "12.8"}, {"cuda": None}, True, id="unknown CUDA does not contradict the driver"),
        pytest.param({"installed_torch": "2.9.1"}, {}, True, id="the torch that is installed"),
        pytest.param({"installed_torch": "2.10.0"}, {}, False, id="another torch is installed"),
        pytest.param({"installed_torch": "2.10.0"}, {"torch": None}, True, id="unknown torch does not contradict"),
    ],
)
def test_judge(query: dict[str, Any], facts: dict[str, Any], fit: bool) -> None:
    assert fits(query, **facts) is fit


def test_judge_gives_the_filter_and_the_reason() -> None:
    misfit = judge(WHEEL, Query(cuda=("12.8", "12.6"), arch=("x86_64",)))
    assert misfit is not None
    assert (misfit.filter, misfit.reason) == ("cuda", "cuda is 13.0, not 12.8 or 12.6")


def test_judge_says_unknown_where_nothing_is_known() -> None:
    misfit = judge(replace(WHEEL, torch=None), Query(torch=("2.9",)))
    assert misfit is not None
    assert misfit.reason == "torch is unknown, not 2.9"


FILTERS = st.fixed_dictionaries(
    {
        "cuda": st.lists(st.sampled_from(["13.0", "13", "12.8"]), max_size=2).map(tuple),
        "torch": st.lists(st.sampled_from(["2.9", "2.10", "2.9.1"]), max_size=2).map(tuple),
        "python": st.lists(st.sampled_from(["3.12", "3.13t", "pp310"]), max_size=2).map(tuple),
        "arch": st.lists(st.sampled_from(["x86_64", "aarch64"]), max_size=2).map(tuple),
        "glibc": st.lists(st.sampled_from(["2.17", "2.28", "2.35"]), max_size=2).map(tuple),
        "sm": st.lists(st.sampled_from(["90", "120", "100"]), max_size=2).map(tuple),
    }
)
WHEELS = st.builds(
    lambda **facts: replace(WHEEL, **facts),
    cuda=st.sampled_from([None, "13", "13.0", "12.8"]),
    torch=st.sampled_from([None, "2.9", "2.10.0"]),
    arch=st.sampled_from([None, ("x86_64",), ("any",), ("universal2",)]),
    glibc=st.sampled_from([None, "2.17", "2.34"]),
    sm=st.sampled_from([None, (), ("90",), ("120f",)]),
)


@given(WHEELS, FILTERS)
def test_a_wheel_fits_when_no_filter_refuses_it(wheel: Wheel, filters: dict[str, Any]) -> None:
    query = Query(**filters)
    every = judge_fully(wheel, query)
    assert judge(wheel, query) == (every[0] if every else None)
    assert {misfit.filter for misfit in every} <= set(filters_of(query))


@given(WHEELS, FILTERS)
def test_different_filters_hold_together(wheel: Wheel, filters: dict[str, Any]) -> None:
    single = [judge(wheel, Query(**{name: values})) is None for name, values in filters.items()]
    assert (judge(wheel, Query(**filters)) is None) is all(single)


@given(WHEELS, FILTERS)
def test_values_of_one_filter_are_alternatives(wheel: Wheel, filters: dict[str, Any]) -> None:
    for name, values in filters.items():
        single: list[dict[str, Any]] = [{name: (value,)} for value in values]
        alone = [judge(wheel, Query(**query)) is None for query in single]
        assert (judge(wheel, Query(**{name: values})) is None) is (any(alone) or not values)


@given(WHEELS, FILTERS)
def test_exact_only_ever_removes(wheel: Wheel, filters: dict[str, Any]) -> None:
    if judge(wheel, Query(**filters, exact=True)) is None:
        assert judge(wheel, Query(**filters)) is None


def test_every_field_of_a_query_is_judged_or_known_to_be_none() -> None:
    values: dict[str, Any] = {field.name: ("x",) for field in fields(Query)}
    values.update(since="x", spec="x", exact=True)
    assert {field.name for field in fields(Query)} - set(filters_of(Query(**values))) == {"exact"}


@pytest.mark.parametrize(
    ("built", "gpu", "runs"),
    [
        ("120", "120", True),
        ("120a", "120", True),
        ("120f", "120", True),
        ("sm_120a", "12.0", True),
        ("120a", "121", False),
        ("120f", "121", True),
        ("120", "121", True),
        ("121", "120", False),
        ("80", "86", True),
        ("100", "120", False),
        ("compute_90", "120", True),
        ("90+ptx", "120", True),
        ("compute_121", "120", False),
        ("compute_90a", "120", False),
        ("gfx942", "gfx942", True),
        ("gfx942", "gfx90a", False),
        ("gfx942:xnack-", "gfx942", True),
        ("120", "gfx942", False),
        ("blackwell", "120", False),
    ],
)
def test_match_target(built: str, gpu: str, runs: bool) -> None:
    assert match_target(built, gpu) is runs


@given(st.text(max_size=20))
def test_parse_target_takes_any_text(text: str) -> None:
    target = parse_target(text)
    assert target is None or parse_target(target.name) is not None


@given(st.text(max_size=20))
def test_parse_interpreter_takes_any_text(text: str) -> None:
    interpreter = parse_interpreter(text)
    assert interpreter is None or interpreter.major in range(10)


@given(st.integers(2, 30), st.integers(2, 30))
def test_abi3_loads_in_every_later_python(built: int, runs: int) -> None:
    interpreter = parse_interpreter(f"3.{runs}")
    assert interpreter is not None
    assert match_tags(interpreter, [f"cp3{built}"], ["abi3"]) is (built <= runs)
