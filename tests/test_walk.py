from __future__ import annotations

from githubworld import CHANNEL
from walkworld import NOON

from crawler.channels import bundled_channels, parse_spec
from crawler.walk import WalkOptions, expected_requests
from wheels.observation import ChannelMemory

LINKS = parse_spec("links:https://l.test/a.html")


def test_the_number_of_requests_is_estimated() -> None:
    bundled = {channel.name: channel for channel in bundled_channels()}
    options = WalkOptions(packages=frozenset({"sgl-kernel"}))
    docs = bundled["docs.sglang.ai/whl"]
    assert expected_requests(docs, ChannelMemory(), options, now=NOON) == 1 + 2 * len(docs.roots)
    assert expected_requests(LINKS, ChannelMemory(), options, now=NOON) == 1


def test_requests_are_estimated() -> None:
    options = WalkOptions()
    assert expected_requests(CHANNEL, ChannelMemory(), options, now=NOON) == 112
    assert expected_requests(CHANNEL, ChannelMemory(), options, now=NOON, token=True) == 2
    limited = WalkOptions(max_releases=20)
    assert expected_requests(CHANNEL, ChannelMemory(), limited, now=NOON) == 24
