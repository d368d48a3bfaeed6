"""Names of output formats.

It knows how a format is asked for; it must not know how it is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wheels.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

ALIASES = {"md": "markdown", "text": "table", "ndjson": "jsonl"}
"""Other names that people give to formats."""


def check_format(name: str | None, known: Sequence[str], default: str = "table") -> str:
    """The format asked for.

    Args:
        name: value of ``--format``; None means the default.
        known: formats of the command.
        default: what it writes unless asked.

    Raises:
        UsageError: the command has no such format.
    """
    if name is None:
        return default
    form = ALIASES.get(name.lower(), name.lower())
    if form not in known:
        raise UsageError(
            "write the format", ascii(name)[1:-1], "there is no such format", f"Formats: {', '.join(known)}"
        )
    return form
