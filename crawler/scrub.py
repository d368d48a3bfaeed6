"""What must not lie in a cassette, and what stands in its place.

It knows secrets' shapes and registries' hosts; it must not know YAML or the network. No registry's host is written
here: they are learnt from the configuration and from the pages themselves.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from crawler.configured_index import REPLAYED_FILES_URL, REPLAYED_INDEX_URL
from crawler.urls import redact_url, without_userinfo

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crawler.cassette import Exchange

_INDEX_HOST = urlsplit(REPLAYED_INDEX_URL).netloc
_FILES_HOST = urlsplit(REPLAYED_FILES_URL).netloc
_SHORTEST_SECRET = 6  # a shorter one stands in too many innocent words
_RULES = (
    # Passwords in addresses.
    (re.compile(rb"(?<=//)[^\s/\"'<>@]{1,200}:[^\s/\"'<>@]{0,200}@"), b""),
    # GitHub's tokens.
    (re.compile(rb"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"), b"***"),
    # Signed addresses: S3, Azure, Google, and plain tokens.
    (
        re.compile(
            rb"([?&;](?:x-(?:amz|goog)-[a-z-]+|sig(?:nature)?|s[eptvri]|sk[a-z]+|jwt|[a-z_-]*(?:token|key|secret|password))=)"
            rb"[^\s&\"'<>]+",
            re.IGNORECASE,
        ),
        rb"\1***",
    ),
)
# The public registry's file host shows itself by its layout: two and two and sixty hex digits.
_SLASH = rb"\\?/"  # JSON may escape it
_HASHED_LAYOUT = re.compile(
    _SLASH.join(
        [rb"", rb"", rb"([A-Za-z0-9.-]+(?::\d+)?)", rb"packages", rb"[0-9a-f]{2}", rb"[0-9a-f]{2}", rb"[0-9a-f]{60}"]
    )
)
_FILE_LINK = re.compile(
    rb"https?:" + _SLASH.join([rb"", rb"", rb"([A-Za-z0-9.-]+(?::\d+)?)", rb"[^\s\"'<>#?]+\.(?:whl|tar\.gz|zip)\b"])
)


class Scrub:
    """Cleans exchanges before they are written.

    Args:
        index_url: the configured index; None when there is none.
        registry_hosts: hosts of package registries known otherwise.
        secrets: texts that must not be seen.
    """

    def __init__(
        self, *, index_url: str | None = None, registry_hosts: Iterable[str] = (), secrets: Iterable[str] = ()
    ) -> None:
        self._prefix = without_userinfo(index_url).rstrip("/") if index_url else None
        self._index_hosts = {urlsplit(self._prefix).netloc.lower()} if self._prefix else set()
        self._index_hosts |= {host.lower() for host in registry_hosts}
        self._index_hosts.discard("")
        self._file_hosts: set[str] = set()
        self._secrets = {secret.encode() for secret in secrets if len(secret) >= _SHORTEST_SECRET}

    def clean(self, exchanges: Iterable[Exchange]) -> list[Exchange]:
        """The exchanges without secrets and registry hosts."""
        kept = list(exchanges)
        for exchange in kept:
            self._learn(exchange)
        rules = self._rules()
        return [self._clean(exchange, rules) for exchange in kept]

    def _learn(self, exchange: Exchange) -> None:
        self._file_hosts |= {host.decode().lower() for host in _HASHED_LAYOUT.findall(exchange.body)}
        if self._prefix is not None and exchange.url.startswith(self._prefix):
            linked = {host.decode().lower() for host in _FILE_LINK.findall(exchange.body)}
            self._file_hosts |= {host for host in linked if not host.endswith("github.com")} - self._index_hosts

    def _rules(self) -> list[tuple[re.Pattern[bytes], bytes]]:
        rules = []
        if self._prefix is not None:
            start = re.escape(self._prefix).replace("/", r"\\?/")  # JSON may escape its slashes
            rules.append((rf"{start}(?![\w.-])", REPLAYED_INDEX_URL))
        for hosts, instead in ((self._file_hosts - self._index_hosts, _FILES_HOST), (self._index_hosts, _INDEX_HOST)):
            for host in sorted(hosts, key=len, reverse=True):
                rules.append((rf"https?:(\\?/\\?/)(?:[\w-]+\.)*{re.escape(host)}(?![\w.:-])", rf"https:\1{instead}"))
                rules.append((rf"(?<![\w.-])(?:[\w-]+\.)*{re.escape(host)}(?![\w-])", instead))
        return [(re.compile(pattern.encode(), re.IGNORECASE), text.encode()) for pattern, text in rules]

    def _clean(self, exchange: Exchange, rules: list[tuple[re.Pattern[bytes], bytes]]) -> Exchange:
        return replace(
            exchange,
            url=self._text(redact_url(exchange.url), rules),
            headers=self._headers(exchange, rules),
            body=self._bytes(self._at_the_root(exchange), rules),
        )

    def _at_the_root(self, exchange: Exchange) -> bytes:
        """The body with links such as ``/repository/simple/x/`` moved to where the index lies in cassettes."""
        path = urlsplit(self._prefix or "").path
        if not path or not exchange.url.startswith(self._prefix or "//"):
            return exchange.body
        return re.sub(rb"([\"'=])" + re.escape(path.encode()) + rb"(?=[/\"'\s>])", rb"\1/simple", exchange.body)

    def _headers(self, exchange: Exchange, rules: list[tuple[re.Pattern[bytes], bytes]]) -> dict[str, str]:
        shown = dict(exchange.headers)
        if "location" in shown:
            shown["location"] = redact_url(urljoin(exchange.url, shown["location"]))
        return {name: self._text(value, rules) for name, value in shown.items()}

    def _text(self, text: str, rules: list[tuple[re.Pattern[bytes], bytes]]) -> str:
        return self._bytes(text.encode(), rules).decode()

    def _bytes(self, body: bytes, rules: list[tuple[re.Pattern[bytes], bytes]]) -> bytes:
        for secret in self._secrets:
            body = body.replace(secret, b"***")
        for pattern, instead in (*_RULES, *rules):
            body = pattern.sub(instead, body)
        return body
