from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from catalogs import INDEX, NIGHTLY, REPOSITORY, make_catalog

from wheelfind import __version__
from wheelfind.cli import main
from wheelfind.command_line import COMMANDS, PROGRAM_OPTIONS, VALUE_OPTIONS
from wheelfind.program import program
from wheelfind.report.facts import NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parent.parent


def words_of(value: object) -> str | None:
    """An id of a table's row: its words."""
    return " ".join(value) if isinstance(value, list) else ""


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_catalog(tmp_path_factory.mktemp("catalog") / "catalog.sqlite")


@pytest.fixture(autouse=True)
def user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, catalog: str) -> Iterator[None]:
    monkeypatch.setenv("WHEELFIND_DB", catalog)
    monkeypatch.setenv("WHEELFIND_CONFIG", str(tmp_path / "config"))
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*words: str) -> tuple[int, str, str]:
        status = main(words)
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return status, out, err

    return call


def in_a_process(*words: str, stdin: bytes = b"", **environ: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "wheelfind", *words]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, cwd=ROOT, env=os.environ | environ)


# -- find


def test_a_package_alone_is_a_query(run: Callable[..., tuple[int, str, str]]) -> None:
    status, out, err = run("sgl_kernel", "--cu130", "--x86_64")
    rows = [line for line in out.splitlines() if "https://" in line]
    assert status == 0
    assert [row.split()[0] for row in rows] == ["0.3.21+cu130", "0.3.20+cu130"]
    assert rows[0].endswith("/v0.3.21/sgl_kernel-0.3.21%2Bcu130-cp310-abi3-manylinux2014_x86_64.whl")
    for fact in ("cp310-abi3", REPOSITORY, "v0.3.21", "535.6 MB"):
        assert fact in rows[0]
    assert f"{REPOSITORY}: ok, completely read" in out
    assert f"{INDEX}: ok, completely read" in out
    assert "install the first: uv pip install 'https://github.test/" in err


def test_a_slip_in_a_package_is_named(run: Callable[..., tuple[int, str, str]]) -> None:
    assert "did you mean sgl-kernel?" in run("sgl_kernal", "--offline")[2]
    assert "did you mean sgl-kernel?" in run("sgl_kernal", "--offline", "--format", "json")[2]


@pytest.mark.parametrize(
    "words",
    [
        ["--cu130", "--x86_64", "sgl_kernel"],
        ["--cu130", "sgl_kernel", "--x86_64"],
        ["find", "sgl_kernel", "--cu130", "--x86_64"],
        ["--cu130", "find", "--x86_64", "sgl_kernel"],
        ["sgl-kernel", "--cuda", "13.0", "--arch", "amd64"],
        ["SGL.Kernel", "--cuda=130", "--arch=x86_64"],
        ["sglang-kernel", "--cu130", "--x86_64"],
    ],
)
def test_words_stand_in_any_order_and_spelling(run: Callable[..., tuple[int, str, str]], words: list[str]) -> None:
    assert run(*words, "--format", "urls")[1] == run("sgl_kernel", "--cu130", "--x86_64", "--format", "urls")[1]


@pytest.mark.parametrize(
    ("words", "files"),
    [
        (["--cu130", "--cu128"], 4),
        (["--cu130", "--cu128", "--aarch64"], 1),
        (["--cu13"], 3),
        (["--rocm700"], 1),
        (["--rocm", "7"], 1),
        (["--cp312"], 6),
        (["--py39"], 0),
        (["--linux", "--x86_64"], 5),
        (["--windows"], 0),
        (["--glibc", "2.17"], 6),
        (["--glibc", "2.12"], 0),
        (["--tag", "v0.3.20"], 2),
        (["--tag", "v*", "--tag", "x*"], 6),
        (["--channel", "SGL-project/whl"], 6),
        (["--channel", INDEX], 1),
        (["--since", "2026-02-28"], 0),
        (["--since", "2026-02-27"], 6),
        (["--limit", "2"], 2),
        (["--here", "--arch", "s390x"], 0),
        (["--loads-with", "torch==2.9.1"], 0),
        (["--sm", "120"], 0),
        (["--torch", "2.9"], 0),
        (["--exact", "--cu130"], 3),
    ],
    ids=words_of,
)
def test_filters(run: Callable[..., tuple[int, str, str]], words: list[str], files: int) -> None:
    status, out, _ = run("sgl_kernel", *words, "--format", "jsonl")
    assert len(out.splitlines()) == files
    assert status == (0 if files else 1)


