"""The WebSocket of small games over real sockets, with the game of `tests.support.stairs`.

Partitions:
- a connection: of a player; with a bad name; that closes while its move waits
- a frame: done; refused; waits, and is done or withdrawn later; invalid; of another player
- withdrawals: of one of several moves; of none
- the limit of a player's waiting moves
- the present players
- the end: the game closes
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest

from scramble.front.plain.frames import MoveDecoder
from scramble.front.plain.front import PlainFront, make_bare_app
from scramble.front.web.door import Door
from scramble.games.plain import PlainGame, open_game
from scramble.kernel.protocol import Command
from scramble.server.http.server import serve_app
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.middleware import Protection
from tests.support.stairs import Climbing, Look, Stairs, Stay, Step, result_of
from tests.support.websocket import Clients, Tab, serving_to

LIMITS = ServerLimits(parked=3)


class PlainTab(Tab):
    def has(self, *kinds: str) -> bool:
        """True if frames of all these types have come."""
        return all(self.count(kind) for kind in kinds)


class Server(Clients):
    async def open(self, player: str) -> PlainTab:
        """Open a tab of this player, and read its frames."""
        tab = PlainTab(await self.connect_to(f"/play/{player}"))
        self.nursery.start_soon(tab.read_all)
        return tab


@asynccontextmanager
async def serving(top: int = 9) -> AsyncIterator[tuple[PlainGame[Stairs], Server]]:
    async with open_game(Climbing(Stairs(top)), Look(), result_of) as game:
        front = PlainFront("stairs", game, MoveDecoder(Step | Stay), LIMITS)
        app = make_bare_app(Door(lambda: front))
        serve = partial(serve_app, app, host="127.0.0.1", port=0, protection=Protection(limits=LIMITS))
        async with serving_to(serve, Server) as server:
            yield game, server


async def outcome(tab: Tab, number: int, *kinds: str) -> dict[str, object]:
    """The first frame of these kinds about the move with this number."""

    def found() -> list[dict[str, object]]:
        return [frame for frame in tab.frames if frame["type"] in kinds and frame.get("id") == number]

    await tab.until(lambda: found() != [])
    return found()[0]


async def test_a_connection_gets_the_state_and_then_each_change_once() -> None:
    async with serving() as (game, server):
        await game.ask(Step("cat"))
        ann, bob = await server.open("ann"), await server.open("bob")
        for tab in (ann, bob):
            await tab.until(partial(tab.has, "state", "players"))
        await ann.say({"type": "Step", "id": 1})
        assert await outcome(ann, 1, "done") == {"type": "done", "id": 1, "answer": 2}
        for tab in (ann, bob):
            await tab.until(partial(tab.has, "change"))
            state, change = (next(one for one in tab.frames if one["type"] == kind) for kind in ("state", "change"))
            assert state == {"type": "state", "kind": "stairs", "game": {"top": 9, "steps": ["cat"]}}
            assert change == {"type": "change", "version": 2, "events": [{"is": "Stepped", "player": "ann"}]}


async def test_a_move_that_waits_says_so_and_later_its_outcome() -> None:
    async with serving() as (game, server):
        ann = await server.open("ann")
        for number in (1, 2):
            await ann.say({"type": "Step", "id": number})
        assert await outcome(ann, 2, "waits", "done") == {"type": "waits", "id": 2}
        await ann.say({"type": "Stay", "id": 3})  # the connection works in the meantime
        assert await outcome(ann, 3, "done") == {"type": "done", "id": 3, "answer": None}
        await game.ask(Step("bob"))
        assert await outcome(ann, 2, "done") == {"type": "done", "id": 2, "answer": 3}


async def test_one_of_several_moves_that_wait_is_withdrawn() -> None:
    async with serving() as (game, server):
        ann = await server.open("ann")
        for number in (1, 2, 3):
            await ann.say({"type": "Step", "id": number})
        await outcome(ann, 3, "waits")
        await ann.say({"type": "withdraw", "id": 9})  # this move does not wait
        await ann.say({"type": "withdraw", "id": 2})
        assert await outcome(ann, 2, "withdrawn", "done") == {"type": "withdrawn", "id": 2}
        await game.ask(Step("bob"))
        await outcome(ann, 3, "done")
        assert (await game.look()).steps == ("ann", "bob", "ann")


async def test_a_connection_that_ends_withdraws_what_waits() -> None:
    async with serving() as (game, server):
        ann, bob = await server.open("ann"), await server.open("bob")
        for number in (1, 2):
            await ann.say({"type": "Step", "id": number})
        await outcome(ann, 2, "waits")
        await ann.socket.aclose()
        await bob.until(lambda: [{"is": "GaveUp", "player": "ann"}] in [frame.get("events") for frame in bob.frames])
        await game.ask(Step("bob"))
        assert (await game.look()).steps == ("ann", "bob")


async def test_a_refusal_has_words_and_a_code() -> None:
    async with serving(top=1) as (game, server):
        await game.ask(Step("bob"))
        ann = await server.open("ann")
        await ann.say({"type": "Step", "id": 1})
        assert await outcome(ann, 1, "refused") == {
            "type": "refused",
            "id": 1,
            "reason": "there are no more steps",
            "code": "at-the-top",
            "params": {},
        }


async def test_so_many_moves_of_a_player_wait_in_all_connections_and_no_more() -> None:
    async with serving() as (_, server):
        ann, also_ann = await server.open("ann"), await server.open("ann")
        for number in (1, 2, 3):
            await ann.say({"type": "Step", "id": number})
        await outcome(ann, 3, "waits")
        await also_ann.say({"type": "Step", "id": 4})
        await outcome(also_ann, 4, "waits")
        await also_ann.say({"type": "Step", "id": 5})
        assert (await outcome(also_ann, 5, "refused", "waits"))["code"] == "too-many-waiting"


async def test_a_player_moves_under_no_other_name() -> None:
    async with serving() as (game, server):
        ann = await server.open("ann")
        await ann.say({"type": "Step", "id": 1, "player": "bob"})
        await outcome(ann, 1, "done")
        assert (await game.look()).steps == ("ann",)


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "no JSON",
        "[]",
        "{}",
        '{"type": "Look"}',
        '{"type": "Withdraw"}',
        '{"type": "Step", "height": "high"}',
        '{"type": "Step", "id": "one"}',
        '{"type": "Step", "id": 9007199254740993}',
        "[" * 2000,
        b"\x00",
    ],
    ids=str,
)
async def test_a_frame_that_makes_no_sense_is_named_and_the_connection_goes_on(frame: str | bytes) -> None:
    async with serving() as (_, server):
        ann = await server.open("ann")
        await ann.say(frame)
        await ann.until(lambda: ann.count("error") == 1)
        await ann.say({"type": "Step", "id": 1})
        await outcome(ann, 1, "done")


async def test_a_bad_name_is_refused_in_words_that_a_page_can_read() -> None:
    async with serving() as (_, server):
        tab = await server.open("no+name")
        assert await tab.until_closed() == 1008
        assert [frame["type"] for frame in tab.frames] == ["error"]


async def test_everybody_is_told_who_is_here() -> None:
    async with serving() as (_, server):
        ann, bob = await server.open("ann"), await server.open("bob")
        here = {"type": "players", "players": ["ann", "bob"], "others": 0, "left": []}
        await ann.until(lambda: here in ann.frames)
        await bob.socket.aclose()
        await ann.until(lambda: {**here, "players": ["ann"], "left": ["bob"]} in ann.frames)


async def test_the_end_of_the_game_closes_the_connection_and_what_waits() -> None:
    async with serving() as (game, server):
        ann = await server.open("ann")
        for number in (1, 2):
            await ann.say({"type": "Step", "id": number})
        await outcome(ann, 2, "waits")
        await game.aclose()
        assert await ann.until_closed() == 1001


def test_a_move_has_to_have_its_player() -> None:
    class Wave(Command[None], frozen=True):
        hand: str

    with pytest.raises(TypeError, match="Wave has no field `player`"):
        MoveDecoder(Step | Wave)
