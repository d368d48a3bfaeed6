"""A Typer command that costs little: values arrive as text, so nothing needs a validation library.

It knows that Typer builds a pydantic adapter for each option (0.4 s in all); it must not know any command.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from typer.core import TyperCommand


class _AsTyped:
    """Takes values as the command line gave them: text, flags and counts; each command reads its text itself."""

    @staticmethod
    def coerce(value: Any, param: Any, ctx: Any) -> Any:
        """The value; nothing at all for an option that may be given several times is an empty tuple."""
        del ctx
        several = param.multiple or param.nargs == -1
        return () if value is None and several else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One word for a shell, with what the shells' scripts look at."""

    value: str
    type: str = "plain"
    help: str = "shorthand"


class LightCommand(TyperCommand):
    """A command whose options are text, lists of text, flags and counts only."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        settings["context_settings"] = {"help_option_names": ["-h", "--help"]}
        super().__init__(*args, **settings)

    def get_params(self, ctx: Any) -> Any:
        """Options and arguments, the help option too, each told to take its value as it is."""
        params: list[Any] = list(super().get_params(ctx))
        for param in params:
            if getattr(param, "_runtime_param", self) is None:
                param._runtime_param = _AsTyped()  # noqa: SLF001 - Typer has no public way to leave a value alone
        return params

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """What a shell offers: options, and for a command with filters their shorthands."""
        from wheelfind.shorthands import known_shorthands  # noqa: PLC0415 - only while completing

        offered: list[Any] = list(super().shell_complete(ctx, incomplete))
        if incomplete.startswith("--") and any(param.name == "cuda" for param in self.params):
            offered += [Offer(value=word) for word in known_shorthands() if word.startswith(incomplete)]
        return offered