def test_a_version_specifier_is_part_of_the_package(run: Callable[..., tuple[int, str, str]]) -> None:
    _, out, _ = run("sgl_kernel<0.3.21", "--format", "jsonl")
    assert {json.loads(line)["version"] for line in out.splitlines()} == {"0.3.20"}


def test_a_pattern_finds_every_package_it_fits(run: Callable[..., tuple[int, str, str]]) -> None:
    _, out, _ = run("sgl*", "--pre", "--format", "jsonl")
    assert {json.loads(line)["package"] for line in out.splitlines()} == {"sgl-kernel", "sglang"}


def test_loads_with_says_that_no_verdict_is_stored(run: Callable[..., tuple[int, str, str]]) -> None:
    status, _, err = run("sgl_kernel", "--loads-with", "torch==2.9.1")
    assert status == 1
    assert "no verdict about a torch build is stored yet" in err


def test_the_same_file_is_one_row_with_its_places(run: Callable[..., tuple[int, str, str]]) -> None:
    _, out, _ = run("sgl_kernel==0.3.21", "--cu130", "--x86_64", "--format", "json")
    [wheel] = json.loads(out)["wheels"]
    assert {wheel["channel"], *(place["channel"] for place in wheel["places"])} == {REPOSITORY, INDEX}


def test_find_json_is_one_object_with_every_key(run: Callable[..., tuple[int, str, str]]) -> None:
    document = json.loads(run("sgl_kernel", "--cu130", "--format", "json")[1])
    assert set(document) == {"query", "wheels", "nearest", "channels"}
    assert all(tuple(wheel) == NAMES for wheel in document["wheels"])
    assert {"channel": REPOSITORY, "last_complete_at": "2026-03-01T00:00:00Z", "status": "ok"} in document["channels"]


def test_nothing_matched_leaves_standard_output_empty(run: Callable[..., tuple[int, str, str]]) -> None:
    status, out, err = run("sgl_kernel", "--cu121")
    assert (status, out) == (1, "")
    assert "no wheel of sgl-kernel matches --cuda 12.1" in err
    assert "removed by cuda" in err


def test_nothing_matched_in_json_has_the_misses_and_one_line(run: Callable[..., tuple[int, str, str]]) -> None:
    status, out, err = run("sgl_kernel", "--cu121", "--format", "json")
    document = json.loads(out)
    assert (status, document["wheels"], document["nearest"][0]["removed_by"]) == (1, [], ["cuda"])
    assert err.startswith("no wheel of sgl-kernel matches --cuda 12.1; 2 of 4 channels")
    assert len(err.splitlines()) == 1


def test_a_release_without_the_package_says_what_it_holds(run: Callable[..., tuple[int, str, str]]) -> None:
    status, _, err = run("sgl_kernel", "--tag", "nightly-*")
    assert status == 1
    assert f"{REPOSITORY} {NIGHTLY} holds sglang (1)" in err


def test_prereleases_are_shown_when_nothing_else_matches(run: Callable[..., tuple[int, str, str]]) -> None:
    assert run("sglang", "--format", "urls")[0] == 0


def test_builds_for_several_accelerators_are_not_chosen_between(run: Callable[..., tuple[int, str, str]]) -> None:
    _, _, err = run("sgl_kernel")
    assert "choose one" in err
    assert "install the first" not in err


def test_here_says_what_the_machine_is(run: Callable[..., tuple[int, str, str]]) -> None:
    _, _, err = run("sgl_kernel", "--here")
    assert "here: Python " in err


@pytest.mark.parametrize("form", ["pip", "uv"])
def test_install_commands_are_one_runnable_line(run: Callable[..., tuple[int, str, str]], form: str) -> None:
    _, out, _ = run("sgl_kernel", "--cu130", "--x86_64", "--format", form)
    words = shlex.split(out)
    assert out.count("\n") == 1
    assert words[:-1] == (["pip", "install"] if form == "pip" else ["uv", "pip", "install"])
    assert "%2Bcu130" in words[-1]


