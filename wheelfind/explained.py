"""An answer with its evidence: what names and tags say, and what the ledger remembers.

It knows where evidence comes from; it must not know how it reads.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wheelfind.answer import Answer


def explained(answer: Answer, ledger: Callable[[str, str], Sequence[Mapping[str, Any]]]) -> Answer:
    """The answer with evidence for each of its wheels.

    Args:
        answer: what was found.
        ledger: sightings by file name and URL.
    """
    from wheelfind.report.explaining import evidence_of  # noqa: PLC0415 - the grammar loads only for --explain

    return replace(answer, evidence=tuple(evidence_of(wheel, ledger) for wheel in answer.wheels))
