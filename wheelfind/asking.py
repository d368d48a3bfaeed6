"""From what people write to a :class:`wheels.fit.Query`: names normalised, versions read, nonsense refused.

It knows every spelling that a filter takes; it must not know the catalog, nor which command asks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from wheelfind.durations import read_since
from wheelfind.shorthands import ACCELERATORS, cuda_version, rocm_version
from wheels.errors import UsageError
from wheels.fit import Query
from wheels.gpu_target import parse_target
from wheels.interpreter import parse_interpreter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from wheelfind.machine import Machine

_OS = {name: name for name in ("linux", "musllinux", "windows", "macos", "android", "ios", "emscripten", "any")} | {
    "win": "windows",
    "win32": "windows",
    "darwin": "macos",
    "macosx": "macos",
    "osx": "macos",
    "mac": "macos",
    "manylinux": "linux",
    "pyodide": "emscripten",
}
_ARCH = {"amd64": "x86_64", "x64": "x86_64", "x86-64": "x86_64", "arm64": "aarch64", "win32": "i686", "x86": "i686"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """The filters of `find` as they were written; None or empty asks nothing.

    What each means, the help of its option says.
    """

    cuda: list[str] | None = None
    rocm: list[str] | None = None
    accelerator: list[str] | None = None
    torch: list[str] | None = None
    python: list[str] | None = None
    os: list[str] | None = None
    arch: list[str] | None = None
    glibc: list[str] | None = None
    cxx11abi: list[bool] | None = None
    sm: list[str] | None = None
    channel: list[str] | None = None
    tag: list[str] | None = None
    since: str | None = None
    loads_with: list[str] | None = None
    here: bool = False
    exact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageSpec:
    """A package and the versions wanted of it."""

    name: str
    """Normalised (PEP 503), or a glob."""
    spec: str
    """PEP 440 specifier set; empty for any version."""


_PACKAGE = re.compile(r"\s*([A-Za-z0-9*?](?:[A-Za-z0-9._*?-]*[A-Za-z0-9*?])?)\s*(?:\[[^\]]*\])?\s*(\(?)(.*?)(\)?)\s*")


def read_package(text: str) -> PackageSpec:
    """A package name with an optional version specifier: ``sgl_kernel``, ``torch>=2.9,<2.10``.

    Args:
        text: as typed; extras are ignored.

    Raises:
        UsageError: it is no package name, or what follows is no PEP 440 specifier.
    """
    match = _PACKAGE.fullmatch(text)
    if match is None or bool(match[2]) != bool(match[4]):
        raise UsageError("read the package", _shown(text), "it is no package name", "Like: sgl_kernel or torch==2.9.1")
    name = re.sub(r"[-_.]+", "-", match[1]).lower()  # PEP 503
    return PackageSpec(name=name, spec=_read_spec(match[3], text))


def _read_spec(spec: str, text: str) -> str:
    if not spec:
        return ""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415 - most questions name no version

    try:
        return str(SpecifierSet(spec))
    except InvalidSpecifier:
        reason = f"{_shown(spec)} is no version specifier"
        raise UsageError("read the package", _shown(text), reason, "Like: torch==2.9.1, torch>=2.9,<2.11") from None


def _shown(text: str) -> str:
    return ascii(text)[1:-1] or "''"


def read_query(
    package: PackageSpec,
    filters: Filters,
    *,
    aliases: Callable[[str], Sequence[str]],
    now: datetime,
    machine: Machine | None = None,
) -> Query:
    """A query from a package and the filters as written.

    Args:
        package: whose wheels.
        filters: as written.
        aliases: other names of a package, itself first.
        now: what a relative ``--since 7d`` counts back from.
        machine: this machine, for ``here``; what a filter says holds over it.

    Raises:
        UsageError: a filter's value cannot be read.
    """
    facts: dict[str, Any] = _of_machine(machine, filters) if machine else {}
    for name, read in _READERS.items():
        if values := getattr(filters, name):
            facts[name] = tuple(dict.fromkeys(read(value) for value in values))
    return Query(
        **facts,
        packages=tuple(aliases(package.name)),
        spec=package.spec,
        cxx11abi=tuple(dict.fromkeys(filters.cxx11abi or ())),
        since=read_since(filters.since, now) if filters.since else "",
        exact=filters.exact,
    )


def _of_machine(machine: Machine, filters: Filters) -> dict[str, object]:
    names = ("python", "os", "arch", "glibc")
    facts: dict[str, object] = {name: (value,) for name in names if (value := getattr(machine, name))}
    facts["driver_cuda"] = "" if filters.cuda else machine.driver_cuda or ""
    facts["installed_torch"] = "" if filters.torch else _release_part(machine.torch or "")
    return facts


def _read_cuda(text: str) -> str:
    match = re.fullmatch(r"(?:cu(?:da)?)?[-_ ]?(\d{1,3}|\d{1,2}(?:\.\d+)+)(?:\.[x*])?", text.strip().lower(), re.ASCII)
    if match is None:
        raise _wrong("--cuda", text, "it is no CUDA version", "Like: 13.0, 130, or 13 for any 13.x")
    return cuda_version(match[1])


def _read_rocm(text: str) -> str:
    match = re.fullmatch(r"(?:rocm)?[-_ ]?(\d+(?:\.\w+)*)", text.strip().lower(), re.ASCII)
    if match is None:
        raise _wrong("--rocm", text, "it is no ROCm version", "Like: 6.4 or 64")
    return rocm_version(match[1])


def _read_accelerator(text: str) -> str:
    return _one_of("--accelerator", text, {name: name for name in ACCELERATORS})


def _read_torch(text: str) -> str:
    word = text.strip().lower().removeprefix("torch").lstrip("=v ")
    if not re.match(r"\d", word):
        raise _wrong("--torch", text, "it is no torch version", "Like: 2.9 or 2.9.1")
    return _release_part(word)


def _release_part(version: str) -> str:
    """``2.13.0`` of ``2.13.0.dev20260610+cu130``: what labels name."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    return match[0] if match else ""


