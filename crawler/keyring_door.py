"""Asks the user's keyring, in a program of its own: without a terminal it cannot prompt, and after a while it is ended.

It knows under which names a password may be kept; it must not know who is to be sent it. This file is also that
program: it reads one request from standard input and answers in JSON.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from contextlib import suppress
from importlib.util import find_spec
from urllib.parse import urlsplit

logger = logging.getLogger(__name__)

_SECONDS = 10.0
"""A keyring that wants to be unlocked would wait for ever."""
_MOST_PARENTS = 4


async def query_keyring(url: str, user: str) -> tuple[str, str] | None:
    """User and password that the keyring knows for an address; None when it knows none or is not installed.

    Args:
        url: without userinfo.
        user: whose password; empty for anybody's.
    """
    if find_spec("keyring") is None:
        return None
    # -P: a keyring.py in the current folder is not the user's keyring.
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", __file__,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    request = json.dumps({"services": services_of(url), "user": user or None}).encode()
    try:
        async with asyncio.timeout(_SECONDS):
            answer, _ = await process.communicate(request)
    except TimeoutError:
        logger.warning("the keyring did not answer within %g s and is left aside", _SECONDS)
        return None
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    return _read_answer(answer)


def services_of(url: str) -> list[str]:
    """The names under which a password for an address may be kept: itself, what lies above it, its host.

    Args:
        url: absolute; its query is left out.
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    steps = [step for step in parts.path.split("/") if step]
    folders = ["/".join(steps[:size]) for size in range(len(steps), -1, -1)][: _MOST_PARENTS + 1]
    places = [f"{parts.scheme}://{host}/{folder}".rstrip("/") for folder in folders]
    return [*(spelt for place in places for spelt in (place, f"{place}/")), host]


def _read_answer(answer: bytes) -> tuple[str, str] | None:
    try:
        user, password = json.loads(answer)
    except (ValueError, TypeError):
        return None
    return (str(user or ""), str(password)) if password else None


def _answer() -> None:
    import keyring  # noqa: PLC0415 - only in the program of its own

    asked = json.load(sys.stdin)
    for service in asked["services"]:
        found = keyring.get_credential(service, asked["user"])
        if found is not None and found.password:
            json.dump([found.username, found.password], sys.stdout)
            return


if __name__ == "__main__":
    _answer()
