"""Narration of seats. Wraps the narrator of any game, as `scramble.players.seats` wraps its rules.

The holder of a seat stays secret, even as a hash.
"""

from __future__ import annotations

from typing import Final

import msgspec

from scramble.games.narration import Narrator, Spot, Step, Summary
from scramble.games.told import English, tell
from scramble.journal.recorder import Record
from scramble.players.seats import ClaimSeat, HandOverSeat, TakeSeat

MOST_RECORDED_NAMES: Final = 1000
"""Maximum number of display names in one recording. Later players are shown by their ID."""

SEAT_COMMANDS: Final = tuple(b'{"type":"%s"' % kind.__name__.encode() for kind in (ClaimSeat, TakeSeat, HandOverSeat))


class SeatedNarrator:
    """Narration of a game with or without seats. Mutable; a `Narrator`."""

    # AF: the game of _narrator. _seats has the holder of each taken name. _names has the display names that differ from
    #     their player's ID.
    # RI: len(_names) <= MOST_NAMES

    def __init__(self, narrator: Narrator, seats: dict[str, str], names: dict[str, str]) -> None:
        """Wrap `narrator`. `seats` has the holders, and `names` the display names, of players in the first state."""
        self._narrator: Final = narrator
        self._seats = dict(seats)
        self._names: Final[dict[str, str]] = {}
        for player, name in names.items():
            self._name(player, name)

    @property
    def kind(self) -> str:
        """Kind of the game."""
        return self._narrator.kind

    @property
    def english(self) -> English:
        """English of the game. It includes the sentences about seats."""
        return self._narrator.english

    def names(self) -> dict[str, str]:
        """Return the display names that differ from their player's ID, by ID; at most `MOST_RECORDED_NAMES`."""
        return dict(self._names)

    def _name(self, player: str, name: str) -> None:
        self._names.pop(player, None)
        if name not in ("", player) and len(self._names) < MOST_RECORDED_NAMES:
            self._names[player] = name

    def narrate(self, record: Record) -> Step:
        """Describe the next command. The game's narrator describes all commands that are not about seats."""
        if not record.command.startswith(SEAT_COMMANDS):
            return self._narrator.narrate(record)
        take = msgspec.json.decode(record.command, type=ClaimSeat | TakeSeat | HandOverSeat)
        if isinstance(take, HandOverSeat):
            self._seats[take.player] = take.to
            return Step(record.seq, record.time, take.player, tell("handed-over", player=take.player))
        if isinstance(take, ClaimSeat):  # only successful claims are recorded; an earlier holder may have lost the seat
            self._seats[take.player] = take.holder
            self._name(take.player, take.name)
        holder = self._seats.setdefault(take.player, take.holder)
        if holder != take.holder:
            return Step(record.seq, record.time, None, tell("seat-refused", player=None, seat=take.player))
        return Step(record.seq, record.time, take.player, tell("seated", player=take.player))

    def save(self) -> bytes:
        """Encode the seats and the game, for `resume`."""
        return msgspec.msgpack.encode((self._seats, self._narrator.save()))

    def resume(self, saved: bytes) -> None:
        """Restore the state that `save` has encoded."""
        self._seats, game = msgspec.msgpack.decode(saved, type=tuple[dict[str, str], bytes])
        self._narrator.resume(game)

    def snapshot(self) -> msgspec.Struct:
        """Return the game's snapshot."""
        return self._narrator.snapshot()

    def layout(self) -> msgspec.Struct:
        """Return the game's layout."""
        return self._narrator.layout()

    def scores(self) -> dict[str, int]:
        """Return the game's scores."""
        return self._narrator.scores()

    def picture(self) -> list[list[Spot]]:
        """Return the game's board."""
        return self._narrator.picture()

    def caption(self) -> str:
        """Return the game's caption."""
        return self._narrator.caption()

    def summary(self) -> Summary:
        """Return the game's figures."""
        return self._narrator.summary()
