"""State of a whole lobby as canonical JSON: exactly the data that decide the results of later commands.

The JSON omits the followers of sessions: they change nothing, and a client that reconnects follows again. The order
has an effect for puzzles, for waiting matches, and for sessions in CHOOSE, which are notified of changes in this order.
So the JSON keeps these orders. All other objects are in the order of their IDs.

The JSON has the solutions of the puzzles and the tokens of players. Never send it to players.

The decoder validates everything. It rejects an impossible state with an error message. So this module detects a damaged
state before it can cause a bug many moves later.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec

from scramble.crossword.grid import Entry
from scramble.crossword.limits import LobbyLimits
from scramble.crossword.match import Match, MatchState
from scramble.crossword.messages import MatchListing, Quota, Result, SessionId, State
from scramble.crossword.puzzle import Puzzle, PuzzleError
from scramble.crossword.session import RunningMatch, SessionState, WaitingMatch
from scramble.crossword.statetable import is_id

_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class _Puzzle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    name: str
    description: str
    entries: tuple[Entry, ...]


class _Session(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A session. The ID of its player leads to its match. Older states have no quotas."""

    id: SessionId
    token: str
    state: State
    message: str
    player: str | None
    number: _Count
    pushed: _Count
    present: bool
    result: Result | None
    quota: Quota | None = None


