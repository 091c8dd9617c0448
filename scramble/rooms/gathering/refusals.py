"""Refusals of acts of the people in a room, with their words."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from scramble.errors import CallerError, Refusal

HostAct: TypeAlias = Literal["again", "settings", "rename", "close", "remove", "replace", "delete"]
"""What only the host of a room may do."""

FOR_NEXT_GAME: Final[frozenset[HostAct]] = frozenset({"again", "settings"})
"""What somebody may do at once who stands in for the host: it ends nothing, and is against nobody."""

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


class StandsIn(Refusal):
    """Only the room's host may do that; somebody who stands in may once the host is away for `minutes`."""

    code = "stands-in"
    status = 403

    def __init__(self, act: HostAct, minutes: int) -> None:
        self.params = {"act": act, "minutes": minutes}
        away = f"once the host is away for {minutes} minutes"
        super().__init__(f"you stand in for the host: only {away} you may {HOST_ACTS[act]}")


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


class NotPlaying(Refusal):
    """Only somebody who is in the room as a player may do that."""

    code = "not-playing"
    status = 403

    def __init__(self) -> None:
        super().__init__("only a player in this game may do that")


class NotMoved(Refusal):
    """Only somebody who has made a move in the game may vote."""

    code = "not-moved"
    status = 403

    def __init__(self) -> None:
        super().__init__("only a player who has made a move in this game may ask for a new one")


class NoSuchReaction(Refusal):
    """A reaction that there is not."""

    code = "no-such-reaction"

    def __init__(self, reactions: str) -> None:
        self.params = {"reactions": reactions}
        super().__init__(f"reactions are {reactions}")


class NoSuchTicket(Refusal):
    """A ticket that was never given, was used by another device, or is too old."""

    code = "no-such-ticket"
    status = 410

    def __init__(self) -> None:
        super().__init__("this link has been used already, or is too old: ask for another one on your first device")


class TooFast(CallerError):
    """Reactions, or votes, that come too fast."""

    code = "too-fast"
    status = 429

    def __init__(self) -> None:
        super().__init__("that are many at once: wait a moment")
