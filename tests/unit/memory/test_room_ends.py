"""The end of a game of Memory Scramble in a room, compared with a model that knows the cards.

Testing strategy. Hypothesis draws a small board with any number of equal cards, and plays at random: first and second
cards, cards that other players hold, waits, players who leave with one card or a pair, replaced cards. After each
command the test compares `result_of`, and a task that waits in `finished`, with the model. The model says that the game
is over if all equal cards that are left are matched pairs under the control of their finders. The result counts
these pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress

import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict

from scramble.errors import CallerError
from scramble.games.room import GameResult
from scramble.memory import Board, Game, PlayerFigures, open_game
from scramble.memory.messages import FaceUp, Flip, NoCard, Relinquish, RelinquishAwaited, Replace
from scramble.memory.room import finished, result_of

PLAYERS = st.sampled_from(["ann", "bob"])
ROWS, COLUMNS = 2, 2

COMMANDS = st.one_of(
    *[st.builds(Flip, PLAYERS, st.integers(0, ROWS - 1), st.integers(0, COLUMNS - 1))] * 8,
    st.builds(Relinquish, PLAYERS),
    st.builds(RelinquishAwaited, PLAYERS),
    st.builds(Replace, PLAYERS, st.sampled_from("ABC"), st.sampled_from("AB")),
)


async def expected(game: Game, cards: list[str]) -> GameResult | None:
    """Return the result, computed from the hidden cards; None if the game is not over."""
    snapshot = await game.snapshot()
    lying = [(card, cell) for card, cell in zip(cards, snapshot.cells, strict=True) if not isinstance(cell, NoCard)]
    holding = Counter(cell.by for _, cell in lying if isinstance(cell, FaceUp) and cell.by is not None)
    matched = {player for player, count in holding.items() if count == 2}
    left = Counter(card for card, cell in lying if not isinstance(cell, FaceUp) or cell.by not in matched)
    if any(count > 1 for count in left.values()):
        return None
    return GameResult.of({player: pairs + (player in matched) for player, pairs in snapshot.scores.items()})


def with_figures(result: GameResult, figures: Mapping[str, PlayerFigures]) -> GameResult:
    return GameResult(result.scores, result.winners, {name: asdict(one) for name, one in figures.items()})


async def pair_to_find(game: Game, cards: list[str]) -> tuple[int, int] | None:
    """Return the numbers of two equal cards that nobody controls."""
    cells = (await game.snapshot()).cells
    free = [
        place for place, cell in enumerate(cells) if not isinstance(cell, NoCard) and getattr(cell, "by", None) is None
    ]
    return next(((one, two) for one in free for two in free if one < two and cards[one] == cards[two]), None)


@given(st.lists(st.sampled_from("AB"), min_size=4, max_size=4), st.lists(COMMANDS, max_size=30))
@settings(max_examples=40)
def test_a_game_is_over_exactly_when_no_pair_is_left_to_find(
    cards: list[str], commands: list[Flip | Relinquish | RelinquishAwaited | Replace]
) -> None:
    async def play() -> None:
        async with open_game(Board(ROWS, COLUMNS, tuple(cards))) as game, trio.open_nursery() as nursery:
            results: list[GameResult] = []

            async def wait() -> None:
                results.append(await finished(game))

            async def do(command: Flip | Relinquish | RelinquishAwaited | Replace) -> None:
                with suppress(CallerError):
                    await game.ask(command)

            async def is_over_after(command: Flip | Relinquish | RelinquishAwaited | Replace) -> bool:
                nursery.start_soon(do, command)
                await trio.testing.wait_all_tasks_blocked()
                if isinstance(command, Replace):
                    cards[:] = [command.new if card == command.old else card for card in cards]
                result = await expected(game, cards)
                assert result_of(await game.snapshot()) == result
                figures = await game.figures() or {}
                assert results == ([] if result is None else [with_figures(result, figures)])
                return result is not None

            nursery.start_soon(wait)
            rest = iter(commands)
            while (command := next(rest, None)) is not None and not await is_over_after(command):
                pass
            if command is None:  # after the random commands ann finds each pair
                for player in ("ann", "bob", "ann"):  # ann may have waited for bob's card
                    await is_over_after(Relinquish(player))
                for _ in range(ROWS * COLUMNS):
                    for place in await pair_to_find(game, cards) or ():
                        await is_over_after(Flip("ann", *divmod(place, COLUMNS)))
                assert results
            nursery.cancel_scope.cancel()

    trio.run(play)
