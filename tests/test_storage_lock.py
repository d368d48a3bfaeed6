"""One crawl at a time: the second is told who holds the catalog, and a kill frees it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from observing import START

from storage.lock import crawl_lock
from wheels.errors import CatalogBusy, CatalogError, CatalogReadOnly

if TYPE_CHECKING:
    from pathlib import Path

HOLD = """
import sys, time
from storage.lock import crawl_lock
with crawl_lock(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


def test_the_second_crawl_is_told_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "new" / "c.sqlite"
    with crawl_lock(path, clock=lambda: START), pytest.raises(CatalogBusy) as caught, crawl_lock(path):
        pass
    assert caught.value.exit_status == 5
    assert f"process {os.getpid()} " in str(caught.value)
    assert "2026-12-01T00:00:00Z" in str(caught.value)


def test_the_lock_is_free_after_use(tmp_path: Path) -> None:
    for _ in range(2):
        with crawl_lock(tmp_path / "c.sqlite"):
            pass


def test_two_catalogs_have_two_locks(tmp_path: Path) -> None:
    with crawl_lock(tmp_path / "a.sqlite"), crawl_lock(tmp_path / "b.sqlite"):
        pass


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX")
def test_B37_a_kill_frees_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    with subprocess.Popen([sys.executable, "-c", HOLD, path], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(CatalogBusy, match=f"process {holder.pid} "), crawl_lock(path):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with crawl_lock(path):
        pass


def test_waiting_ends_when_the_holder_does(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    got = threading.Event()

    def wait() -> None:
        with crawl_lock(path, wait=True):
            got.set()

    with crawl_lock(path):
        waiter = threading.Thread(target=wait)
        waiter.start()
        assert not got.wait(0.1)
    waiter.join(10)
    assert got.is_set()


def test_a_place_that_cannot_be_written_is_read_only(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CatalogReadOnly), crawl_lock(tmp_path / "file" / "c.sqlite"):
        pass


@pytest.mark.parametrize("place", ["/", ".", "sqlite:///"])
def test_a_folder_is_said_to_be_one_before_anything_is_made_beside_it(place: str) -> None:
    with pytest.raises(CatalogError, match="folder"), crawl_lock(place):
        pass
