"""JSON frames of the WebSocket: a decoder for client frames, encoders for server frames. Pure; opens no sockets.

docs/reference/minesweeper-websocket.md describes every frame. The encoders take only answers and events of the rules.
Answers and events have only data that BOARD shows. A change is encoded once, because its frame is the same for all
clients.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

import msgspec
from msgspec import UNSET, UnsetType

from scramble.errors import InvalidCommand
from scramble.kernel.protocol import MOST_NAMED, Change, Event
from scramble.minesweeper.messages import (
    BoardView,
    Chord,
    Deflag,
    Dig,
    End,
    Ended,
    Flag,
    Move,
    Place,
    Player,
    Score,
    Snapshot,
)

# --- from the client --------------------------------------------------------------------------------


class MoveFrame(msgspec.Struct, frozen=True, tag_field="type"):
    """A move on square (x, y). The answer repeats the client's `id`."""

    x: int
    y: int
    id: int | None = None

    def command(self, player: int) -> Move:
        """Return the move as a command of player `player`."""
        raise NotImplementedError


class DigFrame(MoveFrame, frozen=True, tag="dig"):
    """Dig a square."""

    def command(self, player: int) -> Dig:
        """Return the command of this player."""
        return Dig(self.x, self.y, player)


class FlagFrame(MoveFrame, frozen=True, tag="flag"):
    """Flag a square."""

    def command(self, player: int) -> Flag:
        """Return the command of this player."""
        return Flag(self.x, self.y, player)


class DeflagFrame(MoveFrame, frozen=True, tag="deflag"):
    """Remove a flag."""

    def command(self, player: int) -> Deflag:
        """Return the command of this player."""
        return Deflag(self.x, self.y, player)


class ChordFrame(MoveFrame, frozen=True, tag="chord"):
    """Dig the squares around a number."""

    def command(self, player: int) -> Chord:
        """Return the command of this player."""
        return Chord(self.x, self.y, player)


class Rejoin(msgspec.Struct, frozen=True, tag_field="type", tag="rejoin"):
    """Become a player again after losing."""


ClientFrame = DigFrame | FlagFrame | DeflagFrame | ChordFrame | Rejoin

MAX_REASON = 200  # characters of a decoder's message that an error quotes; the message quotes unknown types in full


class BadFrame(InvalidCommand):
    """Error for a frame that is not a `ClientFrame`. `id` is the frame's ID; None if it cannot be decoded."""

    code = "bad-frame"

    def __init__(self, reason: str, id: int | None) -> None:
        self.id = id
        super().__init__(reason)


class _OnlyId(msgspec.Struct):
    id: int | None = None


_client_decoder: msgspec.json.Decoder[ClientFrame] = msgspec.json.Decoder(ClientFrame)
_id_decoder = msgspec.json.Decoder(_OnlyId)
_UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)  # not JSON; not UTF-8; nested too deeply


def decode(frame: str | bytes) -> ClientFrame:
    """Decode a client's frame. Unknown keys are ignored.

    Raises:
        BadFrame: the frame is not JSON, or clients may not send it.
    """
    try:
        return _client_decoder.decode(frame)
    except _UNREADABLE as error:
        raise BadFrame(str(error)[:MAX_REASON], _id_of(frame)) from None


def _id_of(frame: str | bytes) -> int | None:
    try:
        return _id_decoder.decode(frame).id
    except _UNREADABLE:
        return None


# --- from the server --------------------------------------------------------------------------------


class _Field(msgspec.Struct, tag_field="type", tag="field", omit_defaults=True, kw_only=True):
    version: int
    columns: int
    rows: int
    lines: tuple[str, ...]
    left: int | None = None
    scores: dict[str, int] | None = None
    tallies: dict[str, Score] | None = None
    bombs: int | None = None
    pause_ms: int | None = None
    began: int | None = None
    ended: int | None = None
    pauses: dict[str, int] = {}
    start: Place | None = None
    end: End | None = None
    chord: bool = False
    players: tuple[Player, ...]  # must be the last field: see `field_start`


class _Change(msgspec.Struct, tag_field="type", tag="change"):
    version: int
    events: tuple[Event, ...]


