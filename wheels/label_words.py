"""The text of a file name in which labels stand, and whether anything of it is not understood.

It knows where labels stand, slipped ones too; it must not know what their words say.
"""

from __future__ import annotations

from wheels.fields import split_carefully


def label_of(filename: str) -> str:
    """The label of a file name: local segment, slipped words, variant label and build tag, joined by spaces.

    Args:
        filename: decoded, as :class:`wheels.wheel.WheelName` holds it.

    Returns:
        The words as they stand; empty when the name has none.
    """
    fields = split_carefully(filename.removesuffix(".whl"))
    return " ".join(filter(None, (fields.local, fields.slips, fields.variant, fields.build)))
