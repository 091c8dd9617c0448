"""Spectators of a crossword see only the public part of its replay.

Testing strategy. Hypothesis plays a room's match: players enter, try, challenge, lose connections, come back and give
up, and a third person tries to play. After each command the test makes a spectator's view from the replay's layout and
snapshot alone: the grid, the clues, the words on the board, their players, the points, the result. The spectator's
frame must be equal to it.

Besides: the replay's sentences for players who enter by their seats.
"""

from __future__ import annotations

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from scramble.crossword import Puzzle
from scramble.crossword.english import ENGLISH
from scramble.crossword.frames import view_frame
from scramble.crossword.lobby import Lobby
from scramble.crossword.messages import (
    Disconnect,
    Enter,
    ExpireGrace,
    OpenSession,
    Say,
    SessionId,
    SessionView,
    Spectate,
)
from scramble.crossword.narrator import CrosswordNarrator, CrosswordSnapshot
from scramble.kernel.protocol import Answered, Ticket
from tests.support.crossword.driver import EXTENDED
from tests.support.replay.tape import Tape

ASIDE = Ticket(-2)
NAMES = ("ann", "bob", "cyd")
WORDS = ("cat", "mat", "car", "tax", "cot", "tab", "cow")

LINES = st.one_of(
    st.builds("TRY {} {}".format, st.integers(1, 4), st.sampled_from(WORDS)),
    st.builds("CHALLENGE {} {}".format, st.integers(1, 4), st.sampled_from(WORDS)),
)
ACTS = st.tuples(
    st.sampled_from(NAMES), st.one_of(LINES, LINES, LINES, st.sampled_from(["enter", "leave", "expire", "EXIT"]))
)


class Room:
    """A match that is played and narrated at the same time."""

    def __init__(self, *, alone: bool = False) -> None:
        self.lobby = Lobby([Puzzle.parse(EXTENDED, id="mini")], one_match=True, alone=alone)
        self.tape = Tape(self.lobby)
        self.narrator = CrosswordNarrator(self.lobby.state())
        self.words: list[str] = []
        self._sessions: dict[str, SessionId] = {}

    def act(self, name: str, act: str) -> None:
        session = self._sessions.get(name, SessionId(999))
        match act:
            case "enter":
                view = self.tape.do(OpenSession(f"secret-of-{name}"))
                assert isinstance(view, SessionView)
                self._sessions[name] = view.session
                self.tape.do(Enter(view.session, name))
            case "leave":
                self.tape.do(Disconnect(session, left=True))
            case "expire":
                self.tape.do(ExpireGrace(session, left=True))
            case line:
                self.tape.do(Say(session, line))
        for record in self.tape.records[len(self.words) :]:
            step = self.narrator.narrate(record)
            self.words += ENGLISH.lines(step.told, step.also)

    def seen(self) -> SessionView:
        """The view of a spectator who comes now."""
        (outcome,) = self.lobby.apply(ASIDE, Spectate(-1))
        assert isinstance(outcome, Answered)
        assert isinstance(outcome.value, SessionView)
        return outcome.value


def told(snapshot: CrosswordSnapshot, narrator: CrosswordNarrator) -> dict[str, object] | None:
    """The match of the replay, in the form of a frame; None if no match has begun."""
    if not snapshot.matches:
        return None
    (state,) = snapshot.matches.values()
    (match,) = narrator.layout().matches
    shape = narrator.layout().puzzles[match.puzzle]
    standing = {word.id: word for word in state.words}
    cells: list[list[dict[str, object] | None]] = [[None] * shape.columns for _ in range(shape.rows)]
    words = []
    for word in shape.words:
        stands = standing.get(word.id)
        for place, (row, column) in enumerate(word.cells()):
            cell = cells[row][column]
            if cell is None:
                cell = cells[row][column] = {"letter": None, "words": []}
            letter = None if stands is None or stands.text is None else stands.text[place]
            cell["letter"] = cell["letter"] or letter
            cell["words"] = sorted([*msgspec.convert(cell["words"], list[int]), word.id])
        entered, by, confirmed = (None, None, False) if stands is None else (stands.text, stands.by, stands.confirmed)
        words.append({**msgspec.to_builtins(word), "entered": entered, "by": by, "confirmed": confirmed})
    return {
        "id": match.id,
        "puzzle": match.puzzle,
        "description": match.description,
        "rows": shape.rows,
        "columns": shape.columns,
        "players": list(match.players),
        "cells": cells,
        "words": words,
        "points": state.points,
        "over": state.over,
        "winner": state.winner,
    }


def shown(view: SessionView) -> dict[str, object] | None:
    """The match in a spectator's frame, in the same form; None if the frame has no match."""
    frame = msgspec.json.decode(view_frame(view), type=dict[str, msgspec.Raw])
    assert set(frame) <= {"state", "player", "message", "error", "match", "missing", "result", "clock", "solution"}
    assert ("solution" in frame) == (view.state == "SHOW SCORE")
    if view.state == "WAIT":
        return None
    if view.result is None:
        match = msgspec.json.decode(frame["match"], type=dict[str, object])
        points = match.pop("challenge_points")
        return {**match, "points": points, "over": None, "winner": None}
    result = msgspec.json.decode(frame["result"], type=dict[str, object])
    match = msgspec.convert(result["match"], dict[str, object])
    del match["challenge_points"]  # the points include them
    nobody = "not-completed" if "seconds" in result else "drawn"
    over = nobody if result["winner"] is None else "won"
    return {**match, "points": result["points"], "over": over, "winner": result["winner"]}


@given(st.lists(ACTS, max_size=30), st.booleans())
@settings(max_examples=30)
def test_a_spectators_frame_is_made_of_nothing_but_what_the_replay_shows(
    acts: list[tuple[str, str]], alone: bool
) -> None:
    room = Room(alone=alone)
    for name, act in [("ann", "enter"), ("bob", "enter"), *acts]:
        room.act(name, act)
        view, frame = room.seen(), view_frame(room.seen())
        assert shown(view) == told(room.narrator.snapshot(), room.narrator)
        assert b"secret-of" not in frame
        assert view.player is None
        assert view.token is None


def test_the_replay_tells_of_players_who_enter_by_their_seats() -> None:
    room = Room()
    acts = [("ann", "enter"), ("bob", "enter"), ("cyd", "enter"), ("bob", "leave"), ("bob", "enter"), ("ann", "EXIT")]
    for name, act in acts:
        room.act(name, act)
    assert room.words == [
        "somebody connects",
        "ann waits for a second player",
        "somebody connects",
        "bob joins ann's match one on mini, which begins",
        "somebody connects",
        "somebody finds no place in the match",
        "bob has lost the connection, and may come back",
        "somebody connects",
        "bob comes back",
        "ann gives up match one. Match one is over: bob wins (ann 0, bob 0)",
    ]
