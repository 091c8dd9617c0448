"""Joined changes of several commands in one frame: a client that gets them has the same board.

Strategy: random play on the rules. One mirror gets each change. Another mirror gets random runs of changes, joined.
Partitions: runs of one and of many; flips, waits, grants, withdrawals, replacements; a new game in a run (which needs a
board frame).
"""

from __future__ import annotations

import json
import random
from typing import cast

import pytest

from scramble.kernel.protocol import Answered, Change, Event, Ticket, Withdraw
from scramble.memory import Board, frames
from scramble.memory.messages import Flip, NewGame, Replace, Snapshot, TakeSnapshot
from tests.support.memory.tabs import Mirror
from tests.support.websocket import Frame

PLAYERS = ("ann", "bob", "cat", "dan")


def see(mirror: Mirror, change: Change) -> None:
    frame = frames.change_frame(change)
    if frame is not None:
        mirror.see(json.loads(frame))


def whole(board: Board) -> Frame:
    (answer,) = board.apply(Ticket(10**6), TakeSnapshot())
    assert isinstance(answer, Answered)
    assert isinstance(answer.value, Snapshot)
    return cast(Frame, json.loads(frames.board_frame(answer.value)))


@pytest.mark.parametrize("seed", range(10))
def test_joined_changes_give_a_client_the_same_board(seed: int) -> None:
    rng = random.Random(seed)
    board = Board.parse("3x4\n" + "A\nB\nC\nD\nE\nF\n" * 2)
    single, joined = Mirror(), Mirror()
    single.see(whole(board))
    joined.see(whole(board))
    for start in range(0, 400, 10):
        changes: list[Change] = []
        for number in range(start, start + rng.choice((1, 2, 10))):
            command = rng.choice(
                (
                    *(Flip(rng.choice(PLAYERS), rng.randrange(3), rng.randrange(4)) for _ in range(8)),
                    Replace("ann", rng.choice("ABC"), rng.choice("ABC")),
                )
            )
            withdraws = rng.random() < 0.1
            ticket = Ticket(rng.randrange(number + 1) if withdraws else number)
            outcomes = board.apply(ticket, Withdraw() if withdraws else command)
            events = tuple(outcome for outcome in outcomes if isinstance(outcome, Event))
            if events:
                changes.append(Change(board.version, events))
        if changes:
            for change in changes:
                see(single, change)
            see(joined, Change(changes[-1].version, tuple(event for change in changes for event in change.events)))
        assert vars(joined) == vars(single)
    latest = Mirror()
    latest.see(whole(board))
    assert vars(joined) == vars(latest)


def test_a_new_game_among_joined_changes_takes_a_board() -> None:
    board = Board.parse("1x2\nA\nA\n")
    outcomes = [*board.apply(Ticket(1), Flip("ann", 0, 0)), *board.apply(Ticket(2), NewGame("ann", 1))]
    events = tuple(outcome for outcome in outcomes if isinstance(outcome, Event))
    assert frames.needs_snapshot(Change(board.version, events))
