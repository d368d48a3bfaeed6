"""The benchmark that kills crawls, as a test: twenty kills, its seed printed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent.parent / "benchmarks" / "crawl_kills.py"
KILLS, SEED = 20, 20261201


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX")
@pytest.mark.timeout(300)
def test_B37_crawls_killed_at_random_moments_run_again_to_the_undisturbed_catalog() -> None:
    words = [sys.executable, str(PROGRAM), str(KILLS), str(SEED)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    sys.stdout.write(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cut" in done.stdout
