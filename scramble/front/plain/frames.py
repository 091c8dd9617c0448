"""JSON frames of a small game's WebSocket. Pure; docs/reference/plain-websocket.md describes the frames.

A player's frame has the name of a command of the rules, and the command's fields without the player: `{"type": "Run",
"id": 7, "steps": 3}`. The connection has the player's name. Frames to pages have the public state as the rules encode
it, and the events with their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, cast, get_args

import msgspec

from scramble.errors import CallerError, InvalidCommand
from scramble.front.web.moves import MoveOutcome
from scramble.kernel.protocol import Change, Command

LARGEST_ID: Final = 2**53 - 1  # JavaScript represents larger integers inexactly
MAX_REASON: Final = 200  # characters: an error frame quotes the decoder's message up to this length

WITHDRAW: Final = "withdraw"

_encode: Final = msgspec.json.Encoder().encode


class MoveFrame(NamedTuple):
    """A command of a player, and the number that the answer repeats for the page."""

    id: int | None
    command: Command[object]


class WithdrawFrame(NamedTuple):
    """The withdrawal of the waiting command with this number."""

    id: int | None


class Answer(NamedTuple):
    """The answer to a command. A game may answer with any value, the text "waiting" too."""

    value: object


class MoveDecoder:
    """Decoder of the frames of players. Immutable."""

    # AF: decodes the commands of the union _moves.

    def __init__(self, moves: object) -> None:
        """`moves` is a class of commands, or a union. Raises TypeError if a class has no field `player`."""
        for kind in get_args(moves) or (moves,):
            if "player" not in kind.__struct_fields__:
                raise TypeError(f"{kind.__name__} has no field `player`")
        self._moves: Final = cast(type[Command[object]], moves)

    def decode(self, text: str, player: str) -> MoveFrame | WithdrawFrame:
        """Decode a frame of a player. Raises InvalidCommand with the reason if the frame is invalid."""
        try:
            frame = msgspec.json.decode(text, type=dict[str, object])
            number = frame.pop("id", None)
            if number is not None and not (type(number) is int and abs(number) <= LARGEST_ID):
                raise InvalidCommand("not a frame: the id is a whole number of at most 53 bits")
            if frame.get("type") == WITHDRAW:
                return WithdrawFrame(number)
            return MoveFrame(number, msgspec.convert({**frame, "player": player}, type=self._moves))
        except msgspec.ValidationError as error:
            raise InvalidCommand(f"not a frame: {str(error)[:MAX_REASON]}") from None
        except (msgspec.DecodeError, UnicodeError):
            raise InvalidCommand("not a frame: it is not JSON in UTF-8") from None
        except RecursionError:
            raise InvalidCommand("not a frame: it is nested too deeply") from None


def state_frame(kind: str, state: object) -> str:
    """Encode the `state` frame: the kind of game, and its public state."""
    return _frame("state", kind=kind, game=state)


def change_frame(change: Change) -> str:
    """Encode the `change` frame: the events of one command."""
    events = [{"is": type(event).__name__, **msgspec.to_builtins(event)} for event in change.events]
    return _frame("change", version=change.version, events=events)


def outcome_frame(number: int | None, outcome: MoveOutcome[Answer]) -> str:
    """Encode the outcome of the command with this number: a `done`, `refused`, `waits` or `withdrawn` frame.

    A `refused` frame has the reason for people and for programs.
    """
    match outcome:
        case "waiting":
            return _frame("waits", id=number)
        case "withdrawn":
            return _frame("withdrawn", id=number)
        case CallerError() as error:
            return _frame("refused", id=number, reason=str(error), code=error.code, params=dict(error.params))
        case Answer(value):
            return _frame("done", id=number, answer=value)


def error_frame(error: InvalidCommand) -> str:
    """Encode the `error` frame: the reason why a frame is invalid."""
    return _frame("error", reason=str(error), code=error.code)


def players_frame(players: list[str], others: int, left: Mapping[str, float | None]) -> str:
    """Encode the `players` frame: the connected players, the count of `others`, and the players in `left`."""
    return _frame("players", players=players, others=others, left=list(left))


def _frame(type: str, /, **values: object) -> str:
    return _encode({"type": type, **values}).decode()
