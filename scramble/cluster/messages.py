"""The messages between a room's owner and other processes, in the encoding for Redis: msgpack, in arrays.

All messages name the epoch of an ownership instead of its token, because a room has one owner per epoch. A *join* is
the connection of a process to an owner, from EnterRoom to LeaveRoom. The process numbers its joins across all rooms.
Each join has a channel for its answers. Requests of a join are numbered from 0 on, and executed in that order. Payloads
are JSON (`scramble.cluster.codec`).

Pure; a message is immutable.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from scramble.cluster.protocol import ProcessName


class _Message(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The base of all messages."""


# --- on the channel of a room's requests ------------------------------------------------------------


class EnterRoom(_Message, frozen=True, array_like=True, tag=0):
    """Begin a join. The answer is `RoomEntered`. Ends all earlier joins of the process. Repetition is harmless."""

    epoch: int
    process: ProcessName
    join: int


ASK: Final = 0
TELL: Final = 2  # 1 was ASK in earlier versions, and still means ASK


class RoomRequest(_Message, frozen=True, array_like=True, tag=1):
    """Send a command to the owner of a part: `ASK` or `TELL`. Repeated until it is answered or parked.

    `received` are the numbers of the answers received since the last request. The owner may now discard these answers.
    """

    epoch: int
    process: ProcessName
    join: int
    number: int
    part: str
    way: int
    command: bytes
    received: tuple[int, ...]


class WithdrawRequest(_Message, frozen=True, array_like=True, tag=2):
    """Withdraw a request of a cancelled caller. The answer is `RequestWithdrawn`, or the request's own answer."""

    epoch: int
    process: ProcessName
    join: int
    number: int
    received: tuple[int, ...]


class LeaveRoom(_Message, frozen=True, array_like=True, tag=3):
    """End a join, and withdraw its open requests."""

    epoch: int
    process: ProcessName
    join: int


class Claimed(_Message, frozen=True, array_like=True, tag=4):
    """Another process has claimed the room. The ownership of this epoch and all earlier ownerships have ended."""

    epoch: int


ToOwner: TypeAlias = EnterRoom | RoomRequest | WithdrawRequest | LeaveRoom | Claimed

# --- on the channel of a join's answers -------------------------------------------------------------


class RoomEntered(_Message, frozen=True, array_like=True, tag=0):
    """The join has begun. `positions` are the numbers of the next change of each part."""

    epoch: int
    positions: dict[str, int]


class RequestValue(_Message, frozen=True, array_like=True, tag=1):
    """The answer to a request. The changes below `position` came before it."""

    number: int
    payload: bytes
    position: int


class RequestFailure(_Message, frozen=True, array_like=True, tag=2):
    """The error that a request raised. The changes below `position` came before it."""

    number: int
    payload: bytes
    position: int


class Parked(_Message, frozen=True, array_like=True, tag=3):
    """The owner has accepted the request. The answer comes later."""

    number: int


class RequestWithdrawn(_Message, frozen=True, array_like=True, tag=4):
    """The request was withdrawn, and has no answer."""

    number: int


class Gone(_Message, frozen=True, array_like=True, tag=5):
    """The join is over or unknown to this owner, or the room has a later owner. `epoch` is the sender's."""

    epoch: int


class StillThere(_Message, frozen=True, array_like=True, tag=6):
    """An empty message. It only matters whether the channel has a listener."""


ToCaller: TypeAlias = RoomEntered | RequestValue | RequestFailure | Parked | RequestWithdrawn | Gone | StillThere

# --- on the channel of a room's events --------------------------------------------------------------


class News(_Message, frozen=True, array_like=True, tag=0):
    """Changes of a part, numbered from `first` on. Without changes, `first` is the number of the next change."""

    epoch: int
    part: str
    first: int
    changes: bytes


class RoomEnded(_Message, frozen=True, array_like=True, tag=1):
    """The owner of a part has ended with an error, and all joins have ended, too. The last changes came before."""

    epoch: int
    part: str
    error: bytes


class RoomHandedOver(_Message, frozen=True, array_like=True, tag=2):
    """The owner gives up the room, and all joins have ended. Another process may claim the room soon."""

    epoch: int


ToFollowers: TypeAlias = News | RoomEnded | RoomHandedOver

_encoder: Final = msgspec.msgpack.Encoder()
encode: Final = _encoder.encode
decode_to_owner: Final = msgspec.msgpack.Decoder(ToOwner).decode
decode_to_caller: Final = msgspec.msgpack.Decoder(ToCaller).decode
decode_to_followers: Final = msgspec.msgpack.Decoder(ToFollowers).decode


def enveloped(message: _Message) -> bytes:
    """Encode an envelope with only this message. A channel carries envelopes."""
    return encode([encode(message)])
