"""Roster of a lobby: its sessions and matches, with consistent indexes by ID, player and state.

The lobby decides all changes. Pure.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from scramble.crossword.messages import MatchListing, Quota, SessionEnded, SessionId
from scramble.crossword.session import RunningMatch, SessionState, WaitingMatch
from scramble.crossword.statetable import CommandRefused


class Roster:
    """Sessions and matches of one lobby. Mutable; only one task at a time may use it.

    `last_id` is the ID of the newest session. Other objects may read all fields, but must change them only by methods.
    """

    # AF = the sessions of `sessions`, the matches of `waiting` that need a second player (oldest first), and the
    #     matches of `running`, which have all their players; `missing` sessions are not present
    # RI: players has exactly the sessions with a player, by name; choosing has exactly the sessions in CHOOSE
    #     a session that is not present is in PLAY or SHOW SCORE, and has no followers; `missing` counts these sessions
    #     a session in WAIT is the session of its `waiting`; a session in PLAY is in its `running` under its name; a
    #     session in SHOW SCORE has a `result`; the matches of these sessions are exactly the matches of waiting and
    #     running, by ID, and no ID is in both
    #     no running match is over
    #     each follower of a session has seen at least the view `pushed`
    #     listings has the listings of waiting, in order
    # The invariant may be broken during a command, because the lobby sets a session's new state outside this class.

    def __init__(
        self,
        last_id: int = 0,
        sessions: Mapping[SessionId, SessionState] | None = None,
        choosing: Mapping[SessionId, SessionState] | None = None,
        waiting: Mapping[str, WaitingMatch] | None = None,
        running: Mapping[str, RunningMatch] | None = None,
    ) -> None:
        """Make a roster with these sessions and matches, in the order of their mappings."""
        self.last_id = last_id
        self.sessions = dict(sessions or {})
        self.choosing = dict(choosing or {})
        self.waiting = dict(waiting or {})
        self.running = dict(running or {})
        self.players = {session.name: session for session in self.sessions.values() if session.player is not None}
        self.missing = sum(not session.present for session in self.sessions.values())
        self.listings: tuple[MatchListing, ...] = ()
        self._relist()

    def find(self, id: SessionId) -> SessionState:
        """Return the connected session with this ID. Raises SessionEnded."""
        session = self.sessions.get(id)
        if session is None or not session.present:
            raise lost()
        return session

    def holder(self, player: str, token: str | None) -> SessionState:
        """Return the session of `player`, for a client with its token. Raises CommandRefused."""
        holder = self.players.get(player)
        if holder is None:
            raise CommandRefused(
                f"An ID has no spaces, and {player} has no session to come back to with a token. Enter an ID alone.",
                "no-session",
                player=player,
            )
        if token is None or not secrets.compare_digest(holder.token.encode(errors="surrogatepass"), token.encode()):
            raise CommandRefused(
                f"The ID {player} is in use, and this is not the token to come back with.", "wrong-token", player=player
            )
        return holder

    def begin(self, token: str, quota: Quota | None) -> SessionState:
        """Begin a session with a new ID, in START, and return it."""
        self.last_id += 1
        session = SessionState(SessionId(self.last_id), token, quota)
        self.sessions[session.id] = session
        return session

    def end(self, session: SessionState) -> None:
        """Remove a session without a match, and free its player's ID."""
        del self.sessions[session.id]
        self.choosing.pop(session.id, None)
        if session.player is not None:
            del self.players[session.player]
        if not session.present:
            self.missing -= 1

    def identify(self, session: SessionState, player: str) -> None:
        """Give the session the ID of a player. Requires a free ID."""
        session.player = player
        self.players[player] = session

    def lose(self, session: SessionState) -> None:
        """Mark a session as missing: its connection is lost, and its player may come back."""
        session.present = False
        self.missing += 1

    def choose(self, session: SessionState) -> None:
        """Add a session that is now in CHOOSE."""
        self.choosing[session.id] = session

    def add_waiting(self, match: WaitingMatch) -> None:
        """Add a match; its session was in CHOOSE and is now in WAIT."""
        self.waiting[match.listing.id] = match
        del self.choosing[match.session.id]
        self._relist()

    def remove_waiting(self, match: WaitingMatch) -> None:
        """Remove a waiting match."""
        del self.waiting[match.listing.id]
        self._relist()

    def start_alone(self, match_id: str, running: RunningMatch) -> None:
        """Add a running match of one player. The player's session was not in CHOOSE before."""
        self.running[match_id] = running

    def start(self, match: WaitingMatch, second: SessionState, running: RunningMatch) -> None:
        """Replace a waiting match by a running one; `second` was in CHOOSE and joins it."""
        del self.choosing[second.id]
        self.running[match.listing.id] = running
        self.remove_waiting(match)

    def finish(self, match_id: str) -> None:
        """Remove a running match."""
        del self.running[match_id]

    def _relist(self) -> None:
        """Build the list of waiting matches once; the views of all sessions in CHOOSE share it."""
        self.listings = tuple(waiting.listing for waiting in self.waiting.values())

    def check_rep(self) -> None:
        """Check the invariants, in time proportional to all sessions and matches. For tests."""
        sessions = self.sessions.values()
        assert self.players == {session.player: session for session in sessions if session.player is not None}
        assert self.choosing == {session.id: session for session in sessions if session.state == "CHOOSE"}
        assert self.missing == sum(not session.present for session in sessions)
        assert self.listings == tuple(waiting.listing for waiting in self.waiting.values())
        assert not self.waiting.keys() & self.running.keys()
        waiting = [waiting for session in sessions if (waiting := session.waiting) and waiting.session is session]
        assert {match.listing.id: match for match in waiting} == self.waiting
        assert len(waiting) == len(self.waiting) == sum(session.state == "WAIT" for session in sessions)
        players = {(running.match.view().id, name) for running in self.running.values() for name in running.sessions}
        assert len(players) == sum(session.state == "PLAY" for session in sessions)
        assert len(players) == sum(len(running.match.players) for running in self.running.values())
        for match_id, running in self.running.items():
            assert running.match.view().id == match_id
            assert tuple(running.sessions) == running.match.players
            for name, session in running.sessions.items():
                assert self.players[name] is session
                assert session.running is running
        assert not any(running.match.over for running in self.running.values())
        for session in sessions:
            assert session.present or (session.state in ("PLAY", "SHOW SCORE") and not session.followers)
            assert (session.state == "WAIT") == (session.waiting is not None)
            assert (session.state == "PLAY") == (session.running is not None)
            assert (session.state == "SHOW SCORE") == (session.result is not None)
            assert (session.state == "START") == (session.player is None)
            assert session.pushed <= session.number
            assert all(since >= session.pushed for since in session.followers.values())


def lost() -> SessionEnded:
    """Return the refusal for a session that is not connected."""
    return SessionEnded("lost", "There is no such session: it has ended, or its connection is lost.")
