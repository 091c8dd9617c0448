"""JSON frames of the WebSocket: a decoder for client frames, encoders for server frames. Pure; opens no sockets.

docs/reference/websocket.md describes every frame. The text protocol is in `scramble.memory.text`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from scramble.errors import CallerError, InvalidCommand
from scramble.kernel.protocol import MOST_NAMED, Change
from scramble.memory.difference import difference_of
from scramble.memory.messages import (
    Cell,
    FlipFailed,
    Flipped,
    Forgotten,
    Joined,
    Restarted,
    Snapshot,
    Waiting,
    Withdrawn,
)

MAX_REASON: Final = 200  # characters of a decoder's message that an error frame quotes


# --- frames from the client -------------------------------------------------------------------------

FrameInt: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**53) + 1, le=2**53 - 1)]
"""An integer that JavaScript represents exactly. JavaScript rounds larger integers."""


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


class NewGameFrame(msgspec.Struct, frozen=True, tag_field="type", tag="new"):
    """Start a new game."""

    id: FrameInt | None = None


class WithdrawFrame(msgspec.Struct, frozen=True, tag_field="type", tag="withdraw"):
    """Cancel this connection's waiting flip."""


ClientFrame: TypeAlias = FlipFrame | ReplaceFrame | NewGameFrame | WithdrawFrame

_decoder: Final[msgspec.json.Decoder[ClientFrame]] = msgspec.json.Decoder(ClientFrame)


def decode_frame(data: str | bytes) -> ClientFrame:
    """Decode a client's frame. Raises InvalidCommand with the reason if it is not one of the four client frames."""
    try:
        return _decoder.decode(data)
    except msgspec.ValidationError as error:
        raise InvalidCommand(f"not a frame: {str(error)[:MAX_REASON]}") from None  # it may quote a long text
    except (msgspec.DecodeError, UnicodeError):
        raise InvalidCommand("not a frame: it is not JSON in UTF-8") from None
    except RecursionError:
        raise InvalidCommand("not a frame: it is nested too deeply") from None


# --- frames to the client ---------------------------------------------------------------------------


class _BoardFrame(msgspec.Struct, frozen=True, tag_field="type", tag="board", omit_defaults=True):
    version: int
    rows: int
    columns: int
    cells: tuple[Cell, ...]
    scores: dict[str, int]
    waiting: dict[str, tuple[int, int]]
    pairs_left: int
    score_count: int | None = None
    waiting_count: int | None = None
    off: list[str] = []


class _CellAt(msgspec.Struct, frozen=True):
    row: int
    column: int
    cell: Cell


class _ChangeFrame(msgspec.Struct, frozen=True, tag_field="type", tag="change", omit_defaults=True):
    version: int
    cells: list[_CellAt] = []
    scores: dict[str, int | None] = {}
    waiting: dict[str, tuple[int, int] | None] = {}
    pairs_left: int | None = None
    replaced_by: list[str] = []
    score_count: int | None = None


class _ScoreFrame(msgspec.Struct, frozen=True, tag_field="type", tag="score"):
    pairs: int


class _PlayersFrame(msgspec.Struct, frozen=True, tag_field="type", tag="players", omit_defaults=True):
    players: list[str]
    others: int = 0
    left: dict[str, float | None] = {}


class _RestartedFrame(msgspec.Struct, frozen=True, tag_field="type", tag="restarted"):
    player: str


class _NamesakeFrame(msgspec.Struct, frozen=True, tag_field="type", tag="namesake"):
    pass


class _FlipOutcome(msgspec.Struct, frozen=True, tag_field="type", tag="flip"):
    id: int | None
    row: int
    column: int
    outcome: Literal["ok", "waiting", "failed", "withdrawn", "refused"]
    rule: str | None
    reason: str
    code: str | UnsetType = UNSET
    params: dict[str, str | int] | UnsetType = UNSET


class _ReplaceOutcome(msgspec.Struct, frozen=True, tag_field="type", tag="replace"):
    id: int | None
    outcome: Literal["ok", "refused"]
    reason: str | None
    code: str | UnsetType = UNSET
    params: dict[str, str | int] | UnsetType = UNSET


class _NewGameOutcome(msgspec.Struct, frozen=True, tag_field="type", tag="new"):
    id: int | None
    outcome: Literal["ok", "refused"]
    reason: str | None
    code: str | UnsetType = UNSET
    params: dict[str, str | int] | UnsetType = UNSET


class _ClockFrame(msgspec.Struct, frozen=True, tag_field="type", tag="clock"):
    due: dict[str, float]


class _ErrorFrame(msgspec.Struct, frozen=True, tag_field="type", tag="error"):
    reason: str
    code: str | UnsetType = UNSET


_encode: Final = msgspec.json.Encoder().encode

_NAMING: Final = (Joined, Forgotten, Waiting, Withdrawn)
"""Events that name a player, and that one step can have any number of times."""

_HOW: Final = {
    "1-B": "you turned up your first card",
    "1-C": "you took a card that was face up",
    "2-D": "a match: the pair is yours",
    "2-E": "no match: you give up both cards",
}


