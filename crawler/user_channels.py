"""The user's own channels: ``[[channel]]`` tables of the configuration file, read, added and removed.

It knows the file's text, of which it changes its own tables only; it must not know where the file lies.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
import tomllib
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from crawler.channels import Channel, bundled_channels, normalized, parse_spec
from crawler.urls import secrets_in
from wheels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_HINT = 'A channel of your own is written: [[channel]], below it spec = "index:https://example.org/whl".'


def user_channels(path: Path) -> tuple[Channel, ...]:
    """The channels of a configuration file, in its order; none when there is no such file.

    Raises:
        UsageError: the file is no TOML, a channel in it cannot be read, or others may read a password in it.
    """
    channels = tuple(_channel(path, entry) for entry in _entries(path, _text(path)))
    _refuse_open_secrets(path, channels)
    return channels


def configured_table(path: Path, name: str) -> dict[str, Any]:
    """One table of a configuration file; empty where the file or the table is missing.

    Args:
        path: of the file.
        name: the table's name.

    Raises:
        UsageError: the file is no TOML, or the name is no table's.
    """
    table = _parsed(path, _text(path)).get(name, {})
    if not isinstance(table, dict):
        raise UsageError("read", str(path), f"{name} is no table", f"Write a line [{name}], its settings below.")
    return table


def _refuse_open_secrets(path: Path, channels: Iterable[Channel]) -> None:
    """A file that holds a password is its owner's alone (hazard D31)."""
    if os.name != "posix" or not any(secrets_in(channel.address) for channel in channels):
        return
    if path.exists() and path.stat().st_mode & 0o077:
        hint = f"Keep it to yourself: chmod 600 {shlex.quote(str(path))}"
        raise UsageError("use", str(path), "it holds a password that others may read", hint)


def add_channel(path: Path, spec: str, packages: Iterable[str] = ()) -> Channel:
    """Add a channel to the configuration file, which is made when there is none.

    Args:
        path: of the file.
        spec: see :func:`crawler.channels.parse_spec`.
        packages: what it is worth asking for; empty: anything.

    Raises:
        UsageError: the SPEC cannot be read, the channel is known already, or the file cannot be read or written.
    """
    channel = parse_spec(spec)
    text = _text(path)
    mine = [_channel(path, entry) for entry in _entries(path, text)]
    _refuse_open_secrets(path, (*mine, channel))
    if any(known.name.casefold() == channel.name.casefold() for known in (*bundled_channels(), *mine)):
        raise UsageError("add", channel.name, "this channel is known already", "See: wheelfind channels list")
    names = [normalized(package) for package in packages]
    kept = channel.spec  # a path as an absolute address: the file is read from anywhere
    block = f"[[channel]]\nspec = {_quoted(kept)}\n"
    block += f"packages = [{', '.join(_quoted(name) for name in names)}]\n" if names else ""
    _write(path, f"{text.rstrip()}\n\n{block}" if text.strip() else block)
    return replace(channel, packages=tuple(names))


def remove_channel(path: Path, name: str) -> Channel:
    """Take a channel out of the configuration file; everything else in the file stays as it is.

    Args:
        path: of the file.
        name: the channel's name, or its SPEC.

    Raises:
        UsageError: the file has no such channel, or cannot be read or written.
    """
    text = _text(path)
    entries = _entries(path, text)
    channels = [_channel(path, entry) for entry in entries]
    wanted = name.casefold().removesuffix("/")
    number = next(
        (n for n, each in enumerate(channels) if wanted in {each.name.casefold(), each.spec.casefold()}), None
    )
    if number is None:
        known = any(each.name.casefold() == wanted for each in bundled_channels())
        reason = "it is bundled, not yours" if known else "you have no channel of this name"
        raise UsageError("remove", name, reason, "See: wheelfind channels list")
    kept = _without_table(text, number)
    if not _holds(kept, [entry for n, entry in enumerate(entries) if n != number]):
        raise UsageError("remove", name, f"{path} is written in a way that needs a hand", "Delete its table yourself.")
    _write(path, kept)
    return channels[number]


def _holds(text: str, entries: list[dict[str, Any]]) -> bool:
    try:
        return bool(tomllib.loads(text).get("channel", []) == entries)
    except tomllib.TOMLDecodeError:
        return False


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors put a mark first
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("read", str(path), f"{type(error).__name__}: {error}", "Set WHEELFIND_CONFIG.") from None


def _entries(path: Path, text: str) -> list[dict[str, Any]]:
    entries = _parsed(path, text).get("channel", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UsageError("read", str(path), "channel is no list of tables", _HINT)
    return entries


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason = f"it is not the TOML that it should be ({error})"
    except (RecursionError, ValueError):  # brackets in brackets, a number of thousands of digits
        reason = "it is not the TOML that it should be (nested too deep, or a number too long)"
    raise UsageError("read", str(path), reason, _HINT)


def _channel(path: Path, entry: dict[str, Any]) -> Channel:
    spec, packages, note = entry.get("spec"), entry.get("packages", []), entry.get("note", "")
    texts = [spec, note, *packages] if isinstance(packages, list) else [None]
    if not all(isinstance(text, str) for text in texts):
        raise UsageError("read", str(path), "a [[channel]] wants spec, and may have packages and note", _HINT)
    return replace(parse_spec(str(spec)), packages=tuple(normalized(name) for name in packages), note=str(note))


def _without_table(text: str, number: int) -> str:
    """The text without its n-th ``[[channel]]`` table: from its header to the next header."""
    lines = text.splitlines(keepends=True)
    headers = [place for place, line in enumerate(lines) if re.match(r"\s*\[", line)] + [len(lines)]
    mine = [place for place in headers[:-1] if re.match(r"\s*\[\[\s*channel\s*\]\]", lines[place])]
    if number >= len(mine):
        return text
    end = headers[headers.index(mine[number]) + 1]
    return "".join(lines[: mine[number]]).rstrip("\n") + "\n" * bool(lines[: mine[number]]) + "".join(lines[end:])


def _quoted(text: str) -> str:
    """A TOML basic string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\u{ord(match[0]):04x}", escaped) + '"'


def _write(path: Path, text: str) -> None:
    """Replace the file as a whole: a kill leaves the old one or the new one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        target = path.resolve()  # a link stays a link
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o600  # it may hold a password
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                os.fsync(file.fileno())
            os.chmod(name, mode)  # noqa: PTH101 - a name from mkstemp
            os.replace(name, target)  # noqa: PTH105 - as above
        except BaseException:
            with suppress(OSError):
                os.unlink(name)  # noqa: PTH108 - as above
            raise
    except OSError as error:
        raise UsageError("write", str(path), f"{type(error).__name__}: {error}", "Set WHEELFIND_CONFIG.") from None
