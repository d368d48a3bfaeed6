"""Kills crawls by SIGKILL at random moments, and says whether the next crawl leaves the catalog of an undisturbed one.

Half of the kills meet a first crawl, half one of a repository that has moved on: a new release, replaced files, a lost
one. After each kill the lock is free, the file is sound, the cut run says so, and running again once gives the same
rows but for ids and times.

    python benchmarks/crawl_kills.py [KILLS] [SEED]
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import sys
import time
from collections import Counter
from contextlib import closing
from shutil import copyfile
from typing import TYPE_CHECKING, Any

from crawl_room import CHANNEL, ROOT, room

sys.path.insert(0, str(ROOT))
import storage.migrate  # noqa: F401 - loaded before the forks, so that kills meet crawls and not imports
from storage.check import check_catalog
from wheelfind.crawling import CrawlOptions, crawl, exit_status

if TYPE_CHECKING:
    from pathlib import Path

RELEASES = 30
_DUMPS = (
    """SELECT url, filename, package, version, local, build, python, abi, platform, cuda, sha256, size,
       uploaded_at, channel, tag, vanished_at IS NULL, yanked, replaced, hash_conflict FROM wheels""",
    """SELECT w.url, t.python, t.abi, t.platform FROM wheel_tags t JOIN wheels w ON w.id = t.wheel_id""",
    "SELECT url, algorithm, digest, size, uploaded_at, is_current FROM ledger",
    "SELECT w.url, h.kind FROM history h JOIN wheels w ON w.id = h.wheel_id",
    """SELECT channel, tag, url, kind, title, published_at, announced, shape, reason, complete, gone_since IS NULL
       FROM releases""",
    "SELECT channel, repository, repository_id, status IN ('ok', 'unchanged'), cause FROM channels",
    "SELECT channel, tag, url, code, detail FROM problems",
)
"""Everything that is documented, without ids and times."""


def start(path: Path) -> int:
    """Begin a crawl in a child process; its id."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        options = CrawlOptions(location=str(path), channels=(CHANNEL,), jobs=8, full=True)
        status = exit_status(crawl(options, lambda _: None))
    finally:
        os._exit(status)


def finish(path: Path) -> float:
    """Crawl undisturbed; the seconds that it took."""
    started = time.perf_counter()
    _, status = os.waitpid(start(path), 0)
    assert status == 0, f"an undisturbed crawl ended with {status}"  # noqa: S101 - a benchmark's own check
    return time.perf_counter() - started


def dump(path: Path) -> list[list[tuple[Any, ...]]]:
    """The documented rows, in an order of their own."""
    with closing(sqlite3.connect(path)) as db:
        return [sorted(db.execute(query).fetchall(), key=repr) for query in _DUMPS]


def kill_once(path: Path, before: Path | None, delay: float, wanted: list[list[tuple[Any, ...]]]) -> str:
    """Kill one crawl and run it again.

    Args:
        path: a catalog that is not there yet.
        before: what it is a copy of; None: it begins empty.
        delay: seconds from the start to the kill.
        wanted: the rows that an undisturbed crawl leaves.

    Returns:
        How the killed run is recorded: ``cut``, ``ok`` when it was done already, ``none`` when it had not begun.
    """
    if before is not None:
        copyfile(before, path)
    runs_before = len(runs(path))
    pid = start(path)
    time.sleep(delay)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    finish(path)  # at once: the lock died with its holder
    found = check_catalog(path)
    assert not found, f"killed after {delay:.3f} s, the catalog is damaged: {found}"  # noqa: S101 - the verdict
    got = dump(path)
    assert got == wanted, f"killed after {delay:.3f} s, the catalog differs: {_difference(got, wanted)}"  # noqa: S101 - the verdict
    *cut, last = runs(path)[runs_before:]
    assert last == "ok", f"the run after the kill is {last}"  # noqa: S101 - the verdict
    return cut[0] if cut else "none"


def _difference(got: list[list[tuple[Any, ...]]], wanted: list[list[tuple[Any, ...]]]) -> str:
    return repr([set(one) ^ set(other) for one, other in zip(got, wanted, strict=True)])[:2000]


def runs(path: Path) -> list[str]:
    """How the runs of a catalog ended, in order; none without one."""
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as db:
        return [status for (status,) in db.execute("SELECT status FROM run ORDER BY id")]


def main() -> int:
    """Kill, check, and print how the killed runs are recorded."""
    kills, seed = (*map(int, sys.argv[1:]), *(200, 20261201)[len(sys.argv) - 1 :])
    chance = random.Random(seed)
    print(f"seed {seed}")
    ends: Counter[str] = Counter()
    with room(RELEASES, latency_seconds=0.01) as place:
        os.environ.update(place.environment())
        first, second = place.folder / "first.sqlite", place.folder / "second.sqlite"
        seconds = finish(first)
        for number in range(kills):
            if number == (kills + 1) // 2:
                place.ask("/stage/1")
                copyfile(first, second)
                seconds = finish(second)
            later = number >= (kills + 1) // 2
            path = place.folder / f"{number}.sqlite"
            delay = chance.uniform(0.0, seconds)
            ends[kill_once(path, first if later else None, delay, dump(second if later else first))] += 1
            path.unlink()
    print(f"{kills} kills, every catalog whole and as undisturbed; killed runs: {dict(ends)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
