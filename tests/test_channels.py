from __future__ import annotations

import subprocess
import sys
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.channels import (
    Channel,
    aliases_of,
    bundled_channels,
    bundled_packages,
    channels_for,
    choose_channel,
    configured_channels,
    matches_tag,
    normalized,
    parse_spec,
)
from crawler.configured_index import ConfiguredIndex
from wheels.errors import UsageError

COMMANDS = {
    *("find", "crawl", "channels", "parse", "sql", "show", "changes", "download", "inspect", "diff", "check", "why"),
    *("stack", "builds", "doctor", "db", "serve", "export", "lint", "worker", "mcp", "watch"),
}


def test_no_command_bears_the_name_of_a_bundled_package() -> None:
    assert not COMMANDS & set(bundled_packages())


def test_bundled_channels_are_many_distinct_and_described() -> None:
    channels = bundled_channels()
    assert len(channels) >= 60
    assert len({channel.name.casefold() for channel in channels}) == len(channels)
    assert all(channel.packages for channel in channels)
    assert not any(channel.user_named or channel.configured for channel in channels)


@pytest.mark.parametrize("channel", bundled_channels(), ids=[channel.name for channel in bundled_channels()])
def test_each_bundled_channel_is_plausible(channel: Channel) -> None:
    again = parse_spec(channel.spec)
    assert (again.name, again.kind, again.address) == (channel.name, channel.kind, channel.address)
    assert [normalized(name) for name in channel.packages] == list(dict.fromkeys(channel.packages))
    assert channel.note
    assert not channel.note.endswith(".")
    roots = channel.root_urls()
    assert len(set(roots)) == len(roots)
    assert not any(root.startswith("/") for root in (*channel.roots, *channel.files))
    if channel.kind in {"index", "links"}:
        assert all(urlsplit(url).scheme == "https" and "+" not in urlsplit(url).netloc for url in roots)
    if channel.kind in {"github", "hf"}:
        assert channel.roots == ("",)
        assert not channel.files
    if channel.formerly:
        assert channel.kind == "github"
        assert all(address.count("/") == 1 and address != channel.address for address in channel.formerly)


def test_a_repository_and_its_older_names_are_bundled_once() -> None:
    addresses = [name.casefold() for each in bundled_channels() for name in (each.address, *each.formerly)]
    assert len(addresses) == len(set(addresses))


def test_groups_of_names_are_normalized_and_do_not_overlap() -> None:
    for package in bundled_packages():
        assert all(package in aliases_of(name) for name in aliases_of(package))


@pytest.mark.parametrize(
    ("package", "expected"),
    [
        pytest.param("sgl_kernel", {"docs.sglang.ai/whl", "sgl-project/whl"}, id="sgl-kernel"),
        pytest.param("sglang-kernel", {"docs.sglang.ai/whl", "sgl-project/whl"}, id="its new name"),
        pytest.param("sglang", {"docs.sglang.ai/whl", "sgl-project/whl"}, id="sglang"),
        pytest.param("Torch", {"download.pytorch.org/whl", "download.pytorch.org/whl/nightly"}, id="torch"),
        pytest.param("vllm", {"wheels.vllm.ai", "vllm-project/vllm"}, id="vllm"),
        pytest.param("flashinfer", {"flashinfer.ai/whl", "flashinfer-ai/flashinfer"}, id="flashinfer"),
        pytest.param(
            "flash_attn", {"Dao-AILab/flash-attention", "mjun0812/flash-attention-prebuild-wheels"}, id="flash-attn"
        ),
        pytest.param("xformers", {"download.pytorch.org/whl"}, id="xformers"),
        pytest.param(
            "llama-cpp-python",
            {
                "abetlen.github.io/llama-cpp-python/whl",
                "abetlen/llama-cpp-python",
                "jllllll.github.io/llama-cpp-python-cuBLAS-wheels",
                "jllllll.github.io/llama-cpp-python-cuBLAS-wheels/cpu.html",
            },
            id="llama-cpp-python",
        ),
    ],
)
def test_a_package_finds_its_channels(package: str, expected: set[str]) -> None:
    assert expected <= {channel.name for channel in channels_for([package], bundled_channels())}


def test_an_unknown_package_is_left_to_the_channels_that_may_carry_anything() -> None:
    index = configured_channels(ConfiguredIndex(index_url="https://index.example/simple"))
    assert channels_for(["no-such-thing"], (*bundled_channels(), *index)) == index


def test_aliases_begin_with_the_name_that_was_asked_for() -> None:
    assert aliases_of("sgl_kernel") == ("sgl-kernel", "sglang-kernel")
    assert aliases_of("SGLang.Kernel") == ("sglang-kernel", "sgl-kernel")
    assert aliases_of("numpy") == ("numpy",)


def test_roots_become_addresses() -> None:
    channel = next(each for each in bundled_channels() if each.name == "docs.sglang.ai/whl")
    assert "https://docs.sglang.ai/whl/cu130" in channel.root_urls()
    assert parse_spec("index:https://index.example/simple/").root_urls() == ("https://index.example/simple",)


