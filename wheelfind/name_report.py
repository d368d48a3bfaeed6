"""What the grammar makes of many names: how many are valid, how many labels it understands, and the words it does not.

It knows counting and how the counts are written; it must not know the grammar or where the names come from.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wheelfind.report.records import write_records, write_report
from wheels.filename import parse_filename
from wheels.label import unknown_words
from wheels.label_words import label_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

COLUMNS = ("filename", "tag", "publisher")
_SHOWN = 40
"""Words in a table; JSON has all."""
_DIGEST = re.compile(r"(?=[a-f]*\d)[0-9a-f]+")
"""A directory named by a digest, or by a part of one."""
_FACTS = ("accelerator", "cuda", "rocm", "torch", "cxx11abi", "commit", "date", "sm")
_WORD = ("word", "names", "publishers", "example")
_PUBLISHER = ("publisher", "names", "valid", "with_label", "recognised", "share")


@dataclass(slots=True)
class _Count:
    """Counts of one publisher, or of all."""

    names: int = 0
    valid: int = 0
    with_facts: int = 0
    """Name or tag says something of the build."""
    with_label: int = 0
    """The name has a label."""
    recognised: int = 0
    """Every word of the label is understood."""

    @property
    def share(self) -> float | None:
        """Of labels that are recognised; None without any."""
        return round(self.recognised / self.with_label, 4) if self.with_label else None


@dataclass(slots=True)
class _Word:
    """A word that the grammar does not understand."""

    example: str
    names: int = 0
    publishers: set[str] = field(default_factory=set)


def report_names(rows: Iterable[Mapping[str, str]]) -> dict[str, Any]:
    """Counts over names, and the words of labels and tags that are not understood, most publishers first.

    Args:
        rows: ``filename``, and where known ``tag`` and ``publisher``.

    Returns:
        ``names``, ``valid``, ``with_facts`` (name or tag says something of the build), ``with_label``,
        ``recognised`` (every word of the label understood), ``share`` of these two, ``share_by_publisher`` (each counts
        once), ``label_words`` and ``tag_words`` that are not understood, and ``publishers``.
    """
    by_publisher: defaultdict[str, _Count] = defaultdict(_Count)
    in_labels: dict[str, _Word] = {}
    in_tags: dict[str, _Word] = {}
    for row in rows:
        publisher, tag = row.get("publisher") or "", row.get("tag") or ""
        name = parse_filename(row.get("filename") or "", tag)
        label = label_of(name.filename)
        unknown = unknown_words(label)
        count = by_publisher[publisher]
        count.names += 1
        count.valid += name.valid
        count.with_facts += any(getattr(name, fact) is not None for fact in _FACTS)
        count.with_label += bool(label)
        count.recognised += bool(label) and not unknown
        _note(in_labels, unknown, publisher, name.filename)
        found = (word for word in unknown_words(tag) if not _DIGEST.fullmatch(word))
        _note(in_tags, found, publisher, f"{name.filename} in {tag}")
    return _facts(by_publisher, in_labels, in_tags)


def _note(words: dict[str, _Word], found: Iterable[str], publisher: str, example: str) -> None:
    for word in set(found):
        note = words.setdefault(word, _Word(example))
        note.names += 1
        note.publishers.add(publisher)


def _facts(
    by_publisher: Mapping[str, _Count], in_labels: dict[str, _Word], in_tags: dict[str, _Word]
) -> dict[str, Any]:
    every = _Count(
        *(sum(getattr(each, name) for each in by_publisher.values()) for name in _Count.__dataclass_fields__)
    )
    shares = [count.share for count in by_publisher.values() if count.share is not None]
    publishers = sorted(by_publisher.items(), key=lambda item: (-item[1].names, item[0]))
    return {
        "names": every.names,
        "valid": every.valid,
        "with_facts": every.with_facts,
        "with_label": every.with_label,
        "recognised": every.recognised,
        "share": every.share,
        "share_by_publisher": round(sum(shares) / len(shares), 4) if shares else None,
        "label_words": _listed(in_labels),
        "tag_words": _listed(in_tags),
        "publishers": [
            {name: publisher if name == "publisher" else getattr(count, name) for name in _PUBLISHER}
            for publisher, count in publishers
        ],
    }


def _listed(words: Mapping[str, _Word]) -> list[dict[str, Any]]:
    rows = [
        {"word": word, "names": note.names, "publishers": len(note.publishers), "example": note.example}
        for word, note in words.items()
    ]
    return sorted(rows, key=lambda row: (-row["publishers"], -row["names"], row["word"]))


def write_name_report(facts: Mapping[str, Any], form: str, *, width: int | None = None) -> str:
    """The report as text: counts, then a table each of words and publishers; or one JSON object.

    Args:
        facts: what :func:`report_names` gives.
        form: ``table``, ``json`` or ``jsonl``.
        width: terminal columns; None means no limit.
    """
    if form != "table":
        return write_report(facts, form)
    counts = {name: value for name, value in facts.items() if not isinstance(value, list)}
    parts = [write_report(counts, form)]
    for title, key, columns in (
        ("Words of labels that are not understood", "label_words", _WORD),
        ("Words of tags and directories that are not understood", "tag_words", _WORD),
        ("Publishers", "publishers", _PUBLISHER),
    ):
        rows = facts[key]
        if not rows or [row.get("publisher") for row in rows] == [""]:
            continue
        shown = rows if key == "publishers" else rows[:_SHOWN]
        first = "" if len(shown) == len(rows) else f", the first {_SHOWN}"
        parts.append(f"\n{title}: {len(rows)}{first}\n{write_records(columns, shown, form, width=width)}")
    return "".join(parts)
