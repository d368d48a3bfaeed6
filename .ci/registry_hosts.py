"""Fails when a tracked file or a commit message names a package registry's host.

The hosts are read from the clients installed here (a library's constant, pip, apt, npm), so that none is written down.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from distlib.index import DEFAULT_INDEX
from pip._internal.models.index import PyPI


def run(*command: str) -> str:
    """Standard output of a command; empty when it fails."""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def registry_hosts() -> set[str]:
    """Host names of the package registries that this machine's own clients know."""
    hosts = {urlsplit(DEFAULT_INDEX).hostname or "", PyPI.netloc, PyPI.file_storage_domain}
    sources = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*")]
    text = "\n".join(source.read_text(errors="replace") for source in sources if source.is_file())
    if npm := shutil.which("npm"):
        text += run(npm, "config", "get", "registry")
    hosts.update(re.findall(r"https?://([^/\s]+)", text))
    return {host for host in hosts if "." in host and not host.startswith(("localhost", "127."))}


def main() -> int:
    """Exit status 1 with the offending places, 0 without any."""
    found = [line for host in sorted(registry_hosts()) for line in run("git", "grep", "-nIF", "--", host).splitlines()]
    messages = run("git", "log", "--format=%B")
    found += [f"a commit message: {host}" for host in sorted(registry_hosts()) if host in messages]
    print("\n".join(found) or f"ok: none of {len(registry_hosts())} hosts")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
