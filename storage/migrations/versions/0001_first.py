"""The first schema: channels, pages, wheels with their ledger, problems, runs; tables for inspection and verdicts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Apply."""
    _channels_and_runs()
    _pages_and_problems()
    _wheels()
    _ledger()
    _inspection()
    _verdicts()


def _channels_and_runs() -> None:
    op.create_table(
        "channel",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=True),
        sa.Column("repository_id", sa.BigInteger(), nullable=True),
        sa.Column("superseded_by", sa.Integer(), nullable=True),
        sa.Column("list_complete", sa.Integer(), nullable=False),
        sa.Column("list_run", sa.Integer(), nullable=True),
        sa.Column("list_read_at", sa.Text(), nullable=True),
        sa.Column("gone_since", sa.Text(), nullable=True),
        sa.Column("gone_run", sa.Integer(), nullable=True),
        sa.Column("last_walk_at", sa.Text(), nullable=True),
        sa.Column("last_complete_at", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("cause", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("not_before", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "channel_alias",
        sa.Column("alias", sa.Text(), nullable=False),
        sa.Column("channel_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["channel_id"],
            ["channel.id"],
        ),
        sa.PrimaryKeyConstraint("alias"),
    )
    op.create_index(op.f("ix_channel_alias_channel_id"), "channel_alias", ["channel_id"], unique=False)
    op.create_table(
        "validator",
        sa.Column("channel_id", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("accept", sa.Text(), nullable=False),
        sa.Column("body_sha256", sa.Text(), nullable=True),
        sa.Column("parser_version", sa.Integer(), nullable=False),
        sa.Column("read_at", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["channel_id"],
            ["channel.id"],
        ),
        sa.PrimaryKeyConstraint("channel_id", "url"),
    )
    op.create_table(
        "walk",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("channel_id", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.Column("not_modified", sa.Integer(), nullable=False),
        sa.Column("releases", sa.Integer(), nullable=False),
        sa.Column("added", sa.Integer(), nullable=False),
        sa.Column("changed", sa.Integer(), nullable=False),
        sa.Column("vanished", sa.Integer(), nullable=False),
        sa.Column("problems", sa.Integer(), nullable=False),
        sa.Column("ended_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["channel_id"],
            ["channel.id"],
        ),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["run.id"],
        ),
        sa.PrimaryKeyConstraint("run_id", "channel_id"),
    )


def _pages_and_problems() -> None:
    op.create_table(
        "page",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("channel_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("published_at", sa.Text(), nullable=True),
        sa.Column("updated_at", sa.Text(), nullable=True),
        sa.Column("prerelease", sa.Integer(), nullable=True),
        sa.Column("immutable", sa.Integer(), nullable=True),
        sa.Column("announced", sa.Integer(), nullable=True),
        sa.Column("project_status", sa.Text(), nullable=True),
        sa.Column("project_status_reason", sa.Text(), nullable=True),
        sa.Column("first_seen", sa.Text(), nullable=False),
        sa.Column("last_read_at", sa.Text(), nullable=True),
        sa.Column("tried_at", sa.Text(), nullable=True),
        sa.Column("tried_run", sa.Integer(), nullable=True),
        sa.Column("shape", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("complete", sa.Integer(), nullable=False),
        sa.Column("next_check_at", sa.Text(), nullable=True),
        sa.Column("gone_since", sa.Text(), nullable=True),
        sa.Column("checked_at", sa.Text(), nullable=True),
        sa.Column("checked_run", sa.Integer(), nullable=True),
        sa.Column("reader", sa.Integer(), nullable=True),
        sa.Column("facts", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["channel_id"],
            ["channel.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("channel_id", "key"),
    )
    op.create_index("page_gone", "page", ["channel_id"], unique=False, sqlite_where=sa.text("gone_since IS NOT NULL"))
    op.create_table(
        "problem",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("channel_id", sa.Integer(), nullable=False),
        sa.Column("page_id", sa.Integer(), nullable=True),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("first_seen", sa.Text(), nullable=False),
        sa.Column("last_seen", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["channel_id"],
            ["channel.id"],
        ),
        sa.ForeignKeyConstraint(
            ["page_id"],
            ["page.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("channel_id", "code", "url", "detail"),
    )
    op.create_index(op.f("ix_problem_page_id"), "problem", ["page_id"], unique=False)


def _wheels() -> None:
    op.create_table(
        "wheel",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("channel_id", sa.Integer(), nullable=False),
        sa.Column("page_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("url_key", sa.LargeBinary(), nullable=False),
        sa.Column("package", sa.Text(), nullable=True),
        sa.Column("version", sa.Text(), nullable=True),
        sa.Column("local", sa.Text(), nullable=True),
        sa.Column("build", sa.Text(), nullable=True),
        sa.Column("python", sa.Text(), nullable=True),
        sa.Column("abi", sa.Text(), nullable=True),
        sa.Column("platform", sa.Text(), nullable=True),
        sa.Column("os", sa.Text(), nullable=True),
        sa.Column("arch", sa.Text(), nullable=True),
        sa.Column("glibc", sa.Text(), nullable=True),
        sa.Column("musl", sa.Text(), nullable=True),
        sa.Column("accelerator", sa.Text(), nullable=True),
        sa.Column("cuda", sa.Text(), nullable=True),
        sa.Column("cuda_from", sa.Text(), nullable=True),
        sa.Column("cuda_conflict", sa.Text(), nullable=True),
        sa.Column("rocm", sa.Text(), nullable=True),
        sa.Column("torch", sa.Text(), nullable=True),
        sa.Column("torch_from", sa.Text(), nullable=True),
        sa.Column("cxx11abi", sa.Integer(), nullable=True),
        sa.Column("commit", sa.Text(), nullable=True),
        sa.Column("date", sa.Text(), nullable=True),
        sa.Column("sm", sa.Text(), nullable=True),
        sa.Column("sm_from", sa.Text(), nullable=True),
        sa.Column("sm_read", sa.Text(), nullable=True),
        sa.Column("version_key", sa.Text(), nullable=False),
        sa.Column("valid", sa.Integer(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("filename", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=True),
        sa.Column("claims", sa.Integer(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("uploaded_at", sa.Text(), nullable=True),
        sa.Column("requires_python", sa.Text(), nullable=True),
        sa.Column("metadata_sha256", sa.Text(), nullable=True),
        sa.Column("yanked", sa.Integer(), nullable=False),
        sa.Column("yank_reason", sa.Text(), nullable=True),
        sa.Column("replaced", sa.Integer(), nullable=False),
        sa.Column("first_seen", sa.Text(), nullable=False),
        sa.Column("last_listed_at", sa.Text(), nullable=True),
        sa.Column("absent_since", sa.Text(), nullable=True),
        sa.Column("vanished_at", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["channel_id"],
            ["channel.id"],
        ),
        sa.ForeignKeyConstraint(
            ["page_id"],
            ["page.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("channel_id", "tag", "url_key"),
    )
    op.create_index(
        "wheel_absent",
        "wheel",
        ["channel_id", "page_id"],
        unique=False,
        sqlite_where=sa.text("absent_since IS NOT NULL"),
    )
    op.create_index("wheel_claims", "wheel", ["url_key"], unique=False, sqlite_where=sa.text("claims > 1"))
    op.create_index("wheel_filename", "wheel", ["filename"], unique=False)
    op.create_index("wheel_page", "wheel", ["page_id", "vanished_at"], unique=False)
    op.create_index(
        "wheel_search", "wheel", ["package", "cuda", "arch", "accelerator", "version_key", "channel_id"], unique=False
    )
    op.create_index(
        "wheel_unlisted",
        "wheel",
        ["page_id"],
        unique=False,
        sqlite_where=sa.text("last_listed_at IS NOT NULL AND vanished_at IS NULL"),
    )
    op.create_table(
        "listing",
        sa.Column("page_id", sa.Integer(), nullable=False),
        sa.Column("wheel_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"],
            ["page.id"],
        ),
        sa.ForeignKeyConstraint(
            ["wheel_id"],
            ["wheel.id"],
        ),
        sa.PrimaryKeyConstraint("page_id", "wheel_id"),
    )
    op.create_index(op.f("ix_listing_wheel_id"), "listing", ["wheel_id"], unique=False)
    op.create_table(
        "wheel_tag",
        sa.Column("wheel_id", sa.Integer(), nullable=False),
        sa.Column("python", sa.Text(), nullable=False),
        sa.Column("abi", sa.Text(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["wheel_id"],
            ["wheel.id"],
        ),
        sa.PrimaryKeyConstraint("wheel_id", "python", "abi", "platform"),
        sqlite_with_rowid=False,
    )


def _ledger() -> None:
    op.create_table(
        "sighting",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("wheel_id", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("algorithm", sa.Text(), nullable=True),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("uploaded_at", sa.Text(), nullable=True),
        sa.Column("first_seen", sa.Text(), nullable=False),
        sa.Column("last_seen", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["wheel_id"],
            ["wheel.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_sighting_digest"), "sighting", ["digest"], unique=False)
    op.create_index(op.f("ix_sighting_wheel_id"), "sighting", ["wheel_id"], unique=False)
    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("wheel_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["wheel_id"],
            ["wheel.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_event_at"), "event", ["at"], unique=False)
    op.create_index(op.f("ix_event_wheel_id"), "event", ["wheel_id"], unique=False)


def _inspection() -> None:
    op.create_table(
        "library",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("wheel_id", sa.Integer(), nullable=False),
        sa.Column("member", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("crc32", sa.BigInteger(), nullable=True),
        sa.Column("machine", sa.Text(), nullable=True),
        sa.Column("soname", sa.Text(), nullable=True),
        sa.Column("undefined", sa.Integer(), nullable=True),
        sa.Column("torch_symbols", sa.Integer(), nullable=True),
        sa.Column("gpu_read", sa.Text(), nullable=False),
        sa.Column("read", sa.Text(), nullable=False),
        sa.Column("read_at", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["wheel_id"],
            ["wheel.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("wheel_id", "member"),
    )
    op.create_table(
        "need",
        sa.Column("library_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("soname", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["library_id"],
            ["library.id"],
        ),
        sa.PrimaryKeyConstraint("library_id", "position"),
    )
    op.create_index(op.f("ix_need_soname"), "need", ["soname"], unique=False)
    op.create_table(
        "symbol",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("library_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("demangled", sa.Text(), nullable=True),
        sa.Column("defined", sa.Integer(), nullable=False),
        sa.Column("weak", sa.Integer(), nullable=False),
        sa.Column("version", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["library_id"],
            ["library.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_symbol_library_id"), "symbol", ["library_id"], unique=False)
    op.create_index(op.f("ix_symbol_name"), "symbol", ["name"], unique=False)
    op.create_table(
        "gpu_target",
        sa.Column("library_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["library_id"],
            ["library.id"],
        ),
        sa.PrimaryKeyConstraint("library_id", "kind", "target"),
    )


def _verdicts() -> None:
    op.create_table(
        "verdict",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("wheel_id", sa.Integer(), nullable=False),
        sa.Column("torch", sa.Text(), nullable=False),
        sa.Column("torch_version", sa.Text(), nullable=True),
        sa.Column("torch_cuda", sa.Text(), nullable=True),
        sa.Column("torch_sha256", sa.Text(), nullable=True),
        sa.Column("exact", sa.Integer(), nullable=True),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("basis", sa.Text(), nullable=False),
        sa.Column("reasons", sa.Text(), nullable=False),
        sa.Column("missing", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=True),
        sa.Column("judged_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["wheel_id"],
            ["wheel.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_verdict_wheel_id"), "verdict", ["wheel_id"], unique=False)
