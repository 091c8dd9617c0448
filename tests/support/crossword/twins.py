"""`Twins`: a lobby with a twin, restored from the lobby's state, and a replay, restored from the lobby's first state.

The twin gets all commands, and the replay gets all except queries, each through JSON. `Twins` checks:

- the twin's outcomes are the same, in the same order, also their tickets, and also for followers
- after each command all three states are the same; queries and invalid commands change no state
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import msgspec

from scramble.crossword import Limits, Lobby, Puzzle
from scramble.crossword.messages import (
    AwaitResult,
    Disconnect,
    EndIdle,
    EndMatch,
    Enter,
    ExpireGrace,
    Follow,
    OpenSession,
    ReturnSession,
    Say,
    Spectate,
)
from scramble.errors import InvalidCommand
from scramble.kernel.protocol import Answered, Command, Outcome, Query, Refused, Ticket, Withdraw

DECODE = msgspec.json.Decoder(Lobby.commands).decode


def told(outcomes: Sequence[Outcome]) -> list[object]:
    """Return the outcomes in a form that compares by contents, because errors compare by identity."""
    return [
        (outcome.ticket, type(outcome.error), str(outcome.error)) if isinstance(outcome, Refused) else outcome
        for outcome in outcomes
    ]


def encodes(command: Command[object]) -> bytes | None:
    """Return the command as JSON; None if it cannot be encoded."""
    try:
        return msgspec.json.encode(command)
    except UnicodeEncodeError:
        return None


DURABLE_COMMANDS = {OpenSession, ReturnSession, Say, Enter, Disconnect, ExpireGrace, EndIdle, EndMatch, Withdraw}


class Twins(Lobby):
    """A lobby with its twin and its replay, which must always be equal."""

    def __init__(
        self,
        puzzles: Sequence[Puzzle],
        limits: Limits | None = None,
        *,
        one_match: bool = False,
        alone: bool = False,
    ) -> None:
        super().__init__(puzzles, limits, one_match=one_match, alone=alone)
        self.following: dict[Ticket, Follow | Spectate | AwaitResult] = {}
        self.twin = Lobby.restore(self.state())
        self.replay = Lobby.restore(self.state())

    def restore_twin(self) -> None:
        """Make another twin from the present state, with the same followers."""
        self.twin = Lobby.restore(self.state())
        assert str(self.twin) == str(self)
        for ticket, follow in self.following.items():
            assert not self.twin.apply(ticket, follow)

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        before, revision = self.state(), self.revision
        outcomes = super().apply(ticket, command)
        assert told(self.twin.apply(ticket, command)) == told(outcomes)
        assert self.twin.version == self.version
        data = encodes(command)
        if data is not None and type(command) in DURABLE_COMMANDS:
            self.replay.apply(ticket, cast(Command[object], DECODE(data)))
        after = self.state()
        assert self.twin.state() == self.replay.state() == after
        assert (self.revision > revision) == (after != before)
        if isinstance(command, Query) or any(type(end.error) is InvalidCommand for end in refusals(outcomes)):
            assert after == before
        if isinstance(command, Follow | Spectate | AwaitResult):
            self.following[ticket] = command
        for outcome in outcomes:
            assert isinstance(outcome, Answered | Refused)
            self.following.pop(outcome.ticket, None)
        return outcomes


def refusals(outcomes: Sequence[Outcome]) -> list[Refused]:
    return [outcome for outcome in outcomes if isinstance(outcome, Refused)]
