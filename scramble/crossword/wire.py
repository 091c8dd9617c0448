"""How a session's view goes over the WebSocket: one JSON object. (For telnet see `screen`.)

    state, player, message, error    always; player and error may be null
    token                            in the first CHOOSE frame of a session
    puzzles, matches                 in CHOOSE
    match                            in WAIT (id, puzzle, description) and in PLAY (all of it)
    result                           in SHOW SCORE

Keys that a state does not use are absent. A frame is made of a `SessionView` and of nothing else, so what no view
holds, no frame can tell. What comes in is a command line, which the front end hands on in a `Say` as it is.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from scramble.crossword.messages import MatchHeader, MatchListing, MatchView, PuzzleListing, Result, SessionView
from scramble.crossword.screen import view_text

__all__ = ["view_frame", "view_text"]


class _Frame(msgspec.Struct):
    state: str
    player: str | None
    message: str
    error: str | None
    token: str | UnsetType
    puzzles: msgspec.Raw | UnsetType
    matches: msgspec.Raw | UnsetType
    match: MatchView | MatchHeader | UnsetType
    result: Result | UnsetType


class _Encoded:
    """Remembers the last list that it encoded: a change of the lobby shows the very same list to all who choose."""

    def __init__(self) -> None:
        # list and encoding in one attribute, so that no thread ever sees one without the other
        self._last: tuple[tuple[object, ...], msgspec.Raw] = ((), msgspec.Raw(b"[]"))

    def encode(self, listing: tuple[PuzzleListing, ...] | tuple[MatchListing, ...]) -> msgspec.Raw:
        last, raw = self._last
        if last is not listing:
            raw = msgspec.Raw(msgspec.json.encode(listing))
            self._last = (listing, raw)
        return raw


_puzzles = _Encoded()
_matches = _Encoded()


def view_frame(view: SessionView) -> bytes:
    """The frame of a view, UTF-8 JSON. Equal views make equal frames."""
    return msgspec.json.encode(
        _Frame(
            state=view.state,
            player=view.player,
            message=view.message,
            error=view.error,
            token=UNSET if view.token is None else view.token,
            puzzles=UNSET if view.puzzles is None else _puzzles.encode(view.puzzles),
            matches=UNSET if view.matches is None else _matches.encode(view.matches),
            match=UNSET if view.match is None else view.match,
            result=UNSET if view.result is None else view.result,
        )
    )
