"""Which replies are no page at all: statuses, error pages, limit pages, login pages.

It knows how servers refuse, with the right status or with 200; it must not know what a good page looks like.
"""

from __future__ import annotations

import re

from crawler.pages.html import scan, title
from wheels.page import Page, Shape

HTML_TYPES = frozenset({
    "text/html", "application/xhtml+xml",
    "application/vnd.pypi.simple.v1+html", "application/vnd.pypi.simple.latest+html",
})  # fmt: skip
JSON_TYPES = frozenset({"application/vnd.pypi.simple.v1+json", "application/vnd.pypi.simple.latest+json"})
_OK = 200
_LIMIT = re.compile(
    r"<title[^<>]*>\s*Rate limit|>\s*Whoa there!|exceeded a secondary rate limit|abuse detection mechanism"
    r"|rate limit exceeded",
    re.IGNORECASE,
)
_ERROR_TITLE = re.compile(
    r"\b(unicorn|not found|error|forbidden|access denied|just a moment|service unavailable|maintenance)\b",
    re.IGNORECASE,
)
_LOGIN_TITLE = re.compile(r"\b(sign|log) ?in\b|\blogin\b", re.IGNORECASE)
_LOGIN_PATH = re.compile(r"(^|/)(log-?in|sign-?in|session|sso|saml|auth)\b", re.IGNORECASE)


def bare_type(media_type: str) -> str:
    """The media type without parameters, lower case."""
    return media_type.partition(";")[0].strip().lower()


def is_json_index(media_type: str, text: str) -> bool:
    """Whether a reply is JSON by its media type, or, where there is none (files), by its first character."""
    return bare_type(media_type) in JSON_TYPES or (not media_type and text.lstrip()[:1] == "{")


def charset_of(media_type: str, charset: str | None) -> str | None:
    """The charset that was handed over, or the one among the media type's parameters."""
    found = re.search(r"charset\s*=\s*\"?([^\s\";]+)", media_type, re.IGNORECASE)
    return charset or (found[1] if found else None)


def refuse_status(kind: str, url: str, status: int, text: str) -> Page | None:
    """The verdict that a status other than 200 gives by itself; None for 200.

    Args:
        kind: of the page that was asked for.
        url: final URL.
        status: HTTP status code.
        text: the decoded body: a limit page is one whatever its status.
    """
    if status == _OK:
        return None
    if _LIMIT.search(text):
        return Page(kind=kind, url=url, shape=Shape.RETRY, reason="rate limit")
    if status in {404, 410}:
        return Page(kind=kind, url=url, shape=Shape.GONE, reason=f"status {status}")
    retry = status == 429 or status >= 500  # noqa: PLR2004 -- HTTP's own numbers
    return Page(kind=kind, url=url, shape=Shape.RETRY if retry else Shape.BROKEN, reason=f"status {status}")


def refuse_type(kind: str, url: str, media_type: str) -> Page | None:
    """BROKEN for a media type that is no HTML (row A26); None for HTML and for none at all."""
    if bare_type(media_type) in HTML_TYPES | {""}:
        return None
    return broken(kind, url, f"not an index page: media type {bare_type(media_type)[:80]}")


def refuse_content(kind: str, url: str, text: str) -> Page | None:
    """The verdict about a page with status 200 on which nothing was recognised; None when nothing shows a refusal."""
    if _LIMIT.search(text):
        return Page(kind=kind, url=url, shape=Shape.RETRY, reason="rate limit")
    if "\0" in text[:1024]:
        return broken(kind, url, "not an index page: not text in a known encoding")
    if _is_login(text):
        return broken(kind, url, "a login page")
    heading = title(text)
    if _ERROR_TITLE.search(heading) or "Uh oh!" in text:
        return broken(kind, url, "an error page")
    return None


def broken(kind: str, url: str, reason: str) -> Page:
    """A page whose shape is not recognised."""
    return Page(kind=kind, url=url, shape=Shape.BROKEN, reason=reason)


def _is_login(text: str) -> bool:
    if _LOGIN_TITLE.search(title(text)):
        return True
    for tag in scan(text, frozenset({"form", "input"})):
        attributes = tag.attributes
        if attributes.get("type", "").lower() == "password" or _LOGIN_PATH.search(attributes.get("action", "")):
            return True
    return False
