"""What all tests share: the folder of real data, a clean environment, and hypothesis without chance or clock."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from faultserver import FaultServer
from fetching import Sleeps
from hypothesis import settings
from observing import new_catalog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from storage.write import Catalog

settings.register_profile("deterministic", derandomize=True, deadline=None, database=None)
settings.load_profile("deterministic")

_PREFIXES = ("WHEELFIND_", "XDG_", "PIP_", "UV_")
_KEPT = {"WHEELFIND_TEST_DATA"}
_NAMES = {"NO_COLOR", "FORCE_COLOR", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"}


def _leaks(name: str) -> bool:
    upper = name.upper()
    return name not in _KEPT and (upper.startswith(_PREFIXES) or upper.endswith("_TOKEN") or upper in _NAMES)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the settings of the machine that it runs on."""
    for name in filter(_leaks, list(os.environ)):
        monkeypatch.delenv(name)


@pytest.fixture(autouse=True, scope="session")
def heard_interrupts() -> Iterator[None]:
    """A shell starts what runs in its background deaf to Ctrl-C, and so would be every program that a test starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder of real pages and names; tests that need it are skipped without it."""
    folder = os.environ.get("WHEELFIND_TEST_DATA")
    if not folder:
        pytest.skip("WHEELFIND_TEST_DATA is not set")
    return Path(folder)


@pytest.fixture
def server() -> Iterator[FaultServer]:
    """A scripted loopback server."""
    with FaultServer() as running:
        yield running


@pytest.fixture
def sleeps() -> Sleeps:
    """Notes the waits of a client instead of waiting."""
    return Sleeps()


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    """An empty catalog that is open for writing."""
    with closing(new_catalog(tmp_path)) as opened:
        yield opened
