"""A catalog as the source of answers: read-only, without ORM.

It knows how a query is narrowed to what the catalog can look up, and what a missing catalog answers; it must not know
SQL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from storage import search
from storage.faults import translated
from storage.open import exists, locate, open_reader
from wheelfind.answer import Freshness, Holding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from types import TracebackType

    from wheels.fit import Query
    from wheels.wheel import Wheel

_MINORS = range(20)
"""Minor versions of a CUDA major that a catalog may hold."""
_GLOB_OF_ITS_OWN = "["
"""Character sets mean other things to the catalog than to the fit."""


class CatalogSource:
    """Wheels, freshness and holdings of one catalog.

    Args:
        location: path or URL; a catalog that is not there yet is empty.
        needed: channels of the packages that are asked for, whether they hold any or not.

    Raises:
        CatalogError: it is no catalog, from a newer wheelfind, or unreadable.
    """

    def __init__(self, location: str, needed: Sequence[str] = ()) -> None:
        self._location = location
        self._connection = open_reader(location) if exists(location) else None
        self._needed = tuple(needed)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def damage_told(self) -> AbstractContextManager[None]:
        """Around whatever reads the catalog: damage that only a reading meets becomes an error of ours."""
        return translated(locate(self._location), "read the catalog")

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()

    def candidates(self, query: Query) -> Iterator[Wheel]:
        """Wheels among which are all that fit, vanished ones too."""
        if self._connection is None:
            return iter(())
        return search.candidates(self._connection, narrowed(query))

    def freshness(self, query: Query, found: Sequence[str]) -> Sequence[Freshness]:
        """The channels of an answer, and those that its packages need.

        Args:
            query: what was asked.
            found: channels of the wheels that were found.
        """
        names = sorted({*found, *self._needed} if found else {*self._holders(query), *self._needed})
        if self._connection is None:
            return [Freshness(channel=name, last_complete_at=None, status="unread") for name in names]
        return [
            Freshness(channel=channel, last_complete_at=last_complete_at, status=status)
            for channel, last_complete_at, status in search.freshness(self._connection, names)
        ]

    def holdings(self, query: Query) -> Sequence[Holding]:
        """The newest releases of the packages' channels that match the query's tags, with what they hold."""
        if self._connection is None:
            return ()
        channels = sorted({*self._holders(query), *self._needed})
        globs = [glob for glob in query.tag if _GLOB_OF_ITS_OWN not in glob] if query.tag else [None]
        return [
            Holding(channel=channel, tag=tag, packages=packages)
            for glob in globs
            for channel, tag, packages in search.holdings(self._connection, channels, tag_glob=glob)
        ]

    def ledger(self, filename: str, url: str) -> Sequence[Mapping[str, Any]]:
        """Every hash, size and date that was ever seen for a file at an address.

        Args:
            filename: decoded.
            url: as a wheel or place has it.
        """
        from storage.evidence import ledger_of  # noqa: PLC0415 - only for --explain

        return ledger_of(self._connection, filename, url) if self._connection is not None else ()

    def _holders(self, query: Query) -> list[str]:
        return search.channels_of(self._connection, query.packages) if self._connection is not None else []

    def knows(self, packages: Sequence[str]) -> bool:
        """Whether the catalog holds any wheel of the packages.

        Args:
            packages: normalised names or globs.
        """
        if self._connection is None:
            return False
        wheels = search.candidates(self._connection, search.Search(packages=tuple(packages)))
        return next(iter(wheels), None) is not None

    def was_asked(self, channel: str, packages: Sequence[str] | None) -> bool:
        """Whether any page of a channel was read that could list the packages.

        Args:
            channel: its name.
            packages: normalised names that the channel has a page for each; None where any page lists any package.
        """
        if self._connection is None:
            return False
        tried = search.pages_tried(self._connection, channel)
        read = (page for page, last_read_at in tried.items() if last_read_at)
        return any(True for page in read if packages is None or page.rpartition("/")[2] in packages)


def narrowed(query: Query) -> search.Search:
    """What the catalog looks up for a query: never less than what fits.

    Args:
        query: any query.
    """
    one_tag = query.tag[0] if len(query.tag) == 1 and _GLOB_OF_ITS_OWN not in query.tag[0] else None
    return search.Search(
        packages=query.packages,
        accelerator=query.accelerator[0] if len(query.accelerator) == 1 else None,
        cuda=_cuda_values(query) if query.cuda else None,
        arch=_arches(query) if query.arch else None,
        os=frozenset({"any", *(_SYSTEM.get(name, name) for name in query.os)}) if query.os else None,
        tag_glob=one_tag,
    )


_SYSTEM = {"musllinux": "linux"}


def _cuda_values(query: Query) -> frozenset[str]:
    values = set(query.cuda)
    for asked in query.cuda:
        major, _, minor = asked.partition(".")
        values.update({major} if minor else {f"{major}.{number}" for number in _MINORS})
    return frozenset(values)


def _arches(query: Query) -> frozenset[str]:
    wide = {"universal2"} if {"x86_64", "aarch64"}.intersection(query.arch) else set()
    return frozenset({"any", *query.arch, *wide})
