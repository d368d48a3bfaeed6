"""The label grammar: what the words of a build label, tag or directory say.

It knows how labels are cut into words and how a word's digits are read; it must not know file names, nor which of
several sources wins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from wheels.label_tokens import TOKENS, Fact, Token
from wheels.torch_release import read_torch

_MAX_LENGTH = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What one text says. Nothing said is None or an empty tuple."""

    accelerator: str | None = None
    cuda: tuple[str, ...] = ()
    """Versions that contradict each other, as said; a finer one replaces the coarser (``12.9`` for ``12``)."""
    rocm: str | None = None
    torch: tuple[str, ...] = ()
    """Readings of what is said; several when the digits leave it open."""
    cxx11abi: bool | None = None
    commit: str | None = None
    date: str | None = None
    sm: tuple[str, ...] = ()


NOTHING = Facts()


@lru_cache(maxsize=8192)
def read_label(text: str) -> Facts:
    """What a label says, word by word; :data:`NOTHING` itself when it says nothing.

    Args:
        text: a local segment, build tag, release tag or directory name, in any case; cut after 4,096 characters.
    """
    found = _Found()
    for match in _SCANNER.finditer(text[:_MAX_LENGTH].lower()):
        token = _BY_GROUP.get(match.lastgroup or "")
        if token and token.says is not Fact.NOTHING:
            found.say(token.says, _value(token, match))
    return found.facts()


def unknown_words(text: str) -> tuple[str, ...]:
    """The words of a label that the grammar does not understand.

    Args:
        text: as for :func:`read_label`.
    """
    found = _SCANNER.finditer(text[:_MAX_LENGTH].lower())
    return tuple(match[0] for match in found if match.lastgroup == _UNKNOWN)


def agree(one: str, other: str) -> bool:
    """Whether two versions can both be true: ``12`` and ``12.8`` can, ``12.6`` and ``12.8`` cannot."""
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def finest_cuda(said: tuple[str, ...]) -> tuple[str, ...]:
    """The versions without those that a finer one says too; order kept."""
    kept: list[str] = []
    for value in said:
        place = next((i for i, other in enumerate(kept) if agree(value, other)), None)
        if place is None:
            kept.append(value)
        else:
            kept[place] = max(value, kept[place], key=len)
    return tuple(kept)


def _compile(tokens: tuple[Token, ...]) -> re.Pattern[str]:
    # One alternation; each token must end at a separator or where another token begins. The last alternative takes a
    # whole word that no token explains, so that tokens only ever start at a word's beginning or behind each other.
    end = rf"(?=[^0-9a-z]|$|{'|'.join(token.glue for token in tokens if token.glue)})"
    known = "|".join(f"(?P<{_group(i)}>(?:{token.pattern}){end})" for i, token in enumerate(tokens))
    return re.compile(rf"{known}|(?P<{_UNKNOWN}>[^\s/\\._+-]+)", re.ASCII)


def _group(index: int) -> str:
    return f"token{index}"


_UNKNOWN = "unknown"

_SCANNER = _compile(TOKENS)
_BY_GROUP = {_group(i): token for i, token in enumerate(TOKENS)}
_VALUE_GROUP = {t: _SCANNER.groupindex[name] + 1 for name, t in _BY_GROUP.items() if re.compile(t.pattern).groups}


def _value(token: Token, match: re.Match[str]) -> str:
    group = _VALUE_GROUP.get(token)
    return match[group] if group else token.value


@dataclass(slots=True)
class _Found:
    """Facts while they are gathered."""

    accelerators: list[str] = field(default_factory=list)
    cuda: list[str] = field(default_factory=list)
    sm: list[str] = field(default_factory=list)
    first: dict[Fact, str] = field(default_factory=dict)
    """What is said once; the first saying counts."""

    def say(self, fact: Fact, value: str) -> None:
        if fact in _IMPLIED:
            self.accelerators.append(_IMPLIED[fact])
        if fact is Fact.CUDA:
            self.cuda.append(read_cuda(value))
        elif fact in {Fact.SM, Fact.GFX}:
            self.sm.append(value)
        elif fact is Fact.ACCELERATOR:
            self.accelerators.append(value)
        elif fact is not Fact.DATE or (value := _read_date(value)):
            self.first.setdefault(fact, value)

    def facts(self) -> Facts:
        said = self.first
        if not (said or self.accelerators):
            return NOTHING
        return Facts(
            accelerator=self.accelerators[0] if self.accelerators else None,
            cuda=finest_cuda(tuple(self.cuda)),
            rocm=_read_rocm(said[Fact.ROCM]) if Fact.ROCM in said else None,
            torch=read_torch(said[Fact.TORCH]) if Fact.TORCH in said else (),
            cxx11abi=said[Fact.CXX11ABI] in {"true", "1"} if Fact.CXX11ABI in said else None,
            commit=said.get(Fact.COMMIT),
            date=said.get(Fact.DATE),
            sm=tuple(dict.fromkeys(self.sm)),
        )


_IMPLIED = {Fact.CUDA: "cuda", Fact.SM: "cuda", Fact.ROCM: "rocm", Fact.GFX: "rocm"}


def read_cuda(digits: str) -> str:
    """``128`` is 12.8, ``92`` is 9.2, ``12`` is 12: two digits from 10 to 19 are a major version."""
    major, dot, minor = digits.replace("_", ".").partition(".")
    if dot:
        return f"{major}.{minor}"
    size = 2 if digits[0] == "1" else 1
    return f"{digits[:size]}.{digits[size]}" if len(digits) > size else digits


def _read_rocm(digits: str) -> str:
    """Undotted digits one by one: ``700`` is 7.0.0; four digits hold a minor of two."""
    if not digits.isdigit():
        return digits.replace("_", ".")
    if len(digits) == 4:  # noqa: PLR2004 - 7101 is 7.10.1: ROCm versions have three parts
        return f"{digits[0]}.{digits[1:3]}.{digits[3]}"
    return ".".join(digits)


def _read_date(text: str) -> str:
    """ISO date; empty when there is no such day."""
    digits = text.replace(".", "").replace("_", "")
    try:
        return date(int(digits[:4]), int(digits[4:6]), int(digits[6:])).isoformat()
    except ValueError:
        return ""
