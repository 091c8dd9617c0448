"""Requests that the middleware rejects and accepts, over real sockets.

Partitions:
- origin: no allowed origin set, the right one, another, "null", none sent; one or two allowed; spelling of an origin:
  cases, default ports, a path, not an origin
- origin, with seats: the server's own, by Host and scheme, of the request or of a proxy; another port, a sibling host
- host: an address, a name of the server, another name, an invalid name, none sent; a request, a body, a WebSocket
- rate: within the limit, beyond it; a request, a WebSocket; after an answer to wait; another address, behind a proxy
- bodies: none, empty, whole; too long by the announced length, by the chunks; an invalid length; too slow;
  half a body, then a disconnect
- forwarding: by no, one or several proxies; IPv4, IPv6, with ports; scheme; no proxy set; number of connections from
  one address
"""

from __future__ import annotations

import pytest
from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, Scope

from scramble.server.protection.hosts import parse_origin
from scramble.server.protection.limits import ServerLimits
from tests.support.asking import UPGRADE, Asked, asked, lifespan, status, until, words

NAMED = ("play.example.org",)
EMPTY = ServerLimits(requests_per_s=0.001, requests=1)


# --- origin ---


@pytest.mark.parametrize("origin", ["https://play.example.org", "http://192.168.1.5:8080"])
async def test_a_page_of_an_allowed_origin_may_open_the_websocket(origin: str) -> None:
    async with asked(origins=("https://play.example.org", "http://192.168.1.5:8080")) as server:
        assert status(await server.upgrade(f"Origin: {origin}")) == 101


@pytest.mark.parametrize(
    "origin", ["https://evil.example.org", "http://play.example.org", "https://play.example.org:444", "null"]
)
async def test_a_page_of_another_origin_is_refused_with_403_in_words(origin: str) -> None:
    async with asked(origins=("https://play.example.org",)) as server:
        answer = await server.upgrade(f"Origin: {origin}")
        assert status(answer) == 403
        assert words(answer) == (
            f"pages from {origin} may not play here: this server takes WebSockets from https://play.example.org only"
        )


async def test_with_an_origin_given_and_no_seats_it_is_the_only_one() -> None:
    async with asked(origins=("https://play.example.org",)) as server:
        assert status(await server.upgrade("Origin: http://localhost")) == 403


async def test_a_client_that_is_no_page_may_open_the_websocket_whatever_the_origins() -> None:
    async with asked(origins=("https://play.example.org",)) as server:
        assert status(await server.upgrade()) == 101


async def test_without_an_origin_given_pages_from_everywhere_may_open_the_websocket() -> None:
    async with asked() as server:
        assert status(await server.upgrade("Origin: https://evil.example.org")) == 101


@pytest.mark.parametrize(
    ("host", "origin", "proxied"),
    [
        ("localhost:8080", "http://localhost:8080", None),
        ("Play.Example.org", "http://play.example.org", None),
        ("play.example.org:80", "http://play.example.org", None),
        ("[::1]:8080", "http://[::1]:8080", None),
        ("play.example.org", "https://play.example.org", "https"),
        ("play.example.org:443", "https://play.example.org", "https"),
        ("play.example.org", "https://play.example.org", "wss"),  # some proxies send this scheme for a WebSocket
        ("play.example.org", "http://play.example.org", "ws"),
        ("localhost:8080", "https://named.example", None),
    ],
)
async def test_with_seats_the_servers_own_page_may_open_the_websocket_and_so_may_those_named(
    host: str, origin: str, proxied: str | None
) -> None:
    headers = [f"Origin: {origin}", *([f"X-Forwarded-Proto: {proxied}"] if proxied else [])]
    async with asked(
        origins=("https://named.example",), host_names=NAMED, seats=True, behind_proxy=proxied is not None
    ) as server:
        assert status(await server.upgrade(*headers, host=host)) == 101


@pytest.mark.parametrize(
    ("host", "origin", "proxied"),
    [
        ("localhost:8080", "http://localhost:9090", None),
        ("localhost:8080", "https://localhost:8080", None),
        ("localhost:8080", "http://localhost", None),
        ("localhost", "http://localhost:8080", None),
        ("play.example.org", "http://blog.example.org", None),
        ("play.example.org", "http://example.org", None),
        ("localhost:8080", "null", None),
        ("localhost:8080", "http://localhost:8080.evil.example", None),
        ("play.example.org", "http://play.example.org", "https"),
        ("127.0.0.1:8080", "https://play.example.org", "https"),  # a proxy that does not forward Host
    ],
)
async def test_with_seats_a_page_from_elsewhere_is_refused_with_403_in_words(
    host: str, origin: str, proxied: str | None
) -> None:
    headers = [f"Origin: {origin}", *([f"X-Forwarded-Proto: {proxied}"] if proxied else [])]
    async with asked(host_names=NAMED, seats=True, behind_proxy=proxied is not None) as server:
        answer = await server.upgrade(*headers, host=host)
        assert status(answer) == 403
        own = f"{proxied or 'http'}://{host}"
        assert words(answer) == f"pages from {origin} may not play here: this server takes WebSockets from {own} only"


