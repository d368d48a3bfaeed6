"""What fits a query, and the reason when it does not.

It knows the filters of the surface and the facts of one wheel; it must not know where wheels come from, nor whether a
fitting one is shown (pre-releases, yanked and vanished files are decided where answers are made).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from wheels.gpu_target import match_target
from wheels.interpreter import match_tags, parse_interpreter
from wheels.wheel import Wheel


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked of a wheel.

    Values of one filter are alternatives, different filters hold together; an empty one asks nothing.
    """

    packages: tuple[str, ...] = ()
    """Normalised names or globs, aliases included."""
    spec: str = ""
    """PEP 440 specifier set of the version."""
    cuda: tuple[str, ...] = ()
    """``13.0``, or ``13`` for any 13.x."""
    rocm: tuple[str, ...] = ()
    accelerator: tuple[str, ...] = ()
    torch: tuple[str, ...] = ()
    """Component prefixes: ``2.9`` and ``2.9.1`` match each other, ``2.1`` and ``2.10`` do not."""
    python: tuple[str, ...] = ()
    """Interpreters, as :func:`wheels.interpreter.parse_interpreter` reads them."""
    os: tuple[str, ...] = ()
    """Names of the surface, and ``musllinux``."""
    arch: tuple[str, ...] = ()
    glibc: tuple[str, ...] = ()
    """glibc of the machine: wheels that need this or less."""
    cxx11abi: tuple[bool, ...] = ()
    sm: tuple[str, ...] = ()
    channel: tuple[str, ...] = ()
    """Names or globs."""
    tag: tuple[str, ...] = ()
    """Globs of the release tag or directory."""
    since: str = ""
    """UTC, ISO 8601; uploaded (or, where that is unknown, built) then or later."""
    loads_with: tuple[str, ...] = ()
    """Torch builds that a stored verdict must call loading."""
    exact: bool = False
    """A wheel that says less than was asked (``cu13`` for 13.0) does not match."""
    driver_cuda: str = ""
    """Newest CUDA that this machine's driver runs; only a contradiction refuses."""
    installed_torch: str = ""
    """Torch that is installed here; only a contradiction refuses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """Why a wheel does not fit: one filter's refusal."""

    filter: str
    """The filter's name on the surface, ``cuda``, ``cxx11abi`` …"""
    asked: str
    """Its values, joined by `` or ``."""
    found: str
    """What the wheel says; ``unknown`` when it says nothing."""

    @property
    def reason(self) -> str:
        """The refusal as a phrase."""
        return f"{self.filter} is {self.found}, not {self.asked}"


def judge(wheel: Wheel, query: Query) -> Misfit | None:
    """The first filter that refuses the wheel; None when it fits.

    Unknown never matches a filter, except an unknown glibc and a partly read list of GPU targets.
    """
    for rule in _active_rules(query):
        if misfit := rule(wheel, query):
            return misfit
    return None


def judge_fully(wheel: Wheel, query: Query) -> tuple[Misfit, ...]:
    """Every filter that refuses the wheel, in the order of :data:`FILTERS`."""
    return tuple(misfit for rule in _active_rules(query) if (misfit := rule(wheel, query)))


@lru_cache(maxsize=16)
def _active_rules(query: Query) -> tuple[_Rule, ...]:
    return tuple(rule for name, rule in _RULES if getattr(query, name))


def _misfit(name: str, asked: tuple[str, ...], found: str | None) -> Misfit:
    return Misfit(filter=name, asked=" or ".join(asked), found=found or "unknown")


def _fit_package(wheel: Wheel, query: Query) -> Misfit | None:
    name = wheel.package or ""
    if any(fnmatchcase(name, pattern) for pattern in query.packages):
        return None
    return _misfit("package", query.packages, name)


def _fit_version(wheel: Wheel, query: Query) -> Misfit | None:
    version = wheel.version and (f"{wheel.version}+{wheel.local}" if wheel.local else wheel.version)
    if version and _contains(query.spec, version):
        return None
    return _misfit("version", (query.spec,), version)


@lru_cache(maxsize=4096)
def _contains(spec: str, version: str) -> bool:
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415 - most questions name no version: spare them the import
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415 - as above

    try:
        return SpecifierSet(spec).contains(Version(version), prereleases=True)
    except InvalidVersion:
        return False


def _fit_cuda(wheel: Wheel, query: Query) -> Misfit | None:
    if wheel.cuda and any(_match_parts(wheel.cuda, asked, exact=query.exact) for asked in query.cuda):
        return None
    return _misfit("cuda", query.cuda, wheel.cuda)


def _fit_rocm(wheel: Wheel, query: Query) -> Misfit | None:
    if wheel.rocm and any(_match_parts(wheel.rocm, asked, exact=query.exact) for asked in query.rocm):
        return None
    return _misfit("rocm", query.rocm, wheel.rocm)


def _fit_torch(wheel: Wheel, query: Query) -> Misfit | None:
    if wheel.torch and any(_match_parts(wheel.torch, asked, exact=False) for asked in query.torch):
        return None
    return _misfit("torch", query.torch, wheel.torch)


def _match_parts(said: str, asked: str, *, exact: bool) -> bool:
    """Whether one is a component prefix of the other; with ``exact`` only the asked one may be the shorter."""
    ours, theirs = said.split("."), asked.split(".")
    length = len(theirs) if exact else min(len(ours), len(theirs))
    return ours[:length] == theirs[:length]


def _fit_accelerator(wheel: Wheel, query: Query) -> Misfit | None:
    if wheel.accelerator in query.accelerator:
        return None
    return _misfit("accelerator", query.accelerator, wheel.accelerator)


