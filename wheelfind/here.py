"""`--here`: the machine that a command looks at when asked, and says what it saw.

It knows when to look; it must not know where a machine says what it is.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wheelfind.asking import Filters
    from wheelfind.console import Console
    from wheelfind.machine import Machine


def machine_asked_for(filters: Filters, console: Console) -> Machine | None:
    """This machine when the filters ask for it, else None.

    Args:
        filters: as written.
        console: is told what the machine is.
    """
    if not filters.here:
        return None
    from wheelfind.machine import probe_machine  # noqa: PLC0415 - only for --here

    machine = probe_machine(os.environ)
    console.say(f"here: {machine.describe()}")
    return machine
