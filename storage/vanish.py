"""When an absent file's life ends: rule R1.

It knows absences and times; it must not know what a page showed. A file is marked only when two complete walks, at
least 6 hours apart, missed it on pages that were whole, and when no more than half of the channel's files are missing.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from storage.problems import store_problems
from storage.scope import Delta, written
from storage.statements import INSERT_EVENT
from wheels.page import PageProblem

if TYPE_CHECKING:
    from storage.scope import Scope

GAP = timedelta(hours=6)
"""Between the two absences."""
GONE_FOR = timedelta(days=7)
"""A whole repository, or an index page, that answers 404 says nothing for so long."""

_UNLISTED = """
SELECT w.id, w.absent_since, p.checked_at FROM page p JOIN wheel w INDEXED BY wheel_unlisted ON w.page_id = p.id
WHERE p.channel_id = ? AND p.checked_run = ? AND w.last_listed_at IS NOT NULL AND w.vanished_at IS NULL
"""
_ON_GONE_PAGES = """
SELECT w.id, w.absent_since, p.checked_at FROM page p JOIN wheel w ON w.page_id = p.id
WHERE p.channel_id = ? AND p.checked_run = ? AND p.gone_since IS NOT NULL AND w.last_listed_at IS NULL
AND w.vanished_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM listing l JOIN page q ON q.id = l.page_id WHERE l.wheel_id = w.id AND q.gone_since IS NULL)
"""


def judge_absences(scope: Scope, *, accepted: bool) -> Delta:
    """Count this complete walk's absences, and end the lives of files that were missing in an earlier one too.

    Args:
        scope: the end of the walk.
        accepted: the user says that a mass vanish is true (``--accept-vanish``).
    """
    _count_gone_pages(scope)
    key = (scope.channel_id, scope.run_id)
    absent = scope.db.execute(_UNLISTED, key).fetchall() + scope.db.execute(_ON_GONE_PAGES, key).fetchall()
    if not absent:
        return Delta()
    _note_first(scope, absent)
    missing, live = _share(scope)
    if missing * 2 > live and not accepted:
        detail = f"{missing} of {live} files are missing at once; nothing was marked as vanished"
        problem = PageProblem(code="mass-vanish", detail=detail)
        return Delta(problems=store_problems(scope, None, [problem]), mass_vanish=True)
    return Delta(vanished=_mark(scope, absent))


def judge_gone_channel(scope: Scope) -> Delta:
    """The whole channel answered 404 in this walk: after 7 days of that, its files count as absent."""
    select = "SELECT gone_since FROM channel WHERE id = ? AND gone_run = ? AND gone_since <= ?"
    before = written(datetime.fromisoformat(scope.at) - GONE_FOR)
    if scope.db.execute(select, (scope.channel_id, scope.run_id, before)).fetchone() is None:
        return Delta()
    return Delta(vanished=_miss_all(scope, scope.channel_id))


def judge_superseded(scope: Scope) -> Delta:
    """Another repository answered completely under this name: the old one's files count as absent."""
    rows = scope.db.execute("SELECT id FROM channel WHERE superseded_by = ?", (scope.channel_id,)).fetchall()
    return Delta(vanished=sum(_miss_all(scope, channel_id) for (channel_id,) in rows))


def _miss_all(scope: Scope, channel_id: int) -> int:
    """The place itself is gone, so the share that is missing proves nothing: only the two absences count."""
    select = "SELECT id, absent_since FROM wheel WHERE channel_id = ? AND vanished_at IS NULL"
    absent = [(*row, scope.at) for row in scope.db.execute(select, (channel_id,))]
    _note_first(scope, absent)
    return _mark(scope, absent)


def _count_gone_pages(scope: Scope) -> None:
    """A release whose page answered 404 counts when the list was whole, an index page after 7 days of that."""
    sql = """UPDATE page SET checked_at = tried_at, checked_run = tried_run
             WHERE channel_id = ? AND shape = 'gone' AND tried_run = ? AND (gone_since <= ?
             OR EXISTS (SELECT 1 FROM channel c
                        WHERE c.id = page.channel_id AND c.list_run = ? AND c.list_complete = 1))"""
    before = written(datetime.fromisoformat(scope.at) - GONE_FOR)
    scope.db.execute(sql, (scope.channel_id, scope.run_id, before, scope.run_id))


def _note_first(scope: Scope, absent: list[tuple[int, str | None, str]]) -> None:
    first = [(checked_at, wheel_id) for wheel_id, since, checked_at in absent if since is None]
    scope.db.executemany("UPDATE wheel SET absent_since = ? WHERE id = ?", first)


def _share(scope: Scope) -> tuple[int, int]:
    """How many files the channel's complete walks miss, of how many that were live before this run."""
    missing = """SELECT COUNT(*) FROM wheel WHERE channel_id = ? AND absent_since IS NOT NULL AND vanished_at IS NULL"""
    live = "SELECT COUNT(*) FROM wheel WHERE channel_id = ? AND vanished_at IS NULL AND run_id <> ?"
    return (
        scope.db.execute(missing, (scope.channel_id,)).fetchone()[0],
        scope.db.execute(live, (scope.channel_id, scope.run_id)).fetchone()[0],
    )


def _mark(scope: Scope, absent: list[tuple[int, str | None, str]]) -> int:
    due = [
        (wheel_id, at)
        for wheel_id, since, at in absent
        if since is not None and datetime.fromisoformat(at) - datetime.fromisoformat(since) >= GAP
    ]
    scope.db.executemany("UPDATE wheel SET vanished_at = ? WHERE id = ?", [(at, wheel_id) for wheel_id, at in due])
    scope.db.executemany(INSERT_EVENT, [(wheel_id, scope.run_id, at, "vanished") for wheel_id, at in due])
    return len(due)


def revive(scope: Scope, page_id: int) -> int:
    """The page is there again as it was: what it listed is not absent.

    Returns:
        How many vanished wheels are back.
    """
    select = """SELECT id, vanished_at FROM wheel
                WHERE channel_id = ? AND page_id = ? AND absent_since IS NOT NULL AND last_listed_at IS NULL"""
    rows = scope.db.execute(select, (scope.channel_id, page_id)).fetchall()
    clear = "UPDATE wheel SET absent_since = NULL, vanished_at = NULL WHERE id = ?"
    scope.db.executemany(clear, [row[:1] for row in rows])
    back = [wheel_id for wheel_id, vanished_at in rows if vanished_at is not None]
    scope.db.executemany(INSERT_EVENT, [(wheel_id, scope.run_id, scope.at, "back") for wheel_id in back])
    return len(back)
