"""Four in a row in a room: its settings, its bot, and its replay.

Partitions:
- settings: none, a size, an unknown size, an unknown field; of the next game
- a bot: has a drop that wins, must block one; it is not its turn; the game is over; each level
- a recording: drops, a drop that waits, a drop withdrawn, a win
"""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import get_args

import pytest
import trio
from fourinarow.bot import FourMind
from fourinarow.kind import FOURINAROW, picture_of
from fourinarow.rules import Board, Drop, Table, View

from scramble.games.bot import Level
from scramble.games.plain import PlainGame
from scramble.games.room import RoomClocks
from scramble.games.settings import BadSettings
from scramble.journal import Journal
from scramble.replay import Replay

LEVELS: tuple[Level, ...] = get_args(Level)


def next_drop(level: Level, *drops: int, player: str = "ann") -> int | None:
    """The column in which a bot drops its next disc after these drops of ann and bob; None if it drops none."""
    mind = FourMind(player, level, random.Random(1))
    mind.begin(View(Table(Board(drops=drops), ("ann", "bob")), (), ()))
    drop = mind.next_move()
    return None if drop is None else drop.column


def test_a_room_has_the_size_that_was_asked_for() -> None:
    assert FOURINAROW.settle({}, 1) == {"size": "6x7"}
    settled = FOURINAROW.settle({"size": "7x8"}, 1)
    assert FOURINAROW.settle(FOURINAROW.again(settled, 2), 2) == settled == {"size": "7x8"}


@pytest.mark.parametrize("given", [{"size": "5x5"}, {"size": 7}, {"height": 6}])
def test_other_settings_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(BadSettings):
        FOURINAROW.settle(given, 1)


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_wins_if_it_can(level: Level) -> None:
    assert next_drop(level, 0, 6, 0, 6, 0, 6) == 0


@pytest.mark.parametrize("level", ["medium", "hard"])
def test_a_bot_blocks_a_drop_that_would_win(level: Level) -> None:
    assert next_drop(level, 0, 6, 0, 5, 0, player="bob") == 0


def test_a_bot_waits_for_its_turn_and_stops_at_the_end() -> None:
    assert next_drop("easy", 3, 3, 3) is None
    assert next_drop("easy", 0, 6, 0, 6, 0, 6, 0, player="bob") is None


@pytest.mark.trio
async def test_a_recording_is_replayed_in_codes_with_params(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "game.db")
    async with FOURINAROW.set_up(FOURINAROW.settle({}, 1)).open(journal, RoomClocks()) as opened:
        game = opened.game
        assert isinstance(game, PlainGame)

        async def drop_out_of_turn(column: int, nursery: trio.Nursery) -> None:
            parked = trio.Event()
            nursery.start_soon(partial(game.ask, Drop("ann", column), parked=parked))
            await parked.wait()

        await game.ask(Drop("ann", 0))
        async with trio.open_nursery() as withdrawn:
            await drop_out_of_turn(5, withdrawn)
            withdrawn.cancel_scope.cancel()
        await game.ping()
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                await drop_out_of_turn(0, nursery)
                await game.ask(Drop("bob", 6))
        result = await opened.finished()
    assert result.scores == {"ann": 1, "bob": 0}

    recording = await trio.to_thread.run_sync(journal.read)
    replay = Replay(recording, narrators={"fourinarow": FOURINAROW.narrator})
    steps = [replay.step() for _ in range(replay.last)]
    told = [(one.code, *one.params.values()) for step in steps for one in (step.told, *step.also)]
    anns, bobs = ("dropped", "ann", 1), ("dropped", "bob", 7)
    waits = ("waits", "ann", 1)
    assert told[:3] == [anns, ("waits", "ann", 6), ("waits-no-more", "ann", 6)]
    assert told[3:] == [waits, bobs, anns, waits, bobs, anns, waits, bobs, ("won", "ann", 1)]
    assert [step.over for step in steps[-2:]] == [False, True]


def test_a_picture_has_the_first_disc_at_the_bottom() -> None:
    picture = picture_of(View(Table(Board(drops=(2,)), ("ann",)), (), ()))
    assert [spot.look for spot in picture[-1]] == ["down", "down", "disc", "down", "down", "down", "down"]
