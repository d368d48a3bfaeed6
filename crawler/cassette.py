"""Recorded exchanges: written while a crawl runs, and answering in place of the network.

It knows vcrpy's YAML format and how a request finds its exchange; it must not know channels' pages or secrets (see
``crawler.scrub``). Ours are plain vcrpy cassettes: bodies decoded, one file a channel, one exchange for a method and
URL, and beside what vcrpy writes, each exchange has ``recorded_at``.
"""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import yaml

from crawler.body import Body, CodingError
from crawler.response import Limits
from crawler.throttle import http_date
from crawler.urls import origin_of, redact_url, without_userinfo
from crawler.wire import Ask, Reply
from wheels.errors import NotRecorded, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Dumper: type[yaml.SafeDumper] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_FORMAT_VERSION = 1
_OWN_BODIES = Limits(wire_bytes=1 << 30, decoded_bytes=1 << 30, ratio=1 << 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and its reply."""

    url: str
    status: int
    headers: Mapping[str, str]
    """Of the reply; lower-case names."""
    body: bytes
    """Decoded."""
    recorded_at: datetime
    """UTC."""
    method: str = "GET"
    accept: str = ""
    """The request's ``Accept`` header."""

    @property
    def key(self) -> tuple[str, str]:
        """What a request must have in common with it."""
        return self.method, url_key(self.url)


def url_key(url: str) -> str:
    """A URL so spelt that equal addresses are equal texts (RFC 3986 §6.2.2; ``+`` and ``%2B`` in a path)."""
    parts = urlsplit(without_userinfo(url))
    path = "/".join(quote(unquote(segment, errors="surrogateescape"), safe="") for segment in parts.path.split("/"))
    return urlunsplit((parts.scheme, origin_of(url).netloc, path or "/", parts.query, ""))


def read_cassette(path: Path) -> list[Exchange]:
    """All exchanges of a file in vcrpy's format, whoever wrote it.

    Raises:
        UsageError: the file is no cassette.
    """
    try:
        stated = yaml.load(path.read_bytes(), Loader=_TolerantLoader)  # noqa: S506 - a SafeLoader
        written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        return [_exchange(entry, written) for entry in stated["interactions"]]
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
        detail = (str(error).splitlines() or [""])[0][:120]
        reason = f"it is no vcrpy cassette ({type(error).__name__}: {detail})"
        raise UsageError("replay", str(path), reason, "Record it anew, or name another folder.") from None


def write_cassette(path: Path, exchanges: Iterable[Exchange]) -> None:
    """Write a whole file, or leave it as it was: readers and a kill never see half of it."""
    stated = {"interactions": [_entry(exchange) for exchange in exchanges], "version": _FORMAT_VERSION}
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yaml.dump(stated, file, Dumper=_ReadableDumper, sort_keys=False, allow_unicode=True, width=1 << 16)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def add_to_cassette(path: Path, exchanges: Sequence[Exchange]) -> None:
    """Add exchanges to a file; an earlier one for the same method and URL gives way in its place.

    Raises:
        UsageError: the file exists and is no cassette.
    """
    kept = {exchange.key: exchange for exchange in read_cassette(path)} if path.exists() else {}
    kept.update((exchange.key, exchange) for exchange in exchanges)
    write_cassette(path, kept.values())


def cassette_name(channel: str) -> str:
    """The file name of a channel's cassette: ``sgl-project/whl`` → ``sgl-project__whl.yaml``."""
    return (re.sub(r"[^A-Za-z0-9._-]+", "__", channel).strip("._-") or "other") + ".yaml"


class ReplayWire:
    """Answers from a folder of cassettes, any number of times, and never from anywhere else.

    Args:
        folder: holds ``*.yaml``.

    Raises:
        UsageError: the folder does not exist, holds no cassette, or a broken one.
    """

    def __init__(self, folder: Path) -> None:
        files = sorted([*folder.glob("*.yaml"), *folder.glob("*.yml")])
        if not files:
            raise UsageError(
                "replay", str(folder), "it holds no cassettes (*.yaml)", "Name a folder made with --record."
            )
        self._exchanges = {exchange.key: exchange for path in files for exchange in read_cassette(path)}

    async def exchange(self, ask: Ask) -> Reply:
        """The recorded reply.

        Raises:
            NotRecorded: there is none.
        """
        found = self._find(ask.url)
        if found is None:
            hint = "Replay answers only what was recorded; record it with `wheelfind crawl CHANNEL --record DIR`."
            raise NotRecorded("replay", redact_url(ask.url), "no cassette holds this request", hint)
        return Reply(status=found.status, headers=found.headers, body=found.body, recorded_at=found.recorded_at)

    async def aclose(self) -> None:
        """Nothing is held."""

    def has(self, url: str) -> bool:
        """Whether a request for ``url`` has an answer."""
        return self._find(url) is not None

    def has_below(self, prefix: str) -> bool:
        """Whether anything at or below an address was recorded; upper and lower case are the same."""
        start = url_key(prefix).rstrip("/").lower()
        return any(
            re.match(r"(?:\Z|[/?])", key.lower()[len(start) :])
            for _, key in self._exchanges
            if key.lower().startswith(start)
        )

    def hosts(self) -> frozenset[str]:
        """``host`` or ``host:port`` of everything that was recorded."""
        return frozenset(origin_of(url).netloc for _, url in self._exchanges)

    def _find(self, url: str) -> Exchange | None:
        exact = self._exchanges.get(("GET", url_key(url)))
        return exact or self._exchanges.get(("GET", url_key(redact_url(url))))  # secrets in queries were not recorded


class _TolerantLoader(_Loader):  # type: ignore[valid-type,misc] # one of two classes, chosen at run time
    """Reads the few Python tags that vcrpy writes as plain values; constructs nothing."""


class _ReadableDumper(_Dumper):  # type: ignore[valid-type,misc] # as above
    """Writes texts of several lines as they stand."""


def _plain_value(loader: yaml.SafeLoader, _: str, node: yaml.Node) -> object:
    return loader.construct_scalar(node) if isinstance(node, yaml.ScalarNode) else None


def _as_it_stands(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_TolerantLoader.add_multi_constructor("tag:yaml.org,2002:python/", _plain_value)
_ReadableDumper.add_representer(str, _as_it_stands)


def _exchange(entry: Mapping[str, Any], written: datetime) -> Exchange:
    request, response = entry["request"], entry["response"]
    headers = {str(name).lower(): _joined(values) for name, values in (response.get("headers") or {}).items()}
    status = response["status"]["code"] if "status" in response else response["status_code"]  # vcrpy < 6 with httpx
    content = response["body"]["string"] if "body" in response else response.get("content", "")
    raw = content.encode() if isinstance(content, str) else bytes(content or b"")
    accept = {str(name).lower(): _joined(values) for name, values in (request.get("headers") or {}).items()}.get(
        "accept", ""
    )
    stated = _moment(entry.get("recorded_at")) or http_date(headers.get("date")) or written
    body = _decoded(raw, headers.pop("content-encoding", ""))
    return Exchange(
        method=str(request["method"]).upper(),
        url=str(request["uri"]),
        accept=accept,
        status=int(status),
        headers=headers,
        body=body,
        recorded_at=stated,
    )


def _joined(values: Any) -> str:
    return ", ".join(str(value) for value in values) if isinstance(values, list) else str(values)


def _moment(stated: Any) -> datetime | None:
    if isinstance(stated, str):
        stated = datetime.fromisoformat(stated)
    if not isinstance(stated, datetime):
        return None
    return stated.replace(tzinfo=UTC) if stated.tzinfo is None else stated.astimezone(UTC)


def _decoded(raw: bytes, coding: str) -> bytes:
    if not coding:
        return raw
    body = Body(coding, _OWN_BODIES)
    try:
        body.feed(raw)
    except CodingError:
        return raw  # some recorders decode the body and leave the header
    return body.content()


def _entry(exchange: Exchange) -> dict[str, Any]:
    try:
        text: str | bytes = exchange.body.decode()
    except UnicodeDecodeError:
        text = exchange.body
    phrase = HTTPStatus(exchange.status).phrase if exchange.status in set(HTTPStatus) else ""
    return {
        "recorded_at": exchange.recorded_at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "request": {
            "method": exchange.method,
            "uri": exchange.url,
            "body": "",
            "headers": {"accept": [exchange.accept]} if exchange.accept else {},
        },
        "response": {
            "status": {"code": exchange.status, "message": phrase},
            "headers": {name: [value] for name, value in exchange.headers.items()},
            "body": {"string": text},
        },
    }
