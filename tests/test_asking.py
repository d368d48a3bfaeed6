from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wheelfind.asking import Filters, PackageSpec, read_package, read_query, shown_query
from wheelfind.machine import Machine
from wheels.errors import UsageError

if TYPE_CHECKING:
    from wheels.fit import Query

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def ask(machine: Machine | None = None, /, **filters: Any) -> Query:
    package = PackageSpec(name="a", spec="")
    return read_query(package, Filters(**filters), aliases=lambda name: (name, "b"), now=NOW, machine=machine)


@pytest.mark.parametrize(
    ("text", "name", "spec"),
    [
        ("sgl_kernel", "sgl-kernel", ""),
        ("SGL.Kernel", "sgl-kernel", ""),
        ("torch==2.9.*", "torch", "==2.9.*"),
        ("torch >= 2.9", "torch", ">=2.9"),
        ("torch (>=2.9)", "torch", ">=2.9"),
        ("vllm[audio]==0.1", "vllm", "==0.1"),
        ("torch===2.9.0+cu130", "torch", "===2.9.0+cu130"),
        ("flash*", "flash*", ""),
    ],
)
def test_read_package(text: str, name: str, spec: str) -> None:
    package = read_package(text)
    assert (package.name, package.spec) == (name, spec)


@pytest.mark.parametrize(
    "text",
    ["", " ", "-x", "torch=2.9", "torch@https://x.test/y.whl", "torch=='", "a b", "torch==x", "тorch", "x' OR 1=1--"],
)
def test_read_package_refuses(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_package(text)
    assert str(refused.value).isascii()
    assert refused.value.hint


@given(st.text(max_size=20))
def test_read_package_takes_any_text(text: str) -> None:
    with suppress(UsageError):
        assert read_package(text).name.isascii()


@pytest.mark.parametrize(
    ("name", "written", "read"),
    [
        ("cuda", ["13.0", "130", "cu130", "cuda13.0.1"], ("13.0",)),
        ("cuda", ["13", "13.x", "cu13"], ("13",)),
        ("cuda", ["118", "9.2"], ("11.8", "9.2")),
        ("rocm", ["64", "6.4", "rocm6.4"], ("6.4",)),
        ("accelerator", ["CPU", "xpu"], ("cpu", "xpu")),
        ("torch", ["2.9", "torch==2.9.1", "2.13.0.dev20260610+cu130"], ("2.9", "2.9.1", "2.13.0")),
        ("python", ["3.12", "cp313t"], ("3.12", "cp313t")),
        ("os", ["win", "darwin", "linux", "musllinux"], ("windows", "macos", "linux", "musllinux")),
        ("arch", ["amd64", "arm64", "riscv64"], ("x86_64", "aarch64", "riscv64")),
        ("glibc", ["2.28"], ("2.28",)),
        ("sm", ["120", "sm_90a", "12.0"], ("120", "sm_90a", "12.0")),
        ("channel", ["sgl-project/*"], ("sgl-project/*",)),
        ("tag", ["nightly-*"], ("nightly-*",)),
        ("loads_with", ["torch==2.9.1", "2.9.1"], ("torch==2.9.1",)),
        ("cxx11abi", [True, False, True], (True, False)),
    ],
)
def test_read_query_reads_every_spelling(name: str, written: list[Any], read: tuple[Any, ...]) -> None:
    assert getattr(ask(**{name: written}), name) == read


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cuda", "abc"),
        ("cuda", ""),
        ("cuda", "13.0; drop"),
        ("cuda", "1281"),
        ("rocm", "six"),
        ("accelerator", "gpu"),
        ("torch", "nightly"),
        ("python", "three"),
        ("os", "templeos"),
        ("arch", "x86 64"),
        ("glibc", "2"),
        ("sm", "blackwell"),
        ("loads_with", "vllm==1"),
    ],
)
def test_read_query_refuses_what_it_cannot_read(name: str, value: str) -> None:
    with pytest.raises(UsageError) as refused:
        ask(**{name: [value]})
    assert name.replace("_", "-") in str(refused.value)
    assert refused.value.hint


def test_read_query_asks_for_every_name_of_the_package() -> None:
    assert ask().packages == ("a", "b")


HERE = Machine(python="3.12", os="linux", arch="x86_64", glibc="2.36", driver_cuda="13.0", torch="2.9.1+cu130")


def test_here_asks_for_what_the_machine_is() -> None:
    query = ask(HERE)
    assert (query.python, query.os, query.arch, query.glibc) == (("3.12",), ("linux",), ("x86_64",), ("2.36",))
    assert (query.driver_cuda, query.installed_torch) == ("13.0", "2.9.1")


def test_here_gives_way_to_what_is_said() -> None:
    query = ask(HERE, python=["3.13"], cuda=["12.8"], torch=["2.8"])
    assert (query.python, query.driver_cuda, query.installed_torch) == (("3.13",), "", "")


def test_here_asks_nothing_about_what_the_machine_does_not_say() -> None:
    assert ask(Machine()) == ask()


def test_shown_query_has_every_filter() -> None:
    shown = shown_query(ask(cuda=["130"]))
    assert (shown["package"], shown["cuda"], shown["torch"], shown["spec"]) == ("a", ["13.0"], [], "")
