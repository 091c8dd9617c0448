"""Saving and restoring lobbies: `Lobby.state`, `Lobby.restore`, and the commands in a journal.

Testing strategy. tests/search/models/test_crossword.py runs random commands of many sessions on a lobby with its twin
(tests/support/crossword/twins.py). That covers all commands in all states. By hand:

- orders that matter: puzzles, waiting matches, sessions in CHOOSE: test_order_...
- a running match with two missing players continues; players can return to a score: test_a_restored_...
- every command except queries comes back from JSON unchanged; no query is recorded: test_commands_..., test_all_...
- garbage: no JSON, other JSON, truncated; each part of a real state replaced by an impossible one: test_garbage_...
"""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scramble.crossword import Limits, Lobby, Puzzle, SessionId, messages
from scramble.crossword.messages import (
    AwaitResult,
    Disconnect,
    EndIdle,
    EndMatch,
    Enter,
    ExpireGrace,
    Follow,
    Look,
    Object,
    OpenSession,
    Quota,
    ReturnSession,
    Say,
    Spectate,
)
from scramble.errors import InvalidCommand
from scramble.kernel.protocol import Answered, Command, Durable, Query, Refused, Ticket, Withdraw
from tests.support.crossword.driver import EXTENDED, SIMPLE, Table
from tests.support.crossword.twins import DECODE, DURABLE_COMMANDS, Twins

# --- by hand ----------------------------------------------------------------------------------------


def restored(table: Table) -> Table:
    """Return another table with the lobby restored from this one's state; all connections are lost."""
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


def test_order_of_pushes_to_sessions_in_choose_is_kept() -> None:
    table = Table()
    ann, bob, cyd = (table.player(name) for name in ("ann", "bob", "cyd"))
    table.do(ann, 'NEW m1 simple "a match"')
    table.do(ann, "EXIT")  # so ann is the last session in CHOOSE
    lobby = restored(table).lobby
    for session in (ann, bob):
        assert not lobby.apply(Ticket(session), Follow(session, table.look(session).number))
    outcomes = lobby.apply(Ticket(9), Say(cyd, 'NEW m1 simple "a match"'))
    assert [outcome.ticket for outcome in outcomes if isinstance(outcome, Answered)] == [9, bob, ann]


def test_a_restored_match_continues_when_both_players_return() -> None:
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


def test_a_restored_score_allows_the_players_return() -> None:
    table = Table()
    ann, bob = table.match()
    table.lose(bob)
    table.do(ann, "EXIT")
    other = restored(table)
    view = other.do(other.open(), "bob bob-token")
    assert (view.state, view.result) == ("SHOW SCORE", table.look(ann).result)


def test_a_restored_lobby_has_its_limits_and_reuses_no_number() -> None:
    table = Table(limits=Limits(sessions=1))
    for _ in range(2):
        table.lose(table.open())
    other = restored(table)
    assert other.open() == 3
    with pytest.raises(messages.LobbyFull):
        other.open()


# --- commands ---------------------------------------------------------------------------------------

SESSIONS = st.integers(-1, 2**64).map(SessionId)
SECONDS = st.floats(0, 1e9)
QUOTAS = st.builds(Quota, st.text(), st.none() | st.integers(1, 2**63), st.none() | st.integers(1, 2**63))
DURABLE: st.SearchStrategy[Command[object]] = st.one_of(
    st.builds(OpenSession, st.text(), st.none() | QUOTAS),
    st.builds(ReturnSession, st.text(), st.text(), st.text(), QUOTAS),
    st.builds(Say, SESSIONS, st.text()),
    st.builds(Enter, SESSIONS, st.text()),
    st.builds(Disconnect, SESSIONS, st.booleans(), st.booleans()),
    st.builds(ExpireGrace, SESSIONS, st.booleans()),
    st.builds(EndIdle, SESSIONS, SECONDS),
    st.builds(EndMatch, SESSIONS, st.integers(0, 2**63), SECONDS),
    st.builds(Withdraw),
)


@given(DURABLE)
def test_commands_come_back_from_json_as_they_were(command: Command[object]) -> None:
    back = DECODE(msgspec.json.encode(command))
    assert (type(back), back) == (type(command), command)


