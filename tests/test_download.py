"""`wheelfind download` over real sockets: chosen as by find, resumed, checked, and refused where it does not match."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from faultserver import CUT, FaultServer, Request, head, pause, redirect, reply

from crawler.settings import HttpSettings
from wheelfind.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parent.parent
WHEEL = "mypkg-1.0+cu130-cp312-cp312-linux_x86_64.whl"
SPELT = WHEEL.replace("+", "%2B")
BODY = b"PK\x03\x04" + bytes(range(256)) * 200
DIGEST = sha256(BODY).hexdigest()
Run = tuple[int, str, str]


def page(*links: str) -> bytes:
    return ("<!DOCTYPE html><html><body>" + "".join(links) + "</body></html>").encode()


def link(name: str, digest: str | None = DIGEST, folder: str = "") -> str:
    spelt = name.replace("+", "%2B")
    return f'<a href="{folder}{spelt}{f"#sha256={digest}" if digest else ""}">{name}</a>'


def files(request: Request) -> bytes:
    """An honest server of the wheel, ranges and validators too."""
    asked = request.headers.get("range", "")
    if not asked or request.headers.get("if-range", '"v1"') != '"v1"':
        return reply(200, BODY, ETag='"v1"')
    start = int(asked.removeprefix("bytes=").partition("-")[0])
    return reply(206, BODY[start:], ETag='"v1"', Content_Range=f"bytes {start}-{len(BODY) - 1}/{len(BODY)}")


@pytest.fixture(autouse=True)
def user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, server: FaultServer) -> Iterator[None]:
    """A user with one channel of his own, no package index, no catalog yet, and an empty folder to work in."""
    config = tmp_path / "config.toml"
    config.write_text(f'[[channel]]\nspec = "links:{server.url("/whl/")}"\npackages = ["mypkg"]\n')
    monkeypatch.setenv("WHEELFIND_CONFIG", str(config))
    monkeypatch.setenv("WHEELFIND_DB", str(tmp_path / "data" / "catalog.sqlite"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("HOME", str(tmp_path))
    quick = HttpSettings.from_environment
    monkeypatch.setattr(
        HttpSettings, "from_environment", lambda *a, **k: replace(quick(*a, **k), backoff_seconds=0.001)
    )
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    server.at("/whl/", reply(200, page(link(WHEEL))))
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    def call(*words: str) -> Run:
        status = main(words)
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return status, out, err

    return call


def here() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def facts(out: str) -> dict[str, Any]:
    found = json.loads(out)
    assert isinstance(found, dict)
    return found


def test_the_first_row_is_downloaded_checked_and_named(run: Callable[..., Run], server: FaultServer) -> None:
    server.at(f"/whl/{SPELT}", files)
    status, out, err = run("download", "mypkg", "--cu130", "--format", "json")
    said = facts(out)
    assert (status, Path(WHEEL).read_bytes()) == (0, BODY)
    assert here() == [WHEEL]
    assert (said["path"], said["sha256"], said["size"], said["verified"]) == (WHEEL, DIGEST, len(BODY), True)
    assert "\x1b" not in err


def test_a_file_that_is_there_is_left_as_it_is(run: Callable[..., Run], server: FaultServer) -> None:
    Path(WHEEL).write_bytes(BODY)
    status, out, err = run("download", "mypkg")
    assert (status, "there already" in out) == (0, True)
    assert "right hash" in err
    assert server.paths() == ["/whl/"]


def test_a_file_that_is_another_one_is_replaced(run: Callable[..., Run], server: FaultServer) -> None:
    server.at(f"/whl/{SPELT}", files)
    Path(WHEEL).write_bytes(b"old")
    assert run("download", "mypkg")[0] == 0
    assert Path(WHEEL).read_bytes() == BODY


@pytest.mark.parametrize(
    ("output", "lands"),
    [("wheels/", f"wheels/{WHEEL}"), ("there", f"there/{WHEEL}"), ("there/x.whl", "there/x.whl"), ("x.whl", "x.whl")],
)
def test_output_is_a_folder_or_a_file(run: Callable[..., Run], server: FaultServer, output: str, lands: str) -> None:
    server.at(f"/whl/{SPELT}", files)
    Path("there").mkdir()
    assert run("download", "mypkg", "-o", output)[0] == 0
    assert Path(lands).read_bytes() == BODY


def test_an_output_in_no_folder_is_wrong_use(run: Callable[..., Run]) -> None:
    assert run("download", "mypkg", "--output", "nowhere/x.whl")[0] == 2


def test_a_cut_transfer_goes_on_where_it_ended(run: Callable[..., Run], server: FaultServer) -> None:
    server.at(f"/whl/{SPELT}", head(200, length=len(BODY), ETag='"v1"'), BODY[:20000], CUT)
    server.at(f"/whl/{SPELT}", files)
    status, out, _ = run("download", "mypkg", "--format", "json")
    assert (status, Path(WHEEL).read_bytes(), here()) == (0, BODY, [WHEEL])
    assert (facts(out)["resumed_from"], facts(out)["bytes_fetched"]) == (20000, len(BODY) - 20000)
    sent = server.requests[-1].headers
    assert (sent["range"], sent["if-range"]) == ("bytes=20000-", '"v1"')


def test_a_part_of_an_earlier_run_is_kept(run: Callable[..., Run], server: FaultServer) -> None:
    for _ in range(3):
        server.at(f"/whl/{SPELT}", head(200, length=len(BODY), ETag='"v1"'), BODY[:300], CUT)
    server.at(f"/whl/{SPELT}", files)
    status, out, err = run("download", "mypkg")
    assert (status, out, here()) == (3, "", [f"{WHEEL}.part", f"{WHEEL}.part.json"])
    assert "ended too early" in err
    status, out, _ = run("download", "mypkg", "--format", "json")
    assert (status, facts(out)["resumed_from"], Path(WHEEL).read_bytes()) == (0, 300, BODY)


def test_C08_a_file_that_changed_meanwhile_is_read_anew(run: Callable[..., Run], server: FaultServer) -> None:
    server.at(f"/whl/{SPELT}", head(200, length=9000, ETag='"v0"'), b"PK" + b"x" * 5000, CUT)
    server.at(f"/whl/{SPELT}", files)
    status, out, _ = run("download", "mypkg", "--format", "json")
    assert (status, facts(out)["resumed_from"], Path(WHEEL).read_bytes()) == (0, 0, BODY)


def test_a_part_without_a_validator_is_not_trusted(run: Callable[..., Run], server: FaultServer) -> None:
    server.at(f"/whl/{SPELT}", head(200, length=len(BODY)), BODY[:20000], CUT)
    server.at(f"/whl/{SPELT}", files)
    assert run("download", "mypkg")[0] == 0
    assert "range" not in server.requests[-1].headers
    assert Path(WHEEL).read_bytes() == BODY


def test_A31_another_hash_is_refused_and_deleted(run: Callable[..., Run], server: FaultServer) -> None:
    server.at(f"/whl/{SPELT}", reply(200, BODY[:-1] + b"!"))
    status, out, err = run("download", "mypkg")
    assert (status, out, here()) == (3, "", [])
    assert f"where {DIGEST} was promised" in err
    assert server.paths().count(f"/whl/{SPELT}") == 1


def test_S13_an_error_page_with_status_200_is_no_wheel(run: Callable[..., Run], server: FaultServer) -> None:
    server.at(f"/whl/{SPELT}", reply(200, b"<html>Unicorn!</html>"))
    server.at(f"/whl/{SPELT}", files)
    assert run("download", "mypkg")[0] == 0
    assert Path(WHEEL).read_bytes() == BODY


def test_S13_an_error_page_that_stays_is_refused(run: Callable[..., Run], server: FaultServer) -> None:
    server.at(f"/whl/{SPELT}", reply(200, b"<html>Unicorn!</html>"))
    status, _, err = run("download", "mypkg")
    assert (status, here()) == (3, [])
    assert "no wheel" in err


def test_S12_a_stale_signed_target_is_asked_for_anew(run: Callable[..., Run], server: FaultServer) -> None:
    server.at(f"/whl/{SPELT}", redirect("/blob?sig=CANARY1"))
    server.at(f"/whl/{SPELT}", redirect("/blob?sig=CANARY2"))
    server.at("/blob?sig=CANARY1", reply(403))
    server.at("/blob?sig=CANARY2", files)
    status, out, err = run("download", "mypkg")
    assert (status, Path(WHEEL).read_bytes()) == (0, BODY)
    assert "CANARY" not in out + err


@pytest.mark.parametrize("digest", [None, "abc"])
def test_a_file_without_a_hash_wants_a_word(run: Callable[..., Run], server: FaultServer, digest: str | None) -> None:
    server.at("/whl/", reply(200, page(link(WHEEL, digest))))
    server._paths["/whl/"].scripts.pop(0)
    server.at(f"/whl/{SPELT}", files)
    status, _, err = run("download", "mypkg")
    assert (status, here()) == (2, [])
    assert "--allow-unhashed" in err
    status, out, err = run("download", "mypkg", "--allow-unhashed", "--format", "json")
    assert (status, facts(out)["sha256"], facts(out)["verified"]) == (0, DIGEST, False)
    assert "nothing vouches" in err


def test_A31_a_file_with_several_hashes_wants_a_word(run: Callable[..., Run], server: FaultServer) -> None:
    server.at("/whl/", reply(200, page(link(WHEEL), link(WHEEL, "bb" * 32))))
    server._paths["/whl/"].scripts.pop(0)
    status, _, err = run("download", "mypkg")
    assert status == 2
    assert "several hashes" in err


def test_several_builds_are_not_chosen_among(run: Callable[..., Run], server: FaultServer) -> None:
    other = WHEEL.replace("cu130", "cu128")
    server.at("/whl/", reply(200, page(link(WHEEL), link(other, "bb" * 32))))
    server._paths["/whl/"].scripts.pop(0)
    server.at(f"/whl/{SPELT}", files)
    status, _, err = run("download", "mypkg")
    assert status == 2
    assert "1.0 is built for cuda 12.8, cuda 13.0" in err
    assert "--cuda 12.8" in err
    assert run("download", "mypkg", "--cu130")[0] == 0


def test_nothing_that_matches_is_told_with_its_nearest_miss(run: Callable[..., Run]) -> None:
    status, out, err = run("download", "mypkg", "--cu118")
    assert (status, out) == (1, "")
    assert "removed by cuda" in err


def test_a_channel_that_fails_is_channel_trouble(run: Callable[..., Run], server: FaultServer) -> None:
    server.at("/whl/", reply(500))
    server._paths["/whl/"].scripts.pop(0)
    assert run("download", "mypkg")[0] == 3


@pytest.mark.parametrize("status", [404, 403, 500])
def test_a_file_that_cannot_be_had_is_channel_trouble(
    run: Callable[..., Run], server: FaultServer, status: int
) -> None:
    server.at(f"/whl/{SPELT}", reply(status))
    found, _, err = run("download", "mypkg")
    assert (found, here()) == (3, [])
    assert str(status) in err


def test_another_place_is_tried_when_one_fails(run: Callable[..., Run], server: FaultServer) -> None:
    server.at("/whl/", reply(200, page(link(WHEEL, folder="a/"), link(WHEEL, folder="b/"))))
    server._paths["/whl/"].scripts.pop(0)
    server.at(f"/whl/a/{SPELT}", reply(404))
    server.at(f"/whl/b/{SPELT}", files)
    assert run("download", "mypkg")[0] == 0
    assert Path(WHEEL).read_bytes() == BODY


# -- by URL


def test_a_url_is_checked_against_its_own_fragment(run: Callable[..., Run], server: FaultServer) -> None:
    server.at(f"/x/{SPELT}", files)
    assert run("download", server.url(f"/x/{SPELT}#sha256={DIGEST}"))[0] == 0
    assert Path(WHEEL).read_bytes() == BODY
    assert run("download", server.url(f"/x/{SPELT}#sha256={'b' * 64}"), "-o", "other.whl")[0] == 3
    assert here() == [WHEEL]


def test_a_url_is_checked_against_the_catalog(run: Callable[..., Run], server: FaultServer) -> None:
    assert run("mypkg")[0] == 0
    server.at(f"/whl/{SPELT}", reply(200, BODY + b"!"))
    assert run("download", server.url(f"/whl/{SPELT}"))[0] == 3
    assert run("download", server.url(f"/whl/{SPELT}#sha256={'b' * 64}"))[0] == 2


def test_an_unknown_url_wants_a_word(run: Callable[..., Run], server: FaultServer) -> None:
    server.at(f"/x/{SPELT}", files)
    assert run("download", server.url(f"/x/{SPELT}"))[0] == 2
    assert run("download", server.url(f"/x/{SPELT}"), "--allow-unhashed")[0] == 0


@pytest.mark.parametrize("name", ["a.zip", "..%2F..%2Fx.whl", "", ".whl%00", "a%0ab.whl"])
def test_a_url_of_no_wheel_is_wrong_use(run: Callable[..., Run], server: FaultServer, name: str) -> None:
    assert run("download", server.url(f"/x/{name}"))[0] == 2


@pytest.mark.parametrize("words", [["--cu130"], ["--offline"]])
def test_what_makes_no_sense_is_wrong_use(run: Callable[..., Run], server: FaultServer, words: list[str]) -> None:
    assert run("download", server.url(f"/x/{SPELT}"), *words)[0] == 2


# -- private channels


def test_B21_D21_a_private_channel_gives_its_files_and_shows_no_secret(
    run: Callable[..., Run], server: FaultServer, tmp_path: Path
) -> None:
    address = server.url("/whl/", userinfo="u:CANARY")
    (tmp_path / "config.toml").write_text(f'[[channel]]\nspec = "links:{address}"\npackages = ["mypkg"]\n')
    (tmp_path / "config.toml").chmod(0o600)  # it holds a password
    server._paths.clear()
    server.at("/whl/", private(reply(200, page(link(WHEEL)))))
    server.at(f"/whl/{SPELT}", private(reply(200, BODY, ETag='"v1"')))
    for words in (["mypkg"], ["download", "mypkg", "-v"], ["mypkg", "--format", "json"], ["mypkg", "--format", "uv"]):
        status, out, err = run(*words)
        assert status == 0
        assert "CANARY" not in out + err
    assert Path(WHEEL).read_bytes() == BODY
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "config.toml"]
    assert not [path for path in kept if b"CANARY" in path.read_bytes()]


def test_B22_netrc_opens_a_private_channel(run: Callable[..., Run], server: FaultServer, tmp_path: Path) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login u password CANARY\n")
    server._paths.clear()
    server.at("/whl/", private(reply(200, page(link(WHEEL)))))
    server.at(f"/whl/{SPELT}", private(reply(200, BODY)))
    assert run("download", "mypkg")[0] == 0


def test_keyring_opens_a_private_channel_and_is_never_shown(
    run: Callable[..., Run], server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "keyring.py").write_text(
        "import types\n"
        "def get_credential(service, username):\n"
        f"    if service == '127.0.0.1:{server.port}':\n"
        "        return types.SimpleNamespace(username='u', password='CAN' + 'ARY')\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "lib"))
    server._paths.clear()
    server.at("/whl/", private(reply(200, page(link(WHEEL)))))
    server.at(f"/whl/{SPELT}", private(reply(200, BODY)))
    status, out, err = run("download", "mypkg", "-v")
    assert status == 0
    assert "CANARY" not in out + err
    written = [path for path in tmp_path.rglob("*") if path.is_file() and "lib" not in path.parts]
    assert written
    assert not [path for path in written if b"CANARY" in path.read_bytes()]


def test_R5_a_token_of_the_channels_address_opens_its_files(
    run: Callable[..., Run], server: FaultServer, tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'[[channel]]\nspec = "links:{server.url("/whl/?token=CANARY")}"\npackages = ["mypkg"]\n')
    config.chmod(0o600)
    anchor = f'<a href="{SPELT}?token=CANARY#sha256={DIGEST}">{WHEEL}</a>'
    server.at("/whl/?token=CANARY", reply(200, page(anchor)))
    server.at(f"/whl/{SPELT}?token=CANARY", files)
    status, out, err = run("download", "mypkg")
    assert (status, Path(WHEEL).read_bytes()) == (0, BODY)
    assert "CANARY" not in out + err
    Path(WHEEL).unlink()
    config.write_text("")
    status, _, err = run("download", "mypkg")
    assert status == 2
    assert "secrets are not kept" in err


def test_R5_a_token_in_the_address_is_used_and_not_shown(run: Callable[..., Run], server: FaultServer) -> None:
    server.at(f"/x/{SPELT}?token=CANARY", files)
    status, out, err = run("download", server.url(f"/x/{SPELT}?token=CANARY#sha256={DIGEST}"))
    assert status == 0
    assert "CANARY" not in out + err


def private(answer: bytes) -> Callable[[Request], bytes]:
    return lambda request: answer if request.headers.get("authorization") == "Basic dTpDQU5BUlk=" else reply(401)


def test_B19_a_public_page_does_not_lead_to_a_private_file(
    run: Callable[..., Run], server: FaultServer, tmp_path: Path
) -> None:
    # The channel is forgotten: what is left is a link of somebody's page to a private address.
    assert run("mypkg")[0] == 0
    (tmp_path / "config.toml").write_text("")
    status, _, err = run("download", "mypkg")
    assert status == 3
    assert "not public" in err
    assert server.paths() == ["/whl/"]


# -- interrupted


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize(("number", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_download_keeps_what_came(server: FaultServer, number: int, expected: int) -> None:
    server.at(f"/x/{SPELT}", head(200, length=len(BODY), ETag='"v1"'), BODY[:20000], pause(30))
    command = [sys.executable, "-m", "wheelfind", "download", server.url(f"/x/{SPELT}#sha256={DIGEST}")]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        part = Path(f"{WHEEL}.part")
        deadline = time.monotonic() + 20
        while (not part.exists() or part.stat().st_size < 10000) and time.monotonic() < deadline:
            time.sleep(0.05)
        running.send_signal(number)
        out, err = running.communicate(timeout=20)
    assert (running.returncode, out) == (expected, b"")
    assert not re.search(rb"Traceback", err)
    assert part.read_bytes() == BODY[:20000]
    assert sha256(server.url(f"/x/{SPELT}").encode()).hexdigest() in Path(f"{WHEEL}.part.json").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows locks by itself")
def test_two_downloads_do_not_write_into_one_file(run: Callable[..., Run], server: FaultServer) -> None:
    import fcntl  # noqa: PLC0415 - POSIX only

    server.at(f"/whl/{SPELT}", files)
    with Path(f"{WHEEL}.part").open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        status, _, err = run("download", "mypkg")
    assert status == 1
    assert "another program is writing it" in err


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
def test_a_full_disk_is_told_and_what_came_stays(server: FaultServer) -> None:
    server.at(f"/x/{SPELT}", files)
    words = [sys.executable, "-m", "wheelfind", "download", server.url(f"/x/{SPELT}#sha256={DIGEST}")]
    command = ["bash", "-c", 'ulimit -f 20; exec "$@"', "bash", *words]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=False)
    assert done.returncode == 4
    assert b"Make room and run it again" in done.stderr
    assert b"Traceback" not in done.stderr
    assert Path(f"{WHEEL}.part").stat().st_size == 20 * 1024
