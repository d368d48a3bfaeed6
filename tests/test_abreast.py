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
    from collections.abc import AsyncGenerator, Awaitable, Callable


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


@awaited
async def test_calls_that_are_found_while_others_run_are_found_ahead_of_their_turns() -> None:
    log: list[int] = []
    found: list[int] = []

    async def find() -> AsyncGenerator[Callable[[], Awaitable[int]], None]:
        for number in range(10):
            await asyncio.sleep(0)
            found.append(number)
            yield partial(after, number, 40, log)

    async with aclosing(in_order(find(), 2)) as results:
        assert await anext(results) == 0
        assert len(found) == 10
        assert [each async for each in results] == list(range(1, 10))


@awaited
async def test_an_error_while_calls_are_found_comes_after_the_results_of_earlier_ones() -> None:
    log: list[int] = []
    seen: list[int] = []

    async def find() -> AsyncGenerator[Callable[[], Awaitable[int]], None]:
        for number in range(3):
            yield partial(after, number, 5, log)
        raise HttpStatus("read", "x", "no")

    async def read() -> None:
        async for each in in_order(find(), 4):
            seen.append(each)  # noqa: PERF401 - what came before the error counts

    with pytest.raises(HttpStatus):
        await read()
    assert seen == [0, 1, 2]
