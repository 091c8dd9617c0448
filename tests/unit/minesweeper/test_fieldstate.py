"""Saving and restoring fields: `Field.state`, `Field.restore`, and the commands in a journal.

Testing strategy. Hypothesis draws fields of 1 to 5 columns and rows, from empty to crowded, with and without scores and
a safe first dig, and commands of all kinds, also invalid ones; players come, leave and move. Then:

- a restored field behaves like its original: the same outcomes, tickets included, and the same state after each
  command; it looks the same, bombs and players included
- the first state and the sequence of commands, each through JSON, give the whole game
- every command except queries comes back from JSON unchanged; no query is recorded, and no query changes the state
- a refusal changes nothing
- states distinguish: version, the next number, players, names, places, and each state of a square
- garbage: no JSON, other JSON, truncated; each part of a real state replaced by an impossible one
- a million squares: are written in one character each, and restored
"""

from __future__ import annotations

from typing import cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scramble.kernel.protocol import Command, Durable, Outcome, Query, Refused, Ticket, Withdraw
from scramble.minesweeper import Field, messages
from scramble.minesweeper.fieldfile import MAX_SQUARES
from scramble.minesweeper.messages import (
    Chord,
    Connect,
    Deflag,
    Dig,
    Disconnect,
    Flag,
    Look,
    Move,
    TakeSnapshot,
    TakeStanding,
)

DECODE = msgspec.json.Decoder(Field.commands).decode
NUMBERS = st.integers(0, 6)
COORDINATES = st.integers(-1, 5)
PLAYERS = st.none() | NUMBERS
MOVES: list[type[Move]] = [Dig, Dig, Flag, Deflag, Chord]

DURABLE: st.SearchStrategy[Command[object]] = st.one_of(
    *(st.builds(move, COORDINATES, COORDINATES, PLAYERS) for move in MOVES),
    st.builds(Dig, st.sampled_from([10**30, -(10**30)]), COORDINATES),
    st.builds(Connect, st.none() | st.sampled_from(["ann", "b_2", "not a name", "é", ""])),
    st.builds(Disconnect, NUMBERS),
    st.builds(Withdraw),
)
QUERIES: st.SearchStrategy[Command[object]] = st.sampled_from([Look(), TakeSnapshot(), TakeStanding()])
COMMANDS = st.lists(st.one_of(DURABLE, DURABLE, QUERIES), max_size=20)


