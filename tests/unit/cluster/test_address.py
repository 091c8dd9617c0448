"""Addresses of Redis.

Partitions: each part of a URL is present or missing; invalid URLs are refused; no password is ever printed.
"""

from __future__ import annotations

import pytest

from scramble.cluster.address import BadAddress, RedisAddress, parse_address


@pytest.mark.parametrize(
    ("url", "address", "text"),
    [
        ("redis://localhost", RedisAddress("localhost"), "redis://localhost:6379/0"),
        ("valkey://localhost/", RedisAddress("localhost"), "redis://localhost:6379/0"),
        ("redis://10.0.0.7:6380/3", RedisAddress("10.0.0.7", 6380, 3), "redis://10.0.0.7:6380/3"),
        ("redis://[::1]:6380", RedisAddress("::1", 6380), "redis://[::1]:6380/0"),
        ("redis://:secret@h", RedisAddress("h", password="secret"), "redis://h:6379/0"),
        ("redis://ann:s%40c%23t@h", RedisAddress("h", user="ann", password="s@c#t"), "redis://h:6379/0"),
        ("rediss://h", RedisAddress("h", tls=True), "rediss://h:6379/0"),
        ("valkeys://h?cafile=/a/b.pem", RedisAddress("h", tls=True, cafile="/a/b.pem"), "rediss://h:6379/0"),
    ],
)
def test_a_url_names_an_address_whose_text_has_no_user_and_no_password(
    url: str, address: RedisAddress, text: str
) -> None:
    assert parse_address(url) == address
    assert str(address) == text
    assert repr(address) == f"<{text}>"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("localhost:6379", "begins with redis://"),
        ("http://:secret@localhost", "begins with redis://"),
        ("redis://", "has no host"),
        ("redis://:secret@", "has no host"),
        ("redis://:secret@h:port", "no URL"),
        ("redis://:secret@h:99999", "no URL"),
        ("redis://[::1", "no URL"),
        ("redis://h/one", "the number of its database"),
        ("redis://h/0/room", "the number of its database"),
        ("redis://:secret@h/0#x", "write it as %23"),
        ("redis://ann@h", "a user and no password"),
        ("redis://h?cafile=/a", "for rediss://"),
        ("rediss://h?timeout=secret", "an option 'timeout'"),
        ("rediss://h?secret", "no URL"),
    ],
)
def test_an_invalid_address_is_refused_without_repeating_it(url: str, words: str) -> None:
    with pytest.raises(BadAddress, match=words) as refused:
        parse_address(url)
    assert "secret" not in str(refused.value)


def test_certificates_that_cannot_be_read_are_named() -> None:
    with pytest.raises(BadAddress, match=r"the certificates in /nowhere\.pem cannot be used: No such file"):
        parse_address("rediss://h?cafile=/nowhere.pem").tls_context()
    with pytest.raises(BadAddress, match="there are none"):
        parse_address(f"rediss://h?cafile={__file__}").tls_context()
    assert parse_address("redis://h").tls_context() is None