async def test_with_seats_all_who_may_are_told_to_who_may_not() -> None:
    async with asked(origins=("https://named.example",), seats=True) as server:
        told = words(await server.upgrade("Origin: https://evil.example"))
        assert told.endswith("takes WebSockets from http://localhost and https://named.example only")


async def test_with_seats_a_program_which_says_no_origin_may_open_the_websocket() -> None:
    async with asked(seats=True) as server:
        assert status(await server.upgrade()) == 101


async def test_with_seats_nobody_is_believed_how_the_server_is_asked_unless_it_is_behind_a_proxy() -> None:
    async with asked(seats=True) as server:
        headers = ("Origin: https://localhost", "X-Forwarded-Proto: https")
        assert status(await server.upgrade(*headers)) == 403


async def test_a_plain_request_is_answered_whatever_its_origin() -> None:
    async with asked(origins=("https://play.example.org",)) as server:
        assert status(await server.ask("Origin: https://evil.example.org")) == 200


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("https://Play.Example.org", "https://play.example.org"),
        ("https://play.example.org/", "https://play.example.org"),
        ("https://play.example.org:443", "https://play.example.org"),
        ("http://localhost:80", "http://localhost"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
    ],
)
def test_an_origin_is_written_as_browsers_write_it(text: str, origin: str) -> None:
    assert parse_origin(text) == origin


@pytest.mark.parametrize(
    "text",
    [
        "",
        "*",
        "play.example.org",
        "ftp://a.example",
        "https://",
        "https://a/b",
        "https://a?b",
        "https://a@b",
        "http://a:b",
        "https://" + "\u00e9" * 300,
    ],
)
def test_what_is_no_origin_is_told_so(text: str) -> None:
    with pytest.raises(ValueError, match="is not an origin such as"):
        parse_origin(text)


# --- host ---


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:80", "not/a/host"])
async def test_what_is_asked_for_by_a_foreign_host_name_is_refused_with_421_in_words(host: str) -> None:
    async with asked(host_names=NAMED, seats=True) as server:
        for answer in (
            await server.upgrade(host=host),
            await server.exchange(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"),
            await server.exchange(f"POST /x HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n\r\n"),
        ):
            assert status(answer) == 421
            assert words(answer).startswith(f"this is not for pages of {host}: ask by an address")
            assert "--host-name" in words(answer)


@pytest.mark.parametrize("host", ["play.example.org", "127.0.0.1:8080", "192.168.1.5", "localhost", ""])
async def test_what_is_asked_for_by_an_address_or_a_name_of_the_server_is_answered(host: str) -> None:
    async with asked(host_names=NAMED) as server:
        answer = await server.exchange(f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
        assert status(answer) == 200
        assert status(await server.exchange("GET / HTTP/1.0\r\n\r\n")) == 200


# --- rate ---


async def test_who_asks_too_fast_is_told_when_to_try_again() -> None:
    async with asked(ServerLimits(requests_per_s=0.001, requests=2)) as server:
        assert [status(await server.ask()), status(await server.ask())] == [200, 200]
        answer = await server.ask()
        assert status(answer) == 429
        (seconds,) = [line.split()[1] for line in answer.lower().split("\r\n") if line.startswith("retry-after: ")]
        assert 0 < int(seconds) <= 1000
        assert words(answer) == f"too many requests from your address: try again in {seconds} s"


async def test_a_connection_goes_on_after_a_request_that_came_too_fast() -> None:
    async with asked(EMPTY) as server, await server.connect() as stream:
        for expected in ("HTTP/1.1 200 ", "HTTP/1.1 429 ", "HTTP/1.1 429 "):
            await stream.send_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert (await until(stream, b"\r\n\r\n")).startswith(expected)


async def test_the_handshake_of_a_websocket_is_a_request_too() -> None:
    async with asked(EMPTY) as server:
        assert status(await server.ask()) == 200
        answer = await server.upgrade()
        assert status(answer) == 429
        assert words(answer).startswith("too many requests from your address")


async def test_a_page_from_elsewhere_can_read_why_it_is_refused() -> None:
    async with asked(EMPTY) as server:
        await server.ask()
        assert "\r\naccess-control-allow-origin: *\r\n" in await server.ask("Origin: https://elsewhere.example")


# --- bodies ---


@pytest.mark.parametrize(
    ("headers", "body", "size"),
    [
        (["Content-Length: 0"], "", 0),
        (["Content-Length: 5"], "12345", 5),
        (["Transfer-Encoding: chunked"], "2\r\n12\r\n3\r\n345\r\n0\r\n\r\n", 5),
        (["Content-Length: 10"], "1234567890", 10),
    ],
)
async def test_a_body_within_the_limit_is_handed_on_whole(headers: list[str], body: str, size: int) -> None:
    async with asked(ServerLimits(body_bytes=10)) as server:
        answer = await server.ask(*headers, method="POST", body=body)
        assert answer.endswith(f" http {size}")


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (["Content-Length: 11"], ""),
        (["Content-Length: 11"], "12345678901"),
        (["Content-Length: 99999999999999999999"], "1"),
        (["Transfer-Encoding: chunked"], "6\r\n123456\r\n5\r\n78901\r\n"),
    ],
)
async def test_a_body_that_is_too_long_is_refused_with_413_before_all_of_it_has_come(
    headers: list[str], body: str
) -> None:
    async with asked(ServerLimits(body_bytes=10)) as server:
        answer = await server.ask(*headers, method="POST", body=body)
        assert status(answer) == 413
        assert words(answer) == "the request's body is too long: 10 bytes at most, and none is needed"


