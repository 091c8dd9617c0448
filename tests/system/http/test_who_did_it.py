"""Players in the WebSocket's frames: the beginner of a game, the replacer of cards, absent players, taken names.

Partitions:
- a new game: by POST, by WebSocket, by the embedding program; the frame comes before the board's, to everybody
- a replacement: face up, face down, of nothing
- absent players: with a card or without; with `release_idle`, without; seen by later connections; return
- another browser under the same name: tabs of one browser, another browser, a program, an invalid identity
"""

from __future__ import annotations

import pytest
from trio.testing import MockClock

from scramble.memory import Board, open_game
from tests.support.memory.tabs import Tab, in_step, serving
from tests.support.websocket import Frame

ABA = "1x3\nA\nB\nA\n"
ONE = "browser=0123456789abcdef"
OTHER = "browser=fedcba9876543210"


def kinds(tab: Tab) -> list[object]:
    """The types of the received frames, without the frames about present players and colours."""
    return [frame["type"] for frame in tab.frames if frame["type"] not in ("players", "hues")]


def who_is_here(tab: Tab) -> Frame:
    """The latest frame about the present players."""
    return [frame for frame in tab.frames if frame["type"] == "players"][-1]


async def test_everybody_is_told_who_began_a_new_game_before_its_board() -> None:
    async with open_game(Board.parse(ABA)) as game, serving(game) as server:
        alice, bob = await server.open("alice"), await server.open("bob")
        await alice.say({"type": "new", "id": 1})
        await alice.until(lambda: {"type": "new", "id": 1, "outcome": "ok", "reason": None} in alice.frames)
        for tab in (alice, bob):
            await tab.until(lambda tab=tab: tab.count("board") == 2)  # type: ignore[misc]
            assert [kind for kind in kinds(tab) if kind != "new"] == ["board", "restarted", "board"]
            assert {"type": "restarted", "player": "alice"} in tab.frames
        await game.new_game("carol", 1)
        await bob.until(lambda: bob.count("board") == 3)
        assert bob.frames[-2] == {"type": "restarted", "player": "carol"}


async def test_everybody_is_told_who_replaced_cards_and_nothing_if_none_was() -> None:
    async with open_game(Board.parse(ABA)) as game, serving(game) as server:
        bob = await server.open("bob")
        await game.replace("alice", "X", "Y")
        for old, new in (("A", "C"), ("C", "D")):
            await game.replace("alice", old, new)
            await in_step(game, bob)
            assert bob.frames[-1]["replaced_by"] == ["alice"]
        assert kinds(bob) == ["board", "change", "change"]


async def test_who_has_left_is_told_and_late_comers_are_told_when_the_cards_come_free(mock_clock: MockClock) -> None:
    async with open_game(Board.parse(ABA), release_idle=10) as game, serving(game) as server:
        bob, alice = await server.open("bob"), await server.open("alice")
        assert await alice.flip(0, 0) == ("ok", "1-B")
        await in_step(game, bob)
        mock_clock.jump(1)  # the pause between two of these frames is over
        await bob.until(lambda: "alice" in bob.mirror.players)
        mock_clock.jump(1)
        await alice.socket.leave()
        await bob.until(lambda: who_is_here(bob) == {"type": "players", "players": ["bob"], "left": {"alice": 10}})
        mock_clock.jump(4)
        carol = await server.open("carol")
        assert who_is_here(carol) == {"type": "players", "players": ["bob", "carol"], "left": {"alice": 6}}
        again = await server.open("alice")
        assert who_is_here(again) == {"type": "players", "players": ["alice", "bob", "carol"]}


async def test_without_release_idle_who_has_left_is_named_and_no_time() -> None:
    async with open_game(Board.parse(ABA)) as game, serving(game) as server:
        bob, alice = await server.open("bob"), await server.open("alice")
        await alice.flip(0, 0)
        await alice.socket.leave()
        await bob.until(lambda: who_is_here(bob) == {"type": "players", "players": ["bob"], "left": {"alice": None}})


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (ONE, OTHER, True),
        (ONE, ONE, False),
        (ONE, "", False),
        ("", OTHER, False),
        (ONE, "browser=short", False),
        (ONE, "browser=no!such!browser!", False),
    ],
)
async def test_a_second_browser_under_a_name_is_told_so_first_of_all_and_nobody_else_is(
    first: str, second: str, told: bool
) -> None:
    async with open_game(Board.parse(ABA)) as game, serving(game) as server:
        bob, carol = await server.open(f"bob?{first}"), await server.open("carol")
        again = await server.open(f"bob?{second}")
        assert kinds(again)[0] == ("namesake" if told else "board")
        assert await again.flip(0, 0) == ("ok", "1-B"), "it may play"
        await in_step(game, bob, carol)
        for tab in (bob, carol):
            assert "namesake" not in kinds(tab)
            assert all("0123456789abcdef" not in str(frame) for frame in tab.frames)