def board_frame(snapshot: Snapshot, off: Collection[str] = ()) -> bytes:
    """Encode the `board` frame, the public state. `off` has the commands that the server does not allow.

    The frame names at most `MOST_NAMED` players with a score (the highest scores), and at most `MOST_NAMED` waiting
    players (the longest waits).
    """
    scores, waiting = len(snapshot.scores), len(snapshot.waiting)
    return _encode(
        _BoardFrame(
            version=snapshot.version,
            rows=snapshot.rows,
            columns=snapshot.columns,
            cells=snapshot.cells,
            scores=_best(snapshot.scores),
            waiting=dict(islice(snapshot.waiting.items(), MOST_NAMED)),
            pairs_left=snapshot.pairs_left,
            score_count=scores if scores > MOST_NAMED else None,
            waiting_count=waiting if waiting > MOST_NAMED else None,
            off=sorted(off),
        )
    )


def _best(scores: Mapping[str, int]) -> dict[str, int]:
    """Return the highest scores, for a frame. Among equal scores, players who joined earlier come first."""
    if len(scores) <= MOST_NAMED:
        return dict(scores)
    return dict(sorted(scores.items(), key=lambda item: -item[1])[:MOST_NAMED])


def score_frames(snapshot: Snapshot) -> dict[str, bytes]:
    """Encode a `score` frame with the player's score, for each player missing in the `board` frame."""
    named = _best(snapshot.scores)
    return {player: _encode(_ScoreFrame(pairs)) for player, pairs in snapshot.scores.items() if player not in named}


def needs_snapshot(change: Change) -> bool:
    """Return True if a follower needs a `board` frame: after a new game, missed changes, or events of many players."""
    if change.missed > 0 or any(isinstance(event, Restarted) for event in change.events):
        return True
    return len(change.events) > MOST_NAMED and sum(isinstance(event, _NAMING) for event in change.events) > MOST_NAMED


def change_frame(change: Change) -> bytes | None:
    """Encode the `change` frame: the difference in the public state after a command. Without a difference return None.

    A replaced face-down card changes only the version, because its place is not public. Requires a change without
    `needs_snapshot`.
    """
    new = difference_of(change.events)
    if not (new.cells or new.replaced or new.waiting or new.scores):
        return None
    return _encode(
        _ChangeFrame(
            version=change.version,
            cells=[_CellAt(row, column, cell) for (row, column), cell in new.cells.items()],
            scores=new.scores,
            waiting=new.waiting,
            pairs_left=new.pairs_left,
            replaced_by=new.replaced_by,
            score_count=new.score_count,
        )
    )


def restarted_frame(change: Change) -> bytes | None:
    """Encode the `restarted` frame with the player who started a new game; None without a new game."""
    players = [event.player for event in change.events if isinstance(event, Restarted)]
    return _encode(_RestartedFrame(players[-1])) if players else None


def players_frame(players: Iterable[str], others: int = 0, left: Mapping[str, float | None] | None = None) -> bytes:
    """Encode the `players` frame: the names of connected players, in any order and number, and the count of `others`.

    `left` maps each player who left to the seconds until the player relinquishes all cards; None: no release is due.
    """
    rounded = {player: None if seconds is None else round(seconds, 1) for player, seconds in (left or {}).items()}
    return _encode(_PlayersFrame(sorted(set(players)), others, rounded))


def clock_frame(due: Mapping[str, float]) -> bytes:
    """Encode the `clock` frame: the seconds until players must relinquish cards that other players wait for."""
    return _encode(_ClockFrame({player: round(seconds, 1) for player, seconds in due.items()}))


def namesake_frame() -> bytes:
    """Encode the `namesake` frame: another browser plays with the same name."""
    return _encode(_NamesakeFrame())


def flip_frame(frame: FlipFrame, outcome: Flipped | CallerError | Literal["waiting", "withdrawn"]) -> bytes:
    """Encode the `flip` frame, the outcome of a client's flip: an answer, a refusal, "waiting", or "withdrawn"."""
    match outcome:
        case Flipped():
            result = _FlipOutcome(frame.id, frame.row, frame.column, "ok", outcome.rule, _HOW[outcome.rule])
        case FlipFailed():
            result = _FlipOutcome(frame.id, frame.row, frame.column, "failed", outcome.rule, outcome.reason)
        case CallerError():
            told = (None, str(outcome), outcome.code, _params(outcome))
            result = _FlipOutcome(frame.id, frame.row, frame.column, "refused", *told)
        case "waiting":
            reason = "another player controls that card: you wait for it"
            result = _FlipOutcome(frame.id, frame.row, frame.column, "waiting", "1-D", reason)
        case "withdrawn":
            reason = "you no longer wait for the card"
            result = _FlipOutcome(frame.id, frame.row, frame.column, "withdrawn", None, reason)
    return _encode(result)


def replace_frame(frame: ReplaceFrame, error: CallerError | None = None) -> bytes:
    """Encode the `replace` frame, the outcome of a client's replacement. With an `error`, it was refused."""
    if error is None:
        return _encode(_ReplaceOutcome(frame.id, "ok", None))
    return _encode(_ReplaceOutcome(frame.id, "refused", str(error), error.code, _params(error)))


def new_game_frame(frame: NewGameFrame, error: CallerError | None = None) -> bytes:
    """Encode the `new` frame, the outcome of a client's new game. With an `error`, it was refused."""
    if error is None:
        return _encode(_NewGameOutcome(frame.id, "ok", None))
    return _encode(_NewGameOutcome(frame.id, "refused", str(error), error.code, _params(error)))


def error_frame(reason: str, code: str | UnsetType = UNSET) -> bytes:
    """Encode the `error` frame: the reason why a frame is invalid, in words and as a code for programs."""
    return _encode(_ErrorFrame(reason, code))


def _params(error: CallerError) -> dict[str, str | int] | UnsetType:
    """Return the values in an error's message, for pages that write their own messages."""
    return dict(error.params) or UNSET
