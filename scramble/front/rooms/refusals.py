"""Refusals of acts of the people in a room, with their words. More are in scramble.rooms.gathering.refusals."""

from __future__ import annotations

from scramble.errors import InvalidCommand, Refusal


class NamesAreOpen(Refusal):
    """A room without seats cannot hand a seat over."""

    code = "names-are-open"

    def __init__(self) -> None:
        super().__init__("here names belong to everybody: play under yours on any device")


class BadBody(InvalidCommand):
    """The body of the request is invalid."""

    code = "bad-body"

    def __init__(self, reason: str) -> None:
        self.params = {"reason": reason}
        super().__init__(f"the body is not the JSON that this address takes: {reason}")
