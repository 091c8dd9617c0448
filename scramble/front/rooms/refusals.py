"""Refusals of acts of the people in a room, with their words; scramble.rooms.gathering.refusals has more."""

from __future__ import annotations

from scramble.errors import InvalidCommand, Refusal


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
