"""How much memory a crawl of a very large channel takes.

Crawls in a child process, with a token (REST) and without (HTML), first and again, and prints each one's peak.

    python benchmarks/crawl_memory.py [RELEASES] [FILES_A_RELEASE]
"""

from __future__ import annotations

import json
import os
import sys

from crawl_room import CHANNEL, Room, room
from stopwatch import verdict

MOST_MB = 200


def crawl(place: Room, *, token: bool) -> tuple[float, str]:
    """Peak resident memory of one crawl in MB, and how it went."""
    words = ["crawl", CHANNEL, "--db", str(place.folder / f"{token}.sqlite"), "--jobs", "8", "--format", "json"]
    output = place.folder / "report.json"
    pid = os.fork()
    if not pid:
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        os.execve(sys.executable, [sys.executable, "-m", "wheelfind", *words], place.environment(token=token))  # noqa: S606 - no shell
    _, _, usage = os.wait4(pid, 0)
    (report,) = json.loads(output.read_text())
    how = f"{report['status']}, {report['requests']} requests, {report['wheels']} wheels, {report['seconds']} s"
    return usage.ru_maxrss / 1024, how


def main() -> int:
    """Print the peaks; status 1 when one is above the promise."""
    releases, files = (*map(int, sys.argv[1:]), *(20_000, 3)[len(sys.argv) - 1 :])
    kept = []
    with room(releases, files=files) as place:
        for token in (True, False):
            for turn in ("first", "again"):
                peak, how = crawl(place, token=token)
                label = f"MB of {turn} crawl, {'REST' if token else 'HTML'} ({how})"
                kept.append(verdict(label, peak, f"at most {MOST_MB}", holds=peak <= MOST_MB))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