@st.composite
def fields(draw: st.DrawFn) -> Field:
    """Draw a new field."""
    columns, rows = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    squares = [(x, y) for y in range(rows) for x in range(columns)]
    field = Field(columns, rows, draw(st.lists(st.sampled_from(squares), max_size=len(squares) // 2, unique=True)))
    if draw(st.booleans()):
        field.keep_scores()
        field.begin_safely()
    return field


def play(field: Field, commands: list[Command[object]], first: int = 1) -> list[list[object]]:
    """Return the outcomes of each command."""
    return [list(map(told, field.apply(Ticket(first + i), command))) for i, command in enumerate(commands)]


def told(outcome: Outcome) -> object:
    """Return the outcome in a form that compares by contents, because errors compare by identity."""
    if isinstance(outcome, Refused):
        return outcome.ticket, type(outcome.error), str(outcome.error)
    return outcome


def test_a_field_is_durable() -> None:
    field: Durable = Field(3, 2)
    assert field.kind == "minesweeper"


# --- futures ----------------------------------------------------------------------------------------


@given(fields(), COMMANDS, COMMANDS)
def test_a_restored_field_has_the_same_future_as_its_original(
    field: Field, past: list[Command[object]], future: list[Command[object]]
) -> None:
    play(field, past)
    twin = Field.restore(field.state())
    assert twin.state() == field.state()
    assert (str(twin), twin.bombs(), twin.snapshot()) == (str(field), field.bombs(), field.snapshot())
    for command in future:
        assert play(twin, [command], first=100) == play(field, [command], first=100)
        assert twin.state() == field.state()


@given(fields(), COMMANDS)
def test_the_first_state_and_the_commands_are_the_whole_game(field: Field, played: list[Command[object]]) -> None:
    again = Field.restore(field.state())
    for command in played:
        play(field, [command])
        if not isinstance(command, Query):
            play(again, [cast(Command[object], DECODE(msgspec.json.encode(command)))])
    assert again.state() == field.state()


@given(fields(), COMMANDS, COMMANDS)
def test_neither_a_query_nor_a_refusal_leaves_a_trace(
    field: Field, past: list[Command[object]], more: list[Command[object]]
) -> None:
    play(field, past)
    for command in more:
        before = field.state()
        outcomes = field.apply(Ticket(1), command)
        if isinstance(command, Query) or isinstance(outcomes and outcomes[0], Refused):
            assert field.state() == before


# --- commands ---------------------------------------------------------------------------------------


@given(DURABLE)
def test_commands_come_back_from_json_as_they_were(command: Command[object]) -> None:
    back = DECODE(msgspec.json.encode(command))
    assert (type(back), back) == (type(command), command)


def test_all_commands_but_queries_are_for_a_journal() -> None:
    found = {kind for kind in vars(messages).values() if isinstance(kind, type) and issubclass(kind, Command)}
    bases = {Command, Query, Move}
    durable = {kind for kind in found if not issubclass(kind, Query)} - bases
    assert {Withdraw, *durable} == {Dig, Flag, Deflag, Chord, Connect, Disconnect, Withdraw}
    for query in (Look(), TakeSnapshot()):
        with pytest.raises(msgspec.ValidationError):
            DECODE(msgspec.json.encode(query))


# --- contents of a state -----------------------------------------------------------------------------


class State(msgspec.Struct):
    """A state, part by part."""

    version: int
    next_player: int
    players: list[msgspec.Raw]
    lines: list[str]


def parts(field: Field) -> State:
    return msgspec.json.decode(field.state(), type=State)


def test_a_state_distinguishes_dug_flagged_and_bombed_squares() -> None:
    field = Field(5, 1, [(3, 0), (4, 0)])
    field.flag(1, 0)
    field.dig(2, 0)
    field.flag(4, 0)
    assert parts(field).lines == [".fd*F"]
    field.dig(3, 0)
    assert parts(field).lines == [".fddF"]


def test_states_differ_if_players_or_versions_do() -> None:
    fields = [Field(2, 2) for _ in range(6)]
    play(fields[1], [Connect()])
    play(fields[2], [Connect("ann")])
    play(fields[3], [Connect("ann"), Flag(0, 0, 1), Deflag(0, 0, 1)])
    play(fields[4], [Connect("ann"), Flag(0, 1, 1), Deflag(0, 1, 1)])
    play(fields[5], [Connect("ann"), Disconnect(1)])
    assert len({field.state() for field in fields}) == 6


def test_a_million_squares_are_a_million_characters() -> None:
    field = Field.random(1000, 1000, seed=1)
    play(field, [Connect("ann"), Dig(500, 500, 1), Flag(0, 0, 1)])
    state = field.state()
    assert len(state) < 1.01e6
    twin = Field.restore(state)
    assert twin.state() == state
    assert twin.bombs() == field.bombs()


# --- garbage ----------------------------------------------------------------------------------------

STATE = b'{"version":3,"next_player":3,"players":[%s],"lines":["..*","dfF"]}'
ANN = b'{"id":1,"name":"ann","at":[2,1]}'
BOB = b'{"id":2,"name":"telnet 2","at":null}'
GOOD = STATE % (ANN + b"," + BOB)

GARBAGE = {
    "nothing": b"",
    "no JSON": b"\xff",
    "nested": b"[" * 100_000,
    "truncated": GOOD[:-1],
    "more": GOOD + b"x",
    "a list": b"[]",
    "empty": b"{}",
    "a key too many": GOOD[:-1] + b',"x":1}',
    "a negative version": GOOD.replace(b'"version":3', b'"version":-1'),
    "fewer changes than players": GOOD.replace(b'"version":3', b'"version":1'),
    "a number that is given again": GOOD.replace(b'"next_player":3', b'"next_player":2'),
    "numbers from 0": STATE.replace(b'"next_player":3', b'"next_player":0') % b"",
    "player 0": GOOD.replace(b'"id":1', b'"id":0'),
    "players in no order": STATE % (BOB + b"," + ANN),
    "a player twice": STATE % (ANN + b"," + ANN),
    "a name that nobody can have": GOOD.replace(b'"ann"', b'"an n"'),
    "another one's name": GOOD.replace(b'"telnet 2"', b'"telnet 1"'),
    "outside, x": GOOD.replace(b"[2,1]", b"[3,1]"),
    "outside, y": GOOD.replace(b"[2,1]", b"[2,-1]"),
    "no rows": GOOD.replace(b'["..*","dfF"]', b"[]"),
    "no columns": GOOD.replace(b'["..*","dfF"]', b'["",""]'),
    "rows of two lengths": GOOD.replace(b"..*", b".."),
    "a dug bomb": GOOD.replace(b"dfF", b"dfD"),
    "a square of two bytes": GOOD.replace(b"dfF", "dfé".encode()),
    "half a character": GOOD.replace(b"dfF", b"df\\ud800"),
    "too many squares": GOOD.replace(b'"..*","dfF"', b'"' + b"." * (MAX_SQUARES + 1) + b'"'),
}


@pytest.mark.parametrize("state", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_is_no_state(state: bytes) -> None:
    assert Field.restore(GOOD).state() == GOOD
    with pytest.raises(ValueError, match=r"\S"):
        Field.restore(state)


@given(fields(), COMMANDS, st.data())
def test_a_truncated_state_is_none(field: Field, played: list[Command[object]], data: st.DataObject) -> None:
    play(field, played)
    state = field.state()
    with pytest.raises(ValueError, match=r"\S"):
        Field.restore(state[: data.draw(st.integers(0, len(state) - 1))])
