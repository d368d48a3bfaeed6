from __future__ import annotations

import csv
import io
import json
import shlex
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement

from wheelfind.answer import Answer, Freshness, Hidden, Holding, Miss
from wheelfind.console import visible
from wheelfind.report.answers import FORMATS, freshness_lines, hidden_line, miss_lines, write_answer
from wheelfind.report.columns import human_size, read_columns
from wheelfind.report.delimited import cell_text, write_csv, write_markdown
from wheelfind.report.facts import NAMES, json_text, wheel_facts
from wheelfind.report.installing import safe_url, write_command, write_requirements, write_urls
from wheelfind.report.records import write_records
from wheelfind.report.table import display_width, write_table
from wheels.errors import UsageError, WheelfindError
from wheels.fit import Query
from wheels.wheel import Conflict, Place, Wheel

DIGEST = "ab" * 32
URL = "https://files.test/dl/v1/sgl_kernel-0.3.21%2Bcu130-cp310-abi3-manylinux2014_x86_64.whl"
WHEEL = Wheel(
    filename="sgl_kernel-0.3.21+cu130-cp310-abi3-manylinux2014_x86_64.whl",
    valid=True,
    package="sgl-kernel",
    version="0.3.21",
    local="cu130",
    python=("cp310",),
    abi=("abi3",),
    platform=("manylinux2014_x86_64",),
    os=("linux",),
    arch=("x86_64",),
    glibc="2.17",
    accelerator="cuda",
    cuda="13.0",
    cuda_from="filename",
    cuda_conflict=(Conflict(source="requires", value="12.8"),),
    url=URL,
    channel="owner/repo",
    tag="v0.3.21",
    places=(Place(channel="docs.test/whl", tag="cu130", url="https://docs.test/x.whl"),),
    sha256=DIGEST,
    size=535_601_072,
    uploaded_at="2026-02-27T10:00:00Z",
    first_seen="2026-03-01T00:00:00Z",
    last_seen="2026-03-01T00:00:00Z",
)
FRESH = Freshness(channel="owner/repo", last_complete_at="2026-03-01T00:00:00Z", status="ok")
ANSWER = Answer(query=Query(packages=("sgl-kernel",), cuda=("13.0",)), wheels=(WHEEL,), matched=1, channels=(FRESH,))
MISS = Miss(removed_by=("cuda",), reason="cuda is 12.8, not 13.0", count=2, wheel=WHEEL)
EMPTY = replace(ANSWER, wheels=(), matched=0, nearest=(MISS,))


def test_json_has_the_shape_and_every_key() -> None:
    document = json.loads(write_answer(ANSWER, "json"))
    assert set(document) == {"query", "wheels", "nearest", "channels"}
    assert set(document["channels"][0]) == {"channel", "last_complete_at", "status"}
    [wheel] = document["wheels"]
    assert tuple(wheel) == NAMES
    assert wheel["cuda_conflict"] == [{"from": "requires", "value": "12.8"}]
    assert wheel["places"] == [{"channel": "docs.test/whl", "tag": "cu130", "url": "https://docs.test/x.whl"}]
    assert wheel["python"] == ["cp310"]
    assert wheel["yanked"] is False
    assert wheel["torch"] is None


def test_json_tells_an_empty_list_from_an_unknown_one() -> None:
    assert wheel_facts(replace(WHEEL, sm=()))["sm"] == []
    assert wheel_facts(WHEEL)["sm"] is None


def test_json_without_a_match_has_the_misses() -> None:
    document = json.loads(write_answer(EMPTY, "json"))
    assert document["wheels"] == []
    assert document["nearest"][0]["removed_by"] == ["cuda"]
    assert document["nearest"][0]["wheel"]["filename"] == WHEEL.filename


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in {"json", "csv"}])
def test_without_a_match_standard_output_stays_empty(form: str) -> None:
    assert write_answer(EMPTY, form) == ""


def test_jsonl_is_the_rows_alone() -> None:
    lines = write_answer(ANSWER, "jsonl").splitlines()
    assert [json.loads(line)["filename"] for line in lines] == [WHEEL.filename]


def test_csv_is_the_rows_alone() -> None:
    [row] = csv.DictReader(io.StringIO(write_answer(ANSWER, "csv")))
    assert row["size"] == "535601072"
    assert row["python"] == "cp310"
    assert row["torch"] == ""
    assert row["yanked"] == "false"


@pytest.mark.parametrize("width", [None, 40, 100, 400])
def test_the_table_never_cuts_a_url(width: int | None) -> None:
    text = write_answer(ANSWER, "table", width=width)
    assert URL in text
    for fact in (
        "0.3.21+cu130",
        "cp310-abi3",
        "owner/repo",
        "v0.3.21",
        "535.6 MB",
        "cuda 13.0",
        "but cuda 12.8",
        "+1 place",
    ):
        assert fact in text


