"""Rows of ``wheel`` and its ledger: what one reading of a page changes in them.

It knows how listed files meet stored ones; it must not know whether a page is to be believed (``write.py``) nor when an
absent file's life ends (``vanish.py``). No wheel and no ledger row is ever deleted, and ids stay.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from storage import statements as sql
from storage.digests import stated_digest
from storage.ledger import Standing, first_standing, revise
from storage.rows import Key, Listed, is_readable, name_problem, name_values, read_name, tag_rows
from storage.scope import Delta
from storage.stored import Facts, StoredWheel, revisions_of, stored_wheels

if TYPE_CHECKING:
    from collections.abc import Mapping

    from storage.ledger import Claim, Revision
    from storage.page_rows import StoredPage
    from storage.scope import Scope
    from wheels.page import PageProblem
    from wheels.wheel import WheelName

_SEEN = 10
"""How many of ``Facts``, after the page, are what a user sees of a file; the rest is its life."""


@dataclass(slots=True, kw_only=True)
class Reading:
    """One reading of a page: what it lists, and what it says of names."""

    scope: Scope
    page: StoredPage
    """Before this reading."""
    listed: Mapping[Key, Listed]
    project: str | None
    """Normalised project that the page is about, when it says so."""
    reread: bool
    """The way of reading names changed since the page was stored."""
    problems: list[PageProblem] = field(default_factory=list)
    """Grows by what is wrong with names."""

    @property
    def seen_before(self) -> str:
        """When the page was last read before."""
        return self.page.last_read_at or self.scope.at

    def note(self, problem: PageProblem | None) -> None:
        """Add a problem if there is one."""
        if problem is not None:
            self.problems.append(problem)


def store_wheels(reading: Reading, *, complete: bool) -> Delta:
    """Store what a page lists.

    Args:
        reading: the page's wheels; its problems grow.
        complete: what is not listed is absent.
    """
    stored = stored_wheels(reading.scope, reading.page, reading.listed)
    delta = _update(reading, stored) if stored else Delta()
    added = _insert(reading, [(key, listed) for key, listed in reading.listed.items() if key not in stored])
    if complete and stored:
        _miss(reading, stored)
    return delta + Delta(added=added)


def _insert(reading: Reading, new: list[tuple[Key, Listed]]) -> int:
    """Insert wheels that were never seen, their tags and their first ledger rows."""
    if not new:
        return 0
    scope = reading.scope
    wheels: list[tuple[object, ...]] = []
    tags: list[tuple[int, str, str, str]] = []
    sightings: list[tuple[object, ...]] = []
    wheel_id: int = scope.db.execute("SELECT COALESCE(MAX(id), 0) FROM wheel").fetchone()[0]
    for key, listed in new:
        name = read_name(listed, reading.project)
        reading.note(name_problem(name.filename, name.problem, listed.url, valid=name.valid))
        if not is_readable(name):
            continue
        wheel_id += 1
        standing = first_standing(listed.claims, scope.at)
        facts = _facts(reading, key, listed, standing)
        wheels.append(_wheel_row(scope, wheel_id, key, name, facts))
        tags.extend(tag_rows(wheel_id, name))
        sightings.extend(_sighting(wheel_id, revision) for revision in standing.revisions)
    scope.db.executemany(sql.INSERT_WHEEL, wheels)
    scope.db.executemany(sql.INSERT_TAG, tags)
    scope.db.executemany(sql.INSERT_SIGHTING, sightings)
    return len(wheels)


def _wheel_row(scope: Scope, wheel_id: int, key: Key, name: WheelName, facts: Facts) -> tuple[object, ...]:
    page_id, *seen = facts
    place = (wheel_id, scope.channel_id, page_id, scope.run_id, *key)
    return (*place, *name_values(name), *seen[:_SEEN], scope.at, *seen[_SEEN:])


def _sighting(wheel_id: int, revision: Revision) -> tuple[object, ...]:
    return (wheel_id, *revision.claim, revision.first_seen, revision.last_seen)


def _facts(reading: Reading, key: Key, listed: Listed, standing: Standing) -> Facts:
    """The row's facts when the page's word is all that counts."""
    digests = standing.sha256s
    digest = next(iter(digests)) if len(digests) == 1 else None
    if len(digests) > 1:
        digest = stated_digest(reading.scope.db, key.url, listed.filename)
    return Facts(
        reading.page.id, listed.url, digest, len(digests), standing.size, standing.uploaded_at, listed.requires_python,
        listed.metadata_sha256, listed.yanked, listed.yank_reason, 0, None, None, None,
    )  # fmt: skip


def _update(reading: Reading, stored: Mapping[Key, StoredWheel]) -> Delta:
    """Bring the rows of listed wheels up to date."""
    updates: list[tuple[object, ...]] = []
    changed = back = 0
    for key, listed in reading.listed.items():
        row = stored.get(key)
        if row is None:
            continue
        if reading.reread:
            row = _read_again(reading, row, listed)
        reading.note(name_problem(row.filename, row.problem, listed.url, valid=row.valid))
        facts = _merged(reading, key, listed, row)
        if facts == row.facts:
            continue
        updates.append((*facts, row.id))
        changed += facts[1 : _SEEN + 1] != row.facts[1 : _SEEN + 1]
        if row.facts.vanished_at is not None:
            back += 1
            record_event(reading.scope, row.id, "back")
    reading.scope.db.executemany(sql.UPDATE_FACTS, updates)
    return Delta(changed=changed, back=back)


def _merged(reading: Reading, key: Key, listed: Listed, row: StoredWheel) -> Facts:
    """The row's facts after the reading: what a page does not say, stays known."""
    known = row.facts
    if _says_nothing_new(listed.claims, known):
        said = Facts(reading.page.id, known.url, *known[2:6], *_said(listed), known.replaced, None, None, None)
    else:
        said = _revised(reading, key, listed, row)
    metadata = known.metadata_sha256 if said.metadata_sha256 is None else said.metadata_sha256
    return said._replace(page_id=_owner(reading, row), metadata_sha256=metadata)


