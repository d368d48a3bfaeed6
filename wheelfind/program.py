"""The program as a whole, for what no single command answers: its help, its version, shell completion.

It knows every command by name and imports them all; the way of a plain query does not lead through here.
"""

from __future__ import annotations

import importlib
import os
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from crawler.urls import redact_url
from wheelfind._version import __version__
from wheelfind.command_line import COMMANDS, VALUE_OPTIONS
from wheelfind.console import Console, visible
from wheelfind.light import Offer
from wheelfind.options import DECLARED
from wheelfind.settings import catalog_location, config_location
from wheelfind.shorthands import expand


class Program(TyperGroup):
    """Commands by name; any other first word is a package to find."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the commands, the commonest first."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name; None when there is none."""
        del ctx
        return get_command(importlib.import_module(f"wheelfind.doors.{cmd_name}").app) if cmd_name in COMMANDS else None

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """What a shell offers for the first word: options, commands, and packages, which `find` looks for."""
        from wheelfind.doors.find import complete_package  # noqa: PLC0415 - only while completing

        offered: list[Any] = list(super().shell_complete(ctx, incomplete))
        if incomplete and not incomplete.startswith("-"):
            offered += [Offer(value=name, help="package") for name in complete_package(incomplete)]
        return offered

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of the first word, which `find` precedes when it is none."""
        words = args if args[0] in COMMANDS else ["find", *args]
        return super().resolve_command(ctx, [words[0], *expand(words[1:], VALUE_OPTIONS)])


app = typer.Typer(
    cls=Program,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def wheelfind(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Version, and where catalog and configuration lie.")
    ] = False,
    db: Annotated[str | None, DECLARED["db"]] = None,
    verbose: Annotated[int, DECLARED["verbose"]] = 0,
    quiet: Annotated[bool, DECLARED["quiet"]] = False,
) -> int:
    """Find the GPU wheel that will load.

    A package alone is a query, with filters in any order:

    Examples:
      wheelfind sgl_kernel --cu130 --x86_64
      wheelfind flash-attn --torch 2.9 --cp312 --format uv
      wheelfind crawl sgl-project/whl
      wheelfind parse 'torch-2.9.1+cu130-cp312-cp312-manylinux_2_28_x86_64.whl'
      wheelfind sql 'SELECT cuda, count(*) FROM wheels GROUP BY cuda'
    """
    del verbose, quiet
    if version:
        Console().put(version_report(db))
    elif context.invoked_subcommand is None:
        Console().put(f"{context.get_help()}\n")
    return 0


def version_report(db: str | None) -> str:
    """Version, catalog and configuration, one a line.

    Args:
        db: value of ``--db``; None when not given.
    """
    catalog, configuration = catalog_location(db, os.environ), config_location(os.environ)
    places = "".join(
        f"{name}: {visible(redact_url(place) if '://' in place else place)}\n"
        for name, place in (("catalog", catalog), ("configuration", configuration))
    )
    return f"wheelfind {__version__}\n{places}"


def program() -> Any:
    """The program as one command."""
    return get_command(app)
