"""The words of build labels, one line each: what it says, its pattern, a real example, and what the example says.

It knows publishers' habits; it must not know where in a name a label stands. Adding a habit is adding a line: the test
suite reads each example and expects its value, and runs each pattern on long hostile text (they must stay linear).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Fact(StrEnum):
    """What a token is about."""

    CUDA = "cuda"
    ROCM = "rocm"
    TORCH = "torch"
    CXX11ABI = "cxx11abi"
    COMMIT = "commit"
    DATE = "date"
    SM = "sm"
    GFX = "gfx"
    ACCELERATOR = "accelerator"
    NOTHING = "nothing"
    """Understood, but none of the facts above: CPU flavours, library versions, container releases, counters."""


@dataclass(frozen=True, slots=True)
class Token:
    """One habit. Earlier lines win over later ones at the same place."""

    says: Fact
    pattern: str
    """On lower-case text; at most one group, which holds the value. Without a group, ``value`` is the value."""
    example: str
    """A label in which a publisher wrote it."""
    value: str
    """What ``example`` says."""
    glue: str = ""
    """How it begins where it follows another token without a separator; empty: it never does."""


@dataclass(frozen=True, slots=True)
class Habit:
    """A fact that one project writes into its public version."""

    package: str
    """PEP 503 normalised."""
    pattern: str
    """Searched in the normalised public version; one group, which holds the value."""
    says: Fact
    example: str
    """A version in which the project wrote it."""
    value: str


# Versions as labels write them, dotted or not.
_DATE = r"20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_CUDA = r"1\d[._]\d|[6-9][._]\d|1\d{1,3}|[6-9]\d?"
_ROCM = r"\d{1,2}[._]\d{1,2}(?:[._]\d{1,2})?|[3-9]\d{0,3}"
_TORCH = r"\d{1,2}\.\d{1,2}(?:\.\d{1,2})?|\d{2,4}"
_SERIAL = r"(?:\d{1,4}(?:\.\d{1,4}){0,3})?"

TOKENS: tuple[Token, ...] = (
    # What would be misread below.
    Token(Fact.NOTHING, r"pr[._-]?\d{1,9}", "pr.18598.gfec757fd3", ""),
    Token(Fact.NOTHING, r"nv\d\d\.\d{1,2}(?:\.\d{6,9})?", "f70bd71a48.nv24.06.15634931", ""),
    Token(Fact.NOTHING, r"post\d{1,4}", "cu128torch2.7.1.post3", "", r"post\d"),
    Token(Fact.NOTHING, r"(?:cp|py)\d{2,3}t?", "cu128torch271.cp312", "", r"(?:cp|py)\d\d"),
    Token(Fact.NOTHING, r"python\d(?:\.\d{1,2})?", "cu118.python3.10", ""),
    Token(Fact.NOTHING, r"v\d{1,4}", "v0.7.1", ""),
    Token(Fact.NOTHING, r"\d{1,2}(?:a|b|rc)\d{1,2}", "v0.1.3rc0", ""),
    # Accelerators and their versions.
    Token(Fact.CUDA, rf"cu(?:da[._-]?)?({_CUDA})x?", "cu128torch2.8cxx11abiFALSE", "12.8", r"cu(?:da)?\d"),
    Token(Fact.CUDA, r"(?<=\d)c(1\d\d)", "torch2.9c128", "12.8", r"c1\d\d(?![0-9a-z])"),
    Token(Fact.ACCELERATOR, r"no(?:cuda|gpu)", "nocuda", "cpu"),
    Token(Fact.ACCELERATOR, r"cuda", "ubuntu-cuda", "cuda"),
    Token(Fact.SM, r"(?:sm|compute)[_-]?(\d{2,3}[af]?)", "cuda13.0.sm100.blackwell", "100", r"sm_?\d"),
    Token(Fact.ACCELERATOR, r"rocmsdk", "rocmsdk20251116", "rocm"),
    Token(Fact.ROCM, rf"rocm(?:[._-]?(?:rel[._-])?)?({_ROCM})", "rocm7.2.0.lw.git7e1940d4", "7.2.0", r"rocm\d"),
    Token(Fact.ACCELERATOR, r"rocm", "rocm", "rocm"),
    Token(Fact.GFX, r"(gfx[0-9a-f]{2,4}x{0,2})", "gfx1151", "gfx1151", r"gfx\d"),
    Token(Fact.ACCELERATOR, r"cpu", "cpuavx2", "cpu", r"cpu(?![a-z])"),
    Token(Fact.ACCELERATOR, rf"xpu{_SERIAL}", "g109b736b8.d20260717.xpu", "xpu"),
    Token(Fact.ACCELERATOR, rf"npu{_SERIAL}", "torch_npu", "npu"),
    Token(Fact.ACCELERATOR, r"ascend[0-9a-z]{0,6}", "vllm-ascend", "npu"),
    Token(Fact.ACCELERATOR, r"metal|mps", "v0.3.34-metal", "metal"),
    Token(Fact.ACCELERATOR, rf"musa{_SERIAL}", "musa43", "musa"),
    Token(Fact.ACCELERATOR, rf"neuronx?{_SERIAL}", "neuron216", "neuron"),
    Token(Fact.ACCELERATOR, r"(?:lib)?tpu(?:vm)?", "pytorch-xla-releases.wheels.tpuvm", "tpu"),
    Token(Fact.ACCELERATOR, r"vulkan", "667a9f7a.vulkan", "vulkan"),
    Token(Fact.ACCELERATOR, r"blackwell|hopper|lovelace|ampere|turing|volta", "cu128_noavx512_Blackwell", "cuda"),
    # What it was built against.
    Token(
        Fact.TORCH,
        rf"(?:(?:py)?torch[._-]?|pt)v?({_TORCH})(?:\.?(?:dev|a|b|rc)\d{{1,14}})?",
        "d20260529.cu132torch2.13.0.dev20260528cxx11abi1",
        "2.13.0",
        r"torch\d|pt\d",
    ),
    Token(
        Fact.NOTHING,
        r"(?:and|or)(?:higher|later|newer|up)",
        "cu130torch2.9.0andhigher.post4",
        "",
        r"(?:and|or)(?:higher|later|newer|up)",
    ),
    Token(Fact.CXX11ABI, r"pre[._-]?cxx11(?:[._-]?abi)?", "cpu.pre.cxx11.abi", "false"),
    Token(
        Fact.CXX11ABI,
        r"(?:cxx11[._-]?)?abi[._-]?(true|false|[01])",
        "cu130torch2.9cxx11abitrue",
        "true",
        r"cxx11|abi(?:true|false)",
    ),
    Token(Fact.CXX11ABI, r"cxx11[._-]?abi", "cpu.cxx11.abi", "true"),
    Token(Fact.CXX11ABI, r"cxx11", "cxx11", "true"),
    Token(Fact.NOTHING, r"fullbackward", "cu128torch2.7.1cxx11abiFALSEfullbackward", "", "fullbackward"),
    Token(Fact.NOTHING, r"cudnn\d{0,4}(?:\.\d{1,3}){0,3}", "cuda12.cudnn89", "", r"cudnn\d"),
    Token(
        Fact.NOTHING, rf"(?:miopen|nccl|trt|tensorrt|gcc|mkl|openblas|onnx){_SERIAL}", "rocm401.miopen211", "", r"mkl"
    ),
    # When and from which revision.
    Token(
        Fact.DATE,
        rf"(?:dev|d|git)?({_DATE})(?:\d{{2,4}}|\d{{6}})?",
        "d20260328cu130torch2.11.0cxx11abiTRUE",
        "2026-03-28",
        r"(?:dev|d|git)?20\d{6}",
    ),
    Token(Fact.DATE, rf"(?<=\d)(?:a|b|rc)({_DATE})", "rocm7.10.0a20251120", "2025-11-20", r"(?:a|b|rc)20\d{6}"),
    Token(Fact.DATE, r"(20\d\d[._](?:0[1-9]|1[0-2])[._](?:0[1-9]|[12]\d|3[01]))", "2026.01.19", "2026-01-19"),
    Token(Fact.NOTHING, r"dev\d{1,9}|(?:a|b|rc)\d{1,2}", "rocm7.9.0rc1", "", r"(?:a|b|rc)\d{1,2}(?![0-9a-z])"),
    Token(Fact.COMMIT, r"g(?:it)?([0-9a-f]{6,40})", "cu128torch2.10gite2743ab", "e2743ab", r"git[0-9a-f]"),
    # Counters and job numbers; a revision of digits only has the usual length of short hashes.
    Token(Fact.NOTHING, r"\d{1,6}|\d{10,39}", "0.12.g1a2b3c4", ""),
    Token(Fact.COMMIT, r"(?=[a-f]{0,39}\d)([0-9a-f]{6,40})", "366eff2pt2.7.0cu128", "366eff2"),
    # Flavours of the CPU code, numbers and precision, and other makers' names.
    Token(
        Fact.NOTHING, r"(?:no)?avx(?:2|512)?(?:vnni|bf16)?|noavx|sse\d?|basic", "rocm5.4.2avx", "", r"(?:no)?avx|basic"
    ),
    Token(Fact.NOTHING, r"x86_64(?:_v\d)?|aarch64|arm64|amd64", "x86_64_v3", ""),
    Token(Fact.NOTHING, r"fp(?:4|8|16|32)|bf16|int(?:4|8)", "bf16", ""),
    Token(
        Fact.NOTHING,
        rf"(?:das|dtk|hcu|dcu|corex|iluvatar|metax|maca|mlu|gcu|hpu)[._]?{_SERIAL}",
        "das.opt1.dtk2604.20260325.g6b060a",
        "",
    ),
    Token(Fact.NOTHING, rf"gaudi[._-]?{_SERIAL}", "v0.7.2+Gaudi-1.21.0", ""),
    Token(Fact.NOTHING, r"ada", "cuda12.1.sm89.ada", ""),
    Token(Fact.NOTHING, r"precompiled", "g5892da031.precompiled", ""),
    Token(Fact.NOTHING, r"empty|default|local|unknown", "empty", ""),
    Token(Fact.NOTHING, r"gpu", "linux-gpu-cuda11.2-cudnn8-mkl-gcc8.2-avx", ""),
    Token(Fact.NOTHING, r"linux|windows|macos|ubuntu|debian|manylinux", "v2.1.1-windows", ""),
    Token(
        Fact.NOTHING, r"lw|nightly|stable|staging|dirty|null|git|rc|opt\d|computecanada", "rocm7.0.2.lw.git245bf6ed", ""
    ),
)

HABITS: tuple[Habit, ...] = (
    # Older releases add cuDNN's major to CUDA's: post97 is CUDA 9.0 with cuDNN 7, post107 is 10.0.
    Habit("paddlepaddle-gpu", r"\.post(9|10)7$", Fact.CUDA, "1.8.5.post107", "10"),
    Habit("paddlepaddle-gpu", r"\.post(9\d|1[0-9]\d)$", Fact.CUDA, "2.6.2.post120", "12.0"),
)

BINDINGS = ("pyobjc-framework-",)
"""Beginnings of package names that end with the name of an accelerator and are bindings to it, no build for it."""
