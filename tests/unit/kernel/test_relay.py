"""A relay: passes requests from another process to the owner. A game's door may change requests and answers.

Partitions:
- a request is: posted; posted to a full mailbox; sent by `tell`
- its end: answered after it was parked; refused; withdrawn before and after the owner took it
- the door: changes the request; answers it itself; passes it on unchanged; changes its answer
"""

from __future__ import annotations

from typing import Final

import outcome
import pytest
import trio

from scramble.kernel.actor import open_actor
from scramble.kernel.owner import Posting
from scramble.kernel.protocol import Command
from scramble.kernel.relay import DoorQuery, EndRelay, Relay, RelayedAnswer
from tests.unit.kernel.toy import Echo, LetOut, Said, SendAway, SentAway, Wait, WaitingRoom


class AskDoor(DoorQuery[str], frozen=True):
    """A query that the door answers."""


class Loud(Relay):
    """A relay that doubles the words of `Echo`, notes when each `Wait` begins and ends, and answers it in capitals."""

    def __init__(self, owner: Posting) -> None:
        super().__init__(owner)
        self.notes: Final[list[str]] = []

    def begin(self, command: Command[object]) -> tuple[Command[object], EndRelay | None]:
        if isinstance(command, Echo):
            return Echo(2 * command.word), None
        if not isinstance(command, Wait):
            return command, None
        self.notes.append(f"{command.word} begins")

        def end(answer: RelayedAnswer | None) -> RelayedAnswer | None:
            self.notes.append(f"{command.word} ends with {answer}")
            return outcome.Value(str(answer.value).upper()) if isinstance(answer, outcome.Value) else answer

        return command, end

    def answer(self, query: DoorQuery[object]) -> object:
        return "the door"


async def test_a_posted_request_begins_and_ends_once_whatever_ends_it() -> None:
    async with open_actor(WaitingRoom(), mailbox_size=1) as actor:
        loud, answers = Loud(actor), dict[str, object]()

        posts = {}
        for word in ("answered", "withdrawn", "early", "refused"):
            posts[word] = loud.request(Wait(word), lambda answer, _, word=word: answers.update({word: answer}))  # type: ignore[misc]
        assert loud.withdraw(posts["early"])
        loud.post_nowait(posts["answered"])
        with pytest.raises(trio.WouldBlock):
            loud.post_nowait(posts["withdrawn"])
        await loud.post(posts["withdrawn"])
        await actor.ping()
        assert loud.withdraw(posts["withdrawn"])
        assert loud.withdraw(posts["withdrawn"])
        await actor.ask(LetOut("ann", 2))
        assert not loud.withdraw(posts["answered"])
        assert answers == {"answered": outcome.Value("ANSWERED LET OUT BY ANN")}
        await loud.post(posts["refused"])
        await actor.ask(SendAway())
        refusal = answers["refused"]
        assert isinstance(refusal, outcome.Error)
        assert isinstance(refusal.error, SentAway)
        ends = ["early", "withdrawn", "answered", "refused"]
        assert [note.split()[0] for note in loud.notes if "ends" in note] == ends


async def test_the_door_changes_requests_and_answers_its_own_queries() -> None:
    async with open_actor(WaitingRoom()) as actor:
        loud, answers = Loud(actor), list[RelayedAnswer]()
        changes = actor.subscribe()
        loud.tell(Echo("b"))
        loud.tell(Wait("told"))
        post = loud.request(Echo("c"), lambda answer, _: answers.append(answer))
        loud.post_nowait(post)
        await actor.ping()
        loud.post_nowait(loud.request(AskDoor(), lambda answer, _: answers.append(answer)))
        await loud.post(loud.request(AskDoor(), lambda answer, _: answers.append(answer)))
        assert answers == [outcome.Value("cc"), outcome.Value("the door"), outcome.Value("the door")]
        assert [change.events for change in changes.pending()] == [(Said("bb"),), (Said("cc"),)]
        assert loud.notes == ["told begins", "told ends with None"]