def test_the_table_gives_the_url_a_line_of_its_own_where_the_terminal_is_narrow() -> None:
    narrow, wide = write_answer(ANSWER, "table", width=80), write_answer(ANSWER, "table", width=400)
    assert f"  {URL}" in narrow.splitlines()
    assert len(wide.splitlines()) == 2


def test_the_table_shows_an_unknown_fact_that_was_asked_about() -> None:
    answer = replace(ANSWER, query=Query(packages=("a",), glibc=("2.28",)), wheels=(replace(WHEEL, glibc=None),))
    assert "?" in write_answer(answer, "table")


def test_the_table_says_when_the_size_is_unknown() -> None:
    text = write_answer(replace(ANSWER, wheels=(replace(WHEEL, size=None),)), "table")
    assert "size" in text.splitlines()[0].split()
    assert "?" in text


def test_the_table_is_coloured_only_when_asked() -> None:
    assert "\x1b" not in write_answer(ANSWER, "table")
    assert "\x1b[1m" in write_answer(ANSWER, "table", colour=True)


def test_columns_are_the_names_of_the_surface() -> None:
    assert read_columns("version, first-seen,url") == ("version", "first_seen", "url")
    assert write_answer(ANSWER, "csv", columns=("filename",)) == f"filename\n{WHEEL.filename}\n"


@pytest.mark.parametrize("text", ["a]b", "", "filename; drop table wheel"])
def test_D01_a_column_that_is_none_is_wrong_use(text: str) -> None:
    with pytest.raises(UsageError, match="no such column"):
        read_columns(text)


def test_pip_and_uv_are_one_runnable_command() -> None:
    assert shlex.split(write_answer(ANSWER, "pip")) == ["pip", "install", f"{URL}#sha256={DIGEST}"]
    assert shlex.split(write_answer(ANSWER, "uv")) == ["uv", "pip", "install", f"{URL}#sha256={DIGEST}"]
    assert "%2B" in write_answer(ANSWER, "pip")


def test_requirements_carry_the_hash_and_read_back() -> None:
    line = write_answer(ANSWER, "requirements").strip()
    requirement, _, digest = line.partition(" --hash=sha256:")
    assert (Requirement(requirement).url, digest) == (URL, DIGEST)


def test_requirements_without_a_known_hash_name_none() -> None:
    assert "--hash" not in write_requirements([replace(WHEEL, sha256=None)])


def test_urls_are_one_a_line() -> None:
    assert write_answer(ANSWER, "urls") == f"{URL}\n"


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param({"filename": "foo-1.0-py3-none-any\n--extra-index-url http:x.whl"}, id="newline in the name"),
        pytest.param({"url": "https://files.test/x.whl\n--extra-index-url=http://e.test"}, id="newline in the URL"),
        pytest.param({"url": URL.replace("/v1/", "/v 1/")}, id="space in the URL"),
        pytest.param({"url": "https://files.test/other-1.0-py3-none-any.whl"}, id="the URL of another file"),
        pytest.param({"url": URL.replace("https", "javascript")}, id="another scheme"),
        pytest.param({"url": URL.replace("files.test", "user:secret@files.test")}, id="a password"),
        pytest.param({"filename": "$(rm -rf).whl", "url": "https://files.test/$(rm -rf).whl"}, id="a shell command"),
    ],
)
@pytest.mark.parametrize("form", ["pip", "uv", "urls", "requirements"])
def test_D20_nothing_is_written_that_another_program_would_misread(form: str, facts: dict[str, Any]) -> None:
    answer = replace(ANSWER, wheels=(replace(WHEEL, **facts),))
    with pytest.raises(WheelfindError, match="not safe"):
        write_answer(answer, form)


def test_D20_one_bad_row_stops_all_rows() -> None:
    with pytest.raises(WheelfindError):
        write_urls([WHEEL, replace(WHEEL, filename="bad name.whl")])


def test_D20_a_name_that_no_installer_takes_is_refused() -> None:
    name = "torch-2.9.0-cp313-cp313-manylinux_2_28_x86_64-cuda12.6.whl"
    with pytest.raises(WheelfindError, match="no installer takes"):
        write_command(replace(WHEEL, filename=name, valid=False, url=f"https://files.test/{name}"), "pip")


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=30))
def test_D20_a_url_is_one_safe_word_or_refused(text: str) -> None:
    wheel = replace(WHEEL, url=f"https://files.test/{text}/{URL.rsplit('/', 1)[1]}")
    try:
        url = safe_url(wheel)
    except WheelfindError:
        return
    assert url.isascii()
    assert url.split() == [url]
    assert shlex.split(write_command(wheel, "pip"))[-1].partition("#")[0] == url


