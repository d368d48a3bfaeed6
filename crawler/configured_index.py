"""Which package index this user has configured: pip's configuration first, then uv's, then a library's constant.

It knows configuration files and variables; it must not know channels or the network. pip's files are read here and not
by pip itself, which may be missing and takes long to import. No index's address is written here.
"""

from __future__ import annotations

import configparser
import os
import re
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from crawler.urls import redact_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

REPLAYED_INDEX_URL = "https://index.example/simple"
"""The configured index in cassettes."""
REPLAYED_FILES_URL = "https://files.index.example"
"""Where its files lie in cassettes."""

_TRUE = frozenset({"1", "true", "yes", "on", "y", "t"})
_SECTIONS = ("install", "global", "download")  # what `pip install` obeys first; then what only `pip download` does


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredIndex:
    """The configured index and what stands beside it."""

    index_url: str | None = field(default=None, repr=False)
    """Without a final slash, maybe with userinfo, maybe ``file:``; None when the user wants no index (``no-index``)."""
    extra_index_urls: tuple[str, ...] = field(default=(), repr=False)
    find_links: tuple[str, ...] = field(default=(), repr=False)
    """Addresses of pages or folders; paths have become ``file:`` addresses."""
    cert: str | None = None
    """pip's ``cert``: a file of certificates to trust."""
    named_by: Mapping[str, str] = field(default_factory=dict)
    """Setting (``index-url``, ``extra-index-url``, ``find-links``) to the variable or file that holds it."""
    warnings: tuple[str, ...] = ()
    """Files that could not be read, one sentence each."""

    def lines(self) -> list[str]:
        """What is configured and where, for people; without secrets."""
        values = {
            "index-url": (self.index_url,) if self.index_url else (),
            "extra-index-url": self.extra_index_urls,
            "find-links": self.find_links,
        }
        return [
            f"{name} {redact_url(url)} ({self.named_by.get(name, 'default')})"
            for name, urls in values.items()
            for url in urls
        ]


REPLAYED_INDEX = ConfiguredIndex(index_url=REPLAYED_INDEX_URL, named_by={"index-url": "replay"})
"""The configured index of a replay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where configuration lies on a machine."""

    home: Path
    prefix: Path = field(default_factory=lambda: Path(sys.prefix))
    """``sys.prefix``: a virtual environment has a ``pip.conf`` of its own."""
    etc: Path = Path("/etc")
    platform: str = sys.platform


@dataclass(frozen=True, slots=True)
class _Value:
    text: str
    source: str


def configured_index(environ: Mapping[str, str], machine: Machine) -> ConfiguredIndex:
    """Read the configuration.

    Args:
        environ: the environment's variables (``PIP_*``, ``UV_*``, ``XDG_CONFIG_*``, ``APPDATA``).
        machine: where files are looked for.
    """
    warnings: list[str] = []
    pip = _pip_settings(environ, machine, warnings)
    named: dict[str, str] = {}
    links = _list(pip, "find-links", named)
    cert = pip["cert"].text if "cert" in pip else None
    if pip.get("no-index", _Value("", "")).text.lower() in _TRUE:
        named["no-index"] = pip["no-index"].source
        return ConfiguredIndex(find_links=links, cert=cert, named_by=named, warnings=tuple(warnings))
    extra = _list(pip, "extra-index-url", named)
    index = pip.get("index-url")
    if index is None:
        index, others = _uv_settings(environ, machine, warnings)
        extra = tuple(dict.fromkeys([*extra, *(_address(value.text) for value in others)]))
        for value in others:
            named.setdefault("extra-index-url", value.source)
    if index is None:
        index = _Value(_library_constant(), "default of distlib")
    named["index-url"] = index.source
    url = _address(index.text)
    return ConfiguredIndex(
        index_url=url,
        extra_index_urls=tuple(each for each in extra if each != url),
        find_links=links,
        cert=cert,
        named_by=named,
        warnings=tuple(warnings),
    )


def _list(pip: Mapping[str, _Value], name: str, named: dict[str, str]) -> tuple[str, ...]:
    if name not in pip:
        return ()
    named[name] = pip[name].source
    return tuple(dict.fromkeys(_address(text) for text in pip[name].text.split()))


