"""Answers ``file:`` addresses as if a server stood there.

It knows folders and their listings; it must not know who may ask: the client lets only addresses through that the user
named.
"""

from __future__ import annotations

import asyncio
import html
import mimetypes
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit, urlunsplit
from urllib.request import url2pathname

from crawler.body import size_text
from crawler.urls import redact_url
from crawler.wire import Ask, Reply
from wheels.errors import TooLarge, Unreachable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.sink import Sink

_PIECE = 1 << 20
_HTML = "text/html; charset=utf-8"


class LocalWire:
    """The file system: a folder is its ``index.html``, or a listing of what lies in it."""

    async def exchange(self, ask: Ask) -> Reply:
        """Read a file or folder.

        Raises:
            Unreachable: it cannot be read.
            TooLarge: it is larger than the budget.
        """
        try:
            return await asyncio.to_thread(_read, ask)
        except FileNotFoundError:
            return Reply(status=HTTPStatus.NOT_FOUND, headers={"content-type": _HTML}, private=True)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is no path"
            raise Unreachable("read", redact_url(ask.url), reason, "Check the path and its permissions.") from None

    async def aclose(self) -> None:
        """Nothing is held."""


def _read(ask: Ask) -> Reply:
    parts = urlsplit(ask.url)
    if parts.netloc not in {"", "localhost"}:
        raise ValueError(parts.netloc)
    path = Path(url2pathname(parts.path))
    moved = ""
    if path.is_dir():
        moved = "" if parts.path.endswith("/") else urlunsplit(parts._replace(path=parts.path + "/"))
        index = path / "index.html"
        if not index.is_file():
            body = _listing(path)
            return Reply(status=HTTPStatus.OK, headers={"content-type": _HTML}, body=body, private=True, moved_to=moved)
        path = index
    if not path.is_file():
        raise FileNotFoundError(path)  # a device or pipe would be read for ever
    size = path.stat().st_size
    most = ask.limits.decoded_bytes if ask.sink is None else ask.limits.wire_bytes
    if size > most:
        raise TooLarge("read", redact_url(ask.url), f"it is larger than {size_text(most)}")
    media_type = "text/html" if path.suffix in {".html", ".htm", ""} else mimetypes.guess_type(path.name)[0]
    headers = {"content-type": media_type or "application/octet-stream"}
    if ask.sink is not None:
        _pour(path, ask.sink, {**headers, "content-length": str(size)})
        return Reply(status=HTTPStatus.OK, headers=headers, private=True, moved_to=moved)
    return Reply(status=HTTPStatus.OK, headers=headers, body=path.read_bytes(), private=True, moved_to=moved)


def _pour(path: Path, sink: Sink, headers: Mapping[str, str]) -> None:
    sink.begin(HTTPStatus.OK, headers)
    with path.open("rb") as file:
        while data := file.read(_PIECE):
            sink.take(data)


def _listing(folder: Path) -> bytes:
    names = sorted(entry.name + "/" * entry.is_dir() for entry in folder.iterdir() if not entry.name.startswith("."))
    anchors = "".join(f'<a href="./{quote(name)}">{html.escape(name)}</a><br>\n' for name in names)
    return f"<!DOCTYPE html>\n<html><body>\n{anchors}</body></html>\n".encode()
