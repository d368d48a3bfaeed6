"""What pages claim of their files: table A on digests, sidecars, yanked files and required Pythons."""

from __future__ import annotations

from html import escape

import pytest
from pages_world import HASH, JSON, PAGE, WHEEL, codes, files, simple

from wheels.page import Shape

OTHER = "cd" * 32


@pytest.mark.parametrize("fragment", [f"egg=foo&sha256={HASH}", f"sha256={HASH}&egg=foo", f"sha256={HASH}"])
def test_A08_digest_among_other_words_of_the_fragment(fragment: str) -> None:
    (asset,) = simple(f'<a href="{WHEEL}#{escape(fragment)}">').assets
    assert asset.sha256 == HASH
    assert asset.url == PAGE + WHEEL


def test_A09_fragment_and_hashes_disagree() -> None:
    page = simple(files({"url": f"{WHEEL}#sha256={HASH}", "hashes": {"sha256": OTHER}}), JSON)
    assert page.assets[0].hashes == (("sha256", OTHER), ("sha256", HASH))
    assert page.assets[0].sha256 is None
    assert codes(page) == ["hash-conflict"]


def test_A10_digests_are_lower_case() -> None:
    assert (
        simple(f'<a href="{WHEEL}#sha256={HASH.upper()}">').assets == simple(f'<a href="{WHEEL}#sha256={HASH}">').assets
    )


@pytest.mark.parametrize(
    "fragment", ["sha256=abc", "sha256=" + "z" * 64, "sha256=", "sha256-aGk=", "sha256=" + "a" * 65]
)
def test_A11_digest_that_is_none(fragment: str) -> None:
    page = simple(f'<a href="{WHEEL}#{fragment}">')
    assert page.assets[0].hashes == ()
    assert codes(page) == ["bad-hash"]
    assert page.shape is Shape.OK


@pytest.mark.parametrize("hashes", [{"sha256": "abc"}, {"sha256": None}, {"sha256": 1}, [], "x", {"sha256": "g" * 64}])
def test_A11_digest_that_is_none_in_json(hashes: object) -> None:
    page = simple(files({"url": WHEEL, "hashes": hashes}), JSON)
    assert page.assets[0].hashes == ()
    assert codes(page) == ["bad-hash"]


def test_A13_encoded_separator_in_the_fragment() -> None:
    assert simple(f'<a href="{WHEEL}#sha256%3D{HASH}">').assets[0].sha256 == HASH


def test_A14_other_algorithms_are_kept() -> None:
    hashes = {"md5": "0" * 32, "blake2b": "1" * 128}
    (asset,) = simple(files({"url": WHEEL, "hashes": hashes}), JSON).assets
    assert dict(asset.hashes) == hashes
    assert asset.sha256 is None
    assert simple(f'<a href="{WHEEL}#md5={"0" * 32}">').assets[0].hashes == (("md5", "0" * 32),)


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        (">=2.7, !=3.0.*,", []),
        (">=3.6.*", ["bad-requires-python"]),
        ("python3", ["bad-requires-python"]),
        (">=3.8", []),
    ],
)
def test_A19_requires_python_is_kept_verbatim(value: str, problems: list[str]) -> None:
    pages = (
        simple(f'<a href="{WHEEL}" data-requires-python="{escape(value)}">'),
        simple(files({"url": WHEEL, "requires-python": value}), JSON),
    )
    for page in pages:
        assert page.assets[0].requires_python == value
        assert codes(page) == problems


@pytest.mark.parametrize(
    ("attribute", "yanked", "reason"),
    [("", False, None), ("data-yanked", True, ""), ('data-yanked=""', True, ""), ('data-yanked="CVE"', True, "CVE")],
)
def test_A20_yanked_in_html(attribute: str, yanked: bool, reason: str | None) -> None:
    (asset,) = simple(f'<a href="{WHEEL}" {attribute}>').assets
    assert (asset.yanked, asset.yank_reason) == (yanked, reason)


@pytest.mark.parametrize(
    ("said", "yanked", "reason"),
    [
        ({}, False, None),
        ({"yanked": False}, False, None),
        ({"yanked": None}, False, None),
        ({"yanked": True}, True, ""),
        ({"yanked": ""}, True, ""),
        ({"yanked": "why"}, True, "why"),
    ],
)
def test_A20_yanked_in_json(said: dict[str, object], yanked: bool, reason: str | None) -> None:
    (asset,) = simple(files({"url": WHEEL, **said}), JSON).assets
    assert (asset.yanked, asset.yank_reason) == (yanked, reason)


@pytest.mark.parametrize(
    ("said", "metadata", "sha256", "problems"),
    [
        ({"core-metadata": True}, True, None, []),
        ({"core-metadata": False}, False, None, []),
        ({"core-metadata": {}}, True, None, []),
        ({"core-metadata": {"sha256": HASH}}, True, HASH, []),
        ({"dist-info-metadata": {"sha256": HASH}}, True, HASH, []),
        ({"data-dist-info-metadata": {"sha256": HASH}}, True, HASH, []),
        ({"core-metadata": False, "dist-info-metadata": True}, False, None, []),
        ({"core-metadata": {"sha256": HASH}, "data-dist-info-metadata": {"sha256": OTHER}}, True, HASH, []),
        ({"core-metadata": "garbage"}, True, None, ["bad-metadata"]),
        ({"core-metadata": {"sha256": "abc"}}, True, None, ["bad-metadata"]),
        ({"core-metadata": 3}, True, None, ["bad-metadata"]),
        ({}, None, None, []),
    ],
)
def test_A21_metadata_in_json(
    said: dict[str, object], metadata: bool | None, sha256: str | None, problems: list[str]
) -> None:
    page = simple(files({"url": WHEEL, **said}), JSON)
    assert (page.assets[0].metadata, page.assets[0].metadata_sha256) == (metadata, sha256)
    assert codes(page) == problems


@pytest.mark.parametrize(
    ("attributes", "metadata", "sha256", "problems"),
    [
        ('data-core-metadata="true"', True, None, []),
        (f'data-core-metadata="sha256={HASH}"', True, HASH, []),
        (f'data-dist-info-metadata="sha256={HASH}"', True, HASH, []),
        (f'data-dist-info-metadata="sha256={OTHER}" data-core-metadata="sha256={HASH}"', True, HASH, []),
        ('data-core-metadata="false" data-dist-info-metadata="true"', False, None, []),
        ('data-core-metadata="garbage"', True, None, ["bad-metadata"]),
        ("data-core-metadata", True, None, ["bad-metadata"]),
        ("", None, None, []),
    ],
)
def test_A21_metadata_in_html(attributes: str, metadata: bool | None, sha256: str | None, problems: list[str]) -> None:
    page = simple(f'<a href="{WHEEL}" {attributes}>')
    assert (page.assets[0].metadata, page.assets[0].metadata_sha256) == (metadata, sha256)
    assert codes(page) == problems


def test_A31_one_address_with_two_digests_keeps_both() -> None:
    page = simple(f'<a href="{WHEEL}#sha256={HASH}"><a href="{WHEEL}#sha256={OTHER}"><a href="{WHEEL}#sha256={OTHER}">')
    (asset,) = page.assets
    assert asset.hashes == (("sha256", HASH), ("sha256", OTHER))
    assert asset.sha256 is None
    assert codes(page) == ["hash-conflict"]
