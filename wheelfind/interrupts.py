"""Ctrl-C and SIGTERM: the first asks the running work to stop after the page in hand, the second ends the process.

It knows signals and one asyncio task; it must not know what the task does.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

Result = TypeVar("Result")


class Interrupted(SystemExit):
    """The work was stopped by a signal; unless somebody catches it, the program ends with the shell's status for that.

    Args:
        number: the signal's number.
    """

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.number = number


def run_interruptible(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine until it ends or a signal cancels it.

    Args:
        work: its awaits are the points at which it can be stopped.

    Returns:
        What the coroutine returns.

    Raises:
        Interrupted: SIGINT or SIGTERM came; the coroutine has cleaned up.
    """
    stopped_by: list[int] = []

    async def main() -> Result:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()

        def stop(number: int) -> None:
            stopped_by.append(number)
            loop.remove_signal_handler(number)  # the default action again: a second signal ends the process
            task.cancel()

        with contextlib.suppress(
            NotImplementedError, ValueError
        ):  # Windows, or not the main thread: Ctrl-C still ends it
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, stop, number)
        return await task

    try:
        return asyncio.run(main())
    except (asyncio.CancelledError, KeyboardInterrupt):
        raise Interrupted(stopped_by[0] if stopped_by else signal.SIGINT) from None
