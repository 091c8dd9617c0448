"""Limits on unsent bytes, as values: the clients that are dropped beyond the limits.

Partitions:
- unsent bytes: within the limit, at it, beyond it; read in part, all, by a dropped client; never read
- readers: one, several of one address, of several addresses; a client that has read recently
tests/system/http/test_send_budget.py tests real clients.
"""

from __future__ import annotations

import gc
import weakref

from scramble.server.protection.send_budget import Unread


class Reader:
    """A connection that records if it was dropped."""

    def __init__(self, account: str = "a") -> None:
        self.account = account
        self.dropped = 0

    def drop(self) -> None:
        self.dropped += 1


def dropped(*readers: Reader) -> list[int]:
    return [reader.dropped for reader in readers]


def test_unsent_bytes_within_the_limit_drop_no_reader() -> None:
    unread, one, two = Unread(100), Reader(), Reader()
    unread.add(one, 40)
    unread.add(two, 60)
    assert dropped(one, two) == [0, 0]
    assert str(unread) == "100 of 100 bytes wait, for 2 connections"


def test_a_single_reader_may_exceed_the_limit() -> None:
    unread, one = Unread(100), Reader()
    unread.add(one, 1000)
    unread.add(one, 1000)
    assert dropped(one) == [0]


def test_beyond_the_limit_the_reader_with_the_longest_time_since_a_read_is_dropped() -> None:
    unread, one, two, three = Unread(100), Reader(), Reader(), Reader()
    for reader in (one, two, three):
        unread.add(reader, 33)
    unread.taken(one, 3)
    unread.add(three, 5)
    assert dropped(one, two, three) == [0, 1, 0]
    unread.add(three, 35)  # 30 for the first, 73 for the third: the third has read nothing for the longest time
    assert dropped(one, two, three) == [0, 1, 1]
    assert str(unread) == "30 of 100 bytes wait, for 1 connections"


def test_readers_are_dropped_until_the_limit_is_kept() -> None:
    unread, readers = Unread(100), [Reader() for _ in range(5)]
    for reader in readers[:-1]:
        unread.add(reader, 25)
    unread.add(readers[-1], 60)
    assert dropped(*readers) == [1, 1, 1, 0, 0]


def test_readers_of_the_address_with_the_most_bytes_are_dropped_first() -> None:
    unread, alone, others = Unread(100), Reader("alone"), [Reader("crowd") for _ in range(3)]
    unread.add(alone, 35)
    for reader in others:
        unread.add(reader, 25)
    assert dropped(alone, *others) == [0, 1, 0, 0]


def test_a_read_makes_room_unless_its_reader_is_dropped() -> None:
    unread, one, two = Unread(100), Reader(), Reader("b")
    for _ in range(50):
        unread.add(one, 60)
        unread.taken(one, 20)
        unread.taken(one, 40)
    assert str(unread) == "0 of 100 bytes wait, for 0 connections"
    unread.add(one, 60)
    unread.add(two, 50)
    assert dropped(one, two) == [1, 0]
    unread.taken(one, 60)
    assert str(unread) == "50 of 100 bytes wait, for 1 connections"


class Litter:
    """An object that only the garbage collector can find."""

    def __init__(self) -> None:
        self.me = self


def test_abandoned_bytes_are_collected_beyond_the_limit() -> None:
    unread, one = Unread(100), Reader()
    gc.disable()
    try:
        litter = weakref.ref(Litter())
        for _ in range(2):
            unread.add(one, 60)
            assert litter() is not None
            unread.left_behind(one, 60)
    finally:
        gc.enable()
    assert litter() is None
    assert str(unread) == "0 of 100 bytes wait, for 0 connections"
