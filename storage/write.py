"""The writer: one observation in, one transaction, and what it changed.

It knows the order of writes for each kind of observation; it must not know columns. A kill at any point leaves whole
pages: what an observation says is stored entirely or not at all.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, assert_never

from storage.channel_rows import find_channel, find_or_make_channel, settle_identity
from storage.faults import translated
from storage.memory import read_memory
from storage.page_reading import confirm_page, store_failure, store_page, store_release_list
from storage.scope import Delta, Scope, written
from storage.walk_rows import end_walk
from wheels.observation import PageFailed, PageRead, PageUnchanged, ReleaseListRead, WalkEnded

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterator
    from datetime import datetime
    from pathlib import Path

    from wheels.observation import ChannelMemory, Observation

__all__ = ["Catalog", "Delta"]


class Catalog:
    """A catalog that is open for writing; ``storage.open.open_catalog`` makes it."""

    def __init__(self, connection: sqlite3.Connection, path: Path, clock: Callable[[], datetime]) -> None:
        self._db = connection
        self._path = path
        self._clock = clock
        self._run_id = 0
        self._accepted: frozenset[str] = frozenset()
        self._totals: dict[int, Delta] = {}

    # ------------------------------------------------------------------ runs

    def begin_run(self, command: str, at: datetime | None = None, accept_vanish: Collection[str] = ()) -> int:
        """Start a crawl's record. Runs that never ended were cut, and are marked so.

        Args:
            command: the command line, without secrets.
            at: UTC, aware; None: now.
            accept_vanish: channels whose mass vanish the user declares true.

        Returns:
            The run's id.

        Raises:
            CatalogError: the catalog cannot be written.
        """
        with self._transaction("begin a crawl in"):
            self._db.execute("UPDATE run SET status = 'cut' WHERE ended_at IS NULL AND status IS NULL")
            insert = "INSERT INTO run (command, started_at) VALUES (?, ?)"
            made = self._db.execute(insert, (command, written(at or self._clock())))
        self._run_id = made.lastrowid or 0
        self._accepted = frozenset(accept_vanish)
        self._totals.clear()
        return self._run_id

    def end_run(self, run_id: int, status: str, at: datetime | None = None) -> None:
        """Close a crawl's record.

        Args:
            run_id: from :meth:`begin_run`.
            status: ``ok``, ``failed``, ``interrupted`` …
            at: UTC, aware; None: now.

        Raises:
            CatalogError: the catalog cannot be written.
        """
        with self._transaction("end a crawl in"):
            update = "UPDATE run SET status = ?, ended_at = ? WHERE id = ?"
            self._db.execute(update, (status, written(at or self._clock()), run_id))

    # ------------------------------------------------------------------ what is known

    def memory(self, channel: str) -> ChannelMemory:
        """What the next walk of a channel needs to know; empty for a new channel.

        Raises:
            CatalogError: the catalog cannot be read.
        """
        with translated(self._path, "read the catalog"):
            return read_memory(self._db, channel)

    def live_wheels(self, channel: str) -> int:
        """How many wheels of a channel have not vanished.

        Raises:
            CatalogError: the catalog cannot be read.
        """
        select = """SELECT COUNT(*) FROM page p JOIN wheel w ON w.page_id = p.id
                    WHERE p.channel_id = ? AND w.vanished_at IS NULL"""
        with translated(self._path, "read the catalog"):
            return int(self._db.execute(select, (find_channel(self._db, channel),)).fetchone()[0])

    def close(self) -> None:
        """Close the file; SQLite folds its write-ahead log in."""
        self._db.close()

    # ------------------------------------------------------------------ observations

    def store(self, observation: Observation) -> Delta:
        """Keep one observation, in one transaction.

        Args:
            observation: what a walk saw; its time is the clock of rule R1.

        Returns:
            What it changed.

        Raises:
            DiskFull: no room; what was stored before stays.
            CatalogError: the catalog cannot be written.
        """
        with self._transaction("store a page in"):
            delta, channel_id = self._store(observation)
        self._totals[channel_id] = self._totals.get(channel_id, Delta()) + delta
        return delta

    @contextmanager
    def _transaction(self, tried: str) -> Iterator[None]:
        with translated(self._path, tried):
            self._db.execute(
                "BEGIN IMMEDIATE"
            )  # never upgraded from a read: that fails at once when another wrote (B40)
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                self._db.rollback()
                raise

    def _store(self, seen: Observation) -> tuple[Delta, int]:
        channel_id = find_or_make_channel(self._db, seen.channel)
        match seen:
            case PageRead():
                shown = (seen.page.repository, seen.page.repository_id)
                channel_id = settle_identity(self._db, channel_id, seen.channel, *shown)
                delta = store_page(self._scope(channel_id, seen.fetched_at), seen)
            case PageUnchanged():
                delta = confirm_page(self._scope(channel_id, seen.fetched_at), seen)
            case ReleaseListRead():
                shown = (seen.repository, seen.repository_id)
                channel_id = settle_identity(self._db, channel_id, seen.channel, *shown)
                store_release_list(self._scope(channel_id, seen.fetched_at), seen)
                delta = Delta()
            case PageFailed():
                delta = store_failure(self._scope(channel_id, seen.fetched_at), seen)
            case WalkEnded():
                scope = self._scope(channel_id, seen.ended_at or self._clock())
                before = self._totals.get(channel_id, Delta())
                delta = end_walk(scope, seen, before, accepted=channel_id in self._accepted_ids())
            case _:
                assert_never(seen)
        return delta, channel_id

    def _accepted_ids(self) -> set[int | None]:
        return {find_channel(self._db, name) for name in self._accepted}

    def _scope(self, channel_id: int, at: datetime) -> Scope:
        return Scope(db=self._db, channel_id=channel_id, run_id=self._run_id, at=written(at))
