"""Memory Scramble's WebSocket over real sockets, under a real hypercorn. Clients know the game only from frames.

Partitions:
- a connection: the first; one of many; several of one player; to another server of the game; with a bad player's name
- a change: of cards; of control only; of the waiting players; a new game; a replacement
- a received frame: invalid, in each way; binary; longer than our limit; longer than hypercorn's limit
- received frames: one by one; a flood; many invalid ones
- a client: reads; does not read
- the end: by the client, cleanly or not; by the game closing; by the game dying; by the server stopping; by a limit

test_memory_moves tests flips and their outcomes. tests/unit tests the encoding of each frame.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.front.memory.http import serve_http
from scramble.kernel.actor import open_actor
from scramble.kernel.nursery import SideTasks
from scramble.kernel.protocol import Command, Outcome, Ticket
from scramble.memory import Board, open_game
from scramble.memory.game import Game
from scramble.memory.messages import ListCards
from scramble.server.protection.limits import ServerLimits
from tests.support.memory.tabs import Server, Tab, in_step, public, serving

BOARD = """\
3x3
A
B
A
B
A
B
A
B
C
"""


# frames out


async def test_a_connection_gets_the_board_first_and_then_who_is_here() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        await game.flip("bob", 0, 1)
        tab = await server.open("alice")
        assert [frame["type"] for frame in tab.frames] == ["board", "players"]
        assert tab.mirror.cells[1] == {"is": "up", "card": "B", "by": "bob"}
        assert tab.mirror.cells[0] == {"is": "down"}
        assert tab.mirror.scores == {"bob": 0}


async def test_a_change_has_only_what_changed_and_is_the_same_for_everybody() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        tabs = [await server.open(player) for player in ("alice", "bob", "carol")]
        await game.flip("dave", 2, 2)
        await in_step(game, *tabs)
        await game.flip("dave", 2, 1)
        await in_step(game, *tabs)
        assert tabs[0].frames[-1] == {
            "type": "change",
            "version": 2,
            "cells": [
                {"row": 2, "column": 1, "cell": {"is": "up", "card": "B", "by": None}},
                {"row": 2, "column": 2, "cell": {"is": "up", "card": "C", "by": None}},
            ],
        }
        assert [tab.frames[-2:] for tab in tabs] == [tabs[0].frames[-2:]] * 3


async def test_a_new_game_is_a_new_board_for_everybody_and_refuses_the_flips_that_waited() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice, bob = await server.open("alice"), await server.open("bob")
        await alice.flip(0, 0)
        waiting = await bob.start_flip(0, 0)
        assert await bob.outcome(waiting) == ("waiting", "1-D")
        await game.new_game("carol", seed=1)
        assert await bob.outcome(waiting, 2) == ("refused", None)
        await in_step(game, alice, bob)
        assert alice.count("board") == bob.count("board") == 2
        assert bob.mirror.waiting == {}
        assert await bob.flip(0, 0) == ("ok", "1-B")
        await in_step(game, alice, bob)


@pytest.mark.parametrize("seed", range(3))
async def test_after_any_play_the_mirror_of_every_tab_shows_the_game_as_it_is(seed: int) -> None:
    """Several players and tabs, on two servers, with replacements, withdrawals, disconnects, connects and new games."""
    rng = random.Random(seed)
    async with (
        open_game(Board.parse("4x4\n" + "A\nA\nB\nB\nC\nC\nD\nD\n" * 2)) as game,
        serving(game) as server,
        serving(game) as other,
    ):

        async def play(tab: Tab, moves: int) -> None:
            for _ in range(moves):
                move = rng.random()
                if move < 0.8:
                    number = await tab.start_flip(rng.randrange(4), rng.randrange(4))
                    if (await tab.outcome(number))[0] == "waiting" and rng.random() < 0.7:
                        await tab.say({"type": "withdraw"})
                        assert (await tab.outcome(number, 2))[0] in ("withdrawn", "ok", "failed", "refused")
                elif move < 0.9:
                    number = 1_000_000 + rng.randrange(1_000_000)
                    old, new = rng.choice("ABCDE"), rng.choice("ABCDE")
                    await tab.say({"type": "replace", "id": number, "old": old, "new": new})
                    assert await tab.outcome(number) == ("ok", None)
                elif move < 0.92:
                    await game.new_game("nobody", rng.randrange(1000))
                else:
                    visitor = await rng.choice([server, other]).open("visitor")
                    await visitor.start_flip(rng.randrange(4), rng.randrange(4))
                    await visitor.socket.leave()

        players = ["alice", "alice", "bob", "carol"]
        tabs = [await rng.choice([server, other]).open(player) for player in players]
        async with trio.open_nursery() as nursery:
            for tab in tabs:
                nursery.start_soon(play, tab, 25)
        late = await server.open("late")
        await wait_all_tasks_blocked()
        await in_step(game, *tabs, late)


# presence


async def test_everybody_is_told_who_is_here_and_two_tabs_of_one_player_count_once() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice, bob = await server.open("alice"), await server.open("bob")
        twin = await server.open("bob")
        await alice.until(lambda: alice.mirror.players == ["alice", "bob"])
        carol = await server.open("carol")
        await alice.until(lambda: "carol" in alice.mirror.players)
        await bob.socket.leave()
        await carol.socket.leave()
        await alice.until(lambda: "carol" not in alice.mirror.players)
        assert alice.mirror.players == ["alice", "bob"]
        await twin.socket.leave()
        await alice.until(lambda: alice.mirror.players == ["alice"])


# frames in


BAD_FRAMES: list[str | bytes] = [
    "",
    "flip",
    "{}",
    "[]",
    "null",
    '{"type":"flip"}',
    '{"type":"flip","row":0}',
    '{"type":"flip","row":"0","column":0}',
    '{"type":"flip","row":0.5,"column":0}',
    '{"type":"flip","row":0,"column":0,"id":"x"}',
    '{"type":"fly","row":0,"column":0}',
    '{"type":"replace","old":"A"}',
    '{"type":"flip","row":0,"column":0}{}',
    b"",
    b'{"type":"flip","row":0,"column":0}',
    b"\xff",
]


async def test_a_frame_that_makes_no_sense_is_answered_by_an_error_and_changes_nothing() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice = await server.open("alice")
        for number, frame in enumerate(BAD_FRAMES, 1):
            await alice.socket.send(frame)
            await alice.until(partial(alice.has, "error", number))
            assert alice.frames[-1]["reason"]
        assert (await game.snapshot()).scores == {}
        assert await alice.flip(0, 0) == ("ok", "1-B")


async def test_too_many_bad_frames_close_the_connection_with_1008() -> None:
    async with (
        open_game(Board.parse(BOARD)) as game,
        serving(game, limits=ServerLimits(frames=1e9, bad_frames=3, bad_frames_per_s=0)) as server,
    ):
        alice = await server.open("alice")
        for _ in range(4):
            await alice.socket.send("nonsense")
        assert await alice.until_closed() == 1008
        assert alice.count("error") == 4


async def test_a_flood_of_frames_closes_the_connection_with_1008_and_nobody_elses() -> None:
    async with (
        open_game(Board.parse(BOARD)) as game,
        serving(game, limits=ServerLimits(frames=20, frames_per_s=0)) as server,
    ):
        alice, bob = await server.open("alice"), await server.open("bob")
        for _ in range(21):
            await alice.start_flip(0, 0)
        assert await alice.until_closed() == 1008
        assert await bob.flip(2, 2) == ("ok", "1-B")


@pytest.mark.parametrize(
    "frame", ["x" * 4097, "\u00e9" * 2049, "x" * 9000, b"x" * 9000, "x" * 200_000], ids=lambda frame: f"{len(frame)}"
)
async def test_a_frame_that_is_too_long_closes_the_connection_with_1009(frame: str | bytes) -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice = await server.open("alice")
        await alice.socket.send(frame)
        assert await alice.until_closed() == 1009


async def test_a_frame_of_the_greatest_length_is_read() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice = await server.open("alice")
        frame = '{"type":"flip","row":0,"column":0,"id":5}'
        await alice.socket.send(frame + " " * (4096 - len(frame)))
        assert await alice.outcome(5) == ("ok", "1-B")


@pytest.mark.parametrize("player", ["not-a-player", "%20", "%C3%A9", "a.b", "a" * 256])
async def test_a_bad_player_is_told_so_and_closed_with_1008(player: str) -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        other = await server.open("a" * 255)
        tab = await server.connect(player)
        while tab.closed is None:
            await tab.read()
        assert tab.closed == 1008
        assert [frame["type"] for frame in tab.frames] == ["error"]
        assert other.mirror.players == ["a" * 255]


# the end


async def test_closing_the_game_tells_everybody_that_the_server_goes_away() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice, bob = await server.open("alice"), await server.open("bob")
        await alice.flip(0, 0)
        await bob.flip(0, 0)
        await game.aclose()
        assert await alice.until_closed() == await bob.until_closed() == 1001
        late = await server.connect("late")
        await late.read()
        assert late.closed == 1001


async def test_stopping_the_server_alone_tells_its_clients_and_the_game_goes_on_elsewhere() -> None:
    stop = trio.Event()
    async with (
        open_game(Board.parse(BOARD)) as game,
        serving(game, stop=stop.wait) as server,
        serving(game) as other,
    ):
        alice, bob, carol = await server.open("alice"), await server.open("bob"), await other.open("carol")
        await carol.flip(0, 0)
        assert await bob.flip(0, 0) == ("waiting", "1-D")
        stop.set()
        assert await alice.until_closed() == await bob.until_closed() == 1001
        assert await carol.flip(0, 2) == ("ok", "2-D")
        await in_step(game, carol)
        assert carol.mirror.waiting == {}


class Buggy:
    """A board with a bug: a list of its cards kills the owner task."""

    def __init__(self, board: Board) -> None:
        self._board = board

    @property
    def version(self) -> int:
        return self._board.version

    def apply(self, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        if isinstance(command, ListCards):
            raise ZeroDivisionError("a bug")
        return self._board.apply(ticket, command)


async def test_a_game_that_dies_of_a_bug_closes_its_connections_with_1011() -> None:
    async with trio.open_nursery() as nursery:
        ready: trio.MemorySendChannel[Game]
        ready, games = trio.open_memory_channel[Game](1)

        async def own() -> None:
            with pytest.raises(ExceptionGroup):
                async with open_actor(Buggy(Board.parse(BOARD))) as actor, SideTasks() as beside:
                    await ready.send(Game(actor, beside))
                    await trio.sleep_forever()

        nursery.start_soon(own)
        game = await games.receive()
        async with serving(game) as server:
            alice, bob = await server.open("alice"), await server.open("bob")
            await alice.flip(0, 0)
            assert await bob.flip(0, 0) == ("waiting", "1-D")
            with pytest.raises(Exception, match="bug"):
                await game.ask(ListCards())
            assert await alice.until_closed() == await bob.until_closed() == 1011


# many, and slow ones


async def test_eight_tabs_of_one_browser_all_play_and_hang_nowhere() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        tabs = [await server.open(f"player{i}") for i in range(8)]
        await tabs[0].flip(0, 0)
        for tab in tabs[1:]:
            assert await tab.flip(0, 0) == ("waiting", "1-D")
        await in_step(game, *tabs)
        assert list(tabs[3].mirror.waiting) == [f"player{i}" for i in range(1, 8)]
        await tabs[0].flip(0, 1)
        assert await tabs[1].outcome(1, 2) == ("ok", "1-C")
        await in_step(game, *tabs)


async def test_a_connection_that_does_not_read_delays_nobody_and_gets_a_board_instead_of_a_backlog() -> None:
    card = "X" * 30_000  # all changes together are larger than any socket buffer
    changes = 600
    async with open_game(Board.parse(f"1x3\n{card}\n{card}\nB\n")) as game, serving(game) as server:
        slow = await server.connect("slow", receive_buffer=4096)
        await slow.read()
        alice = await server.open("alice")
        # each flip waits for its answer: the client that does not read delays no other client
        for i in range(changes // 2):
            await alice.flip(0, 2)
            assert (await alice.flip(0, i % 2)) == ("ok", "2-E")
        await in_step(game, alice)
        assert alice.count("change") == changes
        assert alice.count("board") == 1
        now = public(await game.snapshot())
        while not slow.mirror.shows(now):
            await slow.read()
        assert slow.count("board") >= 2
        assert slow.count("change") < changes - 100


async def test_a_client_that_asks_without_reading_is_answered_in_full_once_it_reads() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice = await server.connect("alice", receive_buffer=4096)
        for number in range(500):
            await alice.say({"type": "replace", "id": number, "old": "A", "new": "A"})
        while not alice.outcomes(499):
            await alice.read()
        assert [f["id"] for f in alice.frames if f["type"] == "replace"] == list(range(500))


async def test_the_server_of_the_whole_game_has_the_websocket_too() -> None:
    async with open_game(Board.parse(BOARD)) as game, trio.open_nursery() as nursery:
        address = await nursery.start(partial(serve_http, game, port=0))
        server = Server(address, nursery)
        alice = await server.open("alice")
        assert await alice.flip(0, 0) == ("ok", "1-B")
        await server.aclose()
        nursery.cancel_scope.cancel()
