"""What makes a command well-formed on a board of some size: decided here alone, in words, before anything changes.

The front ends have refused most nonsense already. But an embedding program may send the owner what it likes, of any
type, and must not be able to bring the game down.
"""

from __future__ import annotations

from scramble.core import Command, Withdraw
from scramble.memory.boardfile import is_card, is_player
from scramble.memory.messages import (
    CommitMap,
    Flip,
    ListCards,
    Look,
    NewGame,
    Relinquish,
    Replace,
    TakeSnapshot,
    Watch,
)

NOT_A_PLAYER = "a player is one or more of the letters A-Z and a-z, the digits 0-9 and _"
LONGEST_QUOTE = 60  # characters of a caller's nonsense to be repeated in an answer of one line


def problem_of(command: Command[object], rows: int, columns: int) -> str | None:
    """Why `command` cannot be meant for a board of that size, in one line of ASCII; None if it can."""
    match command:
        case Flip(player, row, column):
            if not (_is_within(row, rows) and _is_within(column, columns)):
                return no_such_space(rows, columns)
        case Look(player) | Relinquish(player):
            pass
        case Watch(player, since):
            if since is not None and not _is_whole(since):
                return "a version is a whole number"
        case Replace(player, old, new):
            for card in (old, new):
                if not is_card(card):
                    return not_a_card(card)
        case CommitMap(player, mapping):
            if not _is_mapping(mapping):
                return "a map is a dictionary from cards to cards"
            for card in (*mapping, *mapping.values()):
                if not is_card(card):
                    return not_a_card(card)
        case NewGame(player, seed):
            if not _is_whole(seed) or not -(2**63) <= seed < 2**64:  # what a journal can hold
                return "a seed is a whole number of at most 64 bits"
        case ListCards() | TakeSnapshot() | Withdraw():
            return None
        case _:
            return f"Memory Scramble knows no command {type(command).__name__}"
    return None if is_player(player) else NOT_A_PLAYER


def no_such_space(rows: int, columns: int) -> str:
    """What to say of coordinates that are off the board. Does not quote them: Python cannot write very long numbers."""
    return f"no such space: rows are 0 to {rows - 1}, columns 0 to {columns - 1}"


def not_a_card(value: object) -> str:
    """What to say of something that is not a card."""
    return f"{quoted(value)} is not a card: a card is one or more characters, none of them white space"


def quoted(value: object) -> str:
    """`value` in quotes, escaped (it may hold what UTF-8 cannot encode) and not too long."""
    if isinstance(value, str) and len(value) > LONGEST_QUOTE:
        return f"{value[:LONGEST_QUOTE]!a}..."
    return ascii(value)


def _is_whole(value: object) -> bool:
    return type(value) is int  # neither True nor False, which would not come back out of a journal as numbers


def _is_within(value: object, size: int) -> bool:
    return type(value) is int and 0 <= value < size


def _is_mapping(value: object) -> bool:
    return isinstance(value, dict)
