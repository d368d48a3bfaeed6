"""Walks of the small world whose observations a real catalog keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from observing import rows
from walkworld import Walked, World, go

if TYPE_CHECKING:
    from crawler.channels import Channel
    from storage.write import Catalog


async def go_and_keep(world: World, channel: Channel, catalog: Catalog, **options: object) -> Walked:
    """Walk once, from what the catalog knows, and store all that was seen."""
    walked = await go(world, channel, catalog.memory(channel.name), **options)
    run = catalog.begin_run("crawl", world.now)
    for seen in walked.seen:
        catalog.store(seen)
    catalog.end_run(run, "ok", world.now)
    return walked


def urls(catalog: Catalog) -> dict[str, str | None]:
    """Each wheel that has not vanished, by address, with its sha256."""
    return dict(rows(catalog, "SELECT url, sha256 FROM wheels WHERE vanished_at IS NULL"))
