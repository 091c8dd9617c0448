"""The link to Redis, on a real server.

Partitions:
- calls: answered; refused; cancelled in mid-call; cut; made without a connection
- messages: one; many of one round; for several listeners; without a listener; after a reconnection, on one channel and
  on several
- faults: a cut connection; Redis is killed and restarts; Redis hangs; Redis has forgotten a script
- heartbeats: the process is alive; it has ended; Redis pauses; the process connects again
"""

from __future__ import annotations

import math
import re
import ssl
from contextlib import AsyncExitStack, suppress
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.lowlevel
import trio.testing

from scramble.cluster.address import parse_address
from scramble.cluster.connection import open_connection
from scramble.cluster.link import CannotLink, RedisLink, open_link
from scramble.cluster.protocol import LinkLost, ProcessName, RedisRefused, RedisValue
from tests.support.certificates import make_certificate
from tests.support.cluster.proxy import Proxy
from tests.support.cluster.redis import RedisServer, free_port, needs_redis
from tests.unit.cluster.conftest import Heartbeats

pytestmark = needs_redis

ADD = "return redis.call('INCRBY', KEYS[1], ARGV[1])"


# --- calls ---


async def test_answers_of_many_tasks_are_their_own(link: RedisLink) -> None:
    answers: dict[int, RedisValue] = {}

    async def echo(number: int) -> None:
        answers[number] = await link.call("ECHO", str(number))

    async with trio.open_nursery() as nursery:
        for number in range(300):
            nursery.start_soon(echo, number)
    assert answers == {number: str(number).encode() for number in range(300)}


async def test_answers_stay_in_order_when_callers_are_cancelled_in_mid_call(link: RedisLink, proxy: Proxy) -> None:
    answers: dict[int, RedisValue] = {}
    scopes = [trio.CancelScope() for _ in range(50)]

    async def echo(number: int) -> None:
        with scopes[number]:
            answers[number] = await link.call("ECHO", str(number))

    proxy.answers.stall()
    async with trio.open_nursery() as nursery:
        for number in range(50):
            nursery.start_soon(echo, number)
        await trio.testing.wait_all_tasks_blocked(0.01)
        for scope in scopes[::3]:
            scope.cancel()
        proxy.answers.resume()
    assert answers == {number: str(number).encode() for number in range(50) if number % 3}
    assert await link.call("ECHO", "after") == b"after"


async def test_a_call_that_is_cancelled_before_it_begins_is_not_sent(link: RedisLink) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        await link.call("SET", "name", "value")
    assert await link.call("GET", "name") is None


async def test_a_refusal_has_the_line_of_redis_and_harms_no_other_call(link: RedisLink) -> None:
    await link.call("SET", "text", "no list")
    with pytest.raises(RedisRefused, match="WRONGTYPE") as refused:
        await link.call("LPUSH", "text", "more")
    assert refused.value.kind == "WRONGTYPE"
    assert await link.call("GET", "text") == b"no list"


async def test_a_cut_connection_raises_link_lost_in_all_calls_and_the_link_comes_back(
    link: RedisLink, proxy: Proxy
) -> None:
    lost = 0

    async def call() -> None:
        nonlocal lost
        with pytest.raises(LinkLost):
            await link.call("PING")
        lost += 1

    proxy.answers.stall()
    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(call)
        await trio.testing.wait_all_tasks_blocked(0.01)
        proxy.cut()
        proxy.resume()
    assert lost == 20
    assert await link.call("PING") == b"PONG"
    assert link.is_up


async def test_calls_wait_while_there_is_no_connection(link: RedisLink, proxy: Proxy) -> None:
    proxy.cut(refuse=True)
    await link.until_lost()
    assert not link.is_up
    await link.until_lost()  # returns at once: there is no connection
    answers: list[RedisValue] = []

    async def call() -> None:
        answers.append(await link.call("PING"))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(call)
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert not answers
        proxy.resume()
    assert answers == [b"PONG"]


async def test_a_large_value_crosses_whole(link: RedisLink) -> None:
    value = bytes(range(256)) * 20_000
    await link.call("SET", "large", value)
    assert await link.call("GET", "large") == value


