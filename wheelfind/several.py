"""Several questions, one answer: each package is judged by itself, all are shown together.

It knows how answers are joined and which row stands for a value; it must not know how one package is answered.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from wheelfind.answer import Answer, Hidden
from wheelfind.finding import Showing, find_wheels
from wheelfind.folding import fold
from wheelfind.ordering import in_order, newest_first
from wheels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from wheelfind.finding import Source
    from wheels.fit import Query
    from wheels.wheel import Wheel

_VALUES: dict[str, Callable[[Wheel], Iterable[Any]]] = {
    "cuda": lambda wheel: (wheel.cuda,),
    "torch": lambda wheel: (wheel.torch,),
    "python": lambda wheel: wheel.python or (None,),
    "package": lambda wheel: (wheel.package,),
}


def check_newest_per(name: str) -> str:
    """A valid value of ``--newest-per``.

    Args:
        name: as given.

    Raises:
        UsageError: there is no such fact to choose by.
    """
    if name not in _VALUES:
        raise UsageError(
            "choose the newest per", ascii(name)[1:-1], "there is no such choice", f"One of: {', '.join(_VALUES)}"
        )
    return name


def find_each(
    queries: Sequence[Query], showing: Showing, source: Source, newest_per: str | None = None
) -> list[Answer]:
    """The answer of each query by itself.

    Args:
        queries: one a package or pattern.
        showing: what is shown of what fits.
        source: where wheels come from.
        newest_per: show only the newest row of each value of this fact, for each package; None: all.
    """
    wide = replace(showing, limit=None) if newest_per or len(queries) > 1 else showing
    answers = [find_wheels(query, wide, source) for query in queries]
    return [_newest(answer, newest_per) for answer in answers] if newest_per else answers


def _newest(answer: Answer, fact: str) -> Answer:
    several = any(set(name) & set("*?[") for name in answer.query.packages)
    kept: dict[tuple[Any, Any], str] = {}
    for wheel in newest_first(answer.wheels):
        for value in _VALUES[fact](wheel):
            kept.setdefault((wheel.package if several else None, value), wheel.url)
    wheels = tuple(wheel for wheel in answer.wheels if wheel.url in kept.values())
    return replace(answer, wheels=wheels, matched=len(wheels))


def join(answers: Sequence[Answer], showing: Showing) -> Answer:
    """One answer of several: rows in one order, channels once, misses of what matched nothing.

    Args:
        answers: at least one.
        showing: the order and the limit.
    """
    if len(answers) == 1:
        [answer] = answers
        return replace(answer, wheels=answer.wheels[: showing.limit])
    # Questions may overlap (`'sgl*' sgl-kernel`): a row found twice is one.
    found = {(wheel.channel, wheel.tag, wheel.url): wheel for answer in answers for wheel in answer.wheels}
    wheels = fold(in_order(found.values(), showing.sort))
    channels = {channel.channel: channel for answer in answers for channel in answer.channels}
    return Answer(
        query=_joined_query([answer.query for answer in answers]),
        wheels=tuple(wheels[: showing.limit]),
        matched=len(wheels),
        nearest=tuple(miss for answer in answers for miss in answer.nearest),
        channels=tuple(channels[name] for name in sorted(channels)),
        hidden=_joined_hidden([answer.hidden for answer in answers]),
    )


def _joined_query(queries: Sequence[Query]) -> Query:
    names = dict.fromkeys(name for query in queries for name in query.packages)
    return replace(queries[0], packages=tuple(names), spec=", ".join(_specs(queries)))


def _specs(queries: Sequence[Query]) -> Iterator[str]:
    """Versions asked of single packages, ``torch==2.9.1``: the joined query is shown, not judged."""
    return (f"{query.packages[0]}{query.spec}" for query in queries if query.spec)


def _joined_hidden(hidden: Sequence[Hidden]) -> Hidden:
    return Hidden(
        prereleases=sum(one.prereleases for one in hidden),
        yanked=sum(one.yanked for one in hidden),
        vanished=sum(one.vanished for one in hidden),
    )
