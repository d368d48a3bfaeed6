from __future__ import annotations

import gzip
import io
import sys
from typing import TYPE_CHECKING

import pytest

from wheelfind.lists import read_rows
from wheels.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = ("filename", "tag", "publisher")
ROW = {"filename": "foo-1-py3-none-any.whl", "tag": "v1-cu130"}

LISTS = {
    "plain names": ("foo-1-py3-none-any.whl\n", [{"filename": "foo-1-py3-none-any.whl"}]),
    "tabs": ("foo-1-py3-none-any.whl\tv1-cu130\n", [ROW]),
    "commas": ("foo-1-py3-none-any.whl,v1-cu130\n", [ROW]),
    "a head": ("tag,filename\nv1-cu130,foo-1-py3-none-any.whl\n", [ROW]),
    "a head of a table of links": (
        "filename\turl\trepo_or_channel\ttag_or_directory\nfoo-1-py3-none-any.whl\tu\to/r\tv1-cu130\n",
        [{**ROW, "url": "u", "publisher": "o/r"}],
    ),
    "blank lines and Windows' line ends": ("\r\nfoo-1-py3-none-any.whl\tv1-cu130\r\n\r\n", [ROW]),
    "quotes are letters between tabs": ('"a\tb"\n', [{"filename": '"a', "tag": 'b"'}]),
    "a NUL": ("a\0b\tc\n", [{"filename": "a\ufffdb", "tag": "c"}]),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("text", "rows"), LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("packed", [False, True], ids=["as it is", "gzipped"])
def test_a_list_is_read(text: str, rows: list[dict[str, str]], tmp_path: Path, *, packed: bool) -> None:
    path = tmp_path / "list"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    assert list(read_rows(str(path), COLUMNS)) == rows


def test_standard_input_is_a_list_too(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"foo-1-py3-none-any.whl,v1-cu130\n")))
    monkeypatch.setattr(sys, "stdin", stream)
    assert list(read_rows("-", COLUMNS)) == [ROW]


def test_a_closed_standard_input_is_wrong_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UsageError, match="it is closed"):
        list(read_rows("-", COLUMNS))


def test_a_list_that_cannot_be_read_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        list(read_rows(str(tmp_path / "none"), COLUMNS))
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(b"a\n" * 9000)[:30])
    with pytest.raises(UsageError, match="could not read the list"):
        list(read_rows(str(cut), COLUMNS))


def test_in_a_list_of_one_column_a_comma_is_a_letter(tmp_path: Path) -> None:
    path = tmp_path / "urls"
    path.write_text("https://a.test/x,y.whl\n")
    assert list(read_rows(str(path), ("url",))) == [{"url": "https://a.test/x,y.whl"}]
