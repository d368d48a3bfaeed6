"""The label grammar: every token by its own example, then how tokens stand together."""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wheels
from wheels.label import NOTHING, Facts, agree, finest_cuda, read_label, unknown_words
from wheels.label_tokens import HABITS, TOKENS, Fact, Habit, Token
from wheels.sources import hear_filename
from wheels.torch_release import choose_torch, read_torch

if TYPE_CHECKING:
    from collections.abc import Callable

HOSTILE = ["a" * 100_000, "1." * 50_000, "cu" * 50_000, "+" * 100_000, "0" * 100_000, "a1" * 50_000, "20240101" * 9_000]

SEARCHED = {f"wheels.{name}" for name in ("sources._DATE", "sources._SEGMENT", "sources._SCHEME", "filename._URL_TAIL")}
"""Patterns that look for a place; all others are only asked at a given one."""


def _said(facts: Facts, fact: Fact) -> str:
    """What the facts hold about a token's subject, as the table writes it."""
    if fact in {Fact.SM, Fact.GFX}:
        return ".".join(facts.sm)
    if fact is Fact.NOTHING:
        return ""
    value = getattr(facts, fact.value)
    if isinstance(value, tuple):
        return ".".join(value)
    return str(value).lower()


@pytest.mark.parametrize(
    "token", TOKENS, ids=[f"{token.says}: {token.example} ({i})" for i, token in enumerate(TOKENS)]
)
def test_each_token_reads_its_own_example(token: Token) -> None:
    assert re.search(token.pattern, token.example.lower()), "the example does not show the pattern"
    assert _said(read_label(token.example), token.says) == token.value


@pytest.mark.parametrize("token", TOKENS, ids=[token.example for token in TOKENS])
def test_examples_hold_no_word_that_is_not_understood(token: Token) -> None:
    names = {"torch", "vllm", "pytorch", "xla", "releases", "wheels"}
    assert set(unknown_words(token.example)) <= names


@pytest.mark.parametrize("habit", HABITS, ids=[habit.example for habit in HABITS])
def test_each_habit_reads_its_own_example(habit: Habit) -> None:
    facts = hear_filename(habit.package, habit.package, habit.example, "", "", "", "")
    assert _said(facts, habit.says) == habit.value


LABELS: dict[str, Facts] = {
    "cu130torch2.9cxx11abitrue": Facts(accelerator="cuda", cuda=("13.0",), torch=("2.9",), cxx11abi=True),
    "cu12torch2.8.0+cu129cxx11abiTRUE": Facts(accelerator="cuda", cuda=("12.9",), torch=("2.8.0",), cxx11abi=True),
    "cu130.cu128": Facts(accelerator="cuda", cuda=("13.0", "12.8")),
    "cu92": Facts(accelerator="cuda", cuda=("9.2",)),
    "cuda100": Facts(accelerator="cuda", cuda=("10.0",)),
    "cu12.8torch2.10": Facts(accelerator="cuda", cuda=("12.8",), torch=("2.10",)),
    "cu12.5f3a2b1": Facts(accelerator="cuda", cuda=("12",), commit="5f3a2b1"),
    "cuda12x": Facts(accelerator="cuda", cuda=("12",)),
    "cu13torch25.09cxx11abiTRUE": Facts(accelerator="cuda", cuda=("13",), cxx11abi=True),
    "torch2100cu130": Facts(accelerator="cuda", cuda=("13.0",), torch=("2.10.0",)),
    "pt211cu128": Facts(accelerator="cuda", cuda=("12.8",), torch=("2.1.1", "2.11")),
    "cu124torch2.5.1.post2": Facts(accelerator="cuda", cuda=("12.4",), torch=("2.5.1",)),
    "d20260328cu130torch2.11.0cxx11abiTRUE": Facts(
        accelerator="cuda", cuda=("13.0",), torch=("2.11.0",), cxx11abi=True, date="2026-03-28"
    ),
    "366eff2pt2.7.0cu128": Facts(accelerator="cuda", cuda=("12.8",), torch=("2.7.0",), commit="366eff2"),
    "20260318.cu128torch280cxx11abitrue.8afc61": Facts(
        accelerator="cuda", cuda=("12.8",), torch=("2.8.0",), cxx11abi=True, commit="8afc61", date="2026-03-18"
    ),
    "g109b736b8.d20260717.xpu": Facts(accelerator="xpu", commit="109b736b8", date="2026-07-17"),
    "gcd87ce883.gemma426blora": Facts(commit="cd87ce883"),
    "17540c5+nv22.01": Facts(commit="17540c5"),
    "40ec155e.nv24.05": Facts(commit="40ec155e"),
    "1408756": Facts(commit="1408756"),
    "25110": NOTHING,
    "bf16": NOTHING,
    "bar": NOTHING,
    "facade": NOTHING,
    "nightly": NOTHING,
    "computecanada": NOTHING,
    "das.opt1.dtk2604.20260325.g6b060a": Facts(commit="6b060a", date="2026-03-25"),
    "corex.4.5.0.rc.11.20260701": Facts(date="2026-07-01"),
    "20250231": NOTHING,
    "rocm7.10.0a20251120": Facts(accelerator="rocm", rocm="7.10.0", date="2025-11-20"),
    "rocm7.9.0rc1": Facts(accelerator="rocm", rocm="7.9.0"),
    "cu128torch2.7.1post4": Facts(accelerator="cuda", cuda=("12.8",), torch=("2.7.1",)),
    "rocm10.1.0": Facts(accelerator="rocm", rocm="10.1.0"),
    "rocm711": Facts(accelerator="rocm", rocm="7.1.1"),
    "rocm5.5basic": Facts(accelerator="rocm", rocm="5.5"),
    "rocmsdk20251116": Facts(accelerator="rocm", date="2025-11-16"),
    "gfx1151": Facts(accelerator="rocm", sm=("gfx1151",)),
    "cpu.cxx11.abi": Facts(accelerator="cpu", cxx11abi=True),
    "cpuavx2": Facts(accelerator="cpu"),
    "nocuda": Facts(accelerator="cpu"),
    "cu116AVX": Facts(accelerator="cuda", cuda=("11.6",)),
    "cu128_noavx512_Blackwell": Facts(accelerator="cuda", cuda=("12.8",)),
    "sm89sm120": Facts(accelerator="cuda", sm=("89", "120")),
    "sm90a": Facts(accelerator="cuda", sm=("90a",)),
    "pr.18598.gfec757fd3": Facts(commit="fec757fd3"),
}


