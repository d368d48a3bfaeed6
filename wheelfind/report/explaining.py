"""The rows of an answer with the evidence of each, for people and as JSON.

It knows how evidence reads; it must not know the grammar or the ledger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wheelfind.console import visible
from wheelfind.report.delimited import cell_text
from wheels.evidence import Saying, explain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from wheelfind.answer import Answer
    from wheels.wheel import Wheel

_SHOWN = (
    "accelerator",
    "cuda",
    "cuda_from",
    "rocm",
    "torch",
    "torch_from",
    "cxx11abi",
    "sm",
    "sm_from",
    "date",
    "commit",
)


def evidence_of(wheel: Wheel, ledger: Callable[[str, str], Sequence[Mapping[str, Any]]]) -> tuple[Saying, ...]:
    """All that speaks for a row: its name, its tag, contradictions, and every hash that was ever seen at its places.

    Args:
        wheel: one row of an answer.
        ledger: sightings by file name and URL.
    """
    places = {wheel.url: wheel.filename} | {place.url: place.filename for place in wheel.places}
    seen = (_sighting(row) for url, name in places.items() for row in ledger(name, url))
    return (*explain(wheel), *seen)


def _sighting(row: Mapping[str, Any]) -> Saying:
    said = {str(row["algorithm"] or "hash"): row["digest"]}
    said |= {name: row[name] for name in ("size", "uploaded_at", "first_seen", "last_seen") if row[name] is not None}
    return Saying(
        source="ledger",
        part="current" if row["is_current"] else "earlier",
        text=str(row["url"]),
        says={"channel": row["channel"], **said},
    )


def evidence_facts(said: Sequence[Saying]) -> list[dict[str, Any]]:
    """Evidence for JSON."""
    return [{"from": one.source, "part": one.part, "text": one.text, "says": dict(one.says)} for one in said]


def write_explained(answer: Answer) -> str:
    """One paragraph a row: its name and URL, what is shown of it, and who says so.

    Args:
        answer: one with evidence.
    """
    rows = zip(answer.wheels, answer.evidence, strict=True)
    paragraphs = ("".join(f"{line}\n" for line in _lines(*row)) for row in rows)
    return "\n".join(paragraphs)


def _lines(wheel: Wheel, evidence: Sequence[Saying]) -> Iterator[str]:
    yield visible(wheel.filename)
    yield f"  {visible(wheel.url)}"
    facts = {name: value for name in _SHOWN if (value := getattr(wheel, name)) is not None}
    yield f"  shown: {visible(cell_text(facts)) or 'nothing but its tags'}"
    for one in evidence:
        yield f"  {one.source} {one.part} {visible(one.text)}: {visible(cell_text(dict(one.says)))}"
    for place in wheel.places:
        yield visible(f"  also at {place.url} ({place.channel} {place.tag or ''}".rstrip() + ")")
