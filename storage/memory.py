"""What the next walk of a channel must know of earlier ones.

It knows how rows become a ``ChannelMemory``; it must not know what a walk does with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage.channel_rows import find_channel
from storage.scope import moment
from wheels.observation import ChannelMemory, KnownRelease, Validators

if TYPE_CHECKING:
    import sqlite3

_CHANNEL = "SELECT repository, repository_id, last_complete_at, list_complete FROM channel WHERE id = ?"
_VALIDATORS = """SELECT url, etag, last_modified, accept, body_sha256, parser_version, read_at
                 FROM validator WHERE channel_id = ?"""
_PAGES = """
SELECT p.key, p.url, p.last_read_at, p.next_check_at, p.complete, p.published_at, p.updated_at, p.immutable,
       p.gone_since, (SELECT COUNT(*) FROM wheel w WHERE w.page_id = p.id AND w.vanished_at IS NULL)
FROM page p WHERE p.channel_id = ?
"""


def read_memory(db: sqlite3.Connection, channel: str) -> ChannelMemory:
    """Everything that is known of a channel's earlier walks; empty for a new one.

    Releases and index pages are keyed by their tag, pages without one by their URL.
    """
    channel_id = find_channel(db, channel)
    if channel_id is None:
        return ChannelMemory()
    repository, repository_id, last_complete_at, list_complete = db.execute(_CHANNEL, (channel_id,)).fetchone()
    return ChannelMemory(
        validators={row[0]: _validators(row[1:]) for row in db.execute(_VALIDATORS, (channel_id,))},
        releases={row[0]: _release(row) for row in db.execute(_PAGES, (channel_id,))},
        repository=repository,
        repository_id=repository_id,
        last_complete_at=moment(last_complete_at),
        list_complete=bool(list_complete),
    )


def _validators(row: tuple[str | None, str | None, str, str | None, int, str | None]) -> Validators:
    etag, last_modified, accept, body_sha256, parser_version, read_at = row
    return Validators(
        etag=etag,
        last_modified=last_modified,
        accept=accept,
        body_sha256=body_sha256,
        parser_version=parser_version,
        read_at=moment(read_at),
    )


def _release(
    row: tuple[str, str, str | None, str | None, int, str | None, str | None, int | None, str | None, int],
) -> KnownRelease:
    key, url, last_read_at, next_check_at, complete, published_at, updated_at, immutable, gone_since, live = row
    return KnownRelease(
        tag=key,
        page_url=url,
        last_read_at=moment(last_read_at),
        next_check_at=moment(next_check_at),
        complete=bool(complete),
        wheels=live,
        published_at=published_at,
        updated_at=updated_at,
        immutable=None if immutable is None else bool(immutable),
        gone=gone_since is not None,
    )
