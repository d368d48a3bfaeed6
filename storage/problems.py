"""Rows of ``problem``: what could not be taken, and where.

It knows how a problem is kept once however often it is met; it must not know what is a problem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage.statements import UPSERT_PROBLEM
from storage.urls import escaped
from wheels.redaction import shown_url

if TYPE_CHECKING:
    from collections.abc import Iterable

    from storage.scope import Scope
    from wheels.page import PageProblem


def store_problems(scope: Scope, page_id: int | None, problems: Iterable[PageProblem]) -> int:
    """Keep problems; the same one again is the same row, met later.

    Returns:
        How many different ones there are.
    """
    rows = {(problem.code, escaped(shown_url(problem.url)), escaped(problem.detail)): None for problem in problems}
    scope.db.executemany(
        UPSERT_PROBLEM, [(scope.channel_id, page_id, scope.run_id, *row, scope.at, scope.at) for row in rows]
    )
    return len(rows)


def confirm_problems(scope: Scope, page_id: int) -> int:
    """The page is as before, so are its problems.

    Returns:
        How many there are.
    """
    last_met = "SELECT last_seen FROM problem WHERE page_id = ? ORDER BY last_seen DESC LIMIT 1"
    found = scope.db.execute(last_met, (page_id,)).fetchone()
    if found is None:
        return 0
    update = "UPDATE problem SET last_seen = ?, run_id = ? WHERE page_id = ? AND last_seen = ?"
    return scope.db.execute(update, (scope.at, scope.run_id, page_id, found[0])).rowcount
