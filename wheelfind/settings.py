"""Where the catalog and the configuration lie.

It knows the environment's names and the platform's folders; it must not know what is kept there.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wheels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping


def user_path(text: str) -> Path:
    """A path as people write it, ``~`` and ``~user`` filled in.

    Raises:
        UsageError: there is no such user.
    """
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise UsageError("use", text, "there is no such user or home folder", "write the path without ~") from None


def catalog_location(option: str | None, environ: Mapping[str, str]) -> str:
    """The catalog's path or URL: the option, else ``WHEELFIND_DB``, else one file in the user's data folder.

    Args:
        option: value of ``--db``; None or empty when not given.
        environ: the process environment.
    """
    said = option or environ.get("WHEELFIND_DB")
    if said:
        return said if "://" in said else str(user_path(said))
    import platformdirs  # noqa: PLC0415 - only when nothing was said

    return str(Path(platformdirs.user_data_dir("wheelfind", appauthor=False)) / "catalog.sqlite")


def config_location(environ: Mapping[str, str]) -> str:
    """The configuration's path: ``WHEELFIND_CONFIG``, else the user's configuration folder.

    Args:
        environ: the process environment.
    """
    said = environ.get("WHEELFIND_CONFIG")
    if said:
        return str(user_path(said))
    import platformdirs  # noqa: PLC0415 - only when nothing was said

    return platformdirs.user_config_dir("wheelfind", appauthor=False)


def config_file(environ: Mapping[str, str]) -> Path:
    """The configuration's file: what ``WHEELFIND_CONFIG`` names, or ``config.toml`` in the folder that it names.

    Args:
        environ: the process environment.
    """
    place = Path(config_location(environ))
    return place if place.suffix == ".toml" else place / "config.toml"
