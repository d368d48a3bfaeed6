"""Observations for tests of the catalog: pages of invented wheels, hours apart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from storage.open import open_catalog
from storage.scope import Delta
from wheels.observation import PageRead, PageUnchanged, ReleaseListRead, Status, Validators, WalkEnded
from wheels.page import Asset, Page, Release, Shape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from storage.write import Catalog

INDEX = "index.test/whl"
REPO = "owner/wheels"
START = datetime(2026, 12, 1, tzinfo=UTC)
A, B = "a" * 64, "b" * 64


def new_catalog(folder: Path) -> Catalog:
    """An empty catalog; a copy of one that was made once, because making a schema takes a while."""
    folder.mkdir(exist_ok=True)
    path = folder / "catalog.sqlite"
    path.write_bytes(_empty_catalog())
    return open_catalog(path)


@cache
def _empty_catalog() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "catalog.sqlite"
        open_catalog(path).close()
        return path.read_bytes()


def after(hours: float) -> datetime:
    """A time so many hours after the first crawl."""
    return START + timedelta(hours=hours)


def wheel_name(number: int) -> str:
    """A valid wheel name for each number."""
    return f"demo-{number}.0+cu130-cp312-cp312-manylinux_2_28_x86_64.whl"


def asset(filename: str, *, sha256: str | None = A, folder: str = "https://files.test", **facts: Any) -> Asset:
    """A listed file."""
    hashes = (("sha256", sha256),) if sha256 else ()
    return Asset(**({"filename": filename, "url": f"{folder}/{filename}", "hashes": hashes, "size": 5} | facts))


def wheels(*numbers: int, sha256: str | None = A, folder: str = "https://files.test") -> tuple[Asset, ...]:
    """Listed wheels by number."""
    return tuple(asset(wheel_name(number), sha256=sha256, folder=folder) for number in numbers)


def index_page(
    assets: Iterable[Asset] = (),
    at: float = 0,
    *,
    tag: str | None = "cu130/demo",
    shape: Shape = Shape.OK,
    **facts: Any,
) -> PageRead:
    """A page of a package index."""
    url = f"https://{INDEX}/{tag or 'files.html'}"
    page = Page(kind="simple" if tag else "links", url=url, shape=shape, assets=tuple(assets), reason="as told")
    return PageRead(
        **(
            {
                "channel": INDEX,
                "tag": tag,
                "context": tag or "",
                "requested_url": url,
                "page": page,
                "validators": Validators(etag=f"at {at}"),
                "fetched_at": after(at),
            }
            | facts
        )
    )


def release_page(assets: Iterable[Asset] = (), at: float = 0, *, tag: str = "v1", shape: Shape = Shape.OK) -> PageRead:
    """The asset fragment of a release."""
    url = f"https://github.test/{REPO}/releases/expanded_assets/{tag}"
    page = Page(kind="expanded-assets", url=url, shape=shape, assets=tuple(assets))
    return index_page(at=at, tag=tag, channel=REPO, requested_url=url, page=page)


def release_wheels(*numbers: int, tag: str = "v1", repository: str = REPO, sha256: str | None = A) -> tuple[Asset, ...]:
    """Wheels as a release's fragment lists them."""
    return wheels(*numbers, sha256=sha256, folder=f"https://github.test/{repository}/releases/download/{tag}")


def release_list(*tags: str, at: float = 0, complete: bool = True, **facts: Any) -> ReleaseListRead:
    """The release list of the repository."""
    releases = tuple(Release(tag=tag) for tag in tags)
    return ReleaseListRead(channel=REPO, releases=releases, complete=complete, fetched_at=after(at), **facts)


def unchanged(seen: PageRead, at: float) -> PageUnchanged:
    """The same page, later, by a 304."""
    return PageUnchanged(
        channel=seen.channel,
        tag=seen.tag,
        requested_url=seen.requested_url,
        fetched_at=after(at),
        not_modified=True,
        validators=seen.validators,
    )


def crawl(catalog: Catalog, at: float, *seen: Any, status: Status = Status.OK, accept: Iterable[str] = ()) -> Delta:
    """One run over one channel: what it changed in all."""
    run_id = catalog.begin_run("crawl", after(at), tuple(accept))
    delta = Delta()
    for observation in seen:
        delta += catalog.store(observation)
    channel = seen[0].channel if seen else INDEX
    delta += catalog.store(WalkEnded(channel=channel, status=status, ended_at=after(at)))
    catalog.end_run(run_id, "ok", after(at))
    return delta


def rows(catalog: Catalog, query: str, *values: object) -> list[tuple[Any, ...]]:
    """What the catalog holds."""
    return catalog._db.execute(query, values).fetchall()


def live(catalog: Catalog) -> set[str]:
    """Names of the wheels that have not vanished."""
    return {name for (name,) in rows(catalog, "SELECT filename FROM wheels WHERE vanished_at IS NULL")}


def dump(catalog: Catalog) -> list[tuple[Any, ...]]:
    """The wheels and their ledger, but for ``last_seen``, the one thing that a second look at a page may change."""
    found = []
    for view in ("wheels", "ledger", "wheel_tags", "history"):
        columns = {row[1]: None for row in rows(catalog, f"PRAGMA table_info({view})")}
        named = ", ".join(f'"{column}"' for column in columns if column not in {"last_seen", "run_id"})
        found += rows(catalog, f"SELECT {named} FROM {view} ORDER BY 1, 2")  # noqa: S608 - names of our own
    return found
