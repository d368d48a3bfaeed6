"""Options that several commands share, as one parameter of the command's function.

It knows how to spread a dataclass over a function's signature, so that Typer sees one option a field; it must not know
any option.
"""

from __future__ import annotations

import functools
import inspect
from dataclasses import MISSING, fields, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def spread(declared: Mapping[str, Any]) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A decorator for a command's function: each parameter whose type is a dataclass becomes one option a field.

    Args:
        declared: how Typer shall declare a field, by the field's name; the type and default are the field's own.
    """

    def decorate(function: Callable[..., int]) -> Callable[..., int]:
        hints = get_type_hints(function, include_extras=True)
        groups = {name: kind for name, kind in hints.items() if name != "return" and is_dataclass(kind)}
        names = {group: [field.name for field in fields(kind)] for group, kind in groups.items()}

        @functools.wraps(function)
        def command(**values: Any) -> int:
            joined = {
                group: groups[group](**{name: values.pop(name) for name in members})  # type: ignore[operator] # a class
                for group, members in names.items()
            }
            return function(**values, **joined)

        parameters = list(_parameters(function, hints, declared))
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # read by inspect.signature
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return command

    return decorate


def _parameters(
    function: Callable[..., int], hints: Mapping[str, Any], declared: Mapping[str, Any]
) -> Iterator[inspect.Parameter]:
    for name, parameter in inspect.signature(function).parameters.items():
        kind = hints[name]
        if is_dataclass(kind):
            yield from _of_fields(kind, declared)
        else:
            yield parameter.replace(annotation=kind, kind=inspect.Parameter.KEYWORD_ONLY)


def _of_fields(kind: Any, declared: Mapping[str, Any]) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(kind)
    annotated: Any = Annotated  # made at run time, which type checkers cannot follow
    for field in fields(kind):
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        annotation = annotated[hints[field.name], declared[field.name]]
        yield inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
