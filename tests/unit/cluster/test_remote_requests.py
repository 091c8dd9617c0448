"""Requests to an owner in another process, over a network that delays, duplicates and loses messages.

tests/unit/cluster/test_actor_elsewhere.py tests the promises of every owner.

Partitions:
- the message of a request: lost; duplicated; late; lost after a later message arrived
- the message of an answer, and the message that a request is parked: the same cases
- `tell` messages: lost; duplicated; between others
- a cancellation: before the request is sent; before it arrives; while parked; crossed by the answer; its message lost
- untaken requests: up to the limit; above the limit, and some callers are cancelled during the wait
- an answer: arrives before earlier changes
- a command: cannot be encoded; belongs to another owner; is not understood by the owner
- an error: of the kernel; of a game, with fields of its own; of an unknown class
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.cluster.calls import MOST_UNTAKEN, RESEND_S, UNANSWERED_LOOK_S
from scramble.cluster.codec import Vocabulary
from scramble.cluster.messages import (
    ASK,
    EnterRoom,
    Parked,
    RequestFailure,
    RequestValue,
    RequestWithdrawn,
    RoomRequest,
    WithdrawRequest,
    decode_to_caller,
    decode_to_owner,
    encode,
)
from scramble.errors import InvalidCommand
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.protocol import Command
from tests.support.cluster.elsewhere import open_elsewhere
from tests.support.cluster.rooms import Asker, open_table
from tests.support.cluster.simulated import Network
from tests.support.paper import Paper
from tests.unit.kernel.toy import Crash, Echo, Left, LetOut, Said, SendAway, SentAway, Wait, WaitingRoom

VOCABULARY = Vocabulary(Echo | Wait | LetOut | SendAway | Crash, Said | Left)


def first_times(count: int, kind: type, decode: Callable[[bytes], object]) -> Callable[[str, bytes], bool]:
    """Return a function that is true for the first `count` messages of a class."""
    left = count

    def chosen(channel: str, message: bytes) -> bool:
        nonlocal left
        if channel.endswith(":ev") or not isinstance(decode(message), kind) or left == 0:
            return False
        left -= 1
        return True

    return chosen


# --- lost, duplicated and late -------------------------------------------------------------------------


async def test_a_request_that_is_lost_is_sent_again(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        table.here.lose = first_times(2, RoomRequest, decode_to_owner)
        began = trio.current_time()
        assert await table.owner.ask(Echo("hello")) == "hello"
        assert trio.current_time() == pytest.approx(began + 2 * UNANSWERED_LOOK_S)


async def test_a_lost_answer_is_sent_again_and_the_command_is_executed_once(autojump_clock: MockClock) -> None:
    room = WaitingRoom()
    async with open_table(room, VOCABULARY) as table:
        table.there.lose = first_times(2, RequestValue, decode_to_caller)
        assert await table.owner.ask(Echo("hello")) == "hello"
        assert await table.owner.ask(Echo("again")) == "again"
    assert room.log == ["hello", "again"]


async def test_duplicate_messages_count_once(autojump_clock: MockClock) -> None:
    room = WaitingRoom()
    async with open_table(room, VOCABULARY) as table:
        table.here.twice = table.there.twice = lambda channel, message: True
        changes = table.owner.subscribe()
        assert [await table.owner.ask(Echo(str(i))) for i in range(10)] == [str(i) for i in range(10)]
        assert [change.events for change in changes.pending()] == [(Said(str(i)),) for i in range(10)]
        parked = Asker(table.nursery, table.owner, Wait("a"))
        await parked.parked.wait()
        assert await table.owner.ask(LetOut("b")) == 1
        await parked.done.wait()
    assert room.log == [*map(str, range(10)), "a", "b"]


async def test_requests_are_executed_in_order_though_the_first_one_is_lost(autojump_clock: MockClock) -> None:
    room = WaitingRoom()
    async with open_table(room, VOCABULARY) as table, trio.open_nursery() as nursery:
        table.here.lose = first_times(1, RoomRequest, decode_to_owner)
        asked: list[str] = []

        async def ask(word: str) -> None:
            asked.append(word)
            await table.owner.ask(Echo(word))

        for i in range(10):
            nursery.start_soon(ask, str(i))
    assert room.log == asked


async def test_all_lost_requests_are_sent_again_while_an_earlier_one_is_executed(autojump_clock: MockClock) -> None:
    room, paper = WaitingRoom(), Paper(held=True)
    async with open_side_nursery(cancel) as nursery:
        network = Network(nursery)
        here, there = network.link("here"), network.link("there")
        async with open_elsewhere(here, there, VOCABULARY, room, log=paper) as owner:
            askers = [Asker(nursery, owner, Echo("slow"))]
            await wait_all_tasks_blocked()
            lost = first_times(2, RoomRequest, decode_to_owner)
            again: list[int] = []

            def lose(channel: str, message: bytes) -> bool:
                if lost(channel, message):
                    return True
                request = decode_to_owner(message)
                if isinstance(request, RoomRequest):
                    again.append(request.number)
                return False

            here.lose = lose
            for word in ("first", "second"):
                askers.append(Asker(nursery, owner, Echo(word)))
                await wait_all_tasks_blocked()
            await trio.sleep(3 * RESEND_S)
            sent_again = {*again}
            paper.open_gate()
            for asker in askers:
                await asker.done.wait()
            assert sent_again == {0, 1, 2}
    assert room.log == ["slow", "first", "second"]


async def test_told_commands_are_executed_once_and_in_order_despite_loss_and_duplicates(
    autojump_clock: MockClock,
) -> None:
    room = WaitingRoom()
    async with open_table(room, VOCABULARY) as table:
        table.here.lose = first_times(1, RoomRequest, decode_to_owner)
        table.here.twice = table.there.twice = lambda channel, message: True
        table.owner.tell(Echo("told"))
        table.owner.tell(Echo("told too"))
        assert await table.owner.ask(Echo("asked")) == "asked"
        await trio.sleep(10 * RESEND_S)
    assert room.log == ["told", "told too", "asked"]


async def test_a_caller_learns_that_its_request_is_parked_though_the_message_is_lost(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        table.there.lose = first_times(1, Parked, decode_to_caller)
        asker = Asker(table.nursery, table.owner, Wait("a"))
        await wait_all_tasks_blocked()
        assert not asker.parked.is_set()
        await asker.parked.wait()


async def test_a_parked_request_is_not_sent_again_for_ever(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        asker = Asker(table.nursery, table.owner, Wait("a"))
        await asker.parked.wait()
        sent = table.here.published
        await trio.sleep(100 * RESEND_S)
        assert table.here.published == sent
        assert await table.owner.ask(LetOut("b")) == 1


async def test_answers_wait_for_the_changes_before_them(autojump_clock: MockClock) -> None:
    """The test itself holds the changes back, because Redis keeps the order of one connection's messages."""
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        held: list[tuple[str, bytes]] = []

        def hold(channel: str, message: bytes) -> bool:
            if channel.endswith(":ev"):
                held.append((channel, message))
                return True
            return False

        table.there.lose = hold
        asker = Asker(table.nursery, table.owner, Echo("a"))
        changes = table.owner.subscribe()
        await wait_all_tasks_blocked()
        assert not asker.done.is_set()
        for channel, message in held:
            table.network.deliver(channel, message)
        await asker.done.wait()
        assert asker.answer == "a"
        assert [change.events for change in changes.pending()] == [(Said("a"),)]


