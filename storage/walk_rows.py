"""The end of a walk: absences are judged, the channel says how it stands, the run gets its row.

It knows what a channel's status is after a walk; it must not know how absences are judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage.statements import UPSERT_WALK
from storage.urls import escaped
from storage.vanish import judge_absences, judge_gone_channel, judge_superseded
from wheels.observation import Cause, Status

if TYPE_CHECKING:
    from storage.scope import Delta, Scope
    from wheels.observation import WalkEnded

_COMPLETE = frozenset({Status.OK, Status.UNCHANGED})


def end_walk(scope: Scope, ended: WalkEnded, before: Delta, *, accepted: bool) -> Delta:
    """Close a channel's walk. Only a complete one marks anything vanished.

    Args:
        scope: the end of the walk.
        ended: how it ended.
        before: what the walk's pages changed.
        accepted: the user says that a mass vanish is true.
    """
    delta = judge_gone_channel(scope)
    complete = ended.status in _COMPLETE
    if complete:
        delta += judge_absences(scope, accepted=accepted) + judge_superseded(scope)
    status, cause = (Status.PARTIAL, Cause.VANISH) if delta.mass_vanish else (ended.status, ended.cause)
    _record_channel(scope, ended, status, cause)
    _record_walk(scope, ended, status, cause, before + delta)
    return delta


def _record_channel(scope: Scope, ended: WalkEnded, status: Status, cause: Cause | None) -> None:
    update = """UPDATE channel SET last_walk_at = ?, last_complete_at = COALESCE(?, last_complete_at),
                status = ?, cause = ?, detail = ?, not_before = ? WHERE id = ?"""
    complete_at = scope.at if status in _COMPLETE else None
    how = (status.value, cause.value if cause else None, escaped(ended.detail), ended.not_before)
    scope.db.execute(update, (scope.at, complete_at, *how, scope.channel_id))


def _record_walk(scope: Scope, ended: WalkEnded, status: Status, cause: Cause | None, total: Delta) -> None:
    if not scope.run_id:  # a page stored outside of any run
        return
    how = (status.value, cause.value if cause else None, escaped(ended.detail))
    asked = (ended.requests, ended.not_modified, ended.releases)
    changed = (total.added, total.changed, total.vanished, total.problems)
    scope.db.execute(UPSERT_WALK, (scope.run_id, scope.channel_id, *how, *asked, *changed, scope.at))
