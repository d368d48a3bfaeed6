"""Where else an index says that a project lies (PEP 708)."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Apply."""
    op.add_column("page", sa.Column("tracks", sa.Text(), nullable=True))
    op.add_column("page", sa.Column("alternate_locations", sa.Text(), nullable=True))
