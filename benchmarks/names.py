"""Every name of the wild with its tag → its facts, names a second: cold (each part met for the first time) and warm.

Run: ``WHEELFIND_TEST_DATA=../shared/data uv run python benchmarks/names.py``; CPU time of one core, best of several
runs, each cold one in a process of its own.
"""

from __future__ import annotations

import csv
import gzip
import os
import subprocess
import sys
import time
from pathlib import Path

from stopwatch import verdict

from wheels.filename import parse_filename

NAMES_A_SECOND = 20_000
RUNS = 5
ONE_RUN = "--one-run"


def main() -> int:
    """Exit status 0 when the promise holds, cold too."""
    if ONE_RUN in sys.argv:
        print(*seconds(pairs(), runs=2))
        return 0
    count = len(pairs())
    command = [sys.executable, __file__, ONE_RUN]
    taken = [
        tuple(map(float, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()))
        for _ in range(RUNS)
    ]
    cold, warm = (count / min(each[place] for each in taken) for place in (0, 1))
    print(f"{count} names")
    good = verdict("names a second, cold", cold, f"≥ {NAMES_A_SECOND}", holds=cold >= NAMES_A_SECOND)
    good &= verdict("names a second, warm", warm, f"≥ {NAMES_A_SECOND}", holds=warm >= NAMES_A_SECOND)
    return 0 if good else 1


def pairs() -> list[tuple[str, str]]:
    """File name and release tag or directory of each link."""
    folder = os.environ.get("WHEELFIND_TEST_DATA")
    if folder is None:
        sys.exit("error: set WHEELFIND_TEST_DATA to the folder with urls.tsv.gz")
    with gzip.open(Path(folder) / "urls.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [(row["filename"], row["tag_or_directory"]) for row in rows]


def seconds(names: list[tuple[str, str]], runs: int) -> list[float]:
    """CPU time of each run over all names, the first of them cold."""
    taken = []
    for _ in range(runs):
        started = time.process_time()
        for name, tag in names:
            parse_filename(name, tag)
        taken.append(time.process_time() - started)
    return taken


if __name__ == "__main__":
    sys.exit(main())
