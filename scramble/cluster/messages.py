"""The messages between a room's owner and the other processes, as they travel through Redis: msgpack, in arrays.

All name the epoch of an ownership instead of its token, because a room has one owner in each. A *join* is one stay of
a process with an owner; the process numbers its joins of all rooms, and each has a channel for its answers. In a join
requests are numbered from 0 on, and carried out in that order. Payloads are JSON (`scramble.cluster.codec`).

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
    """Begin a join; answered by `RoomEntered`. Ends all earlier joins of the process. Repeating it is harmless."""

    epoch: int
    process: ProcessName
    join: int


ASK: Final = 0
TELL: Final = 2  # 1 is a synonym of ASK that earlier versions send


class RoomRequest(_Message, frozen=True, array_like=True, tag=1):
    """Give a command to the owner of a part: `ASK` or `TELL`. Sent again until it is answered or parked.

    `received` are the numbers of answers that have come since the request before: they need not be stored any more.
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
    """Withdraw a request whose caller was cancelled; answered by `RequestWithdrawn`, or the answer that crosses it."""

    epoch: int
    process: ProcessName
    join: int
    number: int
    received: tuple[int, ...]


class LeaveRoom(_Message, frozen=True, array_like=True, tag=3):
    """End a join: what is still asked in it is withdrawn."""

    epoch: int
    process: ProcessName
    join: int


class Claimed(_Message, frozen=True, array_like=True, tag=4):
    """Another process has claimed the room: the ownership of that epoch has ended, and so have those before."""

    epoch: int


ToOwner: TypeAlias = EnterRoom | RoomRequest | WithdrawRequest | LeaveRoom | Claimed

# --- on the channel of a join's answers -------------------------------------------------------------


class RoomEntered(_Message, frozen=True, array_like=True, tag=0):
    """The join has begun; the next change of each part has that number."""

    epoch: int
    positions: dict[str, int]


class RequestValue(_Message, frozen=True, array_like=True, tag=1):
    """The answer to a request. The changes below `position` came before it."""

    number: int
    payload: bytes
    position: int


class RequestFailure(_Message, frozen=True, array_like=True, tag=2):
    """The error that a request has led to. The changes below `position` came before it."""

    number: int
    payload: bytes
    position: int


class Parked(_Message, frozen=True, array_like=True, tag=3):
    """The owner has taken the request without answering it."""

    number: int


class RequestWithdrawn(_Message, frozen=True, array_like=True, tag=4):
    """The request was withdrawn, and has no answer."""

    number: int


class Gone(_Message, frozen=True, array_like=True, tag=5):
    """The join has ended, or has never begun with this owner, or the room has a later owner: the one of that epoch."""

    epoch: int


class StillThere(_Message, frozen=True, array_like=True, tag=6):
    """Nothing: only whether anybody hears it matters."""


ToCaller: TypeAlias = RoomEntered | RequestValue | RequestFailure | Parked | RequestWithdrawn | Gone | StillThere

# --- on the channel of a room's events --------------------------------------------------------------


class News(_Message, frozen=True, array_like=True, tag=0):
    """Changes of a part, which are numbered from `first` on. Without any: the next one has that number."""

    epoch: int
    part: str
    first: int
    changes: bytes


class RoomEnded(_Message, frozen=True, array_like=True, tag=1):
    """The owner of a part has ended with an error, and so have all joins. Its last changes came before."""

    epoch: int
    part: str
    error: bytes


class RoomHandedOver(_Message, frozen=True, array_like=True, tag=2):
    """The room's owner gives it up, and all joins have ended: somebody else may claim it soon."""

    epoch: int


ToFollowers: TypeAlias = News | RoomEnded | RoomHandedOver

_encoder: Final = msgspec.msgpack.Encoder()
encode: Final = _encoder.encode
decode_to_owner: Final = msgspec.msgpack.Decoder(ToOwner).decode
decode_to_caller: Final = msgspec.msgpack.Decoder(ToCaller).decode
decode_to_followers: Final = msgspec.msgpack.Decoder(ToFollowers).decode


def enveloped(message: _Message) -> bytes:
    """Return what travels through a channel to bring a message, without others of its round."""
    return encode([encode(message)])