class _Done(msgspec.Struct, tag_field="type", tag="done", omit_defaults=True):
    id: int | None
    version: int
    pause: int = 0
    start: Place | None = None


class _Boom(msgspec.Struct, tag_field="type", tag="boom", omit_defaults=True):
    id: int | None
    version: int
    x: int
    y: int
    lost: bool
    pause: int = 0
    booms: tuple[Place, ...] = ()


class _Error(msgspec.Struct, tag_field="type", tag="error"):
    id: int | None
    reason: str
    code: str | UnsetType = UNSET


_encoder = msgspec.json.Encoder()


def field_start(snapshot: Snapshot) -> str:
    """Encode the first part of a `field_frame`, without a few characters. This part is the same for all clients."""
    named = snapshot.players[:MOST_NAMED]
    standing, contest = snapshot.standing, snapshot.contest
    tallies = None if standing is None else _best(standing.scores)
    frame = _Field(
        version=snapshot.version,
        columns=snapshot.columns,
        rows=snapshot.rows,
        lines=snapshot.lines,
        left=None if standing is None else standing.left,
        scores=None if tallies is None else {name: score.points for name, score in tallies.items()},
        players=named,
    )
    if contest is not None:
        frame.tallies = tallies
        frame.bombs, frame.pause_ms = contest.bombs, contest.pause_ms
        frame.began, frame.ended, frame.start = contest.began, contest.ended, contest.start
        frame.pauses, frame.chord = contest.pauses, True
        frame.end = None if contest.end is None else _told(contest.end)
    return _encoder.encode(frame).decode().removesuffix("]}")


def field_frame(snapshot: Snapshot, you: int | None, start: str | None = None, *, now: int | None = None) -> str:
    """Encode the `field` frame, the public state, for one connection.

    `you` is the player of the connection; None if the player has lost. The frame names the first `MOST_NAMED` players
    and `you`, and has the number of the other players. `start` is the `field_start` of the same snapshot; None: encode
    it here. `now` is the time on the game's clock; None without a clock.
    """
    players = snapshot.players
    parts = [field_start(snapshot) if start is None else start]
    others = max(0, len(players) - MOST_NAMED)
    if others and you is not None:
        place = bisect_left(players, you, key=lambda player: player.id)
        if MOST_NAMED <= place < len(players) and players[place].id == you:
            parts.append(f",{_encoder.encode(players[place]).decode()}")
            others -= 1
    parts.append(f'],"others":{others}' if others else "]")
    parts.append("" if now is None else f',"now":{now}')
    parts.append(f',"you":{"null" if you is None else you}}}')
    return "".join(parts)


def change_frame(change: Change) -> str:
    """Encode one change, for all clients. A follower that has missed changes needs a `field_frame` instead."""
    events = change.events
    if isinstance(events[-1], Ended):
        events = (*events[:-1], msgspec.structs.replace(events[-1], end=_told(events[-1].end)))
    return _encoder.encode(_Change(change.version, events)).decode()


def done_frame(id: int | None, view: BoardView) -> str:
    """Encode the `done` frame for the client's move `id`. If the move had no effect, `view` may have the reason."""
    return _encoder.encode(_Done(id, view.version, view.pause_ms, view.start)).decode()


def boom_frame(move: MoveFrame, view: BoardView, *, lost: bool) -> str:
    """Encode the `boom` frame: a dig or chord hit a bomb. `lost` is True if the connection has lost its player."""
    x, y = view.booms[0] if view.booms else (move.x, move.y)
    return _encoder.encode(_Boom(move.id, view.version, x, y, lost, view.pause_ms, view.booms)).decode()


def _best(scores: Mapping[str, Score]) -> dict[str, Score]:
    """Return the highest scores, for a frame."""
    return dict(sorted(scores.items(), key=lambda item: -item[1].points)[:MOST_NAMED])


def _told(end: End) -> End:
    """Return the end with only the highest scores, for a frame."""
    return msgspec.structs.replace(end, scores=_best(end.scores)) if len(end.scores) > MOST_NAMED else end


def error_frame(reason: str, id: int | None = None, code: str | UnsetType = UNSET) -> str:
    """Encode the `error` frame, with a reason and a code: the client's frame `id` was refused and changed nothing."""
    return _encoder.encode(_Error(id, reason, code)).decode()
