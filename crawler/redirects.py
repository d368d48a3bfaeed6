"""Chains of redirects: which addresses may be asked for, where a reply leads, and when a chain is refused.

It knows single hops and whole chains; it must not know who asks, with which secrets, or how often.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from crawler.urls import Origin, origin_of, redact_url, without_userinfo
from wheels.errors import BadRedirect, ProtocolError, UnsafeAddress

if TYPE_CHECKING:
    from crawler.wire import Ask, Reply
    from wheels.page import PageProblem

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """Where a chain of redirects ended."""

    reply: Reply
    url: str
    conditional: bool
    passed: tuple[str, ...] = ()
    problems: tuple[PageProblem, ...] = ()


def checked_address(url: str, *, named: bool) -> str:
    """The address to ask for, without userinfo and fragment."""
    try:
        origin = origin_of(url)
    except ValueError:
        raise ProtocolError("read", redact_url(url), "it is not a valid address") from None
    if origin.scheme == "file" and not named:
        raise UnsafeAddress("read", redact_url(url), "a page led to a file of this machine")
    if origin.scheme not in {"http", "https", "file"} or (origin.scheme != "file" and not origin.host):
        raise ProtocolError("read", redact_url(url), "only http, https and file addresses can be read")
    return without_userinfo(url)


def redirect_target(reply: Reply, url: str) -> str | None:
    """Where a reply redirects to; None when it does not."""
    if reply.status not in _REDIRECTS:
        return None
    try:
        location = urljoin(url, reply.headers.get("location", "").strip())
        origin = origin_of(location)
    except ValueError:
        location, origin = "", Origin("", "", 0)
    if not reply.headers.get("location") or origin.scheme not in {"http", "https"} or not origin.host:
        shown = redact_url(reply.headers.get("location", ""))[:200] or "nowhere"
        raise BadRedirect(
            "read", redact_url(url), f"it redirects to {shown}; only http and https addresses are followed"
        )
    return location


def check_chain(passed: list[str], ask: Ask) -> None:
    """Refuse a chain that goes round in a circle, or is too long.

    Args:
        passed: addresses that redirected, in their order.
        ask: the next request.

    Raises:
        BadRedirect: it does.
    """
    if ask.url in passed:
        raise BadRedirect("read", redact_url(passed[0]), f"its redirects go round in a circle at {redact_url(ask.url)}")
    if len(passed) > ask.limits.redirects:
        raise BadRedirect("read", redact_url(passed[0]), f"it redirects more than {ask.limits.redirects} times")
