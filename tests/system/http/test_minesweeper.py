"""Minesweeper's WebSocket over real sockets, under a real hypercorn. Clients know the field only from frames.

Partitions:
- a connection: the first; one of many; two of one name; with a bad name; that disconnects
- a move: with effect (dig, dig with a flood, flag, deflag), without (outside, huge, dug, flagged); with and without id
- a dig of a bomb: loses; with debug, does not lose; with more moves right after it; by two players at once
- after a loss: a move; another's move is still seen; rejoin; rejoin without a loss
- a change: by this tab; by another; by telnet; by the embedding program
- secrets: fields with the same BOARD give the same frames
- a client: reads; is too slow
- a received frame: invalid; binary; too long; many invalid frames; a flood
- the end: by the client; by the game closing
- beside the WebSocket: the page, its policy, the server's settings in it
"""

from __future__ import annotations

import itertools
import random
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import cast

import httpx
import pytest
import trio

from scramble.front.minesweeper.http import serve_minesweeper_http
from scramble.front.minesweeper.telnet import serve_telnet
from scramble.kernel.protocol import MOST_NAMED
from scramble.minesweeper import Field, Game, open_game
from scramble.server.protection.limits import ServerLimits
from tests.support.linewise import connected
from tests.support.minesweeper.diggers import Server, Tab, serving
from tests.support.websocket import Cut, Frame

# Two bombs:  . . . 1 *
#             . . . 2 2
#             . . . 1 *
BOMBS = [(4, 0), (4, 2)]


def field() -> Field:
    return Field(5, 3, BOMBS)


async def in_step(game: Game, *tabs: Tab) -> None:
    """Wait until every tab's mirror equals the game."""
    now = await game.snapshot()
    for tab in tabs:
        await tab.until(partial(tab.mirror.shows, now))


# frames


async def test_a_connection_is_a_player_and_gets_the_field_first() -> None:
    async with open_game(field()) as game, serving(game) as server:
        await game.flag(4, 0)
        alice = await server.open("alice")
        assert alice.frames[0] == {
            "type": "field",
            "version": 2,
            "columns": 5,
            "rows": 3,
            "lines": ["----F", "-----", "-----"],
            "players": [{"id": 1, "name": "alice", "at": None}],
            "you": 1,
        }


async def test_with_very_many_players_a_tab_is_told_the_first_and_itself_and_how_many_others_there_are() -> None:
    async with open_game(field()) as game, AsyncExitStack() as stack, serving(game) as server:
        for number in range(MOST_NAMED + 10):
            await stack.enter_async_context(game.connect(f"p{number}"))
        ann = await server.open("ann")
        whole = ann.frames[0]
        names = [player["name"] for player in cast(list[dict[str, object]], whole["players"])]
        assert names == [*(f"p{number}" for number in range(MOST_NAMED)), "ann"]
        assert (whole["others"], whole["you"]) == (10, MOST_NAMED + 11)
        await stack.aclose()
        await ann.until(lambda: list(ann.mirror.players) == [ann.mirror.you])


async def test_each_change_is_told_to_everybody_once_and_in_order() -> None:
    async with open_game(field()) as game, serving(game) as server:
        alice, bob = await server.open("alice"), await server.open("alice")
        assert await alice.move("dig", 0, 0) == {"type": "done", "id": 1, "version": 3}
        await bob.move("flag", 4, 0)
        await bob.move("deflag", 4, 0)
        await game.flag(4, 2)
        await in_step(game, alice, bob)
        runs = [[0, 0, "   1"], [0, 1, "   2"], [0, 2, "   1"]]
        changes: list[Frame] = [
            {"type": "change", "version": v, "events": [event]}
            for v, event in [
                (3, {"is": "dug", "x": 0, "y": 0, "player": 1, "runs": runs}),
                (4, {"is": "flagged", "x": 4, "y": 0, "player": 2, "runs": [[4, 0, "F"]]}),
                (5, {"is": "deflagged", "x": 4, "y": 0, "player": 2, "runs": [[4, 0, "-"]]}),
                (6, {"is": "flagged", "x": 4, "y": 2, "player": None, "runs": [[4, 2, "F"]]}),
            ]
        ]
        assert [frame for frame in alice.frames if frame["type"] == "change"][1:] == changes
        assert [frame for frame in bob.frames if frame["type"] == "change"] == changes
        assert alice.mirror.players == {1: ("alice", (0, 0)), 2: ("alice", (4, 0))}


