"""What the command-line library says of a wrong command line, in the program's own words, with a suggestion.

It knows the library's complaints by their shape, because some of its releases keep their classes private; it must not
know any command.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from wheelfind.command_line import PROGRAM_OPTIONS
from wheelfind.shorthands import known_shorthands
from wheels.errors import UsageError


def as_usage_error(problem: Any) -> UsageError:
    """A complaint of the command-line library as an error of ours.

    Args:
        problem: an exception with ``format_message``.
    """
    command = getattr(getattr(problem, "ctx", None), "command_path", "wheelfind") or "wheelfind"
    name = getattr(problem, "option_name", None)
    if name and type(problem).__name__ == "NoSuchOption":
        return UsageError(
            "understand", str(name), f"{command} has no such option", _suggest(str(name), problem, command)
        )
    if name and problem.format_message().rstrip(".").endswith("requires an argument"):
        return UsageError("understand", str(name), "it wants a value behind it", f"Like: {name} VALUE")
    reason = problem.format_message().rstrip(".").replace("\n", " ")
    return UsageError("run", command, reason[:1].lower() + reason[1:], f"Try: {command} --help")


def _suggest(name: str, problem: Any, command: str) -> str:
    known = [*_options_of(problem), *known_shorthands(), *sorted(PROGRAM_OPTIONS)]
    near = get_close_matches(name, dict.fromkeys(known), n=3, cutoff=0.7)
    return f"Did you mean {' or '.join(near)}?" if near else f"Try: {command} --help"


def _options_of(problem: Any) -> list[str]:
    command = getattr(getattr(problem, "ctx", None), "command", None)
    params = getattr(command, "params", ())
    return [word for param in params for word in (*param.opts, *param.secondary_opts) if word.startswith("-")]
