"""A scripted loopback HTTP server that misbehaves exactly as told, over real sockets.

    with FaultServer() as server:
        server.at("/page", reply(200, b"<html></html>", ETag='"a"'))
        server.at("/page", b"HTTP/1.1 200 OK\\r\\nContent-Length: 100\\r\\n\\r\\nabc", CUT)  # the second
        server.at("/slow", trickle(head(200, length=50), b"x" * 50, seconds=0.1))
        … server.url("/page") …
        assert [request.path for request in server.requests] == ["/page", "/page"]

Each call of ``at`` scripts one further answer of a path; the last one is repeated. An answer is a chain of *acts*:
bytes to send, ``pause(seconds)``, ``trickle``, ``CUT`` (close, FIN), ``RESET`` (close, RST), or a function of the
request that returns acts. A chain without CUT or RESET keeps the connection open for the next request, as its own head
says. Paths without a script answer 404. The server notes each request, and how many were under way at once
(``most_at_once``). The head of each request must be whole; bodies are not read (the client only ever asks GET).
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    import ssl


@dataclass(frozen=True)
class Request:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    """Lower-case names."""
    at: float
    """Monotonic seconds."""
    connection: int
    """Number of the connection."""


@dataclass(frozen=True)
class Pause:
    seconds: float


class _End:
    pass


CUT: Final = _End()
RESET: Final = _End()
Act = bytes | Pause | _End
Script = Act | Iterable[Act] | Callable[[Request], "Act | Iterable[Act]"]


def head(status: int = 200, *, length: int | None = None, **headers: str) -> bytes:
    """A reply's head; underscores in header names become dashes; ``length=None`` states none."""
    if length is not None:
        headers["Content_Length"] = str(length)
    headers.setdefault("Content_Type", "text/html")
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def reply(status: int = 200, body: bytes | str = b"", **headers: str) -> bytes:
    """A whole, honest reply."""
    data = body.encode() if isinstance(body, str) else body
    return head(status, length=None if status == HTTPStatus.NOT_MODIFIED else len(data), **headers) + data


def as_json(value: object, status: int = 200, **headers: str) -> bytes:
    return reply(status, json.dumps(value), **{"Content_Type": "application/json", **headers})


def redirect(location: str, status: int = 302, **headers: str) -> bytes:
    return reply(status, b"", Location=location, **headers)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def pause(seconds: float) -> Pause:
    return Pause(seconds)


def trickle(*parts: bytes, seconds: float) -> list[Act]:
    """Every byte of the parts, one by one, ``seconds`` apart."""
    return [act for part in parts for byte in part for act in (bytes([byte]), Pause(seconds))]


@dataclass
class _Path:
    scripts: list[Script] = field(default_factory=list)
    used: int = 0


class FaultServer:
    """The server; a context manager. Args: tls: serve https by this context; host: the address to listen on."""

    def __init__(self, *, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> None:
        self.requests: list[Request] = []
        self.most_at_once = 0
        self.connections = 0
        self._tls = tls
        self._host = host
        self._paths: dict[str, _Path] = {}
        self._fallback: Script = reply(404, b"<html>nothing here</html>")
        self._under_way = 0
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._sockets: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server((host, 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]

    def __enter__(self) -> Self:
        self._spawn(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for each in self._sockets:
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)

    def url(self, path: str = "/", *, host: str | None = None, userinfo: str = "") -> str:
        scheme = "https" if self._tls else "http"
        return f"{scheme}://{userinfo + '@' if userinfo else ''}{host or self._host}:{self.port}{path}"

    def at(self, path: str, *acts: Act | Iterable[Act] | Callable[[Request], Act | Iterable[Act]]) -> None:
        """Script one further answer of a path (its query is part of it)."""
        script: Script = acts[0] if len(acts) == 1 else _chain(acts)
        self._paths.setdefault(path, _Path()).scripts.append(script)

    def always(self, *acts: Act | Iterable[Act] | Callable[[Request], Act | Iterable[Act]]) -> None:
        """The answer of all paths without a script."""
        self._fallback = acts[0] if len(acts) == 1 else _chain(acts)

    def paths(self) -> list[str]:
        """The paths that were asked for, in order."""
        return [request.path for request in self.requests]

    def _spawn(self, target: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections += 1
            self._spawn(self._serve, connection, self.connections)

    def _serve(self, plain: socket.socket, number: int) -> None:
        try:
            connection = self._tls.wrap_socket(plain, server_side=True) if self._tls else plain
        except OSError:
            plain.close()
            return
        with self._lock:
            self._sockets.add(connection)
        try:
            with contextlib.suppress(OSError):
                while (request := _read_request(connection, number)) is not None and self._answer(connection, request):
                    pass
        finally:
            with self._lock:
                self._sockets.discard(connection)
            connection.close()

    def _answer(self, connection: socket.socket, request: Request) -> bool:
        with self._lock:
            self.requests.append(request)
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
            script = self._script(request.path)
        try:
            acts = script(request) if callable(script) else script
            return self._play(connection, (acts,) if isinstance(acts, (bytes, Pause, _End)) else acts)
        finally:
            with self._lock:
                self._under_way -= 1

    def _script(self, path: str) -> Script:
        found = self._paths.get(path)
        if found is None:
            return self._fallback
        script = found.scripts[min(found.used, len(found.scripts) - 1)]
        found.used += 1
        return script

    def _play(self, connection: socket.socket, acts: Iterable[Act]) -> bool:
        for act in acts:
            if isinstance(act, bytes):
                connection.sendall(act)
            elif isinstance(act, Pause):
                if self._stopping.wait(act.seconds):
                    return False
            else:
                if act is RESET:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return False
        return True


def _chain(scripts: Iterable[Script]) -> Callable[[Request], Iterable[Act]]:
    kept = tuple(scripts)

    def play(request: Request) -> Iterable[Act]:
        for script in kept:
            acts = script(request) if callable(script) else script
            yield from (acts,) if isinstance(acts, (bytes, Pause, _End)) else acts

    return play


def _read_request(connection: socket.socket, number: int) -> Request | None:
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            return None
        data += part
    lines = data.decode("latin-1").split("\r\n")
    method, path, _ = lines[0].split(" ", 2)
    headers = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
    return Request(method, path, {name.lower(): value for name, value in headers.items()}, time.monotonic(), number)
