"""Several requests abreast, their results in order.

It knows how many run at once; it must not know what they are.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterable
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Never, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable

T = TypeVar("T")


async def in_order(
    calls: Iterable[Callable[[], Awaitable[T]]] | AsyncIterable[Callable[[], Awaitable[T]]], width: int
) -> AsyncGenerator[T, None]:
    """Results in the order of the calls, of which at most ``width`` run at once.

    Args:
        calls: each makes its awaitable when its turn comes. Those of an asynchronous iterable are found while others
            run, and its failure comes after their results.
        width: from 1.
    """
    running: deque[asyncio.Future[T]] = deque()
    turns = _known_ahead(calls) if isinstance(calls, AsyncIterable) else _one_by_one(calls)
    try:
        async with aclosing(turns):
            async for call in turns:
                running.append(asyncio.ensure_future(call()))
                if len(running) >= width:
                    yield await running[0]
                    running.popleft()
        while running:
            yield await running[0]
            running.popleft()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _known_ahead(
    calls: AsyncIterable[Callable[[], Awaitable[T]]],
) -> AsyncGenerator[Callable[[], Awaitable[T]], None]:
    """The calls, found by a task of its own that need not wait for their turns; its failure is the last call's."""
    found: asyncio.Queue[Callable[[], Awaitable[T]] | None] = asyncio.Queue()

    async def find() -> None:
        async for call in calls:
            found.put_nowait(call)

    finding = asyncio.ensure_future(find())
    finding.add_done_callback(lambda _: found.put_nowait(None))
    try:
        while (call := await found.get()) is not None:
            yield call
        failure = finding.exception()
        if failure is not None:
            yield partial(_fail, failure)
    finally:
        finding.cancel()
        await asyncio.gather(finding, return_exceptions=True)


async def _one_by_one(calls: Iterable[Callable[[], Awaitable[T]]]) -> AsyncGenerator[Callable[[], Awaitable[T]], None]:
    for call in calls:
        yield call


async def _fail(error: BaseException) -> Never:
    raise error