@pytest.mark.usefixtures("quick_heartbeats")
async def test_the_connection_to_a_silent_redis_is_given_up_and_opened_again(
    link: RedisLink, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scramble.cluster.link.SILENT_S", 0.5)
    proxy.stall()
    with pytest.raises(LinkLost, match="silent"):
        await link.call("PING")
    proxy.resume()
    assert await link.call("PING") == b"PONG"


# --- scripts ---


async def test_a_script_runs_whether_redis_knows_it_or_not(link: RedisLink) -> None:
    assert await link.run(ADD, ["count"], [2]) == 2
    assert await link.run(ADD, ["count"], [2]) == 4
    await link.call("SCRIPT", "FLUSH")
    assert await link.run(ADD, ["count"], [2]) == 6


# --- messages ---


class Hearing:
    """The messages from a channel, in order."""

    def __init__(self) -> None:
        self.hear, self._heard = trio.open_memory_channel[bytes](math.inf)

    async def next(self, count: int) -> list[bytes]:
        return [await self._heard.receive() for _ in range(count)]


async def published(link: RedisLink) -> int:
    """Return the number of PUBLISH commands that Redis has executed."""
    info = await link.call("INFO", "commandstats")
    assert isinstance(info, bytes)
    found = re.search(rb"cmdstat_publish:calls=([0-9]+)", info)
    return int(found[1]) if found else 0


async def test_messages_of_a_round_travel_together_and_are_heard_one_by_one(link: RedisLink, other: RedisLink) -> None:
    hearing = Hearing()
    async with other.listen("channel", hearing.hear.send_nowait):
        before = await published(link)
        for number in range(100):
            link.publish("channel", b"%d" % number)
        assert await hearing.next(100) == [b"%d" % number for number in range(100)]
        assert await published(link) == before + 1


async def test_all_who_listen_hear_until_they_leave(link: RedisLink, other: RedisLink) -> None:
    own, first, second = Hearing(), Hearing(), Hearing()
    async with link.listen("channel", own.hear.send_nowait), other.listen("channel", first.hear.send_nowait):
        async with other.listen("channel", second.hear.send_nowait):
            link.publish("channel", b"to three")
            assert [await hearing.next(1) for hearing in (own, first, second)] == [[b"to three"]] * 3
        link.publish("channel", b"to two")
        assert [await hearing.next(1) for hearing in (own, first)] == [[b"to two"]] * 2
    second.hear.close()
    with pytest.raises(trio.EndOfChannel):
        await second.next(1)


async def test_a_publisher_learns_that_nobody_heard(link: RedisLink, other: RedisLink) -> None:
    unheard = trio.Event()
    hearing = Hearing()
    async with other.listen("channel", hearing.hear.send_nowait):
        link.publish("channel", b"heard", lambda: pytest.fail("somebody listens"))
        await hearing.next(1)
    await other.call("PING")  # answered after the UNSUBSCRIBE of the same link
    link.publish("channel", b"for nobody", unheard.set)
    await unheard.wait()


async def test_published_messages_are_not_answered_and_calls_get_their_own_answers(link: RedisLink) -> None:
    async with open_connection(link.address, None, lambda channel, messages: None, name="quiet") as connection:
        for number in range(10):
            connection.publish("channel", b"")
            await trio.testing.wait_all_tasks_blocked()  # the message has been sent
            assert await connection.call("ECHO", number) == b"%d" % number
            connection.publish("channel", b"")
            await trio.testing.wait_all_tasks_blocked()
            with pytest.raises(RedisRefused, match="NOSCRIPT"):
                await connection.call("EVALSHA", "0" * 40, 0)


async def test_if_redis_must_answer_every_message_no_call_gets_a_wrong_answer(
    link: RedisLink, redis: RedisServer
) -> None:
    await link.call("ACL", "SETUSER", "answered", "reset", "on", ">secret", "+@all", "-client|reply", "~*", "&*")
    address = parse_address(redis.url.replace("//", "//answered:secret@"))
    async with open_connection(address, None, lambda channel, messages: None, name="answered") as connection:
        connection.publish("channel", b"")
        await trio.testing.wait_all_tasks_blocked()  # the message has been sent
        with pytest.raises(LinkLost, match="client"):
            await connection.call("ECHO", "answer")
    await link.call("ACL", "DELUSER", "answered")


async def test_who_listens_hears_again_after_the_connection_broke(
    link: RedisLink, other: RedisLink, proxy: Proxy
) -> None:
    hearing, left = Hearing(), Hearing()
    async with link.listen("channel", hearing.hear.send_nowait):
        async with link.listen("left", left.hear.send_nowait):
            proxy.cut()
            await link.until_lost()
        await link.call("PING")
        unheard = trio.Event()
        other.publish("left", b"", unheard.set)
        other.publish("channel", b"again")
        assert await hearing.next(1) == [b"again"]
        await unheard.wait()


async def test_a_process_hears_on_all_its_channels_again_after_the_connection_broke(
    link: RedisLink, other: RedisLink, proxy: Proxy
) -> None:
    hearing, channels = Hearing(), ("first", "second", "third")
    async with AsyncExitStack() as listening:
        for channel in channels:
            await listening.enter_async_context(link.listen(channel, hearing.hear.send_nowait))
        proxy.cut()
        await link.until_lost()
        await link.call("PING")
        for channel in channels:
            other.publish(channel, channel.encode(), partial(pytest.fail, f"no process listens on {channel}"))
        assert await hearing.next(3) == [b"first", b"second", b"third"]


async def test_listening_begins_once_there_is_a_connection(link: RedisLink, other: RedisLink, proxy: Proxy) -> None:
    proxy.cut(refuse=True)
    await link.until_lost()
    hearing = Hearing()

    async def hear() -> None:
        async with link.listen("channel", hearing.hear.send_nowait):
            other.publish("channel", b"first")
            assert await hearing.next(1) == [b"first"]

    async with trio.open_nursery() as nursery:
        nursery.start_soon(hear)
        await trio.testing.wait_all_tasks_blocked(0.01)
        proxy.resume()


async def test_what_other_programs_publish_is_ignored(link: RedisLink) -> None:
    hearing = Hearing()
    async with link.listen("channel", hearing.hear.send_nowait):
        for foreign in (b"", b"text", b"\xc1", b"\x91\x01"):
            await link.call("PUBLISH", "channel", foreign)
        link.publish("channel", b"ours")
        assert await hearing.next(1) == [b"ours"]


# --- heartbeats ---


@pytest.mark.usefixtures("quick_heartbeats")
async def test_a_process_lives_until_its_link_ends(link: RedisLink, redis: RedisServer) -> None:
    async with open_link(parse_address(redis.url)) as leaving:
        assert await link.lives(leaving.process)
        assert await link.lives(link.process)
    assert not await link.lives(leaving.process)
    await link.until_dead(leaving.process)
    assert not await link.lives(ProcessName("nobody"))


@pytest.mark.usefixtures("quick_heartbeats")
async def test_a_process_that_is_cut_off_counts_as_dead(link: RedisLink, other: RedisLink, proxy: Proxy) -> None:
    proxy.stall()
    await other.until_dead(link.process)
    assert not link.is_up


async def test_a_process_whose_connection_is_gone_counts_as_dead_before_its_sign_of_life_lapses(
    quick_heartbeats: Heartbeats, link: RedisLink, other: RedisLink, proxy: Proxy
) -> None:
    await trio.sleep(quick_heartbeats.alive_s)  # a connection that has just begun declares no process dead
    proxy.cut(refuse=True)
    await other.call("SET", other.names.alive(link.process), 1, "PX", 600_000)
    await other.until_dead(link.process)  # before Redis has noticed the cut, the process lives
    assert not await other.lives(link.process)
    proxy.resume()
    await link.call("PING")
    assert await other.lives(link.process)


async def test_a_process_that_connects_again_lives(
    quick_heartbeats: Heartbeats, link: RedisLink, other: RedisLink, proxy: Proxy
) -> None:
    await trio.sleep(quick_heartbeats.alive_s)
    proxy.cut()
    await link.until_lost()
    assert await other.lives(link.process)


async def test_nobody_counts_as_dead_because_redis_stood_still(tmp_path: Path, quick_heartbeats: Heartbeats) -> None:
    """All heartbeats have expired. Each process sends another heartbeat before it can count as dead."""
    alive_s, beat_s = quick_heartbeats
    have_lived = False
    with RedisServer(tmp_path) as redis:
        async with open_link(parse_address(redis.url)) as one, open_link(parse_address(redis.url)) as two:
            with trio.move_on_after(2 * alive_s + 2 * beat_s) as watching:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(one.until_dead, two.process)
                    nursery.start_soon(two.until_dead, one.process)
                    redis.pause()
                    await trio.sleep(alive_s + beat_s / 2)
                    redis.resume()
                    assert await one.lives(two.process)
                    assert await two.lives(one.process)
                    have_lived = True
            assert have_lived
            assert watching.cancelled_caught


async def test_nobody_counts_as_dead_because_redis_was_away(tmp_path: Path) -> None:
    with RedisServer(tmp_path) as redis:
        async with open_link(parse_address(redis.url)) as one, open_link(parse_address(redis.url)) as two:
            redis.kill()
            await one.until_lost()
            await two.until_lost()
            redis.start()
            assert await one.lives(two.process)
            assert await two.lives(one.process)
            await one.run(ADD, ["count"], [1])


# --- the start ---


async def test_without_a_redis_the_link_says_so_at_once() -> None:
    with pytest.raises(CannotLink, match=r"nothing answers at redis://127\.0\.0\.1:\d+/0: .*refused"):
        async with open_link(parse_address(f"redis://127.0.0.1:{free_port()}")):
            pass


async def test_a_server_that_is_no_redis_is_refused() -> None:
    async def greet(stream: trio.SocketStream) -> None:
        await stream.send_all(b"220 mail.example ESMTP\r\n")
        await stream.receive_some(1)

    async with trio.open_nursery() as nursery:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, greet, [listener])
        with pytest.raises(CannotLink, match="does not speak its protocol"):
            async with open_link(parse_address(f"redis://127.0.0.1:{listener.socket.getsockname()[1]}")):
                pass
        nursery.cancel_scope.cancel()


