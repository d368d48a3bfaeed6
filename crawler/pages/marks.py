"""What an index page says of itself: its format (PEP 629), its project's status (PEP 792) and other places (PEP 708).

It knows the values that the standards allow; it must not know the format that they are written in.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crawler.pages.addresses import Base
from crawler.pages.text import clean, describe
from wheels.page import PageProblem

if TYPE_CHECKING:
    from crawler.pages.listing import Listing

_VERSION = re.compile(r"\s*(\d{1,9})\.(\d{1,9})\s*")
_STATUSES = frozenset({"active", "archived", "quarantined", "deprecated"})
_KNOWN_MINOR = 4


def refuse_version(version: str) -> str:
    """Why a page of that version must not be read (PEP 629: a later major version); empty when it may."""
    found = _VERSION.fullmatch(version)
    return f"unsupported api-version {version.strip()}" if found and int(found[1]) > 1 else ""


def check_version(version: object) -> tuple[PageProblem, ...]:
    """What is wrong with a version that may be read: a later minor one, or none, which reads as 1.0 (row A23)."""
    found = _VERSION.fullmatch(version) if isinstance(version, str) else None
    if found and (int(found[1]), int(found[2])) <= (1, _KNOWN_MINOR):
        return ()
    return (PageProblem(code="api-version", detail=describe("missing" if version is None else version)),)


def check_status(status: object, reason: object) -> tuple[str | None, str | None, tuple[PageProblem, ...]]:
    """A project's status and its reason, verbatim, and a problem for one that the standard does not know (row A32)."""
    if status is None:
        return None, None, ()
    if not isinstance(status, str):
        return None, None, (PageProblem(code="project-status", detail=describe(status)),)
    problems = () if status in _STATUSES else (PageProblem(code="project-status", detail=describe(status)),)
    return clean(status), clean(reason) if isinstance(reason, str) else None, problems


def read_locations(said: object, url: str, listing: Listing) -> tuple[str, ...]:
    """The addresses of the same project elsewhere (PEP 708, ``tracks`` or ``alternate-locations``).

    Args:
        said: a list or tuple of addresses; None when the page says nothing.
        url: of the page.
        listing: takes a problem for each that is no address.
    """
    if said is None:
        return ()
    found: dict[str, None] = {}
    for each in said if isinstance(said, list | tuple) else (said,):
        try:
            found[_location(each, url)] = None
        except ValueError:
            listing.report("bad-location", each, url)
    return tuple(found)


def _location(said: object, url: str) -> str:
    if not isinstance(said, str) or not said.strip():
        raise ValueError(said)
    address = Base(url).resolve(clean(said))[0]
    if address.startswith("file:") or re.search(r"\s", address):  # kept in a list of words
        raise ValueError(said)
    return address
