"""Refusals of acts in the company of a room, with their words."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from scramble.errors import CallerError, InvalidCommand, Refusal

HostAct: TypeAlias = Literal["again", "settings", "rename", "close", "remove", "replace", "delete"]
"""What only the host of a room may do."""

HOST_ACTS: Final = MappingProxyType[HostAct, str](
    {
        "again": "begin a new game before this one has ended; others may ask for it",
        "settings": "change the settings",
        "rename": "change the title",
        "close": "close this game",
        "remove": "remove a player",
        "replace": "replace cards",
        "delete": "remove it",
    }
)


class PlayerRemoved(Refusal):
    """The host has removed the client from this game."""

    code = "player-removed"
    status = 403

    def __init__(self) -> None:
        super().__init__("the host has removed you from this game: you may watch it")


class NotTheHost(Refusal):
    """Only the room's host may do that."""

    code = "not-the-host"
    status = 403

    def __init__(self, act: HostAct) -> None:
        self.params = {"act": act}
        super().__init__(f"only the host of a room may {HOST_ACTS[act]}")


class NotPlaying(Refusal):
    """Only somebody who is in the room as a player may do that."""

    code = "not-playing"
    status = 403

    def __init__(self) -> None:
        super().__init__("only a player in this game may do that")


class NobodyThere(Refusal):
    """No such player is in the room."""

    code = "no-such-player"
    status = 404

    def __init__(self, player: str) -> None:
        self.params = {"player": player}
        super().__init__(f"nobody here is called {player}")


class NobodyWithSecret(NobodyThere):
    """No such player is in a room where names are open, at least none that can be told from others by a secret."""

    code = "nobody-with-secret"

    def __init__(self, player: str) -> None:
        super().__init__(player)
        self.args = (f"{self}, or only a program that brings no secret, which cannot be told from others",)


class HostStays(Refusal):
    """The host would remove itself."""

    code = "host-stays"

    def __init__(self) -> None:
        super().__init__("you cannot remove yourself: close the game, or leave it")


class OpenerStays(Refusal):
    """Another host would remove who has opened the room."""

    code = "opener-stays"

    def __init__(self) -> None:
        super().__init__("who has opened this game cannot be removed from it")


class NamesAreOpen(Refusal):
    """A seat would be handed over in a room without seats."""

    code = "names-are-open"

    def __init__(self) -> None:
        super().__init__("here names belong to everybody: play under yours on any device")


class NoSuchReaction(Refusal):
    """A reaction that there is not."""

    code = "no-such-reaction"

    def __init__(self, reactions: str) -> None:
        self.params = {"reactions": reactions}
        super().__init__(f"reactions are {reactions}")


class BadBody(InvalidCommand):
    """A body that the address does not take."""

    code = "bad-body"

    def __init__(self, reason: str) -> None:
        self.params = {"reason": reason}
        super().__init__(f"the body is not the JSON that this address takes: {reason}")


class TooFast(CallerError):
    """Reactions, or votes, that come too fast."""

    code = "too-fast"
    status = 429

    def __init__(self) -> None:
        super().__init__("that are many at once: wait a moment")
