"""Rows of ``page``: releases and index pages, when they were read and how that went.

It knows the life of a page; it must not know the wheels on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from storage.scope import written
from storage.statements import UPSERT_VALIDATOR
from storage.urls import escaped, free_text
from wheels.redaction import shown_url

if TYPE_CHECKING:
    from datetime import datetime

    from storage.scope import Scope
    from wheels.observation import Validators
    from wheels.page import Page, Release


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPage:
    """What is known of a page before this reading."""

    id: int
    tag: str | None
    last_read_at: str | None
    shape: str | None
    complete: bool
    gone_since: str | None
    reader: int | None
    facts: bytes | None


_FIND = """SELECT id, tag, last_read_at, shape, complete, gone_since, reader, facts
           FROM page WHERE channel_id = ? AND key = ?"""
_MAKE = "INSERT INTO page (channel_id, key, tag, url, first_seen, complete) VALUES (?, ?, ?, ?, ?, 0)"


def find_page(scope: Scope, tag: str | None, url: str) -> StoredPage | None:
    """The row of a page, known by its tag, else by its URL."""
    row = scope.db.execute(_FIND, (scope.channel_id, _key(tag, url))).fetchone()
    if row is None:
        return None
    return _page(*row)


def find_or_make_page(scope: Scope, tag: str | None, url: str) -> StoredPage:
    """The row of a page; a new one when it was never heard of."""
    known = find_page(scope, tag, url)
    if known is not None:
        return known
    shown = shown_url(url)
    made = scope.db.execute(_MAKE, (scope.channel_id, _key(tag, url), _storable(tag), shown, scope.at))
    return _page(made.lastrowid or 0, tag)


def _page(
    row_id: int,
    tag: str | None,
    last_read_at: str | None = None,
    shape: str | None = None,
    complete: int = 0,
    gone_since: str | None = None,
    reader: int | None = None,
    facts: bytes | None = None,
) -> StoredPage:
    return StoredPage(
        id=row_id,
        tag=tag,
        last_read_at=last_read_at,
        shape=shape,
        complete=bool(complete),
        gone_since=gone_since,
        reader=reader,
        facts=facts,
    )


def _key(tag: str | None, url: str) -> str:
    return shown_url(url) if tag is None else _storable(tag) or ""


def _storable(tag: str | None) -> str | None:
    return free_text(tag)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a reading of a page went."""

    shape: str
    reason: str = ""
    complete: bool
    """Absence from the page says something."""
    next_check_at: datetime | None


def record_reading(scope: Scope, page: StoredPage, outcome: Outcome) -> None:
    """A page was read and understood, or is as it was: it is there."""
    sql = """UPDATE page SET last_read_at = ?, tried_at = ?, tried_run = ?, shape = ?, reason = ?, complete = ?,
             next_check_at = ?, gone_since = NULL WHERE id = ?"""
    later = written(outcome.next_check_at) if outcome.next_check_at else None
    what = (outcome.shape, escaped(outcome.reason) or None, int(outcome.complete), later)
    scope.db.execute(sql, (scope.at, scope.at, scope.run_id, *what, page.id))
    if outcome.complete:
        sql = "UPDATE page SET checked_at = ?, checked_run = ? WHERE id = ?"
        scope.db.execute(sql, (scope.at, scope.run_id, page.id))


def record_facts(scope: Scope, page: StoredPage, seen: Page, *, reader: int, facts: bytes) -> None:
    """What a page is, and the digest of all that was stored of it."""
    sql = """UPDATE page SET kind = ?, url = ?, project_status = ?, project_status_reason = ?, tracks = ?,
             alternate_locations = ?, reader = ?, facts = ? WHERE id = ?"""
    status = (free_text(seen.project_status), free_text(seen.project_status_reason))
    elsewhere = (_addresses(seen.tracks), _addresses(seen.alternate_locations))
    scope.db.execute(sql, (seen.kind, shown_url(seen.url), *status, *elsewhere, reader, facts, page.id))


def _addresses(urls: tuple[str, ...]) -> str | None:
    """A list column of addresses; NULL where a page names none."""
    return f" {' '.join(map(shown_url, urls))} " if urls else None


def record_attempt(scope: Scope, page: StoredPage, *, shape: str, reason: str) -> None:
    """A page was asked for and gave nothing that may be stored; its last reading stands."""
    sql = "UPDATE page SET tried_at = ?, tried_run = ?, shape = ?, reason = ? WHERE id = ?"
    scope.db.execute(sql, (scope.at, scope.run_id, shape, escaped(reason) or None, page.id))


def record_gone(scope: Scope, page: StoredPage) -> None:
    """A page answered 404 or 410; what that means is judged at the end of the walk."""
    record_attempt(scope, page, shape="gone", reason="")
    scope.db.execute("UPDATE page SET gone_since = COALESCE(gone_since, ?) WHERE id = ?", (scope.at, page.id))


def record_release(scope: Scope, release: Release) -> None:
    """What a list, feed or REST answer says of a release; a fact that it does not state stays."""
    url = release.fragment_url or release.assets_url or ""
    page = find_or_make_page(scope, release.tag, url)
    sql = """UPDATE page SET title = COALESCE(?, title), published_at = COALESCE(?, published_at),
             prerelease = COALESCE(?, prerelease), immutable = COALESCE(?, immutable),
             announced = COALESCE(?, announced),
             url = CASE WHEN url = '' THEN ? ELSE url END WHERE id = ?"""
    flags = tuple(None if flag is None else int(flag) for flag in (release.prerelease, release.immutable))
    facts = (free_text(release.title) or None, release.published_at, *flags, release.announced, shown_url(url))
    scope.db.execute(sql, (*facts, page.id))


def store_validators(scope: Scope, url: str, validators: Validators) -> None:
    """Keep what makes the next request conditional."""
    row = (
        scope.channel_id, shown_url(url), validators.etag, validators.last_modified, validators.accept,
        validators.body_sha256, validators.parser_version, written(validators.read_at) if validators.read_at else None,
    )  # fmt: skip
    scope.db.execute(UPSERT_VALIDATOR, row)
