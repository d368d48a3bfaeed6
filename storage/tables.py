"""The catalog's tables: columns only.

They know what is stored and under which key; they must not know how it is read (the views of ``views.sql``), found
(``search.py``) or written (``write.py``). Times are UTC, ISO 8601 with ``Z``. Lists are space-separated text with a
leading and a trailing space. NULL is "unknown" everywhere.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, LargeBinary, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel


def _text(*, nullable: bool = True) -> Column[str]:
    return Column(Text, nullable=nullable)


class ChannelRow(SQLModel, table=True):
    """One place that is crawled, and what must be known before the next walk."""

    __tablename__ = "channel"

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(sa_column=Column(Text, nullable=False, unique=True))
    repository: str | None = Field(default=None, sa_column=_text())
    repository_id: int | None = Field(default=None, sa_column=Column(BigInteger))
    superseded_by: int | None = None
    """The channel of another repository (its id differs) that took this name; this row keeps what the old one held."""
    list_complete: int = 0
    list_run: int | None = None
    list_read_at: str | None = Field(default=None, sa_column=_text())
    gone_since: str | None = Field(default=None, sa_column=_text())
    """The whole channel answers 404 or 410 since then."""
    gone_run: int | None = None
    last_walk_at: str | None = Field(default=None, sa_column=_text())
    last_complete_at: str | None = Field(default=None, sa_column=_text())
    status: str | None = Field(default=None, sa_column=_text())
    cause: str | None = Field(default=None, sa_column=_text())
    detail: str | None = Field(default=None, sa_column=_text())
    not_before: str | None = Field(default=None, sa_column=_text())


class ChannelAliasRow(SQLModel, table=True):
    """An earlier name of a channel whose repository was renamed."""

    __tablename__ = "channel_alias"

    alias: str = Field(sa_column=Column(Text, primary_key=True))
    channel_id: int = Field(sa_column=Column(ForeignKey("channel.id"), nullable=False, index=True))


class ValidatorRow(SQLModel, table=True):
    """What makes the next request for a URL conditional."""

    __tablename__ = "validator"

    channel_id: int = Field(sa_column=Column(ForeignKey("channel.id"), primary_key=True))
    url: str = Field(sa_column=Column(Text, primary_key=True))
    etag: str | None = Field(default=None, sa_column=_text())
    last_modified: str | None = Field(default=None, sa_column=_text())
    accept: str = Field(default="", sa_column=_text(nullable=False))
    body_sha256: str | None = Field(default=None, sa_column=_text())
    parser_version: int = 0
    read_at: str | None = Field(default=None, sa_column=_text())


class PageRow(SQLModel, table=True):
    """A release or an index page. ``last_read_at`` is the ``last_seen`` of every wheel that it lists."""

    __tablename__ = "page"
    __table_args__ = (
        UniqueConstraint("channel_id", "key"),
        Index("page_gone", "channel_id", sqlite_where=text("gone_since IS NOT NULL")),
    )

    id: int | None = Field(default=None, primary_key=True)
    channel_id: int = Field(foreign_key="channel.id")
    key: str = Field(sa_column=_text(nullable=False))
    """The tag, or the requested URL of a page whose files each have their own directory."""
    tag: str | None = Field(default=None, sa_column=_text())
    url: str = Field(default="", sa_column=_text(nullable=False))
    kind: str | None = Field(default=None, sa_column=_text())
    title: str | None = Field(default=None, sa_column=_text())
    published_at: str | None = Field(default=None, sa_column=_text())
    updated_at: str | None = Field(default=None, sa_column=_text())
    prerelease: int | None = None
    immutable: int | None = None
    announced: int | None = None
    project_status: str | None = Field(default=None, sa_column=_text())
    project_status_reason: str | None = Field(default=None, sa_column=_text())
    tracks: str | None = Field(default=None, sa_column=_text())
    """Addresses, as a list."""
    alternate_locations: str | None = Field(default=None, sa_column=_text())
    first_seen: str = Field(sa_column=_text(nullable=False))
    last_read_at: str | None = Field(default=None, sa_column=_text())
    """Last 200 or 304 that was understood; NULL when only the name is known."""
    tried_at: str | None = Field(default=None, sa_column=_text())
    tried_run: int | None = None
    shape: str | None = Field(default=None, sa_column=_text())
    """Verdict of the last try; ``failed`` when there was no page at all."""
    reason: str | None = Field(default=None, sa_column=_text())
    complete: int = 0
    """The reading at ``last_read_at`` was whole."""
    next_check_at: str | None = Field(default=None, sa_column=_text())
    gone_since: str | None = Field(default=None, sa_column=_text())
    """Absent from complete lists, or answering 404, since then."""
    checked_at: str | None = Field(default=None, sa_column=_text())
    """Last reading that says anything about absence, in run ``checked_run``."""
    checked_run: int | None = None
    reader: int | None = None
    """``storage.rows.READER`` at that reading."""
    facts: bytes | None = Field(default=None, sa_column=Column(LargeBinary))
    """Digest of all that was stored of the last reading: the same facts again write one row."""


class WheelRow(SQLModel, table=True):
    """One file at one place: channel, tag and decoded URL."""

    __tablename__ = "wheel"
    __table_args__ = (
        UniqueConstraint("channel_id", "tag", "url_key"),
        Index("wheel_search", "package", "cuda", "arch", "accelerator", "version_key", "channel_id"),
        Index("wheel_filename", "filename"),
        Index("wheel_page", "page_id", "vanished_at"),
        Index("wheel_unlisted", "page_id", sqlite_where=text("last_listed_at IS NOT NULL AND vanished_at IS NULL")),
        Index("wheel_absent", "channel_id", "page_id", sqlite_where=text("absent_since IS NOT NULL")),
        Index("wheel_claims", "url_key", sqlite_where=text("claims > 1")),
    )

    id: int | None = Field(default=None, primary_key=True)
    channel_id: int = Field(foreign_key="channel.id")
    page_id: int = Field(foreign_key="page.id")
    run_id: int
    """The run that first saw it."""
    tag: str = Field(sa_column=_text(nullable=False))
    """Release tag or directory; empty for none."""
    url_key: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    """BLAKE2b-128 of the decoded URL: equal for every spelling of it."""
    package: str | None = Field(default=None, sa_column=_text())
    version: str | None = Field(default=None, sa_column=_text())
    local: str | None = Field(default=None, sa_column=_text())
    build: str | None = Field(default=None, sa_column=_text())
    python: str | None = Field(default=None, sa_column=_text())
    abi: str | None = Field(default=None, sa_column=_text())
    platform: str | None = Field(default=None, sa_column=_text())
    os: str | None = Field(default=None, sa_column=_text())
    arch: str | None = Field(default=None, sa_column=_text())
    glibc: str | None = Field(default=None, sa_column=_text())
    musl: str | None = Field(default=None, sa_column=_text())
    accelerator: str | None = Field(default=None, sa_column=_text())
    cuda: str | None = Field(default=None, sa_column=_text())
    cuda_from: str | None = Field(default=None, sa_column=_text())
    cuda_conflict: str | None = Field(default=None, sa_column=_text())
    """JSON: ``[{"from": …, "value": …}]``."""
    rocm: str | None = Field(default=None, sa_column=_text())
    torch: str | None = Field(default=None, sa_column=_text())
    torch_from: str | None = Field(default=None, sa_column=_text())
    cxx11abi: int | None = None
    commit: str | None = Field(default=None, sa_column=_text())
    date: str | None = Field(default=None, sa_column=_text())
    sm: str | None = Field(default=None, sa_column=_text())
    sm_from: str | None = Field(default=None, sa_column=_text())
    sm_read: str | None = Field(default=None, sa_column=_text())
    version_key: str = Field(sa_column=_text(nullable=False))
    valid: int = 1
    problem: str | None = Field(default=None, sa_column=_text())
    filename: str = Field(sa_column=_text(nullable=False))
    url: str = Field(sa_column=_text(nullable=False))
    sha256: str | None = Field(default=None, sa_column=_text())
    claims: int = 0
    """How many sha256 are listed for it now."""
    size: int | None = Field(default=None, sa_column=Column(BigInteger))
    uploaded_at: str | None = Field(default=None, sa_column=_text())
    requires_python: str | None = Field(default=None, sa_column=_text())
    metadata_sha256: str | None = Field(default=None, sa_column=_text())
    """Of the announced METADATA file beside it; empty when one is announced without a hash."""
    yanked: int = 0
    yank_reason: str | None = Field(default=None, sa_column=_text())
    replaced: int = 0
    first_seen: str = Field(sa_column=_text(nullable=False))
    last_listed_at: str | None = Field(default=None, sa_column=_text())
    """When its page last listed it; NULL while the page's last whole reading does."""
    absent_since: str | None = Field(default=None, sa_column=_text())
    """The first complete walk that missed it; a second one, 6 h later, ends its life."""
    vanished_at: str | None = Field(default=None, sa_column=_text())