def test_csv_has_the_columns_asked_for(run: Callable[..., tuple[int, str, str]]) -> None:
    _, out, _ = run("sgl_kernel", "--cu128", "--format", "csv", "--columns", "version,local,size")
    assert list(csv.reader(io.StringIO(out))) == [["version", "local", "size"], ["0.3.20", "cu128", "535601072"]]


def test_offline_without_a_catalog_says_that_nothing_was_read(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    status, out, err = run("sgl_kernel", "--offline", "--db", str(tmp_path / "none.sqlite"))
    assert (status, out) == (3, "")
    assert "none of its channels was ever read" in err
    assert "wheelfind crawl --package sgl-kernel" in err
    assert not (tmp_path / "none.sqlite").exists()


def test_offline_a_package_that_no_channel_carries_has_a_next_step_too(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    location = str(tmp_path / "none.sqlite")
    status, out, err = run("some_package", "--offline", "--db", location)
    assert (status, out) == (3, "")
    assert f"wheelfind crawl --package some-package --db {location}" in err


def test_quiet_leaves_data_alone(run: Callable[..., tuple[int, str, str]]) -> None:
    status, out, err = run("-q", "sgl_kernel", "--cu130")
    assert status == 0
    assert out
    assert err == ""


# -- wrong use and trouble


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["crwal"], 'did you mean "crawl"'),
        (["help"], 'did you mean "--help"'),
        (["inspect", "x.whl"], "later version"),
        (["sgl_kernel", "--cud", "13.0"], "Did you mean --cuda"),
        (["sgl_kernel", "--cu1300"], "Did you mean --cu130"),
        (["sgl_kernel", "--x86_46"], "Did you mean --x86_64"),
        (["sgl_kernel", "--cuda", "abc"], "no CUDA version"),
        (["sgl_kernel", "--cuda"], "Like: --cuda VALUE"),
        (["--verison"], "Did you mean --version"),
        (["crawl", "sgl-project/wlh"], "Near: sgl-project/whl"),
        (["sgl_kernel", "--format", "xml"], "Formats: table, json"),
        (["sgl_kernel", "--sort", "x"], "Orders: version"),
        (["sgl_kernel", "--columns", "x"], "Columns: package"),
        (["sgl_kernel", "--limit", "0"], "at least 1"),
        (["sgl_kernel", "--replay", "no-such-folder"], "no such folder"),
        (["sgl_kernel", "--offline", "--refresh"], "--offline"),
        (["sgl_kernel", "--replay", ".", "--refresh"], "--replay"),
        (["sgl_kernel", "--columns", "url", "--format", "json"], "Formats with columns"),
        (["sgl_kernel", "--raw"], "--format csv"),
        (["sgl_kernel", "--newest-per", "arch"], "there is no such choice"),
        (["sgl_kernel", "--explain", "--format", "uv"], "has no room for it"),
        (["sgl_kernel=1"], "no version specifier"),
        (["--cu130"], "PACKAGE"),
        (["db", "vacuum"], "Verbs: path"),
        (["channels", "add"], "needs a channel"),
        (["channels", "add", "x"], "SPEC"),
        (["crawl", "--every", "soon"], "no span of time"),
        (["crawl", "--max-releases", "some"], "at least 1"),
        (["sql"], "QUERY"),
        (["sql", "SELEC 1"], "hint"),
        (["sql", "DELETE FROM wheel"], "could not"),
        (["sql", "ATTACH 'new.db' AS n"], "could not"),
        (["changes", "--since", "soon"], "neither a date"),
        (["show"], "FILE"),
    ],
    ids=words_of,
)
def test_wrong_use_is_one_sentence_and_status_2(
    run: Callable[..., tuple[int, str, str]], words: list[str], said: str
) -> None:
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert said in err
    assert err.startswith("error: could not ")
    assert len(err.splitlines()) <= 2


@pytest.mark.parametrize(
    "command", ["find sgl_kernel --offline", "db info", "db check", "show x.whl", "changes", "channels list"]
)
def test_a_file_that_is_no_catalog_is_status_4(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path, command: str
) -> None:
    other = tmp_path / "other.sqlite"
    other.write_bytes(b"this is no database, whatever its name says" * 40)
    status, out, err = run(*command.split(), "--db", str(other))
    assert (status, out) == (4, "")
    assert err.startswith("error: could not ")
    assert str(other) in err


