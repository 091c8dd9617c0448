"""`History` records calls from trio, from threads and from plain code. The tests ask `linearizable` what was recorded.

Strategy: partitions and which test covers which
- a block ends: by `returned` (test_linearizable); without it; by an exception; by a cancellation; after `cancelled`;
  after `parked`; never. For each of these the tests show which reads are possible afterwards, and which are not
- the client is in: trio; threads; plain code without an event loop
- a call is ended twice, begun twice, or ended before it has begun
"""

from __future__ import annotations

import math
from threading import Barrier, Thread

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.testing import History, linearizable
from tests.unit.testing.recorder import Recorder, Register, is_linearizable

WRITE = ("write", 1)


def reads_after(recorder: Recorder, *answers: int) -> bool:
    """Append reads with these answers, one after another, and judge."""
    for answer in answers:
        recorder.do("reader", "read", answer)
    return is_linearizable(recorder.history)


def lost() -> Recorder:
    """Record a write of unknown outcome: its block is left."""
    recorder = Recorder()
    recorder.start("writer", WRITE).is_lost()
    return recorder


def test_a_call_of_unknown_outcome_has_an_effect_or_none_at_any_time_but_only_one() -> None:
    assert reads_after(lost(), 0)
    assert reads_after(lost(), 1)
    assert reads_after(lost(), 0, 0, 1, 1)
    assert not reads_after(lost(), 1, 0)
    assert not reads_after(lost(), 2)


def test_a_call_of_unknown_outcome_has_no_effect_before_it_begins() -> None:
    recorder = Recorder()
    recorder.do("reader", "read", 1)
    recorder.start("writer", WRITE).is_lost()

    assert not is_linearizable(recorder.history)


def test_an_open_call_has_an_effect_or_none() -> None:
    for answers in ((0,), (1,), (0, 1)):
        recorder = Recorder()
        recorder.start("writer", WRITE)
        assert reads_after(recorder, *answers)

    recorder = Recorder()
    recorder.start("writer", WRITE)
    assert not reads_after(recorder, 1, 0)


def test_a_call_is_open_while_its_block_runs() -> None:
    history = History()
    with history.call("writer", WRITE) as call:
        assert is_linearizable(history)
        with history.call("reader", "read") as read:
            read.returned(1)
        assert is_linearizable(history)
        call.returned(None)
    assert is_linearizable(history)


def test_an_exception_leaves_the_block_and_the_outcome_unknown() -> None:
    for answer, is_right in ((0, True), (1, True), (2, False)):
        history = History()
        with pytest.raises(ConnectionError, match="reset"), history.call("writer", WRITE):
            raise ConnectionError("reset")
        with history.call("reader", "read") as call:
            call.returned(answer)
        assert is_linearizable(history) is is_right


def test_an_exception_after_the_answer_leaves_the_answer() -> None:
    history = History()
    with pytest.raises(ConnectionError), history.call("writer", WRITE) as call:
        call.returned(None)
        raise ConnectionError
    with history.call("reader", "read") as call:
        call.returned(0)

    assert not is_linearizable(history)


async def test_a_cancelled_block_leaves_the_outcome_unknown() -> None:
    for answer, is_right in ((0, True), (1, True), (2, False)):
        history = History()
        with trio.CancelScope() as scope:
            scope.cancel()
            with history.call("writer", WRITE) as call:
                await trio.sleep(math.inf)
                call.returned(None)
        assert scope.cancelled_caught
        with history.call("reader", "read") as call:
            call.returned(answer)
        assert is_linearizable(history) is is_right


async def test_a_call_begins_before_the_answer_is_awaited_and_ends_after_it() -> None:
    """Two tasks overlap: the read during the write may return either value."""
    for answer in (0, 1):
        history = History()
        is_written = trio.Event()

        async def write(history: History = history, is_written: trio.Event = is_written) -> None:
            with history.call("writer", WRITE) as call:
                await is_written.wait()
                call.returned(None)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(write)
            await wait_all_tasks_blocked()
            with history.call("reader", "read") as call:
                call.returned(answer)
            is_written.set()

        assert is_linearizable(history)