class ListingRow(SQLModel, table=True):
    """A further page that lists a wheel of another page of the same channel."""

    __tablename__ = "listing"

    page_id: int = Field(sa_column=Column(ForeignKey("page.id"), primary_key=True))
    wheel_id: int = Field(sa_column=Column(ForeignKey("wheel.id"), primary_key=True, index=True))


class WheelTagRow(SQLModel, table=True):
    """One python-abi-platform tag of a wheel."""

    __tablename__ = "wheel_tag"
    __table_args__ = ({"sqlite_with_rowid": False},)

    wheel_id: int = Field(sa_column=Column(ForeignKey("wheel.id"), primary_key=True))
    python: str = Field(sa_column=Column(Text, primary_key=True))
    abi: str = Field(sa_column=Column(Text, primary_key=True))
    platform: str = Field(sa_column=Column(Text, primary_key=True))


class SightingRow(SQLModel, table=True):
    """The ledger: one revision of a file, as a page claimed it. Never deleted, its known facts never change."""

    __tablename__ = "sighting"

    id: int | None = Field(default=None, primary_key=True)
    wheel_id: int = Field(sa_column=Column(ForeignKey("wheel.id"), nullable=False, index=True))
    url: str = Field(sa_column=_text(nullable=False))
    """The published spelling."""
    algorithm: str | None = Field(default=None, sa_column=_text())
    digest: str | None = Field(default=None, sa_column=Column(Text, index=True))
    size: int | None = Field(default=None, sa_column=Column(BigInteger))
    uploaded_at: str | None = Field(default=None, sa_column=_text())
    first_seen: str = Field(sa_column=_text(nullable=False))
    last_seen: str | None = Field(default=None, sa_column=_text())
    """NULL while it is what the page says now."""


