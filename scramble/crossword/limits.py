"""Checks of the limits on sessions and matches in a lobby, in total and for one address. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import msgspec

from scramble.crossword.messages import Quota
from scramble.crossword.session import SessionState, WaitingMatch

LOBBY_FULL_WORDS: Final = "There are as many players as this server allows. Try again later."
ADDRESS_FULL_WORDS: Final = "There are as many players from your address as this server allows. Try again later."
NO_MATCHES: Final = "There are as many matches as this server allows. Join one, or try again later."
NO_MATCHES_BY_ADDRESS: Final = (
    "There are as many matches waiting from your address as this server allows. Join one, or try again later."
)


class LobbyLimits(msgspec.Struct, frozen=True):
    """Largest numbers of sessions (connected, or missing in the time of grace) and of matches (waiting or running)."""

    sessions: int = 1000
    matches: int = 400


def no_session(
    limits: LobbyLimits, quota: Quota | None, sessions: Collection[SessionState], missing: int
) -> str | None:
    """Return the reason why no session can begin in addition to `sessions`; None if a session can begin.

    `missing` is the number of missing sessions. They count in the limit. Only for a command without a quota, from an
    older journal, they do not count.
    """
    if len(sessions) - (missing if quota is None else 0) >= limits.sessions:
        return LOBBY_FULL_WORDS
    if quota is None or quota.sessions is None:
        return None
    from_there = sum(_is_from(quota, session) for session in sessions)
    return ADDRESS_FULL_WORDS if from_there >= quota.sessions else None


def no_match(limits: LobbyLimits, quota: Quota | None, waiting: Collection[WaitingMatch], running: int) -> str | None:
    """Return the reason why no match can be added to the `waiting` and `running` matches; None if it can be added."""
    if len(waiting) + running >= limits.matches:
        return NO_MATCHES
    if quota is None or quota.waiting is None:
        return None
    from_there = sum(_is_from(quota, match.session) for match in waiting)
    return NO_MATCHES_BY_ADDRESS if from_there >= quota.waiting else None


def _is_from(quota: Quota, session: SessionState) -> bool:
    return session.quota is not None and session.quota.account == quota.account
