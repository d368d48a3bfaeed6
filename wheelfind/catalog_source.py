"""A catalog as the source of answers: read-only, without ORM.

It knows how a query is narrowed to what the catalog can look up, and what a missing catalog answers; it must not
know SQL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage import search
from storage.open import exists, open_reader
from wheelfind.answer import Freshness, Holding

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from wheels.fit import Query
    from wheels.wheel import Wheel


class CatalogSource:
    """Wheels, freshness and holdings of one catalog.

    Args:
        connection: open for reading; None where there is no catalog yet, which holds nothing.
    """

    def __init__(self, connection: sqlite3.Connection | None) -> None:
        self._connection = connection

    @classmethod
    def open(cls, location: str) -> CatalogSource:
        """A catalog by its path or URL; one that is not there yet is empty.

        Args:
            location: path or URL.

        Raises:
            CatalogError: it is no catalog, from a newer wheelfind, or unreadable.
        """
        return cls(open_reader(location) if exists(location) else None)

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()

    def candidates(self, query: Query) -> Iterator[Wheel]:
        """Wheels among which are all that fit, vanished ones too."""
        if self._connection is None:
            return iter(())
        return search.candidates(self._connection, narrowed(query))

    def freshness(self, query: Query) -> Sequence[Freshness]:
        """Channels that hold the query's packages, or that were asked for by name."""
        if self._connection is None:
            return ()
        return [
            Freshness(channel=channel, last_complete_at=last_complete_at, status=status or "unread")
            for channel, last_complete_at, status in search.freshness(self._connection, packages=query.packages)
        ]

    def holdings(self, query: Query) -> Sequence[Holding]:
        """The newest releases of the query's channels that match its tags, and what they hold of any package."""
        del query
        return ()

    def knows(self, packages: Sequence[str]) -> bool:
        """Whether the catalog holds any wheel of the packages.

        Args:
            packages: normalised names or globs.
        """
        return next(self.candidates_of(packages), None) is not None

    def candidates_of(self, packages: Sequence[str]) -> Iterator[Wheel]:
        """Wheels of the packages."""
        if self._connection is None:
            return iter(())
        return iter(search.candidates(self._connection, search.Search(packages=tuple(packages))))


def narrowed(query: Query) -> search.Search:
    """What the catalog looks up for a query: never less than what fits."""
    return search.Search(packages=query.packages)
