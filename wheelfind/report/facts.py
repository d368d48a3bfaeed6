"""One wheel as the mapping that JSON, CSV and columns share: every name of the surface, in its order.

It knows the names and their JSON types; it must not know which of them are shown.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wheels.wheel import WheelName

NAMES = (
    "package",
    "version",
    "local",
    "build",
    "python",
    "abi",
    "platform",
    "os",
    "arch",
    "glibc",
    "musl",
    "accelerator",
    "cuda",
    "cuda_from",
    "cuda_conflict",
    "rocm",
    "torch",
    "torch_from",
    "cxx11abi",
    "commit",
    "date",
    "sm",
    "sm_from",
    "sm_read",
    "filename",
    "url",
    "sha256",
    "size",
    "uploaded_at",
    "requires_python",
    "channel",
    "tag",
    "places",
    "first_seen",
    "last_seen",
    "vanished_at",
    "yanked",
    "yank_reason",
    "replaced",
    "hash_conflict",
    "valid",
    "problem",
)
"""Every key of a wheel in JSON; each is always there."""


def wheel_facts(wheel: WheelName) -> dict[str, Any]:
    """A wheel, or only its name, under the names of the surface; what is unknown is None.

    Args:
        wheel: of a name alone, all that needs a place is None.
    """
    facts: dict[str, Any] = {name: getattr(wheel, name, None) for name in NAMES}
    for name, value in facts.items():
        if isinstance(value, tuple):
            facts[name] = [_plain(item) for item in value]
    return facts


def _plain(item: Any) -> Any:
    if isinstance(item, str):
        return item
    if hasattr(item, "source"):
        return {"from": item.source, "value": item.value}
    return {"channel": item.channel, "tag": item.tag, "url": item.url}


def json_text(value: Any) -> str:
    """JSON in one line of pure ASCII: safe on any terminal, and valid JSON whatever the names hold.

    Args:
        value: mappings, sequences, text, numbers, booleans, None.
    """
    return json.dumps(value, separators=(",", ":"), default=str)


def json_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as JSON, one a line."""
    return "".join(f"{json_text(row)}\n" for row in rows)


def json_document(value: Any) -> str:
    """JSON for reading: indented, pure ASCII, one newline at the end."""
    return json.dumps(value, indent=2, default=str) + "\n"
