"""The lobby: every session, every match, and what each command does to them. Pure: no trio, no clock, no randomness.

The state table of a session stands in `statetable`. One object holds all sessions because joining, leaving and
disconnecting concern two sessions at once: carried out one after the other by one owner, they cannot race.

What the handout leaves open is decided so:

- A player's ID is in use while a session holds it; IDs that differ in upper and lower case are different.
- A match's ID is in use from NEW until the match is over.
- Coming back with ID and token works from any state, and also while the old connection seems to be open, because
  a server often learns late that a connection is dead: the newest connection wins, and the old session ends.
- Who comes back is told the token no second time; it stays valid for as long as the ID is held.
- A player who is missing when the other one ends the match may still come back to the score until the time of grace
  is over, but the ID is free: whoever enters it first has it, and a missing player's session ends with that.
- Only connected sessions count towards the limit of sessions, so that a full server lets missing players come back.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Final, Self

from scramble.checks import CHECK_REP
from scramble.core import Answered, Command, Outcome, Refused, Ticket, Withdraw
from scramble.crossword import phrases
from scramble.crossword.lobbystate import Limits, Parts, read_state, write_state
from scramble.crossword.match import Match
from scramble.crossword.messages import (
    Disconnect,
    ExpireGrace,
    Follow,
    LobbyFull,
    Look,
    MatchListing,
    Object,
    OpenSession,
    PuzzleListing,
    Say,
    SessionEnded,
    SessionId,
    SessionView,
)
from scramble.crossword.puzzle import Puzzle, PuzzleError
from scramble.crossword.session import RunningMatch, Session, WaitingMatch
from scramble.crossword.statetable import (
    STATE_TABLE,
    Challenge,
    Exit,
    Identify,
    New,
    NewMatch,
    Place,
    Play,
    Try,
    read_line,
)
from scramble.errors import InvalidCommand, Refusal

_MOVES: frozenset[tuple[Place, Place]] = frozenset((row.state, to) for row in STATE_TABLE for to in row.to)


class CommandRefused(Refusal):
    """A command line that fits the state but cannot be carried out; the reason is for its player."""

    code = "command-refused"


class Lobby:
    """All sessions and matches of one server: the rules of Crossword Extravaganza. Used by one task at a time.

    Implements `scramble.core.Durable`.
    """

    kind: Final = "crossword"
    commands: Final[object] = OpenSession | Say | Disconnect | ExpireGrace | Withdraw

    # AF = a server offering `_puzzles`, with the sessions of `_sessions`, the matches of `_waiting` that need a
    #     second player (oldest first), and those of `_running`, which are being played
    # RI: _players has exactly the sessions that have a player, by name, and _choosing exactly those in CHOOSE
    #     who is not present is in PLAY or SHOW SCORE, and has no followers; `_missing` counts them
    #     in WAIT a session is the one of its `waiting`, in PLAY the one of its name in its `running`, in SHOW SCORE it
    #     has a `result`; those are exactly the matches of _waiting and _running, by ID, and no ID is in both;
    #     no running match is over
    #     _followers maps each parked ticket to its session, whose `followers` has it; none has seen less than `pushed`
    #     _listings is the listings of _waiting, in order
    # Safety from rep exposure: sessions and matches never leave; views do, and are frozen. (The dicts of points in
    #     them are shared by all who get the view, who leave them alone.)

    def __init__(self, puzzles: Sequence[Puzzle], limits: Limits | None = None) -> None:
        """A lobby with no sessions. Raises `PuzzleError` if there is no puzzle, or two have the same ID."""
        if not puzzles:
            raise PuzzleError("there is no puzzle to play")
        self._puzzles = {puzzle.id: puzzle for puzzle in puzzles}
        if len(self._puzzles) < len(puzzles):
            raise PuzzleError("two puzzles have the same ID")
        self._catalogue = tuple(PuzzleListing(puzzle.id, puzzle.name, puzzle.description) for puzzle in puzzles)
        self._limits = limits or Limits()
        self._version = 0
        self._last_id = 0
        self._sessions: dict[SessionId, Session] = {}
        self._players: dict[str, Session] = {}
        self._choosing: dict[SessionId, Session] = {}
        self._missing = 0
        self._waiting: dict[str, WaitingMatch] = {}
        self._running: dict[str, RunningMatch] = {}
        self._listings: tuple[MatchListing, ...] = ()
        self._followers: dict[Ticket, Session] = {}
        # of the command at hand: what follows from it, and whom it has changed the view of
        self._outcomes: list[Outcome] = []
        self._touched: dict[SessionId, Session] = {}
        self._changed = False
        self._check_rep()

    def state(self) -> bytes:
        """The whole lobby as canonical JSON, but for those who follow a session. Never for players."""
        puzzles = tuple(self._puzzles.values())
        own = (puzzles, self._sessions, self._choosing, self._waiting, self._running)
        return write_state(Parts(self._version, self._last_id, self._limits, *own))

    @classmethod
    def restore(cls, state: bytes, /) -> Self:
        """The lobby that `state` was taken of; nobody follows a session there.

        Raises:
            ValueError: it is not the state of any lobby; says what is wrong.
        """
        parts = read_state(state)
        lobby = cls(parts.puzzles, parts.limits)
        lobby._version, lobby._last_id = parts.version, parts.last_id
        lobby._sessions, lobby._choosing = parts.sessions, parts.choosing
        lobby._waiting, lobby._running = parts.waiting, parts.running
        lobby._players = {session.name: session for session in parts.sessions.values() if session.player is not None}
        lobby._missing = sum(not session.present for session in parts.sessions.values())
        lobby._listings = tuple(waiting.listing for waiting in parts.waiting.values())
        lobby._check_rep()
        return lobby

    @property
    def version(self) -> int:
        """How many commands have changed what some session shows, or begun or ended one."""
        return self._version

    @property
    def present(self) -> tuple[SessionId, ...]:
        """The sessions that are connected, by number."""
        return tuple(session.id for session in self._sessions.values() if session.present)

    @property
    def missing(self) -> tuple[SessionId, ...]:
        """The sessions whose players have lost the connection and may come back, by number."""
        return tuple(session.id for session in self._sessions.values() if not session.present)

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        """Carry out one command in one atomic step. Takes time in proportion to the sessions that it concerns.

        A line that a player may not type now is answered with a view that says so, and has changed nothing.
        """
        self._outcomes = []
        self._touched = {}
        self._changed = False
        try:
            self._carry_out(ticket, command)
        except (Refusal, InvalidCommand) as error:
            self._outcomes.append(Refused(ticket, error))
        self._push()
        self._version += self._changed
        self._check_rep()
        return self._outcomes

    def __str__(self) -> str:
        return (
            f"Lobby: {len(self._sessions) - self._missing} sessions, {self._missing} missing players,"
            f" {len(self._waiting)} matches waiting, {len(self._running)} running"
        )

    # --- commands -----------------------------------------------------------------------------------

    def _carry_out(self, ticket: Ticket, command: Command[object]) -> None:
        match command:
            case OpenSession(token=token):
                self._answer(ticket, self._open(token))
            case Say(session=id, line=line):
                session = self._find(id)
                try:
                    view = self._say(session, line)
                except Refusal as refusal:
                    view = self._view(session, error=str(refusal))
                self._answer(ticket, view)
            case Object(session=id, reason=reason):
                self._answer(ticket, self._view(self._find(id), error=reason))
            case Look(session=id):
                self._answer(ticket, self._view(self._find(id)))
            case Follow(session=id, since=since):
                session = self._find(id)
                if session.pushed > since:
                    self._answer(ticket, self._view(session))
                else:
                    session.followers[ticket] = since
                    self._followers[ticket] = session
            case Disconnect(session=id, may_return=may_return):
                self._answer(ticket, self._disconnect(id, may_return))
            case ExpireGrace(session=id):
                missing = self._sessions.get(id)
                if missing is not None and not missing.present:
                    self._lose(missing)
                self._answer(ticket, None)
            case Withdraw():
                follower = self._followers.pop(ticket, None)
                if follower is not None:
                    del follower.followers[ticket]
            case _:
                raise InvalidCommand(f"The lobby does not know the command {type(command).__name__}.")

    def _open(self, token: str) -> SessionView:
        if len(self._sessions) - self._missing >= self._limits.sessions:
            raise LobbyFull("There are as many players as this server allows. Try again later.")
        self._last_id += 1
        session = Session(SessionId(self._last_id), token)
        self._sessions[session.id] = session
        self._changed = True
        return self._view(session)

    def _disconnect(self, id: SessionId, may_return: bool) -> bool:
        session = self._sessions.get(id)
        if session is None or not session.present:
            return False
        if session.running is None or not may_return:
            self._lose(session)
            return False
        session.present = False
        self._missing += 1
        self._changed = True
        self._release(session, _lost())
        self._touch(session.running.other(session), phrases.play(phrases.missing(session.name)))
        return True

    def _say(self, session: Session, line: str) -> SessionView:
        """Carry out a line, or raise a `Refusal` before anything has changed."""
        before = session.state
        shown_token = None
        match read_line(session.state, line):
            case Identify(player=player, token=None):
                self._identify(session, player)
                shown_token = session.token
            case Identify(player=player, token=token):
                self._come_back(session, player, token)
            case Play(match=match_id):
                self._join(session, match_id)
            case New(match=match_id, puzzle=puzzle, description=description):
                self._new(session, match_id, puzzle, description)
            case (Try() | Challenge()) as move if session.running is not None:
                self._move(session, session.running, move)
            case Exit() if session.waiting is not None:
                match_id = self._take_back(session.waiting)
                self._to_choose(session, phrases.withdrawn(match_id))
            case Exit() if session.running is not None:
                self._forfeit(session, session.running)
            case Exit():
                self._end(session, SessionEnded("logged-out", "This session is logged out."))
                return session.farewell()
            case NewMatch():
                self._to_choose(session)
        assert not CHECK_REP or (before, session.state) in _MOVES
        self._touched.pop(session.id, None)  # its own doing, and told by its own answer
        session.number += 1
        self._changed = True
        return self._view(session, token=shown_token)

    def _identify(self, session: Session, player: str) -> None:
        holder = self._players.get(player)
        if holder is not None:
            if holder.present or holder.state == "PLAY":
                raise CommandRefused(f"The ID {player} is in use. Enter another one.")
            self._lose(holder)
        session.player = player
        self._players[player] = session
        self._to_choose(session)

    def _come_back(self, session: Session, player: str, token: str | None) -> None:
        """The session takes the place of the one that `player` has, which ends."""
        holder = self._players.get(player)
        if holder is None:
            raise CommandRefused(
                f"An ID has no spaces, and {player} has no session to come back to with a token. Enter an ID alone."
            )
        if token is None or not secrets.compare_digest(holder.token.encode(errors="surrogatepass"), token.encode()):
            raise CommandRefused(f"The ID {player} is in use, and this is not the token to come back with.")
        was_missing = not holder.present
        holder.player = None  # so that its end does not free the ID
        self._end(holder, SessionEnded("taken-over", "This player has come back on another connection."))
        session.player, session.token = player, holder.token
        self._players[player] = session
        welcome = phrases.welcome_back(player)
        if holder.waiting is not None:
            holder.waiting.session = session
            session.enter("WAIT", f"{welcome} {phrases.wait(holder.waiting.listing.id)}", waiting=holder.waiting)
        elif holder.running is not None:
            holder.running.sessions[player] = session
            session.enter("PLAY", phrases.play(welcome), running=holder.running)
            if was_missing:
                self._touch(holder.running.other(session), phrases.play(phrases.returned(player)))
        elif holder.result is not None:
            session.enter("SHOW SCORE", f"{welcome} {phrases.score(player, holder.result)}", result=holder.result)
        else:
            self._to_choose(session, welcome)

    def _new(self, session: Session, match_id: str, puzzle_id: str, description: str) -> None:
        if puzzle_id not in self._puzzles:
            raise CommandRefused("There is no puzzle with that Puzzle_ID. Take one of the IDs in the list of puzzles.")
        if match_id in self._waiting or match_id in self._running:
            raise CommandRefused(f"The Match_ID {match_id} is in use. Make up another one.")
        if len(self._waiting) + len(self._running) >= self._limits.matches:
            raise CommandRefused("There are as many matches as this server allows. Join one, or try again later.")
        listing = MatchListing(match_id, puzzle_id, description, session.name)
        waiting = WaitingMatch(listing, self._puzzles[puzzle_id], session)
        self._waiting[match_id] = waiting
        del self._choosing[session.id]
        session.enter("WAIT", phrases.wait(match_id), waiting=waiting)
        self._relist()

    def _join(self, session: Session, match_id: str) -> None:
        if match_id in self._running:
            raise CommandRefused(f"The match {match_id} has its two players already. Choose one of the list.")
        waiting = self._waiting.get(match_id)
        if waiting is None:
            raise CommandRefused(f"No match {match_id} is waiting for a player. Choose one of the list, or start one.")
        del self._waiting[match_id]
        del self._choosing[session.id]
        first = waiting.session
        game = Match(match_id, waiting.puzzle, waiting.listing.description, (first.name, session.name))
        running = RunningMatch(game, {first.name: first, session.name: session})
        self._running[match_id] = running
        session.enter("PLAY", phrases.begin(first.name, joined=True), running=running)
        first.enter("PLAY", phrases.begin(session.name, joined=False), running=running)
        self._touched[first.id] = first
        self._relist()

    def _move(self, session: Session, running: RunningMatch, move: Try | Challenge) -> None:
        game = running.match
        if isinstance(move, Try):
            report = game.try_word(session.name, move.word, move.guess)
        else:
            report = game.challenge(session.name, move.word, move.proposal)
        if game.over:
            self._finish(running)
            return
        session.message = phrases.play(phrases.mine(report, game.view()))
        if report.does != "unchanged":
            self._touch(running.other(session), phrases.play(phrases.theirs(session.name, report, game.view())))

    # --- what commands have in common -----------------------------------------------------------------

    def _to_choose(self, session: Session, event: str = "") -> None:
        hello = phrases.choose(session.name, self._catalogue[0].id)
        session.enter("CHOOSE", f"{event} {hello}" if event else hello)
        self._choosing[session.id] = session

    def _take_back(self, waiting: WaitingMatch) -> str:
        """A match that was waiting is gone; its ID."""
        del self._waiting[waiting.listing.id]
        self._relist()
        return waiting.listing.id

    def _forfeit(self, session: Session, running: RunningMatch) -> None:
        """The session's player gives up the match."""
        running.match.forfeit(session.name)
        self._finish(running)

    def _finish(self, running: RunningMatch) -> None:
        """The match is over: both players to SHOW SCORE."""
        result = running.match.result()
        del self._running[result.match.id]
        for session in running.sessions.values():
            session.enter("SHOW SCORE", phrases.score(session.name, result), result=result)
            self._touched[session.id] = session

    def _lose(self, session: Session) -> None:
        """The session ends without its player's doing, and with it what it had begun."""
        if session.waiting is not None:
            self._take_back(session.waiting)
        elif session.running is not None:
            self._forfeit(session, session.running)
        self._end(session, _lost())

    def _end(self, session: Session, reason: SessionEnded) -> None:
        """Forget the session, which holds no match any more, and free its ID."""
        del self._sessions[session.id]
        self._choosing.pop(session.id, None)
        self._touched.pop(session.id, None)
        if session.player is not None:
            del self._players[session.player]
        if not session.present:
            self._missing -= 1
        self._changed = True
        self._release(session, reason)

    def _release(self, session: Session, reason: SessionEnded) -> None:
        """Refuse all who follow the session."""
        for ticket in session.followers:
            del self._followers[ticket]
            self._outcomes.append(Refused(ticket, SessionEnded(reason.why, str(reason))))
        session.followers.clear()

    def _relist(self) -> None:
        """The list of waiting matches has changed: build it anew, once, for all who are choosing."""
        self._listings = tuple(waiting.listing for waiting in self._waiting.values())
        self._touched.update(self._choosing)

    def _touch(self, session: Session, message: str) -> None:
        """What the session shows is changed; unless by its own doing, it is to be told."""
        session.message = message
        self._touched[session.id] = session

    def _push(self) -> None:
        """Number the views that the command has changed, each once, and answer those who follow them."""
        for session in self._touched.values():
            session.number += 1
            session.pushed = session.number
            due = [ticket for ticket, since in session.followers.items() if since < session.number]
            for ticket in due:
                del session.followers[ticket], self._followers[ticket]
                self._answer(ticket, self._view(session))
            self._changed = True

    def _answer(self, ticket: Ticket, value: object) -> None:
        self._outcomes.append(Answered(ticket, value))

    def _find(self, id: SessionId) -> Session:
        session = self._sessions.get(id)
        if session is None or not session.present:
            raise _lost()
        return session

    def _view(self, session: Session, *, error: str | None = None, token: str | None = None) -> SessionView:
        return session.view(self._catalogue, self._listings, error=error, token=token)

    # --- representation ------------------------------------------------------------------------------

    def _check_rep(self) -> None:
        if not CHECK_REP:
            return
        sessions = self._sessions.values()
        assert self._players == {session.player: session for session in sessions if session.player is not None}
        assert self._choosing == {session.id: session for session in sessions if session.state == "CHOOSE"}
        assert self._missing == sum(not session.present for session in sessions)
        assert self._listings == tuple(waiting.listing for waiting in self._waiting.values())
        assert not self._waiting.keys() & self._running.keys()
        waiting = [waiting for session in sessions if (waiting := session.waiting) and waiting.session is session]
        assert {match.listing.id: match for match in waiting} == self._waiting
        assert len(waiting) == len(self._waiting) == sum(session.state == "WAIT" for session in sessions)
        players = {(running.match.view().id, name) for running in self._running.values() for name in running.sessions}
        assert len(players) == 2 * len(self._running) == sum(session.state == "PLAY" for session in sessions)
        for match_id, running in self._running.items():
            assert running.match.view().id == match_id
            assert tuple(running.sessions) == running.match.players
            for name, session in running.sessions.items():
                assert self._players[name] is session
                assert session.running is running
        assert not any(running.match.over for running in self._running.values())
        for session in sessions:
            assert session.present or (session.state in ("PLAY", "SHOW SCORE") and not session.followers)
            assert (session.state == "WAIT") == (session.waiting is not None)
            assert (session.state == "PLAY") == (session.running is not None)
            assert (session.state == "SHOW SCORE") == (session.result is not None)
            assert (session.state == "START") == (session.player is None)
            assert session.pushed <= session.number
            assert all(since >= session.pushed for since in session.followers.values())
        assert self._followers == {ticket: session for session in sessions for ticket in session.followers}


def _lost() -> SessionEnded:
    return SessionEnded("lost", "There is no such session: it has ended, or its connection is lost.")
