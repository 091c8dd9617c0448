"""Rules of the lobby: the effect of each command on all sessions and matches. Pure: no trio, no clock, no randomness.

`statetable` has the state table of a session, `roster` has the indexes of sessions and matches, and `matches` has the
steps of a match. One object has all sessions, because joining, leaving and disconnecting change two sessions at once.
One owner carries out all commands in order, so they cannot race.

The handout does not decide some points. These decisions apply:

- A player's ID is in use while a session holds it; IDs that differ in upper and lower case are different.
- A match's ID is in use from NEW until the match is over.
- A player may come back with ID and token from any state, also while the old connection seems to be open. The reason: a
  server often notices late that a connection is dead. The newest connection wins, and the old session ends.
- A player who comes back does not get the token a second time. The token is valid as long as a session holds the ID.
- If a match ends while a player is missing, the player may come back to the score until the time of grace is over. But
  a new player may enter the same ID. Then the missing player's session ends.
- A missing player counts in the limits of sessions until the time of grace is over. So no other player can take the
  place, and a full server lets missing players come back: see `ReturnSession`.
- A player who loses the connection and does not come back has left the match. This is not the same as giving it up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Self

from scramble.crossword import phrases
from scramble.crossword.followers import Followers
from scramble.crossword.limits import LOBBY_FULL_WORDS, LobbyLimits, no_session
from scramble.crossword.lobbystate import Parts, read_state, write_state
from scramble.crossword.matches import Matches
from scramble.crossword.messages import (
    AwaitResult,
    Disconnect,
    EndIdle,
    EndMatch,
    Enter,
    ExpireGrace,
    Follow,
    LobbyFull,
    Look,
    Object,
    OpenSession,
    PuzzleListing,
    Quota,
    ReturnSession,
    Say,
    SessionEnded,
    SessionId,
    SessionView,
    Spectate,
)
from scramble.crossword.onematch import OneMatch
from scramble.crossword.puzzle import Puzzle, PuzzleError
from scramble.crossword.roster import Roster, lost
from scramble.crossword.session import SessionState
from scramble.crossword.statetable import (
    ID_RULE,
    MOVE_WORDS,
    Challenge,
    CommandRefused,
    Exit,
    Identify,
    New,
    NewMatch,
    Play,
    Try,
    is_id,
    read_line,
)
from scramble.errors import InvalidCommand, Refusal
from scramble.kernel.checks import CHECK_REP
from scramble.kernel.protocol import Command, Outcome, Ticket, Withdraw


class Lobby:
    """Lobby of one server, with all its sessions and matches. Mutable; only one task at a time may use it.

    Implements `scramble.kernel.protocol.Durable`.
    """

    kind: Final = "crossword"
    commands: Final[object] = (
        OpenSession | ReturnSession | Say | Enter | Disconnect | ExpireGrace | EndIdle | EndMatch | Withdraw
    )

    # AF = a server with the puzzles `_puzzles`, and the sessions and matches of `_roster`. In a lobby of one match,
    #     _one has the rest of the match's data; in a lobby of many matches, _one is None. _followers has the requests
    #     that wait for a view. _matches has only references to these parts.
    #     `_changed` is True if the current command has changed a view, or has begun or ended a session.
    # RI: the invariants of _roster and _followers
    # Safety from rep exposure: methods return only frozen views, never sessions or matches. All receivers of a view
    #     share its dicts of points, and do not change them.

    def __init__(
        self,
        puzzles: Sequence[Puzzle],
        limits: LobbyLimits | None = None,
        *,
        one_match: bool = False,
        alone: bool = False,
    ) -> None:
        """Make a lobby without sessions. With `one_match` it has only one match, on the only puzzle.

        With `one_match` and `alone`, one player plays the match alone. Raises `PuzzleError` if `puzzles` is empty, two
        puzzles have the same ID, or one match has several puzzles. Raises ValueError for `alone` without `one_match`.
        """
        if not puzzles:
            raise PuzzleError("there is no puzzle to play")
        if alone and not one_match:
            raise ValueError("only a lobby of one match can be played alone")
        if one_match and len(puzzles) > 1:
            raise PuzzleError("one match is on one puzzle")
        self._puzzles = {puzzle.id: puzzle for puzzle in puzzles}
        if len(self._puzzles) < len(puzzles):
            raise PuzzleError("two puzzles have the same ID")
        self._catalogue = tuple(PuzzleListing(puzzle.id, puzzle.name, puzzle.description) for puzzle in puzzles)
        self._limits = limits or LobbyLimits()
        self._version = 0
        self._roster = Roster()
        self._followers = Followers()
        self._one = OneMatch(puzzles[0], alone=alone) if one_match else None
        self._matches = self._make_matches()
        self._changed = False
        self._check_rep()

    def state(self) -> bytes:
        """Encode the whole lobby, without followers, as canonical JSON. Never for players."""
        roster, puzzles = self._roster, tuple(self._puzzles.values())
        parts = (roster.sessions, roster.choosing, roster.waiting, roster.running)
        one = self._one
        match = (one is not None, self.is_alone, None if one is None else one.result)
        return write_state(Parts(self._version, roster.last_id, self._limits, puzzles, *parts, *match))

    @classmethod
    def restore(cls, state: bytes, /) -> Self:
        """Restore a lobby from its `state`, without followers.

        Raises:
            ValueError: `state` is not the state of a lobby. The message gives the reason.
        """
        parts = read_state(state)
        lobby = cls(parts.puzzles, parts.limits, one_match=parts.one_match, alone=parts.alone)
        if lobby._one is not None:
            lobby._one.result = parts.result
        lobby._version = parts.version
        lobby._roster = Roster(parts.last_id, parts.sessions, parts.choosing, parts.waiting, parts.running)
        lobby._matches = lobby._make_matches()
        lobby._check_rep()
        return lobby

    def _make_matches(self) -> Matches:
        return Matches(self._puzzles, self._limits, self._roster, self._followers, self._one)

    @property
    def version(self) -> int:
        """Number of commands that have changed the view of a session, or have begun or ended a session."""
        return self._version

    @property
    def revision(self) -> int:
        """The version, because every change is in the view of at least one session."""
        return self._version

    @property
    def is_of_one_match(self) -> bool:
        """True if the lobby has one match, and no choice."""
        return self._one is not None

    @property
    def is_alone(self) -> bool:
        """True if one player plays the one match alone."""
        return self._one is not None and self._one.alone

    @property
    def present(self) -> tuple[SessionId, ...]:
        """The connected sessions, in the order of their numbers."""
        return tuple(session.id for session in self._roster.sessions.values() if session.present)

    @property
    def missing(self) -> tuple[SessionId, ...]:
        """The sessions of missing players, who may come back, in the order of the sessions' numbers."""
        return tuple(session.id for session in self._roster.sessions.values() if not session.present)

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        """Carry out one command in one atomic step.

        The time is proportional to the number of changed sessions. The beginning of a session takes time proportional
        to the number of all sessions; a new match takes time proportional to the number of waiting matches. A refused
        line changes nothing; the answer is a view with the reason.
        """
        self._followers.begin()
        self._changed = False
        try:
            self._carry_out(ticket, command)
        except (Refusal, InvalidCommand) as error:
            self._followers.refuse(ticket, error)
        self._changed |= self._followers.push(self._view)
        self._version += self._changed
        if self._one is not None and self._changed:
            self._one.publish(self._roster, self._followers)
        self._check_rep()
        return self._followers.outcomes()

    def __str__(self) -> str:
        roster = self._roster
        return (
            f"Lobby: {len(roster.sessions) - roster.missing} sessions, {roster.missing} missing players,"
            f" {len(roster.waiting)} matches waiting, {len(roster.running)} running"
        )

    def mover(self, command: Command[object], /) -> str | None:
        """Return the ID of the player who sends this line in PLAY, or enters a lobby of one match; else None."""
        if isinstance(command, Enter):
            return command.player
        session = self._roster.sessions.get(command.session) if isinstance(command, Say) else None
        return None if session is None or session.running is None else session.player

    # --- commands -----------------------------------------------------------------------------------

    def _carry_out(self, ticket: Ticket, command: Command[object]) -> None:
        answer = self._followers.answer
        match command:
            case OpenSession(token=token, quota=quota):
                answer(ticket, self._open(token, quota))
            case ReturnSession():
                answer(ticket, self._return(command))
            case Say(session=id, line=line, at=at):
                session = self._roster.find(id)
                try:
                    view = self._say(session, line, at)
                except Refusal as refusal:
                    view = self._view(session).refusing(refusal)
                answer(ticket, view)
            case Enter(session=id, player=player, at=at):
                answer(ticket, self._enter(self._roster.find(id), player, at))
            case Spectate(since=since):
                self._the_match().watch(ticket, since, self._roster, self._followers)
            case AwaitResult():
                self._the_match().await_result(ticket, self._followers)
            case Object(session=id, reason=reason):
                answer(ticket, self._view(self._roster.find(id), error=reason))
            case Look(session=id):
                answer(ticket, self._view(self._roster.find(id)))
            case Follow(session=id, since=since):
                session = self._roster.find(id)
                if session.pushed > since:
                    answer(ticket, self._view(session))
                else:
                    self._followers.park(ticket, session, since)
            case Disconnect():
                answer(ticket, self._disconnect(command))
            case ExpireGrace(session=id, left=left):
                missing = self._roster.sessions.get(id)
                if missing is not None and not missing.present:
                    self._lose(missing, left=left)
                answer(ticket, None)
            case EndIdle(session=id, seconds=seconds):
                idle = self._roster.sessions.get(id)
                if idle is not None and idle.present and idle.running is None:
                    self._lose(idle, SessionEnded("idle", phrases.idle(seconds)))
                answer(ticket, None)
            case EndMatch(session=id, seen=seen, seconds=seconds):
                stalled = self._roster.sessions.get(id)
                if stalled is not None and stalled.present and stalled.running is not None and stalled.number == seen:
                    self._matches.time_out(stalled.running, seconds)
                answer(ticket, None)
            case Withdraw():
                self._followers.withdraw(ticket)
                if self._one is not None:
                    self._one.withdraw(ticket)
            case _:
                raise InvalidCommand(f"The lobby does not know the command {type(command).__name__}.")

    def _open(self, token: str, quota: Quota | None) -> SessionView:
        full = no_session(self._limits, quota, self._roster.sessions.values(), self._roster.missing)
        if full is not None:
            raise LobbyFull(full, may_return=bool(self._roster.running))
        return self._view(self._begin(token, quota))

    def _return(self, command: ReturnSession) -> SessionView:
        try:
            holder = self._roster.holder(command.player, command.claim)
        except CommandRefused as refused:
            raise LobbyFull(LOBBY_FULL_WORDS) from refused
        session = self._begin(command.token, command.quota)
        self._take_over(session, holder)
        return self._own_doing(session)

    def _begin(self, token: str, quota: Quota | None) -> SessionState:
        self._changed = True
        return self._roster.begin(token, quota)

    def _disconnect(self, command: Disconnect) -> bool:
        session = self._roster.sessions.get(command.session)
        if session is None or not session.present:
            return False
        if session.running is None or not command.may_return:
            self._lose(session, left=command.left)
            return False
        self._changed = True
        self._followers.release(session, lost())
        self._matches.miss(session, session.running, command.at)
        return True

    def _say(self, session: SessionState, line: str, at: float | None) -> SessionView:
        """Carry out a line. Raises a `Refusal` before any change."""
        before = session.state
        shown_token = None
        if self._one is not None and before != "START" and line.split()[:1] in (["NEW"], ["PLAY"]):
            raise CommandRefused(phrases.ONE_MATCH, "one-match")
        match read_line(session.state, line):
            case Identify(player=player, token=None):
                self._identify(session, player, at)
                shown_token = session.token
            case Identify(player=player, token=token):
                self._take_over(session, self._roster.holder(player, token), at)
            case Play(match=match_id):
                self._matches.join(session, match_id)
            case New(match=match_id, puzzle=puzzle, description=description):
                self._matches.new(session, match_id, puzzle, description)
            case (Try() | Challenge()) as move if session.running is not None:
                self._matches.move(session, session.running, move, at)
            case Exit() if session.waiting is not None and self._one is None:
                match_id = self._matches.take_back(session.waiting)
                self._matches.choose(session, phrases.withdrawn(match_id))
            case Exit() if session.running is not None:
                self._matches.forfeit(session, session.running, at)
            case Exit():
                if session.waiting is not None:
                    self._matches.take_back(session.waiting)
                self._end(session, SessionEnded("logged-out", "This session is logged out."))
                return session.farewell()
            case NewMatch():
                self._matches.choose(session)
        assert not CHECK_REP or (before, session.state) in MOVE_WORDS
        return self._own_doing(session, shown_token)

    def _own_doing(self, session: SessionState, token: str | None = None) -> SessionView:
        """Return the new view of a session after its own command. The view is the answer, so it is not pushed."""
        self._followers.spare(session)
        session.number += 1
        self._changed = True
        return self._view(session, token=token)

    def _identify(self, session: SessionState, player: str, at: float | None) -> None:
        holder = self._roster.players.get(player)
        if holder is not None:
            if holder.present or holder.state == "PLAY":
                raise CommandRefused(f"The ID {player} is in use. Enter another one.", "name-in-use", player=player)
            self._lose(holder)
        if self._one is not None:
            self._one.require_place(player, self._roster)
        self._roster.identify(session, player)
        if self._one is None:
            self._matches.choose(session)
        else:
            self._matches.take_place(session, self._one, at)

    def _enter(self, session: SessionState, player: str, at: float | None) -> SessionView:
        self._the_match()
        if session.state != "START":
            raise CommandRefused("This session has its player already.", "has-player")
        if not is_id(player):
            raise InvalidCommand(f"That cannot be an ID: it must be {ID_RULE}.")
        holder = self._roster.players.get(player)
        if holder is not None:
            self._take_over(session, holder, at)
            return self._own_doing(session)
        self._identify(session, player, at)
        return self._own_doing(session, session.token)

    def _the_match(self) -> OneMatch:
        if self._one is None:
            raise InvalidCommand("This lobby has many matches, and this command is for a lobby of one.")
        return self._one

    def _take_over(self, session: SessionState, holder: SessionState, at: float | None = None) -> None:
        """Replace `holder`, the current session of a player, by `session`; end `holder`."""
        player, was_missing = holder.name, not holder.present
        self._end(holder, SessionEnded("taken-over", "This player has come back on another connection."))
        session.token = holder.token
        self._roster.identify(session, player)
        self._matches.come_back(session, holder, at, was_missing=was_missing)

    # --- common steps of commands ---------------------------------------------------------------------

    def _lose(self, session: SessionState, reason: SessionEnded | None = None, *, left: bool = False) -> None:
        """End a session and its match without a command of the player. The default `reason` is a lost connection."""
        if session.waiting is not None:
            self._matches.take_back(session.waiting)
        elif session.running is not None:
            self._matches.forfeit(session, session.running, left=left)
        self._end(session, reason or lost())

    def _end(self, session: SessionState, reason: SessionEnded) -> None:
        """Forget a session without a match, and free its ID."""
        self._roster.end(session)
        self._followers.spare(session)
        self._changed = True
        self._followers.release(session, reason)

    def _view(self, session: SessionState, *, error: str | None = None, token: str | None = None) -> SessionView:
        solution = None if self._one is None else self._one.solution
        return session.view(self._catalogue, self._roster.listings, error=error, token=token, solution=solution)

    def _check_rep(self) -> None:
        if CHECK_REP:
            self._roster.check_rep()
            self._followers.check_rep(self._roster.sessions.values())
