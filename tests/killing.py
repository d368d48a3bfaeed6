"""Kills a process in the middle of its SQL, as the out-of-memory killer would."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def count_statements(action: Callable[[sqlite3.Connection], object]) -> int:
    """How many SQL statements an action runs on a new database."""
    seen: list[str] = []
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.set_trace_callback(seen.append)
        action(db)
    return len(seen)


def kill_at_statement(path: Path, number: int, action: Callable[[sqlite3.Connection], object]) -> None:
    """Run an action in a child process that dies by SIGKILL before its statement of that number."""
    child = os.fork()
    if not child:
        try:
            db = sqlite3.connect(path, isolation_level=None)
            db.set_trace_callback(_Bomb(number))
            action(db)
        finally:
            os._exit(0)
    os.waitpid(child, 0)


class _Bomb:
    def __init__(self, number: int) -> None:
        self._left = number

    def __call__(self, _statement: str) -> None:
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1
