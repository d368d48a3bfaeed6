"""The configured index, as pip and uv would see it, from files and variables that the test makes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from crawler.configured_index import ConfiguredIndex, Machine, configured_index

if TYPE_CHECKING:
    from pathlib import Path

ONE, TWO, THREE = "https://one.test/simple", "https://two.test/simple", "https://three.test/simple"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(home=tmp_path / "home", prefix=tmp_path / "venv", etc=tmp_path / "etc", platform="linux")


def pip_conf(url: str, section: str = "global") -> str:
    return f"[{section}]\nindex-url = {url}\n"


FILES = {
    "etc/xdg/pip/pip.conf": "system",
    "etc/pip.conf": "system of all",
    "home/.pip/pip.conf": "user, old place",
    "home/.config/pip/pip.conf": "user",
    "venv/pip.conf": "environment",
}


@pytest.mark.parametrize("count", range(1, 6))
def test_later_files_of_pip_win(tmp_path: Path, machine: Machine, count: int) -> None:
    for number, name in enumerate(list(FILES)[:count]):
        write(tmp_path / name, pip_conf(f"https://{number}.test/simple"))
    found = configured_index({}, machine)
    assert found.index_url == f"https://{count - 1}.test/simple"
    assert found.named_by["index-url"] == str(tmp_path / list(FILES)[count - 1])


def test_variables_win_over_files(tmp_path: Path, machine: Machine) -> None:
    write(tmp_path / "venv/pip.conf", pip_conf(ONE))
    found = configured_index({"PIP_INDEX_URL": TWO + "/"}, machine)
    assert (found.index_url, found.named_by["index-url"]) == (TWO, "PIP_INDEX_URL")


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        (("global", "install", "download"), "https://install.test/simple"),
        (("global", "download"), "https://global.test/simple"),
        (("download",), "https://download.test/simple"),
        (("freeze",), "default"),
    ],
)
def test_sections_of_pip(tmp_path: Path, machine: Machine, sections: tuple[str, ...], expected: str) -> None:
    text = "".join(pip_conf(f"https://{section}.test/simple", section) for section in sections)
    write(tmp_path / "home/.config/pip/pip.conf", text)
    found = configured_index({}, machine)
    assert expected in {found.index_url, found.named_by["index-url"].partition(" ")[0]}


def test_a_section_of_a_weaker_file_wins_over_global_of_a_stronger_one(tmp_path: Path, machine: Machine) -> None:
    write(tmp_path / "etc/pip.conf", pip_conf(ONE, "install"))
    write(tmp_path / "venv/pip.conf", pip_conf(TWO))
    assert configured_index({}, machine).index_url == ONE


@pytest.mark.parametrize("value", ["", "   "])
def test_empty_values_name_nothing(tmp_path: Path, machine: Machine, value: str) -> None:
    write(tmp_path / "etc/pip.conf", pip_conf(ONE))
    write(tmp_path / "venv/pip.conf", pip_conf(value))
    assert configured_index({"PIP_INDEX_URL": value}, machine).index_url == ONE


def test_config_file_of_the_environment_wins_and_hides_the_user_s(tmp_path: Path, machine: Machine) -> None:
    own = write(tmp_path / "own.conf", "[global]\nextra-index-url = https://own.test/simple\n")
    write(tmp_path / "home/.config/pip/pip.conf", pip_conf(ONE))
    write(tmp_path / "etc/pip.conf", pip_conf(TWO))
    found = configured_index({"PIP_CONFIG_FILE": str(own)}, machine)
    assert (found.index_url, found.extra_index_urls) == (TWO, ("https://own.test/simple",))


def test_config_file_that_does_not_exist_hides_nothing(tmp_path: Path, machine: Machine) -> None:
    write(tmp_path / "home/.config/pip/pip.conf", pip_conf(ONE))
    assert configured_index({"PIP_CONFIG_FILE": str(tmp_path / "none")}, machine).index_url == ONE


def test_devnull_as_config_file_means_no_files(tmp_path: Path, machine: Machine) -> None:
    write(tmp_path / "etc/pip.conf", pip_conf(ONE))
    assert configured_index({"PIP_CONFIG_FILE": os.devnull}, machine).named_by["index-url"] == "default of distlib"


def test_xdg_folders(tmp_path: Path, machine: Machine) -> None:
    write(tmp_path / "a/pip/pip.conf", pip_conf(ONE))
    write(tmp_path / "b/pip/pip.conf", "[global]\nfind-links = https://links.test/\n")
    write(tmp_path / "c/pip/pip.conf", "[global]\nextra_index_url = https://extra.test/simple\n")
    environ = {"XDG_CONFIG_DIRS": f"{tmp_path / 'a'}:{tmp_path / 'b'}", "XDG_CONFIG_HOME": str(tmp_path / "c")}
    found = configured_index(environ, machine)
    assert (found.index_url, found.find_links) == (ONE, ("https://links.test/",))
    assert found.extra_index_urls == ("https://extra.test/simple",)


@pytest.mark.parametrize(
    ("platform", "environ", "place"),
    [
        ("darwin", {}, "home/Library/Application Support/pip/pip.conf"),
        ("darwin", {"XDG_CONFIG_HOME": "elsewhere"}, "home/.config/pip/pip.conf"),
        ("win32", {}, "home/AppData/Roaming/pip/pip.ini"),
    ],
)
def test_other_systems(tmp_path: Path, machine: Machine, platform: str, environ: dict[str, str], place: str) -> None:
    write(tmp_path / place, pip_conf(ONE))
    other = Machine(home=machine.home, prefix=machine.prefix, etc=machine.etc, platform=platform)
    assert configured_index(environ, other).index_url == ONE


def test_lists_are_split_at_space_and_line_and_replaced_not_merged(tmp_path: Path, machine: Machine) -> None:
    lists = "[global]\nindex-url = https://one.test/simple\nextra-index-url =\n    https://a.test/simple/\n"
    write(tmp_path / "etc/pip.conf", lists + "    https://one.test/simple/\n    https://b.test/simple\n")
    assert configured_index({}, machine).extra_index_urls == ("https://a.test/simple", "https://b.test/simple")
    environ = {
        "PIP_EXTRA_INDEX_URL": f"{TWO} {THREE} {TWO}",
        "PIP_FIND_LINKS": "https://l.test/x.html  https://l.test/y",
    }
    found = configured_index(environ, machine)
    assert found.extra_index_urls == (TWO, THREE)
    assert found.find_links == ("https://l.test/x.html", "https://l.test/y")


def test_paths_become_file_addresses(tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    environ = {"PIP_INDEX_URL": str(tmp_path / "my index"), "PIP_FIND_LINKS": "wheels file:///srv/wheels"}
    found = configured_index(environ, machine)
    assert found.index_url == (tmp_path / "my index").as_uri()
    assert found.find_links == ((tmp_path / "wheels").as_uri(), "file:///srv/wheels")


@pytest.mark.parametrize("value", ["1", "true", "YES", "on"])
def test_no_index_means_none_but_links_stay(tmp_path: Path, machine: Machine, value: str) -> None:
    write(tmp_path / "home/.config/uv/uv.toml", f'index-url = "{TWO}"\n')
    environ = {
        "PIP_NO_INDEX": value,
        "PIP_INDEX_URL": ONE,
        "PIP_EXTRA_INDEX_URL": ONE,
        "PIP_FIND_LINKS": "https://l.test/",
    }
    found = configured_index(environ, machine)
    assert (found.index_url, found.extra_index_urls, found.find_links) == (None, (), ("https://l.test/",))
    assert found.named_by["no-index"] == "PIP_NO_INDEX"


def test_certificates_of_pip(tmp_path: Path, machine: Machine) -> None:
    write(tmp_path / "etc/pip.conf", "[global]\ncert = /etc/ssl/corporate.pem\n")
    assert configured_index({}, machine).cert == "/etc/ssl/corporate.pem"
    assert configured_index({"PIP_CERT": "/own.pem"}, machine).cert == "/own.pem"


# uv


@pytest.mark.parametrize(
    ("environ", "toml", "expected", "extra"),
    [
        ({"UV_DEFAULT_INDEX": ONE, "UV_INDEX_URL": TWO}, "", ONE, ()),
        ({"UV_DEFAULT_INDEX": f"corp={ONE}/"}, f'index-url = "{TWO}"', ONE, ()),
        ({"UV_INDEX_URL": TWO}, f'[[index]]\nurl = "{ONE}"\ndefault = true', TWO, ()),
        ({}, f'[[index]]\nname = "x"\nurl = "{TWO}"\n[[index]]\nurl = "{ONE}"\ndefault = true', ONE, (TWO,)),
        ({}, f'index-url = "{ONE}"\nextra-index-url = ["{TWO}"]', ONE, (TWO,)),
        ({}, f'[pip]\nindex-url = "{ONE}"', ONE, ()),
        ({"UV_INDEX": f"corp={TWO} {THREE}", "UV_DEFAULT_INDEX": ONE}, "", ONE, (TWO, THREE)),
        ({"UV_EXTRA_INDEX_URL": TWO, "UV_DEFAULT_INDEX": ONE}, "", ONE, (TWO,)),
    ],
)
def test_uv_where_pip_names_none(
    tmp_path: Path, machine: Machine, environ: dict[str, str], toml: str, expected: str, extra: tuple[str, ...]
) -> None:
    write(tmp_path / "home/.config/uv/uv.toml", toml)
    found = configured_index(environ, machine)
    assert (found.index_url, found.extra_index_urls) == (expected, extra)


def test_pip_wins_over_uv_and_uv_s_are_then_not_read(tmp_path: Path, machine: Machine) -> None:
    write(tmp_path / "etc/uv/uv.toml", f'[[index]]\nurl = "{TWO}"')
    environ = {"PIP_INDEX_URL": ONE, "UV_DEFAULT_INDEX": TWO, "UV_INDEX": THREE}
    found = configured_index(environ, machine)
    assert (found.index_url, found.extra_index_urls) == (ONE, ())


def test_extra_of_pip_stands_beside_the_default_of_uv(machine: Machine) -> None:
    found = configured_index({"PIP_EXTRA_INDEX_URL": THREE, "UV_DEFAULT_INDEX": ONE}, machine)
    assert (found.index_url, found.extra_index_urls) == (ONE, (THREE,))


def test_files_of_uv_by_strength(tmp_path: Path, machine: Machine) -> None:
    write(tmp_path / "etc/uv/uv.toml", f'index-url = "{ONE}"')
    assert configured_index({}, machine).index_url == ONE
    write(tmp_path / "home/.config/uv/uv.toml", f'index-url = "{TWO}"')
    assert configured_index({}, machine).index_url == TWO
    own = write(tmp_path / "own.toml", f'index-url = "{THREE}"')
    assert configured_index({"UV_CONFIG_FILE": str(own)}, machine).index_url == THREE
    assert configured_index({"UV_NO_CONFIG": "1"}, machine).named_by["index-url"] == "default of distlib"


def test_constant_of_a_library_where_nothing_is_configured(machine: Machine) -> None:
    found = configured_index({}, machine)
    assert found.index_url is not None
    assert found.index_url.startswith("https://")
    assert found.index_url.endswith("/simple")
    assert (found.extra_index_urls, found.find_links, found.warnings) == ((), (), ())


@pytest.mark.parametrize("text", ["no section = x\n", "[global]\na=1\na=2\n", "[global\n", "\x00"])
def test_broken_files_are_left_aside_with_a_warning(tmp_path: Path, machine: Machine, text: str) -> None:
    write(tmp_path / "venv/pip.conf", text)
    write(tmp_path / "home/.config/uv/uv.toml", "not = toml = at all")
    write(tmp_path / "etc/uv/uv.toml", f'index = 5\nindex-url = "{ONE}"\npip = "x"')
    found = configured_index({}, machine)
    assert found.index_url == ONE
    assert [sentence.split(" ")[0] for sentence in found.warnings] == ["pip's", "uv's"]


def test_passwords_are_kept_for_the_client_and_never_shown(machine: Machine) -> None:
    environ = {
        "PIP_INDEX_URL": "https://u:CANARY@one.test/simple",
        "PIP_EXTRA_INDEX_URL": "https://t:CANARY@two.test/s",
    }
    found = configured_index(environ, machine)
    assert found.index_url == "https://u:CANARY@one.test/simple"
    shown = f"{found!r} {found.lines()}"
    assert "CANARY" not in shown
    assert found.lines()[0] == "index-url https://one.test/simple (PIP_INDEX_URL)"


def test_nothing_at_all_has_no_lines() -> None:
    assert ConfiguredIndex().lines() == []
