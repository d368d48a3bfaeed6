"""How fast pages become rows, as ratios from one run.

Measures the writer, names read included, against bare ``sqlite3.executemany`` of the same rows in the same transactions
into the same indexed schema, and a second crawl of the unchanged pages against the first. Names are made of real facts.

    python benchmarks/upsert.py [WHEELS] [WHEELS_A_PAGE]
"""

from __future__ import annotations

import sqlite3
import sys
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from storage import statements as sql
from storage.open import open_catalog
from wheels.observation import PageRead, Status, Validators, WalkEnded
from wheels.page import Asset, Page, Shape

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGES = ("sgl_kernel", "flash_attn", "vllm", "xformers", "torch", "flashinfer_python", "llama_cpp_python", "natten")
VERSIONS = [f"{major}.{minor}.{patch}" for major, minor, patch in product(range(3), range(12), range(24))]
LABELS = (
    "",
    "+cu118",
    "+cu124",
    "+cu126torch2.7cxx11abiTRUE",
    "+cu128torch2.8cxx11abiFALSE",
    "+cu129",
    "+cu130",
    "+cpu",
)
PYTHONS = ("cp310-cp310", "cp311-cp311", "cp312-cp312", "cp313-cp313", "cp39-abi3")
PLATFORMS = (
    "manylinux2014_x86_64",
    "manylinux_2_28_aarch64",
    "win_amd64",
    "manylinux_2_17_x86_64.manylinux2014_x86_64",
)
_NAMES = ", ".join(f'"{name}"' for name in sql.WHEEL_COLUMNS)
ROUNDS = 3
NIGHT = datetime(2026, 12, 1, tzinfo=UTC)


def file_names() -> Iterator[str]:
    """Distinct wheel names, newest versions last."""
    for version, package, label, python, platform in product(VERSIONS, PACKAGES, LABELS, PYTHONS, PLATFORMS):
        yield f"{package}-{version}{label}-{python}-{platform}.whl"


def pages(wheels: int, size: int) -> list[PageRead]:
    """Release pages of one GitHub channel, ``size`` wheels each."""
    names = file_names()
    return [_page(f"v{number}", list(islice(names, size))) for number in range(wheels // size)]


def _page(tag: str, names: list[str]) -> PageRead:
    base = f"https://github.test/owner/wheels/releases/download/{tag}"
    assets = tuple(
        Asset(
            filename=name,
            url=f"{base}/{name}",
            hashes=(("sha256", sha256(name.encode()).hexdigest()),),
            size=len(name) * 1_000_003,
            uploaded_at="2026-11-30T12:00:00Z",
        )
        for name in names
    )
    url = f"https://github.test/owner/wheels/releases/expanded_assets/{tag}"
    return PageRead(
        channel="owner/wheels",
        tag=tag,
        context=tag,
        requested_url=url,
        page=Page(kind="expanded-assets", url=url, shape=Shape.OK, assets=assets),
        validators=Validators(etag=tag),
        fetched_at=NIGHT,
    )


def crawl(path: Path, seen: list[PageRead], at: datetime) -> float:
    """Store pages as one run; the seconds that it took."""
    with closing(open_catalog(path)) as catalog:
        run_id = catalog.begin_run("benchmark", at)
        started = time.perf_counter()
        for page in seen:
            catalog.store(page)
        seconds = time.perf_counter() - started
        catalog.store(WalkEnded(channel="owner/wheels", status=Status.OK, ended_at=at))
        catalog.end_run(run_id, "ok", at)
    return seconds


def bare(path: Path, filled: Path) -> float:
    """Insert the rows of ``filled`` into an empty catalog with executemany, one transaction a page."""
    open_catalog(path).close()
    with closing(sqlite3.connect(filled)) as source, closing(sqlite3.connect(path, isolation_level=None)) as target:
        target.execute("PRAGMA synchronous = NORMAL")
        target.execute("PRAGMA cache_size = -65536")
        batches = list(_batches(source))
        for table in ("channel", "page"):
            rows = source.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 - the two names above
            target.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)  # noqa: S608 - names of our own
        started = time.perf_counter()
        for wheels, tags, sightings in batches:
            target.execute("BEGIN IMMEDIATE")
            target.executemany(sql.INSERT_WHEEL, wheels)
            target.executemany(sql.INSERT_TAG, tags)
            target.executemany(sql.INSERT_SIGHTING, sightings)
            target.execute("COMMIT")
        return time.perf_counter() - started


def _batches(source: sqlite3.Connection) -> Iterator[list[list[tuple[Any, ...]]]]:
    wheels = f"SELECT {_NAMES} FROM wheel WHERE page_id = ?"  # noqa: S608 - names of our own
    tags = "SELECT t.* FROM wheel_tag t JOIN wheel w ON w.id = t.wheel_id WHERE w.page_id = ?"
    sightings = """SELECT s.wheel_id, s.url, s.algorithm, s.digest, s.size, s.uploaded_at, s.first_seen, s.last_seen
                   FROM sighting s JOIN wheel w ON w.id = s.wheel_id WHERE w.page_id = ?"""
    for page in source.execute("SELECT id FROM page ORDER BY id").fetchall():
        yield [source.execute(query, page).fetchall() for query in (wheels, tags, sightings)]


def main() -> None:
    """Print the ratios."""
    wheels, size = (*map(int, sys.argv[1:]), *(40_000, 200)[len(sys.argv) - 1 :])
    seen = pages(wheels, size)
    with TemporaryDirectory() as folder:
        ours, theirs = Path(folder) / "ours.sqlite", Path(folder) / "bare.sqlite"
        first = second = plain = float("inf")
        for _ in range(ROUNDS):  # by turns, the best of each: other work on the machine slows both
            for path in Path(folder).iterdir():
                path.unlink()
            first = min(first, crawl(ours, seen, NIGHT))
            second = min(second, crawl(ours, seen, NIGHT + timedelta(hours=1)))
            plain = min(plain, bare(theirs, ours))
    print(f"wheels: {wheels}, {size} a page; bare executemany {wheels / plain:,.0f} a second")
    print(f"upsert / bare executemany: {plain / first:.2f} ({wheels / first:,.0f} wheels a second)")
    print(f"second crawl of unchanged pages / first: {first / second:.1f} times as fast")


if __name__ == "__main__":
    main()
