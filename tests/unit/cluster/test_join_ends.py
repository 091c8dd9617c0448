"""The ends of joins: no caller waits for an owner that is gone, and no owner waits for a caller that is gone.

Partitions:
- the owner's process: dies; hands over; hangs; is cut off and returns, after the loss of nothing, of changes, of
  answers; lives, but receives nothing, for a moment or permanently
- the room: has a later owner, as an event or an answer says; has an earlier owner that still sends messages
- the game: is closed; dies of a bug; has ended before the join
- the joined process: leaves; leaves while its message is lost; dies; hangs and returns; is cut off and joins again
- the waiting party: a parked request; a request that is not parked; a follower; a cancelled caller; a caller that waits
  for room in the mailbox
- invalid messages
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.cluster.calling import ENTER_TIMEOUT_S, UNHEARD_S, joining
from scramble.cluster.calls import MOST_UNTAKEN, RESEND_S, UNANSWERED_LOOK_S
from scramble.cluster.codec import Vocabulary
from scramble.cluster.messages import Gone, News, RoomHandedOver, encode
from scramble.cluster.protocol import ALIVE_S, ProcessName, Token
from scramble.cluster.serving import PROBE_S, Part, serving
from scramble.errors import GameClosed, GameMoved, GameStopped
from scramble.kernel.actor import open_actor
from scramble.kernel.owner import Owner, Posting
from tests.support.cluster.rooms import ROOM, Asker, Table, open_table
from tests.unit.kernel.toy import Crash, Echo, Left, LetOut, Said, SendAway, Wait, WaitingRoom

VOCABULARY = Vocabulary(Echo | Wait | LetOut | SendAway | Crash, Said | Left)
PARTS = {"game": VOCABULARY}


async def everybody_hears(table: Table, kind: type[GameStopped]) -> float:
    """Check that the join ends with this error for all its users; return the seconds until its end."""
    began = trio.current_time()
    reason = await table.joined.until_moved()
    assert type(reason) is kind
    with pytest.raises(kind):
        await table.owner.ask(Echo("late"))
    table.owner.tell(Echo("late"))
    changes = table.owner.subscribe()
    if kind is GameClosed:
        assert [change async for change in changes] == []
    else:
        with pytest.raises(kind):
            await anext(changes)
    assert table.owner.stats().stopped == str(reason)
    return trio.current_time() - began


# --- the owner ends ---------------------------------------------------------------------------------


async def test_if_the_owner_dies_nobody_waits_longer_than_its_lease(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        parked = Asker(table.nursery, table.owner, Wait("a"))
        await parked.parked.wait()
        table.there.cut()
        asked = Asker(table.nursery, table.owner, Echo("b"))
        cancelled = Asker(table.nursery, table.owner, Echo("c"))
        await wait_all_tasks_blocked()
        cancelled.scope.cancel()
        waiting = [Asker(table.nursery, table.owner, Echo("d")) for _ in range(MOST_UNTAKEN)]
        assert await everybody_hears(table, GameMoved) <= ALIVE_S
        for asker in (parked, asked, cancelled, *waiting):
            await asker.done.wait()
            assert isinstance(asker.error, GameMoved)


async def test_a_dead_owner_is_found_dead_at_the_next_request(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        table.there.cut()
        table.network.forget(table.there.process)  # its lease has expired, and nobody has checked it since then
        began = trio.current_time()
        with pytest.raises(GameMoved):
            await table.owner.ask(Echo("a"))
        assert trio.current_time() <= began + UNANSWERED_LOOK_S


async def test_a_living_owner_may_be_unheard_for_a_moment(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        with table.there.deaf():
            asker = Asker(table.nursery, table.owner, Echo("a"))
            await trio.sleep(UNHEARD_S - RESEND_S)
        await asker.done.wait()
        assert asker.answer == "a"


async def test_a_living_owner_that_stays_unheard_ends_the_join(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        with table.there.deaf():
            asker = Asker(table.nursery, table.owner, Echo("a"))
            assert await everybody_hears(table, GameMoved) <= UNHEARD_S + 2 * RESEND_S
            await asker.done.wait()
            assert isinstance(asker.error, GameMoved)


async def test_a_cancelled_process_does_not_wait_for_an_unheard_owner(
    autojump_clock: MockClock,
) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        with ExitStack() as stack, trio.CancelScope() as process:
            async with joining(table.here, ROOM, table.token, PARTS) as joined, trio.open_nursery() as nursery:
                parked = Asker(nursery, joined.owners["game"], Wait("a"))
                await parked.parked.wait()
                stack.enter_context(table.here.deaf())
                process.cancel()
        assert isinstance(parked.error, GameMoved)


async def test_a_room_that_is_handed_over_ends_the_joins_at_once(autojump_clock: MockClock) -> None:
    async with trio.open_nursery() as nursery, open_table(WaitingRoom(), VOCABULARY) as table:
        token = Token(6, table.there.process)

        async def join(*, task_status: trio.TaskStatus[Owner]) -> None:
            async with joining(table.here, "other", token, PARTS) as joined:
                task_status.started(joined.owners["game"])
                assert isinstance(await joined.until_moved(), GameMoved)

        async with open_actor(WaitingRoom()) as actor:
            async with serving(table.there, "other", token, {"game": Part(actor, VOCABULARY)}):
                parked = Asker(nursery, await nursery.start(join), Wait("a"))
                await parked.parked.wait()
            await parked.done.wait()
            assert isinstance(parked.error, GameMoved)
            assert await actor.ask(LetOut("b")) == 0  # the request was withdrawn


async def test_a_closed_game_is_closed_for_those_elsewhere(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        parked = Asker(table.nursery, table.owner, Wait("a"))
        await parked.parked.wait()
        await table.actor.aclose()
        assert await everybody_hears(table, GameClosed) == 0
        await parked.done.wait()
        assert isinstance(parked.error, GameClosed)


async def test_joining_an_ended_game_raises_game_closed(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        await table.actor.aclose()
        other = table.network.link("other")
        with pytest.raises(GameClosed):
            async with joining(other, ROOM, table.token, PARTS):
                raise AssertionError("the game is closed")


@pytest.mark.parametrize("what", ["event", "handed over", "answer"])
async def test_a_later_owner_ends_the_join(autojump_clock: MockClock, what: str) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        names, later = table.here.names, table.token.epoch + 1
        if what == "answer":
            table.network.deliver(names.answers(table.here.process, table.joined.number), encode(Gone(later)))
        else:
            message = News(later, "game", 0, b"") if what == "event" else RoomHandedOver(later)
            table.network.deliver(names.events(ROOM), encode(message))
        assert await everybody_hears(table, GameMoved) == 0


async def test_an_earlier_owner_is_not_believed(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        names, earlier = table.here.names, table.token.epoch - 1
        changes = table.owner.subscribe()
        table.network.deliver(names.events(ROOM), encode(News(earlier, "game", 70, b"")))
        table.network.deliver(names.events(ROOM), encode(News(earlier, "game", 0, b'[[9,[["Said",{"word":"x"}]]]]')))
        table.network.deliver(names.events(ROOM), encode(RoomHandedOver(earlier)))
        table.network.deliver(names.answers(table.here.process, table.joined.number), encode(Gone(earlier)))
        assert await table.owner.ask(Echo("a")) == "a"
        assert [change.events for change in changes.pending()] == [(Said("a"),)]


async def test_a_deposed_owner_takes_no_requests_to_a_later_owner(autojump_clock: MockClock) -> None:
    room, later_room = WaitingRoom(), WaitingRoom()
    async with open_table(room, VOCABULARY) as table:
        later = table.network.link("later")
        token = Token(table.token.epoch + 1, later.process)
        async with (
            open_actor(later_room) as actor,
            serving(later, ROOM, token, {"game": Part(actor, VOCABULARY)}),
            joining(table.network.link("third"), ROOM, token, PARTS) as joined,
        ):
            assert await joined.owners["game"].ask(Echo("a")) == "a"
            assert isinstance(await table.joined.until_moved(), GameMoved)  # the join at the deposed owner
            assert await table.actor.ask(Echo("b")) == "b"
    assert (room.log, later_room.log) == (["b"], ["a"])


async def test_joining_an_earlier_owner_is_refused_by_the_later_owner(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        token = Token(table.token.epoch - 1, ProcessName("there"))
        with pytest.raises(GameMoved, match="does not know"):
            async with joining(table.network.link("other"), ROOM, token, PARTS):
                raise AssertionError("it has no such owner")


async def test_joining_a_dead_process_does_not_wait(autojump_clock: MockClock) -> None:
    async with trio.open_nursery() as nursery, open_table(WaitingRoom(), VOCABULARY) as table:
        for process, longest in (("dead", 0.0), (str(table.there.process), ENTER_TIMEOUT_S)):
            began = trio.current_time()
            with pytest.raises(GameMoved):
                async with joining(table.here, "nowhere", Token(1, ProcessName(process)), PARTS):
                    raise AssertionError("there is no such owner")
            assert trio.current_time() <= began + longest
        nursery.cancel_scope.cancel()


async def test_a_join_before_the_owner_serves_the_room_succeeds_later(autojump_clock: MockClock) -> None:
    async with trio.open_nursery() as nursery, open_table(WaitingRoom(), VOCABULARY) as table:
        token = Token(9, table.there.process)
        answers = []

        async def join() -> None:
            async with joining(table.here, "slow", token, PARTS) as joined:
                answers.append(await joined.owners["game"].ask(Echo("a")))

        nursery.start_soon(join)
        await trio.sleep(UNHEARD_S - RESEND_S)
        async with (
            open_actor(WaitingRoom()) as actor,
            serving(table.there, "slow", token, {"game": Part(actor, VOCABULARY)}),
        ):
            await trio.sleep(2 * RESEND_S)
    assert answers == ["a"]


# --- messages are missing ---------------------------------------------------------------------------


async def test_a_missing_change_ends_the_join(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        changes = table.owner.subscribe()
        table.there.lose = lambda channel, message: channel.endswith(":ev")
        await table.actor.ask(Echo("lost"))
        await wait_all_tasks_blocked()
        table.there.lose = lambda channel, message: False
        await table.actor.ask(Echo("comes"))
        assert await everybody_hears(table, GameMoved) == 0
        assert changes.pending() == []


async def test_changes_of_an_owner_that_was_cut_off_are_found_to_be_missing(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        table.there.cut()
        await table.actor.ask(Echo("lost"))
        await wait_all_tasks_blocked()
        table.there.connect()
        assert await everybody_hears(table, GameMoved) == 0


async def test_answers_of_an_owner_that_was_cut_off_are_sent_again(autojump_clock: MockClock) -> None:
    room = WaitingRoom()
    async with open_table(room, VOCABULARY) as table:
        parked = Asker(table.nursery, table.owner, Wait("a"))
        await parked.parked.wait()
        table.there.cut()
        assert await table.actor.ask(LetOut("b")) == 1
        await wait_all_tasks_blocked()
        assert not parked.done.is_set()
        table.there.connect()
        await parked.done.wait()
        assert parked.answer == "a let out by b"
    assert room.log == ["a", "b"]


async def test_a_process_that_is_cut_off_ends_its_joins_at_once(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        parked = Asker(table.nursery, table.owner, Wait("a"))
        await parked.parked.wait()
        table.here.cut()
        assert await everybody_hears(table, GameMoved) == 0
        await parked.done.wait()
        assert isinstance(parked.error, GameMoved)


async def test_invalid_messages_change_nothing(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        names = table.here.names
        for channel in (names.asks(ROOM), names.events(ROOM), names.answers(table.here.process, table.joined.number)):
            for message in (b"", b"\xc1", b"\x01", encode([99, 1]), encode([0, "x"])):
                table.network.deliver(channel, message)
        assert await table.owner.ask(Echo("a")) == "a"


async def test_invalid_changes_count_as_missing(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        news = News(table.token.epoch, "game", 0, b'[[1,[["Sung",{}]]]]')
        table.network.deliver(table.here.names.events(ROOM), encode(news))
        assert await everybody_hears(table, GameMoved) == 0


# --- the joined process ends ------------------------------------------------------------------------


async def test_leaving_a_join_withdraws_its_requests(autojump_clock: MockClock) -> None:
    room = WaitingRoom()
    async with open_table(room, VOCABULARY) as table:
        async with joining(table.network.link("other"), ROOM, table.token, PARTS) as joined:
            parked = Asker(table.nursery, joined.owners["game"], Wait("a"))
            await parked.parked.wait()
            assert len(table.stays) == 2
        await parked.done.wait()
        assert isinstance(parked.error, GameMoved)
        await wait_all_tasks_blocked()
        assert len(table.stays) == 1
    assert room.log == ["a", "withdraw a"]


async def test_parked_requests_of_a_dead_process_are_withdrawn_within_its_lease(autojump_clock: MockClock) -> None:
    room = WaitingRoom()
    async with open_table(room, VOCABULARY) as table:
        changes = table.actor.subscribe()
        parked = Asker(table.nursery, table.owner, Wait("a"))
        await parked.parked.wait()
        began = trio.current_time()
        table.here.stop()
        assert (await anext(changes)).events == (Left("a"),)
        assert trio.current_time() <= began + ALIVE_S
        await wait_all_tasks_blocked()
        assert not table.stays
        table.here.resume()


async def test_a_process_that_hung_longer_than_its_lease_finds_its_joins_ended(
    autojump_clock: MockClock,
) -> None:
    room = WaitingRoom()
    async with open_table(room, VOCABULARY) as table:
        parked = Asker(table.nursery, table.owner, Wait("a"))
        await parked.parked.wait()
        table.here.stop()
        await trio.sleep(2 * ALIVE_S)
        await table.actor.ask(Echo("meanwhile"))
        table.here.resume()
        assert await everybody_hears(table, GameMoved) == 0
        await parked.done.wait()
        assert isinstance(parked.error, GameMoved)


async def test_a_process_that_hung_for_a_moment_goes_on(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        changes = table.owner.subscribe()
        parked = Asker(table.nursery, table.owner, Wait("a"))
        await parked.parked.wait()
        table.here.stop()
        await trio.sleep(ALIVE_S / 2)
        await table.actor.ask(Echo("meanwhile"))
        table.here.resume()
        assert await table.owner.ask(LetOut("b")) == 1
        await parked.done.wait()
        assert parked.answer == "a let out by b"
        assert [change.events for change in changes.pending()] == [(Said("meanwhile"),)]


async def test_a_process_that_was_cut_off_leaves_its_old_join_before_it_joins_again(autojump_clock: MockClock) -> None:
    room = WaitingRoom()
    async with open_table(room, VOCABULARY) as table:
        await Asker(table.nursery, table.owner, Wait("a")).parked.wait()
        table.here.cut()
        await table.joined.until_moved()
        table.here.connect()
        async with joining(table.here, ROOM, table.token, PARTS) as joined:
            assert await joined.owners["game"].ask(LetOut("b")) == 0
    assert room.log == ["a", "withdraw a", "b"]


async def test_a_process_that_was_cut_off_and_does_not_join_again_has_left(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        async with joining(table.network.link("other"), ROOM, table.token, PARTS) as joined:
            await Asker(table.nursery, joined.owners["game"], Wait("a")).parked.wait()
            other = table.network.get("other")
            other.cut()
            await joined.until_moved()
        other.connect()  # so its process counts as alive
        await trio.sleep(3 * PROBE_S)
        assert len(table.stays) == 1
        assert await table.owner.ask(LetOut("b")) == 0


async def test_a_room_learns_when_a_process_joins_and_leaves(autojump_clock: MockClock) -> None:
    log: list[str] = []

    @contextmanager
    def joined() -> Iterator[None]:
        log.append("come")
        yield
        log.append("gone")

    @contextmanager
    def caller() -> Iterator[Posting]:
        log.append("calls")
        yield actor
        log.append("calls no more")

    room = WaitingRoom()
    async with (
        trio.open_nursery() as nursery,
        open_table(WaitingRoom(), VOCABULARY) as table,
        open_actor(room) as actor,
        serving(
            table.there,
            "other",
            Token(1, table.there.process),
            {"game": Part(actor, VOCABULARY, caller)},
            joined=joined,
        ),
    ):
        async with joining(table.here, "other", Token(1, table.there.process), PARTS) as join:
            asker = Asker(nursery, join.owners["game"], Wait("a"))
            await asker.parked.wait()
            assert log == ["come", "calls"]
        await wait_all_tasks_blocked()
        assert log == ["come", "calls", "calls no more", "gone"]
        assert room.log == ["a", "withdraw a"]
