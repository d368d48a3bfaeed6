"""Writes ``cassettes/``: facts from the shared data, markup from ``githubmarkup`` and from here.

Run it after the bundled channels changed: ``WHEELFIND_TEST_DATA=../shared/data python tests/make_cassettes.py``.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from githubmarkup import File, Made, atom, fragment, release_list, rest_assets, rest_releases

from crawler.cassette import Exchange, cassette_name, write_cassette
from crawler.channels import aliases_of, bundled_channels, bundled_packages
from crawler.pages.links import parse_links
from crawler.pages.simple import parse_simple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

RECORDED_AT = datetime(2026, 12, 1, 12, tzinfo=UTC)
CASSETTES = Path(__file__).parent.parent / "cassettes"
PUBLIC_INDEX = "(public index file host)"
NIGHTLIES = re.compile(r"nightly-2026-0(2-2\d|3-0[0-6])-")
STABLE = re.compile(r"v0\.(3\.(1[6-9]|2\d)|4)\b")
FLASH_TAGS = ("v0.9.52", "v0.9.49", "v0.9.48", "v0.9.47", "v0.9.44", "v0.9.43")
MADE_UP_ID = 1_000_000
"""Identities of repositories and releases are not in the data; these are made up."""


class Row(NamedTuple):
    """One line of ``urls.tsv.gz``."""

    filename: str
    url: str
    channel: str
    tag: str
    sha256: str
    source: str


def read_rows(data: Path) -> list[Row]:
    """All lines."""
    with gzip.open(data / "urls.tsv.gz", "rt", encoding="utf-8") as file:
        return [Row(*line) for line in list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]]


def reply(url: str, body: bytes, media_type: str, *, link: str | None = None, status: int = 200) -> Exchange:
    """One exchange."""
    headers = {"content-type": media_type} | ({"link": link} if link else {})
    return Exchange(url=url, status=status, headers=headers, body=body, recorded_at=RECORDED_AT)


def missing(url: str) -> Exchange:
    """An exchange for what is not there."""
    return reply(url, b"", "text/html", status=404)


def links_page(title: str, links: Iterable[tuple[str, str]]) -> bytes:
    """A page of links as (address, text)."""
    lines = "".join(f'<li><a href="{address}">{text}</a></li>\n' for address, text in links)
    head = f"<!DOCTYPE html>\n<html>\n<head><title>{title}</title></head>\n"
    return f"{head}<body>\n<ul>\n{lines}</ul>\n</body>\n</html>\n".encode()


# ---------------------------------------------------------------- docs.sglang.ai


def sglang_index(data: Path, rows: list[Row]) -> Iterator[Exchange]:
    """Every page that a walk asks for: what the data hold, and 404 for the others."""
    channel = next(each for each in bundled_channels() if each.name == "docs.sglang.ai/whl")
    roots = ["cu118", "cu124", "cu128", "cu129", "cu130", "musa43", "nightly", "pr", "rocm700", "rocm711", "rocm720"]
    yield reply(f"{channel.address}/", links_page("Indexes", ((f"{r}/", r) for r in roots)), "text/html")
    for root, url in zip(channel.roots, channel.root_urls(), strict=True):
        for package in channel.packages:
            files = _index_files(data, rows, f"{root}/{package}")
            page = links_page(f"Links for {package}", files)
            yield reply(f"{url}/{package}/", page, "text/html") if files else missing(f"{url}/{package}/")


def _index_files(data: Path, rows: list[Row], directory: str) -> list[tuple[str, str]]:
    """The links of an index page as (address with hash, name), in the page's order where the page itself is there."""
    path = data / "indexes" / f"sgl-project__{directory.replace('/', '__')}__index.html"
    if path.exists():
        page = parse_simple(path.read_bytes(), "text/html", "https://docs.sglang.ai/whl/x/")
        found = [(each.url, digest, each.filename) for each in page.assets for _, digest in each.hashes or [("", "")]]
    else:
        source = f"sgl-project/whl:{directory}/index.html"
        found = [(row.url, row.sha256, row.filename) for row in rows if row.source == source]
    return [(f"{url}#sha256={digest}" if digest else url, name) for url, digest, name in found]


# ---------------------------------------------------------------- GitHub


def releases_of(rows: list[Row], repository: str, tags: Iterable[str]) -> list[Made]:
    """Releases with the files that the data name; a file with several hashes has none here."""
    files: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        if row.channel == repository and f"github.com/{repository}/releases/download/" in row.url:
            files[row.tag][row.filename] |= {row.sha256} - {""}
    return [_release(tag, files[tag], number) for number, tag in enumerate(tags, 1)]


def _release(tag: str, files: dict[str, set[str]], number: int) -> Made:
    day = re.search(r"\d{4}-\d{2}-\d{2}", tag)
    time = f"{day[0]}T00:00:00Z" if day else None
    made = [File(name=name, sha256=min(hashes) if len(hashes) == 1 else None) for name, hashes in files.items()]
    return Made(tag=tag, files=tuple(made), time=time, number=MADE_UP_ID + number)


