"""Seats told: who took which name. Stands around the teller of any game, as `scramble.seats` stands around its rules.

Who a seat's holder is, even as a hash, is told to nobody.
"""

from __future__ import annotations

from typing import Final

import msgspec

from scramble.replay.telling import Spot, Step, Summary, Teller
from scramble.seats import TakeSeat
from scramble.store import Record

TAKES: Final = b'{"type":"TakeSeat"'


class NoChange(msgspec.Struct, frozen=True):
    """Nothing on the board is different."""


class SeatedTeller:
    """A game in the course of being told, with or without seats. Mutable; a `Teller`."""

    # AF: the game of _teller, in which each name in _seats belongs to its holder.

    def __init__(self, teller: Teller, seats: dict[str, str]) -> None:
        """The game of `teller`, in which these seats are taken from the beginning: names and their holders."""
        self._teller: Final = teller
        self._seats = dict(seats)

    @property
    def kind(self) -> str:
        return self._teller.kind

    def tell(self, record: Record) -> Step:
        if not record.command.startswith(TAKES):
            return self._teller.tell(record)
        take = msgspec.json.decode(record.command, type=TakeSeat)
        holder = self._seats.setdefault(take.player, take.holder)
        if holder != take.holder:
            return self._step(record, None, f"somebody asks for the seat of {take.player}, and does not get it")
        return self._step(record, take.player, f"{take.player} took the seat")

    def _step(self, record: Record, player: str | None, words: str) -> Step:
        return Step(record.seq, record.time, player, None, words, (), {}, NoChange())

    def save(self) -> bytes:
        return msgspec.msgpack.encode((self._seats, self._teller.save()))

    def resume(self, saved: bytes) -> None:
        self._seats, game = msgspec.msgpack.decode(saved, type=tuple[dict[str, str], bytes])
        self._teller.resume(game)

    def whole(self) -> msgspec.Struct:
        return self._teller.whole()

    def frame(self) -> msgspec.Struct:
        return self._teller.frame()

    def scores(self) -> dict[str, int]:
        return self._teller.scores()

    def picture(self) -> list[list[Spot]]:
        return self._teller.picture()

    def caption(self) -> str:
        return self._teller.caption()

    def summary(self) -> Summary:
        return self._teller.summary()
