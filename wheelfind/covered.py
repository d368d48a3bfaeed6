"""Which channel would have found each of many URLs, and what share of each publisher's that is.

It knows rows and shares; it must not know where files of a channel lie.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from crawler.covering import Cover, publisher_of
from wheelfind.report.records import write_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from crawler.channels import Channel

_SHARES = ("publisher", "urls", "covered", "share")


def covered_rows(rows: Iterable[Mapping[str, str]], channels: Sequence[Channel]) -> list[dict[str, Any]]:
    """A row for each URL: ``url``, and ``channel``: the name of the one that would have found it, or None.

    Args:
        rows: with ``url``.
        channels: to choose from, in their order.
    """
    cover = Cover(channels)
    found = ((row["url"], cover.channel_of(row["url"])) for row in rows if row.get("url"))
    return [{"url": url, "channel": channel.name if channel else None} for url, channel in found]


def publisher_shares(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row for each publisher, most URLs first: ``publisher``, ``urls``, ``covered``, ``share``.

    Args:
        rows: what :func:`covered_rows` gives.
    """
    every: Counter[str] = Counter()
    covered: Counter[str] = Counter()
    for row in rows:
        publisher = publisher_of(row["url"])
        every[publisher] += 1
        covered[publisher] += row["channel"] is not None
    return [
        {"publisher": name, "urls": count, "covered": covered[name], "share": round(covered[name] / count, 4)}
        for name, count in sorted(every.items(), key=lambda item: (-item[1], item[0]))
    ]


def write_shares(rows: Sequence[Mapping[str, Any]]) -> str:
    """The publishers as a table, and a line for all.

    Args:
        rows: what :func:`covered_rows` gives.
    """
    found = sum(row["channel"] is not None for row in rows)
    share = f" ({found / len(rows):.2%})" if rows else ""
    return f"{write_records(_SHARES, publisher_shares(rows), 'table')}{found} of {len(rows)} URLs covered{share}"
