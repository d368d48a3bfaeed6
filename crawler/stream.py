"""Files and parts of files of any size, as they arrive: plain ranges only, and nothing is taken for what it is not.

It knows Range, If-Range and Content-Range (RFC 9110 §14); it must not know what the bytes mean or where they go.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Protocol

from crawler.response import Limits
from crawler.urls import redact_url
from wheels.errors import HttpStatus, RangeError, TruncatedResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.http import ChannelClient
    from crawler.redirects import Arrival
    from crawler.response import Access

FILE = Limits(wire_bytes=64 << 30, seconds=24 * 3600.0)
"""The budgets of a file; whoever knows its size sets ``wire_bytes``."""
_FRESH_REDIRECTS = 2
_STALE = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """What a reply holds of a file."""

    start: int
    """Offset of its first byte."""
    end: int | None
    """Offset behind its last byte; None when it is not stated."""
    total: int | None
    """Bytes of the whole file; None when they are not stated."""
    etag: str | None
    """A strong validator of exactly these bytes; None when there is none."""


class Receiver(Protocol):
    """Takes a file; may raise an error of ours to end the reply."""

    def begin(self, span: Span) -> None:
        """A reply begins; what a broken one brought before may be incomplete."""

    def take(self, data: bytes) -> None:
        """The next bytes."""


async def stream(
    client: ChannelClient,
    url: str,
    receiver: Receiver,
    *,
    start: int = 0,
    end: int | None = None,
    unless_changed: str | None = None,
    limits: Limits = FILE,
    access: Access | None = None,
) -> Span:
    """Hand a file, or a part of it, to a receiver.

    Redirects are followed anew each time, and once more when their target answers 400, 401 or 403: signed addresses
    expire, and none is kept (hazard C09).

    Args:
        client: who asks.
        url: of the file itself.
        receiver: takes it.
        start: offset of the first byte.
        end: offset behind the last byte; None for the file's end.
        unless_changed: a strong ETag: where the file is another by now, or the server knows no ranges, the whole file
            comes. Without it only the part is taken.
        limits: budgets.
        access: what may be reached; None: the channel's.

    Returns:
        What came.

    Raises:
        RangeError: not the part that was asked for.
        TruncatedResponse: less than was promised; the receiver has what came.
        HttpStatus: there is no such file, or it is not for us.
        FetchError: as of ``ChannelClient.fetch``.
    """
    asked = _headers(start, end, unless_changed)
    for _ in range(1 + _FRESH_REDIRECTS):
        checked = _Checked(receiver, redact_url(url), start, end, whole_ok=unless_changed is not None)
        arrival = await client.pour(url, checked, headers=asked, limits=limits, access=access)
        if not (arrival.passed and arrival.reply.status in _STALE):
            break
    return _judge(arrival, checked, redact_url(url))


def _headers(start: int, end: int | None, unless_changed: str | None) -> dict[str, str]:
    if start == 0 and end is None:
        return {}
    last = "" if end is None else str(end - 1)
    # C10: caches have answered with other ranges than the one asked for.
    asked = {"Range": f"bytes={start}-{last}", "Cache-Control": "no-cache"}
    return asked | ({"If-Range": unless_changed} if unless_changed else {})


class _Checked:
    """Lets through only what was asked for."""

    def __init__(self, receiver: Receiver, where: str, start: int, end: int | None, *, whole_ok: bool) -> None:
        self.span: Span | None = None
        self.taken = 0
        self._receiver = receiver
        self._where = where
        self._start = start
        self._end = end
        self._whole_ok = whole_ok or (start == 0 and end is None)

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        coding = headers.get("content-encoding", "identity").strip().lower()
        if coding not in {"", "identity"}:
            raise RangeError("read", self._where, f"it came packed ({coding[:20]}), which was not asked for")
        self.taken = 0
        self.span = self._part(headers) if status == HTTPStatus.PARTIAL_CONTENT else self._whole(headers)
        self._receiver.begin(self.span)

    def take(self, data: bytes) -> None:
        self.taken += len(data)
        self._receiver.take(data)

    def _whole(self, headers: Mapping[str, str]) -> Span:
        if not self._whole_ok:  # C01: it may be gigabytes
            raise RangeError("read a part of", self._where, "the server sends the whole file instead")
        length = headers.get("content-length", "")
        size = int(length) if length.isdecimal() else None
        return Span(start=0, end=size, total=size, etag=_strong(headers))

    def _part(self, headers: Mapping[str, str]) -> Span:
        stated = headers.get("content-range", "")
        match = _CONTENT_RANGE.fullmatch(stated.strip())
        if match is None:
            raise RangeError(
                "read a part of", self._where, f"the reply does not say which part it is ({stated[:60]!r})"
            )
        total = None if match[3] == "*" else int(match[3])
        span = Span(start=int(match[1]), end=int(match[2]) + 1, total=total, etag=_strong(headers))
        ends = {self._end, total} if self._end is None or total is None or total < self._end else {self._end}
        if span.start != self._start or (span.end not in ends and ends != {None}):
            raise RangeError("read a part of", self._where, f"another part came than was asked for ({stated[:60]})")
        return span


def _strong(headers: Mapping[str, str]) -> str | None:
    etag = headers.get("etag", "").strip()
    return etag if re.fullmatch(r'"[\x21\x23-\x7e]{1,200}"', etag) else None


def _judge(arrival: Arrival, checked: _Checked, where: str) -> Span:
    status, span = arrival.reply.status, checked.span
    if status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
        raise RangeError("read a part of", where, "the file has no such part")
    if span is None or status not in {HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT}:
        raise HttpStatus("read", where, f"it answered {status}", _HINTS.get(status, ""), status)
    if arrival.reply.cut:
        raise TruncatedResponse("read", where, arrival.reply.cut, "Run it again: it goes on where it ended.")
    if span.end is not None and checked.taken != span.end - span.start:
        reason = f"{span.end - span.start} bytes were promised and {checked.taken} came"
        raise TruncatedResponse("read", where, reason, "Run it again: it goes on where it ended.")
    return span


_CREDENTIALS = "Give it a user and password: in the address of its channel, in .netrc, or in the keyring."
_GONE = "It may be gone: `wheelfind crawl` its channel, then look again."
_HINTS: dict[int, str] = {401: _CREDENTIALS, 403: _CREDENTIALS, 404: _GONE, 410: _GONE}
