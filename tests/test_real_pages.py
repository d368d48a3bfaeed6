"""Every real page, from page to walk to catalog: exactly the records that a plain reading of it finds."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin

import pytest
from githubmarkup import Made, atom, release_list
from keeping_world import go_and_keep
from observing import rows
from pages_world import HTML, JSON, expected, manifest
from walkworld import World, awaited

from crawler.channels import Channel, parse_spec
from wheels.filename import read_filename
from wheels.observation import Status

if TYPE_CHECKING:
    from pathlib import Path

    from storage.write import Catalog

PAGES = manifest("indexes")
PROJECT = "https://h.test/whl/project/"
FLAT = "https://h.test/whl/page.html"
DIRECTORY = re.compile(r'href="(\w[\w.-]*/?)"')
Records = dict[str, set[str]]
"""Digests by decoded address."""


class Anchors(HTMLParser):
    """What the standard library's parser sees: addresses of wheels as they stand, and where they start."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.base = url
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href") or ""
        if tag == "base" and href:
            self.base = urljoin(self.base, href)
        if tag == "a" and unquote(href.partition("#")[0]).endswith(".whl"):
            self.found.append(href)


def read_plainly(body: bytes, url: str, *, as_json: bool) -> tuple[int, Records]:
    """How many links to wheels a page holds, and what they say, found in another way than ours."""
    claims: list[tuple[str, str]] = []
    if as_json:
        entries = json.loads(body)["files"]
        claims = [(urljoin(url, entry["url"]), entry["hashes"].get("sha256", "")) for entry in entries]
    else:
        anchors = Anchors(url)
        anchors.feed(body.decode())
        for href in anchors.found:
            address, _, fragment = urljoin(anchors.base, href).partition("#")
            claims.append((address, fragment.removeprefix("sha256=") if fragment.startswith("sha256=") else ""))
    wheels = [(unquote(address), digest) for address, digest in claims if unquote(address).endswith(".whl")]
    records: Records = {}
    for address, digest in wheels:
        records.setdefault(address, set()).update({digest} - {""})
    return len(wheels), records


def stored(catalog: Catalog) -> Records:
    """The same of what the catalog holds."""
    found: Records = {unquote(url): set() for (url,) in rows(catalog, "SELECT url FROM wheels")}
    for url, digest in rows(catalog, "SELECT url, sha256 FROM ledger WHERE sha256 IS NOT NULL"):
        found[unquote(url)].add(digest)
    return found


def channel_of(kind: str) -> tuple[Channel, str]:
    """The channel that such a page is, and the page's address there."""
    if kind.startswith("simple") and "root" not in kind:
        channel = parse_spec("index:https://h.test/whl")
        return channel, PROJECT
    if "root" in kind:
        return parse_spec("index:https://h.test/whl"), "https://h.test/whl/"
    return parse_spec(f"links:{FLAT}"), FLAT


@pytest.mark.parametrize("row", PAGES, ids=[row["file"] for row in PAGES])
@awaited
async def test_a_real_page_is_kept_with_exactly_its_records(
    test_data: Path, catalog: Catalog, row: dict[str, str]
) -> None:
    body = (test_data / "indexes" / row["file"]).read_bytes()
    as_json = row["file"].endswith(".json")
    channel, url = channel_of(row["kind"])
    links, records = read_plainly(body, url, as_json=as_json)
    assert links == int(row["wheel_links"])
    world = World()
    world.put(url, body, media_type=JSON if as_json else HTML)
    packages = frozenset({"project"}) if url == PROJECT else None
    world.missing(*(f"https://h.test/whl/{name}/" for name in ways(body)))
    walked = await go_and_keep(world, channel, catalog, packages=packages)
    assert walked.end.status is Status.OK
    kept = {address for address in records if read_filename(address.rpartition("/")[2]).version}
    assert stored(catalog) == {address: records[address] for address in kept}
    refused = rows(catalog, "SELECT DISTINCT url FROM problems WHERE code = 'bad-filename'")
    assert {unquote(refusal) for (refusal,) in refused} >= records.keys() - kept


def ways(body: bytes) -> list[str]:
    """Directories that a root lists: nothing lies there in these tests."""
    return [name.strip("/") for name in DIRECTORY.findall(body.decode())]


def test_every_page_of_the_table_is_there(test_data: Path) -> None:
    files = {path.name for path in (test_data / "indexes").iterdir()} - {"MANIFEST.tsv"}
    assert {row["file"] for row in PAGES} == files


FRAGMENTS = {name: case for name, case in expected("expected_assets.json").items() if case["kind"] == "expanded_assets"}


@pytest.mark.parametrize("name", FRAGMENTS)
@awaited
async def test_a_real_release_is_kept_with_exactly_its_wheels(test_data: Path, catalog: Catalog, name: str) -> None:
    listed = FRAGMENTS[name]["assets"]
    assets = [each for each in listed if each["tag"] == listed[0]["tag"]]  # rows of other releases are foreign
    _, _, _, owner, repo, _, _, tag, _ = assets[0]["download_url"].split("/")
    repository, home = f"{owner}/{repo}", f"https://github.com/{owner}/{repo}/releases"
    made = Made(tag=unquote(tag), announced=len(assets))
    world = World()
    world.put(f"{home}.atom", atom(repository, 7, [made], updated="2026-06-01T00:00:00Z"))
    world.put(home, release_list(repository, [made]))
    body = (test_data / "github" / "pages" / name).read_bytes()
    world.put(f"{home}/expanded_assets/{quote(made.tag, safe='/')}", body)
    walked = await go_and_keep(world, parse_spec(f"github:{repository}"), catalog)
    page = walked.pages[made.tag].page
    assert [(asset.filename, unquote(asset.url)) for asset in page.assets] == [
        (each["name"], unquote(each["download_url"])) for each in assets
    ]
    assert page.shape.name == FRAGMENTS[name]["verdict"]
    assert walked.end.status is (Status.OK if page.shape.complete else Status.PARTIAL)
    wheels = {unquote(each["download_url"]) for each in assets if each["name"].endswith(".whl")}
    assert {unquote(url) for (url,) in rows(catalog, "SELECT url FROM wheels")} == wheels
