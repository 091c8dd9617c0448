"""The loop that plays a mind's moves at a table, and the generic tables, on an autojump clock.

Strategy:
- a running game: a mind of a few lines plays it to its end; the table follows events, or reads the state again, also
  after missed changes
- moves: refused; invalid; a move that waits for another player
- waiting: for news; until the mind has a move, or without a move
The bots of the three games have their own tests. test_remote_bot.py tests the tables at WebSockets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
import trio

from scramble.errors import InvalidCommand
from scramble.games.bot import PATIENCE_S, Mind
from scramble.games.bot_seats import BotSeats
from scramble.games.room import RoomGame
from scramble.kernel.changes import HISTORY_SIZE
from scramble.kernel.protocol import Command, Event
from scramble.memory import Board, open_game
from scramble.memory.messages import Flip
from scramble.minesweeper import Field
from scramble.minesweeper import open_game as open_field
from scramble.minesweeper.messages import Dig, Snapshot
from tests.support.botclock import play_out

PAIR = "1x2\nA\nA\n"


class Digger(Mind):
    """Digs all squares in reading order."""

    def begin(self, snapshot: Snapshot, /) -> None:
        self._untouched = [(x, y) for y, line in enumerate(snapshot.lines) for x, at in enumerate(line) if at == "-"]

    @property
    def over(self) -> bool:
        return not self._untouched

    def next_move(self) -> Dig:
        return Dig(*self._untouched[0])


class Script(Mind):
    """A mind that makes these moves (None is no move) and counts the calls."""

    idea_s = 40.0

    def __init__(self, moves: Iterable[Command[object] | None], *, follows: bool = True, ideas: int = 0) -> None:
        self._moves = list(moves)
        self._follows = follows
        self.ideas = ideas
        self.begins = 0
        self.events = 0

    def begin(self, _snapshot: object, /) -> None:
        self.begins += 1

    def follow(self, events: Sequence[Event], /) -> bool:
        self.events += len(events)
        return self._follows

    @property
    def over(self) -> bool:
        return not self._moves

    def next_move(self) -> Command[object] | None:
        return self._moves.pop(0)

    def have_idea(self) -> bool:
        self.ideas -= 1
        return self.ideas >= 0


async def _at_once(_game: RoomGame) -> None:
    """Do not wait: the bot begins at once."""


async def _play(game: RoomGame, mind: Mind, *, pace: float = 1.0) -> None:
    await BotSeats(lambda *_: mind, _at_once).play(game, "bot", "hard", pace=pace)


@pytest.mark.parametrize("pace", [0.0, 1.0])
def test_a_mind_of_a_few_lines_plays_a_game_to_its_end(pace: float) -> None:
    async def main() -> None:
        async with open_field(Field(4, 4, [(1, 1), (3, 0)])) as game:
            mind = await BotSeats(lambda *_: Digger(), _at_once).play(game, "bot", "easy", pace=pace)
            assert mind.over
            assert mind.result == "the game is over"
            assert not any("-" in line for line in (await game.snapshot()).lines)

    play_out(main)


@pytest.mark.parametrize("follows", [True, False])
def test_a_mind_looks_at_the_whole_game_again_only_if_it_cannot_follow(follows: bool) -> None:
    async def main() -> Script:
        mind = Script([Flip("bot", 0, 0), Flip("bot", 0, 1)], follows=follows)
        async with open_game(Board.parse(PAIR)) as game:
            await _play(game, mind)
        return mind

    mind = play_out(main)
    assert mind.events > 1
    assert mind.begins == (1 if follows else 3)


def test_a_mind_looks_at_the_whole_game_again_after_missed_changes() -> None:
    async def main() -> None:
        mind = Script([Dig(0, 0)])
        async with open_field(Field(2, 1, [])) as game, trio.open_nursery() as nursery:
            nursery.start_soon(_play, game, mind)
            await trio.sleep(0.5)
            assert mind.begins == 1
            for _ in range(HISTORY_SIZE):
                await game.flag(1, 0)
                await game.deflag(1, 0)
        assert mind.begins == 2

    play_out(main)


def test_a_refused_move_is_no_error_but_an_invalid_one_is() -> None:
    async def main() -> None:
        async with open_game(Board.parse(PAIR)) as game:
            await _play(game, Script([Flip("bot", 0, 0), Flip("bot", 0, 1), Flip("bot", 0, 0)]))  # no card there
            assert (await game.snapshot()).scores == {"bot": 1}
            with pytest.raises(InvalidCommand):
                await _play(game, Script([Flip("bot", 7, 0)]))

    play_out(main)


def test_a_move_that_waits_for_another_player_is_cancelled_after_a_while() -> None:
    async def main() -> None:
        async with open_game(Board.parse(PAIR)) as game:
            await game.flip("ann", 0, 0)
            await _play(game, Script([Flip("bot", 0, 0)]), pace=0)
            assert trio.current_time() == PATIENCE_S
            assert not (await game.snapshot()).waiting

    play_out(main)


def test_a_mind_without_a_move_waits_for_news_unless_it_has_an_idea() -> None:
    async def main() -> None:
        mind = Script([None, None, Flip("bot", 0, 0)], ideas=1)
        async with open_game(Board.parse(PAIR)) as game, trio.open_nursery() as nursery:
            nursery.start_soon(_play, game, mind)
            await trio.sleep(1000)
            assert mind.ideas == -1, "the mind had one move, and then no move"
            assert (await game.snapshot()).scores == {}
            await game.flip("ann", 0, 1)
        assert mind.over
        assert 1000 < trio.current_time() < 1010

    play_out(main)
