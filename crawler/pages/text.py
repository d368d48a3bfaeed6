"""Text from outside: how bytes become text, and what free text, times and sizes may hold.

It knows charsets and the hygiene of rule R6; it must not know which page or field a text comes from.
"""

from __future__ import annotations

import codecs
import re
from datetime import UTC, datetime

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_META = re.compile(rb"""<meta\b[^>]*?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
# Only encodings of plain text: Python's codecs hold compressors, ciphers and slow ones under charset-like names.
_PLAIN = re.compile(
    r"(us-?)?ascii|utf-?(8|16|32)([-_]?[lb]e)?|latin-?\d+|iso[-_]?8859[-_]\d+|iso-?2022-(jp|kr)|(windows-|cp)\d+"
    r"|gb(k|2312|18030)|big5(-?hkscs)?|euc-?(jp|kr)|shift_?jis|koi8-[ru]",
    re.IGNORECASE,
)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
MAX_TEXT_CHARS = 2_000
"""Rule R6: free text is cut here."""
_MAX_DETAIL_CHARS = 300
_MAX_SIZE_BYTES = 2**53


def decode(body: bytes, charset: str | None = None) -> str:
    """Decode a page: byte-order mark, then the header's charset, then the page's own ``<meta>``, then UTF-8.

    Args:
        body: the whole body.
        charset: of the Content-Type header; an unknown one counts as none.

    Returns:
        The text without byte-order mark, U+FFFD for each byte that does not decode.
    """
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    declared = _META.search(body[:1024])
    for name in (charset or "", declared[1].decode("ascii", "replace") if declared else ""):
        text = _decode_as(body, name)
        if text is not None:
            return text
    return body.decode("utf-8", "replace")


def _decode_as(body: bytes, name: str) -> str | None:
    name = name.strip(" \t\"'")
    if not _PLAIN.fullmatch(name):
        return None
    try:
        return body.decode(name, "replace")
    except LookupError:
        return None


def clean(text: str) -> str:
    """Make free text storable: NUL and surrogates become U+FFFD, the rest is cut at 2,000 characters (rule R6)."""
    return _UNSTORABLE.sub("\ufffd", text[:MAX_TEXT_CHARS])


def describe(value: object) -> str:
    """A value as the detail of a problem: at most 300 characters, all ASCII, control characters escaped."""
    return ascii(value if isinstance(value, str) else repr(value)[:_MAX_DETAIL_CHARS])[1:-1][:_MAX_DETAIL_CHARS]


def utc(time: object) -> str | None:
    """An ISO 8601 time with a zone, as UTC with ``Z``; None for all else (row A41)."""
    if not isinstance(time, str):
        return None
    try:
        read = datetime.fromisoformat(time)
        return read.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z" if read.tzinfo else None
    except (ValueError, OverflowError):
        return None


def exact_size(value: object) -> int | None:
    """A size in bytes that is one: an integer, 0 ≤ n < 2**53 (row A41); None for all else."""
    return value if type(value) is int and 0 <= value < _MAX_SIZE_BYTES else None
