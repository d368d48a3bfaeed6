"""Fetching in tests: one call from a test without a loop of its own, quick settings, names that lead to loopback."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from crawler.http import Client
from crawler.response import Access, Response
from crawler.settings import HttpSettings
from crawler.sockets import AsyncioBackend
from wheels.errors import (
    FetchError,
)
from wheels.observation import Validators

if TYPE_CHECKING:
    from collections.abc import Sequence

    import httpcore

NAMED = Access(allow_private=True)


QUICK = HttpSettings(user_agent="wheelfind/1.2 (+test)", backoff_seconds=0.001, connect_seconds=2.0)


HTML = b"<!DOCTYPE html><html><body><a href='f-1.0-py3-none-any.whl'>f</a></body></html>"


NOW = datetime(2026, 12, 1, 15, 0, 0, tzinfo=UTC)


class Sleeps(list[float]):
    """Notes how long the client would have waited."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)
        await asyncio.sleep(0)


def run_all(urls: Sequence[str], *, client: dict[str, Any] | None = None, **asked: Any) -> list[Response | FetchError]:
    """Fetch one after the other with one client; errors are results."""

    async def main() -> list[Response | FetchError]:
        found: list[Response | FetchError] = []
        async with Client(**{"settings": QUICK, "sleep": Sleeps(), **(client or {})}) as running:
            for url in urls:
                try:
                    found.append(await running.fetch(url, **{"access": NAMED, **asked}))
                except FetchError as error:
                    found.append(error)
        return found

    return asyncio.run(main())


def get(url: str, *, client: dict[str, Any] | None = None, **asked: Any) -> Response:
    async def main() -> Response:
        async with Client(**{"settings": QUICK, "sleep": Sleeps(), **(client or {})}) as running:
            return await running.fetch(url, **{"access": NAMED, **asked})

    return asyncio.run(main())


def validators_of(**changed: Any) -> Validators:
    stated: dict[str, Any] = {"etag": '"a"', "last_modified": "Tue, 01 Dec 2026 10:00:00 GMT", "read_at": NOW}
    return Validators(**{**stated, **changed})


async def loopback(_host: str, _port: int) -> list[str]:
    return ["127.0.0.1"]


class Detour(AsyncioBackend):
    """Connects to loopback whatever address is asked for: lets a public address be played."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def connect_tcp(self, host: str, *args: Any, **named: Any) -> httpcore.AsyncNetworkStream:
        self.asked.append(host)
        return await super().connect_tcp("127.0.0.1", *args, **named)


PUBLIC = "8.8.4.4"  # an address that counts as public; nothing is sent there