def github(repository: str, repository_id: int, releases: list[Made]) -> Iterator[Exchange]:
    """Both faces of a repository: feed, list and fragments, and REST."""
    base = f"https://github.com/{repository}/releases"
    updated = max((made.time for made in releases if made.time), default="2026-11-30T00:00:00Z")
    yield reply(f"{base}.atom", atom(repository, repository_id, releases, updated=updated), "application/atom+xml")
    starts = range(0, len(releases), 10)
    for number, start in enumerate(starts, 1):
        following = number + 1 if number < len(starts) else None
        url = base if number == 1 else f"{base}?page={number}"
        yield reply(url, release_list(repository, releases[start : start + 10], following=following), "text/html")
    for made in releases:
        yield reply(f"{base}/expanded_assets/{made.tag}", fragment(repository, made), "text/html")
    yield from rest(repository, releases)


def rest(repository: str, releases: list[Made]) -> Iterator[Exchange]:
    """The list of releases, and the lists of assets of those whose inline list may be cut."""
    api, json_type = f"https://api.github.com/repos/{repository}/releases", "application/json"
    yield reply(f"{api}?per_page=100", rest_releases(repository, releases), json_type)
    for made in releases:
        url = f"{api}/{made.number}/assets?per_page=100"
        if len(made.files) != 30 and len(made.files) < 100:
            continue
        for number, start in enumerate(range(0, len(made.files), 100), 1):
            more = start + 100 < len(made.files)
            link = f'<{url}&page={number + 1}>; rel="next"' if more else None
            page = rest_assets(repository, made, start, start + 100)
            yield reply(url if number == 1 else f"{url}&page={number}", page, json_type, link=link)


def newest_first(tags: Iterable[str]) -> list[str]:
    """Nightlies by day, then releases by version."""

    def key(tag: str) -> tuple[bool, list[int] | str]:
        if "nightly" in tag:
            return True, tag
        return False, [int(number) for number in re.findall(r"\d+", tag)]

    nightlies = sorted((tag for tag in tags if "nightly" in tag), reverse=True)
    return nightlies + sorted((tag for tag in tags if "nightly" not in tag), key=lambda tag: key(tag)[1], reverse=True)


# ---------------------------------------------------------------- find-links, and the configured index


def find_links(data: Path) -> Iterator[Exchange]:
    """A flat page of CPU builds."""
    body = (data / "indexes" / "jllllll__index__cpu.html").read_bytes()
    page = parse_links(body, "text/html", "https://jllllll.github.io/llama-cpp-python-cuBLAS-wheels/cpu.html")
    yield reply(page.url, links_page("Wheels", ((each.url, each.filename) for each in page.assets)), "text/html")


def configured_index(rows: list[Row]) -> Iterator[Exchange]:
    """Torch and sgl-kernel as PEP 691 JSON, and 404 for everything else that is bundled."""
    torch = [
        {"filename": row.filename, "url": f"https://files.index.example{row.url}", "hashes": {"sha256": row.sha256}}
        for row in rows
        if row.channel == PUBLIC_INDEX and row.filename.startswith("torch-") and row.sha256
    ]
    name = "sgl_kernel-0.3.21-cp310-abi3-manylinux2014_x86_64.whl"
    kernel = [{"filename": name, "url": f"https://files.index.example/{name}", "hashes": {}, "size": 535_601_072}]
    pages = {"torch": torch, "sgl-kernel": kernel}
    for package in sorted({alias for each in bundled_packages() for alias in aliases_of(each)}):
        url = f"https://index.example/simple/{package}/"
        if package not in pages:
            yield missing(url)
            continue
        said = {"meta": {"api-version": "1.1"}, "name": package, "files": pages[package]}
        yield reply(url, json.dumps(said, indent=0).encode(), "application/vnd.pypi.simple.v1+json")


def write_all(data: Path, folder: Path) -> None:
    """Write every cassette."""
    rows = read_rows(data)
    mine = [row.tag for row in rows if row.channel == "sgl-project/whl" and "/releases/download/" in unquote(row.url)]
    sglang = newest_first({tag for tag in mine if NIGHTLIES.match(tag) or STABLE.match(tag)})
    dao = newest_first({row.tag for row in rows if row.channel == "Dao-AILab/flash-attention"})
    flash = "mjun0812/flash-attention-prebuild-wheels"
    made = {
        "docs.sglang.ai/whl": sglang_index(data, rows),
        "sgl-project/whl": github("sgl-project/whl", 1, releases_of(rows, "sgl-project/whl", sglang)),
        "Dao-AILab/flash-attention": github(
            "Dao-AILab/flash-attention", 2, releases_of(rows, "Dao-AILab/flash-attention", dao)
        ),
        flash: github(flash, 3, releases_of(rows, flash, FLASH_TAGS)),
        "jllllll.github.io/llama-cpp-python-cuBLAS-wheels/cpu.html": find_links(data),
        "index": configured_index(rows),
    }
    for channel, exchanges in made.items():
        write_cassette(folder / cassette_name(channel), exchanges)


if __name__ == "__main__":
    write_all(Path(os.environ["WHEELFIND_TEST_DATA"]), CASSETTES)
