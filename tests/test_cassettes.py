from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from make_cassettes import write_all
from walkworld import awaited

from crawler.cassette import read_cassette
from crawler.channels import Channel, bundled_channels, configured_channels
from crawler.configured_index import REPLAYED_INDEX
from crawler.http import Client
from crawler.settings import HttpSettings
from crawler.walk import WalkOptions, walk
from wheels.observation import ChannelMemory, Observation, PageRead, Status, WalkEnded
from wheels.page import Asset, Shape

CASSETTES = Path(__file__).parent.parent / "cassettes"
RECORDED = {
    each.name: each
    for each in (*bundled_channels(), *configured_channels(REPLAYED_INDEX))
    if each.name
    in {
        "docs.sglang.ai/whl",
        "sgl-project/whl",
        "Dao-AILab/flash-attention",
        "mjun0812/flash-attention-prebuild-wheels",
        "jllllll.github.io/llama-cpp-python-cuBLAS-wheels/cpu.html",
        "index",
    }
}
GITHUB = [name for name, channel in RECORDED.items() if channel.kind == "github"]
NIGHTLY = "nightly-2026-02-27-52c8a3632"


async def replay(channel: Channel, *, token: str | None = None) -> list[Observation]:
    settings = HttpSettings(github_token=token)
    async with Client(settings=settings, replay=CASSETTES) as client:
        return [seen async for seen in walk(channel, client, ChannelMemory(), WalkOptions())]


def assets(seen: list[Observation]) -> list[Asset]:
    return [asset for each in seen if isinstance(each, PageRead) for asset in each.page.assets]


@pytest.mark.parametrize("name", RECORDED)
@awaited
async def test_every_recorded_channel_ends_well(name: str) -> None:
    seen = await replay(RECORDED[name])
    assert isinstance(seen[-1], WalkEnded)
    assert (seen[-1].status, seen[-1].detail) == (Status.OK, "")
    assert assets(seen)


@pytest.mark.parametrize("name", GITHUB)
@awaited
async def test_rest_and_html_tell_the_same(name: str) -> None:
    by_html, by_rest = await replay(RECORDED[name]), await replay(RECORDED[name], token="t0ken")
    assert isinstance(by_rest[-1], WalkEnded)
    assert by_rest[-1].status is Status.OK
    told = [{(unquote(asset.url), asset.sha256) for asset in assets(seen)} for seen in (by_html, by_rest)]
    assert told[0] == told[1]


@awaited
async def test_rest_spells_the_plus_of_names_encoded_and_fragments_raw() -> None:
    channel = RECORDED["sgl-project/whl"]
    by_html, by_rest = await replay(channel), await replay(channel, token="t0ken")
    raw = [asset.url for asset in assets(by_html) if "sgl_kernel-0.3.21+cu130" in asset.filename]
    encoded = [asset.url for asset in assets(by_rest) if "sgl_kernel-0.3.21+cu130" in asset.filename]
    assert raw
    assert all("+cu130" in url for url in raw)
    assert all("%2Bcu130" in url for url in encoded)


@awaited
async def test_the_nightly_of_the_case_holds_sglang_alone() -> None:
    seen = await replay(RECORDED["sgl-project/whl"])
    pages = [each for each in seen if isinstance(each, PageRead) and each.tag == NIGHTLY]
    assert [asset.filename for asset in pages[0].page.assets] == [
        "sglang-0.5.10.dev20260227+g52c8a3632-py3-none-any.whl"
    ]


@awaited
async def test_the_wheels_of_the_case_are_listed() -> None:
    seen = await replay(RECORDED["docs.sglang.ai/whl"])
    names = {asset.filename for asset in assets(seen)}
    assert "sgl_kernel-0.3.21+cu130-cp312-abi3-manylinux2014_x86_64.whl" in names
    assert {each.tag for each in seen if isinstance(each, PageRead)} >= {"cu129/sgl-kernel", "cu130/sgl-kernel"}
    assert all(each.page.shape is Shape.OK for each in seen if isinstance(each, PageRead))


def test_the_files_are_small_and_described() -> None:
    files = sorted(CASSETTES.glob("*.yaml"))
    assert sum(path.stat().st_size for path in files) < 3 << 20
    said = (CASSETTES / "README.md").read_text(encoding="utf-8")
    assert all(path.name in said or path.name.startswith("jllllll") for path in files)


def test_they_are_as_the_generator_writes_them(test_data: Path, tmp_path: Path) -> None:
    write_all(test_data, tmp_path)
    for path in sorted(tmp_path.glob("*.yaml")):
        assert read_cassette(path) == read_cassette(CASSETTES / path.name), path.name


def test_they_are_plain_yaml() -> None:
    for path in CASSETTES.glob("*.yaml"):
        assert yaml.safe_load(path.read_bytes())["version"] == 1
