"""Every option that commands share: its words, its help, its place in the help.

It knows how options are declared and grouped; it must not know what they do.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import typer

from wheelfind.asking import Filters

_GPU, _HOST, _WHERE, _SHOW, _READ, _ALL = (
    "What it was built for",
    "Where it runs",
    "Where and when it was published",
    "What is shown",
    "Reading channels first",
    "All commands",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What of the matching wheels is shown, and how."""

    pre: bool = False
    yanked: bool = False
    vanished: bool = False
    sort: str | None = None
    limit: str | None = None
    newest_per: str | None = None
    columns: str | None = None
    raw: bool = False
    explain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing:
    """Which of the matching wheels is taken."""

    pre: bool = False
    yanked: bool = False
    vanished: bool = False
    sort: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Whether channels are read before the answer."""

    offline: bool = False
    refresh: bool = False
    max_age: str | None = None
    replay: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """What every command takes."""

    db: str | None = None
    format: str | None = None
    verbose: int = 0
    quiet: bool = False


def _option(panel: str, words: str, help_text: str, metavar: str | None = None, **more: Any) -> Any:
    return typer.Option(
        *words.split(), help=help_text, metavar=metavar, rich_help_panel=panel, show_default=False, **more
    )


DECLARED: dict[str, Any] = {
    "cuda": _option(_GPU, "--cuda", "CUDA version: --cuda 13.0 or --cu130; --cu13 is any 13.x.", "VERSION"),
    "rocm": _option(_GPU, "--rocm", "ROCm version: --rocm 6.4 or --rocm64.", "VERSION"),
    "accelerator": _option(_GPU, "--accelerator", "Or --cpu, --xpu, --npu, --metal, --musa, --tpu, --vulkan.", "NAME"),
    "torch": _option(_GPU, "--torch", "Torch it was built against: 2.9 matches 2.9.1 and back.", "VERSION"),
    "sm": _option(_GPU, "--sm", "GPU it must run on: --sm 120 is compute capability 12.0.", "TARGET"),
    "cxx11abi": _option(_GPU, "--cxx11abi/--no-cxx11abi", "C++11 ABI of the torch it was built against."),
    "loads_with": _option(_GPU, "--loads-with", "Torch build that it is known to load with: torch==2.9.1.", "BUILD"),
    "exact": _option(_GPU, "--exact", "A wheel that says only cu13 no longer matches --cu130."),
    "python": _option(
        _HOST, "--python", "Interpreter: 3.12, --cp312, --py312, --cp313t; abi3 and py3 match.", "VERSION"
    ),
    "os": _option(_HOST, "--os", "Or --linux, --musllinux, --windows, --macos, --win_amd64.", "NAME"),
    "arch": _option(_HOST, "--arch", "Or --x86_64, --aarch64, --arm64.", "NAME"),
    "glibc": _option(_HOST, "--glibc", "glibc of the machine: wheels that need no newer one.", "VERSION"),
    "here": _option(_HOST, "--here", "This machine: Python, platform, driver, installed torch."),
    "channel": _option(_WHERE, "--channel", "Channel, or a pattern with *.", "NAME"),
    "tag": _option(_WHERE, "--tag", "Release tag or directory, or a pattern: 'nightly-*'.", "GLOB"),
    "since": _option(_WHERE, "--since", "Uploaded (or built) since: 2026-02-27 or 7d.", "DATE"),
    "pre": _option(_SHOW, "--pre", "Pre-releases too, even when final versions match."),
    "yanked": _option(_SHOW, "--yanked", "Yanked files too."),
    "vanished": _option(_SHOW, "--vanished", "Files that their page no longer lists, too."),
    "sort": _option(_SHOW, "--sort", "Order: version (newest first), uploaded, size, python … -size reverses.", "NAME"),
    "limit": _option(_SHOW, "--limit", "At most so many.", "N"),
    "newest_per": _option(_SHOW, "--newest-per", "The newest row of each cuda, torch, python or package.", "FACT"),
    "explain": _option(_SHOW, "--explain", "For each row which evidence said what (table, json, jsonl)."),
    "columns": _option(_SHOW, "--columns", "Columns of table, csv and markdown: version,cuda,sha256,url.", "NAMES"),
    "raw": _option(_SHOW, "--raw", "In csv, leave text alone that a spreadsheet would compute."),
    "offline": _option(_READ, "--offline", "Never use the network: answer from what the catalog holds."),
    "refresh": _option(_READ, "--refresh", "Read the package's channels now."),
    "max_age": _option(_READ, "--max-age", "Read channels first that were last read longer ago: 6h.", "SPAN"),
    "replay": _option(_READ, "--replay", "Answer from recorded exchanges, without network or catalog.", "DIR"),
    "db": _option(_ALL, "--db", "Catalog: a file or a database URL. [WHEELFIND_DB]".replace("[", "\\["), "PATH_OR_URL"),
    "format": _option(_ALL, "--format -f", "How the answer is written.", "FORMAT"),
    "verbose": _option(_ALL, "--verbose -v", "Say more on standard error.", count=True),
    "quiet": _option(_ALL, "--quiet -q", "Only data and errors."),
}
"""How Typer shall declare each field of the groups, by the field's name."""

GROUPS = (Filters, Shown, Reading, Common)


def names_of(group: type[Any]) -> tuple[str, ...]:
    """Field names of a group of options.

    Args:
        group: one of :data:`GROUPS`.
    """
    return tuple(field.name for field in fields(group))