class EventRow(SQLModel, table=True):
    """What happened to a wheel after it was first seen: ``replaced``, ``vanished``, ``back``."""

    __tablename__ = "event"

    id: int | None = Field(default=None, primary_key=True)
    wheel_id: int = Field(sa_column=Column(ForeignKey("wheel.id"), nullable=False, index=True))
    run_id: int
    at: str = Field(sa_column=Column(Text, nullable=False, index=True))
    kind: str = Field(sa_column=_text(nullable=False))


class ProblemRow(SQLModel, table=True):
    """One thing that could not be taken; seen again, it is the same row."""

    __tablename__ = "problem"
    __table_args__ = (UniqueConstraint("channel_id", "code", "url", "detail"),)

    id: int | None = Field(default=None, primary_key=True)
    channel_id: int = Field(foreign_key="channel.id")
    page_id: int | None = Field(default=None, sa_column=Column(ForeignKey("page.id"), index=True))
    run_id: int
    """The last run that met it."""
    code: str = Field(sa_column=_text(nullable=False))
    url: str = Field(sa_column=_text(nullable=False))
    detail: str = Field(sa_column=_text(nullable=False))
    first_seen: str = Field(sa_column=_text(nullable=False))
    last_seen: str = Field(sa_column=_text(nullable=False))


class RunRow(SQLModel, table=True):
    """One crawl. Without ``ended_at`` it is under way, or was cut by a kill."""

    __tablename__ = "run"

    id: int | None = Field(default=None, primary_key=True)
    command: str = Field(sa_column=_text(nullable=False))
    started_at: str = Field(sa_column=_text(nullable=False))
    ended_at: str | None = Field(default=None, sa_column=_text())
    status: str | None = Field(default=None, sa_column=_text())


