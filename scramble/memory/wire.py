"""Words on the wire: request text to values, views and changes to frames. Pure translation; no sockets, no rules.

Two languages are spoken: the handouts' text protocol, whose requests are made of the pieces parsed here,

    PLAYER ::= [A-Za-z0-9_]+
    CARD ::= [^\\s\\n\\r]+
    INT ::= [0-9]+

and the JSON frames of the WebSocket, as docs/reference/websocket.md describes them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from scramble.core import Change
from scramble.errors import CallerError, InvalidCommand
from scramble.memory.boardfile import is_card, is_player
from scramble.memory.messages import (
    Cell,
    FaceDown,
    FaceUp,
    FlipFailed,
    Flipped,
    Joined,
    NoCard,
    PairsLeft,
    Relinquished,
    Removed,
    Replaced,
    Restarted,
    Scored,
    Snapshot,
    Took,
    TurnedDown,
    TurnedUp,
    Waiting,
    Withdrawn,
)
from scramble.memory.validity import NOT_A_PLAYER, not_a_card, quoted

MAX_DIGITS: Final = 18  # no board and no version comes near; also keeps clear of Python's limit on digits in int()

MAX_REASON: Final = 200  # characters of a decoder's complaint to be repeated

_INT: Final = re.compile(r"[0-9]+")
_SPOT: Final = re.compile(r"([0-9]+),([0-9]+)")

# --- the text protocol: the pieces of a request -------------------------------------------------


def parse_player(text: str) -> str:
    """A player's ID. Raises InvalidCommand if it is none."""
    if not is_player(text):
        raise InvalidCommand(f"{quoted(text)} is not a player: {NOT_A_PLAYER}")
    return text


def parse_card(text: str) -> str:
    """A card. Raises InvalidCommand if it is none."""
    if not is_card(text):
        raise InvalidCommand(not_a_card(text))
    return text


def parse_spot(text: str) -> tuple[int, int]:
    """The row and column of `INT "," INT`, whether or not a board has them. Raises InvalidCommand if it is none."""
    match = _SPOT.fullmatch(text)
    if match is None:
        raise InvalidCommand(f"{quoted(text)} is not a space: expected ROW,COLUMN such as 0,2, in digits only")
    row, column = match.groups()
    return _parse_int(row), _parse_int(column)


def parse_version(text: str) -> int:
    """A version of the board. Raises InvalidCommand if it is none."""
    if not _INT.fullmatch(text):
        raise InvalidCommand(f"{quoted(text)} is not a version: expected a whole number, in digits only")
    return _parse_int(text)


def _parse_int(digits: str) -> int:
    significant = digits.lstrip("0")
    if len(significant) > MAX_DIGITS:
        raise InvalidCommand(f"out of range: a number of {len(significant)} digits")
    return int(significant or "0")


# --- the WebSocket: frames from the client ------------------------------------------------------

FrameInt: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**53) + 1, le=2**53 - 1)]
"""An integer as JavaScript has them: larger ones would come back as different ones."""


class FlipFrame(msgspec.Struct, frozen=True, tag_field="type", tag="flip"):
    """Turn over the card at (row, column)."""

    row: FrameInt
    column: FrameInt
    id: FrameInt | None = None


class ReplaceFrame(msgspec.Struct, frozen=True, tag_field="type", tag="replace"):
    """Replace every card equal to `old` by `new`."""

    old: str
    new: str
    id: FrameInt | None = None


class WithdrawFrame(msgspec.Struct, frozen=True, tag_field="type", tag="withdraw"):
    """Call off this connection's waiting flip."""


ClientFrame: TypeAlias = FlipFrame | ReplaceFrame | WithdrawFrame

_decoder: Final[msgspec.json.Decoder[ClientFrame]] = msgspec.json.Decoder(ClientFrame)


def decode_frame(data: str | bytes) -> ClientFrame:
    """What a client's frame says. Raises InvalidCommand, saying what is wrong, if it is none of the three."""
    try:
        return _decoder.decode(data)
    except msgspec.ValidationError as error:
        raise InvalidCommand(f"not a frame: {str(error)[:MAX_REASON]}") from None  # it quotes unknown types
    except (msgspec.DecodeError, UnicodeError):
        raise InvalidCommand("not a frame: it is not JSON in UTF-8") from None
    except RecursionError:
        raise InvalidCommand("not a frame: it is nested too deeply") from None


# --- the WebSocket: frames to the client --------------------------------------------------------


class _BoardFrame(msgspec.Struct, frozen=True, tag_field="type", tag="board", omit_defaults=True):
    version: int
    rows: int
    columns: int
    cells: tuple[Cell, ...]
    scores: dict[str, int]
    waiting: dict[str, tuple[int, int]]
    pairs_left: int
    off: list[str] = []


class _CellAt(msgspec.Struct, frozen=True):
    row: int
    column: int
    cell: Cell


class _ChangeFrame(msgspec.Struct, tag_field="type", tag="change", omit_defaults=True):
    version: int
    cells: list[_CellAt] = []
    scores: dict[str, int] = {}
    waiting: dict[str, tuple[int, int] | None] = {}
    pairs_left: int | None = None


