"""Alembic's entry: runs the revisions on the connection that ``storage.migrate`` hands over, inside its transaction.

It knows no database address and reads no configuration file; it must not begin or end a transaction.
"""

from __future__ import annotations

from alembic import context
from sqlmodel import SQLModel

import storage.tables  # noqa: F401 - registers the tables for revisions that are generated

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    transactional_ddl=False,  # the caller's transaction holds all revisions: done wholly or not at all
)
context.run_migrations()
