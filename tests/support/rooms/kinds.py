"""Kinds of rooms for tests: small fields of the real Minesweeper. One kind has a planted bug in its rules."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from scramble.games.kind import GameKind
from scramble.games.room import GameResult, OpenedRoom, RoomClocks, RoomSetup
from scramble.games.settings import BadSettings, FieldError
from scramble.journal import Recorder
from scramble.kernel.protocol import Command, Outcome, Ticket
from scramble.minesweeper import Field, open_game
from scramble.minesweeper.messages import Dig
from scramble.minesweeper.narrator import MinesweeperNarrator


class FaultyField(Field):
    """A field with a bug at a dig at (0, 0)."""

    __slots__ = ()

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        if isinstance(command, Dig) and (command.x, command.y) == (0, 0):
            raise RuntimeError("the planted bug")
        return super().apply(ticket, command)


def settle(given: Mapping[str, object], seed: int) -> dict[str, object]:
    size = given.get("size", 4)
    if not isinstance(size, int) or size < 1:
        raise BadSettings({"settings.size": FieldError.of("not-in-range", "a whole number, at least 1")})
    return {"size": size, "seed": given.get("seed", seed)} | {name: given[name] for name in ("note",) if name in given}


def kind_of(field: type[Field], name: str) -> GameKind:
    """Return a kind of rooms with fields without bombs; the game is over when the last square is dug."""

    def set_up(settings: Mapping[str, object]) -> RoomSetup:
        size = settings["size"]
        assert isinstance(size, int)

        @asynccontextmanager
        async def open_room(journal: Recorder | None, clocks: RoomClocks) -> AsyncIterator[OpenedRoom]:
            # Bombs at all squares of the last column, so that one dig does not open the whole field.
            async with open_game(field(size, size, [(size - 1, y) for y in range(size)]), journal=journal) as game:

                async def finished() -> GameResult:
                    snapshot, changes = await game.follow()
                    while snapshot.lines[0][0] in "-F":
                        await anext(changes)
                        snapshot, changes = await game.follow()
                    return GameResult({"digger": 1}, ("digger",))

                yield OpenedRoom(game, finished)

        return RoomSetup(open_room)

    return GameKind(
        name=name,
        title=name.title(),
        restore=Field.restore,
        narrator=MinesweeperNarrator,
        settle=settle,
        set_up=set_up,
        again=lambda settings, seed: {"size": settings["size"], "seed": seed},
    )


DIGGING = {"digging": kind_of(Field, "digging"), "faulty": kind_of(FaultyField, "faulty")}
"""In both kinds the game is over when (0, 0) or its neighbour is dug, because (0, 0) is open after that."""
