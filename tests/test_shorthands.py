from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wheelfind.command_line import VALUE_OPTIONS
from wheelfind.shorthands import cuda_version, expand, expand_word, known_shorthands, rocm_version


@pytest.mark.parametrize(
    ("word", "options"),
    [
        ("--cu130", ("--cuda", "13.0")),
        ("--cu128", ("--cuda", "12.8")),
        ("--cu118", ("--cuda", "11.8")),
        ("--cu92", ("--cuda", "9.2")),
        ("--cu100", ("--cuda", "10.0")),
        ("--cu13", ("--cuda", "13")),
        ("--cu12", ("--cuda", "12")),
        ("--cu10", ("--cuda", "10")),
        ("--cu19", ("--cuda", "19")),
        ("--cu20", ("--cuda", "2.0")),
        ("--cu12.8", ("--cuda", "12.8")),
        ("--cuda13.0.1", ("--cuda", "13.0")),
        ("--CU130", ("--cuda", "13.0")),
        ("--rocm64", ("--rocm", "6.4")),
        ("--rocm700", ("--rocm", "7.0.0")),
        ("--rocm6.4", ("--rocm", "6.4")),
        ("--cpu", ("--accelerator", "cpu")),
        ("--xpu", ("--accelerator", "xpu")),
        ("--cp312", ("--python", "3.12")),
        ("--py312", ("--python", "3.12")),
        ("--cp313t", ("--python", "3.13t")),
        ("--cp39", ("--python", "3.9")),
        ("--py3", ("--python", "3")),
        ("--pp310", ("--python", "pp310")),
        ("--x86_64", ("--arch", "x86_64")),
        ("--x86-64", ("--arch", "x86_64")),
        ("--aarch64", ("--arch", "aarch64")),
        ("--arm64", ("--arch", "aarch64")),
        ("--linux", ("--os", "linux")),
        ("--windows", ("--os", "windows")),
        ("--macos", ("--os", "macos")),
        ("--musllinux", ("--os", "musllinux")),
        ("--win_amd64", ("--os", "windows", "--arch", "x86_64")),
        ("--win_arm64", ("--os", "windows", "--arch", "aarch64")),
        ("--sm120", ("--sm", "120")),
        ("--sm_90a", ("--sm", "90a")),
        ("--torch2.9", ("--torch", "2.9")),
    ],
)
def test_expand_word_names_the_option(word: str, options: tuple[str, ...]) -> None:
    assert expand_word(word) == options


@pytest.mark.parametrize(
    "word", ["--cuda", "--cu", "--cu1281", "--cux", "cu130", "-cu130", "--rocm", "--torch", "--cp", "--tag", "--", ""]
)
def test_expand_word_leaves_other_words_alone(word: str) -> None:
    assert expand_word(word) is None


@pytest.mark.parametrize(
    ("words", "expanded"),
    [
        (["sgl_kernel", "--cu130", "--x86_64"], ["sgl_kernel", "--cuda", "13.0", "--arch", "x86_64"]),
        (["--x86_64", "sgl_kernel", "--cu130"], ["--arch", "x86_64", "sgl_kernel", "--cuda", "13.0"]),
        (["--tag", "--cu130", "x"], ["--tag", "--cu130", "x"]),
        (["--tag=--cu130", "x"], ["--tag=--cu130", "x"]),
        (["--", "--cu130"], ["--", "--cu130"]),
        (["x", "--tag"], ["x", "--tag"]),
    ],
    ids=["after", "before", "a value", "a joined value", "behind --", "a value that is missing"],
)
def test_expand_keeps_the_order_of_words(words: list[str], expanded: list[str]) -> None:
    assert expand(words, VALUE_OPTIONS) == expanded


@given(st.lists(st.text(max_size=12)))
def test_expand_adds_only_declared_options(words: list[str]) -> None:
    unknown = [word for word in expand(words, VALUE_OPTIONS) if word not in words and word.startswith("--")]
    assert set(unknown) <= VALUE_OPTIONS


def test_known_shorthands_all_expand() -> None:
    assert all(expand_word(word) for word in known_shorthands())


@given(st.integers(1, 99), st.integers(0, 9))
def test_cuda_version_reads_major_and_minor_digits(major: int, minor: int) -> None:
    digits = f"{major}{minor}"
    expected = digits if digits in {str(number) for number in range(10, 20)} else f"{major}.{minor}"
    assert cuda_version(digits) == expected


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4))
def test_rocm_version_reads_digits_one_by_one(digits: list[int]) -> None:
    assert rocm_version("".join(map(str, digits))) == ".".join(map(str, digits))
