"""wheelfind: find the GPU wheel that will load.

The typed public API; each name is imported when it is first used, so that ``import wheelfind`` stays light.

    >>> import wheelfind
    >>> wheelfind.parse_filename("torch-2.9.1+cu130-cp312-cp312-manylinux_2_28_x86_64.whl").cuda
    '13.0'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wheelfind._version import __version__

if TYPE_CHECKING:
    from wheelfind.answer import Answer
    from wheelfind.catalog import Catalog, open_catalog
    from wheels.errors import WheelfindError
    from wheels.filename import parse_filename
    from wheels.wheel import Place, Wheel, WheelName

__all__ = [
    "Answer",
    "Catalog",
    "Place",
    "Wheel",
    "WheelName",
    "WheelfindError",
    "__version__",
    "open_catalog",
    "parse_filename",
]

_HOMES = {
    "Answer": "wheelfind.answer",
    "Catalog": "wheelfind.catalog",
    "Place": "wheels.wheel",
    "Wheel": "wheels.wheel",
    "WheelName": "wheels.wheel",
    "WheelfindError": "wheels.errors",
    "open_catalog": "wheelfind.catalog",
    "parse_filename": "wheels.filename",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
