"""What pages say of their project: other places (PEP 708)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pages_world import JSON, WHEEL, codes, files, simple

if TYPE_CHECKING:
    from pathlib import Path

    from wheels.page import Page

HERE, THERE = "https://a.test/simple/foo/", "https://b.test/simple/foo/"


def as_json(tracks: Any, elsewhere: Any) -> Page:
    more = {"meta": {"api-version": "1.2", "tracks": tracks}, "alternate-locations": elsewhere}
    return simple(files({"url": WHEEL}, **more), JSON)


def as_html(tracks: list[str], elsewhere: list[str]) -> Page:
    marks = [f'<meta name="pypi:tracks" content="{each}">' for each in tracks]
    marks += [f'<META content="{each}" name="PyPI:alternate-locations">' for each in elsewhere]
    return simple("".join(marks) + f'<a href="{WHEEL}">')


@pytest.mark.parametrize("form", [as_json, as_html], ids=["JSON", "HTML"])
def test_other_places_in_both_forms(form: Any) -> None:
    page = form([HERE, THERE, HERE], [THERE])
    assert (page.tracks, page.alternate_locations) == ((HERE, THERE), (THERE,))
    assert codes(page) == []


@pytest.mark.parametrize("form", [as_json, as_html], ids=["JSON", "HTML"])
@pytest.mark.parametrize("said", ["", "mailto:a@b.test", "https://[::1/", "https://a.test/x y/"])
def test_what_is_no_address_is_a_problem(form: Any, said: str) -> None:
    page = form([said, HERE], [])
    assert page.tracks == (HERE,)
    assert codes(page) == ["bad-location"]


@pytest.mark.parametrize("said", [7, {}, [7], [None], "", [[]]])
def test_what_is_no_list_of_addresses_is_a_problem(said: object) -> None:
    page = as_json(None, said)
    assert page.alternate_locations == ()
    assert set(codes(page)) <= {"bad-location"}


def test_userinfo_of_a_place_is_dropped() -> None:
    assert as_json(["https://u:p@a.test/foo/"], None).tracks == ("https://a.test/foo/",)


def test_a_page_that_says_nothing() -> None:
    page = simple(f'<a href="{WHEEL}">')
    assert (page.tracks, page.alternate_locations) == ((), ())


def test_a_real_page(test_data: Path) -> None:
    page = simple((test_data / "indexes" / "jwodder__argset-708.json").read_bytes(), JSON)
    assert page.tracks == ("https://tracks.package/pypi/argset/", "https://test.tracks.package/pypi/argset")
    assert page.alternate_locations == ("https://alt.package/pypi/argset/", "https://test.alt.package/pypi/argset")
    assert (page.project_status, page.project_status_reason) == ("deprecated", "Dev is tired of project")