def _said(listed: Listed) -> tuple[str | None, str | None, int, str | None]:
    return listed.requires_python, listed.metadata_sha256, listed.yanked, listed.yank_reason


def _says_nothing_new(claims: tuple[Claim, ...], known: Facts) -> bool:
    """Whether the one claim of a file only repeats what its row says: no need to look into the ledger."""
    if len(claims) != 1 or known.claims > 1:
        return False
    _, algorithm, digest, size, uploaded_at = claims[0]
    return (
        algorithm in {None, "sha256"}
        and digest in {None, known.sha256}
        and size in {None, known.size}
        and uploaded_at in {None, known.uploaded_at}
    )


def _revised(reading: Reading, key: Key, listed: Listed, row: StoredWheel) -> Facts:
    scope = reading.scope
    before = revisions_of(scope.db, row.id)
    standing = revise(before, listed.claims, scope.at, row.facts.last_listed_at or reading.seen_before)
    for old, new in zip(before, standing.revisions, strict=False):
        if old != new:
            scope.db.execute(sql.UPDATE_SIGHTING, (*new.claim[1:], new.last_seen, new.id))
    added = [_sighting(row.id, revision) for revision in standing.revisions[len(before) :]]
    scope.db.executemany(sql.INSERT_SIGHTING, added)
    if standing.replaced:
        record_event(scope, row.id, "replaced")
    facts = _facts(reading, key, listed, standing)
    return facts._replace(url=row.facts.url, replaced=row.facts.replaced | int(standing.replaced))


def _owner(reading: Reading, row: StoredWheel) -> int:
    """A wheel belongs to the page that listed it first, for as long as that one does."""
    owner, mine = row.facts.page_id, reading.page.id
    if owner == mine or row.facts.last_listed_at is not None or row.facts.absent_since is not None:
        return mine
    reading.scope.db.execute(sql.INSERT_LISTING, (mine, row.id))
    return owner


def _read_again(reading: Reading, row: StoredWheel, listed: Listed) -> StoredWheel:
    """Store what a better reader makes of a name; a name that it no longer takes stays as it was."""
    name = read_name(listed, reading.project)
    if not is_readable(name):
        return row
    db = reading.scope.db
    db.execute(sql.UPDATE_NAME, (*name_values(name), row.id))
    db.execute("DELETE FROM wheel_tag WHERE wheel_id = ?", (row.id,))
    db.executemany(sql.INSERT_TAG, tag_rows(row.id, name))
    return row._replace(valid=name.valid, problem=name.problem)


def _miss(reading: Reading, stored: Mapping[Key, StoredWheel]) -> None:
    """Note what a whole page does not list any more; only a second complete walk ends a life."""
    scope, page = reading.scope, reading.page
    listed = {stored[key].id for key in reading.listed.keys() & stored.keys()}
    for (other,) in scope.db.execute("SELECT wheel_id FROM listing WHERE page_id = ?", (page.id,)).fetchall():
        if other not in listed:
            scope.db.execute("DELETE FROM listing WHERE page_id = ? AND wheel_id = ?", (page.id, other))
    for key, row in stored.items():
        facts = row.facts
        if key in reading.listed or facts.page_id != page.id or facts.last_listed_at or facts.vanished_at:
            continue
        if not _hand_over(scope, row.id):
            update = "UPDATE wheel SET last_listed_at = ? WHERE id = ?"
            scope.db.execute(update, (reading.seen_before, row.id))


def _hand_over(scope: Scope, wheel_id: int) -> bool:
    """Give a wheel to another page that lists it still."""
    select = """SELECT l.page_id FROM listing l JOIN page p ON p.id = l.page_id
                WHERE l.wheel_id = ? AND p.gone_since IS NULL ORDER BY l.page_id LIMIT 1"""
    heir = scope.db.execute(select, (wheel_id,)).fetchone()
    if heir is None:
        return False
    scope.db.execute("UPDATE wheel SET page_id = ? WHERE id = ?", (heir[0], wheel_id))
    scope.db.execute("DELETE FROM listing WHERE page_id = ? AND wheel_id = ?", (heir[0], wheel_id))
    return True


def record_event(scope: Scope, wheel_id: int, kind: str) -> None:
    """Add a line to a wheel's history."""
    scope.db.execute(sql.INSERT_EVENT, (wheel_id, scope.run_id, scope.at, kind))