def _read_python(text: str) -> str:
    if parse_interpreter(text) is None:
        raise _wrong("--python", text, "it is no Python version", "Like: 3.12, cp312, 3.13t or pp310")
    return text.strip().lower()


def _read_os(text: str) -> str:
    return _one_of("--os", text, _OS)


def _read_arch(text: str) -> str:
    word = text.strip().lower()
    if not re.fullmatch(r"[a-z0-9_-]+", word):
        raise _wrong("--arch", text, "it is no architecture", "Like: x86_64 or aarch64")
    return _ARCH.get(word, word)


def _read_glibc(text: str) -> str:
    if not re.fullmatch(r"\d+\.\d+(?:\.\d+)*", text.strip()):
        raise _wrong("--glibc", text, "it is no glibc version", "Like: 2.28; `ldd --version` says yours")
    return text.strip()


def _read_sm(text: str) -> str:
    if parse_target(text) is None:
        raise _wrong("--sm", text, "it is no GPU target", "Like: 120 (capability 12.0), 90a or gfx942")
    return text.strip().lower()


def _read_loads_with(text: str) -> str:
    match = re.fullmatch(r"(?:torch\s*==?\s*)?(\d[\w.+!-]*)", text.strip().lower(), re.ASCII)
    if match is None:
        raise _wrong("--loads-with", text, "it names no torch build", "Like: torch==2.9.1")
    return f"torch=={match[1]}"


def _one_of(option: str, text: str, known: dict[str, str]) -> str:
    value = known.get(text.strip().lower())
    if value is None:
        raise _wrong(option, text, "there is no such value", f"One of: {', '.join(dict.fromkeys(known.values()))}")
    return value


def _wrong(option: str, text: str, reason: str, hint: str) -> UsageError:
    return UsageError(f"read {option}", _shown(text), reason, hint)


_READERS: dict[str, Callable[[str], str]] = {
    "cuda": _read_cuda,
    "rocm": _read_rocm,
    "accelerator": _read_accelerator,
    "torch": _read_torch,
    "python": _read_python,
    "os": _read_os,
    "arch": _read_arch,
    "glibc": _read_glibc,
    "sm": _read_sm,
    "channel": str,
    "tag": str,
    "loads_with": _read_loads_with,
}


def shown_query(query: Query) -> dict[str, object]:
    """A query for JSON: every filter is there, one that asks nothing is empty.

    Args:
        query: as it was judged.
    """
    values = {field.name: getattr(query, field.name) for field in fields(query)}
    return {"package": query.packages[0] if query.packages else None} | {
        name: list(value) if isinstance(value, tuple) else value for name, value in values.items()
    }


def shown_filters(query: Query) -> str:
    """The filters of a query as options: ``--cuda 13.0 --arch x86_64``.

    Args:
        query: as it was judged.
    """
    words = []
    for field in fields(query):
        value = getattr(query, field.name)
        if field.name in {"packages", "driver_cuda", "installed_torch"} or not value:
            continue
        option = "version" if field.name == "spec" else f"--{field.name.replace('_', '-')}"
        values = value if isinstance(value, tuple) else (value,)
        words += [option if one is True else f"{option} {one}" for one in values]
    return " ".join(words).replace("--cxx11abi False", "--no-cxx11abi")
