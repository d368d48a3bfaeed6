"""Keeps what a crawl receives, and writes it as cassettes.

It knows when to write and what may be kept of a reply; it must not know the format (``crawler.cassette``) or what is
secret (``crawler.scrub``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawler.cassette import Exchange, add_to_cassette, cassette_name
from crawler.scrub import Scrub

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime
    from pathlib import Path

    from crawler.settings import HttpSettings
    from crawler.wire import Ask, Reply

KEPT_HEADERS = frozenset(
    {"cache-control", "content-type", "date", "etag", "last-modified", "link", "location", "retry-after", "vary"}
    | {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "x-ratelimit-resource"}
)
"""Headers of a reply that are kept, here and in responses: harmless ones."""
_MOST_PENDING_BYTES = 32 * 1024 * 1024


class Recorder:
    """One recording.

    Args:
        folder: receives one cassette a channel; existing ones are added to.
        settings: whose secrets and registries are hidden.
        clock: UTC now.
    """

    def __init__(self, folder: Path, settings: HttpSettings, clock: Callable[[], datetime]) -> None:
        self._folder = folder
        self._settings = settings
        self._clock = clock
        self._secrets = {token for token in (settings.github_token, settings.hugging_face_token) if token}
        self._pending: dict[str, list[Exchange]] = {}
        self._pending_bytes = 0

    def hide(self, secrets: Iterable[str]) -> None:
        """Name texts that must not be seen."""
        self._secrets |= set(secrets)

    def keep(self, channel: str, ask: Ask, reply: Reply) -> None:
        """Note a whole reply."""
        exchange = Exchange(
            url=ask.url,
            accept=ask.headers.get("Accept", ""),
            status=reply.status,
            headers={name: value for name, value in reply.headers.items() if name in KEPT_HEADERS},
            body=reply.body,
            recorded_at=self._clock(),
        )
        self._pending.setdefault(channel, []).append(exchange)
        self._pending_bytes += len(reply.body)
        if self._pending_bytes > _MOST_PENDING_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what is pending."""
        scrub = Scrub(index_url=self._settings.index_url, registry_hosts=_known_registries(), secrets=self._secrets)
        for channel, exchanges in self._pending.items():
            add_to_cassette(self._folder / cassette_name(channel), scrub.clean(exchanges))
        self._pending.clear()
        self._pending_bytes = 0


def _known_registries() -> list[str]:
    from distlib.index import DEFAULT_INDEX  # noqa: PLC0415 - slow, and needed only when something is recorded

    return [urlsplit(str(DEFAULT_INDEX)).netloc]