async def test_following_from_an_answer_on_has_neither_gap_nor_overlap_over_a_slow_network(
    autojump_clock: MockClock,
) -> None:
    room = WaitingRoom()
    async with open_table(room, VOCABULARY) as table, trio.open_nursery() as nursery:
        delays = iter(range(1000))
        table.there.delay = lambda: next(delays) % 7 / 100
        table.here.delay = lambda: next(delays) % 5 / 100
        followed = {}

        async def follow(word: str) -> None:
            answer, followed[word] = await table.owner.follow(Echo(word))
            assert answer == word

        for i in range(60):
            if i % 4 == 0:
                nursery.start_soon(follow, f"{i}")
            else:
                nursery.start_soon(table.owner.ask, Echo(f"{i}"))
            await trio.sleep(0.01)
    for word, changes in followed.items():
        after = room.log[room.log.index(word) + 1 :]
        assert [change.events for change in changes.pending()] == [(Said(w),) for w in after]


# --- cancelled --------------------------------------------------------------------------------------


async def test_a_caller_cancelled_before_it_asks_sends_nothing(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        sent = table.here.published
        with trio.CancelScope() as scope:
            scope.cancel()
            await table.owner.ask(Echo("never"))
        assert scope.cancelled_caught
        assert table.here.published == sent


async def test_a_cancelled_caller_waits_until_its_request_is_withdrawn(autojump_clock: MockClock) -> None:
    room = WaitingRoom()
    async with open_table(room, VOCABULARY) as table:
        asker = Asker(table.nursery, table.owner, Wait("a"))
        await asker.parked.wait()
        table.there.delay = lambda: 0.3
        asker.scope.cancel()
        await wait_all_tasks_blocked()
        assert not asker.done.is_set()
        await asker.done.wait()
        assert asker.withdrawn
        assert room.log == ["a", "withdraw a"]
        assert await table.owner.ask(LetOut("b")) == 0


async def test_an_answer_that_crosses_a_cancellation_stands(autojump_clock: MockClock) -> None:
    room = WaitingRoom()
    async with open_table(room, VOCABULARY) as table:
        asker = Asker(table.nursery, table.owner, Wait("a"))
        await asker.parked.wait()
        table.there.delay = lambda: 0.3
        assert await table.actor.ask(LetOut("b")) == 1  # asked in the owner's process; the answer takes 0.3 s
        asker.scope.cancel()
        await asker.done.wait()
        assert asker.answer == "a let out by b"
        assert not asker.withdrawn
        await trio.sleep(1)
        assert await table.owner.ask(Echo("c")) == "c"
    assert room.log == ["a", "b", "c"]


async def test_a_cancellation_that_overtakes_the_request_leaves_no_trace_of_it(autojump_clock: MockClock) -> None:
    room = WaitingRoom()
    async with open_table(room, VOCABULARY) as table:
        table.here.lose = first_times(1, RoomRequest, decode_to_owner)  # so the withdrawal arrives before the request
        asker = Asker(table.nursery, table.owner, Wait("a"))
        await wait_all_tasks_blocked()
        asker.scope.cancel()
        await asker.done.wait()
        assert asker.withdrawn
        assert await table.owner.ask(LetOut("b")) == 0
    assert room.log == ["b"]


@pytest.mark.parametrize("lost", [WithdrawRequest, RequestWithdrawn])
async def test_a_withdrawal_whose_messages_are_lost_still_happens_once(autojump_clock: MockClock, lost: type) -> None:
    room = WaitingRoom()
    async with open_table(room, VOCABULARY) as table:
        asker = Asker(table.nursery, table.owner, Wait("a"))
        await asker.parked.wait()
        if lost is WithdrawRequest:
            table.here.lose = first_times(2, WithdrawRequest, decode_to_owner)
        else:
            table.there.lose = first_times(2, RequestWithdrawn, decode_to_caller)
        asker.scope.cancel()
        await asker.done.wait()
        assert asker.withdrawn
    assert room.log == ["a", "withdraw a"]


async def test_a_withdrawal_that_is_lost_does_not_wait_for_the_answer_to_a_request_before_it(
    autojump_clock: MockClock,
) -> None:
    paper = Paper(held=True)
    async with open_side_nursery(cancel) as nursery:
        network = Network(nursery)
        here, there = network.link("here"), network.link("there")
        async with open_elsewhere(here, there, VOCABULARY, WaitingRoom(), log=paper, mailbox_size=1) as owner:
            first = Asker(nursery, owner, Echo("first"))
            await wait_all_tasks_blocked()
            askers = [Asker(nursery, owner, Echo(f"{i}")) for i in range(3)]
            await wait_all_tasks_blocked()
            here.lose = first_times(1, WithdrawRequest, decode_to_owner)
            askers[-1].scope.cancel()
            with trio.move_on_after(10 * RESEND_S):
                await askers[-1].done.wait()
            was_withdrawn, was_first_done = askers[-1].withdrawn, first.done.is_set()
            paper.open_gate()
            for asker in (first, *askers):
                await asker.done.wait()
            assert (was_withdrawn, was_first_done) == (True, False)


# --- back-pressure ----------------------------------------------------------------------------------


async def test_more_untaken_requests_wait_here_and_none_is_lost(autojump_clock: MockClock) -> None:
    room = WaitingRoom()
    async with open_table(room, VOCABULARY) as table:
        table.there.stop()  # for less than a lease
        askers = [Asker(table.nursery, table.owner, Echo(str(i))) for i in range(MOST_UNTAKEN + 50)]
        await wait_all_tasks_blocked()
        assert table.owner.stats().queued == MOST_UNTAKEN + 50
        late = askers[-10:]
        sent = table.here.published
        for asker in late:
            asker.scope.cancel()
        await wait_all_tasks_blocked()
        waited = [asker for asker in late if asker.withdrawn]
        assert table.here.published == sent + 10 - len(waited)
        table.there.resume()
        for asker in askers:
            await asker.done.wait()
        assert sum(asker.answer is not None for asker in askers) + sum(asker.withdrawn for asker in askers) == 306


async def test_parked_requests_do_not_count_as_untaken(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        askers = [Asker(table.nursery, table.owner, Wait(str(i))) for i in range(2 * MOST_UNTAKEN)]
        for asker in askers:
            await asker.parked.wait()
        assert table.owner.stats().queued == 0
        assert await table.owner.ask(LetOut("all", len(askers))) == len(askers)


# --- commands and errors ----------------------------------------------------------------------------


async def test_a_command_that_cannot_be_encoded_is_invalid_and_not_sent(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        with pytest.raises(InvalidCommand, match="cannot be sent"):
            await table.owner.ask(Echo("\ud800"))
        assert await table.owner.ask(Echo("fine")) == "fine"
        assert table.owner.stats().commands == {("Echo", "answered"): 1, ("Echo", "invalid"): 1}


async def test_a_command_of_another_game_is_a_bug_of_the_caller(autojump_clock: MockClock) -> None:
    class Other(Command[None], frozen=True):
        pass

    async with open_table(WaitingRoom(), VOCABULARY) as table:
        with pytest.raises(TypeError, match="Other is no command of this game"):
            await table.owner.ask(Other())


async def test_a_command_that_the_owner_does_not_understand_is_refused_as_invalid(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        answers: list[object] = []
        async with table.here.listen(
            table.here.names.answers(table.here.process, 10**9), lambda data: answers.append(decode_to_caller(data))
        ):
            here, epoch = table.here.process, table.token.epoch
            asks = table.here.names.asks("room")
            table.here.publish(asks, encode(EnterRoom(epoch, here, 10**9)))
            for number, (part, command) in enumerate([("game", b"{}"), ("game", b'{"type":"Fly"}'), ("what", b"{}")]):
                table.here.publish(asks, encode(RoomRequest(epoch, here, 10**9, number, part, ASK, command, ())))
            await wait_all_tasks_blocked()
        assert len(answers) == 4
        assert all(isinstance(answer, RequestFailure) and b"InvalidCommand" in answer.payload for answer in answers[1:])


async def test_an_earlier_versions_way_to_follow_is_answered_like_a_request(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        answers: list[object] = []
        here, epoch, join = table.here.process, table.token.epoch, 10**9
        async with table.here.listen(
            table.here.names.answers(here, join), lambda data: answers.append(decode_to_caller(data))
        ):
            asks = table.here.names.asks("room")
            table.here.publish(asks, encode(EnterRoom(epoch, here, join)))
            for way in (ASK, 1):
                command = b'{"type":"Echo","word":"%d"}' % way
                table.here.publish(asks, encode(RoomRequest(epoch, here, join, way, "game", way, command, ())))
            await wait_all_tasks_blocked()
        assert answers[1:] == [RequestValue(0, b'"0"', 1), RequestValue(1, b'"1"', 2)]


async def test_a_refusal_is_raised_here_and_counted_as_a_refusal_only(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        asker = Asker(table.nursery, table.owner, Wait("a"))
        await asker.parked.wait()
        assert await table.owner.ask(SendAway()) == 1
        await asker.done.wait()
        assert isinstance(asker.error, SentAway)
        assert str(asker.error) == "go away"
        assert table.owner.stats().commands == {("Wait", "refused"): 1, ("SendAway", "answered"): 1}


async def test_statistics_are_of_the_requests_of_this_process(autojump_clock: MockClock) -> None:
    async with open_table(WaitingRoom(), VOCABULARY) as table:
        await table.actor.ask(Echo("there"))
        await table.owner.ask(Echo("here"))
        asker = Asker(table.nursery, table.owner, Wait("a"))
        await asker.parked.wait()
        stats = table.owner.stats()
        assert (stats.commands, stats.parked, stats.queued) == ({("Echo", "answered"): 1}, {"Wait": 1}, 0)
        assert (stats.version, stats.stopped) == (2, None)
        asker.scope.cancel()
        await asker.done.wait()
        assert table.owner.stats().commands == {("Echo", "answered"): 1, ("Wait", "withdrawn"): 1}
