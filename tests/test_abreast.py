from __future__ import annotations

import asyncio
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING

import pytest
from walkworld import awaited

from crawler.abreast import in_order
from wheels.errors import HttpStatus

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


async def after(number: int, turns: int, log: list[int]) -> int:
    for _ in range(turns):
        await asyncio.sleep(0)
    log.append(number)
    return number


@awaited
async def test_results_come_in_the_order_of_the_calls() -> None:
    log: list[int] = []
    calls = [partial(after, number, 10 - number, log) for number in range(10)]
    assert [each async for each in in_order(calls, 4)] == list(range(10))
    assert log != list(range(10))


@awaited
async def test_an_error_comes_in_its_turn_and_nothing_is_left_running() -> None:
    async def fail() -> int:
        raise HttpStatus("read", "x", "no")

    log: list[int] = []
    seen: list[int] = []

    calls: list[Callable[[], Awaitable[int]]] = [partial(after, 1, 5, log), fail, partial(after, 3, 99, log)]

    async def collect() -> None:
        async with aclosing(in_order(calls, 3)) as results:
            async for each in results:
                seen.append(each)  # noqa: PERF401 - what came before the error is wanted

    with pytest.raises(HttpStatus):
        await collect()
    assert seen == [1]
    assert len(asyncio.all_tasks()) == 1
