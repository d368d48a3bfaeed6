from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from typer.testing import CliRunner

from wheelfind.doors.parse import app
from wheelfind.lists import read_rows
from wheelfind.name_report import COLUMNS, report_names, write_name_report

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    {"filename": "foo-1+cu130-py3-none-any.whl", "tag": "v1", "publisher": "a/a"},
    {"filename": "foo-1+cu130zork-py3-none-any.whl", "tag": "odd/00/9f", "publisher": "a/a"},
    {"filename": "foo-1+zork.x-py3-none-any.whl", "tag": "odd-cu130", "publisher": "b/b"},
    {"filename": "foo-1-py3-none-any.whl"},
    {"filename": "no wheel"},
]


def test_names_valid_ones_labels_and_publishers_are_counted() -> None:
    facts = report_names(ROWS)
    counts = {name: value for name, value in facts.items() if not isinstance(value, list)}
    assert counts == {
        "names": 5,
        "valid": 4,
        "with_facts": 2,
        "with_label": 3,
        "recognised": 1,
        "share": 0.3333,
        "share_by_publisher": 0.25,
    }
    assert [(each["publisher"], each["names"], each["share"]) for each in facts["publishers"]] == [
        ("", 2, None),
        ("a/a", 2, 0.5),
        ("b/b", 1, 0.0),
    ]


def test_words_that_are_not_understood_come_with_counts_and_an_example() -> None:
    facts = report_names(ROWS)
    assert [(each["word"], each["names"], each["publishers"]) for each in facts["label_words"]] == [
        ("cu130zork", 1, 1),
        ("x", 1, 1),
        ("zork", 1, 1),
    ]
    assert facts["label_words"][0]["example"] == "foo-1+cu130zork-py3-none-any.whl"
    assert [(each["word"], each["publishers"]) for each in facts["tag_words"]] == [("odd", 2)]


def test_the_report_is_text_or_one_object() -> None:
    facts = report_names(ROWS)
    text = write_name_report(facts, "table")
    assert text.startswith("names: 5\nvalid: 4\n")
    assert "not understood: 3" in text
    assert json.loads(write_name_report(facts, "json")) == facts
    assert write_name_report(facts, "jsonl").count("\n") == 1


def test_text_leaves_out_what_there_is_nothing_of() -> None:
    text = write_name_report(report_names([{"filename": "foo-1+cu130-py3-none-any.whl"}]), "table")
    assert text.splitlines()[-1].startswith("share_by_publisher")


def test_many_words_are_cut_in_text_only() -> None:
    facts = report_names({"filename": f"foo-1+zork{i}x-py3-none-any.whl"} for i in range(50))
    assert "not understood: 50, the first 40\n" in write_name_report(facts, "table")
    assert len(json.loads(write_name_report(facts, "json"))["label_words"]) == 50


def test_no_names_are_no_trouble() -> None:
    assert report_names([])["share"] is None


def _report(*words: str, text: str = "") -> dict[str, Any]:
    done = CliRunner().invoke(app, ["--report", "--format", "json", *words], input=text)
    assert done.exit_code == 0, done.output
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


def test_parse_report_takes_names_files_and_standard_input(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text("filename,tag\nfoo-1-py3-none-any.whl,v1-cu130\n")
    assert _report("foo-1+cu130-py3-none-any.whl")["with_facts"] == 1
    assert _report(str(path))["with_facts"] == 1
    assert _report("-", text="foo-1-py3-none-any.whl\tv1-cu130\n")["with_facts"] == 1
    assert _report("--tag", "v1-cu130", "-", text="foo-1-py3-none-any.whl\n")["with_facts"] == 1


def test_of_the_labels_of_the_wild_only_words_without_a_fact_are_left(test_data: Path) -> None:
    facts = report_names(read_rows(str(test_data / "urls.tsv.gz"), COLUMNS))
    assert {each["word"] for each in facts["label_words"]} <= {"foo", "gemma426blora", "main"}
    assert facts["share"] > 0.999
