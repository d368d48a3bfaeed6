"""A repository on GitHub as a small world: its HTML face and its REST face."""

from __future__ import annotations

from githubmarkup import File, Made, atom, fragment, release_list, rest_releases
from walkworld import World

from crawler.channels import parse_spec

CHANNEL = parse_spec("github:o/r")
HTML = "https://github.com/o/r/releases"
API = "https://api.github.com/repos/o/r/releases?per_page=100"
UH_OH = b"<div>Uh oh! There was an error while loading. Please reload this page.</div>"


def wheel(number: int, name: str = "demo") -> File:
    return File(name=f"{name}-1.{number}+cu130-cp312-cp312-linux_x86_64.whl", sha256=f"{number:064x}")


def made(number: int, *, files: int = 1, time: str | None = "2026-01-01T00:00:00Z", tag: str | None = None) -> Made:
    wheels = tuple(wheel(number * 1000 + each) for each in range(files))
    return Made(tag=tag or f"v1.{number}", files=wheels, time=time, number=number + 1)


def many(count: int) -> list[Made]:
    """Releases, newest first."""
    return [made(number) for number in reversed(range(count))]


def publish(world: World, releases: list[Made], *, repository_id: int = 7, repository: str = "o/r") -> None:
    """Set the whole HTML face of a repository."""
    world.put(
        f"{HTML}.atom",
        atom(repository, repository_id, releases, updated="2026-06-01T00:00:00Z"),
        media_type="application/atom+xml",
    )
    pages = [releases[start : start + 10] for start in range(0, len(releases), 10)] or [[]]
    for number, page in enumerate(pages, 1):
        following = number + 1 if number < len(pages) else None
        url = HTML if number == 1 else f"{HTML}?page={number}"
        world.put(url, release_list(repository, page, following=following), etag=False)
    for each in releases:
        world.put(f"{HTML}/expanded_assets/{each.tag}", fragment(repository, each), etag=False)


def published(count: int) -> World:
    world = World()
    publish(world, many(count))
    return world


def rest_world(releases: list[Made], *, page: int = 100) -> World:
    world = World(token="t0ken")
    pages = [releases[start : start + page] for start in range(0, len(releases), page)] or [[]]
    for number, each in enumerate(pages, 1):
        following = f'<https://api.github.com/repositories/7/releases?per_page=100&page={number + 1}>; rel="next"'
        url = API if number == 1 else f"https://api.github.com/repositories/7/releases?per_page=100&page={number}"
        link = following if number < len(pages) else None
        world.put(url, rest_releases("o/r", each), media_type="application/json", link=link)
    return world
