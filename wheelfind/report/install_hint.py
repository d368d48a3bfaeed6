"""How to install the first wheel of an answer, or why that is not said.

It knows when the first is one build among several; it must not know how a command is quoted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wheelfind.console import visible
from wheelfind.report.installing import write_command
from wheels.errors import WheelfindError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wheelfind.answer import Answer
    from wheels.wheel import Wheel


def install_lines(answer: Answer) -> Iterator[str]:
    """Lines for people who want the first wheel.

    Builds of one version for different accelerators are no order of age: without a filter none of them is "the newest"
    (hazard A35).

    Args:
        answer: one with wheels.
    """
    if builds := open_builds(answer):
        yield f"{builds[0]} is built for {builds[1]}; choose one, say by {builds[2]}"
        return
    first = answer.wheels[0]
    try:
        yield f"install the first: {write_command(first, 'uv')}"
        yield f"or, without uv:    {write_command(first, 'pip')}"
    except WheelfindError as refused:
        yield f"the first cannot be installed by its URL: {refused.reason}"


def open_builds(answer: Answer) -> tuple[str, str, str] | None:
    """The newest version, the builds among which the query does not choose, and a filter that would.

    Args:
        answer: one with wheels.

    Returns:
        Texts; None when there is only one build, or the query chooses.
    """
    first = answer.wheels[0]
    alike = (wheel for wheel in answer.wheels if (wheel.package, wheel.version) == (first.package, first.version))
    builds = sorted({_build_of(wheel) for wheel in alike})
    if len(builds) == 1 or _chooses(answer):
        return None
    return visible(first.version or ""), ", ".join(builds), _example(builds)


def _chooses(answer: Answer) -> bool:
    query = answer.query
    return bool(query.cuda or query.rocm or query.accelerator)


def _build_of(wheel: Wheel) -> str:
    version = {"cuda": wheel.cuda, "rocm": wheel.rocm}.get(wheel.accelerator or "")
    return f"{wheel.accelerator or 'anything unsaid'} {version or ''}".strip()


def _example(builds: list[str]) -> str:
    said = next((build for build in builds if build != "anything unsaid"), "")
    name, _, version = said.partition(" ")
    return f"--{name} {version}" if version else f"--accelerator {name}"