@pytest.mark.parametrize(
    ("spec", "kind", "name", "address"),
    [
        pytest.param("github:o/r", "github", "o/r", "o/r", id="repository"),
        pytest.param("github:o/r@v1.*", "github", "o/r@v1.*", "o/r", id="repository with tags"),
        pytest.param("index:https://h.test/simple/", "index", "h.test/simple", "https://h.test/simple", id="index"),
        pytest.param(
            "index:http://127.0.0.1:8080/s", "index", "127.0.0.1:8080/s", "http://127.0.0.1:8080/s", id="port"
        ),
        pytest.param("links:https://h.test/a.html", "links", "h.test/a.html", "https://h.test/a.html", id="page"),
        pytest.param("links:file:///a/b", "links", "/a/b", "file:///a/b", id="folder"),
        pytest.param("links:/a/b c", "links", "/a/b c", "file:///a/b%20c", id="path"),
    ],
)
def test_specs_are_read(spec: str, kind: str, name: str, address: str) -> None:
    channel = parse_spec(spec)
    assert (channel.kind, channel.name, channel.address) == (kind, name, address)
    assert channel.user_named


def test_B21_the_name_and_text_of_a_channel_hold_no_secret() -> None:
    channel = parse_spec("index:https://u:CANARY1@h.test/simple?token=CANARY2")
    assert "CANARY" not in channel.name + repr(channel)
    assert "CANARY1" in channel.address


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param("github:", id="nothing"),
        pytest.param("github:o", id="owner alone"),
        pytest.param("github:o/r/x", id="three parts"),
        pytest.param("github:o/r@", id="no tags"),
        pytest.param("index:ftp://h.test/", id="another scheme"),
        pytest.param("index:https://", id="no host"),
        pytest.param("index:https://[::1/", id="broken host"),
        pytest.param("index:https://h.test:99999/", id="broken port"),
        pytest.param("gitlab:o/r", id="unknown kind"),
        pytest.param("hf:", id="no repository"),
        pytest.param("hf:model", id="no owner"),
        pytest.param("hf:o/r/x", id="a directory of a repository"),
        pytest.param("hf:https://huggingface.co/o/r", id="an address"),
        pytest.param("hf:../r", id="a way up"),
        pytest.param("oci:docker.io/o/r", id="later kind"),
        pytest.param("", id="empty"),
    ],
)
def test_wrong_specs_are_wrong_use_with_a_hint(spec: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_spec(spec)
    assert "github:OWNER/REPO" in caught.value.hint


@pytest.mark.parametrize(
    ("spec", "name", "tree"),
    [
        ("hf:Owner/My.Repo-1", "huggingface.co/Owner/My.Repo-1", "models/Owner/My.Repo-1"),
        ("hf:datasets/o/r", "huggingface.co/datasets/o/r", "datasets/o/r"),
    ],
)
def test_hugging_face_repositories(spec: str, name: str, tree: str) -> None:
    channel = parse_spec(spec)
    assert (channel.name, channel.kind, channel.spec) == (name, "hf", spec)
    assert channel.root_urls() == (f"https://huggingface.co/api/{tree}/tree/main?recursive=true&expand=false",)


@pytest.mark.parametrize("spec", ["oci:r/n"])
def test_later_kinds_say_that_they_are_not_available_in_this_version(spec: str) -> None:
    with pytest.raises(UsageError, match="not available in this version"):
        parse_spec(spec)


@given(st.text(max_size=60))
def test_any_text_is_a_channel_or_wrong_use(text: str) -> None:
    try:
        channel = parse_spec(text)
    except UsageError:
        return
    assert channel.name


def test_choosing_takes_names_in_any_case_and_specs() -> None:
    channels = bundled_channels()
    assert choose_channel("SGL-Project/WHL", channels).name == "sgl-project/whl"
    assert choose_channel("github:x/y", channels).name == "x/y"
    with pytest.raises(UsageError) as caught:
        choose_channel("flash-attention", channels)
    assert "dao-ailab/flash-attention" in caught.value.hint


def test_tag_globs_choose_releases() -> None:
    channel = parse_spec("github:o/r@nightly-*")
    assert matches_tag(channel, "nightly-2026-02-27")
    assert not matches_tag(channel, "v1")
    assert matches_tag(parse_spec("github:o/r"), "v1")


def test_the_configured_index_becomes_channels() -> None:
    index = ConfiguredIndex(
        index_url="https://index.example/simple",
        extra_index_urls=("file:///mirror",),
        find_links=("file:///wheels", "https://l.test/x.html"),
    )
    channels = configured_channels(index)
    assert [channel.name for channel in channels] == ["index", "index:/mirror", "/wheels", "l.test/x.html"]
    assert [channel.kind for channel in channels] == ["index", "index", "links", "links"]
    assert all(channel.configured and channel.user_named for channel in channels)
    assert configured_channels(ConfiguredIndex()) == ()


def test_asking_for_aliases_loads_neither_http_nor_orm() -> None:
    code = "import sys, crawler.channels as c; c.aliases_of('x'); c.bundled_channels()\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not {"httpx", "sqlalchemy", "sqlmodel", "asyncio"} & set(done.stdout.split())