async def test_a_wrong_password_is_refused_and_no_password_is_printed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with RedisServer(tmp_path, {"requirepass": "right-one"}, user=":wrong-one@") as redis:
        with pytest.raises(CannotLink, match="knows no such user with this password") as refused:
            async with open_link(parse_address(redis.url)):
                pass
        assert "-one" not in f"{refused.value} {refused.value.args} {caplog.text}"
        right = parse_address(redis.url.replace("wrong", "right"))
        assert "-one" not in f"{right} {right!r}"
        async with open_link(right) as link:
            assert await link.call("PING") == b"PONG"
            assert "-one" not in repr(vars(link))
        with pytest.raises(CannotLink, match="wants a password"):
            async with open_link(parse_address(redis.url.replace(":wrong-one@", ""))):
                pass


async def test_a_server_that_repeats_unknown_commands_gives_no_password_away() -> None:
    async def repeat(stream: trio.SocketStream) -> None:
        await stream.send_all(b"-ERR unknown command `HELLO`, with args: `3`, `AUTH`, `default`, `secret`\r\n")
        await stream.receive_some(1)

    async with trio.open_nursery() as nursery:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, repeat, [listener])
        with pytest.raises(CannotLink) as refused:
            async with open_link(parse_address(f"redis://:secret@127.0.0.1:{listener.socket.getsockname()[1]}")):
                pass
        assert "secret" not in str(refused.value)
        nursery.cancel_scope.cancel()


