from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wheels.evidence import explain
from wheels.filename import read_filename
from wheels.wheel import Conflict, Wheel

if TYPE_CHECKING:
    from wheels.evidence import Saying


def wheel(filename: str, tag: str | None = None, url: str = "") -> Wheel:
    read = read_filename(filename, tag or "")
    facts = {name: getattr(read, name) for name in read.__dataclass_fields__}
    return Wheel(
        **facts,
        url=url or f"https://h.test/{filename}",
        channel="h.test",
        tag=tag,
        first_seen="2026-01-01T00:00:00Z",
        last_seen="2026-01-01T00:00:00Z",
    )


def words(said: tuple[Saying, ...]) -> list[tuple[str, str, str, dict[str, object]]]:
    return [(one.source, one.part, one.text, dict(one.says)) for one in said if one.part != "tags"]


@pytest.mark.parametrize(
    ("filename", "tag", "expected"),
    [
        pytest.param(
            "flash_attn-2.8.3+cu12torch2.9cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
            "v2.8.3",
            [
                (
                    "filename",
                    "label",
                    "cu12torch2.9cxx11abiTRUE",
                    {"accelerator": "cuda", "cuda": "12", "torch": "2.9", "cxx11abi": True},
                )
            ],
            id="one word of a label says several facts",
        ),
        pytest.param(
            "llama_cpp_python-0.3.4-cp312-cp312-linux_x86_64.whl",
            "v0.3.4-cu124",
            [("tag", "tag", "cu124", {"accelerator": "cuda", "cuda": "12.4"})],
            id="only the tag says it",
        ),
        pytest.param(
            "x-1.0+cu128-py3-none-any.whl",
            "cu130/x",
            [
                ("filename", "label", "cu128", {"accelerator": "cuda", "cuda": "12.8"}),
                ("tag", "tag", "cu130", {"accelerator": "cuda", "cuda": "13.0"}),
                ("tag", "conflict", "13.0", {"cuda": "13.0"}),
            ],
            id="name and tag contradict each other",
        ),
        pytest.param("x-1.0-py3-none-any.whl", None, [], id="nothing but its tags"),
        pytest.param("no-wheel.whl", None, [], id="a bad name"),
    ],
)
def test_explain(filename: str, tag: str | None, expected: list[tuple[str, str, str, dict[str, object]]]) -> None:
    assert words(explain(wheel(filename, tag))) == expected


def test_the_directory_speaks_where_the_tag_does_not() -> None:
    plain = wheel("x-1.0-py3-none-any.whl", None, "https://h.test/whl/cu126/x-1.0-py3-none-any.whl")
    said = explain(replace(plain, cuda="12.6", cuda_from="tag"))
    assert words(said) == [("tag", "directory", "cu126", {"accelerator": "cuda", "cuda": "12.6"})]


def test_tags_say_where_it_runs() -> None:
    [tags] = explain(wheel("x-1.0-cp310-abi3-manylinux2014_x86_64.whl"))
    assert (tags.part, tags.text) == ("tags", "cp310-abi3-manylinux2014_x86_64")
    assert (tags.says["os"], tags.says["glibc"]) == (("linux",), "2.17")


@given(st.text(), st.text())
def test_explain_never_fails(filename: str, tag: str) -> None:
    plain = replace(wheel("x-1.0-py3-none-any.whl"), filename=filename, tag=tag)
    explain(replace(plain, cuda_conflict=(Conflict(source="tag", value="12"),)))
