"""File names read field by field: rows read by hand, publishers' own words, and everything that can be wrong."""

from __future__ import annotations

import csv
import gzip
import json
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.utils import parse_wheel_filename

from wheels.filename import parse_filename, read_filename
from wheels.label import agree, unknown_words
from wheels.wheel import Conflict, WheelName

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FACTS = (
    *("package", "version", "local", "python", "abi", "platform", "os", "arch", "accelerator"),
    *("cuda", "cuda_from", "rocm", "torch", "cxx11abi", "commit", "date"),
)
PUBLISHER_ERRS = {("sageattention-2.2.0+cu130torch2.9.0andhigher.post4-cp39-abi3-win_amd64.whl", ">2.9.0")}
"""The release 2.9.0 itself is meant too: the name says "2.9.0 and higher"."""
NO_FACT = {"foo", "gemma426blora"}  # a test package's word and a model's name


def _rows(path: Path) -> Iterator[dict[str, str]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


def _cell(value: Any) -> str:
    if isinstance(value, tuple):
        return ".".join(value)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value


def _packaging_takes(filename: str) -> bool:
    try:
        parse_wheel_filename(filename)
    except ValueError:
        return False
    return True


def test_every_row_read_by_hand_is_read_so(test_data: Path) -> None:
    wrong = []
    for row in _rows(test_data / "labels_open.tsv"):
        wheel = parse_filename(row["filename"], row["tag"])
        cells = {name: _cell(getattr(wheel, name)) for name in FACTS} | {"valid": "yes" if wheel.valid else "no"}
        wrong += [
            (row["filename"], name, cell, row[name]) for name, cell in cells.items() if row[name] not in {"?", cell}
        ]
    assert wrong == []


def test_publishers_say_the_same_of_their_wheels(test_data: Path) -> None:
    wrong = []
    for row in _rows(test_data / "publisher_open.tsv"):
        parts = urlsplit(row["url"]).path.split("/")[1:-1]
        context = "/".join(parts[parts.index("download") + 1 :] if "download" in parts else parts[-2:])
        wheel = parse_filename(row["filename"], unquote(context))
        for said, read in (
            (row["torch"], wheel.torch),
            (row["cuda"], wheel.cuda),
            (row["cxx11abi"].lower(), _cell(wheel.cxx11abi)),
        ):
            bounds = json.loads(said) if said.startswith("[") else [said]
            if (
                read
                and not all(agree(bound, read) for bound in bounds if bound)
                and (row["filename"], said) not in PUBLISHER_ERRS
            ):
                wrong.append((row["filename"], said, read))
    assert wrong == []


def test_every_name_of_the_wild_is_judged_as_packaging_does_and_read_alike_twice(test_data: Path) -> None:
    for row in _rows(test_data / "urls.tsv.gz"):
        wheel = parse_filename(row["filename"], row["tag_or_directory"])
        assert wheel.valid == _packaging_takes(row["filename"]), row["filename"]
        assert "%" not in row["url"] or wheel == parse_filename(row["url"], row["tag_or_directory"]), row["url"]


def test_every_label_of_the_wild_is_understood_word_for_word(test_data: Path) -> None:
    labels = {parse_filename(row["filename"]).local or "" for row in _rows(test_data / "urls.tsv.gz")}
    assert {word for label in labels for word in unknown_words(label)} <= NO_FACT


@pytest.mark.parametrize("spelling", ["%2B", "+"])
def test_A15_plus_and_its_encoding_are_one_name(spelling: str) -> None:
    wheel = parse_filename(
        f"https://files.index.example/whl/torch-2.7.0{spelling}cu126-cp312-cp312-linux_x86_64.whl#sha256=00"
    )
    assert (wheel.filename, wheel.cuda) == ("torch-2.7.0+cu126-cp312-cp312-linux_x86_64.whl", "12.6")


def test_A15_a_space_is_never_a_plus() -> None:
    assert _refused(parse_filename("torch-2.7.0%20cu126-cp312-cp312-linux_x86_64.whl"))


def test_A16_decoded_once_only() -> None:
    wheel = parse_filename("https://index.example/foo-1.0-py3-none-any%252F..%252Fx.whl")
    assert _refused(wheel)
    assert wheel.filename == "foo-1.0-py3-none-any%2F..%2Fx.whl"
    assert _refused(read_filename("foo-1.0%2Bcu126-py3-none-any.whl"))


@pytest.mark.parametrize("name", ["sgl.kernel-0.1.0-py3-none-any.whl", "SGL_Kernel-0.1.0-py3-none-any.whl"])
def test_A33_names_are_normalised(name: str) -> None:
    wheel = read_filename(name, "", "sgl-kernel")
    assert (wheel.package, wheel.version, wheel.valid, wheel.problem) == ("sgl-kernel", "0.1.0", True, None)


def test_A33_a_dash_in_the_name_is_taken_on_the_projects_own_page_only() -> None:
    name = "sgl-kernel-0.1.0-py3-none-any.whl"
    own, other = read_filename(name, "", "sgl-kernel"), read_filename(name, "", "sgl")
    assert (own.package, own.version, own.valid) == ("sgl-kernel", "0.1.0", False)
    assert own.problem == "noncanonical-name: dashes in the project name 'sgl-kernel'"
    assert _refused(other)
    assert _refused(read_filename("sgl-kernel-main-py3-none-any.whl", "", "sgl-kernel"))


@pytest.mark.parametrize("version", ["01.0", "v1.0"])
def test_A34_another_spelling_of_a_version_is_flagged(version: str) -> None:
    wheel = parse_filename(f"foo-{version}-py3-none-any.whl")
    assert (wheel.valid, wheel.version) == (True, "1.0")
    assert (wheel.problem or "").startswith("noncanonical-name: ")


@pytest.mark.parametrize("local", ["CU126", "cu126_torch2.7", "nv24.05", "025110"])
def test_A34_local_labels_stay_verbatim(local: str) -> None:
    wheel = parse_filename(f"foo-1.0+{local}-py3-none-any.whl")
    assert (wheel.valid, wheel.local, wheel.problem) == (True, local, None)


A37_NAMES = [
    "foo-1.0-py3-none-any\n.whl",
    "foo-1.0-py3-none-\x1b]0;x\x07.whl",
    "foo-1.0-py3-none-<script>.whl",
    "foo-1.0-py3-none-a b;rm.whl",
]


@pytest.mark.parametrize(
    "name", [*A37_NAMES, "foo-1.0-py3-none-any.whl\n", "\nfoo-1.0-py3-none-any.whl", "foo-1.0-py3-none-any\x00.whl"]
)
def test_A37_what_a_terminal_or_page_would_act_on_is_refused_and_escaped(name: str) -> None:
    wheel = read_filename(name)
    assert _refused(wheel)
    assert wheel.filename.isprintable()
    assert wheel.package is None


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("t\u043erch-2.0-py3-none-any.whl", r"t\u043erch-2.0-py3-none-any.whl"),
        ("\uff54orch-2.0-py3-none-any.whl", r"\uff54orch-2.0-py3-none-any.whl"),
        ("\udc80-2.0-py3-none-any.whl", r"\udc80-2.0-py3-none-any.whl"),
    ],
)
def test_A38_look_alikes_are_refused_and_shown_for_what_they_are(name: str, shown: str) -> None:
    wheel = read_filename(name)
    assert _refused(wheel)
    assert wheel.filename == shown


