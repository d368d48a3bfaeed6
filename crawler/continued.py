"""Listings that go on over several answers, as the one page that they are.

It knows that each answer names the next one; it must not know formats. The answers are joined because what stands on
which of them changes with every file that is added: only the whole list says what is absent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawler.trip import settled
from wheels.errors import ChannelError
from wheels.page import Page, Shape

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawler.response import Response
    from crawler.trip import Trip

_MOST_ANSWERS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A listing, as far as it was read."""

    page: Page
    """All answers together, under the address of the first one; PARTIAL when the last one was not reached."""
    answers: int
    failed_url: str = ""
    error: ChannelError | None = None
    """Why an answer after the first one was not read."""


async def read_on(trip: Trip, first: Response, parse: Callable[[Response], Page], *, accept: str = "") -> Joined:
    """Read the answers that continue a first one.

    Args:
        trip: asks.
        first: the first answer.
        parse: reads one answer; its ``next_url`` leads on.
        accept: the ``Accept`` header.
    """
    pages = [settled(parse(first), first)]
    asked, found_on, failure = {first.requested_url}, first, None
    following = pages[0].next_url
    while following and pages[-1].shape.usable and following not in asked and len(asked) < _MOST_ANSWERS:
        asked.add(following)
        trip.pages += 1
        try:
            found_on = await trip.ask(following, accept=accept, conditional=False, found_on=found_on)
        except ChannelError as error:
            failure = error
            break
        pages.append(settled(parse(found_on), found_on))
        following = pages[-1].next_url
    return Joined(
        page=_joined(pages, whole=following is None and failure is None),
        answers=len(pages),
        failed_url=following or "",
        error=failure,
    )


def _joined(pages: list[Page], *, whole: bool) -> Page:
    first = pages[0]
    if not first.shape.usable:
        return first
    assets = {asset.url: asset for page in reversed(pages) for asset in reversed(page.assets)}
    shape, reason = _verdict(pages, whole=whole)
    return replace(
        first,
        shape=shape,
        reason=reason,
        assets=tuple(reversed(assets.values())),
        links=tuple(dict.fromkeys(link for page in pages for link in page.links)),
        next_url=None,
        problems=tuple(dict.fromkeys(problem for page in pages for problem in page.problems)),
    )


def _verdict(pages: list[Page], *, whole: bool) -> tuple[Shape, str]:
    doubtful = next((page for page in pages if not page.shape.complete), None)
    if doubtful is not None:
        return Shape.PARTIAL, doubtful.reason
    if not whole:
        return Shape.PARTIAL, "the listing goes on where it was not read"
    return next(((page.shape, page.reason) for page in pages if page.shape is Shape.OK), (Shape.EMPTY, pages[0].reason))
