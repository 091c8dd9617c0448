"""A game for tests of the parts for small games: players climb stairs, but no player takes two steps in succession."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scramble.errors import InvalidCommand, Refusal
from scramble.games.plain import Done, PlainRules, Wait
from scramble.games.room import GameResult
from scramble.kernel.protocol import Command, Event, Query


class Stairs(msgspec.Struct, frozen=True):
    """The state: the player of each step."""

    top: int = 5
    steps: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.steps) > self.top:
            raise ValueError("there are not so many steps")


class Step(Command[int], frozen=True):
    """Take a step; wait after an own step. The answer is the step's number."""

    player: str
    height: int = 1


class Stay(Command[None], frozen=True):
    """Change nothing."""

    player: str


class Look(Query[Stairs], frozen=True):
    """Query of the stairs."""


class Stepped(Event, frozen=True):
    """A player has taken a step."""

    player: str


class Paused(Event, frozen=True):
    """A player waits for another player's step."""

    player: str


class GaveUp(Event, frozen=True):
    """A player has stopped waiting."""

    player: str


class AtTheTop(Refusal):
    """The last step is taken."""

    code = "at-the-top"


class Climbing(PlainRules[Stairs, Step | Stay]):
    """The rules."""

    kind = "stairs"
    moves = Step | Stay

    def play(self, command: Step | Stay) -> Done | Wait:
        if isinstance(command, Stay):
            return Done()
        steps = self.now.steps
        if command.height != 1:
            raise InvalidCommand("one step at a time")
        if len(steps) == self.now.top:
            raise AtTheTop("there are no more steps")
        if steps[-1:] == (command.player,):
            return Wait(Paused(command.player))
        self.now = msgspec.structs.replace(self.now, steps=(*steps, command.player))
        return Done(len(steps) + 1, Stepped(command.player))

    def stop_waiting(self, command: Step | Stay) -> Sequence[Event]:
        return (GaveUp(command.player),)

    def look(self) -> Stairs:
        return self.now


def result_of(stairs: Stairs) -> GameResult | None:
    """Return the result. The game is over at the top."""
    if len(stairs.steps) < stairs.top:
        return None
    return GameResult.of({player: stairs.steps.count(player) for player in stairs.steps})
