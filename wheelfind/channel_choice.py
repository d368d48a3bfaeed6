"""Which channels a crawl reads and which packages it asks them for: the bundled ones, the user's, the configured index.

It knows how names, SPECs and packages choose channels; it must not know how a channel is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from crawler.channels import (
    Channel,
    aliases_of,
    bundled_channels,
    bundled_packages,
    channels_for,
    choose_channel,
    configured_channels,
)
from crawler.configured_index import REPLAYED_INDEX, ConfiguredIndex, Machine, configured_index
from crawler.settings import HttpSettings
from crawler.user_channels import configured_table, user_channels
from wheelfind.settings import config_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from crawler.http import Client


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the environment and the configuration say about channels and HTTP."""

    index: ConfiguredIndex
    channels: tuple[Channel, ...]
    """Every known channel: the user's, the bundled ones, those of the configured index."""
    http: HttpSettings

    @classmethod
    def of(cls, environ: Mapping[str, str], *, replay: bool) -> Self:
        """Read them.

        Args:
            environ: the process environment.
            replay: cassettes answer: the configured index is the one that they hold.

        Raises:
            UsageError: a variable or the configuration file cannot be used.
        """
        index = REPLAYED_INDEX if replay else configured_index(environ, Machine(home=_home(environ)))
        path = config_file(environ)
        known = (*user_channels(path), *bundled_channels(), *configured_channels(index))
        settings = HttpSettings.from_environment(environ, index_url=index.index_url, ca_file=index.cert)
        return cls(index=index, channels=known, http=settings.with_pace(configured_table(path, "pace")))

    def choose(self, words: Sequence[str], packages: Sequence[str]) -> tuple[Channel, ...]:
        """The channels that words or packages name; every known one where neither is given.

        Args:
            words: known names or SPECs.
            packages: any spelling.

        Raises:
            UsageError: a word names no channel and is no SPEC.
        """
        channels = tuple(choose_channel(word, self.channels) for word in words) if words else self.channels
        return channels_for(packages, channels) if packages else channels

    def asked_of(self, channel: Channel, packages: Iterable[str], stored: Iterable[str]) -> frozenset[str] | None:
        """The packages that a channel is asked for; None: whatever it lists.

        Args:
            channel: one of the chosen.
            packages: named by the user, any spelling; empty: none named.
            stored: normalised names that the catalog holds.
        """
        named = frozenset(alias for package in packages for alias in aliases_of(package))
        if channel.configured and channel.kind == "index":
            return named or frozenset(bundled_packages()) | frozenset(stored)
        carried = frozenset(channel.packages)
        return (named & carried if carried else named) if named else (carried or None)


def recorded(channel: Channel, client: Client) -> bool:
    """Whether the cassettes of a replay hold anything of a channel."""
    if channel.kind == "github":
        settings = client.settings
        places = (f"{settings.github_url}/{channel.address}", f"{settings.github_api_url}/repos/{channel.address}")
        return any(client.has_below(place) for place in places)
    return any(client.has_below(url) for url in channel.root_urls())


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or environ.get("USERPROFILE") or "~").expanduser()
