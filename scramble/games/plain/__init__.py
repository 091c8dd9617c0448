"""Ready-made parts for a small game: its rules are one value, its page gets that value and the events after it.

    rules        the state, the moves that wait, journals
    door         the embedding API, and rooms
    narrator     replays

`scramble.front.plain` has the network side. docs/tutorial/your-own-game.md builds a game of them. A game that outgrows
a part replaces that part alone: all of them keep the interfaces of `scramble.games` and `scramble.kernel.protocol`.
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
