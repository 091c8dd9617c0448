"""Refusals of acts in the company of a room, with their words; scramble.rooms.gathering.refusals has more."""

from __future__ import annotations

from scramble.errors import InvalidCommand, Refusal


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


class BadBody(InvalidCommand):
    """A body that the address does not take."""

    code = "bad-body"

    def __init__(self, reason: str) -> None:
        self.params = {"reason": reason}
        super().__init__(f"the body is not the JSON that this address takes: {reason}")
