"""`python -m wheelfind`: the same program."""

from __future__ import annotations

import sys

from wheelfind.cli import main

if __name__ == "__main__":
    sys.exit(main())
