"""Who we are, how fast we ask, and which secrets go where: everything about HTTP that can be chosen.

It knows variables and defaults; it must not know pages or sockets. The environment is read here only, and handed in.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

from crawler.proxies import Proxies
from crawler.urls import Origin, origin_of
from wheels.errors import UsageError

GITHUB_URL = "https://github.com"
GITHUB_API_URL = "https://api.github.com"
CRAWL_WAIT_SECONDS = 300.0
"""Longest wait for a host in ``crawl``; a longer one parks the host."""
FIND_WAIT_SECONDS = 30.0
"""The same in ``find``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPace:
    """How one host is asked."""

    at_once: int = 4
    """Requests under way."""
    apart_seconds: float = 0.0
    """From one request's start to the next one's."""


def identity() -> str:
    """``wheelfind/VERSION (+project)``, as this installation knows it."""
    try:
        about = metadata("wheelfind")
    except PackageNotFoundError:
        return f"wheelfind/0 (+source tree; Python {platform.python_version()})"
    links = [line.partition(",")[2].strip() for line in about.get_all("Project-URL") or ()]
    return f"wheelfind/{about['Version']} (+{links[0] if links else about['Name']}; Python {platform.python_version()})"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """All choices of the client; the defaults are those of ``crawl``."""

    user_agent: str = field(default_factory=identity)
    github_url: str = GITHUB_URL
    github_api_url: str = GITHUB_API_URL
    github_token: str | None = field(default=None, repr=False)
    """Sent below ``github_api_url`` and nowhere else."""
    hugging_face_token: str | None = field(default=None, repr=False)
    """Sent to ``https://huggingface.co`` and nowhere else."""
    proxies: Proxies = field(default_factory=Proxies)
    index_url: str | None = field(default=None, repr=False)
    """The configured index: what a recording hides."""
    netrc: Path | None = None
    """Passwords by host name, for addresses that the user named."""
    ca_file: str | None = None
    """Certificates trusted beside those of the system."""
    jobs: int | None = None
    """Requests under way in all, and at one host that ``hosts`` does not name; None: 16, and as the paces say."""
    default_pace: HostPace = HostPace()
    github_pace: HostPace = HostPace(at_once=1, apart_seconds=1.0)
    """Of GitHub's HTML pages (github-pages m2), also where ``github_url`` is another host."""
    hosts: Mapping[str, HostPace] = field(default_factory=dict)
    """Pace by host, or by ``host:port``, as the user chose it."""
    connect_seconds: float = 10.0
    tries: int = 3
    backoff_seconds: float = 1.0
    """Upper bound of the first random wait after a failure; doubles with each try (full jitter)."""
    max_wait_seconds: float = CRAWL_WAIT_SECONDS
    """Longest wait that a host may ask for; more parks it."""
    secondary_seconds: float = 60.0
    """First wait at GitHub's secondary limit when it states none; doubles (github-pages g4)."""
    retry_share: float = 0.2
    """Retries per request over the run, past ``retry_floor``: a service that is down is not asked thrice for all."""
    retry_floor: int = 100
    max_requests: int = 50_000
    """Requests of one run."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], **chosen: Any) -> HttpSettings:
        """Settings by environment variables.

        Args:
            environ: ``WHEELFIND_GITHUB_URL``, ``WHEELFIND_GITHUB_API_URL``, ``GITHUB_TOKEN`` or ``GH_TOKEN``,
                ``HF_TOKEN``, the proxy variables, ``NETRC`` and ``HOME``, ``SSL_CERT_FILE``,
                ``REQUESTS_CA_BUNDLE`` or ``PIP_CERT``.
            chosen: fields that are set by other means; None leaves one to the environment.

        Raises:
            UsageError: a variable holds no usable URL or token.
        """
        github_url = _base_url(environ, "WHEELFIND_GITHUB_URL", GITHUB_URL)
        # A GitHub Enterprise server has its API below itself; its token must not reach github.com's.
        api_url = GITHUB_API_URL if github_url == GITHUB_URL else f"{github_url}/api/v3"
        found: dict[str, Any] = {
            "github_url": github_url,
            "github_api_url": _base_url(environ, "WHEELFIND_GITHUB_API_URL", api_url),
            "github_token": _token(environ, "GITHUB_TOKEN", "GH_TOKEN"),
            "hugging_face_token": _token(environ, "HF_TOKEN"),
            "proxies": Proxies.from_environment(environ),
            "netrc": _netrc(environ),
            "ca_file": next((path for name in _CA_NAMES if (path := environ.get(name))), None),
        }
        return cls(**{**found, **{name: value for name, value in chosen.items() if value is not None}})

    def with_pace(self, table: Mapping[str, Any]) -> HttpSettings:
        """The settings changed by the ``[pace]`` table of the configuration.

        Args:
            table: by host name, host:port or ``default``, a table with ``at_once`` (requests) and ``apart_seconds``.

        Raises:
            UsageError: a name or value that is none of these.
        """
        hosts, default = dict(self.hosts), self.default_pace
        for host, values in table.items():
            github = host.lower() in {"github.com", origin_of(self.github_url).netloc}
            base = self.github_pace if github else default
            pace = _read_pace(host, values, base)
            if host == "default":
                default = pace
            else:
                hosts[host.lower()] = pace
        return replace(self, hosts=hosts, default_pace=default)

    def pace_of(self, origin: Origin) -> HostPace:
        """How to ask this host."""
        named = self.hosts.get(origin.netloc) or self.hosts.get(origin.host)
        if named is not None:
            return named
        github = origin.netloc in {"github.com", origin_of(self.github_url).netloc}
        usual = self.github_pace if github else self.default_pace
        return usual if self.jobs is None else replace(usual, at_once=self.jobs)

    def token_for(self, url: str) -> str | None:
        """The token for exactly this address: GitHub's below its API (origin and path), Hugging Face's by origin."""
        if self.hugging_face_token is not None and origin_of(url) == _HUGGING_FACE:
            return self.hugging_face_token
        if self.github_token is None or origin_of(url) != origin_of(self.github_api_url):
            return None
        return self.github_token if url.startswith(self.github_api_url + "/") else None


_HUGGING_FACE = Origin("https", "huggingface.co", 443)
_CA_NAMES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT")


def _base_url(environ: Mapping[str, str], name: str, default: str) -> str:
    url = (environ.get(name) or default).rstrip("/")
    try:
        origin = origin_of(url)
    except ValueError:
        origin = Origin("", "", 0)
    if origin.scheme not in {"http", "https"} or not origin.host or "@" in url:
        raise UsageError(
            "use", name, "it is no plain http or https address", f"Set {name} to something like {default}."
        )
    return url


def _token(environ: Mapping[str, str], *names: str) -> str | None:
    for name in names:
        token = environ.get(name, "").strip()
        if not token:
            continue
        if not (token.isascii() and token.isprintable() and " " not in token):
            raise UsageError("use", name, "it holds characters that no token has", f"Set {name} anew, or unset it.")
        return token
    return None


def _netrc(environ: Mapping[str, str]) -> Path | None:
    if environ.get("NETRC"):
        return Path(environ["NETRC"])
    home = environ.get("HOME") or environ.get("USERPROFILE")
    return Path(home, ".netrc") if home else None


def _read_pace(host: str, values: Any, base: HostPace) -> HostPace:
    known = {"at_once", "apart_seconds"}
    if not isinstance(values, Mapping) or not set(values) <= known:
        raise UsageError("use", f"[pace] {host!r}", "it is no table of at_once and apart_seconds", _PACE_HINT)
    at_once, apart = values.get("at_once", base.at_once), values.get("apart_seconds", base.apart_seconds)
    if type(at_once) is not int or at_once < 1 or type(apart) not in {int, float} or not 0 <= apart < float("inf"):
        raise UsageError("use", f"[pace] {host!r}", "at_once is a number from 1, apart_seconds one from 0", _PACE_HINT)
    return HostPace(at_once=at_once, apart_seconds=float(apart))


_PACE_HINT = 'Write for example: [pace] "docs.example.org" = { at_once = 2, apart_seconds = 0.5 }'
