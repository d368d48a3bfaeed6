"""From a page to rows: which files are wheels, beside which text they stand, and what that says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from observing import A, B, asset, index_page, release_page, wheel_name, wheels

from storage.ledger import Claim
from storage.rows import NAME_COLUMNS, listed_wheels, name_problem, name_values, read_name, tag_rows
from storage.statements import WHEEL_COLUMNS
from wheels.filename import read_filename

if TYPE_CHECKING:
    from storage.rows import Listed
    from wheels.observation import PageRead
    from wheels.page import PageProblem

PLAIN = "demo-1.0-py3-none-any.whl"


def only(seen: PageRead) -> Listed:
    (listed,) = listed_wheels(seen, []).values()
    return listed


def test_name_columns_are_the_tables_own_in_their_order() -> None:
    start = WHEEL_COLUMNS.index(NAME_COLUMNS[0])
    assert WHEEL_COLUMNS[start : start + len(NAME_COLUMNS)] == NAME_COLUMNS
    assert len(name_values(read_filename(PLAIN))) == len(NAME_COLUMNS)


CONTEXTS: dict[str, tuple[Any, str, str]] = {
    "a release": (release_page([asset(PLAIN)], tag="v1-cu130"), "v1-cu130", "v1-cu130"),
    "an index, files elsewhere": (index_page([asset(PLAIN)]), "cu130/demo", "cu130/demo"),
    "an index, files on its own host": (
        index_page([asset(PLAIN, folder="https://index.test/whl/files/torch2.9")]),
        "cu130/demo",
        "cu130/demo/whl/files/torch2.9",
    ),
    "the configured index says nothing": (
        index_page([asset(PLAIN, folder="https://index.test/a/cu118")], tag="demo", context=""),
        "demo",
        "",
    ),
    "a flat page": (
        index_page([asset(PLAIN, folder="https://files.test/whl/cu126")], tag=None),
        "whl/cu126",
        "whl/cu126",
    ),
    "a flat page of another host": (index_page([asset(PLAIN)], tag=None), "", ""),
}


@pytest.mark.parametrize(("seen", "tag", "context"), CONTEXTS.values(), ids=CONTEXTS.keys())
def test_beside_which_text_a_file_stands(seen: PageRead, tag: str, context: str) -> None:
    ((key, listed),) = listed_wheels(seen, []).items()
    assert (key.tag, listed.context) == (tag, context)


def test_repetitions_fold_into_one_wheel_with_all_claims() -> None:
    name = wheel_name(1)
    listed = only(index_page([asset(name), asset(name, sha256=B), asset(name)]))
    claimed = [claim.digest for claim in listed.claims]
    assert claimed == [A, B, A]


def test_A14_every_hash_is_a_claim_and_none_is_one_too() -> None:
    several = asset(PLAIN, hashes=(("md5", "m"), ("sha256", A)))
    assert [claim.algorithm for claim in only(index_page([several])).claims] == ["md5", "sha256"]
    assert only(index_page([asset(PLAIN, sha256=None)])).claims == (
        Claim(f"https://files.test/{PLAIN}", None, None, 5, None),
    )


def test_metadata_beside_a_wheel_is_noted() -> None:
    cases: dict[str | None, dict[str, Any]] = {
        None: {},
        "": {"metadata": True},
        "m": {"metadata": True, "metadata_sha256": "m"},
    }
    for wanted, facts in cases.items():
        assert only(index_page([asset(PLAIN, **facts)])).metadata_sha256 == wanted


def test_A33_a_pages_project_helps_to_read_a_name() -> None:
    seen = index_page([asset("sgl-kernel-0.1.0-py3-none-any.whl")])
    name = read_name(only(seen), "sgl-kernel")
    assert (name.package, name.version, name.valid) == ("sgl-kernel", "0.1.0", False)
    assert _code(name_problem(name.filename, name.problem, "", valid=name.valid)) == "noncanonical-name"


def _code(problem: PageProblem | None) -> str | None:
    return problem.code if problem else None


def test_a_good_name_is_no_problem() -> None:
    assert name_problem(PLAIN, None, "", valid=True) is None


def test_R6_names_are_checked_before_they_are_read() -> None:
    problems: list[PageProblem] = []
    long = f"demo-1.0-py3-none-{'a' * 300}.whl"
    bad = [asset(name, url="https://files.test/x.whl") for name in ("a b.whl", long, ".whl", "a;b.whl")]
    assert listed_wheels(index_page(bad), problems) == {}
    assert [problem.code for problem in problems] == ["bad-filename"] * 4


def test_lists_are_padded_text_and_unknown_is_null() -> None:
    values = dict(zip(NAME_COLUMNS, name_values(read_filename("demo-1.0-py2.py3-none-any.whl")), strict=True))
    assert (values["python"], values["sm"], values["cuda"]) == (" py2 py3 ", None, None)
    empty = name_values(replace(read_filename(PLAIN), sm=()))
    assert empty[NAME_COLUMNS.index("sm")] == " "


def test_compressed_tags_become_every_combination() -> None:
    name = read_filename("demo-1.0-py2.py3-none-win32.win_amd64.whl")
    assert list(tag_rows(7, name)) == [
        (7, "py2", "none", "win32"),
        (7, "py2", "none", "win_amd64"),
        (7, "py3", "none", "win32"),
        (7, "py3", "none", "win_amd64"),
    ]


def test_wheels_are_told_by_their_whole_url() -> None:
    both = [*wheels(1), *wheels(1, folder="https://other.test")]
    assert len(listed_wheels(index_page(both), [])) == 2