@pytest.mark.parametrize(("label", "facts"), LABELS.items(), ids=LABELS)
def test_label(label: str, facts: Facts) -> None:
    assert read_label(label) == facts


@pytest.mark.parametrize(
    "label", ["cute", "cpuinfo", "torchvision", "pytorch3d", "metalkit", "smart120", "cu2qu", "KDEpy"]
)
def test_a_word_that_only_begins_like_a_token_says_nothing(label: str) -> None:
    assert read_label(label) is NOTHING
    assert unknown_words(label) == (label.lower(),)


@pytest.mark.parametrize(
    ("digits", "cuda", "python", "release"),
    [
        ("2.9", None, (), "2.9"),
        ("20", None, (), "2.0"),
        ("271", "12.8", (), "2.7.1"),
        ("113", "11.7", (), "1.13"),
        ("171", None, (), "1.7.1"),
        ("1131", None, (), "1.13.1"),
        ("2100", None, (), "2.10.0"),
        ("213", None, (), "2.13"),
        ("211", "12.8", (), "2.11"),
        ("211", "12.1", (), "2.1.1"),
        ("212", "11.8", (), "2.1.2"),
        ("210", "13", (), "2.10"),
        ("210", "12", ("cp313",), "2.10"),
        ("210", None, ("cp38",), "2.1.0"),
        ("210", None, ("cp310",), None),
        ("210", None, None, None),
        ("25.09", "13", (), None),
        ("2509", "13", (), None),
    ],
)
def test_torch_digits(digits: str, cuda: str | None, python: tuple[str, ...] | None, release: str | None) -> None:
    assert choose_torch(read_torch(digits), cuda, python) == release


def test_coarser_and_finer_cuda_agree_and_the_finer_is_kept() -> None:
    assert agree("12", "12.8")
    assert not agree("12.6", "12.8")
    assert not agree("1", "12.8")
    assert finest_cuda(("12", "12.9", "13.0")) == ("12.9", "13.0")


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert read_label(text) == read_label(text.upper() if text.isascii() else text)


@given(st.lists(st.sampled_from([token.example for token in TOKENS]), max_size=6).map("".join))
def test_tokens_glued_in_any_order_are_read(text: str) -> None:
    read_label(text)


def _built_in_patterns() -> list[tuple[str, re.Pattern[str]]]:
    modules = [importlib.import_module(f"wheels.{info.name}") for info in pkgutil.iter_modules(wheels.__path__)]
    return [
        (f"{module.__name__}.{name}", value)
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, re.Pattern) and isinstance(value.pattern, str)
    ]


@pytest.mark.parametrize(("name", "pattern"), _built_in_patterns(), ids=[name for name, _ in _built_in_patterns()])
def test_D17_built_in_patterns_are_linear(name: str, pattern: re.Pattern[str]) -> None:
    ways = [pattern.match, pattern.fullmatch, *([pattern.search] if name in SEARCHED else [])]
    for text in HOSTILE:
        for way in ways:
            assert _seconds(way, text) < 0.05, (text[:8], way)


@pytest.mark.parametrize("text", HOSTILE, ids=[text[:8] for text in HOSTILE])
def test_D17_hostile_labels_are_read_in_time(text: str) -> None:
    assert _seconds(read_label.__wrapped__, text) < 0.05


def _seconds(work: Callable[[str], object], text: str) -> float:
    spent = []
    for _ in range(3):
        start = time.process_time()
        work(text)
        spent.append(time.process_time() - start)
    return min(spent)