@pytest.mark.parametrize("command", ["find sgl_kernel", "find sgl_kernel --cu130", "changes --since 2026-01-01"])
def test_a_damaged_catalog_is_status_4(run: Callable[..., tuple[int, str, str]], tmp_path: Path, command: str) -> None:
    path = Path(make_catalog(tmp_path / "damaged.sqlite"))
    body = bytearray(path.read_bytes())
    body[8192:] = b"\x05" * (len(body) - 8192)
    path.write_bytes(body)
    status, out, err = run(*command.split(), "--db", str(path))
    assert (status, out) == (4, "")
    assert err.startswith("error: could not ")


def test_B41_a_catalog_of_a_newer_version_is_refused(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    path = make_catalog(tmp_path / "newer.sqlite")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 999999")
    connection.close()
    status, _, err = run("sgl_kernel", "--db", path)
    assert status == 4
    assert "newer wheelfind" in err


def test_D40_hostile_words_are_escaped_on_one_line(run: Callable[..., tuple[int, str, str]]) -> None:
    status, _, err = run("x\n2026-12-01 INFO all ok\x1b[31m")
    assert status == 2
    assert err.splitlines()[0].startswith("error: ")
    assert all(line.isprintable() for line in err.splitlines())
    assert len(err.splitlines()) <= 2


# -- other commands


def test_version_says_where_things_lie(run: Callable[..., tuple[int, str, str]], catalog: str, tmp_path: Path) -> None:
    status, out, _ = run("--version")
    assert status == 0
    assert out.splitlines() == [
        f"wheelfind {__version__}",
        f"catalog: {catalog}",
        f"configuration: {tmp_path / 'config'}",
    ]


@pytest.mark.parametrize("words", [["--help"], ["-h"], []])
def test_help_names_every_command(run: Callable[..., tuple[int, str, str]], words: list[str]) -> None:
    status, out, _ = run(*words)
    assert status == 0
    assert all(re.search(rf"\b{command}\b", out) for command in COMMANDS)
    assert "wheelfind sgl_kernel --cu130 --x86_64" in out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches_by_example(run: Callable[..., tuple[int, str, str]], command: str) -> None:
    status, out, _ = run(command, "--help")
    assert status == 0
    assert "Examples:" in out
    assert len(re.findall(r"^ +(?:ls .*)?wheelfind ", out, re.MULTILINE)) >= 2
    for option in ("--db", "--format", "--verbose", "--quiet"):
        assert option in out


def test_parse_is_one_json_line_a_name(run: Callable[..., tuple[int, str, str]]) -> None:
    status, out, _ = run(
        "parse", "--tag", "v0.3.4-cu124", "llama_cpp_python-0.3.4-cp312-cp312-linux_x86_64.whl", "nonsense"
    )
    first, second = map(json.loads, out.splitlines())
    assert status == 0
    assert (first["cuda"], first["cuda_from"], first["tag"], first["valid"]) == ("12.4", "tag", "v0.3.4-cu124", True)
    assert second["valid"] is False
    assert second["problem"]
    assert tuple(first) == tuple(second) == NAMES


@pytest.mark.parametrize("form", ["json", "table", "csv", "markdown"])
def test_parse_in_other_formats(run: Callable[..., tuple[int, str, str]], form: str) -> None:
    _, out, _ = run("parse", "a-1.0-py3-none-any.whl", "--format", form)
    assert "a-1.0-py3-none-any.whl" in out.replace("\\", "")


def test_parse_takes_any_bytes() -> None:
    names = (
        b"a-1.0-py3-none-any.whl\n\n   \n\xff\xfe\x00\x1b[31m.whl\r\n"
        + "тorch-2.0-py3-none-any.whl".encode()
        + b"\n"
        + b"9" * 100_000
    )
    done = in_a_process("parse", "-", stdin=names)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert [row["valid"] for row in rows] == [True, False, False, False]
    assert done.stdout.isascii()


def test_sql_is_a_list_of_objects(run: Callable[..., tuple[int, str, str]]) -> None:
    status, out, _ = run(
        "sql", "SELECT package, count(*) AS n, python FROM wheels GROUP BY package", "--format", "json"
    )
    assert status == 0
    assert json.loads(out)[0] == {"package": "sgl-kernel", "n": 7, "python": " cp310 "}


def test_sql_without_a_catalog_is_an_empty_list_and_a_hint(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    status, out, err = run("sql", "SELECT 1", "--format", "json", "--db", str(tmp_path / "none.sqlite"))
    assert (status, json.loads(out)) == (0, [])
    assert "wheelfind crawl" in err


def test_sql_limit_and_repeated_columns(run: Callable[..., tuple[int, str, str]]) -> None:
    _, out, _ = run(
        "sql", "SELECT 1 a, 2 a, x'00ff' b, 9e999 c UNION ALL SELECT 3, 4, 5, 6", "--limit", "1", "--format", "jsonl"
    )
    assert [json.loads(line) for line in out.splitlines()] == [{"a": 1, "a_2": 2, "b": "00ff", "c": None}]


def test_D04_a_query_without_end_is_stopped_with_status_1(run: Callable[..., tuple[int, str, str]]) -> None:
    endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c"
    status, out, err = run("sql", endless, "--timeout", "0.2")
    assert (status, out) == (1, "")
    assert err.startswith("error: could not ")


@pytest.mark.parametrize(
    "what",
    [
        "sgl_kernel-0.3.21+cu130-cp310-abi3-manylinux2014_x86_64.whl",
        "sgl_kernel-0.3.21%2Bcu130-cp310-abi3-manylinux2014_x86_64.whl",
        "https://github.test/sgl-project/whl/releases/download/v0.3.21/sgl_kernel-0.3.21+cu130-cp310-abi3-manylinux2014_x86_64.whl",
    ],
    ids=["name", "encoded name", "URL"],
)
def test_show_knows_places_and_ledger(run: Callable[..., tuple[int, str, str]], what: str) -> None:
    status, out, _ = run("show", what, "--format", "json")
    wheels = json.loads(out)["wheels"]
    assert status == 0
    assert {wheel["channel"] for wheel in wheels} == {REPOSITORY, INDEX}
    assert all(wheel["ledger"][0]["sha256"] == wheel["sha256"] for wheel in wheels)
    assert all(set(NAMES) <= set(wheel) for wheel in wheels)
    assert [[place["channel"] for place in wheel["places"]] for wheel in wheels] == [
        [other["channel"]] for other in reversed(wheels)
    ]


def test_show_finds_a_file_by_its_hash(run: Callable[..., tuple[int, str, str]]) -> None:
    digest = json.loads(run("sgl_kernel", "--cu128", "--format", "jsonl")[1])["sha256"]
    for word in (digest, digest.upper(), f"sha256:{digest}"):
        assert "0.3.20+cu128" in run("show", word)[1]


def test_show_of_an_unknown_file_is_status_1(run: Callable[..., tuple[int, str, str]]) -> None:
    status, out, err = run("show", "x-1.0-py3-none-any.whl")
    assert (status, out) == (1, "")
    assert "knows no such file" in err


def test_changes_lists_what_is_new(run: Callable[..., tuple[int, str, str]]) -> None:
    status, out, _ = run("changes", "sgl_kernel", "--rocm700", "--since", "2026-01-01", "--format", "json")
    [row] = json.loads(out)
    assert status == 0
    assert (row["kind"], row["at"], row["rocm"]) == ("new", "2026-03-01T00:00:00Z", "7.0.0")


def test_changes_is_an_empty_list_when_nothing_changed(run: Callable[..., tuple[int, str, str]]) -> None:
    assert json.loads(run("changes", "--since", "2027-01-01", "--format", "json")[1]) == []


def test_channels_are_added_shown_and_removed(run: Callable[..., tuple[int, str, str]]) -> None:
    assert run("channels", "add", "github:someone/wheels@v*")[0] == 0
    listed = json.loads(run("channels", "list", "--format", "json")[1])
    mine = [row for row in listed if row["origin"] == "added"]
    assert [(row["channel"], row["kind"], row["tag_glob"]) for row in mine] == [("someone/wheels@v*", "github", "v*")]
    assert any(row["channel"] == REPOSITORY and row["status"] == "ok" for row in listed)
    assert "someone/wheels" in run("channels", "show", "someone/wheels@v*")[1]
    assert run("channels", "remove", "someone/wheels@v*")[0] == 0
    assert not [row for row in json.loads(run("channels", "--format", "json")[1]) if row["origin"] == "added"]


def test_channels_change_nothing_when_the_catalog_cannot_be_read(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"no catalog" * 1000)
    assert run("channels", "add", "github:some/one", "--db", str(broken))[0] == 4
    assert run("channels", "show", "some/one")[0] == 2


def test_channels_never_print_a_password(run: Callable[..., tuple[int, str, str]]) -> None:
    _, out, err = run("channels", "add", "index:https://me:CANARY@wheels.test/simple", "--format", "json")
    assert "CANARY" not in out + err
    assert "CANARY" not in "".join(run("channels", "list", "--format", "json")[1:])


def test_db_path_info_check_and_backup(run: Callable[..., tuple[int, str, str]], catalog: str, tmp_path: Path) -> None:
    assert run("db", "path")[1] == f"{catalog}\n"
    assert json.loads(run("db", "info", "--format", "json")[1])["wheels"] == 8
    assert json.loads(run("db", "check", "--format", "json")[1])["sound"] is True
    copy = tmp_path / "copy.sqlite"
    assert run("db", "backup", str(copy))[0] == 0
    assert run("db", "check", "--db", str(copy))[0] == 0
    assert run("db", "backup", str(copy))[0] == 2


# -- the program as a whole


def test_options_that_take_a_value_are_the_declared_ones() -> None:
    root = program()
    commands = [root.get_command(None, name) for name in COMMANDS]
    options = [param for command in commands for param in command.params if param.param_type_name == "option"]
    with_value = {word for param in options if not param.is_flag and not param.count for word in param.opts}
    assert with_value == VALUE_OPTIONS
    flags = {word for param in options if param.is_flag or param.count for word in (*param.opts, *param.secondary_opts)}
    assert flags.isdisjoint(VALUE_OPTIONS)
    known = {word for param in root.params for word in param.opts}
    assert known <= PROGRAM_OPTIONS


def test_no_command_bears_the_name_of_a_package_that_channels_carry() -> None:
    from crawler.channels import bundled_packages  # noqa: PLC0415 - only here
    from wheelfind.command_line import LATER  # noqa: PLC0415 - only here

    assert set(bundled_packages()).isdisjoint({*COMMANDS, *LATER})


def test_find_imports_neither_orm_nor_http_nor_console(catalog: str) -> None:
    code = (
        "import sys; from wheelfind.cli import main; status = main(['sgl_kernel', '--cu130', '--x86_64']);"
        "heavy = {'sqlalchemy', 'sqlmodel', 'alembic', 'httpx', 'rich', 'pydantic', 'selectolax', 'asyncio'};"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ | {"WHEELFIND_DB": catalog},
    )
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("wheelfind cra", "crawl"),
        ("wheelfind sgl_kernel --cu13", "--cu130"),
        ("wheelfind sgl_kernel --tor", "--torch"),
        ("wheelfind crawl --max", "--max-releases"),
        ("wheelfind find sgl", "sgl-kernel"),
        ("wheelfind sgl", "sgl-kernel"),
    ],
)
def test_shell_completion(line: str, offered: str) -> None:
    words = line.split()
    done = in_a_process(_WHEELFIND_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
    assert offered in done.stdout.decode().split()


def test_show_completion_prints_a_script() -> None:
    done = in_a_process("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert b"_WHEELFIND_COMPLETE" in done.stdout


def test_a_reader_that_goes_away_is_no_error() -> None:
    words = [sys.executable, "-m", "wheelfind", "sql", "SELECT * FROM wheels a, wheels b, wheels c", "-f", "jsonl"]
    command = f"set -o pipefail; {shlex.join(words)} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, b"")


def test_no_colour_and_nothing_wide_is_lost_in_an_ascii_terminal(catalog: str) -> None:
    done = in_a_process("sgl_kernel", "--cu130", PYTHONIOENCODING="ascii", COLUMNS="60", WHEELFIND_DB=catalog)
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    assert b"%2Bcu130-cp310-abi3-manylinux2014_x86_64.whl\n" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_with_a_shell_s_status(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "wheelfind", "parse", "-"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"a-1.0-py3-none-any.whl\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(number)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 128 + number
    assert b"Traceback" not in err
