"""The catalog as Python code uses it: open, ask, close.

It knows how a question in Python becomes a query; it must not know the command line, and it never uses the network.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from wheelfind.asking import Filters, read_package, read_query
from wheelfind.catalog_source import CatalogSource
from wheelfind.finding import Showing, find_wheels
from wheelfind.ordering import check_order
from wheelfind.settings import catalog_location

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from wheelfind.answer import Answer


class Catalog:
    """An open catalog, read-only; also a context manager.

    Args:
        location: path or URL.
    """

    def __init__(self, location: str) -> None:
        self.location = location
        self._source = CatalogSource(location)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the catalog."""
        self._source.close()

    def find(
        self,
        package: str,
        *,
        pre: bool = False,
        yanked: bool = False,
        vanished: bool = False,
        sort: str | None = None,
        limit: int | None = None,
        **filters: str | bool | Sequence[str] | Sequence[bool] | None,
    ) -> Answer:
        """Wheels of a package, as `wheelfind find` lists them; nothing is read from the network.

        Args:
            package: a name, with a PEP 440 specifier if you like: ``torch==2.9.*``.
            pre: pre-releases too.
            yanked: yanked files too.
            vanished: files that their page no longer lists, too.
            sort: an order of ``--sort``; None means newest first.
            limit: at most so many files.
            filters: the filters of `find` by name, one value or several: ``cuda="13.0"``, ``arch=["x86_64", "any"]``,
                ``cxx11abi=True``, ``loads_with=…``.

        Returns:
            The answer; iterate it for its wheels.

        Raises:
            UsageError: a filter's value cannot be read.
            TypeError: there is no such filter.
            CatalogError: the catalog cannot be read.
        """
        from crawler.channels import aliases_of  # noqa: PLC0415 - `import wheelfind` stays light

        asked = Filters(**{name: _listed(name, value) for name, value in filters.items()})
        machine = None
        if asked.here:
            from wheelfind.machine import probe_machine  # noqa: PLC0415 - only for here=True

            machine = probe_machine(os.environ)
        query = read_query(read_package(package), asked, aliases=aliases_of, now=datetime.now(UTC), machine=machine)
        order = check_order(sort) if sort else None
        showing = Showing(prereleases=pre, yanked=yanked, vanished=vanished, sort=order, limit=limit)
        with self._source.damage_told():
            return find_wheels(query, showing, self._source)

    def sql(self, query: str, *, limit: int | None = None, timeout_seconds: float = 5.0) -> list[dict[str, Any]]:
        """Rows of one SELECT statement on the documented views.

        Args:
            query: read-only SQL.
            limit: at most so many rows; None means all.
            timeout_seconds: the query is stopped after this long.

        Returns:
            A mapping for each row, by column.

        Raises:
            NotAllowed: the statement would write, or reach beyond the catalog.
            UsageError: it is no valid SQL.
            WheelfindError: it was stopped by the timeout.
        """
        from storage.sandbox import run_sql  # noqa: PLC0415 - `find` needs none of it

        columns, rows = run_sql(self.location, query, limit=limit, timeout_seconds=timeout_seconds)
        return [dict(zip(columns, row, strict=True)) for row in rows]


def _listed(name: str, value: Any) -> Any:
    """One value or several as the filters take them."""
    single = name in {"since", "here", "exact"} or value is None
    return value if single else [value] if isinstance(value, (str, bool)) else list(value)


def open_catalog(path_or_url: str | os.PathLike[str] | None = None) -> Catalog:
    """Open a catalog for reading.

    Args:
        path_or_url: a file or a database URL; None means the user's own, as ``WHEELFIND_DB`` says.

    Raises:
        CatalogError: it is no catalog, from a newer wheelfind, or unreadable.
    """
    return Catalog(catalog_location(None if path_or_url is None else os.fspath(path_or_url), os.environ))
