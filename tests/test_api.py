from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from catalogs import make_catalog

import wheelfind
from wheels import errors

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_catalog(tmp_path_factory.mktemp("catalog") / "catalog.sqlite")


def test_every_public_name_is_there() -> None:
    assert sorted(wheelfind.__all__) == dir(wheelfind)
    assert all(getattr(wheelfind, name) is not None for name in wheelfind.__all__)


def test_a_name_that_is_not_public_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="inspect"):
        _ = wheelfind.inspect


def test_import_stays_light() -> None:
    code = (
        "import sys, wheelfind;"
        "heavy = {'typer', 'sqlalchemy', 'sqlmodel', 'httpx', 'rich', 'packaging', 'sqlite3', 'pydantic'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"


def test_no_module_bears_a_public_function_s_name() -> None:
    modules = {file.stem for file in (ROOT / "wheelfind").glob("*.py")}
    assert modules.isdisjoint({"parse_filename", "open_catalog", "inspect", "check"})


def test_parse_filename_takes_a_context() -> None:
    name = wheelfind.parse_filename("llama_cpp_python-0.3.4-cp312-cp312-linux_x86_64.whl", context="v0.3.4-cu124")
    assert (name.cuda, name.cuda_from) == ("12.4", "tag")


def test_find_gives_wheels(path: str) -> None:
    with wheelfind.open_catalog(path) as catalog:
        answer = catalog.find("sgl_kernel", cuda="13.0", arch=["x86_64"])
        assert [wheel.version for wheel in answer] == ["0.3.21", "0.3.20"]
        assert len(answer) == 2
        assert answer[0].local == "cu130"
        assert len(catalog.find("sgl_kernel", cuda=["13.0", "12.8"], limit=3)) == 3
        assert answer.channels[0].status == "ok"


def test_find_refuses_what_it_does_not_know(path: str) -> None:
    with wheelfind.open_catalog(path) as catalog:
        with pytest.raises(errors.UsageError):
            catalog.find("sgl_kernel", cuda="abc")
        with pytest.raises(TypeError):
            catalog.find("sgl_kernel", kuda="13.0")


def test_sql_gives_mappings(path: str) -> None:
    with wheelfind.open_catalog(Path(path)) as catalog:
        assert catalog.sql("SELECT count(*) AS n FROM wheels") == [{"n": 8}]
        with pytest.raises(errors.NotAllowed):
            catalog.sql("DELETE FROM wheel")


def test_a_catalog_that_is_not_there_yet_is_empty(tmp_path: Path) -> None:
    with wheelfind.open_catalog(tmp_path / "none.sqlite") as catalog:
        assert not catalog.find("sgl_kernel").wheels
    assert not (tmp_path / "none.sqlite").exists()


def test_a_file_that_is_no_catalog_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").write_text("not a database at all, by no means")
    with pytest.raises(wheelfind.WheelfindError):
        wheelfind.open_catalog(tmp_path / "x.sqlite")


def test_errors_pickle_with_their_facts() -> None:
    error = errors.UsageError("read", "x", "no", "hint")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - made on the line above
    assert (str(again), again.hint) == (str(error), "hint")