@pytest.mark.parametrize(("x", "y"), [(-1, 0), (5, 0), (0, 3), (10**30, -(10**30)), (0, 0), (4, 1)])
async def test_a_move_without_effect_is_done_and_changes_nothing(x: int, y: int) -> None:
    async with open_game(field()) as game, serving(game) as server:
        await game.dig(0, 0)
        await game.flag(4, 1)
        alice = await server.open("alice")
        version = alice.mirror.version
        assert await alice.move("dig", x, y) == {"type": "done", "id": 1, "version": version}
        assert (await game.look()).version == version


async def test_a_move_without_an_id_is_made_and_answered() -> None:
    async with open_game(field()) as game, serving(game) as server:
        alice = await server.open("alice")
        await alice.say({"type": "flag", "x": 1, "y": 1})
        assert await alice.answer(None) == {"type": "done", "id": None, "version": 2}


async def test_a_connection_that_ends_takes_its_player_with_it() -> None:
    async with open_game(field()) as game, serving(game) as server:
        alice, bob = await server.open("alice"), await server.open("bob")
        await bob.socket.leave()
        await alice.until(lambda: alice.mirror.players == {1: ("alice", None)})


async def test_the_same_field_is_played_by_telnet_and_browser() -> None:
    async with open_game(field()) as game, serving(game) as server, trio.open_nursery() as nursery:
        telnet = await nursery.start(partial(serve_telnet, game, host="127.0.0.1", port=0))
        alice = await server.open("alice")
        async with connected(telnet) as client:
            assert b"Players: 2 including you" in await client.line()
            await alice.move("dig", 0, 0)
            await client.say(b"flag 4 0\n")
            assert (await client.lines(3)).splitlines()[0] == b"      1 F"
            await client.say(b"dig 4 2\n")
            assert await client.line() == b"BOOM!\r\n"
        await alice.until(lambda: alice.mirror.lines[2] == "     ")
        await alice.until(lambda: alice.mirror.players == {1: ("alice", (0, 0))})
        explosions = [e for frame in alice.frames for e in events(frame) if e["is"] == "exploded"]
        assert [(e["x"], e["y"], e["player"]) for e in explosions] == [(4, 2, 2)]
        nursery.cancel_scope.cancel()


def events(frame: Frame) -> list[Frame]:
    found = frame.get("events", [])
    assert isinstance(found, list)
    return found


# losing


async def test_whoever_digs_a_bomb_is_no_player_until_they_rejoin() -> None:
    async with open_game(field()) as game, serving(game) as server:
        alice, bob = await server.open("alice"), await server.open("bob")
        boom = await alice.move("dig", 4, 0)
        assert boom == {"type": "boom", "id": 1, "version": 3, "x": 4, "y": 0, "lost": True}
        await bob.until(lambda: bob.mirror.players == {2: ("bob", None)})

        refused = await alice.move("flag", 4, 2)
        assert refused["type"] == "error"
        assert "rejoin" in str(refused["reason"])
        assert (await game.look()).text.count("F") == 0

        await bob.move("flag", 4, 2)
        await in_step(game, alice, bob)  # a player who has lost still sees everything

        await alice.rejoin()
        assert alice.mirror.you == 3
        await alice.move("deflag", 4, 2)
        await in_step(game, alice, bob)
        assert bob.mirror.players == {2: ("bob", (4, 2)), 3: ("alice", (4, 2))}


async def test_moves_sent_right_behind_a_fatal_dig_are_not_made() -> None:
    async with open_game(field()) as game, serving(game) as server:
        alice = await server.open("alice")
        for move, x, y in [("dig", 4, 0), ("dig", 4, 2), ("flag", 0, 0), ("dig", 0, 2)]:
            await alice.start(move, x, y)
        answers = [(await alice.answer(number))["type"] for number in range(1, 5)]
        assert answers == ["boom", "error", "error", "error"]
        view = await game.look()
        assert view.version == 3  # the changes: alice connected, dug, and lost
        assert not (await game.dig(0, 2)).boom
        assert (await game.dig(4, 2)).boom


