"""Text that other programs run: `pip` and `uv` commands, requirements, URLs.

It knows shells and installers, and trusts no name: everything is read back before it is printed. It must not know how
the wheels were chosen.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from wheels.errors import WheelfindError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wheels.wheel import Wheel

_URL = re.compile(r"(?:https?|file)://[A-Za-z0-9._~:/?@!$&'()*+,;=%\[\]-]+")
_FILENAME = re.compile(r"[A-Za-z0-9._+!-]{1,255}\.whl")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def safe_url(wheel: Wheel) -> str:
    """A wheel's URL, proven to be one word that no shell, requirements file or page takes for more.

    Args:
        wheel: whose URL.

    Raises:
        WheelfindError: the URL or the file name holds what none may hold, or a user name.
    """
    # A path may hold any character percent-encoded; published URLs hold some of them bare.
    url = quote(wheel.url, safe="/:?@!$&'()*+,;=%[]~-._")
    name = unquote(urlsplit(url).path.rsplit("/", 1)[-1])
    sound = _URL.fullmatch(url) and _FILENAME.fullmatch(name) and name == wheel.filename
    if not sound or "@" in urlsplit(url).netloc or not wheel.url.isprintable() or " " in wheel.url:
        raise _refused(wheel, "its URL or file name is not safe to hand to another program")
    return url


def _refused(wheel: Wheel, reason: str) -> WheelfindError:
    hint = "See it with --format json; nothing was written."
    return WheelfindError("write out", ascii(wheel.filename)[1:-1], reason, hint)


def pinned_url(wheel: Wheel) -> str:
    """A wheel's URL with its sha256, where that is known, as installers check it.

    Args:
        wheel: whose URL.

    Raises:
        WheelfindError: as :func:`safe_url`; also when no installer would take the name.
    """
    url = safe_url(wheel)
    if not wheel.valid:
        raise _refused(wheel, "no installer takes this file name")
    return f"{url}#sha256={wheel.sha256}" if wheel.sha256 and _SHA256.fullmatch(wheel.sha256) else url


def write_command(wheel: Wheel, installer: str) -> str:
    """One command that installs a wheel, quoted for a POSIX shell.

    Args:
        wheel: what to install.
        installer: ``pip`` or ``uv``.

    Raises:
        WheelfindError: the wheel's URL or name is not safe, or no installer takes it.
    """
    words = {"pip": ["pip", "install"], "uv": ["uv", "pip", "install"]}[installer]
    url = pinned_url(wheel)
    line = shlex.join([*words, url])
    if shlex.split(line) != [*words, url] or "\n" in line:
        raise _refused(wheel, "its URL cannot be quoted")
    return line


def write_urls(wheels: Sequence[Wheel]) -> str:
    """URLs, one a line.

    Args:
        wheels: in the order of the answer.

    Raises:
        WheelfindError: one of them is not safe; nothing is written then.
    """
    return "".join(f"{safe_url(wheel)}\n" for wheel in wheels)


def write_requirements(wheels: Sequence[Wheel]) -> str:
    """Lines of a requirements file: name, URL and, where known, the sha256.

    Args:
        wheels: in the order of the answer.

    Raises:
        WheelfindError: one of them is not safe, or does not read back as it was; nothing is written then.
    """
    lines = [_requirement(wheel) for wheel in wheels]
    for wheel, line in zip(wheels, lines, strict=True):
        _read_back(wheel, line)
    return "".join(f"{line}\n" for line in lines)


def _requirement(wheel: Wheel) -> str:
    url, _, digest = pinned_url(wheel).partition("#sha256=")
    return f"{wheel.package} @ {url}" + (f" --hash=sha256:{digest}" if digest else "")


def _read_back(wheel: Wheel, line: str) -> None:
    from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415 - only for this format
    from packaging.utils import canonicalize_name, parse_wheel_filename  # noqa: PLC0415 - only for this format

    try:
        read = Requirement(line.partition(" --hash=")[0])
    except InvalidRequirement:
        raise _refused(wheel, "its requirement line would not be read back") from None
    name = parse_wheel_filename(wheel.filename)[0]
    same = read.url == safe_url(wheel) and canonicalize_name(read.name) == name and not (read.marker or read.extras)
    if not same or len(line.splitlines()) != 1:
        raise _refused(wheel, "its requirement line would be read back as another")
