"""Several packages, patterns, the newest of each value, evidence, and the same bytes under several names."""

from __future__ import annotations

import json
import signal
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from catalogs import READ_AT, REPOSITORY, make_catalog

from storage.open import open_catalog
from wheelfind.cli import main
from wheels.observation import PageRead, Status, Validators, WalkEnded
from wheels.page import Asset, Page, Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Run = tuple[int, str, str]
MIRROR = "mirror.test/whl"
SAME = "ab" * 32
OTHERS = (
    ("flash_attn-2.8.3+cu12torch2.9cxx11abiTRUE-cp312-cp312-linux_x86_64.whl", "11" * 32),
    ("flash_attn-2.8.3+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl", "22" * 32),
    ("flash_attn-2.8.2+cu12torch2.9cxx11abiTRUE-cp312-cp312-linux_x86_64.whl", "33" * 32),
    ("pre_only-1.0rc1-py3-none-any.whl", "44" * 32),
    ("same-1.0+cu128-py3-none-any.whl", SAME),
    ("same-1.0+cu130-py3-none-any.whl", SAME),
)


@pytest.fixture(autouse=True)
def user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    location = make_catalog(tmp_path / "catalog.sqlite")
    url = "https://mirror.test/whl/"
    assets = tuple(
        Asset(filename=name, url=url + name.replace("+", "%2B"), hashes=(("sha256", digest),), size=9)
        for name, digest in OTHERS
    )
    with closing(open_catalog(location, lambda: READ_AT)) as catalog:
        run = catalog.begin_run("crawl", READ_AT)
        page = Page(kind="links", url=url, shape=Shape.OK, assets=assets)
        catalog.store(
            PageRead(
                channel=MIRROR,
                tag=None,
                context="",
                requested_url=url,
                page=page,
                validators=Validators(),
                fetched_at=READ_AT,
            )
        )
        catalog.store(WalkEnded(channel=MIRROR, status=Status.OK, ended_at=READ_AT))
        catalog.end_run(run, "ok", READ_AT)
    monkeypatch.setenv("WHEELFIND_DB", location)
    monkeypatch.setenv("WHEELFIND_CONFIG", str(tmp_path / "config"))
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    def call(*words: str) -> Run:
        status = main([*words, *([] if words[0] == "changes" else ["--offline"])])
        out, err = capfd.readouterr()
        return status, out, err

    return call