class _PlayersFrame(msgspec.Struct, frozen=True, tag_field="type", tag="players"):
    players: list[str]


class _FlipOutcome(msgspec.Struct, frozen=True, tag_field="type", tag="flip"):
    id: int | None
    row: int
    column: int
    outcome: Literal["ok", "waiting", "failed", "withdrawn", "refused"]
    rule: str | None
    reason: str


class _ReplaceOutcome(msgspec.Struct, frozen=True, tag_field="type", tag="replace"):
    id: int | None
    outcome: Literal["ok", "refused"]
    reason: str | None


class _ErrorFrame(msgspec.Struct, frozen=True, tag_field="type", tag="error"):
    reason: str


_encode: Final = msgspec.json.Encoder().encode

_HOW: Final = {
    "1-B": "you turned up your first card",
    "1-C": "you took a card that was face up",
    "2-D": "a match: the pair is yours",
    "2-E": "no match: you give up both cards",
}


def board_frame(snapshot: Snapshot, off: Collection[str] = ()) -> bytes:
    """The `board` frame: all that everybody may know. `off` is what the server that sends it has switched off."""
    return _encode(
        _BoardFrame(
            version=snapshot.version,
            rows=snapshot.rows,
            columns=snapshot.columns,
            cells=snapshot.cells,
            scores=snapshot.scores,
            waiting=snapshot.waiting,
            pairs_left=snapshot.pairs_left,
            off=sorted(off),
        )
    )


def needs_snapshot(change: Change) -> bool:
    """Whether a follower must be sent a `board` frame: after a new game, or after missed changes."""
    return change.missed > 0 or any(isinstance(event, Restarted) for event in change.events)


def change_frame(change: Change) -> bytes | None:
    """The `change` frame: what one command has changed in what everybody may know; None if nothing.

    A replaced face-down card changes the version alone: not even where it lies is told. Only for changes that do
    not need a snapshot.
    """
    frame = _ChangeFrame(change.version)
    cells: dict[tuple[int, int], Cell] = {}
    relinquished: set[tuple[int, int]] = set()
    changed = False
    for event in change.events:
        match event:
            case TurnedUp(row, column, card):
                cells[row, column] = FaceUp(card, None)
            case TurnedDown(row, column):
                cells[row, column] = FaceDown()
            case Removed(row, column, player, card):
                cells[row, column] = NoCard(player)
            case Replaced(row, column, card, by):
                changed = True
                if card is not None:
                    cells[row, column] = FaceUp(card, by)
            case Took(row, column, player, card):
                cells[row, column] = FaceUp(card, player)
                if (row, column) in relinquished:  # only somebody who waited for it can have got it
                    frame.waiting[player] = None
            case Relinquished(row, column, player, card):
                cells[row, column] = FaceUp(card, None)
                relinquished.add((row, column))
            case Waiting(row, column, player):
                frame.waiting[player] = (row, column)
            case Withdrawn(row, column, player):
                frame.waiting[player] = None
            case Joined(player):
                frame.scores[player] = 0
            case Scored(player, pairs, pairs_left):
                frame.scores[player] = pairs
                frame.pairs_left = pairs_left
            case PairsLeft(pairs_left):
                frame.pairs_left = pairs_left
    if not (cells or changed or frame.waiting or frame.scores):
        return None
    frame.cells = [_CellAt(row, column, cell) for (row, column), cell in cells.items()]
    return _encode(frame)


def players_frame(players: Iterable[str]) -> bytes:
    """The `players` frame: the names of all who are connected, in any order and number."""
    return _encode(_PlayersFrame(sorted(set(players))))


def flip_frame(frame: FlipFrame, outcome: Flipped | CallerError | Literal["waiting", "withdrawn"]) -> bytes:
    """The `flip` frame: what became of a client's flip; an answer, a refusal, or that it waits or was called off."""
    match outcome:
        case Flipped():
            result = _FlipOutcome(frame.id, frame.row, frame.column, "ok", outcome.rule, _HOW[outcome.rule])
        case FlipFailed():
            result = _FlipOutcome(frame.id, frame.row, frame.column, "failed", outcome.rule, outcome.reason)
        case CallerError():
            result = _FlipOutcome(frame.id, frame.row, frame.column, "refused", None, str(outcome))
        case "waiting":
            reason = "another player controls that card: you wait for it"
            result = _FlipOutcome(frame.id, frame.row, frame.column, "waiting", "1-D", reason)
        case "withdrawn":
            reason = "you no longer wait for the card"
            result = _FlipOutcome(frame.id, frame.row, frame.column, "withdrawn", None, reason)
    return _encode(result)


def replace_frame(frame: ReplaceFrame, error: CallerError | None = None) -> bytes:
    """The `replace` frame: what became of a client's replacement; refused if there is an error."""
    if error is None:
        return _encode(_ReplaceOutcome(frame.id, "ok", None))
    return _encode(_ReplaceOutcome(frame.id, "refused", str(error)))


def error_frame(reason: str) -> bytes:
    """The `error` frame: what was wrong with a frame that could not be used."""
    return _encode(_ErrorFrame(reason))