@pytest.mark.parametrize("text", ['=HYPERLINK("http://e")', "+1", "-2+3", "@x", "\tx", "\rx"])
def test_D19_free_text_is_never_a_formula(text: str) -> None:
    rows = [{"yank_reason": text, "filename": text, "size": -1}]
    [row] = csv.DictReader(io.StringIO(write_csv(("yank_reason", "filename", "size"), rows), newline=""))
    shown = text.replace("\r", "\\r")
    assert row == {"yank_reason": f"'{shown}", "filename": shown, "size": "-1"}
    assert f"'{text}" not in write_csv(("yank_reason",), rows, raw=True)


@pytest.mark.parametrize(
    "text", ["foo-1.0-py3-none-any\n.whl", "x\x1b]0;x\x07", "a\u202eb", "a\x9bb", "\ud800", "a\u200bb\u2028"]
)
def test_A37_D40_text_from_outside_is_escaped_on_one_line(text: str) -> None:
    wheel = replace(WHEEL, tag=text, channel=text, yanked=True, yank_reason=text)
    answer = replace(ANSWER, wheels=(wheel,))
    for form in ("table", "markdown", "jsonl"):
        written = write_answer(answer, form)
        assert all(line.isprintable() for line in written.split("\n"))
        assert len(written.splitlines()) <= 3
    assert visible(text).isprintable()


def test_markdown_escapes_what_markdown_and_html_would_read() -> None:
    text = write_markdown(["tag"], [["<img src=x>|*a*"]])
    assert text.splitlines()[-1] == r"| \<img src=x\>\|\*a\* |"


@given(st.lists(st.lists(st.text(max_size=8), min_size=2, max_size=2), min_size=1, max_size=4))
def test_table_columns_are_aligned(rows: list[list[str]]) -> None:
    text = write_table(["one", "two"], rows, keep_empty=True)
    lines = text.split("\n")[:-1]
    start = display_width(lines[0][: lines[0].index("two")])
    width = max(display_width(visible(row[0])) for row in [["one"], *rows])
    assert start == width + 2
    assert len(lines) == len(rows) + 1


def test_records_without_rows_are_an_empty_list_in_json() -> None:
    assert json.loads(write_records(("a",), [], "json")) == []
    assert write_records(("a",), [], "table") == ""


@pytest.mark.parametrize(
    ("size", "text"),
    [(None, ""), (0, "0 B"), (999, "999 B"), (1500, "2 kB"), (535_601_072, "535.6 MB"), (2 * 10**12, "2000.0 GB")],
)
def test_human_size(size: int | None, text: str) -> None:
    assert human_size(size) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, ""), (True, "true"), (["a", "b"], "a b"), ({"a": 1, "b": None}, "a=1"), (1.5, "1.5")]
)
def test_cell_text(value: Any, text: str) -> None:
    assert cell_text(value) == text


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=9)))
def test_json_text_is_ascii_on_one_line(value: dict[str, str]) -> None:
    text = json_text(value)
    assert text.isascii()
    assert len(text.splitlines()) == 1
    assert json.loads(text) == value


def test_freshness_is_said_for_each_channel() -> None:
    unread = Freshness(channel="index", last_complete_at=None, status="failed")
    never = Freshness(channel="links", last_complete_at=None, status="unread")
    answer = replace(ANSWER, channels=(FRESH, unread, never))
    lines = list(freshness_lines(answer, datetime(2026, 3, 1, 3, tzinfo=UTC)))
    assert lines == [
        "owner/repo: ok, completely read 3 hours ago (2026-03-01T00:00:00Z)",
        "index: failed, never completely read",
        "links: never read",
    ]


def test_hidden_files_are_counted_with_the_option_that_shows_them() -> None:
    answer = replace(ANSWER, hidden=Hidden(prereleases=1, vanished=2))
    assert hidden_line(answer) == "hidden: 1 pre-release (--pre), 2 vanished files (--vanished)"
    assert hidden_line(ANSWER) == ""


def test_misses_are_said_for_people() -> None:
    held = Holding(channel="owner/repo", tag="nightly-1", packages={"sglang": 2})
    nothing = Miss(removed_by=("package",), reason="no wheel of sgl-kernel is there", count=0, holds=(held,))
    lines = list(miss_lines(replace(EMPTY, nearest=(MISS, nothing))))
    assert lines == [
        "  removed by cuda: cuda is 12.8, not 13.0",
        f"    2 files, newest {WHEEL.filename}",
        f"    {URL}",
        "  no wheel of sgl-kernel is there; looked at:",
        "    owner/repo nightly-1 holds sglang (2)",
    ]


def test_A37_column_names_of_a_users_own_query_reach_no_terminal_raw() -> None:
    evil = "\x1b]0;x\x07|\n"
    for form in ("table", "csv", "markdown"):
        text = write_records([evil], [{evil: 1}], form)
        assert "\x1b" not in text
        assert "\\x1b]0;x\\x07" in text
    assert write_markdown(["a|b"], []).startswith("| a\\|b |\n")
