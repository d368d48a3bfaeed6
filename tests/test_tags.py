"""Platform tags to systems, architectures and C libraries."""

from __future__ import annotations

import pytest

from wheels.tags import is_platform, read_platform

CASES = [
    ("any", "any", "any", None, None),
    ("win32", "windows", "i686", None, None),
    ("win_amd64", "windows", "x86_64", None, None),
    ("win_arm64", "windows", "aarch64", None, None),
    ("mingw_x86_64_ucrt_gnu", "windows", "x86_64", None, None),
    ("linux_x86_64", "linux", "x86_64", None, None),
    ("linux_armv6l", "linux", "armv6l", None, None),
    ("linux_x86_64_v3", "linux", "x86_64", None, None),
    ("manylinux1_i686", "linux", "i686", "2.5", None),
    ("manylinux2010_x86_64", "linux", "x86_64", "2.12", None),
    ("manylinux2014_aarch64", "linux", "aarch64", "2.17", None),
    ("manylinux_2_5_i686.manylinux1_i686.manylinux_2_17_i686.manylinux2014_i686", "linux", "i686", "2.5", None),
    ("manylinux_2_28_x86_64.manylinux_2_4_x86_64", "linux", "x86_64", "2.4", None),
    ("manylinux_2_39_riscv64", "linux", "riscv64", "2.39", None),
    ("musllinux_1_2_ppc64le", "linux", "ppc64le", None, "1.2"),
    ("manylinux_2_17_s390x.musllinux_1_1_s390x", "linux", "s390x", "2.17", "1.1"),
    ("macosx_11_0_arm64", "macos", "aarch64", None, None),
    ("macosx_10_12_universal2", "macos", "universal2", None, None),
    ("macosx_10_12_x86_64.macosx_11_0_arm64.macosx_10_12_universal2", "macos", "aarch64.universal2.x86_64", None, None),
    ("macosx_10_6_intel", "macos", "i686.x86_64", None, None),
    ("macosx_10_9_fat64", "macos", "ppc64.x86_64", None, None),
    ("macosx-10.9-intel", "macos", "i686.x86_64", None, None),
    ("ios_13_0_arm64_iphoneos", "ios", "aarch64", None, None),
    ("ios_13_0_x86_64_iphonesimulator", "ios", "x86_64", None, None),
    ("android_21_arm64_v8a", "android", "aarch64", None, None),
    ("android_24_armeabi_v7a", "android", "armv7l", None, None),
    ("android_24_x86", "android", "i686", None, None),
    ("emscripten_3_1_58_wasm32", "emscripten", "wasm32", None, None),
    ("pyodide_2024_0_wasm32", "emscripten", "wasm32", None, None),
    ("pyemscripten_2025_0_wasm32", "emscripten", "wasm32", None, None),
    ("win_amd64+x86_64_v3", "windows", "x86_64", None, None),
    ("win_amd64.linux_x86_64", "linux.windows", "x86_64", None, None),
    ("win_amd64.whl", "windows", "x86_64", None, None),
    ("freebsd_13_x86_64", "", "", None, None),
]


@pytest.mark.parametrize(("tags", "system", "arch", "glibc", "musl"), CASES, ids=[case[0] for case in CASES])
def test_a_set_says_the_union_of_its_members(
    tags: str, system: str, arch: str, glibc: str | None, musl: str | None
) -> None:
    members = (tags,) if "-" in tags else tuple(tags.split("."))
    read = read_platform(members)
    assert ".".join(read.os or ()) == system
    assert ".".join(read.arch or ()) == arch
    assert (read.glibc, read.musl) == (glibc, musl)


@pytest.mark.parametrize("tag", ["whl", "cp312", "none", "linux", "macosx", "cu128", ""])
def test_other_fields_are_no_platform(tag: str) -> None:
    assert not is_platform(tag)
