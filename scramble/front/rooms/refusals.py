"""Refusals of acts of the people in a room, with their words. scramble.rooms.gathering.refusals has more refusals."""

from __future__ import annotations

from scramble.errors import InvalidCommand, Refusal


class NamesAreOpen(Refusal):
    """The room has no seats, so a handover is impossible."""

    code = "names-are-open"

    def __init__(self) -> None:
        super().__init__("in this room everybody may use every name: use your name on any device")


class BadBody(InvalidCommand):
    """The body of the request is invalid."""

    code = "bad-body"

    def __init__(self, reason: str) -> None:
        self.params = {"reason": reason}
        super().__init__(f"the body is not the JSON for this address: {reason}")
