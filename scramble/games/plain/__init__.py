"""Ready-made parts for a small game. Its state is one value; its page gets this value and the later events.

    rules        the state, waiting moves, journals
    door         the embedding API, and rooms
    narrator     replays

`scramble.front.plain` has the network side. docs/tutorial/your-own-game.md builds a game from these parts. A larger
game may replace single parts: all parts implement interfaces of `scramble.games` and `scramble.kernel.protocol`.
"""

from scramble.games.plain.door import PlainGame, has_begun, join_game, open_game, plain_room
from scramble.games.plain.narrator import Picture, plain_narrator
from scramble.games.plain.rules import Done, PlainRules, TooManyMoves, Wait

__all__ = [
    "Done",
    "Picture",
    "PlainGame",
    "PlainRules",
    "TooManyMoves",
    "Wait",
    "has_begun",
    "join_game",
    "open_game",
    "plain_narrator",
    "plain_room",
]
