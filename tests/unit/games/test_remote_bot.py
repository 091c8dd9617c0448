"""Tables of bots at the client's end of a WebSocket, on an autojump clock. The test plays the server's frames.

Strategy:
- plain frames: a mind plays by states and events; a move is refused; withdrawn; unknown events; a mind without events
- Memory Scramble: the bot withdraws a flip that waits too long; after a new connection it remembers the cards
tests/system/cli/test_bot.py runs bots at real servers.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec
import pytest
import trio

from scramble.games.bot import PATIENCE_S, Mind, Thinking
from scramble.games.remote_bot import FrameHead, RemoteError, RemoteTable, as_json, plain_seats
from scramble.kernel.protocol import Command, Event
from scramble.memory.bot import BOTS
from tests.support.botclock import play_out


class Stairs(msgspec.Struct, frozen=True):
    """A public state: the number of steps, and the number of climbed steps."""

    steps: int
    climbed: int


class Climb(Command[None], frozen=True):
    """Climb one step."""

    player: str
    step: int


class Climbed(Event, frozen=True):
    """A player has climbed a step."""

    step: int


class Climber(Mind):
    """Climbs to the top."""

    def begin(self, stairs: Stairs, /) -> None:
        self._stairs = stairs

    def follow(self, events: Sequence[Event], /) -> bool:
        for event in events:
            if isinstance(event, Climbed):
                self._stairs = Stairs(self._stairs.steps, event.step)
        return True

    @property
    def over(self) -> bool:
        return self._stairs.climbed == self._stairs.steps

    def next_move(self) -> Climb:
        return Climb("bot", self._stairs.climbed + 1)


class Stubborn(Climber):
    """A mind that follows no event."""

    def follow(self, _events: Sequence[Event], /) -> bool:
        return False


STAIRS = plain_seats("stairs", Stairs, Climbed)


class Server:
    """The frames that a table sends to the server."""

    def __init__(self, table: RemoteTable) -> None:
        self._table = table
        self._sender, self._receiver = trio.open_memory_channel[str](10)
        self.answer = table.take
        self.connect()

    def connect(self) -> None:
        self._table.connected(self._sender.send)

    async def play(self) -> None:
        await self._table.play(Thinking("hard", random.Random(0), 0))

    async def next_frame(self) -> dict[str, object]:
        frame: dict[str, object] = msgspec.json.decode(await self._receiver.receive())
        return frame


def test_the_first_frame_tells_which_of_the_plain_games_it_is() -> None:
    assert STAIRS.sends(FrameHead(type="state", kind="stairs"))
    assert not STAIRS.sends(FrameHead(type="state", kind="ladders"))
    assert not STAIRS.sends(FrameHead(type="players"))


def test_a_mind_plays_by_plain_states_events_and_commands() -> None:
    async def main() -> None:
        table = STAIRS.table("bot", Climber())
        server = Server(table)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(server.play)
            server.answer(as_json(type="state", kind="stairs", game={"steps": 2, "climbed": 0}))
            assert await server.next_frame() == {"type": "Climb", "id": 1, "step": 1}
            server.answer(as_json(type="refused", id=1, reason="the stairs are wet", code="wet", params={}))
            assert await server.next_frame() == {"type": "Climb", "id": 2, "step": 1}
            server.answer(as_json(type="waits", id=2))
            began = trio.current_time()
            assert await server.next_frame() == {"type": "withdraw", "id": 2}
            assert trio.current_time() == began + PATIENCE_S
            server.answer(as_json(type="withdrawn", id=2))
            assert await server.next_frame() == {"type": "Climb", "id": 3, "step": 1}
            server.answer(as_json(type="change", version=1, events=[{"is": "Climbed", "step": 1}]))
            server.answer(as_json(type="done", id=3, answer=None))
            assert await server.next_frame() == {"type": "Climb", "id": 4, "step": 2}
            server.answer(as_json(type="change", version=2, events=[{"is": "Climbed", "step": 2}]))
            server.answer(as_json(type="done", id=4, answer=None))
        assert table.result == "the game is over"

    play_out(main)


def test_what_a_mind_cannot_know_ends_the_bot_in_words() -> None:
    change = as_json(type="change", version=1, events=[{"is": "Climbed", "step": 1}])
    table = STAIRS.table("bot", Stubborn())
    with pytest.raises(RemoteError, match="does not follow all events"):
        table.take(change)
    with pytest.raises(msgspec.ValidationError, match="no event 'Slipped'"):
        STAIRS.table("bot", Climber()).take(change.replace("Climbed", "Slipped"))


DOWN = {"is": "down"}


def up(card: str, by: str) -> dict[str, str]:
    """A card in a player's control."""
    return {"is": "up", "card": card, "by": by}


def board(*cells: dict[str, str]) -> str:
    """The frame of a board of one row."""
    fixed = {"version": 1, "rows": 1, "scores": {}, "waiting": {}, "pairs_left": 2}
    return as_json(type="board", columns=len(cells), cells=cells, **fixed)


def outcome(id: int, outcome: str) -> str:
    """The frame of the outcome of a flip."""
    return as_json(type="flip", id=id, row=0, column=0, outcome=outcome, rule=None, reason="")


def test_a_bot_withdraws_a_flip_that_waits_too_long_and_remembers_cards_over_connections() -> None:
    async def main() -> None:
        assert BOTS.remote is not None
        table = BOTS.remote.table("bot", BOTS.mind("bot", "hard", random.Random(0)))
        server = Server(table)
        with trio.CancelScope() as first:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(server.play)
                server.answer(board(up("A", "ann"), up("B", "bob"), up("B", "bob"), up("A", "cy")))
                assert (await server.next_frame())["type"] == "flip"
                server.answer(outcome(1, "waiting"))
                assert (await server.next_frame())["type"] == "withdraw"
                assert trio.current_time() == PATIENCE_S
                server.answer(outcome(1, "withdrawn"))
                first.cancel()  # the connection is lost
        server.connect()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(server.play)
            server.answer(board(DOWN, DOWN, DOWN, up("A", "bot")))
            assert await server.next_frame() == {"type": "flip", "id": 2, "row": 0, "column": 0}
            nursery.cancel_scope.cancel()

    play_out(main)