class WalkRow(SQLModel, table=True):
    """One channel's part of a run."""

    __tablename__ = "walk"

    run_id: int = Field(sa_column=Column(ForeignKey("run.id"), primary_key=True))
    channel_id: int = Field(sa_column=Column(ForeignKey("channel.id"), primary_key=True))
    status: str = Field(sa_column=_text(nullable=False))
    cause: str | None = Field(default=None, sa_column=_text())
    detail: str = Field(default="", sa_column=_text(nullable=False))
    requests: int = 0
    not_modified: int = 0
    releases: int = 0
    added: int = 0
    changed: int = 0
    vanished: int = 0
    problems: int = 0
    ended_at: str = Field(sa_column=_text(nullable=False))


class LibraryRow(SQLModel, table=True):
    """A shared library inside a wheel, as far as it was read."""

    __tablename__ = "library"
    __table_args__ = (UniqueConstraint("wheel_id", "member"),)

    id: int | None = Field(default=None, primary_key=True)
    wheel_id: int = Field(foreign_key="wheel.id")
    member: str = Field(sa_column=_text(nullable=False))
    size: int | None = Field(default=None, sa_column=Column(BigInteger))
    crc32: int | None = Field(default=None, sa_column=Column(BigInteger))
    machine: str | None = Field(default=None, sa_column=_text())
    soname: str | None = Field(default=None, sa_column=_text())
    undefined: int | None = None
    torch_symbols: int | None = None
    gpu_read: str = Field(default="none", sa_column=_text(nullable=False))
    """``whole``, ``partial``, ``none``."""
    read: str = Field(default="none", sa_column=_text(nullable=False))
    """``whole``, ``prefix``, ``none``."""
    read_at: str | None = Field(default=None, sa_column=_text())


class NeedRow(SQLModel, table=True):
    """One DT_NEEDED entry of a library, in its order."""

    __tablename__ = "need"

    library_id: int = Field(sa_column=Column(ForeignKey("library.id"), primary_key=True))
    position: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    soname: str = Field(sa_column=Column(Text, nullable=False, index=True))


class SymbolRow(SQLModel, table=True):
    """One dynamic symbol of a library."""

    __tablename__ = "symbol"

    id: int | None = Field(default=None, primary_key=True)
    library_id: int = Field(sa_column=Column(ForeignKey("library.id"), nullable=False, index=True))
    name: str = Field(sa_column=Column(Text, nullable=False, index=True))
    demangled: str | None = Field(default=None, sa_column=_text())
    defined: int
    weak: int
    version: str | None = Field(default=None, sa_column=_text())


class GpuTargetRow(SQLModel, table=True):
    """One GPU architecture that a library holds code for."""

    __tablename__ = "gpu_target"

    library_id: int = Field(sa_column=Column(ForeignKey("library.id"), primary_key=True))
    kind: str = Field(sa_column=Column(Text, primary_key=True))
    """``sm`` (machine code) or ``ptx``."""
    target: str = Field(sa_column=Column(Text, primary_key=True))
    """``90a``."""


class VerdictRow(SQLModel, table=True):
    """Whether a wheel loads with one torch build, and why."""

    __tablename__ = "verdict"

    id: int | None = Field(default=None, primary_key=True)
    wheel_id: int = Field(sa_column=Column(ForeignKey("wheel.id"), nullable=False, index=True))
    torch: str = Field(sa_column=_text(nullable=False))
    """As it was asked."""
    torch_version: str | None = Field(default=None, sa_column=_text())
    torch_cuda: str | None = Field(default=None, sa_column=_text())
    torch_sha256: str | None = Field(default=None, sa_column=_text())
    exact: int | None = None
    verdict: str = Field(sa_column=_text(nullable=False))
    basis: str = Field(sa_column=_text(nullable=False))
    reasons: str = Field(default="[]", sa_column=_text(nullable=False))
    """JSON: ``[{"kind": …, "detail": …}]``."""
    missing: str = Field(default="[]", sa_column=_text(nullable=False))
    """JSON: ``[{"symbol": …, "library": …}]``."""
    why: str | None = Field(default=None, sa_column=_text())
    judged_at: str = Field(sa_column=_text(nullable=False))
