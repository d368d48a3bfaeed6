from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.user_channels import add_channel, configured_table, remove_channel, user_channels
from wheels.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

OTHERS = """# mine
[pace]
"h.test" = { at_once = 2 }

[[channel]]
spec = "github:a/b"

[other]
text = "x"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "wheelfind" / "config.toml"


def test_no_file_holds_no_channels(config: Path) -> None:
    assert user_channels(config) == ()


def test_added_channels_are_found_again_with_their_packages(config: Path) -> None:
    add_channel(config, "github:x/y@v*", ["Flash_Attn"])
    add_channel(config, 'index:https://h.test/a"b/')
    first, second = user_channels(config)
    assert (first.name, first.tag_glob, first.packages) == ("x/y@v*", "v*", ("flash-attn",))
    assert second.address == 'https://h.test/a"b'
    assert first.user_named


def test_a_path_is_kept_as_an_absolute_address(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(config.parent.parent)
    add_channel(config, "links:wheels")
    assert user_channels(config)[0].address == (config.parent.parent / "wheels").as_uri()


def test_removing_gives_back_the_rest_as_it_was(config: Path) -> None:
    config.parent.mkdir()
    config.write_text(OTHERS)
    add_channel(config, "links:https://h.test/l.html")
    assert [channel.name for channel in user_channels(config)] == ["a/b", "h.test/l.html"]
    remove_channel(config, "h.test/l.html")
    assert config.read_text().strip() == OTHERS.strip()
    remove_channel(config, "GitHub:A/B")
    assert user_channels(config) == ()
    assert "[pace]" in config.read_text()
    assert "[other]" in config.read_text()


def test_adding_and_removing_the_only_channel_leaves_an_empty_file(config: Path) -> None:
    add_channel(config, "github:x/y")
    remove_channel(config, "x/y")
    assert config.read_text() == ""


@pytest.mark.parametrize("spec", ["github:sgl-project/whl", "github:x/y"], ids=["bundled", "mine"])
def test_a_known_channel_is_not_added_again(config: Path, spec: str) -> None:
    add_channel(config, "github:x/y")
    with pytest.raises(UsageError, match="known already"):
        add_channel(config, spec)


@pytest.mark.parametrize(
    ("name", "reason"), [("sgl-project/whl", "bundled"), ("z/z", "no channel")], ids=["bundled", "unknown"]
)
def test_only_own_channels_are_removed(config: Path, name: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        remove_channel(config, name)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[[channel", id="no TOML"),
        pytest.param("channel = 3", id="another type"),
        pytest.param("[[channel]]\nname = 'x'", id="no spec"),
        pytest.param("[[channel]]\nspec = 'github:a/b'\npackages = [1]", id="packages that are none"),
        pytest.param("[[channel]]\nspec = 'ftp:a'", id="wrong spec"),
    ],
)
def test_a_broken_file_is_one_clear_sentence(config: Path, text: str) -> None:
    config.parent.mkdir()
    config.write_text(text)
    with pytest.raises(UsageError):
        user_channels(config)


def test_what_the_line_editor_cannot_take_out_is_left_to_the_user(config: Path) -> None:
    config.parent.mkdir()
    config.write_text("channel = [{ spec = 'github:a/b' }]\n")
    with pytest.raises(UsageError, match="needs a hand"):
        remove_channel(config, "a/b")
    assert user_channels(config)[0].name == "a/b"


def test_a_failed_write_leaves_the_file_and_no_litter(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_channel(config, "github:x/y")
    before = config.read_text()

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", refuse)
    with pytest.raises(UsageError, match="No space left"):
        add_channel(config, "github:x/z")
    assert config.read_text() == before
    assert [path.name for path in config.parent.iterdir()] == [config.name]


def test_a_linked_file_stays_a_link(config: Path, tmp_path: Path) -> None:
    config.parent.mkdir()
    (tmp_path / "real.toml").write_text("")
    config.symlink_to(tmp_path / "real.toml")
    add_channel(config, "github:x/y")
    assert config.is_symlink()
    assert user_channels(tmp_path / "real.toml")[0].name == "x/y"


@pytest.mark.parametrize("secret", ["https://user:pass@wheels.test/whl", "https://wheels.test/whl?token=pass"])
def test_D31_a_password_that_others_may_read_is_refused_with_the_line_that_mends_it(config: Path, secret: str) -> None:
    config.parent.mkdir()
    config.write_text(f'[[channel]]\nspec = "index:{secret}"\n', "utf-8")
    config.chmod(0o644)
    with pytest.raises(UsageError) as caught:
        user_channels(config)
    assert f"chmod 600 {config}" in caught.value.hint
    assert "pass@" not in str(caught.value)
    config.chmod(0o600)
    assert user_channels(config)[0].address == secret


def test_D31_a_password_is_not_added_to_a_file_that_others_may_read(config: Path) -> None:
    config.parent.mkdir()
    config.write_text("", "utf-8")
    config.chmod(0o644)
    with pytest.raises(UsageError, match="others may read"):
        add_channel(config, "index:https://user:pass@wheels.test/whl")
    assert config.read_text("utf-8") == ""
    config.unlink()
    add_channel(config, "index:https://user:pass@wheels.test/whl")
    assert config.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text", ["a=" + "[" * 100_000, "a=" + "9" * 5_000, "\0", "[[[", "channel = 3", "channel = [1]"]
)
def test_A40_a_configuration_that_is_none_is_one_sentence(config: Path, text: str) -> None:
    config.parent.mkdir()
    config.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=r"TOML|list of tables"):
        user_channels(config)


def test_A25_a_byte_order_mark_is_no_fault(config: Path) -> None:
    config.parent.mkdir()
    config.write_bytes(b'\xef\xbb\xbf[[channel]]\nspec = "index:https://wheels.test/whl"\n')
    assert [channel.name for channel in user_channels(config)] == ["wheels.test/whl"]


def test_a_table_of_the_configuration(config: Path) -> None:
    config.parent.mkdir()
    config.write_text("[pace]\ndefault = {}\n", "utf-8")
    assert configured_table(config, "pace") == {"default": {}}
    assert configured_table(config, "other") == {}
    config.write_text("pace = 3", "utf-8")
    with pytest.raises(UsageError, match="no table"):
        configured_table(config, "pace")
