"""The daily challenges in the register: the seed, the attempts and the tables of the latest days.

    days = Days()
    days.begin("2026-11-29", seed=7)                         # the first seed of a day stays
    days.enrol("2026-11-29", "memory", host, "acorn-violet-piano-otter")
    days.finish(record)                                      # the room of an attempt has ended
    days.tables(host, most=10)

A day is a date in UTC, such as "2026-11-29". Each client has one attempt per day and kind of game.
"""

from __future__ import annotations

import time
from bisect import insort
from collections.abc import Iterable
from datetime import date
from typing import Final

import msgspec

from scramble.errors import Refusal
from scramble.rooms.protocol import DailyEntry, DailyTable, RoomRecord, RoomsFull

MOST_DAYS: Final = 2
"""Number of days with tables: today, and the latest earlier day with a request for an attempt."""

MOST_ATTEMPTS: Final = 2000
"""Most attempts for one day and kind. Each attempt takes about 400 bytes of the register."""

FIRST_DAY: Final = date(2025, 12, 31)
"""The day before the challenge with the number 1."""


class DayOver(Refusal):
    """The register no longer has this day."""

    code = "day-over"
    status = 410

    def __init__(self) -> None:
        super().__init__("this day is over: play the challenge of today")


class AttemptGone(Refusal):
    """The client's attempt of this day was made in a room that has been removed."""

    code = "attempt-gone"
    status = 410

    def __init__(self) -> None:
        super().__init__("you have had your attempt today, and its game was removed: come back tomorrow")


class AttemptsFull(RoomsFull):
    """The number of attempts of a day has reached its limit."""

    code = "attempts-full"
    _words = "{most} people have played this challenge today, as many as this server allows"


def date_at(seconds: float) -> str:
    """Return the date in UTC at a time in seconds since 1970."""
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))


def number_of(day: str) -> int:
    """Return the number of the challenge of a date: the next date has the next number."""
    return (date.fromisoformat(day) - FIRST_DAY).days


class Challenge(msgspec.Struct):
    """The challenge of one day and kind: the room of each client's attempt, by host, and the entries, best first."""

    attempts: dict[str, str] = {}
    entries: list[DailyEntry] = []


class Day(msgspec.Struct):
    """One day: its seed, and its challenges by kind."""

    seed: int
    challenges: dict[str, Challenge] = {}


class Days:
    """The latest days. Mutable, and deterministic: dates, times and seeds come from the caller."""

    # AF: _days has the days by date.
    # RI: at most MOST_DAYS days, in the order of their dates. A challenge has at most MOST_ATTEMPTS attempts, and
    #     entries only for rooms of its attempts, one for each room, in the order of _rank.

    def __init__(self, days: Iterable[tuple[str, Day]] = ()) -> None:
        self._days: Final[dict[str, Day]] = dict(days)

    def begin(self, day: str, seed: int) -> tuple[int, bool]:
        """Return the seed of a day, and True if the day is new.

        A new day gets `seed`, and replaces the earliest day. Raises DayOver for a day before the kept days.
        """
        is_new = day not in self._days
        if is_new:
            if len(self._days) == MOST_DAYS and day < min(self._days):
                raise DayOver
            self._days[day] = Day(seed)
            kept = sorted(self._days.items())[-MOST_DAYS:]
            self._days.clear()
            self._days.update(kept)
        return self._days[day].seed, is_new

    def attempt(self, day: str, kind: str, host: str) -> str | None:
        """Return the room of a client's attempt; None if the client may begin one. Raises DayOver, AttemptsFull."""
        if day not in self._days:
            raise DayOver
        attempts = self._challenge(day, kind).attempts
        if host not in attempts and len(attempts) >= MOST_ATTEMPTS:
            raise AttemptsFull(MOST_ATTEMPTS)
        return attempts.get(host)

    def enrol(self, day: str, kind: str, host: str, room: str) -> None:
        """Note that a client makes its attempt in `room`. Requires `attempt(...)` to be None."""
        self._days[day].challenges.setdefault(kind, Challenge()).attempts[host] = room

    def finish(self, record: RoomRecord, name: str) -> None:
        """Enter the result of an attempt into its table. `name` is the display name of the best player.

        A forgotten day has no table, and an attempt has one entry.
        """
        if record.daily not in self._days or record.result is None or record.ended is None:
            return
        challenge = self._challenge(record.daily, record.kind)
        if challenge.attempts.get(record.host) != record.name:
            return
        best, points = next(iter(record.result.scores.items()), ("", 0))
        figures = record.result.figures.get(best, {})
        shown = figures if best in record.result.winners else {}
        began = record.opened if record.started is None else record.started
        seconds = float(figures.get("seconds", round(max(0.0, record.ended - began), 1)))
        insort(challenge.entries, DailyEntry(name or best, points, seconds, record.name, shown), key=_rank)

    def give_up(self, record: RoomRecord) -> None:
        """Forget the attempt of a removed room, if its game was never begun: the client may make another attempt."""
        if record.started is None and record.result is None and record.daily in self._days:
            attempts = self._challenge(record.daily, record.kind).attempts
            if attempts.get(record.host) == record.name:
                del attempts[record.host]

    def tables(self, host: str, most: int) -> tuple[DailyTable, ...]:
        """Return the tables of all days, the latest day first. Each table has the best `most` entries.

        `host` is the client for `room`, `place` and `entry`.
        """
        return tuple(
            self._table(day, kind, host, most) for day in reversed(self._days) for kind in self._days[day].challenges
        )

    def _table(self, day: str, kind: str, host: str, most: int) -> DailyTable:
        challenge = self._challenge(day, kind)
        room, entries = challenge.attempts.get(host), challenge.entries
        place = next((place for place, entry in enumerate(entries, 1) if entry.room == room), None)
        return DailyTable(
            day=day,
            kind=kind,
            attempts=len(challenge.attempts),
            entries=tuple(entries[:most]),
            room=room,
            place=place,
            entry=None if place is None else entries[place - 1],
        )

    def _challenge(self, day: str, kind: str) -> Challenge:
        return self._days[day].challenges.get(kind) or Challenge()

    def state(self) -> tuple[tuple[str, Day], ...]:
        """Return the whole state, for `restore`. The caller encodes it at once, and changes nothing in it."""
        return tuple(self._days.items())

    def check_rep(self) -> None:
        """Assert the representation invariant."""
        assert list(self._days) == sorted(self._days)
        assert len(self._days) <= MOST_DAYS
        for day in self._days.values():
            for challenge in day.challenges.values():
                rooms = [entry.room for entry in challenge.entries]
                assert len(challenge.attempts) <= MOST_ATTEMPTS
                assert len(set(rooms)) == len(rooms)
                assert set(rooms) <= set(challenge.attempts.values())
                assert challenge.entries == sorted(challenge.entries, key=_rank)

    def __str__(self) -> str:
        return f"days {', '.join(self._days) or 'without a challenge'}"


def _rank(entry: DailyEntry) -> tuple[int, float]:
    """Return the key of the order in a table: more points first, then less time."""
    return -entry.points, entry.seconds
