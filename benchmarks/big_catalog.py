"""A large catalog of real names, for the benchmarks of answers.

The real names of ``WHEELFIND_TEST_DATA`` are stored once as they are, then again and again under further projects,
until the catalog is as large as asked: the answer to the query stays the same, all around it grows.
"""

from __future__ import annotations

import csv
import gzip
import itertools
import os
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.pages import PARSER_VERSION
from storage.open import open_catalog
from wheels.observation import PageRead, Status, Validators, WalkEnded
from wheels.page import Asset, Page, Shape

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = 1000
WHEN = datetime(2026, 12, 1, tzinfo=UTC)


ASKED_FOR = "sgl"
"""Beginning of the names that the query finds: they come first, so that each catalog holds them all."""


def real_names() -> list[str]:
    """File names of the links that stand in public repositories, each once, those that are asked for first."""
    folder = os.environ.get("WHEELFIND_TEST_DATA")
    if folder is None:
        sys.exit("error: set WHEELFIND_TEST_DATA to the folder with the real names")
    with gzip.open(Path(folder) / "urls.tsv.gz", "rt", encoding="utf-8") as lines:
        names = {row["filename"] for row in csv.DictReader(lines, delimiter="\t")}
    return sorted(names, key=lambda name: (not name.startswith(ASKED_FOR), name))


def grown_names(names: list[str]) -> Iterator[str]:
    """The names, then their like under other projects without end (``flash_attn_b7-2.8.3+cu128…``)."""
    yield from names
    for turn in itertools.count(1):
        for name in names:
            project, dash, rest = name.partition("-")
            yield f"{project}_b{turn}{dash}{rest}"


def build_catalog(path: Path, size: int) -> None:
    """Make a catalog of ``size`` wheels, a page of 1,000 at a time."""
    names = itertools.islice(grown_names(real_names()), size)
    with closing(open_catalog(path)) as catalog:
        run = catalog.begin_run("benchmark", WHEN)
        for number in itertools.count():
            chunk = list(itertools.islice(names, PAGE))
            if not chunk:
                break
            catalog.store(_page(number, chunk))
        catalog.store(WalkEnded(channel="sgl-project/whl", status=Status.OK, ended_at=WHEN))
        catalog.end_run(run, "ok", WHEN)


def _page(number: int, names: list[str]) -> PageRead:
    url = f"https://github.test/sgl-project/whl/releases/expanded_assets/v{number}"
    base = f"https://github.test/sgl-project/whl/releases/download/v{number}"
    assets = tuple(
        Asset(filename=name, url=f"{base}/{name}", hashes=(("sha256", f"{number * PAGE + place:064x}"),))
        for place, name in enumerate(names)
    )
    return PageRead(
        channel="sgl-project/whl",
        tag=f"v{number}",
        context=f"v{number}",
        requested_url=url,
        page=Page(kind="expanded-assets", url=url, shape=Shape.OK, assets=assets),
        validators=Validators(parser_version=PARSER_VERSION),
        fetched_at=WHEN,
    )
