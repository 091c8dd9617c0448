"""Frames of the WebSocket: a session's view as one JSON object. For telnet see `scramble.crossword.text`.

    state, player, message, error    always; player and error may be null
    token                            in the first CHOOSE frame of a session
    puzzles, matches                 in CHOOSE
    match                            in WAIT (id, puzzle, description) and in PLAY (the whole match)
    missing                          in PLAY, while the other player has lost the connection: player, seconds_left
    result                           in SHOW SCORE
    clock                            in PLAY, when a player plays alone: seconds, running
    solution                         in SHOW SCORE of a lobby of one match: the right words, by id

A frame has only the keys of its state. A frame is made only from a `SessionView`, so it reveals only data of the view.
A frame from the client is a command line. The front end sends it to the lobby in a `Say`.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from scramble.crossword.messages import (
    MatchHeader,
    MatchListing,
    MatchView,
    Missing,
    PuzzleListing,
    Result,
    SessionView,
)


class _Missing(msgspec.Struct):
    player: str
    seconds_left: int | UnsetType


class _Clock(msgspec.Struct):
    seconds: float
    running: bool


class _Frame(msgspec.Struct):
    state: str
    player: str | None
    message: str
    error: str | None
    code: str | UnsetType
    params: dict[str, str | int] | UnsetType
    token: str | UnsetType
    puzzles: msgspec.Raw | UnsetType
    matches: msgspec.Raw | UnsetType
    match: MatchView | MatchHeader | UnsetType
    missing: _Missing | UnsetType
    result: Result | UnsetType
    clock: _Clock | UnsetType
    solution: tuple[str, ...] | UnsetType


class _Encoded:
    """Encoder with a cache of one list: after a change of the lobby, all sessions in CHOOSE get the same list."""

    def __init__(self) -> None:
        # list and encoding share one attribute, so that no thread sees a list with the encoding of a different list
        self._last: tuple[tuple[object, ...], msgspec.Raw] = ((), msgspec.Raw(b"[]"))

    def encode(self, listing: tuple[PuzzleListing, ...] | tuple[MatchListing, ...]) -> msgspec.Raw:
        last, raw = self._last
        if last is not listing:
            raw = msgspec.Raw(msgspec.json.encode(listing))
            self._last = (listing, raw)
        return raw


_puzzles = _Encoded()
_matches = _Encoded()


def _missing(missing: Missing) -> _Missing:
    return _Missing(missing.player, UNSET if missing.seconds_left is None else missing.seconds_left)


def view_frame(view: SessionView) -> bytes:
    """Encode a view as UTF-8 JSON. Equal views make equal frames."""
    return msgspec.json.encode(
        _Frame(
            state=view.state,
            player=view.player,
            message=view.message,
            error=view.error,
            code=view.code or UNSET,
            params=dict(view.params) or UNSET,
            token=UNSET if view.token is None else view.token,
            puzzles=UNSET if view.puzzles is None else _puzzles.encode(view.puzzles),
            matches=UNSET if view.matches is None else _matches.encode(view.matches),
            match=UNSET if view.match is None else view.match,
            missing=UNSET if view.missing is None else _missing(view.missing),
            result=UNSET if view.result is None else view.result,
            clock=UNSET if view.clock is None else _Clock(round(view.clock.seconds, 1), view.clock.is_running),
            solution=UNSET if view.solution is None else view.solution,
        )
    )
