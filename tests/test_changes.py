"""New, replaced, vanished, back again: as `wheelfind changes` tells it, with the filters of find."""

from __future__ import annotations

import json
import signal
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from observing import INDEX, A, B, asset, crawl, index_page, new_catalog, release_page, release_wheels, wheels

from wheelfind.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

OTHER = "other-1.0+cu128-cp311-cp311-linux_x86_64.whl"
START, LATER = "2026-12-01", "2026-12-01T05:00:00"


@pytest.fixture(autouse=True)
def user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A catalog of six crawls: 2 is replaced, 3 vanishes and comes back, 1 vanishes, 4 and another package are new."""
    seen = [
        (0, wheels(1, 2, 3)),
        (6, (*wheels(1), *wheels(2, sha256=B), *wheels(3))),
        (12, (*wheels(1), *wheels(2, sha256=B))),
        (24, (*wheels(1), *wheels(2, sha256=B))),
        (36, (*wheels(2, sha256=B), *wheels(3))),
        (48, (*wheels(2, sha256=B), *wheels(3, 4), asset(OTHER))),
    ]
    with closing(new_catalog(tmp_path)) as catalog:
        for at, listed in seen:
            crawl(catalog, at, index_page(listed, at))
        crawl(catalog, 50, release_page(release_wheels(9), 50))
    monkeypatch.setenv("WHEELFIND_DB", str(tmp_path / "catalog.sqlite"))
    monkeypatch.setenv("WHEELFIND_CONFIG", str(tmp_path / "config"))
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def changes(capfd: pytest.CaptureFixture[str]) -> Callable[..., list[dict[str, Any]]]:
    def call(*words: str) -> list[dict[str, Any]]:
        assert main(["changes", *words, "--format", "json"]) == 0
        found = json.loads(capfd.readouterr()[0])
        assert isinstance(found, list)
        return found

    return call


def told(rows: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(row["at"], row["kind"], f"{row['package']} {row['version']}") for row in rows]


def test_every_kind_is_told_latest_first(changes: Callable[..., list[dict[str, Any]]]) -> None:
    assert told(changes("--since", LATER, "--channel", INDEX)) == [
        ("2026-12-03T00:00:00Z", "new", "demo 4.0"),
        ("2026-12-03T00:00:00Z", "new", "other 1.0"),
        ("2026-12-03T00:00:00Z", "vanished", "demo 1.0"),
        ("2026-12-02T12:00:00Z", "back", "demo 3.0"),
        ("2026-12-02T00:00:00Z", "vanished", "demo 3.0"),
        ("2026-12-01T06:00:00Z", "replaced", "demo 2.0"),
    ]


def test_what_was_replaced_names_both_hashes(changes: Callable[..., list[dict[str, Any]]]) -> None:
    [row] = [row for row in changes("--since", START) if row["kind"] == "replaced"]
    assert (row["sha256_before"], row["sha256"], row["replaced"]) == (A, B, True)
    assert all(row["sha256_before"] is None for row in changes("--since", START) if row["kind"] != "replaced")


@pytest.mark.parametrize(
    ("words", "packages"),
    [
        (["demo"], {"demo"}),
        (["demo", "other"], {"demo", "other"}),
        (["o*"], {"other"}),
        (["demo==4.0"], {"demo"}),
        (["--cu128"], {"other"}),
        (["--cp312"], {"demo"}),
        (["--cp311"], {"other"}),
        (["--tag", "v1"], {"demo"}),
        (["--windows"], set()),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_filters_are_those_of_find(
    changes: Callable[..., list[dict[str, Any]]], words: list[str], packages: set[str]
) -> None:
    assert {row["package"] for row in changes(*words, "--since", START)} == packages


def test_each_package_has_its_own_version(changes: Callable[..., list[dict[str, Any]]]) -> None:
    assert {row["version"] for row in changes("demo==4.0", "other<2", "--since", START)} == {"4.0", "1.0"}


def test_limit_keeps_the_latest(changes: Callable[..., list[dict[str, Any]]]) -> None:
    assert told(changes("--since", START, "--limit", "1")) == [("2026-12-03T02:00:00Z", "new", "demo 9.0")]


def test_the_kinds_are_counted(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["changes", "demo", "--since", LATER]) == 0
    out, err = capfd.readouterr()
    assert "2 new, 1 replaced, 2 vanished, 1 back again since 2026-12-01T05:00:00Z" in err
    assert "replaced" in out
