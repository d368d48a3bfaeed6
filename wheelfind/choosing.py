"""A chosen wheel as something to fetch: its places, what each may reach, and what it must be.

It knows channels and what the catalog says of a file; it must not know how a file is fetched.
"""

from __future__ import annotations

import os
import re
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote, urlsplit

from crawler.guard import looks_private
from crawler.response import Access
from crawler.settings import FIND_WAIT_SECONDS, GITHUB_URL, HttpSettings
from crawler.urls import origin_of, redact_url
from storage.open import exists, open_reader
from storage.search import wheels_named
from wheelfind.channel_choice import Surroundings
from wheelfind.downloading import Origin, Wanted
from wheelfind.folding import fold
from wheelfind.settings import catalog_location
from wheels.errors import UsageError
from wheels.wheel import Place

if TYPE_CHECKING:
    from crawler.channels import Channel
    from wheels.wheel import Wheel

_FILENAME = re.compile(r"[A-Za-z0-9._+!-]{1,255}\.whl")
_HIDDEN = "=***"
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is to be fetched."""

    filename: str
    """Safe as the name of a file."""
    wanted: Wanted
    hash_conflict: bool
    """Several hashes are known, and none of them holds."""
    http: HttpSettings

    @property
    def shown_url(self) -> str:
        """The first place, without secrets."""
        return redact_url(self.wanted.origins[0].url)


def choose_wheel(wheel: Wheel, *, replay: bool) -> Chosen:
    """A wheel of the catalog, with all its places.

    Args:
        wheel: one row of an answer.
        replay: cassettes answer.

    Raises:
        UsageError: its name cannot be a file's, or its address lacks a secret that is not kept.
    """
    around = Surroundings.of(os.environ, replay=replay)
    places = (Place(channel=wheel.channel, tag=wheel.tag, url=wheel.url), *wheel.places)
    urls = {unquote(place.url): place for place in reversed(places)}
    every = [_origin(place, around) for place in reversed(urls.values())]
    origins = tuple(origin for origin in every if _HIDDEN not in origin.url)
    if not origins:
        hint = "Give the whole URL: wheelfind download 'https://…'"
        raise UsageError("download", wheel.filename, "its address holds a secret, and secrets are not kept", hint)
    return Chosen(
        filename=_safe(wheel.filename),
        wanted=Wanted(origins=origins, sha256=wheel.sha256, size=wheel.size),
        hash_conflict=wheel.hash_conflict,
        http=_settings(around),
    )


def choose_url(url: str, db: str | None, *, replay: bool) -> Chosen:
    """A wheel by its address; what the catalog or the address's own fragment say of it must hold.

    Args:
        url: absolute; its userinfo is used and never shown.
        db: value of ``--db``.
        replay: cassettes answer.

    Raises:
        UsageError: it is no address of a wheel, or two hashes are said.
    """
    around = Surroundings.of(os.environ, replay=replay)
    parts = urlsplit(url)
    filename = _safe(unquote(parts.path.rpartition("/")[2]))
    known = _known(url, filename, db)
    stated = (parse_qs(parts.fragment).get("sha256") or [""])[0].lower()
    claims = {digest for digest in (stated if _SHA256.fullmatch(stated) else None, known and known.sha256) if digest}
    if len(claims) > 1:
        raise UsageError("trust", filename, "the address and the catalog name different hashes", "See: wheelfind show")
    origin = Origin(url=url.partition("#")[0], channel=origin_of(url).netloc, access=Access(allow_private=True))
    return Chosen(
        filename=filename,
        wanted=Wanted(origins=(origin,), sha256=next(iter(claims), None), size=known.size if known else None),
        hash_conflict=bool(known and known.hash_conflict),
        http=_settings(around),
    )


def _safe(filename: str) -> str:
    if not _FILENAME.fullmatch(filename):
        raise UsageError("download", ascii(filename)[1:-1][:80], "it is no file name of a wheel")
    return filename


def _known(url: str, filename: str, db: str | None) -> Wheel | None:
    """What the catalog says of an address; None when it knows nothing."""
    location = catalog_location(db, os.environ)
    if not exists(location):
        return None
    shown = unquote(redact_url(url))
    with closing(open_reader(location)) as connection:
        rows = fold(wheels_named(connection, filename))
    return next((row for row in rows if shown in {unquote(row.url), *(unquote(each.url) for each in row.places)}), None)


def _settings(around: Surroundings) -> HttpSettings:
    return replace(around.http, max_wait_seconds=FIND_WAIT_SECONDS)


def _origin(place: Place, around: Surroundings) -> Origin:
    channel = next((each for each in around.channels if each.name == place.channel), None)
    near = channel is not None and _is_near(place.url, channel, around.http)
    home = channel.address if channel is not None and near and channel.kind != "github" else ""
    url = _with_secrets(place.url, home)
    return Origin(url=url, channel=place.channel, access=Access(allow_private=near), home=home)


def _with_secrets(url: str, home: str) -> str:
    """A stored address, in which values of the query are hidden, with those of its channel's own address."""
    own = dict(pair.partition("=")[::2] for pair in urlsplit(home).query.split("&"))
    path, mark, query = url.partition("?")
    if not mark or origin_of(url) != origin_of(home):
        return url
    pairs = [pair.partition("=") for pair in query.split("&")]
    filled = (
        f"{key}={own[key]}" if value == "***" and own.get(key) else f"{key}{sign}{value}" for key, sign, value in pairs
    )
    return f"{path}?{'&'.join(filled)}"


def _is_near(url: str, channel: Channel, settings: HttpSettings) -> bool:
    """Whether a file's address is the user's own word: it lies where a channel does that he named (row B19).

    A channel at a private address may lead to other private ones; one at a public address may not.
    """
    if channel.kind == "github":
        return settings.github_url != GITHUB_URL and origin_of(url) == origin_of(settings.github_url)
    home = origin_of(channel.address)
    private = home.scheme == "file" or looks_private(home.host)
    return channel.user_named and (private or origin_of(url) == home)
