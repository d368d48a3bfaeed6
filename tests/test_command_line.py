from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wheelfind.command_line import COMMANDS, LATER, PackageTest, near_command, read_call
from wheels.errors import UsageError


@pytest.mark.parametrize(
    ("words", "command", "rest"),
    [
        (["sgl_kernel"], "find", ["sgl_kernel"]),
        (["find", "sgl_kernel"], "find", ["sgl_kernel"]),
        (["--cu130", "sgl_kernel"], "find", ["--cu130", "sgl_kernel"]),
        (["--db", "crawl", "sgl_kernel"], "find", ["--db", "crawl", "sgl_kernel"]),
        (["--db=x", "crawl", "--full"], "crawl", ["--db=x", "--full"]),
        (["-v", "crawl", "a/b"], "crawl", ["-v", "a/b"]),
        (["find", "crawl"], "find", ["crawl"]),
        (["--", "crawl"], "find", ["--", "crawl"]),
        (["parse", "-"], "parse", ["-"]),
        (["torch==2.9.*"], "find", ["torch==2.9.*"]),
        (["parse==1.0"], "find", ["parse==1.0"]),
        (["--version"], None, ["--version"]),
        ([], None, []),
    ],
)
def test_read_call(words: list[str], command: str | None, rest: list[str]) -> None:
    call = read_call(words)
    assert (call.command, list(call.words)) == (command, rest)


@pytest.mark.parametrize(
    ("word", "command"),
    [
        ("crwal", "crawl"),
        ("channel", "channels"),
        ("fidn", "find"),
        ("Find", "find"),
        ("qsl", "sql"),
        ("inspct", "inspect"),
    ],
)
def test_a_word_close_to_a_command_is_a_suggestion(word: str, command: str) -> None:
    with pytest.raises(UsageError, match=f'did you mean "{command}"') as refused:
        read_call([word, "--cu130"])
    assert refused.value.hint.endswith(f"wheelfind find {word}")


@pytest.mark.parametrize("word", LATER)
def test_a_later_command_says_so(word: str) -> None:
    with pytest.raises(UsageError, match="later version"):
        read_call([word])


def test_a_package_of_a_channel_is_a_query_whatever_it_resembles() -> None:
    class Stacks(PackageTest):
        def __call__(self, name: str) -> bool:
            return name == "stacks"

    assert read_call(["stacks"], is_package=Stacks()).command == "find"


@pytest.mark.parametrize(
    "word",
    ["torch", "vllm", "sgl_kernel", "sglang", "xformers", "flash-attn", "numpy", "pandas", "dbt", "jax", "nunchaku"],
)
def test_names_of_packages_resemble_no_command(word: str) -> None:
    assert near_command(word) is None


@pytest.mark.parametrize("word", COMMANDS)
def test_a_command_is_nearest_to_itself(word: str) -> None:
    assert near_command(word) == word


@given(st.lists(st.text(max_size=9)))
def test_read_call_keeps_every_other_word(words: list[str]) -> None:
    try:
        call = read_call(words)
    except UsageError:
        return
    assert len(call.words) == len(words) - (call.command is not None and len(words) != len(call.words))