def _many(prefix: str, count: int) -> str:
    return ".".join(f"{prefix}{number}" for number in range(count))


A39_NAMES = {
    "a build tag of 5,000 digits": f"foo-1.0-{'9' * 5000}-py3-none-any.whl",
    "a version of 5,000 digits": f"foo-{'9' * 5000}-py3-none-any.whl",
    "a tag set that explodes": f"foo-1.0-{_many('cp', 200)}-{_many('a', 200)}-any.whl",
    "a short tag set that explodes": f"foo-1.0-{_many('cp', 11)}-{_many('a', 11)}-{_many('p', 9)}.whl",
    "256 characters": f"{'a' * 239}-1.0-py3-none-any.whl",
    "100,000 dashes": "-" * 100_000 + ".whl",
}


@pytest.mark.parametrize("name", A39_NAMES.values(), ids=A39_NAMES)
def test_A39_long_names_and_tag_explosions_are_refused_in_time(name: str) -> None:
    start = time.process_time()
    wheel = parse_filename(name)
    assert time.process_time() - start < 0.005
    assert _refused(wheel)


def test_A39_the_longest_good_name_is_read() -> None:
    assert parse_filename(f"{'a' * 238}-1.0-py3-none-any.whl").valid


def _refused(wheel: WheelName) -> bool:
    return not wheel.valid and (wheel.problem or "").startswith("bad-filename: ")


