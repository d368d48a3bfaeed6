"""What a table of wheels shows: one text for each column of a row.

It knows how facts read best for people; it must not know how wide the terminal is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wheelfind.report.delimited import cell_text
from wheelfind.report.facts import NAMES, wheel_facts
from wheels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wheelfind.answer import Answer
    from wheels.fit import Query
    from wheels.wheel import Wheel


def read_columns(text: str) -> tuple[str, ...]:
    """Names of columns from ``--columns``.

    Args:
        text: names of the surface, separated by commas.

    Raises:
        UsageError: one of them is no column.
    """
    names = tuple(name.strip().replace("-", "_") for name in text.split(",") if name.strip())
    for name in names or ("",):
        if name not in NAMES:
            raise UsageError(
                "show column", ascii(name)[1:-1], "there is no such column", f"Columns: {', '.join(NAMES)}"
            )
    return names


def default_columns(answer: Answer) -> tuple[str, ...]:
    """Columns of a table: what tells wheels apart, what the query asked about, and last the exact URL.

    Args:
        answer: whose wheels are shown.
    """
    several = len({wheel.package for wheel in answer.wheels}) > 1
    asked = tuple(name for name in ("cxx11abi", "sm", "glibc") if getattr(answer.query, name))
    first = ("package",) if several else ()
    return (
        *first,
        "version",
        "python",
        "platform",
        "accelerator",
        "torch",
        *asked,
        "size",
        "uploaded_at",
        "channel",
        "tag",
        "notes",
        "url",
    )


def row_of(wheel: Wheel, columns: Sequence[str], query: Query) -> list[str]:
    """Texts of a wheel's row.

    Args:
        wheel: the wheel.
        columns: names of the surface, and ``notes``.
        query: unknown facts that it asks about are shown as ``?``.
    """
    facts = wheel_facts(wheel)
    return [_SPECIAL[name](wheel) if name in _SPECIAL else _plain(name, facts, query) for name in columns]


def _plain(name: str, facts: dict[str, object], query: Query) -> str:
    return cell_text(facts[name]) or ("?" if getattr(query, name, ()) else "")


def _version(wheel: Wheel) -> str:
    local = f"+{wheel.local}" if wheel.local else ""
    build = f" build {wheel.build}" if wheel.build else ""
    return f"{wheel.version or '?'}{local}{build}"


def _python(wheel: Wheel) -> str:
    return "-".join(".".join(tags) for tags in (wheel.python, wheel.abi) if tags)


def _platform(wheel: Wheel) -> str:
    return ".".join(wheel.platform or ())


def _accelerator(wheel: Wheel) -> str:
    version = {"cuda": wheel.cuda, "rocm": wheel.rocm}.get(wheel.accelerator or "")
    return f"{wheel.accelerator or ''} {version or ''}".strip()


def _size(wheel: Wheel) -> str:
    return human_size(wheel.size) or "?"


def human_size(size: int | None) -> str:
    """A size for people, ``535.6 MB`` (decimal units, as package indexes show them); empty when unknown.

    Args:
        size: in bytes.
    """
    if size is None:
        return ""
    amount = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":  # noqa: PLR2004 - decimal units
            return f"{amount:.0f} {unit}" if unit in {"B", "kB"} else f"{amount:.1f} {unit}"
        amount /= 1000
    return ""


def _uploaded(wheel: Wheel) -> str:
    return (wheel.uploaded_at or "")[:10]


def _notes(wheel: Wheel) -> str:
    """What a reader should know before taking the wheel, contradictions above all."""
    notes = [
        f"vanished {wheel.vanished_at[:10]}" if wheel.vanished_at else "",
        ("yanked: " + wheel.yank_reason if wheel.yank_reason else "yanked") if wheel.yanked else "",
        "replaced" if wheel.replaced else "",
        "several hashes" if wheel.hash_conflict else "",
        *(f"but cuda {said.value} by {said.source}" for said in wheel.cuda_conflict or ()),
        wheel.problem or "",
        *(f"also named {name}" for name in _other_names(wheel)),
        f"+{len(wheel.places)} place{'s' if len(wheel.places) > 1 else ''}" if wheel.places else "",
    ]
    return "; ".join(note for note in notes if note)


def _other_names(wheel: Wheel) -> list[str]:
    return sorted({place.filename for place in wheel.places} - {wheel.filename})


_SPECIAL: dict[str, Callable[[Wheel], str]] = {
    "version": _version,
    "python": _python,
    "platform": _platform,
    "accelerator": _accelerator,
    "size": _size,
    "uploaded_at": _uploaded,
    "notes": _notes,
}
HEADS = {"uploaded_at": "uploaded", "accelerator": "for"}
"""Heads that differ from the column's name."""
