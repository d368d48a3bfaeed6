"""The configured package index itself, gently: a crawl of two projects agrees with the index's own JSON, file by file.

Run: ``uv run pytest -m live``. Two pages are read twice; nothing is downloaded.
"""

from __future__ import annotations

import json
import os
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import wheelfind
from crawler.configured_index import Machine, configured_index
from wheelfind.crawling import CrawlOptions, crawl
from wheels.observation import Status
from wheels.version_key import version_key

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]

PROJECTS = ("sgl-kernel", "torch")
JSON = "application/vnd.pypi.simple.v1+json"
Facts = tuple[str | None, int | None, bool, str | None, str | None]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A catalog into which the configured index was crawled for the projects."""
    room = tmp_path_factory.mktemp("live")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WHEELFIND_CONFIG", str(room / "config"))
        options = CrawlOptions(location=str(room / "c.sqlite"), channels=("index",), packages=PROJECTS)
        (report,) = crawl(options, print)
    assert report.status is Status.OK
    return options.location


def stated(project: str) -> dict[str, Facts]:
    """What the index says of each wheel of a project (PEP 691, 700)."""
    index = configured_index(os.environ, Machine(home=Path.home()))
    request = urllib.request.Request(f"{index.index_url}/{project}/", headers={"Accept": JSON})  # noqa: S310 - the index
    with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310 - as above
        files: list[dict[str, Any]] = json.load(reply)["files"]
    return {
        file["filename"]: (
            file["hashes"].get("sha256"),
            file.get("size"),
            file.get("yanked", False) is not False,
            (file["yanked"] if isinstance(file.get("yanked"), str) else None),
            file.get("requires-python"),
        )
        for file in files
        if file["filename"].endswith(".whl")
    }


@pytest.mark.parametrize("project", PROJECTS)
def test_find_agrees_with_the_index_file_by_file(catalog: str, project: str) -> None:
    with wheelfind.open_catalog(catalog) as opened:
        answer = opened.find(project, pre=True, yanked=True, vanished=True)
        found = {
            wheel.filename: (wheel.sha256, wheel.size, wheel.yanked, wheel.yank_reason, wheel.requires_python)
            for wheel in answer
            if wheel.package == project
        }
        versions = [version_key(wheel.version or "") for wheel in answer if wheel.package == project]
    assert found == stated(project)
    assert versions == sorted(versions, reverse=True)
    assert len(found) > 10
