"""Several requests abreast, their results in order.

It knows how many run at once; it must not know what they are.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable

T = TypeVar("T")


async def in_order(
    calls: Iterable[Callable[[], Awaitable[T]]] | AsyncIterable[Callable[[], Awaitable[T]]], width: int
) -> AsyncGenerator[T, None]:
    """Results in the order of the calls, of which at most ``width`` run at once.

    Args:
        calls: each makes its awaitable when its turn comes; those that ask for pages themselves are waited for while
            earlier calls run.
        width: from 1.
    """
    running: deque[asyncio.Future[T]] = deque()
    try:
        async for call in _awaited(calls):
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


async def _awaited(items: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item
