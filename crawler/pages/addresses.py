"""Links of a page: which absolute address a published spelling means, and which file it names.

It knows RFC 3986 and what real pages make of it; it must not know whether an address may be fetched.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote, urljoin, urlsplit

FILE_SUFFIXES = (
    ".whl", ".tar.gz", ".zip", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tar.z", ".tar.lz", ".tar", ".tbz", ".txz",
    ".egg", ".exe", ".msi", ".rpm", ".deb", ".dmg", ".conda",
)  # fmt: skip
"""What a distribution's file name may end in; other links of an index page are ways, not files."""

# An absolute address that needs no joining: plain host, printable path without backslash, quote and fragment.
_PLAIN_ABSOLUTE = re.compile(r"""(https?://[a-zA-Z0-9.-]++(?::[0-9]{1,4}+)?+)/[!$-\[\]-~]*+""")
_PLAIN_ROOTED = re.compile(r"/(?!/)[!$-\[\]-~]*+")
_PLAIN_RELATIVE = re.compile(r"[a-zA-Z0-9_%][a-zA-Z0-9_%.+~/-]*+")
# A backslash is a slash to browsers and none to clients; NUL and surrogates cannot be stored.
_REFUSED = re.compile(r"[\\\0\ud800-\udfff]")
_SCHEMES = ("http", "https", "file")
# The URL standard, 4.4: these vanish from inside an address; what stands around it is stripped.
_BREAKS = str.maketrans("", "", "\t\n\r")
_AROUND = "".join(map(chr, range(0x21)))


class Base:
    """Where a page's relative links start: ``directory``, to which a plain one is appended; empty when none can be.

    Args:
        page_url: final URL of the page, after redirects.
        href: of the page's ``<base>``, relative to the page (rows A01, A02); empty or malformed: there is none.
    """

    def __init__(self, page_url: str, href: str = "") -> None:
        self.url = page_url
        if href:
            try:
                self.url = self._join(href.strip(_AROUND).translate(_BREAKS))
            except ValueError:
                self.url = page_url
        path = self.url.partition("?")[0].partition("#")[0]
        origin = _PLAIN_ABSOLUTE.fullmatch(path)
        self._origin = origin[1] if origin else ""
        self.directory = path[: path.rfind("/") + 1] if origin and "/." not in path else ""

    def resolve(self, href: str) -> tuple[str, str]:
        """The absolute address of a link, and its fragment as it stands.

        Args:
            href: the attribute's value, references decoded.

        Returns:
            Address without fragment and userinfo, in the published spelling; the fragment without ``#``.

        Raises:
            ValueError: the link is no http, https or (on file pages) file address.
        """
        address, _, fragment = href.partition("#")
        if "/." not in address:
            if _PLAIN_ABSOLUTE.fullmatch(address):
                return address, fragment
            if self.directory and _PLAIN_RELATIVE.fullmatch(address):
                return self.directory + address, fragment
            if self._origin and _PLAIN_ROOTED.fullmatch(address):
                return self._origin + address, fragment
        return self._join(address.strip(_AROUND).translate(_BREAKS)), fragment.strip(_AROUND).translate(_BREAKS)

    def _join(self, href: str) -> str:
        joined = urljoin(self.url, href).partition("#")[0]
        origin = re.match(r"[^/?#]*//[^/?#]*", joined)
        scheme = joined.partition(":")[0].lower()
        if (
            not origin
            or _REFUSED.search(joined)
            or scheme not in _SCHEMES
            or (scheme == "file") > self.url.startswith("file:")
        ):
            raise ValueError(href)
        return _checked_origin(origin[0]) + (joined[origin.end() :] or "/")


@lru_cache(maxsize=1024)
def _checked_origin(origin: str) -> str:
    """Scheme and host without userinfo; ValueError when they are malformed (row A07)."""
    parts = urlsplit(origin)
    if (parts.port or 0) < 0 or not (parts.hostname or parts.scheme == "file") or re.search(r"[\s<>^`{|}]", origin):
        raise ValueError(origin)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def path_of(url: str) -> str:
    """The path of an absolute address as it stands, from its first slash; without query."""
    path = url.partition("?")[0]
    start = path.find("/", path.find("//") + 2)
    return path[start:] if start >= 0 else "/"


def filename_of(url: str) -> str:
    """The last path segment of an absolute address, decoded."""
    return decode_name(path_of(url).rpartition("/")[2])


def decode_name(segment: str) -> str:
    """A file name from its path segment: percent-decoded exactly once; ``+`` stays (rows A15, A16)."""
    return unquote(segment) if "%" in segment else segment


def is_file(filename: str) -> bool:
    """Whether a link of that name is a distribution's file."""
    return filename.endswith(".whl") or filename.lower().endswith(FILE_SUFFIXES)
