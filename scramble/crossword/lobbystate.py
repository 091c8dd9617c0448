"""A whole lobby written down, and read back: all that its future depends on, and nothing else, as canonical JSON.

Who follows a session is left out: that changes nothing, and is asked again by whoever comes back. Orders are kept where
anybody can notice them: of the puzzles, of the matches that wait, and of those who choose one, who are told of changes
in that order. Everything else is in the order of its ID.

What is written holds the solutions of the puzzles and the tokens that players come back with: it is not for players.

Reading trusts nobody: a state that no lobby can be in is refused in words, so that a damaged one is noticed here and
not as a bug many moves later.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec

from scramble.crossword.entry import Entry
from scramble.crossword.match import Match, MatchState
from scramble.crossword.messages import MatchListing, Result, SessionId, State
from scramble.crossword.puzzle import Puzzle, PuzzleError
from scramble.crossword.session import RunningMatch, Session, WaitingMatch
from scramble.crossword.statetable import is_id

_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class Limits(msgspec.Struct, frozen=True):
    """How many connected sessions, and how many matches (waiting or running), there may be."""

    sessions: int = 1000
    matches: int = 400


class _Puzzle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    name: str
    description: str
    entries: tuple[Entry, ...]


class _Session(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A session; the match of its player is found by the player's ID."""

    id: SessionId
    token: str
    state: State
    message: str
    player: str | None
    number: _Count
    pushed: _Count
    present: bool
    result: Result | None


class _State(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: _Count
    last_id: _Count
    limits: Limits
    puzzles: tuple[_Puzzle, ...]
    sessions: tuple[_Session, ...]
    choosing: tuple[SessionId, ...]
    waiting: tuple[MatchListing, ...]
    running: tuple[MatchState, ...]


_decoder: Final = msgspec.json.Decoder(_State)


class Parts(NamedTuple):
    """What a lobby is made of; the dicts in their order, by ID."""

    version: int
    last_id: int
    limits: Limits
    puzzles: tuple[Puzzle, ...]
    sessions: dict[SessionId, Session]
    choosing: dict[SessionId, Session]
    waiting: dict[str, WaitingMatch]
    running: dict[str, RunningMatch]


def write_state(parts: Parts) -> bytes:
    """The lobby made of these parts as JSON: equal for two lobbies exactly if they have the same future."""
    state = _State(
        version=parts.version,
        last_id=parts.last_id,
        limits=parts.limits,
        puzzles=tuple(_Puzzle(puzzle.id, puzzle.name, puzzle.description, puzzle.entries) for puzzle in parts.puzzles),
        sessions=tuple(
            _Session(
                session.id,
                session.token,
                session.state,
                session.message,
                session.player,
                session.number,
                session.pushed,
                session.present,
                session.result,
            )
            for _, session in sorted(parts.sessions.items())
        ),
        choosing=tuple(parts.choosing),
        waiting=tuple(waiting.listing for waiting in parts.waiting.values()),
        running=tuple(parts.running[id].match.state() for id in sorted(parts.running)),
    )
    return msgspec.json.encode(state)


def read_state(data: bytes) -> Parts:
    """The parts of the lobby that `write_state` made `data` of, in which nobody follows anything.

    Raises:
        ValueError: it is none; says what is wrong.
    """
    try:
        state = _decoder.decode(data)
    except RecursionError:
        raise ValueError("the state of a lobby is not nested so deeply") from None
    puzzles = _read_puzzles(state.puzzles)
    sessions = {told.id: _read_session(told) for told in state.sessions}
    _require(list(sessions) == sorted(told.id for told in state.sessions), "two sessions have one ID, or no order")
    _require(all(0 < id <= state.last_id for id in sessions), "a session has an ID that was never given")
    players = {session.name: session for session in sessions.values() if session.player is not None}
    _require(len(players) == sum(session.player is not None for session in sessions.values()), "two have one Player_ID")

    choosing = {id: sessions[id] for id in state.choosing if id in sessions}
    _require(len(choosing) == len(state.choosing), "somebody who chooses is not there")
    waiting: dict[str, WaitingMatch] = {}
    for listing in state.waiting:
        _require(is_id(listing.id) and listing.id not in waiting, "a waiting match has no ID of its own")
        _require(listing.puzzle in puzzles and listing.player in players, "a waiting match has no puzzle or no player")
        session = players[listing.player]
        waiting[listing.id] = session.waiting = WaitingMatch(listing, puzzles[listing.puzzle], session)
    running: dict[str, RunningMatch] = {}
    for match in state.running:
        _require(is_id(match.id) and match.id not in waiting.keys() | running.keys(), "a match has no ID of its own")
        _require(
            match.puzzle in puzzles and players.keys() >= set(match.players), "a match has no puzzle or no players"
        )
        both = {player: players[player] for player in match.players}
        running[match.id] = RunningMatch(Match.restore(match, puzzles[match.puzzle]), both)
        for session in both.values():
            session.running = running[match.id]
    _agree(sessions.values(), choosing, len(waiting), len(running))
    return Parts(
        state.version, state.last_id, state.limits, tuple(puzzles.values()), sessions, choosing, waiting, running
    )


def _read_puzzles(told: tuple[_Puzzle, ...]) -> dict[str, Puzzle]:
    try:
        puzzles = {puzzle.id: Puzzle(puzzle.id, puzzle.name, puzzle.description, puzzle.entries) for puzzle in told}
    except PuzzleError as error:
        raise ValueError(f"not the state of a lobby: a puzzle is none, {error}") from error
    _require(len(puzzles) == len(told) > 0, "there is no puzzle, or two have one ID")
    return puzzles


def _read_session(told: _Session) -> Session:
    _require(told.player is None or is_id(told.player), "a Player_ID is none")
    _require((told.state == "START") == (told.player is None), "somebody has no Player_ID, or one too early")
    _require((told.state == "SHOW SCORE") == (told.result is not None), "a score is missing, or shown too early")
    _require(told.present or told.state in ("PLAY", "SHOW SCORE"), "somebody is missing who has no match")
    _require(told.pushed <= told.number, "more was pushed than there is")
    if told.result is not None:
        names = told.result.match.players
        _require(told.player in names and told.result.points.keys() == set(names), "a score is nobody's")
    return Session(
        id=told.id,
        token=told.token,
        state=told.state,
        message=told.message,
        player=told.player,
        number=told.number,
        pushed=told.pushed,
        present=told.present,
        result=told.result,
    )


def _agree(sessions: Iterable[Session], choosing: dict[SessionId, Session], waiting: int, running: int) -> None:
    """See that each session is where its state says, and nowhere else."""
    for session in sessions:
        _require((session.state == "CHOOSE") == (session.id in choosing), "not all who choose are in CHOOSE")
        _require((session.state == "WAIT") == (session.waiting is not None), "not all who wait are in WAIT")
        _require((session.state == "PLAY") == (session.running is not None), "not all who play are in PLAY")
    places = [session.state for session in sessions]
    _require(places.count("WAIT") == waiting, "somebody waits in two matches")
    _require(places.count("PLAY") == 2 * running, "somebody plays in two matches")


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ValueError(f"not the state of a lobby: {otherwise}")