def test_all_commands_but_queries_are_for_a_journal() -> None:
    found = {kind for kind in vars(messages).values() if isinstance(kind, type) and issubclass(kind, Command)}
    durable = {kind for kind in found if not issubclass(kind, Query)} - {Command, Query}
    assert durable | {Withdraw} == DURABLE_COMMANDS
    for query in (Look(SessionId(1)), Follow(SessionId(1), 0), Object(SessionId(1), ""), Spectate(0), AwaitResult()):
        with pytest.raises(msgspec.ValidationError):
            DECODE(msgspec.json.encode(query))


def test_a_strange_command_is_refused_as_invalid_and_leaves_no_trace() -> None:
    lobby = Twins((Puzzle.parse(SIMPLE, id="simple"),))
    (refused,) = lobby.apply(Ticket(1), Command[object]())
    assert isinstance(refused, Refused)
    assert type(refused.error) is InvalidCommand


# --- garbage ----------------------------------------------------------------------------------------


def everything() -> bytes:
    """Return the state of a lobby with a session in each state, and a missing player."""
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
    "a number that is given again": (b'"last_id":7', b'"last_id":6', "never assigned"),
    "session 0": (b'{"id":1,"token"', b'{"id":0,"token"', "never assigned"),
    "a session twice": (b'{"id":2,"token"', b'{"id":1,"token"', "two sessions"),
    "sessions in no order": (b'{"id":2,"token"', b'{"id":5,"token"', "not in order"),
    "a player twice": (b'"player":"fay"', b'"player":"ann"', "the same Player_ID"),
    "no Player_ID": (b'"player":"fay"', b'"player":"f y"', "a Player_ID is invalid"),
    "START with a Player_ID": (CHOOSE, CHOOSE.replace(b"CHOOSE", b"START"), "too early"),
    "CHOOSE without a Player_ID": (b'"player":"fay"', b'"player":null', "no Player_ID"),
    "more pushed than there is": (b'"pushed":7', b'"pushed":8', "a view was pushed"),
    "missing from no match": (b'"pushed":0,"present":true', b'"pushed":0,"present":false', "missing"),
    "a score too early": (b'"result":null', b'"result":' + SCORE, "too early"),
    "no score": (SCORE, b"null", "result is missing"),
    "another one's score": (b'"player":"dan"', b'"player":"gus"', "other players"),
    "points for others": (b'"points":{"cyd"', b'"points":{"gus"', "other players"),
    "who chooses is not there": (b'"choosing":[6]', b'"choosing":[6,3]', "does not exist"),
    "who chooses does so twice": (b'"choosing":[6]', b'"choosing":[6,6]', "does not exist"),
    "another one chooses": (b'"choosing":[6]', b'"choosing":[6,7]', "not all sessions that choose"),
    "nobody chooses": (b'"choosing":[6]', b'"choosing":[]', "not all sessions that choose"),
    "a waiting match of no ID": (b'[{"id":"m3"', b'[{"id":"m 3"', "ID of its own"),
    "a waiting match on no puzzle": (b'"m3","puzzle":"extended"', b'"m3","puzzle":"simple"', "no puzzle"),
    "a waiting match of nobody": (b'"player":"eve"}', b'"player":"gus"}', "no player"),
    "a waiting match of another": (b'"player":"eve"}', b'"player":"fay"}', "not all sessions that wait"),
    "nobody waits": (WAIT, WAIT.replace(b"WAIT", b"CHOOSE"), "not all sessions that choose"),
    "a match of no ID": (b'[{"id":"m1"', b'[{"id":""', "ID of its own"),
    "a match of another's ID": (b'[{"id":"m1"', b'[{"id":"m3"', "ID of its own"),
    "a match on no puzzle": (b'"m1","puzzle":"extended"', b'"m1","puzzle":"simple"', "no puzzle"),
    "a match of nobody": (b'"players":["ann","bob"]', b'"players":["ann","gus"]', "no players"),
    "a match of one": (b'"players":["ann","bob"]', b'"players":["ann","ann"]', "two different players"),
    "a match of somebody who chooses": (b'"players":["ann","bob"]', b'"players":["ann","fay"]', "cannot stand"),
    "two scores for three": (b'"points":[0,-1]', b'"points":[0,-1,0]', "not as many points"),
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


def test_garbage_a_missing_or_finished_or_duplicate_match_is_no_state() -> None:
    head, _, match = GOOD.partition(b'"running":[')
    match = match.removesuffix(b"]}")
    with pytest.raises(ValueError, match="not all sessions that play"):
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
