"""What a URL says, and what of it may be seen.

It knows origins and credentials; it must not know which addresses are asked.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

from wheels.redaction import HARMLESS_KEYS, shown_url

_PORTS = {"http": 80, "https": 443}
_CONTROLS = re.compile(r"[\x00-\x20\x7f-\x9f]")


class Origin(NamedTuple):
    """Scheme, host and port: what a credential is bound to."""

    scheme: str
    host: str
    port: int

    @property
    def netloc(self) -> str:
        """``host``, or ``host:port`` when the port is not the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS.get(self.scheme) else f"{host}:{self.port}"


@lru_cache(maxsize=4096)
def origin_of(url: str) -> Origin:
    """The origin of an absolute URL.

    Raises:
        ValueError: the URL has a malformed host or port.
    """
    parts = urlsplit(url)
    return Origin(parts.scheme, (parts.hostname or "").rstrip("."), parts.port or _PORTS.get(parts.scheme, 0))


def without_userinfo(url: str) -> str:
    """The URL without userinfo and fragment: the form that is stored and sent."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, parts.query, ""))


def credentials_in(url: str) -> tuple[str, str] | None:
    """User and password of the URL's own userinfo, percent-decoded; None when it has none."""
    parts = urlsplit(url)
    if "@" not in parts.netloc:
        return None
    return unquote(parts.username or ""), unquote(parts.password or "")


def redact_url(url: str) -> str:
    """The URL as it may be printed, logged or kept in an error (rule R5): in one line, without secrets."""
    return _CONTROLS.sub(_escape, shown_url(url))


def secrets_in(url: str) -> set[str]:
    """The texts of a URL that must not be seen anywhere: passwords, and query values under unknown keys."""
    parts = urlsplit(url)
    values = {value for key, value in parse_qsl(parts.query) if key.lower() not in HARMLESS_KEYS}
    _, password = credentials_in(url) or ("", "")
    return {text for text in (*values, password, quote(password, safe="")) if text}


def _escape(match: re.Match[str]) -> str:
    return quote(match[0])
