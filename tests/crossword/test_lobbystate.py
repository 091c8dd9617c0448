"""Lobbies written down and read back: `Lobby.state`, `Lobby.restore`, and the commands that a journal holds.

Testing strategy. `Twins` is a lobby that has beside it a twin, restored from its state, and a replay, restored from its
first state, that gets all commands but the queries, each through JSON. Whatever happens to it happens to all three, and

- the twin's outcomes are the same, in the same order, tickets included, whoever follows
- after each command all three states are the same; a query, and what is refused as invalid, changes none

`TestTwins` has the many sessions of `test_lobby_against_model` do whatever they can do there, beside the model, and now
and then restores the twin once more. That covers all commands in all states. By hand:

- orders that matter: puzzles, waiting matches, those who choose: test_order_...
- a match in the middle, whose players are both missing, goes on; a score can be come back to: test_a_restored_...
- every command but the queries comes back from JSON as it was; no query is among them: test_commands_..., test_all_...
- garbage: no JSON, other JSON, truncated, and every part of a real state replaced by what cannot be: test_garbage_...
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule

from scramble.core import Answered, Command, Durable, Outcome, Query, Refused, Ticket, Withdraw
from scramble.crossword import Limits, Lobby, Puzzle, SessionId, messages
from scramble.crossword.messages import Disconnect, ExpireGrace, Follow, Look, Object, OpenSession, Say
from scramble.errors import InvalidCommand
from tests.crossword.driver import EXTENDED, SIMPLE, Table
from tests.crossword.test_lobby_against_model import ManySessions

DECODE = msgspec.json.Decoder(Lobby.commands).decode


def told(outcomes: Sequence[Outcome]) -> list[object]:
    """The outcomes as something that compares by what it says: errors do not."""
    return [
        (outcome.ticket, type(outcome.error), str(outcome.error)) if isinstance(outcome, Refused) else outcome
        for outcome in outcomes
    ]


def encodes(command: Command[object]) -> bytes | None:
    """The command as JSON; None if it cannot be written down."""
    try:
        return msgspec.json.encode(command)
    except UnicodeEncodeError:
        return None


class Twins(Lobby):
    """A lobby with its twin and its replay, which must never be told apart from it."""

    def __init__(self, puzzles: Sequence[Puzzle], limits: Limits | None = None) -> None:
        super().__init__(puzzles, limits)
        self.following: dict[Ticket, Follow] = {}
        self.twin = Lobby.restore(self.state())
        self.replay = Lobby.restore(self.state())

    def restore_twin(self) -> None:
        """Another twin, of the state that there is now. Whoever follows follows that one, too."""
        self.twin = Lobby.restore(self.state())
        assert str(self.twin) == str(self)
        for ticket, follow in self.following.items():
            assert not self.twin.apply(ticket, follow)

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        before = self.state()
        outcomes = super().apply(ticket, command)
        assert told(self.twin.apply(ticket, command)) == told(outcomes)
        assert self.twin.version == self.version
        data = encodes(command)
        if data is not None and isinstance(command, OpenSession | Say | Disconnect | ExpireGrace | Withdraw):
            self.replay.apply(ticket, cast(Command[object], DECODE(data)))
        after = self.state()
        assert self.twin.state() == self.replay.state() == after
        if isinstance(command, Query) or any(type(end.error) is InvalidCommand for end in refusals(outcomes)):
            assert after == before
        if isinstance(command, Follow):
            self.following[ticket] = command
        for outcome in outcomes:
            assert isinstance(outcome, Answered | Refused)
            self.following.pop(outcome.ticket, None)
        return outcomes


def refusals(outcomes: Sequence[Outcome]) -> list[Refused]:
    return [outcome for outcome in outcomes if isinstance(outcome, Refused)]


class TwinSessions(ManySessions):
    """Many sessions of a lobby with its twins."""

    lobby_type = Twins

    @rule()
    def restore_twin(self) -> None:
        lobby = self.table.lobby
        assert isinstance(lobby, Twins)
        lobby.restore_twin()


TwinSessions.TestCase.settings = settings(max_examples=50, stateful_step_count=15)
TestTwins = TwinSessions.TestCase


# --- by hand ----------------------------------------------------------------------------------------


def restored(table: Table) -> Table:
    """Another table, at the lobby that is restored from this one's state; nobody's connection has survived."""
    other = Table()
    other.lobby = Lobby.restore(table.lobby.state())
    assert other.lobby.state() == table.lobby.state()
    return other


def test_a_lobby_is_durable() -> None:
    lobby: Durable = Table().lobby
    assert lobby.kind == "crossword"


def test_order_of_puzzles_and_waiting_matches_is_kept() -> None:
    table = Table((Puzzle.parse(SIMPLE, id="z"), Puzzle.parse(EXTENDED, id="a")))
    for number, match in enumerate(["m9", "m1", "m5"]):
        table.do(table.player(f"p{number}"), f'NEW {match} z "a match"')
    other = restored(table)
    view = other.look(other.player("ann"))
    assert [puzzle.id for puzzle in view.puzzles or ()] == ["z", "a"]
    assert [match.id for match in view.matches or ()] == ["m9", "m1", "m5"]


def test_order_in_which_those_who_choose_are_told_is_kept() -> None:
    table = Table()
    ann, bob, cyd = (table.player(name) for name in ("ann", "bob", "cyd"))
    table.do(ann, 'NEW m1 simple "a match"')
    table.do(ann, "EXIT")  # and so ann is the last to choose
    lobby = restored(table).lobby
    for session in (ann, bob):
        assert not lobby.apply(Ticket(session), Follow(session, table.look(session).number))
    outcomes = lobby.apply(Ticket(9), Say(cyd, 'NEW m1 simple "a match"'))
    assert [outcome.ticket for outcome in outcomes if isinstance(outcome, Answered)] == [9, bob, ann]


def test_a_restored_match_goes_on_when_both_players_come_back() -> None:
    table = Table()
    ann, bob = table.match()
    table.do(ann, "TRY 1 cat")
    table.do(bob, "CHALLENGE 1 pet")
    table.lose(ann)
    other = restored(table)
    assert other.lose(bob)
    back = [other.do(other.open(f"new-{name}"), f"{name} {name}-token") for name in ("ann", "bob")]
    assert [view.state for view in back] == ["PLAY", "PLAY"]
    assert back[1].match == table.look(bob).match
    assert other.refused(back[0].session, "TRY 1 pet") == "That word is already confirmed."
    other.do(back[0].session, "TRY 2 mat")
    other.do(back[1].session, "TRY 3 car")
    end = other.do(back[1].session, "TRY 4 tax")
    assert end.result is not None
    assert end.result.points == {"ann": 2, "bob": 1}


def test_a_restored_score_can_be_come_back_to() -> None:
    table = Table()
    ann, bob = table.match()
    table.lose(bob)
    table.do(ann, "EXIT")
    other = restored(table)
    view = other.do(other.open(), "bob bob-token")
    assert (view.state, view.result) == ("SHOW SCORE", table.look(ann).result)


def test_a_restored_lobby_has_its_limits_and_gives_no_number_again() -> None:
    table = Table(limits=Limits(sessions=1))
    for _ in range(2):
        table.lose(table.open())
    other = restored(table)
    assert other.open() == 3
    with pytest.raises(messages.LobbyFull):
        other.open()


# --- commands ---------------------------------------------------------------------------------------

SESSIONS = st.integers(-1, 2**64).map(SessionId)
DURABLE: st.SearchStrategy[Command[object]] = st.one_of(
    st.builds(OpenSession, st.text()),
    st.builds(Say, SESSIONS, st.text()),
    st.builds(Disconnect, SESSIONS, st.booleans()),
    st.builds(ExpireGrace, SESSIONS),
    st.builds(Withdraw),
)


@given(DURABLE)
def test_commands_come_back_from_json_as_they_were(command: Command[object]) -> None:
    back = DECODE(msgspec.json.encode(command))
    assert (type(back), back) == (type(command), command)


def test_all_commands_but_queries_are_for_a_journal() -> None:
    found = {kind for kind in vars(messages).values() if isinstance(kind, type) and issubclass(kind, Command)}
    durable = {kind for kind in found if not issubclass(kind, Query)} - {Command, Query}
    assert durable == {OpenSession, Say, Disconnect, ExpireGrace}
    for query in (Look(SessionId(1)), Follow(SessionId(1), 0), Object(SessionId(1), "")):
        with pytest.raises(msgspec.ValidationError):
            DECODE(msgspec.json.encode(query))


def test_a_strange_command_is_refused_as_invalid_and_leaves_no_trace() -> None:
    lobby = Twins((Puzzle.parse(SIMPLE, id="simple"),))
    (refused,) = lobby.apply(Ticket(1), Command[object]())
    assert isinstance(refused, Refused)
    assert type(refused.error) is InvalidCommand


# --- garbage ----------------------------------------------------------------------------------------


def everything() -> bytes:
    """The state of a lobby with somebody in each state, and somebody missing."""
    table = Table((Puzzle.parse(EXTENDED, id="extended"),))
    ann, bob = table.match()
    table.do(ann, "TRY 1 cat")
    table.do(bob, "CHALLENGE 1 pet")
    table.do(bob, "TRY 4 tab")
    table.lose(bob)
    cyd, dan = table.player("cyd"), table.player("dan")
    table.do(cyd, 'NEW m2 extended "another"')
    table.do(dan, "PLAY m2")
    table.do(dan, "EXIT")
    table.lose(cyd)
    table.do(table.player("eve"), 'NEW m3 extended "a third"')
    table.player("fay")
    table.open()
    return table.lobby.state()


GOOD = everything()
SCORE = GOOD[GOOD.index(b'{"winner"') : GOOD.index(b'}},{"id":5') + 1]
CHOOSE, WAIT = b'"state":"CHOOSE","message":', b'"state":"WAIT","message":'

GARBAGE: dict[str, tuple[bytes, bytes, str]] = {
    "nothing": (GOOD, b"", "truncated"),
    "no JSON": (GOOD, b"\xff", "malformed"),
    "nested": (GOOD, b"[" * 100_000, "array"),
    "truncated": (b"]}]}", b"]}]", "truncated"),
    "a list": (GOOD, b"[]", "object"),
    "empty": (GOOD, b"{}", "missing required field"),
    "a key too many": (b'{"version"', b'{"x":1,"version"', "unknown field"),
    "a negative version": (b'"version":', b'"version":-', ">= 0"),
    "a negative number": (b'"number":', b'"number":-', ">= 0"),
    "no such state": (b'"WAIT"', b'"WAITING"', "Invalid enum value"),
    "half a character": (b'"a third"', b'"\\ud800"', "surrogate"),
    "no puzzle": (GOOD[GOOD.index(b'{"id":"extended"') : GOOD.index(b'],"sessions"')], b"", "no puzzle"),
    "words that clash": (b'"word":"tax"', b'"word":"max"', "cross at"),
    "no word": (b'"word":"tax"', b'"word":"t x"', "not a word"),
    "a number that is given again": (b'"last_id":7', b'"last_id":6', "never given"),
    "session 0": (b'{"id":1,"token"', b'{"id":0,"token"', "never given"),
    "a session twice": (b'{"id":2,"token"', b'{"id":1,"token"', "two sessions"),
    "sessions in no order": (b'{"id":2,"token"', b'{"id":5,"token"', "no order"),
    "a player twice": (b'"player":"fay"', b'"player":"ann"', "one Player_ID"),
    "no Player_ID": (b'"player":"fay"', b'"player":"f y"', "a Player_ID is none"),
    "START with a Player_ID": (CHOOSE, CHOOSE.replace(b"CHOOSE", b"START"), "too early"),
    "CHOOSE without a Player_ID": (b'"player":"fay"', b'"player":null', "no Player_ID"),
    "more pushed than there is": (b'"pushed":7', b'"pushed":8', "more was pushed"),
    "missing from no match": (b'"pushed":0,"present":true', b'"pushed":0,"present":false', "missing"),
    "a score too early": (b'"result":null', b'"result":' + SCORE, "too early"),
    "no score": (SCORE, b"null", "score is missing"),
    "another one's score": (b'"player":"dan"', b'"player":"gus"', "nobody's"),
    "points for others": (b'"points":{"cyd"', b'"points":{"gus"', "nobody's"),
    "who chooses is not there": (b'"choosing":[6]', b'"choosing":[6,3]', "not there"),
    "who chooses does so twice": (b'"choosing":[6]', b'"choosing":[6,6]', "not there"),
    "another one chooses": (b'"choosing":[6]', b'"choosing":[6,7]', "not all who choose"),
    "nobody chooses": (b'"choosing":[6]', b'"choosing":[]', "not all who choose"),
    "a waiting match of no ID": (b'[{"id":"m3"', b'[{"id":"m 3"', "ID of its own"),
    "a waiting match on no puzzle": (b'"m3","puzzle":"extended"', b'"m3","puzzle":"simple"', "no puzzle"),
    "a waiting match of nobody": (b'"player":"eve"}', b'"player":"gus"}', "no player"),
    "a waiting match of another": (b'"player":"eve"}', b'"player":"fay"}', "not all who wait"),
    "nobody waits": (WAIT, WAIT.replace(b"WAIT", b"CHOOSE"), "not all who choose"),
    "a match of no ID": (b'[{"id":"m1"', b'[{"id":""', "ID of its own"),
    "a match of another's ID": (b'[{"id":"m1"', b'[{"id":"m3"', "ID of its own"),
    "a match on no puzzle": (b'"m1","puzzle":"extended"', b'"m1","puzzle":"simple"', "no puzzle"),
    "a match of nobody": (b'"players":["ann","bob"]', b'"players":["ann","gus"]', "no players"),
    "a match of one": (b'"players":["ann","bob"]', b'"players":["ann","ann"]', "two different players"),
    "a match of somebody who chooses": (b'"players":["ann","bob"]', b'"players":["ann","fay"]', "cannot stand"),
    "two scores for three": (b'"points":[0,-1]', b'"points":[0,-1,0]', "length 2"),
    "no such word": (b'{"id":4,"entered":"tab"', b'{"id":5,"entered":"tab"', "cannot stand"),
    "word 0": (b'{"id":4,"entered":"tab"', b'{"id":0,"entered":"tab"', "cannot stand"),
    "a word twice": (b'{"id":4,"entered":"tab"', b'{"id":1,"entered":"tab"', "cannot stand"),
    "a word of no letters": (b'"entered":"tab"', b'"entered":"tAb"', "cannot stand"),
    "a word too long": (b'"entered":"tab"', b'"entered":"tabs"', "cannot stand"),
    "words that do not agree": (b'"entered":"tab"', b'"entered":"pet"', "cannot stand"),
    "a word of nobody's": (b'"by":"bob"', b'"by":"fay"', "cannot stand"),
    "a wrong word that is confirmed": (
        b'"by":"bob","confirmed":false',
        b'"by":"bob","confirmed":true',
        "cannot stand",
    ),
}


@pytest.mark.parametrize(("old", "new", "why"), GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_is_no_state(old: bytes, new: bytes, why: str) -> None:
    assert Lobby.restore(GOOD).state() == GOOD
    assert old in GOOD
    with pytest.raises(ValueError, match=why):
        Lobby.restore(GOOD.replace(old, new, 1))


def test_garbage_a_match_that_is_gone_or_over_or_there_twice_is_no_state() -> None:
    head, _, match = GOOD.partition(b'"running":[')
    match = match.removesuffix(b"]}")
    with pytest.raises(ValueError, match="not all who play"):
        Lobby.restore(head + b'"running":[]}')
    with pytest.raises(ValueError, match="plays in two"):
        Lobby.restore(head + b'"running":[' + match + b"," + match.replace(b'"m1"', b'"m4"') + b"]}")
    words = b",".join(
        b'{"id":%d,"entered":"%s","by":"ann","confirmed":true}' % (number, word)
        for number, word in enumerate((b"cat", b"mat", b"car", b"tax"), start=1)
    )
    with pytest.raises(ValueError, match="is over"):
        Lobby.restore(head + b'"running":[' + match[: match.index(b'"words"')] + b'"words":[' + words + b"]}]}")


@given(st.integers(0, len(GOOD) - 1))
def test_garbage_a_truncated_state_is_none(length: int) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        Lobby.restore(GOOD[:length])
