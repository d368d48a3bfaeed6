from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from wheelfind.machine import Machine, probe_machine

if TYPE_CHECKING:
    from pathlib import Path


def test_probe_machine_knows_its_own_python() -> None:
    machine = probe_machine({})
    assert machine.python is not None
    assert machine.python.startswith(f"{sys.version_info.major}.{sys.version_info.minor}")
    assert machine.arch


@pytest.mark.skipif(sys.platform == "win32", reason="the folders of a POSIX environment")
@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_the_active_environment_counts(tmp_path: Path, variable: str) -> None:
    packages = tmp_path / "lib" / "python3.13t" / "site-packages"
    (packages / "torch-2.9.1+cu130.dist-info").mkdir(parents=True)
    (packages / "torch_geometric-1.0.dist-info").mkdir()
    machine = probe_machine({variable: str(tmp_path)})
    assert (machine.python, machine.torch) == ("3.13t", "2.9.1+cu130")


@pytest.mark.skipif(sys.platform == "win32", reason="the folders of a POSIX environment")
def test_an_environment_without_torch_holds_none(tmp_path: Path) -> None:
    (tmp_path / "lib" / "python3.12" / "site-packages").mkdir(parents=True)
    assert probe_machine({"VIRTUAL_ENV": str(tmp_path)}).torch is None


def test_a_folder_that_is_no_environment_is_passed_over(tmp_path: Path) -> None:
    assert probe_machine({"VIRTUAL_ENV": str(tmp_path)}).python == probe_machine({}).python


def test_describe_says_what_is_unknown() -> None:
    assert Machine().describe() == "Python unknown, unknown system, no NVIDIA driver found, no torch installed"
