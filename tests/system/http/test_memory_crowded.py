"""Memory Scramble's WebSocket with very many players: frames name some of them and count the others.

Partitions:
- players with a score: all are named; some are not named, for a connection from before and after the limit is reached
- connected players: all are named; some are not named
"""

from __future__ import annotations

from contextlib import suppress
from typing import cast

from scramble.kernel.protocol import MOST_NAMED
from scramble.memory import Board, FlipFailed, open_game
from scramble.memory.game import Game
from tests.support.memory.tabs import serving

BOARD = "1x4\nA\nA\nB\nC\n"


async def come(game: Game, *players: str) -> None:
    """Give each of these players a score of 0 and no card."""
    for player in players:
        await game.flip(player, 0, 3)
        with suppress(FlipFailed):
            await game.flip(player, 0, 3)


async def test_a_board_names_the_best_and_tells_a_player_who_is_not_among_them_the_own_score() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        await come(game, *(f"p{number}" for number in range(MOST_NAMED)))
        early = await server.open("early")
        await game.flip("ann", 0, 0)
        await game.flip("ann", 0, 1)
        await come(game, "zoe")
        await early.until(lambda: early.mirror.scores.get("zoe") == 0)
        counts = [frame["score_count"] for frame in early.frames if "score_count" in frame]
        assert counts[-1] == MOST_NAMED + 2
        zoe, bob = await server.open("zoe"), await server.open("bob")
        board = zoe.frames[0]
        assert (len(cast(dict[str, int], board["scores"])), board["score_count"]) == (MOST_NAMED, MOST_NAMED + 2)
        await zoe.until(lambda: zoe.count("score") == 1)
        assert {"type": "score", "pairs": 0} in zoe.frames
        assert (bob.count("score"), early.count("score")) == (0, 0)
        await game.flip("ann", 0, 2)
        late = await server.open("ann")
        assert cast(dict[str, int], late.frames[0]["scores"])["ann"] == 1
        assert late.count("score") == 0


async def test_a_player_who_makes_room_for_another_is_told_to_have_no_score() -> None:
    async with open_game(Board(1, 4, ("A", "A", "B", "C"), most_scores=2)) as game, serving(game) as server:
        tab = await server.open("ann")
        await come(game, "p0", "p1", "p2")
        await tab.until(lambda: "p2" in tab.mirror.scores)
        told: dict[str, int | None] = {}
        for frame in tab.frames:
            told |= cast(dict[str, int | None], frame.get("scores", {}))
        assert told == {"p0": None, "p1": 0, "p2": 0}


async def test_of_very_many_who_are_connected_some_are_named_and_all_are_counted() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        names = {f"p{number}" for number in range(MOST_NAMED + 1)}
        tabs = [await server.connect(name) for name in names]
        while (frame := tabs[-1].frames[-1] if tabs[-1].frames else {}).get("others") != 1:
            await tabs[-1].read()
        named = cast(list[str], frame["players"])
        assert (len(named), named) == (MOST_NAMED, sorted(names & set(named)))
