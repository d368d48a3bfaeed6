"""HTML index page → records against pypi-simple on the same bytes, and page → catalog-ready records in wheels a second.

Run: ``WHEELFIND_TEST_DATA=../shared/data uv run python benchmarks/pages.py``; its pages are the real ones there.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from pypi_simple import ProjectPage
from stopwatch import best_of, verdict

from crawler.pages import PARSER_VERSION
from crawler.pages.simple import parse_simple
from storage.rows import listed_wheels, name_values, read_name, tag_rows
from wheels.observation import PageRead, Validators

PEER_RATIO = 20
WHEELS_A_SECOND = 20_000
PAGES = (
    "brettcannon__archive_links.numpy.html",
    "jllllll__index__AVX2__cu117__llama-cpp-python__index.html",
    "sgl-project__cu129__sgl-kernel__index.html",
    "sgl-project__cu129__sglang__index.html",
)
ADDRESS = "https://index.example/simple/project/"


def main() -> int:
    """Exit status 0 when both promises hold."""
    folder = os.environ.get("WHEELFIND_TEST_DATA")
    if folder is None:
        sys.exit("error: set WHEELFIND_TEST_DATA to the folder with the real pages")
    bodies = [(Path(folder) / "indexes" / name).read_bytes() for name in PAGES]

    def ours() -> object:
        return [parse_simple(body, "text/html", ADDRESS) for body in bodies]

    def peer() -> object:
        return [ProjectPage.from_html("project", body, base_url=ADDRESS) for body in bodies]

    def ready() -> object:
        return [catalog_ready(observed(body)) for body in bodies]

    links = sum(len(parse_simple(body, "text/html", ADDRESS).assets) for body in bodies)
    our_seconds, peer_seconds, ready_seconds = best_of(7, ours, peer, ready)
    print(f"{links} links: {our_seconds * 1e3:.1f} ms here, {peer_seconds * 1e3:.1f} ms pypi-simple")
    print(f"to rows of the catalog: {ready_seconds * 1e3:.1f} ms")
    good = verdict(
        "pypi-simple ÷ here",
        peer_seconds / our_seconds,
        f"≥ {PEER_RATIO}",
        holds=peer_seconds >= PEER_RATIO * our_seconds,
    )
    rate = links / ready_seconds
    good &= verdict("catalog-ready wheels a second", rate, f"≥ {WHEELS_A_SECOND}", holds=rate >= WHEELS_A_SECOND)
    return 0 if good else 1


def catalog_ready(seen: PageRead) -> list[object]:
    """The rows of wheels and tags that the catalog would insert for a page."""
    names = [read_name(listed, seen.page.project) for listed in listed_wheels(seen, []).values()]
    return [(name_values(name), list(tag_rows(1, name))) for name in names]


def observed(body: bytes) -> PageRead:
    """The observation that a crawl would hand to the catalog for this body."""
    return PageRead(
        channel="bench",
        tag="cu129/project",
        context="cu129/project",
        requested_url=ADDRESS,
        page=parse_simple(body, "text/html", ADDRESS),
        validators=Validators(parser_version=PARSER_VERSION),
        fetched_at=datetime.now(UTC),
    )


if __name__ == "__main__":
    sys.exit(main())