REFUSED = {
    "sageattention-2.2.0-cu130-sm120-cp311-linux_x86_64.whl": {
        "version": "2.2.0",
        "cuda": "13.0",
        "sm": ("120",),
        "abi": None,
    },
    "onedl-mmcv-2.0.0-cp38-cp38-manylinux1_x86_64.whl": {
        "package": "onedl-mmcv",
        "version": "2.0.0",
        "python": ("cp38",),
    },
    "torch-2.3.0+nv24.05-cp310-linux_aarch64.whl": {
        "local": "nv24.05",
        "python": ("cp310",),
        "abi": None,
        "os": ("linux",),
    },
    "fastertransformer-main+b0b4ee2c-py3-none-any.whl": {"version": None, "local": "b0b4ee2c", "commit": "b0b4ee2c"},
    "sagemaker_fast_model_loader-0.1.0-a090380-py3-none-any.whl": {
        "version": "0.1.0",
        "build": None,
        "commit": "a090380",
    },
    "dummy_project-0.0.1-1234-py3-none-any-36266d4d.whl": {"build": "1234", "python": ("py3",), "commit": None},
    "torch-2.9.0-cp313-cp313-manylinux_2_28_x86_64-rocm6.3.whl": {"rocm": "6.3", "glibc": "2.28", "abi": ("cp313",)},
    "coremltools-0.3.0-py2.7-none-any.whl": {"python": ("py2.7",), "abi": ("none",)},
    "nupic-0.0.31-py2-none-macosx-10.9-intel.whl": {"os": ("macos",), "arch": ("i686", "x86_64")},
    "foo-1.0.0-rc1-py3-none-any.whl": {"version": "1.0.0rc1", "build": None},
    "foo-1.0-linux_x86_64.whl": {"version": "1.0", "python": None, "abi": None, "platform": ("linux_x86_64",)},
    "foo-py3-none-any.whl": {"package": "foo", "version": None, "python": ("py3",), "platform": ("any",)},
    "foo-1.0--py3-none-any.whl": {"version": "1.0", "python": ("py3",)},
    "gdal.whl": {"package": "gdal", "version": None, "python": None, "platform": None},
    "-.whl": {"package": None},
}


@pytest.mark.parametrize(("name", "facts"), REFUSED.items(), ids=REFUSED)
def test_a_refused_name_is_read_as_a_careful_reader_would(name: str, facts: dict[str, Any]) -> None:
    wheel = parse_filename(name)
    assert _refused(wheel)
    assert {key: getattr(wheel, key) for key in facts} == facts


LOOKS_WRONG = {
    "torchaudio-2.11.0-cp312-cp312-win_amd64.whl.whl": ".whl stands twice",
    "polarTransform-2-1.0.0-py3-none-any.whl": "the build tag '1.0.0' looks like a version",
    "python_flint-0.6.0-cp312-cp312-win_amd64+x86_64_v3.whl": "a plus in the platform tag",
    "qcodes_-0.1.0-py3-none-any.whl": "the project name 'qcodes_' ends with a separator",
    "bitsandbytes-1.33.7.preview-py3-none-any.whl": "version '1.33.7.preview' is 1.33.7rc0 by PEP 440",
}


@pytest.mark.parametrize(("name", "detail"), LOOKS_WRONG.items(), ids=LOOKS_WRONG)
def test_a_valid_name_that_looks_wrong_says_why(name: str, detail: str) -> None:
    wheel = parse_filename(name)
    assert (wheel.valid, wheel.problem) == (True, f"noncanonical-name: {detail}")


