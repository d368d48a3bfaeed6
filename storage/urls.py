"""How URLs and texts from outside are written into the catalog.

It knows the stored spelling, the decoded form that decides equality, and what must be escaped (rule R6); it must not
know which URL is what.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from urllib.parse import unquote

from wheels.redaction import shown_url

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_CONTROL = re.compile(r"[^\x20-\x7e]")
TEXT_LIMIT = 2000
DETAIL_LIMIT = 300


def stored_url(url: str) -> str:
    """The URL as it is kept: without userinfo and secrets, each ``+`` of the file name written ``%2B``.

    Contract, ``url``. Hosts that keep files in S3 answer 403 to a raw ``+`` (hazard A15).
    """
    url = shown_url(url)
    path, mark, query = url.partition("?")
    folder, slash, name = path.rpartition("/")
    if "+" not in name:
        return url
    return f"{folder}{slash}{name.replace('+', '%2B')}{mark}{query}"


def url_key(url: str) -> bytes:
    """The same 16 bytes for every spelling of one URL: two URLs are equal when they are equal decoded."""
    decoded = unquote(url) if "%" in url else url
    return blake2b(decoded.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def directory_of(url: str) -> str:
    """The decoded directory of a file's URL, relative to its host; empty at the root."""
    path = url.partition("://")[2].partition("?")[0]
    return unquote(path.partition("/")[2].rpartition("/")[0])


def host_of(url: str) -> str:
    """Host and port of a URL, lower-case, without userinfo."""
    return url.partition("://")[2].partition("/")[0].rpartition("@")[2].lower()


def free_text(text: str | None) -> str | None:
    """Text from outside as it is kept (rule R6): storable, at most 2,000 characters."""
    if text is None:
        return None
    return _UNSTORABLE.sub("\ufffd", text[:TEXT_LIMIT])


def escaped(text: str) -> str:
    """At most 300 characters of ASCII, everything else backslash-escaped: it can be printed anywhere (rule R6)."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)[:DETAIL_LIMIT]
