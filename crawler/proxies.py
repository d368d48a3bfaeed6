"""Which proxy a request takes.

It knows the proxy variables and their exceptions; it must not know requests or replies.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING

from crawler.urls import origin_of
from wheels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.urls import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxies:
    """The proxies of an environment."""

    by_scheme: Mapping[str, str] = field(default_factory=dict, repr=False)
    """``http``, ``https`` or ``all`` to the proxy's URL, which may hold a password."""
    exceptions: tuple[str, ...] = ()
    """``NO_PROXY``: names, ``.suffixes``, ``host:port``, addresses, networks, ``*``."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Proxies:
        """Read ``HTTP_PROXY``, ``HTTPS_PROXY``, ``ALL_PROXY``, ``NO_PROXY``; lower-case names win, as in curl.

        Raises:
            UsageError: a variable holds no address.
        """
        found = {}
        for scheme in ("http", "https", "all"):
            url = environ.get(f"{scheme}_proxy") or environ.get(f"{scheme.upper()}_PROXY")
            if scheme == "http" and "REQUEST_METHOD" in environ:
                url = environ.get("http_proxy")  # under CGI, HTTP_PROXY is a request's header ("httpoxy")
            if url:
                found[scheme] = _address(url if "://" in url else f"http://{url}", f"{scheme.upper()}_PROXY")
        exceptions = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
        return cls(by_scheme=found, exceptions=tuple(exceptions.lower().replace(",", " ").split()))

    def of(self, origin: Origin) -> str | None:
        """The URL of the proxy for a request, None to go directly."""
        proxy = self.by_scheme.get(origin.scheme) or self.by_scheme.get("all")
        if proxy is None or any(_excepts(rule, origin) for rule in self.exceptions):
            return None
        return proxy


def _address(url: str, name: str) -> str:
    try:
        host = origin_of(url).host
    except ValueError:
        host = ""
    if not host:  # the value may hold a password: only the variable is named
        raise UsageError("use", name, "it is no proxy's address", f"Set {name} to something like http://HOST:PORT.")
    return url


def _excepts(rule: str, origin: Origin) -> bool:
    if rule in {"*", origin.host, f"{origin.host}:{origin.port}", f"[{origin.host}]"}:
        return True
    try:
        return ip_address(origin.host) in ip_network(rule, strict=False)
    except ValueError:  # a name, on one side at least
        return origin.host.endswith("." + rule.removeprefix("*").removeprefix("."))
