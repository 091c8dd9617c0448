"""The refusals of acts of people in a room, with their texts."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from scramble.errors import CallerError, Refusal

HostAct: TypeAlias = Literal["again", "settings", "rename", "close", "remove", "replace", "delete"]
"""The acts reserved for the host of a room."""

FOR_NEXT_GAME: Final[frozenset[HostAct]] = frozenset({"again", "settings"})
"""The acts that a stand-in host may do at once. They neither close the room nor harm a player."""

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


class OthersAttempt(Refusal):
    """The room is another client's attempt at a daily challenge."""

    code = "others-attempt"
    status = 403

    def __init__(self) -> None:
        super().__init__("this is another player's attempt at the daily challenge: you may watch it")


class NotTheHost(Refusal):
    """Only the room's host may do that."""

    code = "not-the-host"
    status = 403

    def __init__(self, act: HostAct) -> None:
        self.params = {"act": act}
        super().__init__(f"only the host of a room may {HOST_ACTS[act]}")


class StandsIn(Refusal):
    """The stand-in host may do that only once the room's opener is away for `minutes`."""

    code = "stands-in"
    status = 403

    def __init__(self, act: HostAct, minutes: int) -> None:
        self.params = {"act": act, "minutes": minutes}
        away = f"once the host is away for {minutes} minutes"
        super().__init__(f"you stand in for the host: only {away} you may {HOST_ACTS[act]}")


class NobodyThere(Refusal):
    """No player in the room has this name."""

    code = "no-such-player"
    status = 404

    def __init__(self, player: str) -> None:
        self.params = {"player": player}
        super().__init__(f"nobody here is called {player}")


class NobodyWithSecret(NobodyThere):
    """Names are open in the room, and no client with a secret plays under this name."""

    code = "nobody-with-secret"

    def __init__(self, player: str) -> None:
        super().__init__(player)
        self.args = (f"{self}, or only a program without a secret, which cannot be identified",)


class HostStays(Refusal):
    """Hosts cannot remove themselves."""

    code = "host-stays"

    def __init__(self) -> None:
        super().__init__("you cannot remove yourself: close the game, or leave it")


class OpenerStays(Refusal):
    """A stand-in host cannot remove the room's opener."""

    code = "opener-stays"

    def __init__(self) -> None:
        super().__init__("the player who opened this game cannot be removed from it")


class NotPlaying(Refusal):
    """Only a player in the room may do that."""

    code = "not-playing"
    status = 403

    def __init__(self) -> None:
        super().__init__("only a player in this game may do that")


class NotMoved(Refusal):
    """Only a player with a move in the game may vote."""

    code = "not-moved"
    status = 403

    def __init__(self) -> None:
        super().__init__("only a player who has made a move in this game may ask for a new one")


class NoSuchReaction(Refusal):
    """An unknown reaction."""

    code = "no-such-reaction"

    def __init__(self, reactions: str) -> None:
        self.params = {"reactions": reactions}
        super().__init__(f"reactions are {reactions}")


class NoSuchTicket(Refusal):
    """A ticket that is unknown, was used by another device, or is too old."""

    code = "no-such-ticket"
    status = 410

    def __init__(self) -> None:
        super().__init__("this link has been used already, or is too old: ask for another one on your first device")


class TooFast(CallerError):
    """Too many reactions or votes in a short time."""

    code = "too-fast"
    status = 429

    def __init__(self) -> None:
        super().__init__("these are too many at once: wait a moment")
