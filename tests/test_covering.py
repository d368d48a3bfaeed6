"""Which channel would have found a file: rules a kind, then the links that people really wrote down."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.channels import Channel, bundled_channels, configured_channels, parse_spec
from crawler.configured_index import ConfiguredIndex
from crawler.covering import Cover, covering, publisher_of

if TYPE_CHECKING:
    from pathlib import Path

WHEEL = "foo-1-py3-none-any.whl"
CONFIGURED = configured_channels(ConfiguredIndex(index_url="https://index.example/simple"))
INDEX = replace(
    parse_spec("index:https://a.test/whl"), roots=("cu128", "cu130"), discover=("rocm*",), packages=("foo",)
)
LINKS = replace(parse_spec("links:https://b.test/w"), roots=("torch-2.4.0+cu121.html", "cu118/index.html"))
STORE = replace(parse_spec("links:https://c.test/?prefix=p/"), files=("https://d.test/p",))
RENAMED = replace(parse_spec("github:new/name"), formerly=("old/name",))

FOUND: dict[str, tuple[Channel, str]] = {
    "a release": (parse_spec("github:o/r"), f"https://github.com/o/r/releases/download/v1/{WHEEL}"),
    "a release, another case": (parse_spec("github:o/r"), f"https://github.com/O/R/releases/download/v1/{WHEEL}"),
    "a tag with a slash": (parse_spec("github:o/r@py/*"), f"https://github.com/o/r/releases/download/py/1/{WHEEL}"),
    "an older name": (RENAMED, f"https://github.com/old/name/releases/download/v1/{WHEEL}"),
    "an index's root": (INDEX, f"https://a.test/whl/cu130/{WHEEL}"),
    "an index's page": (INDEX, f"https://a.test/whl/cu130/foo/{WHEEL}"),
    "http": (INDEX, f"http://a.test/whl/cu130/{WHEEL}"),
    "a root of tomorrow": (INDEX, f"https://a.test/whl/rocm9/foo/{WHEEL}"),
    "a flat page's folder": (LINKS, f"https://b.test/w/torch-2.4.0%2Bcu121/{WHEEL}"),
    "a folder's page": (LINKS, f"https://b.test/w/cu118/{WHEEL}"),
    "another host": (STORE, f"https://d.test/p/{WHEEL}"),
    "a bucket's folder": (STORE, f"https://c.test/p/sub/{WHEEL}"),
    "the address's own folder": (replace(INDEX, files=(".",)), f"https://a.test/whl/{WHEEL}"),
    "a file": (parse_spec("hf:o/r"), f"https://huggingface.co/o/r/resolve/main/dir/{WHEEL}"),
    "a file's web page": (parse_spec("hf:o/r"), f"https://huggingface.co/o/r/blob/main/{WHEEL}"),
    "a data set": (parse_spec("hf:datasets/o/r"), f"https://huggingface.co/datasets/o/r/resolve/main/{WHEEL}"),
    "a path alone": (CONFIGURED[0], f"/packages/00/05/{WHEEL}"),
}


@pytest.mark.parametrize(("channel", "url"), FOUND.values(), ids=FOUND)
def test_it_would_have_been_found(channel: Channel, url: str) -> None:
    assert covering(url, [parse_spec("github:x/y"), channel]) is channel


MISSED: dict[str, tuple[Channel, str]] = {
    "another repository": (parse_spec("github:o/r"), f"https://github.com/o/r2/releases/download/v1/{WHEEL}"),
    "another tag": (parse_spec("github:o/r@v2*"), f"https://github.com/o/r/releases/download/v1/{WHEEL}"),
    "a file of a branch": (parse_spec("github:o/r"), f"https://github.com/o/r/raw/main/{WHEEL}"),
    "a raw file": (parse_spec("github:o/r"), f"https://raw.githubusercontent.com/o/r/main/{WHEEL}"),
    "another root": (INDEX, f"https://a.test/whl/cu121/{WHEEL}"),
    "a package that is not asked for": (INDEX, "https://a.test/whl/cu130/bar-1-py3-none-any.whl"),
    "a folder below the own one": (replace(INDEX, files=(".",)), f"https://a.test/whl/cu121/{WHEEL}"),
    "a host alike": (INDEX, f"https://a.test.evil.test/whl/cu130/{WHEEL}"),
    "another page's folder": (LINKS, f"https://b.test/w/torch-2.5.0%2Bcu121/{WHEEL}"),
    "another Hugging Face repository": (parse_spec("hf:o/r"), f"https://huggingface.co/o/x/resolve/main/{WHEEL}"),
    "another folder of the bucket": (STORE, f"https://c.test/q/{WHEEL}"),
    "no file": (parse_spec("hf:o/r"), "https://huggingface.co/o/r"),
    "a data set of the same name": (parse_spec("hf:o/r"), f"https://huggingface.co/datasets/o/r/resolve/main/{WHEEL}"),
    "a path alone without a configured index": (INDEX, f"/packages/00/05/{WHEEL}"),
    "no URL": (CONFIGURED[0], "foo"),
    "a broken URL": (CONFIGURED[0], "https://[::1/foo.whl"),
}


@pytest.mark.parametrize(("channel", "url"), MISSED.values(), ids=MISSED)
def test_it_would_not_have_been_found(channel: Channel, url: str) -> None:
    assert covering(url, [channel]) is None


def test_the_first_of_several_is_named() -> None:
    twin = replace(INDEX, name="twin")
    assert covering(f"https://a.test/whl/cu130/{WHEEL}", [twin, INDEX]) is twin


PUBLISHERS = {
    f"https://github.com/o/r/releases/download/v1/{WHEEL}": "o/r",
    f"https://raw.githubusercontent.com/o/r/main/{WHEEL}": "o/r",
    f"https://huggingface.co/o/r/resolve/main/{WHEEL}": "huggingface.co/o/r",
    f"https://huggingface.co/datasets/o/r/resolve/main/{WHEEL}": "huggingface.co/datasets/o/r",
    f"https://A.test:8/x/{WHEEL}": "a.test",
    f"/packages/{WHEEL}": "(configured index)",
    "https://[::1/": "(no URL)",
}


@pytest.mark.parametrize(("url", "publisher"), PUBLISHERS.items(), ids=PUBLISHERS.values())
def test_publishers_are_named(url: str, publisher: str) -> None:
    assert publisher_of(url) == publisher


@given(st.text() | st.text(alphabet="htps:/githubcomraw.en[]?#%", max_size=60).map("https://huggingface.co/".__add__))
def test_any_text_is_covered_or_not(text: str) -> None:
    cover = Cover([*bundled_channels(), *CONFIGURED])
    assert cover.channel_of(text) is cover.channel_of(text)
    assert publisher_of(text)


TEST_SUITES = {"astral-sh.github.io", "pub-c6f28d316acd406eae43501e51ad30fa.r2.dev"}
"""Packages made up for tests of installers."""


def test_bundled_channels_would_have_found_what_people_link_to(test_data: Path) -> None:
    cover = Cover([*bundled_channels(), *CONFIGURED])
    every: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    with gzip.open(test_data / "urls.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            publisher = publisher_of(row["url"])
            every[publisher] += 1
            missed[publisher] += cover.channel_of(row["url"]) is None
    assert missed.total() <= 0.05 * every.total()
    often = {name for name, count in every.items() if count >= 5} - TEST_SUITES
    assert {name for name in often if missed[name] > 0.05 * every[name]} == set()
