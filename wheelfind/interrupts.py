"""Ctrl-C and SIGTERM: the first asks the running work to stop after the page in hand, the second ends the process.

It knows signals and one asyncio task; it must not know what the task does.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

Result = TypeVar("Result")

STOPPING = (signal.SIGINT, signal.SIGTERM)


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
            for each in STOPPING:
                loop.remove_signal_handler(each)
                signal.signal(each, signal.SIG_DFL)  # a second signal ends the process at once
            task.cancel()

        with contextlib.suppress(NotImplementedError, ValueError):  # Windows, or not the main thread
            for number in STOPPING:
                loop.add_signal_handler(number, stop, number)
        return await task

    with _handlers_kept():
        try:
            return asyncio.run(main())
        except (asyncio.CancelledError, KeyboardInterrupt):
            raise Interrupted(stopped_by[0] if stopped_by else signal.SIGINT) from None


@contextmanager
def _handlers_kept() -> Iterator[None]:
    """An event loop that ends leaves the default handlers behind; the program's own come back."""
    before = {number: signal.getsignal(number) for number in STOPPING}
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # not the main thread: nothing was changed
            for number, handler in before.items():
                signal.signal(number, handler)
