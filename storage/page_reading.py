"""What each way of having read a page leaves behind.

It knows which verdicts store, confirm or end anything (OK and EMPTY all, PARTIAL adds, BROKEN and RETRY nothing, GONE
is judged at the end of the walk); it must not know columns of wheels.
"""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import TYPE_CHECKING

from storage import page_rows
from storage.digests import GITHUB_KINDS, settle_conflicts
from storage.page_rows import Outcome
from storage.problems import confirm_problems, store_problems
from storage.rows import FILE_KINDS, READER, listed_wheels
from storage.scope import Delta
from storage.vanish import revive
from storage.wheel_rows import Reading, store_wheels
from wheels.errors import HttpStatus
from wheels.page import PageProblem, Shape

if TYPE_CHECKING:
    from storage.page_rows import StoredPage
    from storage.scope import Scope
    from wheels.observation import PageFailed, PageRead, PageUnchanged, ReleaseListRead
    from wheels.page import Page

_GONE_STATUSES = frozenset({404, 410})


def store_page(scope: Scope, seen: PageRead) -> Delta:
    """A page was read and parsed."""
    shape = seen.page.shape
    if seen.tag is None and seen.page.kind not in FILE_KINDS:
        return _store_listing(scope, seen)
    if seen.release is not None:
        page_rows.record_release(scope, seen.release)
    page = page_rows.find_or_make_page(scope, seen.tag, seen.requested_url)
    if shape.usable:
        return _store_files(scope, page, seen)
    if shape is Shape.GONE:
        page_rows.record_gone(scope, page)
        return Delta()
    page_rows.record_attempt(scope, page, shape=shape.value, reason=seen.page.reason)
    return Delta(problems=store_problems(scope, page.id, [*seen.page.problems, _verdict(seen)]))


def _store_listing(scope: Scope, seen: PageRead) -> Delta:
    """A page that lists pages (release list, feed, root of an index): no files of its own."""
    shape = seen.page.shape
    problems = list(seen.page.problems)
    if shape is Shape.GONE:
        _channel_gone(scope)
    elif shape.usable:
        _channel_there(scope)
    if shape not in {Shape.OK, Shape.EMPTY, Shape.GONE}:
        problems.append(_verdict(seen))
    if shape.complete:
        page_rows.store_validators(scope, seen.requested_url, seen.validators)
    return Delta(problems=store_problems(scope, None, problems))


def _store_files(scope: Scope, page: StoredPage, seen: PageRead) -> Delta:
    _channel_there(scope)
    facts = _facts(seen)
    complete = _proves_absence(seen.page)
    if page.facts == facts and page.complete == complete:
        delta = Delta(back=revive(scope, page.id), problems=confirm_problems(scope, page.id))
    else:
        delta = _store_changed(scope, page, seen, facts)
    outcome = Outcome(
        shape=seen.page.shape.value, reason=seen.page.reason, complete=complete, next_check_at=seen.next_check_at
    )
    page_rows.record_reading(scope, page, outcome)
    if complete:  # what was read in part is asked for anew, not whether it changed
        page_rows.store_validators(scope, seen.requested_url, seen.validators)
    return delta


def _proves_absence(page: Page) -> bool:
    """Whether what the page does not list is absent: the files of a quarantined project are hidden, not gone (A32)."""
    return page.shape.complete and page.project_status != "quarantined"


def _store_changed(scope: Scope, page: StoredPage, seen: PageRead, facts: bytes) -> Delta:
    problems = list(seen.page.problems)
    complete = _proves_absence(seen.page)
    if not seen.page.shape.complete:
        problems.append(_verdict(seen))
    reading = Reading(
        scope=scope,
        page=page,
        listed=listed_wheels(seen, problems),
        project=seen.page.project,
        reread=page.reader not in {None, READER},
        problems=problems,
    )
    page_rows.record_facts(scope, page, seen.page, reader=READER, facts=facts)
    delta = store_wheels(reading, complete=complete)
    if seen.page.kind in GITHUB_KINDS:
        settle_conflicts(scope.db, reading.listed)
    return delta + Delta(problems=store_problems(scope, page.id, reading.problems))


def _facts(seen: PageRead) -> bytes:
    """A digest of all that would be stored of a page: the same again means that nothing but the time is new."""
    page = seen.page
    said = (
        READER, seen.validators.parser_version, seen.tag, seen.context, page.kind, page.shape.value, page.url,
        page.project, page.project_status, page.project_status_reason, page.tracks, page.alternate_locations,
        page.assets, page.problems,
    )  # fmt: skip
    return blake2b(repr(said).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _verdict(seen: PageRead) -> PageProblem:
    reason = seen.page.reason or "no reason given"
    return PageProblem(code=seen.page.shape.value, detail=reason, url=seen.requested_url)


def confirm_page(scope: Scope, seen: PageUnchanged) -> Delta:
    """A page is as it was when it was last stored."""
    _channel_there(scope)
    page_rows.store_validators(scope, seen.requested_url, seen.validators)
    page = page_rows.find_page(scope, seen.tag, seen.requested_url)
    if page is None or page.last_read_at is None:
        return Delta()
    shape = "ok" if page.complete else "partial"
    if page.shape in {"ok", "empty", "partial"}:
        shape = page.shape
    outcome = Outcome(shape=shape, complete=page.complete, next_check_at=seen.next_check_at)
    page_rows.record_reading(scope, page, outcome)
    return Delta(back=revive(scope, page.id), problems=confirm_problems(scope, page.id))


def store_release_list(scope: Scope, seen: ReleaseListRead) -> None:
    """The releases that exist; of those that a complete list lacks, no file was there at this time."""
    _channel_there(scope)
    for release in seen.releases:
        page_rows.record_release(scope, release)
    update = "UPDATE channel SET list_complete = ?, list_run = ?, list_read_at = ? WHERE id = ?"
    scope.db.execute(update, (int(seen.complete), scope.run_id, scope.at, scope.channel_id))
    if seen.complete:
        missing = """UPDATE page SET gone_since = COALESCE(gone_since, ?), checked_at = ?, checked_run = ?
                     WHERE channel_id = ? AND tag IS NOT NULL AND tag NOT IN (SELECT value FROM json_each(?))"""
        tags = json.dumps([release.tag for release in seen.releases])
        scope.db.execute(missing, (scope.at, scope.at, scope.run_id, scope.channel_id, tags))


def store_failure(scope: Scope, seen: PageFailed) -> Delta:
    """A page gave nothing; what was stored of it stays."""
    if isinstance(seen.error, HttpStatus) and seen.error.status in _GONE_STATUSES and seen.tag is None:
        _channel_gone(scope)
    page = page_rows.find_page(scope, seen.tag, seen.requested_url)
    if page is not None:
        page_rows.record_attempt(scope, page, shape="failed", reason=seen.error.reason)
    code = re.sub("(?<=[a-z])(?=[A-Z])", "-", type(seen.error).__name__).lower()
    problem = PageProblem(code=code, detail=str(seen.error), url=seen.requested_url)
    return Delta(problems=store_problems(scope, page.id if page else None, [problem]))


def _channel_gone(scope: Scope) -> None:
    update = "UPDATE channel SET gone_since = COALESCE(gone_since, ?), gone_run = ? WHERE id = ?"
    scope.db.execute(update, (scope.at, scope.run_id, scope.channel_id))


def _channel_there(scope: Scope) -> None:
    scope.db.execute(
        "UPDATE channel SET gone_since = NULL WHERE id = ? AND gone_since IS NOT NULL", (scope.channel_id,)
    )
