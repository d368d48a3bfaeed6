"""The program: from the command line to a command, from every error to one sentence and an exit status.

It knows how commands are called and how they end; it must not know what any of them does. Only the command that is
called is imported.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from wheelfind.command_line import COMMANDS, VALUE_OPTIONS, Call, PackageTest, read_call
from wheelfind.console import Console, give_up, prepare_streams, visible
from wheelfind.shorthands import expand
from wheels.errors import WheelfindError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

PROGRAM = "wheelfind"
_INTERRUPTED = 128  # a shell's exit status of a signal: 128 + its number


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program.

    Args:
        argv: words behind the program's name; None means those of the process.

    Returns:
        The exit status.
    """
    prepare_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    with suppress(ValueError):  # not the main thread: its owner hears the signals
        signal.signal(signal.SIGTERM, _end)
    try:
        return _run(words)
    except KeyboardInterrupt:
        return _INTERRUPTED + signal.SIGINT
    except WheelfindError as error:
        return _report(error)
    except Exception as error:  # noqa: BLE001 - the last door: a traceback is no answer
        return _report_other(error)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    raise SystemExit(_INTERRUPTED + number)


def _run(words: list[str]) -> int:
    if f"_{PROGRAM.upper()}_COMPLETE" in os.environ:
        return _run_program(words)
    call = read_call(words, is_package=PackageTest())
    if call.command is None:
        return _run_program(words)
    return _run_command(call)


def _run_command(call: Call) -> int:
    module = importlib.import_module(f"wheelfind.doors.{call.command}")
    command = _click_command(module)
    return _status(command.main(expand(call.words, VALUE_OPTIONS), f"{PROGRAM} {call.command}", standalone_mode=False))


def _run_program(words: list[str]) -> int:
    from wheelfind.program import program  # noqa: PLC0415 - only when it is needed: the common way stays light

    return _status(program().main(words, PROGRAM, standalone_mode=False))


def _click_command(module: Any) -> Any:
    from typer.main import get_command  # noqa: PLC0415 - only when it is needed: the common way stays light

    return get_command(module.app)


def _status(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _report(error: WheelfindError) -> int:
    console = Console()
    console.complain(f"error: {visible(str(error))}")
    if error.hint:
        console.complain(f"hint: {visible(error.hint)}")
    return error.exit_status


def _report_other(error: Exception) -> int:
    if hasattr(error, "format_message"):
        from wheelfind.wrong_use import as_usage_error  # noqa: PLC0415 - only when it is needed: the common way stays light

        return _report(as_usage_error(error))
    if os.environ.get("WHEELFIND_TRACEBACK"):
        raise error
    if isinstance(error, OSError):  # a help text into a full disk, a file that vanished: the system's fault, not ours
        give_up(sys.stdout)
        return _report(WheelfindError("finish", error.filename or "the answer", error.strerror or str(error)))
    Console().complain(f"error: {_sentence(error)}")
    Console().complain("hint: this is a fault of wheelfind; WHEELFIND_TRACEBACK=1 shows where")
    return 1


def _sentence(error: Exception) -> str:
    return visible(f"{type(error).__name__}: {error}".replace("\n", " "))


__all__ = ["COMMANDS", "main"]
