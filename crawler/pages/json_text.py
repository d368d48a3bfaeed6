"""JSON from outside, read strictly where a lenient reading would lose or invent entries (row A40).

It knows what other parsers let through; it must not know what a document means.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

MAX_DEPTH = 64
_MAX_DIGITS = 20


class UnreadableJsonError(ValueError):
    """The text is no JSON that may be trusted; the message is a phrase."""


class HugeNumber:
    """Stands for an integer or float that no size can be; only a field that is checked may hold it."""


def read_json(text: str) -> Any:
    """Read a JSON document.

    Args:
        text: the decoded body.

    Returns:
        Objects as dict, a number beyond 20 digits or beyond a float as :class:`HugeNumber`.

    Raises:
        UnreadableJsonError: no JSON, NaN, a key that stands twice in one object, more than 64 levels.
    """
    try:
        document = json.loads(
            text,
            object_pairs_hook=_distinct,
            parse_int=_bounded_int,
            parse_float=_finite_float,
            parse_constant=_refuse_constant,
        )
    except RecursionError:
        raise UnreadableJsonError(f"JSON of more than {MAX_DEPTH} levels") from None
    except UnreadableJsonError:
        raise
    except ValueError as error:
        reason = "HTML where JSON was promised" if text.lstrip()[:1] == "<" else f"no JSON: {error}"[:200]
        raise UnreadableJsonError(reason) from None
    _check_depth(document)
    return document


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise UnreadableJsonError(f"JSON with the key {ascii(twice)[:60]} twice in one object")
    for name, value in pairs:
        if value is _HUGE and name != "size":
            raise UnreadableJsonError(f"JSON with an endless number under {ascii(name)[:60]}")
    return found


def _bounded_int(digits: str) -> Any:
    return int(digits) if len(digits) <= _MAX_DIGITS else _HUGE


def _finite_float(digits: str) -> Any:
    value = float(digits)
    return value if abs(value) < float("inf") else _HUGE


def _refuse_constant(name: str) -> NoReturn:
    raise UnreadableJsonError(f"JSON with {name}")


def _check_depth(document: Any) -> None:
    level, depth = [document], 0
    while level := [value for value in level if isinstance(value, dict | list)]:
        depth += 1
        if depth > MAX_DEPTH:
            raise UnreadableJsonError(f"JSON of more than {MAX_DEPTH} levels")
        level = [child for value in level for child in (value.values() if isinstance(value, dict) else value)]


_HUGE = HugeNumber()
