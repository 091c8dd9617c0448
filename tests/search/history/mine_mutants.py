"""Minesweeper with a bug. See `mutants`."""

from __future__ import annotations

from collections.abc import Sequence

from scramble.kernel.protocol import Answered, Event, Outcome, Ticket
from scramble.minesweeper import Field
from scramble.minesweeper.messages import BoardView, Dig, Flag, Move
from tests.search.history.mutation import mined, put


@mined
def dig_shows_the_field_before() -> None:
    """Answer a dig with the field as it was before. A BOOM! stays as it is."""
    move = Field._move

    def hasty(self: Field, what: Move) -> tuple[BoardView, Event | None]:
        before = self.look()
        view, event = move(self, what)
        return before if isinstance(what, Dig) and not view.boom else view, event

    put(Field, "_move", hasty)


@mined
def flagged_squares_are_dug() -> None:
    """A flag does not prevent a dig."""
    move = Field._move

    def careless(self: Field, what: Move) -> tuple[BoardView, Event | None]:
        if isinstance(what, Dig):
            self._squares.deflag(what.x, what.y)
        return move(self, what)

    put(Field, "_move", careless)


@mined
def flags_are_set_twice() -> None:
    """A second flag command on a square removes the flag."""
    move = Field._move

    def toggling(self: Field, what: Move) -> tuple[BoardView, Event | None]:
        view, event = move(self, what)
        if isinstance(what, Flag) and event is None and self._squares.deflag(what.x, what.y):
            return self.look(), event
        return view, event

    put(Field, "_move", toggling)


@mined
def the_departed_are_counted() -> None:
    """Count a player who left until the next player comes."""
    disconnect, connect = Field._disconnect, Field._connect
    gone: list[tuple[Ticket, int]] = []

    def later(self: Field, ticket: Ticket, number: int) -> Sequence[Outcome]:
        gone.append((ticket, number))
        return [Answered(ticket, None)]

    def first(self: Field, ticket: Ticket, name: str | None) -> Sequence[Outcome]:
        outcomes = connect(self, ticket, name)
        for departed in gone:
            disconnect(self, *departed)
        gone.clear()
        return outcomes

    put(Field, "_disconnect", later)
    put(Field, "_connect", first)
