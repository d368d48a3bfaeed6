"""A small catalog for tests of the doors: releases of a repository and a page of an index, written as by a crawl."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from storage.open import open_catalog
from wheels.observation import PageRead, Status, Validators, WalkEnded
from wheels.page import Asset, Page, Release, Shape

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

READ_AT = datetime(2026, 3, 1, tzinfo=UTC)
REPOSITORY = "sgl-project/whl"
INDEX = "docs.sglang.ai/whl"
NIGHTLY = "nightly-2026-02-27-52c8a3632"
RELEASES = {
    "v0.3.21": (
        "sgl_kernel-0.3.21+cu130-cp310-abi3-manylinux2014_x86_64.whl",
        "sgl_kernel-0.3.21+cu130-cp310-abi3-manylinux2014_aarch64.whl",
        "sgl_kernel-0.3.21-cp310-abi3-manylinux2014_x86_64.whl",
        "sgl_kernel-0.3.21+rocm700-cp310-abi3-manylinux2014_x86_64.whl",
    ),
    "v0.3.20": (
        "sgl_kernel-0.3.20+cu130-cp310-abi3-manylinux2014_x86_64.whl",
        "sgl_kernel-0.3.20+cu128-cp310-abi3-manylinux2014_x86_64.whl",
    ),
    NIGHTLY: ("sglang-0.5.10.dev20260227+g52c8a3632-py3-none-any.whl",),
}


def make_catalog(path: Path) -> str:
    """Write the catalog; its path as text."""
    with closing(open_catalog(path, lambda: READ_AT)) as catalog:
        run = catalog.begin_run("crawl", READ_AT)
        for tag, names in RELEASES.items():
            catalog.store(_release(tag, names))
        catalog.store(WalkEnded(channel=REPOSITORY, status=Status.OK, ended_at=READ_AT))
        catalog.store(_index_page("cu130/sgl-kernel", RELEASES["v0.3.21"][:1]))
        catalog.store(WalkEnded(channel=INDEX, status=Status.OK, ended_at=READ_AT))
        catalog.end_run(run, "ok", READ_AT)
    return str(path)


def _release(tag: str, names: Sequence[str]) -> PageRead:
    url = f"https://github.test/{REPOSITORY}/releases/expanded_assets/{tag}"
    page = Page(kind="expanded-assets", url=url, shape=Shape.OK, assets=tuple(_asset(tag, name) for name in names))
    return PageRead(
        channel=REPOSITORY,
        tag=tag,
        context=tag,
        requested_url=url,
        page=page,
        validators=Validators(),
        fetched_at=READ_AT,
        release=Release(tag=tag, published_at="2026-02-27T00:00:00Z"),
    )


def _index_page(tag: str, names: Sequence[str]) -> PageRead:
    url = f"https://docs.sglang.test/whl/{tag}/"
    assets = tuple(_asset("v0.3.21", name) for name in names)
    return PageRead(
        channel=INDEX,
        tag=tag,
        context=tag,
        requested_url=url,
        page=Page(kind="simple", url=url, shape=Shape.OK, assets=assets),
        validators=Validators(),
        fetched_at=READ_AT,
    )


def _asset(tag: str, name: str) -> Asset:
    return Asset(
        filename=name,
        url=f"https://github.test/{REPOSITORY}/releases/download/{tag}/{name}",
        hashes=(("sha256", sha256(name.encode()).hexdigest()),),
        size=535_601_072,
        uploaded_at="2026-02-27T10:00:00Z",
    )