def test_a_cancelled_call_has_no_effect() -> None:
    recorder = Recorder()
    recorder.start("writer", WRITE).is_cancelled()
    assert reads_after(recorder, 0)
    assert not reads_after(recorder, 1)


def test_a_call_is_known_to_have_no_effect_also_if_an_exception_leaves_its_block() -> None:
    history = History()
    with pytest.raises(TimeoutError), history.call("writer", WRITE) as call:
        call.cancelled()
        raise TimeoutError
    with history.call("reader", "read") as call:
        call.returned(1)

    assert not is_linearizable(history)


def test_a_call_that_was_seen_to_wait_has_its_effect_later() -> None:
    for answer, is_right in ((0, True), (1, False)):
        recorder = Recorder()
        write = recorder.start("writer", WRITE)
        recorder.do("reader", "read", answer)
        write.waits()
        write.returns(None)
        assert is_linearizable(recorder.history) is is_right

    for answer in (0, 1):
        recorder = Recorder()
        write = recorder.start("writer", WRITE)
        write.waits()
        recorder.do("reader", "read", answer)
        write.returns(None)
        assert is_linearizable(recorder.history)


def test_a_call_that_was_seen_to_wait_twice_has_its_effect_after_the_second_time() -> None:
    recorder = Recorder()
    write = recorder.start("writer", WRITE)
    write.waits()
    recorder.do("reader", "read", 1)
    write.waits()
    write.returns(None)

    assert not is_linearizable(recorder.history)


def test_a_call_that_was_seen_to_wait_and_is_lost_has_an_effect_later_or_none() -> None:
    def waited(*before: int) -> Recorder:
        recorder = Recorder()
        write = recorder.start("writer", WRITE)
        for answer in before:
            recorder.do("reader", "read", answer)
        write.waits()
        write.is_lost()
        return recorder

    assert reads_after(waited(0), 0, 1)
    assert reads_after(waited(0), 0)
    assert not reads_after(waited(1), 1)
    assert not reads_after(waited(), 1, 0)


def test_a_call_that_was_seen_to_wait_and_is_cancelled_has_no_effect() -> None:
    recorder = Recorder()
    write = recorder.start("writer", WRITE)
    write.waits()
    write.is_cancelled()

    assert not reads_after(recorder, 1)


def test_threads_share_a_history() -> None:
    """Each thread adds at one register, under no lock of ours: the calls overlap. All answers are kept."""
    history = History()
    start = Barrier(8)

    def work(client: int) -> None:
        start.wait()
        for number in range(100):
            with history.call(client, ("write", number)) as call:
                call.returned(None)

    threads = [Thread(target=work, args=(client,)) for client in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert is_linearizable(history)
    with history.call("reader", "read") as call:
        call.returned(99)  # each client's last value
    assert is_linearizable(history)
    with history.call("reader", "read") as call:
        call.returned(98)
    assert not is_linearizable(history)


def test_a_call_begins_and_ends_once() -> None:
    history = History()
    call = history.call("a", "read")
    for end in (call.cancelled, call.parked, lambda: call.returned(0)):
        with pytest.raises(ValueError, match="does not run"):
            end()
    with call:
        call.returned(0)
        for end in (call.cancelled, call.parked, lambda: call.returned(1)):
            with pytest.raises(ValueError, match="does not run"):
                end()
    with pytest.raises(ValueError, match="begun before"), call:
        pass

    linearizable(history, Register())


def test_a_call_that_has_not_begun_is_no_part_of_the_history() -> None:
    history = History()
    history.call("a", ("write", 1))
    with history.call("a", "read") as call:
        call.returned(1)

    assert not is_linearizable(history)
