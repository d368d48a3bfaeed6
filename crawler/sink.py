"""A body that is handed on as it arrives, instead of being kept.

It knows the budget of bytes on their way; it must not know sockets, nor what is done with the bytes.
"""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Protocol

from crawler.body import OverBudgetError, size_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawler.response import Limits
    from crawler.wire import Ask, Reply

FILLED = frozenset({HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT})
"""Statuses whose body is (part of) what was asked for."""


class Sink(Protocol):
    """Takes a body piece by piece; an error of ours that it raises ends the reply at once."""

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """A reply begins; a second one starts anew."""

    def take(self, data: bytes) -> None:
        """The next bytes, as they came: no coding is undone."""


class Pour:
    """Hands a body on within its budget.

    Args:
        sink: takes it.
        limits: of the request; a body is counted as it travels.
    """

    def __init__(self, sink: Sink, limits: Limits) -> None:
        self.wire_bytes = 0
        self._sink = sink
        self._most = limits.wire_bytes

    def feed(self, chunk: bytes) -> None:
        """Hand on the next bytes.

        Raises:
            OverBudgetError: the budget is spent.
        """
        self.wire_bytes += len(chunk)
        if self.wire_bytes > self._most:
            raise OverBudgetError(f"it is larger than {size_text(self._most)}")
        self._sink.take(chunk)


def pour(reply: Reply, ask: Ask) -> Reply:
    """A reply that is there already, its body handed to the sink of its request."""
    if ask.sink is None or reply.status not in FILLED:
        return reply
    ask.sink.begin(reply.status, reply.headers)
    ask.sink.take(reply.body)
    return replace(reply, body=b"")
