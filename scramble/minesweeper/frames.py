"""The JSON frames between the page and the server: one tagged object each way, as docs/reference says.

Encoders take what the rules answer and tell; since that is no more than BOARD shows, no frame is. A change is encoded
once for everybody: nothing in its frame depends on who reads it.
"""

from __future__ import annotations

import msgspec

from scramble.core import Change, Event
from scramble.errors import InvalidCommand
from scramble.minesweeper.messages import Deflag, Dig, Flag, Move, Player, Snapshot

# --- from the client --------------------------------------------------------------------------------


class MoveFrame(msgspec.Struct, frozen=True, tag_field="type"):
    """A move on square (x, y); `id` is whatever the client likes to know the answer by."""

    x: int
    y: int
    id: int | None = None

    def command(self, player: int) -> Move:
        """The same move as a command of this player."""
        raise NotImplementedError


class DigFrame(MoveFrame, frozen=True, tag="dig"):
    """Dig a square."""

    def command(self, player: int) -> Dig:
        return Dig(self.x, self.y, player)


class FlagFrame(MoveFrame, frozen=True, tag="flag"):
    """Flag a square."""

    def command(self, player: int) -> Flag:
        return Flag(self.x, self.y, player)


class DeflagFrame(MoveFrame, frozen=True, tag="deflag"):
    """Take a flag away."""

    def command(self, player: int) -> Deflag:
        return Deflag(self.x, self.y, player)


class Rejoin(msgspec.Struct, frozen=True, tag_field="type", tag="rejoin"):
    """Somebody who has lost wants to be a player again."""


ClientFrame = DigFrame | FlagFrame | DeflagFrame | Rejoin

MAX_REASON = 200  # characters of a decoder's complaint to be repeated: it quotes unknown types in full


class BadFrame(InvalidCommand):
    """A frame that is no `ClientFrame`; `id` is the one that it gives, if that much can be read."""

    code = "bad-frame"

    def __init__(self, reason: str, id: int | None) -> None:
        self.id = id
        super().__init__(reason)


class _OnlyId(msgspec.Struct):
    id: int | None = None


_client_decoder: msgspec.json.Decoder[ClientFrame] = msgspec.json.Decoder(ClientFrame)
_id_decoder = msgspec.json.Decoder(_OnlyId)
_UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)  # not JSON; not UTF-8; nested without end


def decode(frame: str | bytes) -> ClientFrame:
    """What a client's frame says. Keys that no frame has are ignored.

    Raises:
        BadFrame: it is not JSON, or not one of the frames that a client may send.
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


class _Field(msgspec.Struct, tag_field="type", tag="field"):
    version: int
    columns: int
    rows: int
    lines: tuple[str, ...]
    players: tuple[Player, ...]
    you: int | None


class _Change(msgspec.Struct, tag_field="type", tag="change"):
    version: int
    events: tuple[Event, ...]


class _Done(msgspec.Struct, tag_field="type", tag="done"):
    id: int | None
    version: int


class _Boom(msgspec.Struct, tag_field="type", tag="boom"):
    id: int | None
    version: int
    x: int
    y: int
    lost: bool


class _Error(msgspec.Struct, tag_field="type", tag="error"):
    id: int | None
    reason: str


_encoder = msgspec.json.Encoder()


def field_frame(snapshot: Snapshot, you: int | None) -> str:
    """Everything there is to know, for a connection whose player is `you`; None: it has lost, and is no player."""
    frame = _Field(snapshot.version, snapshot.columns, snapshot.rows, snapshot.lines, snapshot.players, you)
    return _encoder.encode(frame).decode()


def change_frame(change: Change) -> str:
    """One change, the same for everybody. A follower that has missed some needs a `field_frame` instead."""
    return _encoder.encode(_Change(change.version, change.events)).decode()


def done_frame(id: int | None, version: int) -> str:
    """The move that the client calls `id` has been carried out; the field of this version shows it."""
    return _encoder.encode(_Done(id, version)).decode()


def boom_frame(dig: DigFrame, version: int, *, lost: bool) -> str:
    """This dig hit a bomb; `lost` is whether the connection is no player any more."""
    return _encoder.encode(_Boom(dig.id, version, dig.x, dig.y, lost)).decode()


def error_frame(reason: str, id: int | None = None) -> str:
    """The frame that the client calls `id` could not be used, and nothing has changed."""
    return _encoder.encode(_Error(id, reason)).decode()
