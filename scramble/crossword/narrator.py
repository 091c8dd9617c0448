"""Replay of Crossword Extravaganza: the players and the puzzle of each match, the moves, and the points.

The replay shows a typed word only if it was entered on the board. A rejected guess or proposal may be the solution, and
only its player saw it. A line may also have a token. So the narrator never quotes a line: it makes sentences from the
views of sessions after the command.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from scramble.crossword.english import ENGLISH, caption, no_match
from scramble.crossword.lobby import Lobby
from scramble.crossword.messages import (
    Disconnect,
    EndIdle,
    EndMatch,
    Enter,
    ExpireGrace,
    Look,
    MatchHeader,
    MatchView,
    OpenSession,
    Result,
    ReturnSession,
    Say,
    SessionId,
    SessionView,
    Spectate,
    WordView,
)
from scramble.crossword.narrator_notes import MatchNote, NotedSeat, Notes, Outcome, PuzzleShape, WordCounts, WordState
from scramble.crossword.statetable import Challenge, Exit, LineRefused, Try, read_line
from scramble.games.narration import Spot, Step, Summary
from scramble.games.narrator import ASIDE, GameNarrator
from scramble.games.told import Told, tell
from scramble.journal.recorder import Record
from scramble.kernel.protocol import Answered, Command, Ticket


class MatchFrame(msgspec.Struct, frozen=True):
    """A match: its number from 1, its ID and puzzle, and the commands that began and ended it."""

    number: int
    id: str
    puzzle: str
    description: str
    players: tuple[str, ...]
    since: int
    until: int | None


class CrosswordLayout(msgspec.Struct, frozen=True):
    """Grids of the played puzzles, and the matches in the order of their beginnings."""

    puzzles: dict[str, PuzzleShape]
    matches: list[MatchFrame]


class NarratedMatch(msgspec.Struct, frozen=True):
    """State of a match: its entered words and its points. `over` is None while the match is running.

    `winner` is None while the match is running, and after a match without a winner.
    """

    words: list[WordState]
    points: dict[str, int]
    over: Outcome | None = None
    winner: str | None = None


class CrosswordSnapshot(msgspec.Struct, frozen=True):
    """Running matches by number, the number of the match with the latest move, and the moves on each word."""

    matches: dict[int, NarratedMatch]
    latest: int | None
    heat: dict[int, list[tuple[int, int]]]  # by match: (id of a word, number of moves on this word)


class CrosswordChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """Change of a match by a command. `words` are the changed words; the text of a cleared word is None."""

    match: int | None = None
    words: tuple[WordState, ...] = ()
    points: dict[str, int] = {}
    word: int | None = None  # the word of the move
    begun: bool = False
    over: Outcome | None = None
    winner: str | None = None  # set at the end of a match with a winner


Says: TypeAlias = tuple[Told, ...]
"""An event, and its consequences."""


class CrosswordNarrator(GameNarrator[Lobby, Notes]):
    """Narration of a lobby of Crossword Extravaganza; a `Narrator`."""

    # AF: the lobby of `rules`; `notes` are about all commands up to now.

    english = ENGLISH

    def __init__(self, first: bytes) -> None:
        """Begin with the state `first`. Raises ValueError if it is not a state of a lobby."""
        super().__init__(Lobby.restore(first), Notes())

    # --- one command ------------------------------------------------------------------------------

    def describe(self, record: Record, command: Command[object]) -> Step:
        """Apply the command, and describe it."""
        player: str | None = None
        rule: str | None = None
        says: Says
        change = CrosswordChange()
        match command:
            case OpenSession():
                view = self._apply(record.ticket, command)
                if view is not None:
                    self.notes.seats[view.session] = NotedSeat()
                says = (tell("no-room", player=None) if view is None else tell("connected", player=None),)
            case ReturnSession(player=name):
                view = self._apply(record.ticket, command)
                says = (tell("no-room", player=None),)
                if view is not None:
                    player = name
                    says, change = self._identified(view.session, name, view, record.seq)
            case Say(session=session, line=line):
                player, rule, says, change = self._say(record.ticket, command, session, line, record.seq)
            case Enter(session=session, player=name):
                view = self._apply(record.ticket, command)
                says = (tell("no-place", player=None),)
                if view is not None:
                    player = name
                    says, change = self._identified(session, name, view, record.seq)
            case Disconnect(session=session):
                player = self._seat(session).player
                may_return = self._answer(record.ticket, command) is True
                if may_return:
                    says = (tell("lost", player=player),)
                else:
                    says, change = self._leave(session, tell("left", player=player), record.seq)
            case ExpireGrace(session=session, left=left):
                player = self._seat(session).player
                there = session in self.notes.seats
                self._answer(record.ticket, command)
                says = (tell("grace-over"),)
                if there and self._look(session) is None:
                    gone = tell("not-back-left", player=player) if left else tell("not-back", player=player)
                    says, change = self._leave(session, gone, record.seq)
            case EndIdle(session=session, seconds=seconds):
                player = self._seat(session).player
                self._answer(record.ticket, command)
                says = (tell("nobody-did", seconds=seconds),)
                if session in self.notes.seats and self._look(session) is None:
                    says, change = self._leave(session, tell("idle", player=player, seconds=seconds), record.seq)
            case EndMatch(session=session, seconds=seconds):
                says, change = self._time_out(record.ticket, command, session, seconds, record.seq)
            case _:
                self.rules.apply(record.ticket, command)
                return self.other(record, command)
        told, *also = says
        over = change.over not in (None, "both-left")
        return Step(record.seq, record.time, player, told, tuple(also), rule, dict(change.points), change, over)

    def _say(
        self, ticket: Ticket, command: Command[object], session: SessionId, line: str, seq: int
    ) -> tuple[str | None, str | None, Says, CrosswordChange]:
        """Return the player, the rule, the description and the change of a command line."""
        before = self._look(session)
        after = self._apply(ticket, command)
        if before is None or after is None:
            return None, None, (tell("too-late"),), CrosswordChange()
        player = before.player or after.player
        if after.error is not None:
            if player is not None and before.state == "PLAY" and line.split()[:1] == ["TRY"]:
                self._tally(player).refused += 1
                return player, "refused", (tell("try-refused", player=player),), CrosswordChange()
            return player, "refused", (tell("line-refused", player=player),), CrosswordChange()
        assert player is not None  # the first accepted line is an ID
        if before.state == "START":
            return player, None, *self._identified(session, player, after, seq)
        if after.closed:
            self.notes.seats.pop(session, None)
            return player, "EXIT", (tell("logged-out", player=player),), CrosswordChange()
        match before.state:
            case "CHOOSE" if isinstance(after.match, MatchHeader):
                made = tell("made", player=player, match=after.match.id, puzzle=after.match.puzzle)
                return player, "NEW", (made,), CrosswordChange()
            case "CHOOSE" if isinstance(after.match, MatchView):
                return player, "PLAY", *self._begin(player, after.match, seq)
            case "PLAY":
                return player, *self._move(session, player, before, after, line, seq)
            case "WAIT":
                return player, "EXIT", (tell("took-back", player=player),), CrosswordChange()
            case _:
                return player, "NEW MATCH", (tell("next-match", player=player),), CrosswordChange()

    def _identified(
        self, session: SessionId, player: str, after: SessionView, seq: int
    ) -> tuple[Says, CrosswordChange]:
        """Describe the effect of an ID: the player enters the lobby, comes back, waits, or begins the one match."""
        old = next((id for id, seat in self.notes.seats.items() if seat.player == player and id != session), None)
        was = self.notes.seats.pop(old) if old is not None else NotedSeat()
        back = after.token is None or after.result is not None
        self.notes.seats[session] = NotedSeat(player, was.match if back else None)
        if back:
            return (tell("back", player=player),), CrosswordChange()
        if isinstance(after.match, MatchView):
            return self._begin(player, after.match, seq)
        if isinstance(after.match, MatchHeader):
            return (tell("waits", player=player),), CrosswordChange()
        return (tell("entered-lobby", player=player),), CrosswordChange()

    def _begin(self, player: str, view: MatchView, seq: int) -> tuple[Says, CrosswordChange]:
        notes = self.notes
        notes.puzzles.setdefault(view.puzzle, PuzzleShape.of(view))
        number = len(notes.matches) + 1
        notes.matches.append(MatchNote(number, view.id, view.puzzle, view.description, view.players, seq))
        for seat in notes.seats.values():
            if seat.player in view.players:
                seat.match = number
        for name in view.players:
            self._tally(name)
        others = [name for name in view.players if name != player]
        notes.matches[-1].points = dict(view.challenge_points)
        notes.latest = number
        told = tell("begun-alone", player=player, puzzle=view.puzzle)
        if others:
            told = tell("begun", player=player, other=others[0], match=view.id, puzzle=view.puzzle)
        return (told,), CrosswordChange(number, points=dict(view.challenge_points), begun=True)

    def _move(
        self, session: SessionId, player: str, before: SessionView, after: SessionView, line: str, seq: int
    ) -> tuple[str, Says, CrosswordChange]:
        """Return the rule, the description and the change of an accepted TRY, CHALLENGE or EXIT in a match."""
        note = self._match(session)
        was = before.match
        now = after.result.match if after.result is not None else after.match
        if note is None or not isinstance(was, MatchView) or not isinstance(now, MatchView):
            return "refused", (tell("unknown-match", player=player),), CrosswordChange()
        try:
            move = read_line("PLAY", line)
        except LineRefused as error:
            raise ValueError("an accepted line is not a command") from error
        tally = self._tally(player)
        rule, told, word = "EXIT", tell("gave-up", player=player, match=note.id), None
        if isinstance(move, Try):
            rule, word = "TRY", move.word
            tally.tries += 1
            entered = now.words[word - 1].entered
            told = tell("entered", player=player, text=entered, word=word)
            if entered is None:  # a mistake of a player who plays alone
                told = tell("tried-wrong", player=player, word=word)
        elif isinstance(move, Challenge):
            word = move.word
            told = _challenge(player, was.words[word - 1], now.words[word - 1])
            won = told.code == "challenge-won"
            rule = "CHALLENGE won" if won else "CHALLENGE lost"
            tally.won += won
            tally.lost += not won
        assert word is not None or isinstance(move, Exit)
        says = [told]
        changed = tuple(WordState.of(new) for old, new in zip(was.words, now.words, strict=True) if old != new)
        cleared = tuple(state.id for state in changed if state.text is None and state.id != word)
        if cleared:
            says.append(tell("cleared", words=cleared))
        if word is not None:
            note.heat[word] = note.heat.get(word, 0) + 1
        if after.result is not None:
            says += self._finish(note, after.result, seq)
        points = dict(now.challenge_points) if after.result is None else dict(after.result.points)
        note.words = [WordState.of(word) for word in now.words if word.entered is not None]
        note.points = points
        self.notes.latest = note.number
        change = CrosswordChange(note.number, changed, points, word, over=note.outcome, winner=note.winner)
        return rule, tuple(says), change

    def _leave(self, session: SessionId, told: Told, seq: int) -> tuple[Says, CrosswordChange]:
        """Describe the end of a session, and the end of its match if the match was still running."""
        note = self._match(session)
        self.notes.seats.pop(session, None)
        if note is None or note.until is not None:
            return (told,), CrosswordChange()
        others = [self._look(other) for other, seat in self.notes.seats.items() if seat.match == note.number]
        public = self._apply(ASIDE, Spectate(-1)) if self.rules.is_of_one_match else None
        for view in (*others, public):
            if view is not None and view.result is not None:
                ends = self._finish(note, view.result, seq)
                over = note.outcome
                break
        else:
            note.until, over, ends = seq, "both-left", (tell("both-left"),)
        change = CrosswordChange(note.number, points=dict(note.points), over=over, winner=note.winner)
        return (told, *ends), change

    def _time_out(
        self, ticket: Ticket, command: Command[object], session: SessionId, seconds: float, seq: int
    ) -> tuple[Says, CrosswordChange]:
        """Describe the time-out of the session's match."""
        note, told = self._match(session), tell("nobody-moved", seconds=seconds)
        self._answer(ticket, command)
        view = self._look(session)
        if note is None or note.until is not None or view is None or view.result is None:
            return (told,), CrosswordChange()
        says = told, *self._finish(note, view.result, seq)
        change = CrosswordChange(note.number, points=dict(note.points), over=note.outcome, winner=note.winner)
        return says, change

    def _finish(self, note: MatchNote, result: Result, seq: int) -> Says:
        """Record the end of a match, and describe it."""
        note.until, note.points, note.winner = seq, dict(result.points), result.winner
        note.forfeited_by = result.forfeited_by
        note.words = [WordState.of(word) for word in result.match.words if word.entered is not None]
        for player, points in result.points.items():
            self._tally(player).matches.append((note.id, points))
        stands = tuple(result.points.items())
        if result.winner is not None:
            end = tell("won", match=note.id, winner=result.winner, points=stands)
        elif len(result.points) > 1:
            end = tell("drawn", match=note.id, points=stands)
        else:
            end = tell("not-completed", match=note.id, points=stands)
        complete = result.forfeited_by is None and result.ended is None
        return (tell("complete"), end) if complete else (end,)

    # --- asking the lobby -------------------------------------------------------------------------

    def _answer(self, ticket: Ticket, command: Command[object]) -> object:
        """Apply the command, and return the answer to its ticket; None if the command is refused."""
        for outcome in self.rules.apply(ticket, command):
            if isinstance(outcome, Answered) and outcome.ticket == ticket:
                return outcome.value
        return None

    def _apply(self, ticket: Ticket, command: Command[object]) -> SessionView | None:
        answer = self._answer(ticket, command)
        return answer if isinstance(answer, SessionView) else None

    def _look(self, session: SessionId) -> SessionView | None:
        """Return the view of a session; None if it has ended, or its connection is lost."""
        return self._apply(ASIDE, Look(session))

    def _seat(self, session: SessionId) -> NotedSeat:
        return self.notes.seats.get(session, NotedSeat())

    def _match(self, session: SessionId) -> MatchNote | None:
        number = self._seat(session).match
        return None if number is None else self.notes.matches[number - 1]

    def _tally(self, player: str) -> WordCounts:
        return self.notes.tallies.setdefault(player, WordCounts())

    # --- views ------------------------------------------------------------------------------------

    def layout(self) -> CrosswordLayout:
        """Return the puzzles and the matches up to now."""
        matches = [
            MatchFrame(note.number, note.id, note.puzzle, note.description, note.players, note.since, note.until)
            for note in self.notes.matches
        ]
        return CrosswordLayout(dict(self.notes.puzzles), matches)

    def snapshot(self) -> CrosswordSnapshot:
        """Return the running matches, and the match with the latest move."""
        shown = [note for note in self.notes.matches if note.until is None or note.number == self.notes.latest]
        return CrosswordSnapshot(
            matches={
                note.number: NarratedMatch(list(note.words), dict(note.points), note.outcome, note.winner)
                for note in shown
            },
            latest=self.notes.latest,
            heat={note.number: sorted(note.heat.items()) for note in shown},
        )

    def scores(self) -> dict[str, int]:
        """Return each player's points in this player's latest match."""
        scores: dict[str, int] = {}
        for note in self.notes.matches:
            scores.update(note.points)
        return scores

    def picture(self) -> list[list[Spot]]:
        """Return the rows of the grid of the match with the latest move; empty before the first match."""
        note = self._latest()
        if note is None:
            return []
        shape = self.notes.puzzles[note.puzzle]
        spots = [[Spot("hole")] * shape.columns for _ in range(shape.rows)]
        for word in shape.words:
            for row, column in word.cells():
                spots[row][column] = Spot("cell")
        for state in note.words:
            for (row, column), letter in zip(shape.words[state.id - 1].cells(), state.text or "", strict=True):
                spots[row][column] = Spot("cell", letter, state.by)
        return spots

    def caption(self) -> str:
        """Return one line with the match with the latest move, and its points."""
        note = self._latest()
        if note is None:
            return no_match(len(self.notes.seats))
        return caption(note.id, note.puzzle, note.points, over=note.until is not None)

    def _latest(self) -> MatchNote | None:
        return None if self.notes.latest is None else self.notes.matches[self.notes.latest - 1]

    def summary(self) -> Summary:
        """Return the counts of all players, and their points in each match that is over."""
        return Summary(
            ("tries", "refused", "challenges_won", "challenges_lost", "by_match"),
            {
                player: (
                    *(tally.tries, tally.refused, tally.won, tally.lost),
                    ", ".join(f"{id} {points}" for id, points in tally.matches) or None,
                )
                for player, tally in self.notes.tallies.items()
            },
        )


def _challenge(player: str, old: WordView, new: WordView) -> Told:
    """Describe a challenge that changed the word `old` to `new`."""
    if new.entered is None:
        return tell("challenge-both-wrong", player=player, by=old.by, text=old.entered, word=old.id)
    if new.by == player:
        return tell("challenge-won", player=player, by=old.by, text=old.entered, word=old.id, right=new.entered)
    return tell("challenge-lost", player=player, by=old.by, text=old.entered, word=old.id)