def rows(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_several_packages_are_one_answer(run: Callable[..., Run]) -> None:
    status, out, _ = run("find", "sgl-kernel", "flash-attn", "--cuda", "12", "--cu130", "-f", "jsonl")
    assert status == 0
    assert {row["package"] for row in rows(out)} == {"sgl-kernel", "flash-attn"}


def test_each_package_has_its_own_version(run: Callable[..., Run]) -> None:
    _, out, _ = run("sgl-kernel==0.3.20", "flash-attn<2.8.3", "-f", "json")
    found = json.loads(out)
    assert {(row["package"], row["version"]) for row in found["wheels"]} == {
        ("sgl-kernel", "0.3.20"),
        ("flash-attn", "2.8.2"),
    }
    assert found["query"]["spec"] == "sgl-kernel==0.3.20, flash-attn<2.8.3"


def test_a_package_without_a_match_is_named_beside_the_others(run: Callable[..., Run]) -> None:
    status, out, err = run("sgl-kernel", "flash-attn", "--cu130")
    assert status == 0
    assert "sgl_kernel" in out
    assert "no wheel of flash-attn matches --cuda 13.0; nearest misses:" in err


def test_pre_releases_show_where_a_package_has_nothing_else(run: Callable[..., Run]) -> None:
    _, out, _ = run("sgl-kernel", "pre-only", "-f", "jsonl")
    assert "1.0rc1" in {row["version"] for row in rows(out)}


def test_nothing_at_all_is_status_1(run: Callable[..., Run]) -> None:
    assert run("sgl-kernel", "flash-attn", "--cu118")[0] == 1


@pytest.mark.parametrize("words", [["sgl*"], ["sgl-kernel", "sgl_kernel"], ["sgl-kernel", "sglang-kernel"]])
def test_overlapping_questions_find_a_row_once(run: Callable[..., Run], words: list[str]) -> None:
    alone = rows(run("sgl-kernel", "-f", "jsonl")[1])
    assert rows(run("sgl-kernel", *words, "-f", "jsonl")[1]) == alone


def test_a_pattern_finds_across_packages(run: Callable[..., Run]) -> None:
    _, out, _ = run("*", "-f", "jsonl")
    assert {"sgl-kernel", "flash-attn", "same"} <= {row["package"] for row in rows(out)}


@pytest.mark.parametrize(
    ("fact", "values"),
    [
        ("torch", [("2.8.3", "2.9"), ("2.8.3", "2.8")]),
        ("cuda", [("2.8.3", "12")]),
        ("python", [("2.8.3", "cp312")]),
        ("package", [("2.8.3", "flash-attn")]),
    ],
)
def test_newest_per(run: Callable[..., Run], fact: str, values: list[tuple[str, str]]) -> None:
    _, out, _ = run("flash-attn", "--newest-per", fact, "-f", "jsonl")
    found = [(row["version"], row[fact][0] if fact == "python" else row[fact]) for row in rows(out)]
    assert sorted(found) == sorted(values)


def test_newest_per_counts_each_package_by_itself(run: Callable[..., Run]) -> None:
    _, out, _ = run("sgl-kernel", "flash-attn", "--newest-per", "cuda", "-f", "jsonl")
    found = [(row["package"], row["version"], row["cuda"]) for row in rows(out)]
    assert ("flash-attn", "2.8.3", "12") in found
    assert ("sgl-kernel", "0.3.20", "12.8") in found
    assert [row for row in found if row[2] == "13.0"] == [("sgl-kernel", "0.3.21", "13.0")]
    assert run("*", "--newest-per", "package", "-f", "jsonl")[1].count("\n") == len(
        {"sgl-kernel", "flash-attn", "same"}
    )


def test_limit_counts_after_the_newest_were_chosen(run: Callable[..., Run]) -> None:
    _, out, err = run("flash-attn", "--newest-per", "torch", "--limit", "1", "-f", "jsonl")
    assert len(rows(out)) == 1
    assert "showing 1 of 2" in err


def test_the_same_bytes_under_two_names_are_one_row(run: Callable[..., Run]) -> None:
    _, out, _ = run("same", "-f", "json")
    [row] = json.loads(out)["wheels"]
    other = {"same-1.0%2Bcu128-py3-none-any.whl", "same-1.0%2Bcu130-py3-none-any.whl"} - {row["url"].rpartition("/")[2]}
    assert [place["url"].rpartition("/")[2] for place in row["places"]] == list(other)
    assert [said["value"] for said in row["cuda_conflict"]] == [{"13.0": "12.8", "12.8": "13.0"}[row["cuda"]]]
    _, out, _ = run("same")
    assert "also named same-1.0+cu" in out
    assert "but cuda 1" in out


def test_explain_says_which_evidence_said_what(run: Callable[..., Run]) -> None:
    _, out, _ = run("sgl-kernel==0.3.21", "--cu130", "--aarch64", "--explain")
    assert "shown: accelerator=cuda cuda=13.0 cuda_from=filename" in out
    assert "filename label cu130: accelerator=cuda cuda=13.0" in out
    assert "filename tags cp310-abi3-manylinux2014_aarch64: " in out
    assert f"ledger current https://github.test/{REPOSITORY}/releases/download/v0.3.21/" in out
    assert f"channel={REPOSITORY} sha256=" in out


def test_explain_is_a_key_in_json(run: Callable[..., Run]) -> None:
    _, out, _ = run("same", "--explain", "-f", "jsonl")
    [row] = rows(out)
    assert [said["from"] for said in row["evidence"]].count("ledger") == 2
    assert {said["says"]["sha256"] for said in row["evidence"] if said["from"] == "ledger"} == {SAME}
    assert any(said["part"] == "conflict" for said in row["evidence"])
    _, out, _ = run("same", "-f", "jsonl")
    assert "evidence" not in rows(out)[0]
