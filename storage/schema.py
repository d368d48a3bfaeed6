"""Which catalog this program reads and writes, as two numbers in the file's head.

It knows the marks of a catalog file; it must not know how a schema is made. Light: readers import it on the hot path.
"""

from __future__ import annotations

from pathlib import Path

REVISION = 2
"""``PRAGMA user_version``: how many Alembic revisions are applied, one for each file in ``migrations/versions``."""

APPLICATION_ID = 0x77686C66
"""``PRAGMA application_id``: "whlf" in ASCII."""

VIEWS = Path(__file__).with_name("views.sql")

VIEW_NAMES = (
    "wheels", "wheel_tags", "releases", "channels", "ledger", "history", "problems", "crawl_runs",
    "libraries", "needed", "symbols", "gpu_targets", "verdicts",
)  # fmt: skip
