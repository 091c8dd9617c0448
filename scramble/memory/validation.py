"""Validation of cards, players and commands before any change, with messages for people.

The front ends reject most invalid requests earlier. But an embedding program may send values of any type to the owner.
These values must not crash the game.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, TypeGuard

from scramble.kernel.protocol import Command, Withdraw
from scramble.memory.messages import (
    BoundScores,
    CommitMap,
    Flip,
    ListCards,
    Look,
    NewGame,
    Relinquish,
    RelinquishAwaited,
    Replace,
    TakeFigures,
    TakeSnapshot,
    Watch,
)

NOT_A_PLAYER = "a player is one or more of the letters A-Z and a-z, the digits 0-9 and _"
LONGEST_QUOTE = 60  # characters of an invalid value that an error message quotes

# Lone surrogates are not white space, but they have no UTF-8 encoding. So the server could not send a board with a lone
# surrogate.
CARD: Final = re.compile(r"[^\s\n\r\ud800-\udfff]+")
_PLAYER: Final = re.compile(r"[A-Za-z0-9_]+")


def is_card(value: object) -> TypeGuard[str]:
    """Return True for a card: a non-empty string without Unicode white space that has a UTF-8 encoding."""
    return isinstance(value, str) and CARD.fullmatch(value) is not None


def is_player(value: object) -> TypeGuard[str]:
    """Return True for a player's ID: one or more ASCII letters, digits and underscores."""
    return isinstance(value, str) and _is_player_id(value)


@lru_cache(maxsize=1024)  # every command has a player's ID, and the same IDs come back often
def _is_player_id(text: str) -> bool:
    return _PLAYER.fullmatch(text) is not None


def problem_of(command: Command[object], rows: int, columns: int) -> str | None:
    """Return the reason why `command` is invalid on a board of this size, as one line of ASCII; None if it is valid."""
    match command:
        case Flip():
            player, row, column = command.player, command.row, command.column
            if not (type(row) is type(column) is int and 0 <= row < rows and 0 <= column < columns):
                return no_such_space(rows, columns)
        case Look(player) | Relinquish(player) | RelinquishAwaited(player):
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
            if not _is_whole(seed) or not -(2**63) <= seed < 2**64:  # the range of a journal
                return "a seed is a whole number of at most 64 bits"
        case BoundScores(most):
            return None if _is_whole(most) and 1 <= most < 2**63 else "the limit of scores is 1 player or more"
        case ListCards() | TakeFigures() | TakeSnapshot() | Withdraw():
            return None
        case _:
            return f"Memory Scramble knows no command {type(command).__name__}"
    return None if is_player(player) else NOT_A_PLAYER


def no_such_space(rows: int, columns: int) -> str:
    """Return the message for coordinates off the board. Does not quote them: Python cannot format very long numbers."""
    return f"no such space: rows are 0 to {rows - 1}, columns 0 to {columns - 1}"


def not_a_card(value: object) -> str:
    """Return the message for a value that is not a card."""
    return f"{quoted(value)} is not a card: a card is one or more characters, none of them white space"


def quoted(value: object) -> str:
    """Return `value` in quotes, shortened and escaped. The reason for the escapes: UTF-8 cannot encode some values."""
    if isinstance(value, str) and len(value) > LONGEST_QUOTE:
        return f"{value[:LONGEST_QUOTE]!a}..."
    return ascii(value)


def _is_whole(value: object) -> bool:
    return type(value) is int  # not bool: a journal would not return a number


def _is_mapping(value: object) -> bool:
    return isinstance(value, dict)