async def test_a_bomb_goes_off_once_even_if_two_dig_it_at_the_same_time() -> None:
    async with open_game(Field(1, 1, [(0, 0)])) as game, serving(game) as server:
        tabs = [await server.open(name) for name in ("alice", "bob", "carol")]
        async with trio.open_nursery() as nursery:
            for tab in tabs:
                nursery.start_soon(tab.move, "dig", 0, 0)
        assert sorted(str(tab.answers(1)[0]["type"]) for tab in tabs) == ["boom", "done", "done"]


async def test_with_debug_whoever_digs_a_bomb_plays_on() -> None:
    async with open_game(field()) as game, serving(game, debug=True) as server:
        alice = await server.open("alice")
        assert (await alice.move("dig", 4, 0))["lost"] is False
        assert (await alice.move("dig", 4, 2))["type"] == "boom"
        assert (await alice.move("dig", 0, 0))["type"] == "done"
        await in_step(game, alice)
        assert list(alice.mirror.players) == [1]


async def test_rejoining_without_a_loss_is_an_error() -> None:
    async with open_game(field()) as game, serving(game) as server:
        alice = await server.open("alice")
        await alice.say({"type": "rejoin"})
        assert "not lost" in str((await alice.answer(None))["reason"])
        assert alice.mirror.you == 1


@pytest.mark.parametrize("seed", range(3))
async def test_after_any_play_with_losses_and_rejoining_every_mirror_shows_the_field(seed: int) -> None:
    rng = random.Random(seed)
    async with open_game(Field.random(12, 9, seed=seed)) as game, serving(game) as server:

        async def play(tab: Tab) -> None:
            for _ in range(40):
                move = rng.choice(["dig", "dig", "flag", "deflag"])
                if (await tab.move(move, rng.randrange(12), rng.randrange(9)))["type"] == "boom":
                    await tab.rejoin()

        tabs = [await server.open(f"player{number}") for number in range(5)]
        async with trio.open_nursery() as nursery:
            for tab in tabs:
                nursery.start_soon(play, tab)
        await in_step(game, *tabs)
        assert sorted(tabs[0].mirror.players) == sorted(tab.mirror.you or 0 for tab in tabs)


async def test_a_tab_that_fell_behind_gets_the_field_and_is_still_told_who_it_is() -> None:
    async with open_game(Field(2, 2, [(0, 0)])) as game, serving(game) as server:
        slow, quick = await server.connect("slow", receive_buffer=4096), await server.open("quick")
        await slow.read()
        for _ in range(1500):  # more data than the sockets of a slow reader buffer
            await game.flag(1, 1)
            await game.deflag(1, 1)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(slow.read_all)
            await in_step(game, slow, quick)
            nursery.cancel_scope.cancel()
        assert slow.mirror.you == 1
        assert quick.mirror.you == 2
        assert slow.count("field") > 1


# secrecy


def play_on(field: Field, moves: list[tuple[str, int, int]]) -> list[str]:
    """Return the BOARD after each move."""
    return [getattr(field, move)(x, y).text for move, x, y in moves]


async def all_frames(bombs: list[tuple[int, int]], moves: list[tuple[str, int, int]]) -> list[Frame]:
    """Return every frame that two players get while one of them makes these moves."""
    async with open_game(Field(4, 3, bombs)) as game, serving(game) as server:
        alice, bob = await server.open("alice"), await server.open("bob")
        for move, x, y in moves:
            assert (await alice.move(move, x, y))["type"] == "done"
        await in_step(game, alice, bob)
        return [
            frame
            for tab in (alice, bob)
            for kind in ("field", "change", "done")
            for frame in tab.frames
            if frame["type"] == kind
        ]


async def test_no_frame_differs_between_fields_that_the_board_does_not_tell_apart() -> None:
    """Take all fields of 4x3 squares with the same BOARDs during these moves. Compare the two most different fields."""
    moves = [("flag", 3, 0), ("dig", 0, 0), ("flag", 3, 2), ("dig", 2, 1), ("deflag", 3, 0), ("dig", 0, 2)]
    squares = [(x, y) for y in range(3) for x in range(4)]
    alike: dict[tuple[str, ...], list[list[tuple[int, int]]]] = {}
    for count in (2, 3):
        for bombs in itertools.combinations(squares, count):
            if not set(bombs) & {(0, 0), (2, 1), (0, 2)}:
                alike.setdefault(tuple(play_on(Field(4, 3, bombs), moves)), []).append(list(bombs))
    candidates = max(alike.values(), key=len)
    assert len(candidates) > 2
    first, second = max(itertools.combinations(candidates, 2), key=lambda pair: len(set(pair[0]) ^ set(pair[1])))
    assert await all_frames(first, moves) == await all_frames(second, moves)