async def test_a_body_that_takes_too_long_is_refused_with_408() -> None:
    async with asked(ServerLimits(request_s=0.05)) as server:
        answer = await server.ask("Content-Length: 5", method="POST", body="1234")
        assert status(answer) == 408
        assert words(answer) == "the request's body took too long to come"


async def test_a_client_that_goes_within_a_body_costs_nothing_but_its_connection() -> None:
    async with asked() as server:
        request = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n1234"
        assert "HTTP/1.1 200" not in await server.exchange(request, half_close=True)
        assert status(await server.ask()) == 200


# --- behind a proxy ---


async def client_of(server: Asked, *headers: str) -> list[str]:
    return (await server.ask(*headers)).partition("\r\n\r\n")[2].split()[:2]


@pytest.mark.parametrize(
    ("header", "client"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("203.0.113.9, 192.0.2.7", "192.0.2.7"),
        ("192.0.2.7:4711", "192.0.2.7"),
        ("2001:db8::7", "2001:db8::7"),
        ("[2001:db8::7]:4711", "2001:db8::7"),
    ],
)
async def test_the_nearest_proxy_tells_who_the_client_is_and_those_before_it_are_not_believed(
    header: str, client: str
) -> None:
    async with asked(behind_proxy=True) as server:
        assert await client_of(server, f"X-Forwarded-For: {header}", "X-Forwarded-Proto: https") == [client, "https"]


async def test_without_a_word_of_the_proxy_it_is_the_client_itself() -> None:
    async with asked(behind_proxy=True) as server:
        assert await client_of(server) == ["127.0.0.1", "http"]


async def test_without_a_proxy_nobody_is_believed() -> None:
    async with asked() as server:
        headers = ("X-Forwarded-For: 192.0.2.7", "X-Forwarded-Proto: https")
        assert await client_of(server, *headers) == ["127.0.0.1", "http"]


async def test_behind_a_proxy_each_client_has_a_pace_of_its_own() -> None:
    async with asked(EMPTY, behind_proxy=True) as server:
        answers = [await server.ask(f"X-Forwarded-For: 192.0.2.{n}") for n in (1, 2, 1)]
        assert [*map(status, answers)] == [200, 200, 429]


async def test_behind_a_proxy_an_address_has_so_many_websockets_and_requests_at_once() -> None:
    limits = ServerLimits(connections_by_address=1)
    async with asked(limits, behind_proxy=True) as server, await server.connect() as stream:
        mine, others = "X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: 192.0.2.2"
        await stream.send_all(f"GET / HTTP/1.1\r\nHost: localhost\r\n{UPGRADE}{mine}\r\n\r\n".encode())
        assert (await until(stream, b"\r\n\r\n")).startswith("HTTP/1.1 101 ")
        assert status(await server.ask(others)) == 200
        answer = await server.ask(mine)
        assert status(answer) == 503
        assert words(answer) == "this server takes no more connections from your address"


async def test_a_request_that_fails_of_a_bug_takes_no_place_for_ever() -> None:
    async def fails(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        if scope["type"] == "lifespan":
            return await lifespan(receive, send)
        raise ZeroDivisionError("a bug")

    async with asked(ServerLimits(connections_by_address=1), app=fails, behind_proxy=True) as server:
        for _ in range(3):
            assert status(await server.ask("X-Forwarded-For: 192.0.2.7")) == 500
