"""Where the benchmarks of crawls happen: a GitHub on loopback in a process of its own, and crawls without pacing."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
CHANNEL = "github:o/r"


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A server and a home for catalogs."""

    url: str
    folder: Path

    def environment(self, *, token: bool = False) -> dict[str, str]:
        """Variables of a crawl that knows this server only."""
        kept = {name: value for name, value in os.environ.items() if not name.endswith("_TOKEN")}
        stated = {
            "WHEELFIND_GITHUB_URL": self.url,
            "WHEELFIND_GITHUB_API_URL": f"{self.url}/api",
            "WHEELFIND_CONFIG": str(self.folder),
            "HOME": str(self.folder),
            "PIP_CONFIG_FILE": os.devnull,
            "PYTHONPATH": str(ROOT),
        }
        return {**kept, **stated, **({"GITHUB_TOKEN": "token"} if token else {})}

    def ask(self, path: str) -> str:
        """A page of the server itself."""
        with urllib.request.urlopen(f"{self.url}{path}", timeout=60) as reply:  # noqa: S310 - loopback
            return str(reply.read().decode())


@contextmanager
def room(releases: int, *, latency_seconds: float = 0.0, files: int = 2, jobs: int = 8) -> Iterator[Room]:
    """A server with so many releases, asked by ``jobs`` at once without any distance."""
    words = ["--releases", str(releases), "--latency", str(latency_seconds), "--files", str(files)]
    command = [sys.executable, str(ROOT / "tests" / "fakegithub.py"), *words]
    with (
        TemporaryDirectory() as folder,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server,
    ):
        assert server.stdout is not None  # noqa: S101 - for the type checker
        assert server.stdin is not None  # noqa: S101 - for the type checker
        url = server.stdout.readline().strip()
        host = url.removeprefix("http://")
        pace = f'[pace]\n"{host}" = {{ at_once = {jobs}, apart_seconds = 0 }}\n'
        (Path(folder) / "config.toml").write_text(pace)
        try:
            yield Room(url=url, folder=Path(folder))
        finally:
            server.stdin.close()
