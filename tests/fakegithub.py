"""A small GitHub on loopback, for tests and benchmarks: HTML list, feed, fragments, REST; with latency and limits.

    with FakeGithub(many(25)) as github:
        … WHEELFIND_GITHUB_URL=github.url, WHEELFIND_GITHUB_API_URL=github.url + "/api" …
        assert github.asked == ["/o/r/releases.atom", …]

As a program it serves in a process of its own, prints its address and ends when its standard input closes; GET
``/stage/N`` sets how its repository has moved on, ``/counted`` says how many pages it gave:

    python tests/fakegithub.py --releases 20000 --latency 0.05
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import threading
from collections import deque
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING, Self
from urllib.parse import parse_qs, unquote, urlsplit

from githubmarkup import File, Made, atom, fragment, release_list, rest_assets, rest_releases, tag_page

if TYPE_CHECKING:
    from collections.abc import Callable

REPOSITORY = "o/r"
_LIST_PAGE, _MOST_CONNECTIONS = 10, 128
_FIRST = datetime(2026, 1, 1, tzinfo=UTC)


def release(number: int, *, files: int = 2, edition: int = 0) -> Made:
    """A release by its number; another edition holds other bytes under the same names."""
    when = f"{_FIRST - timedelta(hours=number):%Y-%m-%dT%H:%M:%SZ}"
    names = (f"demo_kernel-1.{number}.{each}+cu130-cp312-abi3-manylinux_2_28_x86_64.whl" for each in range(files))
    wheels = tuple(File(name=n, sha256=sha256(f"{edition} {n}".encode()).hexdigest(), time=when) for n in names)
    return Made(tag=f"v1.{number}", files=wheels, time=when, number=number + 1)


def releases(count: int, *, files: int = 2) -> list[Made]:
    """So many releases, newest first."""
    return [release(number, files=files) for number in range(count)]


def moved_on(made: list[Made], stage: int) -> list[Made]:
    """The repository later: a new release, an old one whose files were replaced, one that lost a file."""
    if not stage or len(made) < 4:
        return made
    new = Made(tag=f"v2.{stage}", files=(File(name=f"demo_kernel-2.{stage}-py3-none-any.whl", sha256="e" * 64),))
    new = replace(new, time=f"{_FIRST + timedelta(days=stage):%Y-%m-%dT%H:%M:%SZ}", number=100_000 + stage)
    again = release(made[-1].number - 1, files=len(made[-1].files), edition=stage)
    return [new, replace(made[0], files=made[0].files[1:]), *made[1:-1], again]


@dataclass(slots=True)
class Answer:
    """What a path gives."""

    body: bytes = b""
    status: int = 200
    media_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    validated: bool = False
    """It carries an ETag, and is not sent again to one who holds it."""


class FakeGithub:
    """The server; a context manager that serves from a thread of its own.

    Args:
        made: the releases, newest first.
        latency_seconds: from a request to its answer, however many run at once.
    """

    def __init__(self, made: list[Made], *, latency_seconds: float = 0.0) -> None:
        self.made = made
        self.latency_seconds = latency_seconds
        self.asked: deque[str] = deque(maxlen=100_000)
        self.tokens: set[str] = set()
        """``Authorization`` headers that came."""
        self.limit_after: int | None = None
        """So many more answers, then the limit page."""
        self.limit_seconds = 3600
        self.url = ""
        self.count = 0

    @property
    def made(self) -> list[Made]:
        """The releases, newest first; they may be set anew between crawls."""
        return self._made

    @made.setter
    def made(self, made: list[Made]) -> None:
        self._made = made
        self._by_tag = {each.tag: each for each in made}
        self._by_number = {str(each.number): each for each in made}

    # ------------------------------------------------------------------ serving

    def __enter__(self) -> Self:
        ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, args=(ready.set,), daemon=True)
        self._thread.start()
        ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _run(self, ready: Callable[[], None]) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self.serve(ready))
        self._loop.close()

    async def serve(self, ready: Callable[[], None]) -> None:
        """Serve until told to stop."""
        self._stop = asyncio.Event()
        connections: set[asyncio.Transport] = set()
        server = await asyncio.get_running_loop().create_server(
            lambda: _Connection(self, connections), "127.0.0.1", 0, backlog=_MOST_CONNECTIONS
        )
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        ready()
        await self._stop.wait()
        server.close()
        for transport in connections:
            transport.abort()
        await asyncio.sleep(0)

    # ------------------------------------------------------------------ answers

    def answer(self, target: str, headers: dict[str, str]) -> Answer:
        """What one request gets."""
        if target.startswith("/stage/"):
            self.made = moved_on(self.made, int(target.removeprefix("/stage/")))
            return Answer()
        if target == "/counted":
            return Answer(str(self.count).encode(), media_type="text/plain")
        self.count += 1
        self.asked.append(target)
        self.tokens |= {headers["authorization"]} if "authorization" in headers else set()
        if self.limit_after is not None:
            self.limit_after -= 1
            if self.limit_after < 0:
                return self._limited(target)
        found = self._find(target)
        if found.validated:
            etag = f'"{sha256(found.body).hexdigest()[:16]}"'
            found.headers["ETag"] = etag
            if headers.get("if-none-match") == etag:
                found.status, found.body = 304, b""
        return found

    def _limited(self, target: str) -> Answer:
        if target.startswith("/api/"):
            reset = int(datetime.now(UTC).timestamp()) + self.limit_seconds
            headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset)}
            return Answer(b'{"message":"API rate limit exceeded"}', 403, "application/json", headers)
        body = b"<html><head><title>Rate limit &middot; GitHub</title></head><body><h1>Whoa there!</h1></body></html>"
        return Answer(body, 429, headers={"Retry-After": str(self.limit_seconds)})

    def _find(self, target: str) -> Answer:
        parts = urlsplit(target)
        page = int(parse_qs(parts.query).get("page", ["1"])[0])
        path = unquote(parts.path)
        base = f"/{REPOSITORY}/releases"
        if path.startswith("/api/"):
            return self._rest(path.removeprefix("/api"), page)
        if path == f"{base}.atom":
            body = atom(REPOSITORY, 7, self.made, updated="2026-01-01T00:00:00Z", base=self.url)
            return Answer(body, media_type="application/atom+xml", validated=True)
        if path == base:
            shown, more = _part(self.made, page, _LIST_PAGE)
            return Answer(release_list(REPOSITORY, shown, following=page + 1 if more else None, base=self.url))
        made = next((each for each in self.made if path.endswith(f"/{each.tag}")), None)
        if made is not None and path.startswith(f"{base}/expanded_assets/"):
            return Answer(fragment(REPOSITORY, made))
        if made is not None and path.startswith(f"{base}/tag/"):
            return Answer(tag_page(REPOSITORY, made))
        return Answer(b"<html>not found</html>", 404)

    def _rest(self, path: str, page: int) -> Answer:
        size = 100
        if path in {f"/repos/{REPOSITORY}/releases", "/repositories/7/releases"}:
            shown, more = _part(self.made, page, size)
            body = rest_releases(REPOSITORY, shown)
            link = f'<{self.url}/api/repositories/7/releases?per_page={size}&page={page + 1}>; rel="next"'
            return Answer(body, media_type="application/json", headers={"Link": link} if more else {}, validated=True)
        made = self._by_number.get(path.removesuffix("/assets").rpartition("/")[2])
        if made is None:
            return Answer(b'{"message":"Not Found"}', 404, "application/json")
        return Answer(rest_assets(REPOSITORY, made), media_type="application/json", validated=True)


def _part(made: list[Made], page: int, size: int) -> tuple[list[Made], bool]:
    return made[(page - 1) * size : page * size], len(made) > page * size


class _Connection(asyncio.Protocol):
    """One connection: requests in, answers out after the latency."""

    def __init__(self, github: FakeGithub, connections: set[asyncio.Transport]) -> None:
        self._github = github
        self._connections = connections
        self._data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._connections.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        del exc
        self._connections.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        """Answer whole requests."""
        self._data += data
        while b"\r\n\r\n" in self._data:
            head, _, self._data = self._data.partition(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
            answer = self._github.answer(lines[0].split(" ")[1], headers)
            asyncio.get_running_loop().call_later(self._github.latency_seconds, self._send, answer)

    def _send(self, answer: Answer) -> None:
        if self._transport.is_closing():
            return
        length = {} if answer.status == HTTPStatus.NOT_MODIFIED else {"Content-Length": str(len(answer.body))}
        lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}", f"Content-Type: {answer.media_type}"]
        lines += [f"{name}: {value}" for name, value in {**answer.headers, **length}.items()]
        self._transport.write("\r\n".join([*lines, "", ""]).encode("latin-1") + answer.body)


def main() -> None:
    """Serve until standard input closes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--releases", type=int, default=1000)
    parser.add_argument("--files", type=int, default=2)
    parser.add_argument("--latency", type=float, default=0.0)
    chosen = parser.parse_args()
    with FakeGithub(releases(chosen.releases, files=chosen.files), latency_seconds=chosen.latency) as github:
        sys.stdout.write(f"{github.url}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
