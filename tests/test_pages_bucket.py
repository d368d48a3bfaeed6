"""Listings of buckets: S3's two versions and those who speak like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages_world import HTML, codes

from crawler.pages.bucket import parse_bucket
from crawler.pages.links import parse_links
from wheels.page import Page, Shape

URL = "https://bucket.s3.test/?list-type=2&prefix=whl/&delimiter=/"
XML = "application/xml"
WHEEL = "demo-1.0+cu130-cp312-cp312-linux_x86_64.whl"
NAMESPACE = ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'


def entry(key: str, *, size: object = 535601072, modified: str = "2026-02-27T01:02:03.000Z") -> str:
    etag = "&quot;d41d8cd98f00b204e9800998ecf8427e&quot;"
    return (
        f"<Contents><Key>{key}</Key><LastModified>{modified}</LastModified><ETag>{etag}</ETag><Size>{size}</Size>"
        "<Owner><ID>7</ID></Owner><StorageClass>STANDARD</StorageClass></Contents>"
    )


def listing(*parts: str, head: str = "<IsTruncated>false</IsTruncated>", namespace: str = NAMESPACE) -> str:
    declared = '<?xml version="1.0" encoding="UTF-8"?>\n'
    inside = "".join(parts)
    return (
        f"{declared}<ListBucketResult{namespace}><Name>b</Name><Prefix>whl/</Prefix>{head}{inside}</ListBucketResult>"
    )


def bucket(text: str, url: str = URL, media_type: str = XML) -> Page:
    return parse_links(text.encode(), media_type, url)


@pytest.mark.parametrize("media_type", [XML, "text/xml; charset=utf-8", ""])
@pytest.mark.parametrize("namespace", [NAMESPACE, ""])
def test_files_have_exact_sizes_and_times_and_no_digest(media_type: str, namespace: str) -> None:
    page = bucket(listing(entry(f"whl/cu130/{WHEEL}"), namespace=namespace), media_type=media_type)
    (asset,) = page.assets
    assert (page.kind, page.shape, page.next_url) == ("links", Shape.OK, None)
    assert asset.url == "https://bucket.s3.test/whl/cu130/demo-1.0%2Bcu130-cp312-cp312-linux_x86_64.whl"
    assert (asset.filename, asset.size, asset.uploaded_at) == (WHEEL, 535601072, "2026-02-27T01:02:03Z")
    assert asset.hashes == ()


def test_a_bucket_in_the_path_stays_there() -> None:
    page = bucket(listing(entry(WHEEL)), url="https://storage.test/bucket?prefix=x")
    assert page.assets[0].url == "https://storage.test/bucket/demo-1.0%2Bcu130-cp312-cp312-linux_x86_64.whl"


def test_keys_as_in_a_form_are_decoded_once() -> None:
    head = "<EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>"
    page = bucket(listing(entry("a+b/demo-1.0%2Bcu130-py3-none-any.whl"), head=head))
    assert page.assets[0].filename == "demo-1.0+cu130-py3-none-any.whl"
    assert page.assets[0].url.endswith("/a%20b/demo-1.0%2Bcu130-py3-none-any.whl")


def test_directories_are_ways() -> None:
    page = bucket(listing("<CommonPrefixes><Prefix>whl/cu130/</Prefix></CommonPrefixes>"))
    assert page.links == ("https://bucket.s3.test/?list-type=2&prefix=whl%2Fcu130%2F&delimiter=%2F",)
    assert page.shape is Shape.OK


@pytest.mark.parametrize(
    ("head", "following"),
    [
        ("<NextContinuationToken>1a+/=</NextContinuationToken>", f"{URL}&continuation-token=1a%2B%2F%3D"),
        ("<NextMarker>whl/x</NextMarker>", f"{URL}&marker=whl%2Fx"),
        ("", f"{URL}&marker=whl%2Fdemo.whl"),
    ],
    ids=["version 2", "version 1 with a marker", "version 1, last key"],
)
def test_a_listing_that_is_cut_goes_on(head: str, following: str) -> None:
    page = bucket(listing(entry("whl/demo.whl"), head=f"<IsTruncated>true</IsTruncated>{head}"))
    assert page.shape is Shape.OK
    assert page.next_url == following.replace("whl/&", "whl%2F&").replace("=/&", "=%2F&")


def test_a_listing_that_does_not_say_how_it_goes_on_is_not_whole() -> None:
    page = bucket(listing(head="<IsTruncated>true</IsTruncated>"))
    assert (page.shape, page.next_url) == (Shape.PARTIAL, None)


def test_the_next_page_of_a_next_page_forgets_the_old_token() -> None:
    head = "<IsTruncated>true</IsTruncated><NextContinuationToken>new</NextContinuationToken>"
    page = bucket(listing(entry("whl/x.whl"), head=head), url=f"{URL}&continuation-token=old")
    assert page.next_url is not None
    assert "old" not in page.next_url


def test_a_body_that_ends_too_early_proves_what_came_before() -> None:
    page = bucket(listing(entry("a.whl"), entry("b.whl"))[:-60])
    assert page.shape is Shape.PARTIAL
    assert [asset.filename for asset in page.assets] == ["a.whl"]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        (listing(), Shape.EMPTY),
        (listing(entry("whl/"), entry("whl/index.html")), Shape.EMPTY),
        ("<Error><Code>AccessDenied</Code></Error>", Shape.BROKEN),
        ("<html><a href='x.whl'>x</a></html>", Shape.BROKEN),
        ("", Shape.BROKEN),
        ('<!DOCTYPE x [<!ENTITY a "b">]><ListBucketResult>&a;</ListBucketResult>', Shape.BROKEN),
        ("<ListBucketResult>" * 100_000, Shape.PARTIAL),
    ],
)
def test_verdicts(text: str, shape: Shape) -> None:
    assert bucket(text).shape is shape


@pytest.mark.parametrize("size", ["-1", "12K", "9" * 5_000, "1.5", "²"])
def test_a_size_that_is_none(size: str) -> None:
    page = bucket(listing(entry("a.whl", size=size, modified="yesterday")))
    assert (page.assets[0].size, page.assets[0].uploaded_at) == (None, None)
    assert codes(page) == ["bad-size"]


def test_xml_by_its_name_only_where_nothing_else_is_said() -> None:
    assert bucket(listing(entry("a.whl")), media_type=HTML).assets == ()


@given(st.text(max_size=80))
def test_no_text_raises(text: str) -> None:
    for each in (text, listing(text), listing(entry(text)), listing(entry("a.whl"))[: len(text) * 7]):
        assert parse_bucket(each, URL).kind == "links"
