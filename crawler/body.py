"""A reply's body: decoded as a stream under a budget, and proven whole.

It knows content codings and the ends of formats; it must not know sockets or who asks.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from crawler.response import Limits

ACCEPT_ENCODING = "gzip, deflate"
_CHUNK = 256 * 1024
_HTML_END = re.compile(rb"</html\s*>\s*(?:<!--(?:[^-]|-(?!->))*-->\s*)*\Z", re.IGNORECASE)
_XML_NAME = re.compile(rb"[A-Za-z][\w:.-]*")
_XML_CLOSING = re.compile(rb"</([A-Za-z][\w:.-]*)\s*>\s*\Z")
# What may stand before the root element, and how each ends.
_XML_PROLOG = ((b"<!--", b"-->"), (b"<?", b"?>"), (b"<!", b">"))
_GZIP_MAGIC = b"\x1f\x8b"
_SHORTEST_START = 2  # bytes that tell the codings apart


class OverBudgetError(Exception):
    """A byte budget is spent; the text says which. Never leaves the client."""


class CodingError(Exception):
    """The coding is unknown or its stream is damaged. Never leaves the client."""


class Body:
    """Collects one body.

    Args:
        codings: the ``Content-Encoding`` values as sent, at most one of them other than ``identity``.
        limits: its budgets.

    Raises:
        OverBudgetError: several codings are chained (a few hundred bytes could grow without bound).
        CodingError: a coding that was not asked for.
    """

    def __init__(self, codings: str, limits: Limits) -> None:
        self._limits = limits
        self._wire = 0
        self._decoded = 0
        self._parts: list[bytes] = []
        self._coding = _the_coding(codings)
        self._inflate: zlib._Decompress | None = None
        self._held = b""

    @property
    def wire_bytes(self) -> int:
        """Bytes that arrived."""
        return self._wire

    @property
    def coding_ended(self) -> bool:
        """Whether the decoder saw the end of its stream (RFC 1952 trailer); true without a coding."""
        return not self._coding or self._wire == 0 or (self._inflate is not None and self._inflate.eof)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the wire.

        Raises:
            OverBudgetError: a budget is spent.
            CodingError: the compressed stream is damaged.
        """
        self._wire += len(chunk)
        if self._wire > self._limits.wire_bytes:
            raise OverBudgetError(f"it is larger than {size_text(self._limits.wire_bytes)} on the wire")
        if not self._coding:
            self._keep(chunk)
            return
        try:
            self._decode(chunk)
        except zlib.error as error:
            raise CodingError(f"its {self._coding} stream is damaged ({error})") from None

    def content(self) -> bytes:
        """All decoded bytes so far."""
        return b"".join(self._parts)

    def _decode(self, data: bytes) -> None:
        data, self._held = self._held + data, b""
        if self._inflate is None:
            if len(data) < _SHORTEST_START:
                self._held = data
                return
            self._inflate = self._inflater(data)
        while data:
            if self._inflate.eof:
                if data == _GZIP_MAGIC[:1]:
                    self._held = data
                if not data.startswith(_GZIP_MAGIC):
                    return  # padding after the trailer
                self._inflate = self._inflater(data)  # RFC 1952 §2.2: members may follow each other
            self._keep(self._inflate.decompress(data, _CHUNK))
            data = self._inflate.unconsumed_tail or self._inflate.unused_data

    def _inflater(self, start: bytes) -> zlib._Decompress:
        # RFC 9110 §8.4.1.2: some send "deflate" without the zlib header (RFC 1950 §2.2: method 8, divides by 31).
        bare = self._coding == "deflate" and not (
            start[0] & 0x0F == zlib.DEFLATED and (start[0] << 8 | start[1]) % 31 == 0
        )
        return zlib.decompressobj(
            -zlib.MAX_WBITS if bare else zlib.MAX_WBITS | 32
        )  # 32: gzip or zlib by their first bytes

    def _keep(self, part: bytes) -> None:
        self._decoded += len(part)
        limits = self._limits
        if self._decoded > limits.decoded_bytes:
            raise OverBudgetError(f"it is larger than {size_text(limits.decoded_bytes)}, the budget of one reply")
        if self._decoded > limits.ratio_from_bytes and self._decoded > limits.ratio * self._wire:
            raise OverBudgetError(f"it unpacks to more than {limits.ratio} times its size")
        if part:
            self._parts.append(part)


def proves_its_end(body: bytes, media_type: str) -> bool:
    """Whether a body without a stated length shows its own end (row B01).

    That is ``</html>``, JSON that parses, or the closing tag of the XML root.
    """
    if media_type.endswith("json"):
        return _is_json(body)
    if media_type.endswith(("html", "xhtml+xml")):
        return _HTML_END.search(body[-4096:]) is not None
    if media_type.endswith("xml"):
        closing = _XML_CLOSING.search(body[-4096:])
        return closing is not None and closing[1] == _xml_root(body)
    return False


def size_text(size_bytes: int) -> str:
    """A size for people: ``64 MiB``, ``900 bytes``."""
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size_bytes >= unit and size_bytes % unit == 0:
            return f"{size_bytes // unit} {name}"
    return f"{size_bytes} bytes"


def _the_coding(codings: str) -> str:
    names = [name for part in codings.split(",") if (name := part.strip().lower()) not in {"", "identity"}]
    if len(names) > 1:
        raise OverBudgetError(f"it is compressed {len(names)} times over ({', '.join(names)}); one coding is read")
    coding = names[0].removeprefix("x-") if names else ""
    if coding not in {"", "gzip", "deflate"}:
        raise CodingError(f"its coding {coding[:40]!r} was not asked for")
    return coding


def _xml_root(body: bytes) -> bytes:
    """The name of the first element; empty when there is none."""
    place = body.find(b"<")
    while place >= 0:
        opening = next((pair for pair in _XML_PROLOG if body.startswith(pair[0], place)), None)
        if opening is None:
            name = _XML_NAME.match(body, place + 1)
            return name[0] if name else b""
        end = body.find(opening[1], place)
        place = body.find(b"<", end) if end >= 0 else -1
    return b""


def _is_json(body: bytes) -> bool:
    try:
        orjson.loads(body.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        return False
    return True
