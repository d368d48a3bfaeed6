"""What of a URL may be seen (rule R5): no userinfo, and no query value that could be a secret.

It knows which query keys are harmless; it must not know who shows or keeps the URL.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

HARMLESS_KEYS = frozenset({
    "after", "before", "c", "delimiter", "expand", "format", "list-type", "max-keys", "o", "page", "per_page", "prefix",
    "q", "recursive", "ref", "sort", "tag",
})  # fmt: skip
"""Query keys whose values are no secrets on the pages that are read here; every other value is hidden."""
_TELLING = re.compile(r"[?@#\x00-\x20]")
"""What a URL must hold for anything to be done with it."""
_LONGEST_FLAG = 16
"""Characters of a bare word in a query: a longer one may be a token."""


def shown_url(url: str) -> str:
    """The URL without userinfo and fragment, and with ``***`` for query values that may be secrets.

    Args:
        url: any text; one that cannot be read as a URL loses its query.
    """
    if not _TELLING.search(url):
        return url
    try:
        parts = urlsplit(url)
    except ValueError:
        return re.sub(r"//[^/]*@", "//", url.partition("?")[0])
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, redact_query(parts.query), ""))


def redact_query(query: str) -> str:
    """A query string with ``***`` for each value that could be a secret."""
    return "&".join(_redact_pair(pair) for pair in query.split("&")) if query else query


def _redact_pair(pair: str) -> str:
    key, equals, value = pair.partition("=")
    if not equals:
        return key if len(key) <= _LONGEST_FLAG else "***"
    return pair if not value or key.lower() in HARMLESS_KEYS else f"{key}=***"