TAG_128, TAG_129 = Conflict(source="tag", value="12.8"), Conflict(source="tag", value="12.9")
SOURCES = [
    ("sgl_kernel-0.3.4+cu128-cp310-abi3-linux_x86_64.whl", "cu129/sgl-kernel", "cuda", "12.8", "filename", (TAG_129,)),
    ("sgl_kernel-0.3.4+cu128-cp310-abi3-linux_x86_64.whl", "cu128/sgl-kernel", "cuda", "12.8", "filename", None),
    ("sgl_kernel-0.3.4-cp310-abi3-linux_x86_64.whl", "cu129/sgl-kernel", "cuda", "12.9", "tag", None),
    (
        "sgl_kernel-0.3.4-cp310-abi3-linux_x86_64.whl",
        "https://cu12.test/whl/cu129/sgl-kernel/",
        "cuda",
        "12.9",
        "tag",
        None,
    ),
    ("sgl_kernel-0.3.4-cp310-abi3-linux_x86_64.whl", "v1-cu126-cu128", "cuda", None, None, None),
    ("sgl_kernel-0.3.4-cp310-abi3-linux_x86_64.whl", "cu126/cu128", "cuda", "12.8", "tag", None),
    ("sgl_kernel-0.3.4-cp310-abi3-linux_x86_64.whl", "torch-2.8.0%2Bcu128", "cuda", "12.8", "tag", None),
    ("foo-1+cu128-py3-none-any.whl", "v1-cu126-cu128", "cuda", "12.8", "filename", None),
    ("foo_cu12-1+cu128-py3-none-any.whl", "", "cuda", "12.8", "filename", None),
    ("foo_cu11-1+cu128-py3-none-any.whl", "", "cuda", "12.8", "filename", (Conflict(source="filename", value="11"),)),
    ("nvidia_cublas_cu12-12.4.5.8-py3-none-any.whl", "whl/cu124", "cuda", "12", "filename", None),
    ("foo-1+cpu-py3-none-any.whl", "whl/cu128", "cpu", None, None, (TAG_128,)),
    ("foo-1+rocm6.4-py3-none-any.whl", "whl/cu128", "rocm", None, None, (TAG_128,)),
    ("foo-1+sm120-py3-none-any.whl", "whl/cu128", "cuda", "12.8", "tag", None),
    ("foo-1-py3-none-any.whl", "cu128/cpu", "cpu", None, None, None),
    ("nvidia_cuda_cupti-13.0-py3-none-any.whl", "nvidia-cuda-cupti", None, None, None, None),
    ("nvidia_cuda_cupti-13.0-py3-none-any.whl", "", None, None, None, None),
    ("llama_cpp_python_cuda-0.1.80+rocm5.5.1-cp38-cp38-linux_x86_64.whl", "rocm", "rocm", None, None, None),
    ("pyobjc_framework_metal-12.1-cp313-cp313-macosx_11_0_arm64.whl", "", None, None, None, None),
    ("vllm_metal-0.29.0-cp312-cp312-macosx_15_0_arm64.whl", "", "metal", None, None, None),
    ("cupy_cuda12x-13.0.0-cp312-cp312-win_amd64.whl", "", "cuda", "12", "filename", None),
]


@pytest.mark.parametrize(("name", "context", "accelerator", "cuda", "source", "conflict"), SOURCES)
def test_the_name_wins_over_the_context_and_contradictions_are_shown(
    name: str,
    context: str,
    accelerator: str | None,
    cuda: str | None,
    source: str | None,
    conflict: tuple[Conflict, ...] | None,
) -> None:
    wheel = parse_filename(name, context)
    assert (wheel.accelerator, wheel.cuda, wheel.cuda_from, wheel.cuda_conflict) == (
        accelerator,
        cuda,
        source,
        conflict,
    )


CONTEXTS: list[tuple[str, str, dict[str, Any]]] = [
    ("flash_attn-2.3-cp310-cp310-linux_x86_64.whl", "vllm/cu121-pt212", {"torch": "2.1.2", "torch_from": "tag"}),
    (
        "torch_sparse-0.6.19+pt211-cp311-cp311-win_amd64.whl",
        "whl/torch-2.11.0+cpu",
        {"torch": "2.11", "torch_from": "filename"},
    ),
    ("torch_sparse-0.6.19+pt211-cp311-cp311-win_amd64.whl", "", {"torch": None, "torch_from": None}),
    ("torch-2.0.0+cu117-cp39-cp39-linux_x86_64.whl", "whl/torch-2.0.0+cu117", {"torch": None, "torch_from": None}),
    ("foo-1-py3-none-any.whl", "v1-sm120-cuda13.0", {"sm": ("120",), "sm_from": "tag", "cuda": "13.0"}),
    ("foo-1+sm90-py3-none-any.whl", "v1-sm120", {"sm": ("90",), "sm_from": "filename"}),
    ("foo-1+cpu-py3-none-any.whl", "v1-sm120", {"sm": None, "sm_from": None}),
    ("foo-1-py3-none-any.whl", "nightly-2026-02-27-52c8a3632", {"commit": None, "date": None}),
    ("foo-1-py3-none-any.whl", "whl/cpu-cxx11-abi", {"cxx11abi": True, "accelerator": "cpu"}),
    ("foo-1+rocmsdk20251116-py3-none-any.whl", ".rocm-rel-7.2_a", {"rocm": "7.2", "date": "2025-11-16"}),
    ("foo-2026.01.19-py3-none-any.whl", "", {"date": "2026-01-19"}),
    ("fsspec-2024.6.1-py3-none-any.whl", "", {"date": None}),
    ("cucim_cu12-26.02.01-py3-none-any.whl", "", {"date": None}),
    ("foo-1.0-1.cu128-py3-none-any.whl", "", {"build": "1.cu128", "cuda": "12.8"}),
    ("nvidia_horovod-0.25.0-6040196-cp36-cp36m-linux_x86_64.whl", "", {"build": "6040196", "commit": None}),
    ("ort_nightly_gpu-1.17.0.dev20231205004-cp310-cp310-win_amd64.whl", "", {"date": "2023-12-05"}),
]