async def test_with_tls_the_server_must_show_a_certificate_that_is_trusted(redis: RedisServer, tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate.certfile, certificate.keyfile)

    async def terminate(client: trio.SSLStream[trio.SocketStream]) -> None:
        """Terminate TLS before Redis."""
        with suppress(trio.BrokenResourceError):
            async with await trio.open_tcp_stream("127.0.0.1", redis.port) as server, trio.open_nursery() as both:
                both.start_soon(copy, client, server, both.cancel_scope)
                both.start_soon(copy, server, client, both.cancel_scope)

    async def copy(source: trio.abc.Stream, sink: trio.abc.Stream, both: trio.CancelScope) -> None:
        with suppress(trio.BrokenResourceError):
            while data := await source.receive_some():
                await sink.send_all(data)
        both.cancel()

    async with trio.open_nursery() as nursery:
        (listener,) = await trio.open_ssl_over_tcp_listeners(0, context, host="127.0.0.1", https_compatible=True)
        assert isinstance(listener.transport_listener, trio.SocketListener)
        port = listener.transport_listener.socket.getsockname()[1]
        nursery.start_soon(trio.serve_listeners, terminate, [listener])
        async with open_link(parse_address(f"rediss://127.0.0.1:{port}?cafile={certificate.authority}")) as link:
            assert await link.call("SET", "name", "value") == b"OK"
            large = bytes(1_000_000)
            assert await link.call("ECHO", large) == large
        with pytest.raises(CannotLink, match=r"the certificate of rediss://127\.0\.0\.1:\d+/0 is not trusted: unable"):
            async with open_link(parse_address(f"rediss://127.0.0.1:{port}")):
                pass
        nursery.cancel_scope.cancel()
