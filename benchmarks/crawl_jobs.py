"""How near a crawl of 1,000 releases comes to the time that its pages' latency alone would take.

The ideal is pages x latency / jobs. Beside it, the machine's own baseline: bare httpx asking for the same pages with
the same number at once, nothing parsed or stored. The best of several rounds counts, by turns.

    python benchmarks/crawl_jobs.py [RELEASES] [LATENCY_MS] [JOBS] [ROUNDS]
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time

import httpx
from crawl_room import CHANNEL, Room, room
from stopwatch import verdict

BOUND = 1.15


def crawl(place: Room, jobs: int, number: int) -> tuple[float, int]:
    """Seconds of one crawl into a new catalog as it reports them, and how many requests it took."""
    words = ["crawl", CHANNEL, "--db", str(place.folder / f"{number}.sqlite"), "--jobs", str(jobs), "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-m", "wheelfind", *words],
        env=place.environment(),
        stdout=subprocess.PIPE,
        check=True,
    )
    (report,) = json.loads(done.stdout)
    return report["seconds"], report["requests"]


def bare(place: Room, releases: int, jobs: int) -> float:
    """Seconds of bare httpx for as many pages of the same kinds."""
    urls = [f"{place.url}/o/r/releases?page={number}" for number in range(1, -(-releases // 10) + 2)]
    urls += [f"{place.url}/o/r/releases/expanded_assets/v1.{number}" for number in range(releases)]

    async def ask_all() -> float:
        waiting = iter(urls)
        async with httpx.AsyncClient(trust_env=False) as client:

            async def ask() -> None:
                for url in waiting:
                    (await client.get(url)).raise_for_status()

            started = time.perf_counter()
            await asyncio.gather(*(ask() for _ in range(jobs)))
            return time.perf_counter() - started

    return asyncio.run(ask_all())


def main() -> int:
    """Print the ratios; status 1 when the promise is broken."""
    given = [float(word) for word in sys.argv[1:]]
    releases, latency, jobs, rounds = [*given, *(1000.0, 50.0, 8.0, 3.0)[len(given) :]]
    best, plain, requests = float("inf"), float("inf"), 0
    with room(int(releases), latency_seconds=latency / 1000, jobs=int(jobs)) as place:
        for number in range(int(rounds)):
            plain = min(plain, bare(place, int(releases), int(jobs)))
            seconds, requests = crawl(place, int(jobs), number)
            best = min(best, seconds)
            print(f"      round {number + 1}: load {os.getloadavg()[0]:.1f}, {seconds:.2f} s")
    ideal = requests * latency / 1000 / jobs
    print(f"      {requests} requests, ideal {ideal:.2f} s, crawl {best:.2f} s")
    print(f"      bare httpx / ideal: {plain / ideal:.2f}")
    return 0 if verdict("crawl / ideal", best / ideal, f"at most {BOUND}", holds=best <= BOUND * ideal) else 1


if __name__ == "__main__":
    sys.exit(main())
