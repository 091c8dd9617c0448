"""A process that follows only the events of a gathering knows the same as a snapshot: random commands and times.

Partitions:
- each command that changes the presence, names or the state
- names: few; more than are remembered; early ones
- a follower: from the beginning; from a snapshot in the middle
- the time between two commands: zero; short; so long that the host changes (`NoteTime` publishes the change)
"""

from __future__ import annotations

from random import Random
from typing import Final

import msgspec
import pytest

from scramble.kernel.protocol import Answered, Command, Event, Refused, Ticket, Withdraw
from scramble.players.presence import Presence
from scramble.rooms.gathering import names, people
from scramble.rooms.gathering.messages import (
    Attend,
    Came,
    GatheringSnapshot,
    GatheringState,
    Named,
    NextGame,
    NoteAvatar,
    NoteNames,
    NotePlayer,
    NoteTime,
    React,
    SeatTicket,
    SetNext,
    SitDown,
    TakeGathering,
    Updated,
    Vote,
    Went,
)
from scramble.rooms.gathering.names import note_names
from scramble.rooms.gathering.people import HOST_GONE_S, OPENER_GONE_S
from scramble.rooms.gathering.rules import Gathering
from scramble.rooms.gathering.stewardmessages import (
    CountVote,
    NoteBegun,
    NoteHandover,
    NoteMoved,
    RemovePlayer,
)

STEPS: Final = 300
HOLDERS: Final = [f"holder{number}" for number in range(5)]
PLAYERS: Final = [f"player{number}" for number in range(6)]


class Follower:
    """The state that `Following` keeps, without tasks."""

    def __init__(self) -> None:
        self.presence: Final = Presence()
        self.names: Final[dict[str, str]] = {}
        self.state: GatheringState | None = None
        self.at = 0.0

    def adopt(self, whole: GatheringSnapshot, now: float) -> None:
        self.presence.adopt(whole.presence)
        note_names(self.names, whole.names)
        self.state, self.at = whole.state, now

    def hear(self, event: Event, now: float) -> None:
        match event:
            case Came(player, bot):
                self.presence.arrive(player, bot=bot)
            case Went(player, bot):
                self.presence.leave(player, bot=bot)
            case Named(known, early):
                note_names(self.names, known, early=early)
            case Updated(state):
                self.state, self.at = state, now

    def due(self, now: float) -> bool:
        told = None if self.state is None else self.state.changes_in
        return told is not None and self.at + told <= now


class World:
    def __init__(self, dice: Random) -> None:
        self.dice: Final = dice
        self.now = 0.0
        self.rules: Final = Gathering(dice.choice(["", HOLDERS[0]]), None, lambda: self.now)
        self.first: Final = Follower()
        self.followers: Final = [self.first]
        self.tickets: Final[list[Ticket]] = []
        self.number = 0

    def apply(self, command: Command[object], ticket: Ticket | None = None) -> object:
        if ticket is None:
            self.number += 1
            ticket = Ticket(self.number)
            if isinstance(command, Attend | SitDown):
                self.tickets.append(ticket)
        answer: object = None
        for outcome in self.rules.apply(ticket, command):
            if isinstance(outcome, Answered):
                answer = outcome.value
            elif not isinstance(outcome, Refused):
                for one in self.followers:
                    one.hear(outcome, self.now)
        return answer

    def snapshot(self) -> GatheringSnapshot:
        answer = self.apply(TakeGathering())
        assert isinstance(answer, GatheringSnapshot)
        return msgspec.json.decode(msgspec.json.encode(answer), type=GatheringSnapshot)

    def command(self) -> Command[object]:
        dice = self.dice
        holder, player = dice.choice(HOLDERS), dice.choice(PLAYERS)
        match dice.randrange(14):
            case 0 | 1 | 2:
                return Attend("p", dice.choice([holder, holder, holder, None]), dice.choice([player, player, None]))
            case 3:
                return SitDown(f"bot{dice.randrange(2)}", f"bot {dice.randrange(2)}")
            case 4:
                return NotePlayer(holder, player)
            case 5 | 6:
                some = {one: dice.choice([one, one.upper(), one.title()]) for one in dice.sample(PLAYERS, 3)}
                return NoteNames(some, dice.choice([True, False]))
            case 12:
                return NoteAvatar(player, dice.randrange(3))
            case 7:
                return SetNext(holder, NextGame(None, None))
            case 8 | 9:
                return CountVote(Vote(holder, dice.choice([True, True, False]), "client"))
            case 10:
                return NoteMoved(tuple(dice.sample(PLAYERS, 3)))
            case 11:
                return NoteBegun(holder, dice.choice("ab"))
            case _:
                if dice.randrange(3):
                    return NoteHandover("text", SeatTicket(player, holder), dice.choice(HOLDERS))
                if dice.randrange(3):
                    return React(holder, player, "👍")
                return RemovePlayer(holder)

    def step(self) -> str:
        self.now += self.dice.choice([0.0, 0.0, 0.5, HOST_GONE_S / 4, HOST_GONE_S * 1.1, OPENER_GONE_S / 2])
        while any(one.due(self.now) for one in self.followers):
            self.apply(NoteTime())
        if self.tickets and not self.dice.randrange(3):
            ticket = self.tickets.pop(self.dice.randrange(len(self.tickets)))
            self.apply(Withdraw(), ticket)
            return f"withdraw {ticket}"
        command = self.command()
        self.apply(command)
        return str(command)

    def problem(self) -> str | None:
        whole = self.snapshot()
        for one in self.followers:
            if one.presence.state() != whole.presence:
                return f"presence {one.presence.state()} is not {whole.presence}"
            if list(one.names.items()) != list(whole.names.items()):
                return f"names {one.names} are not {whole.names}"
            if one.state is None:
                continue
            passed = self.now - one.at
            for field in GatheringState.__struct_fields__:
                known, true = getattr(one.state, field), getattr(whole.state, field)
                if field == "may_all_in" and whole.state.host is None:
                    continue  # no follower waits for this change
                if field in ("changes_in", "may_all_in"):
                    if None in (known, true):
                        continue  # each request of a player without a connection changes the state, without an event
                    known, true = round(known - passed, 6), round(true, 6)
                    if known < true:
                        continue  # the follower asks again at the time that it knows
                if known != true:
                    return f"{field} {known} is not {true}"
        return None


@pytest.mark.parametrize("remembered", [4, 1000])
@pytest.mark.parametrize("seed", range(10))
def test_a_follower_of_the_events_knows_the_same_as_a_snapshot(
    seed: int, remembered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(names, "MOST_NAMES", remembered)
    monkeypatch.setattr(people, "MOST_REMEMBERED", remembered)
    world, done = World(Random(seed)), list[str]()
    for number in range(STEPS):
        if number == STEPS // 2:
            world.followers.append(Follower())
            world.followers[-1].adopt(world.snapshot(), world.now)
        done.append(f"{world.now}: {world.step()}")
        assert world.problem() is None, f"seed {seed}: {world.problem()} after {'; '.join(done[-6:])}"
