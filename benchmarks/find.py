"""``wheelfind sgl_kernel --cu130 --x86_64`` as a whole process, on 10,000 and on 1,000,000 wheels.

Against an empty Typer program of one command, against ``pip index versions sgl-kernel`` (which asks the configured
index), and against itself on the small catalog.

Run: ``WHEELFIND_TEST_DATA=../shared/data uv run python benchmarks/find.py``; it makes a catalog of 1.1 GB.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from big_catalog import build_catalog
from stopwatch import best_of, process, verdict

SMALL, LARGE = 10_000, 1_000_000
EMPTY_PROGRAM = """
import typer

app = typer.Typer()


@app.command()
def main() -> None:
    pass


if __name__ == "__main__":
    app()
"""
QUERY = ("sgl_kernel", "--cu130", "--x86_64")
PEER = (sys.executable, "-m", "pip", "index", "versions", "sgl-kernel")
RUNS = 15


def main() -> int:
    """Exit status 0 when every promise holds."""
    room = Path(os.environ.get("WHEELFIND_BENCH_DIR") or tempfile.mkdtemp(prefix="wheelfind-bench-"))
    catalogs = {size: room / f"{size}.sqlite" for size in (SMALL, LARGE)}
    for size, path in catalogs.items():
        if not path.exists():
            build_catalog(path, size)
    program = room / "empty.py"
    program.write_text(EMPTY_PROGRAM, encoding="utf-8")
    wheelfind = str(Path(sys.executable).with_name("wheelfind"))

    def ask(size: int) -> list[str]:
        return [wheelfind, *QUERY, "--db", str(catalogs[size])]

    answers = {len(subprocess.run(ask(size), check=True, capture_output=True).stdout.splitlines()) for size in catalogs}
    if len(answers) > 1:
        sys.exit(f"error: the catalogs answer differently: {sorted(answers)} lines")
    jobs = (process(ask(SMALL)), process(ask(LARGE)), process([sys.executable, str(program)]))
    small, large, empty = best_of(RUNS, *jobs)
    print(f"{answers.pop()} lines; {small * 1e3:.0f} ms small, {large * 1e3:.0f} ms large")
    print(f"empty Typer program {empty * 1e3:.0f} ms")
    good = verdict("large ÷ empty Typer program", large / empty, "≤ 1.3", holds=large <= 1.3 * empty)
    good &= verdict("large ÷ small", large / small, "≤ 1.3", holds=large <= 1.3 * small)
    (peer,) = best_of(3, process(PEER))
    print(f"pip index versions {peer * 1e3:.0f} ms")
    good &= verdict("large ÷ pip index versions", large / peer, "≤ 0.5", holds=large <= 0.5 * peer)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
