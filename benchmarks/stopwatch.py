"""How the benchmarks take time: the best of several runs, peers measured in turn so that both meet the same machine."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def best_of(runs: int, *jobs: Callable[[], object]) -> list[float]:
    """The best wall time of each job in seconds, the jobs taking turns.

    Args:
        runs: how often each job runs.
        jobs: what is measured; results are thrown away.
    """
    best = [float("inf")] * len(jobs)
    for _ in range(runs):
        for position, job in enumerate(jobs):
            started = time.perf_counter()
            job()
            best[position] = min(best[position], time.perf_counter() - started)
    return best


def process(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Callable[[], object]:
    """A job that runs a whole process; its output is thrown away and a failure stops the benchmark."""

    def job() -> object:
        return subprocess.run(
            command,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **(environment or {})},
        )

    return job


def verdict(label: str, ratio: float, bound: str, *, holds: bool) -> bool:
    """Print one line a promise and hand back whether it holds."""
    print(f"{'ok  ' if holds else 'MISS'}  {label}: {ratio:.2f} (promised {bound})")
    return holds