@pytest.mark.parametrize(("name", "context", "facts"), CONTEXTS)
def test_context_is_heard_where_the_name_is_silent(name: str, context: str, facts: dict[str, Any]) -> None:
    wheel = parse_filename(name, context)
    assert {key: getattr(wheel, key) for key in facts} == facts


@pytest.mark.parametrize("where", ["", "dist/", "./", "C:\\wheels\\", "https://files.index.example/a%2Fb/", "//x/"])
def test_paths_and_urls_count_by_their_last_segment(where: str) -> None:
    assert parse_filename(f"{where}foo-1.0-py3-none-any.whl").filename == "foo-1.0-py3-none-any.whl"


@pytest.mark.parametrize("tail", ["#sha256=00", "?download=true", "?a=/b/c.whl#d"])
def test_query_and_fragment_are_no_part_of_the_name(tail: str) -> None:
    assert parse_filename(f"https://index.example/x/foo-1.0-py3-none-any.whl{tail}").valid


@given(st.text(), st.text(), st.none() | st.text())
def test_any_text_is_read_without_an_error(name: str, context: str, hint: str | None) -> None:
    assert parse_filename(name, context) == parse_filename(name, context)
    assert read_filename(name, context, hint).filename.isascii()


@given(
    st.text(alphabet="acu128torch2.9+_-!gitsm.postdevpy3noneanywhl", max_size=60),
    st.text(alphabet="cu128/-torch2.9", max_size=30),
)
def test_words_of_the_grammar_in_any_order_are_judged_as_packaging_does(text: str, context: str) -> None:
    name = f"{text}.whl"
    assert read_filename(name, context).valid == (_packaging_takes(name) and text != "")


_WORD = st.from_regex(r"[a-z][a-z0-9]{0,6}", fullmatch=True)
_NUMBERS = st.lists(st.integers(0, 400).map(str), min_size=1, max_size=4).map(".".join)


def _set(members: list[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(members), min_size=1, max_size=3, unique=True).map(tuple)


@given(
    st.lists(_WORD, min_size=1, max_size=3).map("_".join),
    _NUMBERS,
    st.none() | st.lists(st.from_regex(r"[A-Za-z0-9]{1,6}", fullmatch=True), min_size=1, max_size=3).map(".".join),
    st.none() | st.from_regex(r"[0-9]{1,3}[a-z]{0,3}", fullmatch=True),
    st.tuples(
        _set(["cp312", "cp313", "py3"]),
        _set(["cp312", "abi3", "none"]),
        _set(["any", "win_amd64", "manylinux_2_28_x86_64"]),
    ),
)
def test_the_fields_of_a_name_put_together_are_the_name(
    name: str, version: str, local: str | None, build: str | None, tags: tuple[tuple[str, ...], ...]
) -> None:
    release = version if local is None else f"{version}+{local}"
    filename = "-".join(filter(None, [name, release, build, *map(".".join, tags)])) + ".whl"
    wheel = parse_filename(filename)
    assert wheel.valid
    assert (wheel.filename, wheel.version, wheel.local, wheel.build) == (filename, version, local, build)
    assert (wheel.python, wheel.abi, wheel.platform) == tags
    assert wheel.package == name.replace("_", "-")