def _fit_python(wheel: Wheel, query: Query) -> Misfit | None:
    interpreters = (parse_interpreter(asked) for asked in query.python)
    python, abi = wheel.python or (), wheel.abi or ()
    if any(interpreter and match_tags(interpreter, python, abi) for interpreter in interpreters):
        return None
    return _misfit("python", query.python, "-".join(".".join(tags) for tags in (python, abi) if tags))


def _fit_os(wheel: Wheel, query: Query) -> Misfit | None:
    systems = set(wheel.os or ())
    if "any" in systems or systems.intersection(query.os) or ("musllinux" in query.os and _is_musl(wheel)):
        return None
    return _misfit("os", query.os, ", ".join(sorted(systems)))


def _is_musl(wheel: Wheel) -> bool:
    return any(tag.startswith("musllinux") for tag in wheel.platform or ())


def _fit_arch(wheel: Wheel, query: Query) -> Misfit | None:
    machines = set(wheel.arch or ())
    takes = {"any", *query.arch}
    if takes & {"x86_64", "aarch64"}:
        takes.add("universal2")
    if machines & takes:
        return None
    return _misfit("arch", query.arch, ", ".join(sorted(machines)))


def _fit_glibc(wheel: Wheel, query: Query) -> Misfit | None:
    if wheel.glibc is None:
        return _fit_glibc_unsaid(wheel, query)
    if any(_numbers(wheel.glibc) <= _numbers(asked) for asked in query.glibc):
        return None
    return _misfit("glibc", query.glibc, wheel.glibc)


def _fit_glibc_unsaid(wheel: Wheel, query: Query) -> Misfit | None:
    # Unknown (`linux_x86_64`) passes and is shown as unknown; a wheel for another C library or system is not unknown.
    other = set(wheel.os or ("linux",)).isdisjoint({"linux", "any"}) or (wheel.platform and _all_musl(wheel))
    return _misfit("glibc", query.glibc, "none") if other else None


def _all_musl(wheel: Wheel) -> bool:
    return all(tag.startswith("musllinux") for tag in wheel.platform or ())


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())


def _fit_cxx11abi(wheel: Wheel, query: Query) -> Misfit | None:
    if wheel.cxx11abi is not None and wheel.cxx11abi in query.cxx11abi:
        return None
    found = None if wheel.cxx11abi is None else str(wheel.cxx11abi).lower()
    return _misfit("cxx11abi", tuple(str(asked).lower() for asked in query.cxx11abi), found)


def _fit_sm(wheel: Wheel, query: Query) -> Misfit | None:
    targets = wheel.sm or ()
    if any(match_target(built, gpu) for built in targets for gpu in query.sm) or wheel.sm_read == "partial":
        return None
    return _misfit("sm", query.sm, ", ".join(targets))


def _fit_channel(wheel: Wheel, query: Query) -> Misfit | None:
    # Repositories and hosts are the same in any case.
    if any(fnmatchcase(wheel.channel.lower(), pattern.lower()) for pattern in query.channel):
        return None
    return _misfit("channel", query.channel, wheel.channel)


def _fit_tag(wheel: Wheel, query: Query) -> Misfit | None:
    if wheel.tag is not None and any(fnmatchcase(wheel.tag, pattern) for pattern in query.tag):
        return None
    return _misfit("tag", query.tag, wheel.tag)


def _fit_since(wheel: Wheel, query: Query) -> Misfit | None:
    when = wheel.uploaded_at or wheel.date
    # ISO 8601 in UTC sorts as text; a bare date is compared as a date.
    if when and when >= query.since[: len(when)]:
        return None
    return _misfit("since", (query.since,), when)


def _fit_loads_with(wheel: Wheel, query: Query) -> Misfit | None:
    del wheel  # No verdict is kept in a wheel's own row yet, and unknown never matches.
    return _misfit("loads-with", query.loads_with, None)


def _fit_driver(wheel: Wheel, query: Query) -> Misfit | None:
    # A driver runs its own CUDA major and older ones (CUDA compatibility guide, minor version compatibility).
    if wheel.cuda is None or _numbers(wheel.cuda)[:1] <= _numbers(query.driver_cuda)[:1]:
        return None
    return _misfit("driver", (f"at most {query.driver_cuda}",), f"for CUDA {wheel.cuda}")


def _fit_installed_torch(wheel: Wheel, query: Query) -> Misfit | None:
    if wheel.torch is None or _match_parts(wheel.torch, query.installed_torch, exact=False):
        return None
    return _misfit("torch", (f"{query.installed_torch} (installed here)",), wheel.torch)


_Rule = Callable[[Wheel, Query], Misfit | None]
_RULES: tuple[tuple[str, _Rule], ...] = (
    ("packages", _fit_package),
    ("spec", _fit_version),
    ("cuda", _fit_cuda),
    ("rocm", _fit_rocm),
    ("accelerator", _fit_accelerator),
    ("torch", _fit_torch),
    ("python", _fit_python),
    ("os", _fit_os),
    ("arch", _fit_arch),
    ("glibc", _fit_glibc),
    ("cxx11abi", _fit_cxx11abi),
    ("sm", _fit_sm),
    ("channel", _fit_channel),
    ("tag", _fit_tag),
    ("since", _fit_since),
    ("loads_with", _fit_loads_with),
    ("driver_cuda", _fit_driver),
    ("installed_torch", _fit_installed_torch),
)


def filters_of(query: Query) -> Iterator[str]:
    """Names of the filters that the query sets, in the order in which they are judged."""
    return (name for name, _ in _RULES if getattr(query, name))