class _State(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A lobby. For a lobby of many matches `one_match`, `result` and `alone` are not encoded."""

    version: _Count
    last_id: _Count
    limits: LobbyLimits
    puzzles: tuple[_Puzzle, ...]
    sessions: tuple[_Session, ...]
    choosing: tuple[SessionId, ...]
    waiting: tuple[MatchListing, ...]
    running: tuple[MatchState, ...]
    one_match: bool = False
    alone: bool = False
    result: Result | None = None


_decoder: Final = msgspec.json.Decoder(_State)


class Parts(NamedTuple):
    """Parts of a lobby. The keys of the dicts are IDs; the dicts keep their order."""

    version: int
    last_id: int
    limits: LobbyLimits
    puzzles: tuple[Puzzle, ...]
    sessions: dict[SessionId, SessionState]
    choosing: dict[SessionId, SessionState]
    waiting: dict[str, WaitingMatch]
    running: dict[str, RunningMatch]
    one_match: bool = False
    alone: bool = False
    result: Result | None = None


def write_state(parts: Parts) -> bytes:
    """Encode a lobby as JSON. Two lobbies have equal JSON if and only if no command can distinguish them."""
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
                session.quota,
            )
            for _, session in sorted(parts.sessions.items())
        ),
        choosing=tuple(parts.choosing),
        waiting=tuple(waiting.listing for waiting in parts.waiting.values()),
        running=tuple(parts.running[id].state() for id in sorted(parts.running)),
        one_match=parts.one_match,
        alone=parts.alone,
        result=parts.result,
    )
    return msgspec.json.encode(state)


def read_state(data: bytes) -> Parts:
    """Decode the parts of a lobby from the output of `write_state`, without followers.

    Raises:
        ValueError: `data` is not the state of a lobby. The message gives the reason.
    """
    try:
        state = _decoder.decode(data)
    except RecursionError:
        raise ValueError("not the state of a lobby: the JSON is nested too deeply") from None
    puzzles = _read_puzzles(state.puzzles)
    sessions = {encoded.id: _read_session(encoded) for encoded in state.sessions}
    _require(
        list(sessions) == sorted(encoded.id for encoded in state.sessions),
        "two sessions have the same ID, or the sessions are not in order",
    )
    _require(all(0 < id <= state.last_id for id in sessions), "a session has an ID that was never assigned")
    players = {session.name: session for session in sessions.values() if session.player is not None}
    _require(
        len(players) == sum(session.player is not None for session in sessions.values()),
        "two sessions have the same Player_ID",
    )

    choosing = {id: sessions[id] for id in state.choosing if id in sessions}
    _require(len(choosing) == len(state.choosing), "a session that chooses a match does not exist")
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
        _require(
            len(match.players) == (1 if state.alone else 2) and (match.clock is not None) == state.alone,
            "a match has too few players, or too many",
        )
        theirs = {player: players[player] for player in match.players}
        running[match.id] = RunningMatch(Match.restore(match, puzzles[match.puzzle]), theirs, match.clock)
        for session in theirs.values():
            session.running = running[match.id]
    _agree(sessions.values(), choosing, len(waiting), sum(len(one.sessions) for one in running.values()))
    _require_one_match(state)
    return Parts(
        state.version,
        state.last_id,
        state.limits,
        tuple(puzzles.values()),
        sessions,
        choosing,
        waiting,
        running,
        state.one_match,
        state.alone,
        state.result,
    )


def _require_one_match(state: _State) -> None:
    """Check a lobby of one match. Raises ValueError."""
    if not state.one_match:
        _require(state.result is None, "a lobby of many matches has one result")
        _require(not state.alone, "a player plays alone in a lobby of many matches")
        return
    _require(len(state.puzzles) == 1 and not state.choosing, "a lobby of one match has a choice")
    matches = len(state.waiting) + len(state.running) + (state.result is not None)
    _require(matches <= 1, "a lobby of one match has several matches")
    scores = [session.result for session in state.sessions if session.result is not None]
    _require(all(score == state.result for score in scores), "the result of a session is not the result of the match")
    if state.result is not None:
        players = state.result.match.players
        number = 1 if state.alone else 2
        whose = state.result.points.keys() == set(players) and len(players) == len(set(players)) == number
        _require(whose and (state.result.seconds is not None) == state.alone, "the result does not match its players")


def _read_puzzles(encoded: tuple[_Puzzle, ...]) -> dict[str, Puzzle]:
    try:
        puzzles = {puzzle.id: Puzzle(puzzle.id, puzzle.name, puzzle.description, puzzle.entries) for puzzle in encoded}
    except PuzzleError as error:
        raise ValueError(f"not the state of a lobby: a puzzle is invalid, {error}") from error
    _require(len(puzzles) == len(encoded) > 0, "there is no puzzle, or two puzzles have the same ID")
    return puzzles


def _read_session(encoded: _Session) -> SessionState:
    _require(encoded.player is None or is_id(encoded.player), "a Player_ID is invalid")
    _require((encoded.state == "START") == (encoded.player is None), "a session has no Player_ID, or has one too early")
    _require(
        (encoded.state == "SHOW SCORE") == (encoded.result is not None), "a result is missing, or is there too early"
    )
    _require(encoded.present or encoded.state in ("PLAY", "SHOW SCORE"), "a missing player has no match")
    _require(encoded.pushed <= encoded.number, "a view was pushed before it existed")
    if encoded.result is not None:
        names = encoded.result.match.players
        _require(
            encoded.player in names and encoded.result.points.keys() == set(names), "a result belongs to other players"
        )
    return SessionState(
        id=encoded.id,
        token=encoded.token,
        state=encoded.state,
        message=encoded.message,
        player=encoded.player,
        number=encoded.number,
        pushed=encoded.pushed,
        present=encoded.present,
        result=encoded.result,
        quota=encoded.quota,
    )


def _agree(
    sessions: Iterable[SessionState], choosing: dict[SessionId, SessionState], waiting: int, playing: int
) -> None:
    """Check that each session is in exactly the lists of its state. Raises ValueError."""
    for session in sessions:
        _require(
            (session.state == "CHOOSE") == (session.id in choosing),
            "not all sessions that choose a match are in CHOOSE",
        )
        _require((session.state == "WAIT") == (session.waiting is not None), "not all sessions that wait are in WAIT")
        _require((session.state == "PLAY") == (session.running is not None), "not all sessions that play are in PLAY")
    places = [session.state for session in sessions]
    _require(places.count("WAIT") == waiting, "a session waits in two matches")
    _require(places.count("PLAY") == playing, "a session plays in two matches")


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ValueError(f"not the state of a lobby: {otherwise}")
