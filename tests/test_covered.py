from __future__ import annotations

import json
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from crawler.channels import parse_spec
from wheelfind.covered import covered_rows, publisher_shares, write_shares
from wheelfind.doors.channels import app

if TYPE_CHECKING:
    from pathlib import Path

FOUND = "https://github.com/sgl-project/whl/releases/download/v1/foo-1-py3-none-any.whl"
MISSED = "https://nowhere.test/foo-1-py3-none-any.whl"


def test_each_url_has_a_row_in_its_order_and_blank_ones_none() -> None:
    rows = covered_rows([{"url": MISSED}, {"url": ""}, {"url": FOUND}, {}], [parse_spec("github:sgl-project/whl")])
    assert rows == [{"url": MISSED, "channel": None}, {"url": FOUND, "channel": "sgl-project/whl"}]


def test_publishers_come_with_counts_and_shares() -> None:
    rows = covered_rows([{"url": MISSED}, {"url": FOUND}, {"url": FOUND}], [parse_spec("github:sgl-project/whl")])
    assert publisher_shares(rows) == [
        {"publisher": "sgl-project/whl", "urls": 2, "covered": 2, "share": 1.0},
        {"publisher": "nowhere.test", "urls": 1, "covered": 0, "share": 0.0},
    ]
    assert write_shares(rows).endswith("2 of 3 URLs covered (66.67%)")
    assert write_shares([]) == "0 of 0 URLs covered"


def test_channels_cover_prints_rows_to_standard_output_and_shares_to_standard_error(tmp_path: Path) -> None:
    path = tmp_path / "urls.tsv"
    path.write_text(f"filename\turl\nfoo\t{FOUND}\nfoo\t{MISSED}\n")
    done = CliRunner().invoke(app, ["cover", str(path), "--format", "json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == [{"url": FOUND, "channel": "sgl-project/whl"}, {"url": MISSED, "channel": None}]
    assert "1 of 2 URLs covered (50.00%)" in done.stderr
    assert CliRunner().invoke(app, ["cover", "-", "-q"], input=f"{FOUND}\n").stderr == ""


def test_a_table_shows_url_and_channel() -> None:
    done = CliRunner().invoke(app, ["cover", "-"], input=f"{FOUND}\n")
    assert [line.split() for line in done.stdout.splitlines()] == [["url", "channel"], [FOUND, "sgl-project/whl"]]
