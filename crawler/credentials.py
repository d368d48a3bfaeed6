"""Who gets which password: each is bound to one scheme, host and port (row B17).

It knows the URL's own userinfo, ``.netrc``, the user's keyring and the GitHub token; it must not know redirects or
replies.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import netrc
from typing import TYPE_CHECKING

from crawler.keyring_door import query_keyring
from crawler.urls import Origin, credentials_in, origin_of

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.settings import HttpSettings

logger = logging.getLogger(__name__)


class Credentials:
    """The passwords that one channel may send.

    Args:
        settings: the GitHub token and the path of ``.netrc``.
    """

    def __init__(self, settings: HttpSettings) -> None:
        self._settings = settings
        self._given: dict[Origin, tuple[str, str]] = {}
        self._named: set[Origin] = set()
        self._from_keyring: dict[Origin, tuple[str, str] | None] = {}
        self._one_at_a_time = asyncio.Lock()

    def learn(self, url: str, *, named: bool) -> None:
        """Note the userinfo of an address; one that the user named and that has none may have a password in ``.netrc``.

        Args:
            url: absolute, maybe with userinfo.
            named: the user named the address.
        """
        origin = origin_of(url)
        if named:
            self._named.add(origin)
        given = credentials_in(url)  # B22: an address with userinfo, even an empty one, never consults .netrc
        if given is None and named and origin not in self._given and self._settings.netrc is not None:
            given = _from_netrc(self._settings.netrc, origin.host)
        if given is not None:
            self._given[origin] = given

    def secrets(self) -> set[str]:
        """The passwords in use, which must not be seen anywhere."""
        found = (*self._given.values(), *(each for each in self._from_keyring.values() if each))
        return {password for _, password in found if password}

    async def ask_keyring(self, url: str) -> bool:
        """Whether the user's keyring knows a password for an address that refused us; it is sent from then on.

        It is asked once for an origin that the user named, and only when neither the URL nor ``.netrc`` held a
        password.

        Args:
            url: the address that answered 401.
        """
        origin = origin_of(url)
        user, password = self._given.get(origin, ("", ""))
        if origin not in self._named or password or self._settings.token_for(url) is not None:
            return False
        before = self._from_keyring.get(origin)
        async with self._one_at_a_time:
            if origin not in self._from_keyring:
                self._from_keyring[origin] = await query_keyring(url, user)
        return self._from_keyring[origin] is not None and before is None

    def headers_for(self, url: str) -> dict[str, str]:
        """The headers that identify us at exactly this address; empty for everybody else."""
        token = self._settings.token_for(url)
        if token is not None:
            return {"Authorization": f"Bearer {token}"}
        origin = origin_of(url)
        given = self._from_keyring.get(origin) or self._given.get(origin)
        if given is None:
            return {}
        return {"Authorization": "Basic " + base64.b64encode(":".join(given).encode()).decode("ascii")}


def _from_netrc(path: Path, host: str) -> tuple[str, str] | None:
    try:
        entry = netrc.netrc(path).hosts.get(host)  # the exact name: no "default" entry
    except FileNotFoundError:
        return None
    except (OSError, netrc.NetrcParseError, UnicodeDecodeError):
        logger.warning("the password file %s cannot be read and is left aside", path)
        return None
    return (entry[0], entry[2] or "") if entry is not None else None