def _address(text: str) -> str:
    """A URL as it stands, without a final slash; a path as a ``file:`` URL."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", text):  # one letter and a colon is a drive
        return text.rstrip("/") if urlsplit(text).path.strip("/") else text
    return Path(os.path.expanduser(text)).absolute().as_uri()  # noqa: PTH111 - Path raises for ~ of nobody


def _pip_settings(environ: Mapping[str, str], machine: Machine, warnings: list[str]) -> dict[str, _Value]:
    """The settings as pip's ``Configuration`` merges them.

    Later files win, a command's section wins over ``[global]``, variables over all files.
    """
    by_section: dict[str, dict[str, _Value]] = {section: {} for section in _SECTIONS}
    for path in _pip_files(environ, machine):
        parser = configparser.RawConfigParser()
        try:
            parser.read_string(path.read_text(encoding="utf-8", errors="replace"))
        except FileNotFoundError:
            continue
        except (OSError, configparser.Error) as error:
            warnings.append(f"pip's configuration {path} cannot be read ({type(error).__name__}) and is left aside")
            continue
        for section in _SECTIONS:
            if parser.has_section(section):
                found = {
                    _pip_name(name): _Value(text.strip(), str(path))
                    for name, text in parser.items(section)
                    if text.strip()
                }
                by_section[section].update(found)
    variables = {
        _pip_name(name.removeprefix("PIP_")): _Value(text.strip(), name)
        for name, text in environ.items()
        if name.startswith("PIP_") and text.strip()
    }
    merged: dict[str, _Value] = {}
    for settings in (variables, *by_section.values()):
        merged = {**settings, **merged}
    return merged


def _pip_name(name: str) -> str:
    return name.lower().replace("_", "-").removeprefix("--")


def _pip_files(environ: Mapping[str, str], machine: Machine) -> Iterator[Path]:
    """The files of pip, weakest first ("Location" and "Loading order" in its documentation)."""
    own = environ.get("PIP_CONFIG_FILE", "")
    if own in {"/dev/null", "nul", "NUL"}:  # os.devnull: no files at all
        return
    name = "pip.ini" if machine.platform == "win32" else "pip.conf"
    yield from (folder / "pip" / name for folder in _system_folders(environ, machine))
    if machine.platform != "win32":
        yield machine.etc / name
    if not (own and Path(own).exists()):
        yield machine.home / ("pip" if machine.platform == "win32" else ".pip") / name
        yield _user_folder(environ, machine, "pip") / name
    yield machine.prefix / name
    if own:
        yield Path(own)


def _system_folders(environ: Mapping[str, str], machine: Machine) -> list[Path]:
    if machine.platform == "win32":
        return [Path(environ.get("PROGRAMDATA", "C:\\ProgramData"))]
    if machine.platform == "darwin":
        return [Path("/Library/Application Support")]
    stated = environ.get("XDG_CONFIG_DIRS", "")
    return [Path(folder) for folder in stated.split(":") if folder] or [machine.etc / "xdg"]


def _user_folder(environ: Mapping[str, str], machine: Machine, program: str) -> Path:
    if machine.platform == "win32":
        return Path(environ.get("APPDATA") or machine.home / "AppData" / "Roaming") / program
    if machine.platform == "darwin" and program == "pip":
        library = machine.home / "Library" / "Application Support" / program
        return library if library.is_dir() else machine.home / ".config" / program
    return Path(environ.get("XDG_CONFIG_HOME") or machine.home / ".config") / program


def _uv_settings(
    environ: Mapping[str, str], machine: Machine, warnings: list[str]
) -> tuple[_Value | None, tuple[_Value, ...]]:
    """The default index of uv, and its others: variables, then the user's ``uv.toml``, then the system's."""
    defaults = [
        _Value(environ[name], name) for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL") if environ.get(name, "").strip()
    ]
    others = [
        _Value(text, name) for name in ("UV_INDEX", "UV_EXTRA_INDEX_URL") for text in environ.get(name, "").split()
    ]
    for path in _uv_files(environ, machine):
        try:
            stated = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, RecursionError) as error:
            warnings.append(f"uv's configuration {path} cannot be read ({type(error).__name__}) and is left aside")
            continue
        for url, is_default in _uv_indexes(stated):
            (defaults if is_default else others).append(_Value(url, str(path)))
    unnamed = [_Value(_without_name(value.text.strip()), value.source) for value in others]
    return (_Value(_without_name(defaults[0].text.strip()), defaults[0].source) if defaults else None), tuple(unnamed)


def _uv_files(environ: Mapping[str, str], machine: Machine) -> Iterable[Path]:
    if environ.get("UV_NO_CONFIG", "").lower() in _TRUE:
        return []
    if environ.get("UV_CONFIG_FILE"):
        return [Path(environ["UV_CONFIG_FILE"])]
    system = [folder / "uv" / "uv.toml" for folder in _system_folders(environ, machine)]
    return [_user_folder(environ, machine, "uv") / "uv.toml", *system, machine.etc / "uv" / "uv.toml"]


def _uv_indexes(stated: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Each index of a ``uv.toml``, and whether it is the default."""
    entries = stated.get("index")
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("url"), str):
            yield entry["url"], entry.get("default") is True
    for table in (stated, stated.get("pip")):
        if not isinstance(table, dict):
            continue
        if isinstance(table.get("index-url"), str):
            yield table["index-url"], True
        more = table.get("extra-index-url")
        yield from ((url, False) for url in (more if isinstance(more, list) else ()) if isinstance(url, str))


def _without_name(text: str) -> str:
    return re.sub(r"\A[A-Za-z0-9._-]+=(?=[A-Za-z]+:|/)", "", text)  # uv: NAME=URL


def _library_constant() -> str:
    from distlib.index import DEFAULT_INDEX  # noqa: PLC0415 - slow, and needed only when no configuration names an index

    parts = urlsplit(str(DEFAULT_INDEX))
    return f"{parts.scheme}://{parts.netloc}/simple"