# limits and ends


@pytest.mark.parametrize(
    ("frame", "id"),
    [
        ("hello", None),
        ('{"type":"dig","id":7,"x":0}', 7),
        ('{"type":"dig","id":7,"x":"0","y":0}', 7),
        ('{"type":"look","id":7}', 7),
        ("[" * 4000, None),
        (b'{"type":"rejoin"}', None),
    ],
)
async def test_a_frame_that_makes_no_sense_is_answered_with_an_error_and_its_id(
    frame: str | bytes, id: int | None
) -> None:
    async with open_game(field()) as game, serving(game) as server:
        alice = await server.open("alice")
        await alice.say(frame)
        assert (await alice.answer(id))["type"] == "error"
        assert (await alice.move("dig", 0, 0))["type"] == "done"


async def test_a_frame_that_is_too_long_closes_the_connection() -> None:
    async with open_game(field()) as game, serving(game) as server:
        alice = await server.open("alice")
        await alice.say('{"type":"dig"' + " " * 4096 + "}")
        assert await alice.until_closed() == 1009


@pytest.mark.parametrize("frame", ['{"type":"dig","x":0,"y":0}', "nonsense"])
async def test_too_many_frames_close_the_connection(frame: str) -> None:
    async with open_game(field()) as game, serving(game, limits=ServerLimits(frames=30, bad_frames=5)) as server:
        alice = await server.open("alice")
        with suppress(Cut):
            for _ in range(60):
                await alice.say(frame)
        assert await alice.until_closed() == 1008


async def test_moves_refused_after_a_loss_do_not_count_as_bad_frames() -> None:
    async with (
        open_game(field()) as game,
        serving(game, limits=ServerLimits(bad_frames=1, bad_frames_per_s=0)) as server,
    ):
        alice = await server.open("alice")
        await alice.move("dig", 4, 0)
        for _ in range(5):
            assert (await alice.move("dig", 0, 0))["type"] == "error"
        await alice.rejoin()


@pytest.mark.parametrize("name", ["b%20b", "b" * 256])
async def test_a_name_that_is_none_or_too_long_is_refused_in_words(name: str) -> None:
    async with open_game(field()) as game, serving(game) as server:
        ann = await server.open("a" * 255)
        tab = await server.connect(name)
        await tab.read_all()
        assert [frame["type"] for frame in tab.frames] == ["error"]
        assert tab.closed == 1008
        assert [player.id for player in (await game.snapshot()).players] == [ann.mirror.you]


async def test_when_the_game_closes_everybody_is_told_that_the_server_goes_away() -> None:
    async with open_game(field()) as game, serving(game) as server:
        alice = await server.open("alice")
        await game.aclose()
        assert await alice.until_closed() == 1001
        late = await server.connect("late")
        await late.read_all()
        assert late.closed == 1001


async def test_serving_ends_when_it_is_told_to_and_the_game_goes_on() -> None:
    async with open_game(field()) as game, trio.open_nursery() as nursery:
        stop = trio.Event()
        done = trio.Event()

        async def serve(task_status: trio.TaskStatus[object]) -> None:
            await serve_minesweeper_http(game, port=0, stop=stop.wait, task_status=task_status)
            done.set()

        await nursery.start(serve)
        stop.set()
        await done.wait()
        assert not (await game.dig(0, 0)).boom


# beside the WebSocket


async def get(server: Server, path: str) -> httpx.Response:
    async with httpx.AsyncClient() as client:
        return await client.get(server.url + path)


async def test_the_page_is_served_with_a_policy_that_lets_nothing_else_in() -> None:
    async with open_game(field()) as game, serving(game) as server:
        page = await get(server, "")
        assert ">Minesweeper</title>" in page.text
        assert page.headers["Content-Security-Policy"].startswith("default-src 'self';")
        assert (await get(server, "client/minesweeper/minesweeper.js")).status_code == 200


@pytest.mark.parametrize("port", [None, 4444])
async def test_the_page_can_ask_how_to_come_by_telnet(port: int | None) -> None:
    async with open_game(field()) as game, serving(game, telnet_port=port) as server:
        assert (await get(server, "server")).json() == {"debug": False, "telnet": port}
