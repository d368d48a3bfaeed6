"""Which command a command line calls: words in any order, a package name alone means `find`.

It knows the names of commands and of options that take a value; it must not know what any of them does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wheels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMMANDS = ("find", "crawl", "channels", "parse", "sql", "show", "changes", "download", "db")
PROGRAM_OPTIONS = frozenset(
    {
        "--version",
        "--help",
        "-h",
        "--install-completion",
        "--show-completion",
        "--db",
        "--verbose",
        "-v",
        "--quiet",
        "-q",
    }
)
"""Options that the program takes without any command."""
LATER = (
    "inspect",
    "diff",
    "check",
    "why",
    "stack",
    "builds",
    "doctor",
    "watch",
    "serve",
    "export",
    "lint",
    "worker",
    "mcp",
)
"""Names that are kept for commands to come."""

_COMPLETION = frozenset({"--install-completion", "--show-completion"})

VALUE_OPTIONS = frozenset(
    {
        "--accelerator",
        "--accept-vanish",
        "-f",
        "-o",
        "--arch",
        "--channel",
        "--columns",
        "--cuda",
        "--db",
        "--every",
        "--format",
        "--glibc",
        "--jobs",
        "--limit",
        "--log-format",
        "--loads-with",
        "--max-age",
        "--max-releases",
        "--newest-per",
        "--os",
        "--output",
        "--package",
        "--python",
        "--record",
        "--replay",
        "--rocm",
        "--since",
        "--sm",
        "--sort",
        "--tag",
        "--timeout",
        "--torch",
    }
)
"""Options whose value is the next word, over all commands: a name has the same shape everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A command and its own words."""

    command: str | None
    """None: no word at all, only options of the program itself."""
    words: tuple[str, ...]
    """The rest, in their order."""


def read_call(words: Sequence[str], *, is_package: PackageTest | None = None) -> Call:
    """The command that a command line calls.

    Args:
        words: the command line without the program's name.
        is_package: tells whether a word that looks like a command is a package that channels carry; asked only then.

    Raises:
        UsageError: the first word is close to a command's name, or is kept for a later command.
    """
    if words and words[0] in _COMPLETION:
        return Call(command=None, words=tuple(words))
    position = next(_positions(words), None)
    if position is None:
        filters = any(word.partition("=")[0] not in PROGRAM_OPTIONS for word in words if word.startswith("-"))
        return Call(command="find" if filters else None, words=tuple(words))
    word = words[position]
    if word in COMMANDS and "--" not in words[:position]:
        return Call(command=word, words=(*words[:position], *words[position + 1 :]))
    if "--" not in words[:position]:
        _refuse_near_command(word, is_package)
    return Call(command="find", words=tuple(words))


class PackageTest:
    """Asks whether a name is a package that the bundled channels carry."""

    def __call__(self, name: str) -> bool:
        """True when a bundled channel names it."""
        from crawler.channels import bundled_channels  # noqa: PLC0415 - asked only when a word resembles a command

        return any(name in channel.packages for channel in bundled_channels())


def _positions(words: Sequence[str]) -> Iterator[int]:
    """Where the words stand that are neither options nor their values."""
    skip = False
    for position, word in enumerate(words):
        if skip:
            skip = False
        elif word == "--":
            yield from range(position + 1, len(words))
            return
        elif word.startswith("-") and word != "-":
            skip = word in VALUE_OPTIONS
        else:
            yield position


def _refuse_near_command(word: str, is_package: PackageTest | None) -> None:
    if word in LATER:
        raise UsageError("run", word, "this command comes with a later version", _find_hint(word))
    if word == "help":
        raise UsageError("run", word, 'there is no such command; did you mean "--help"?', _find_hint(word))
    near = near_command(word)
    if near is None or (is_package is not None and is_package(word)):
        return
    later = " (which comes with a later version)" if near in LATER else ""
    raise UsageError("run", word, f'there is no such command; did you mean "{near}"{later}?', _find_hint(word))


def _find_hint(word: str) -> str:
    return f"To look for a package of that name: wheelfind find {word}"


def near_command(word: str) -> str | None:
    """The command that a word was probably meant to be; None when it is none, or a name with a version after it."""
    lowered = word.lower()
    near = (name for name in (*COMMANDS, *LATER) if _is_near(lowered, name))
    return min(near, key=lambda name: _slips(lowered, name), default=None)


def _is_near(word: str, name: str) -> bool:
    if word == name:
        return True
    if len(name) < 4:  # noqa: PLR2004 - longer words hold more slips
        return len(word) == len(name) and sorted(word) == sorted(name)
    return _slips(word, name) <= (2 if len(name) >= 7 else 1)  # noqa: PLR2004 - longer words hold more slips


def _slips(word: str, name: str) -> int:
    """Letters to add, drop, replace or swap (the optimal string alignment distance)."""
    before: list[int] = []
    row = list(range(len(name) + 1))
    for i, letter in enumerate(word, 1):
        older, before, row = before, row, [i]
        for j, wanted in enumerate(name, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if older and j > 1 and (letter, word[i - 2]) == (name[j - 2], wanted):
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]
