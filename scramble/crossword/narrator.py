"""Replay of Crossword Extravaganza: who met whom on which puzzle, the words tried and challenged, and the points.

Of the text that players typed, only the words that came to stand on the board are shown. Nobody else saw a guess or a
proposal that did not, and it may be the solution; and a line may hold a token. So no line is ever quoted: sentences are
made of the views of sessions after the command.
"""

from __future__ import annotations

from typing import Final

import msgspec

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
)
from scramble.crossword.narrator_notes import MatchNote, NotedSeat, Notes, PuzzleShape, WordCounts, WordState
from scramble.crossword.phrases import span
from scramble.crossword.statetable import Challenge, Exit, LineRefused, Try, read_line
from scramble.games.narration import SOMEBODY, Happened, Spot, Step, Summary, by_whom, other_words
from scramble.journal.recorder import Record
from scramble.kernel.protocol import Answered, Command, Ticket

ASIDE: Final = Ticket(-1)  # no request has this ticket
WON: Final = "CHALLENGE won"
CHALLENGE_LOST: Final = "CHALLENGE lost"
BOTH_LEFT: Final = "Both players have left"


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
    """Grids of the puzzles that were played, and the matches, in the order in which they began."""

    puzzles: dict[str, PuzzleShape]
    matches: list[MatchFrame]


class NarratedMatch(msgspec.Struct, frozen=True):
    """State of a match: its entered words, and its points; `over` is its outcome, None while it goes on.

    `winner` is known once it is over, and None if nobody has won.
    """

    words: list[WordState]
    points: dict[str, int]
    over: str | None = None
    winner: str | None = None


class CrosswordSnapshot(msgspec.Struct, frozen=True):
    """Matches that are being played, by number, the moves on each of their words, and the match of the latest move."""

    matches: dict[int, NarratedMatch]
    latest: int | None
    heat: dict[int, list[tuple[int, int]]]  # by match: (word, moves on it)


class CrosswordChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """The difference in a match after a command. `words` is as in `NarratedMatch`; a cleared word has no text.

    `event` is a word for what happened that was no move in a match (docs/reference/replay.md).
    """

    match: int | None = None
    words: tuple[WordState, ...] = ()
    points: dict[str, int] = {}
    word: int | None = None  # the word of the move
    begun: bool = False
    over: str | None = None
    winner: str | None = None  # if the match is over, and somebody has won
    event: Happened | None = None


class CrosswordNarrator:
    """Narration of a lobby of Crossword Extravaganza; a `Narrator`."""

    # AF: the lobby of _lobby; _notes are of all commands up to now.
    # Safe from rep exposure: what is handed out is frozen, and made of copies.

    kind: Final = "crossword"

    def __init__(self, first: bytes) -> None:
        """Begin with the state `first`. Raises ValueError if it is not a state of a lobby."""
        self._lobby = Lobby.restore(first)
        self._notes = Notes()
        self._decoder: Final[msgspec.json.Decoder[Command[object]]] = msgspec.json.Decoder(self._lobby.commands)

    def save(self) -> bytes:
        """Encode everything that it takes to go on from here."""
        return msgspec.msgpack.encode((self._lobby.state(), self._notes))

    def resume(self, saved: bytes) -> None:
        """Go back to where `save` was called."""
        state, self._notes = msgspec.msgpack.decode(saved, type=tuple[bytes, Notes])
        self._lobby = Lobby.restore(state)

    # --- one command ------------------------------------------------------------------------------

    def narrate(self, record: Record) -> Step:
        """Apply the next command and describe it. Raises ValueError if it is not a command of a lobby."""
        command = self._decoder.decode(record.command)
        player: str | None = None
        rule: str | None = None
        change = CrosswordChange()
        match command:
            case OpenSession():
                view = self._apply(record.ticket, command)
                if view is not None:
                    self._notes.seats[view.session] = NotedSeat()
                words = "somebody connects" if view is not None else "somebody finds no room"
                change = CrosswordChange(event="connected" if view is not None else "no-room")
            case ReturnSession(player=name):
                view = self._apply(record.ticket, command)
                words, change = "somebody finds no room", CrosswordChange(event="no-room")
                if view is not None:
                    player = name
                    words, change = self._identified(view.session, name, view, record.seq)
            case Say(session=session, line=line):
                player, rule, words, change = self._say(record.ticket, command, session, line, record.seq)
            case Enter(session=session, player=name):
                view = self._apply(record.ticket, command)
                words, change = "somebody finds no place in the match", CrosswordChange(event="no-room")
                if view is not None:
                    player = name
                    words, change = self._identified(session, name, view, record.seq)
            case Disconnect(session=session):
                player = self._seat(session).player
                may_return = self._answer(record.ticket, command) is True
                if may_return:
                    words, change = (
                        f"{player} has lost the connection, and may come back",
                        CrosswordChange(event="lost"),
                    )
                else:
                    words, change = self._leave(session, f"{player or SOMEBODY} leaves", "left", record.seq)
            case ExpireGrace(session=session, left=left):
                player = self._seat(session).player
                there = session in self._notes.seats
                self._answer(record.ticket, command)
                words, change = "a time of grace is over", CrosswordChange(event="grace-over")
                if there and self._look(session) is None:
                    gone = f"{player or SOMEBODY} has not come back in time{', and has left' if left else ''}"
                    words, change = self._leave(session, gone, "not-back", record.seq)
            case EndIdle(session=session, seconds=seconds):
                player = self._seat(session).player
                self._answer(record.ticket, command)
                words = f"nobody has done anything for {span(seconds)}"
                change = CrosswordChange(event="nobody-did")
                if session in self._notes.seats and self._look(session) is None:
                    idle = f"{player or SOMEBODY} has done nothing for {span(seconds)}, and is logged out"
                    words, change = self._leave(session, idle, "idle", record.seq)
            case EndMatch(session=session, seconds=seconds):
                words, change = self._time_out(record.ticket, command, session, seconds, record.seq)
            case _:
                player = by_whom(command)
                self._lobby.apply(record.ticket, command)
                words = other_words(command, player)
        over = change.over not in (None, BOTH_LEFT)
        return Step(record.seq, record.time, player, rule, words, (), dict(change.points), change, over)

    def _say(
        self, ticket: Ticket, command: Command[object], session: SessionId, line: str, seq: int
    ) -> tuple[str | None, str | None, str, CrosswordChange]:
        """Return the player, the rule, the words and the change of a command line."""
        before = self._look(session)
        after = self._apply(ticket, command)
        if before is None or after is None:
            return None, None, "something is typed in a session that has ended", CrosswordChange()
        player = before.player or after.player
        if after.error is not None:
            tries = player is not None and before.state == "PLAY" and line.split()[:1] == ["TRY"]
            if tries:
                self._tally(player or "").refused += 1
            kind = "a TRY" if tries else "a line"
            change = CrosswordChange(event="in-vain")
            return player, "refused", f"{player or SOMEBODY} enters {kind} in vain", change
        assert player is not None  # the first line that is accepted is an ID
        if before.state == "START":
            return player, None, *self._identified(session, player, after, seq)
        if after.closed:
            self._notes.seats.pop(session, None)
            return player, "EXIT", f"{player} logs out", CrosswordChange(event="left")
        match before.state:
            case "CHOOSE" if isinstance(after.match, MatchHeader):
                about = f"match {after.match.id} on {after.match.puzzle}"
                words = f"{player} makes {about}, and waits for a second player"
                return player, "NEW", words, CrosswordChange(event="waits")
            case "CHOOSE" if isinstance(after.match, MatchView):
                return player, "PLAY", *self._begin(player, after.match, seq)
            case "PLAY":
                return player, *self._move(session, player, before, after, line, seq)
            case "WAIT":
                return player, "EXIT", f"{player} takes the waiting match back", CrosswordChange(event="took-back")
            case _:
                return player, "NEW MATCH", f"{player} goes on to another match", CrosswordChange(event="next-match")

    def _identified(self, session: SessionId, player: str, after: SessionView, seq: int) -> tuple[str, CrosswordChange]:
        """Describe the start of a session under an ID, a player's return to it, or the begin of a lobby's one match."""
        old = next((id for id, seat in self._notes.seats.items() if seat.player == player and id != session), None)
        was = self._notes.seats.pop(old) if old is not None else NotedSeat()
        back = after.token is None or after.result is not None
        self._notes.seats[session] = NotedSeat(player, was.match if back else None)
        if not back and isinstance(after.match, MatchView):
            return self._begin(player, after.match, seq)
        if not back and isinstance(after.match, MatchHeader):
            return f"{player} waits for a second player", CrosswordChange(event="waits")
        if back:
            return f"{player} comes back", CrosswordChange(event="back")
        return f"{player} enters the lobby", CrosswordChange(event="joined")

    def _begin(self, player: str, view: MatchView, seq: int) -> tuple[str, CrosswordChange]:
        notes = self._notes
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
        words = f"{player} begins the puzzle {view.puzzle} alone"
        if others:
            words = f"{player} joins {others[0]}'s match {view.id} on {view.puzzle}, which begins"
        event: Happened = "begun" if others else "begun-alone"
        return words, CrosswordChange(number, points=dict(view.challenge_points), begun=True, event=event)

    def _move(
        self, session: SessionId, player: str, before: SessionView, after: SessionView, line: str, seq: int
    ) -> tuple[str, str, CrosswordChange]:
        """Return the rule, the words and the change of an accepted TRY, CHALLENGE or EXIT in a match."""
        note = self._match(session)
        was = before.match
        now = after.result.match if after.result is not None else after.match
        if note is None or not isinstance(was, MatchView) or not isinstance(now, MatchView):
            return "refused", f"{player} moves in a match that nobody knows", CrosswordChange()  # cannot be
        try:
            move = read_line("PLAY", line)
        except LineRefused as error:
            raise ValueError("a line was accepted that is no command") from error
        tally = self._tally(player)
        rule, words, word = "EXIT", f"{player} gives up match {note.id}", None
        if isinstance(move, Try):
            rule, word = "TRY", move.word
            tally.tries += 1
            entered = now.words[word - 1].entered
            words = f"{player} enters {entered} for word {word}"
            if entered is None:  # of somebody who plays alone
                words = f"{player} tries a wrong word for word {word}"
        elif isinstance(move, Challenge):
            word = move.word
            rule, words = self._challenge(player, was, now, word)
            if rule == WON:
                tally.won += 1
            else:
                tally.lost += 1
        assert word is not None or isinstance(move, Exit)
        changed = tuple(WordState.of(new) for old, new in zip(was.words, now.words, strict=True) if old != new)
        cleared = [f"{state.id}" for state in changed if state.text is None and state.id != word]
        if cleared:
            words += f"; cleared, because in conflict with it: {', '.join(cleared)}"
        if word is not None:
            note.heat[word] = note.heat.get(word, 0) + 1
        over = None if after.result is None else self._finish(note, after.result, seq)
        points = dict(now.challenge_points) if after.result is None else dict(after.result.points)
        note.words = [WordState.of(word) for word in now.words if word.entered is not None]
        note.points = points
        self._notes.latest = note.number
        if over is not None:
            words += f". {over}"
        return rule, words, CrosswordChange(note.number, changed, points, word, over=over, winner=note.winner)

    def _challenge(self, player: str, was: MatchView, now: MatchView, word: int) -> tuple[str, str]:
        old, new = was.words[word - 1], now.words[word - 1]
        about = f"{player} challenges {old.by}'s {old.entered} (word {word})"
        if new.entered is None:
            return CHALLENGE_LOST, f"{about}: it was wrong, and so is the proposal"
        if new.by == player:
            return WON, f"{about}: it is {new.entered}, two points"
        return CHALLENGE_LOST, f"{about}, which was right"

    def _leave(self, session: SessionId, words: str, event: Happened, seq: int) -> tuple[str, CrosswordChange]:
        """Describe the end of a session, and of its match if that was still going on."""
        note = self._match(session)
        self._notes.seats.pop(session, None)
        if note is None or note.until is not None:
            return words, CrosswordChange(event=event)
        others = [self._look(other) for other, seat in self._notes.seats.items() if seat.match == note.number]
        public = self._apply(ASIDE, Spectate(-1)) if self._lobby.is_of_one_match else None
        for view in (*others, public):
            if view is not None and view.result is not None:
                over = self._finish(note, view.result, seq)
                break
        else:
            note.until, over = seq, BOTH_LEFT
        points = dict(note.points)
        return f"{words}. {over}", CrosswordChange(
            note.number, points=points, over=over, winner=note.winner, event=event
        )

    def _time_out(
        self, ticket: Ticket, command: Command[object], session: SessionId, seconds: float, seq: int
    ) -> tuple[str, CrosswordChange]:
        """Describe the time-out of the session's match."""
        note, words = self._match(session), f"nobody has moved for {span(seconds)}"
        self._answer(ticket, command)
        view = self._look(session)
        if note is None or note.until is not None or view is None or view.result is None:
            return words, CrosswordChange(event="nobody-did")
        over = self._finish(note, view.result, seq)
        points = dict(note.points)
        change = CrosswordChange(note.number, points=points, over=over, winner=note.winner, event="timed-out")
        return f"{words}. {over}", change

    def _finish(self, note: MatchNote, result: Result, seq: int) -> str:
        note.until, note.points, note.winner = seq, dict(result.points), result.winner
        note.forfeited_by = result.forfeited_by
        note.words = [WordState.of(word) for word in result.match.words if word.entered is not None]
        for player, points in result.points.items():
            self._tally(player).matches.append((note.id, points))
        ended = "The puzzle is complete. " if result.forfeited_by is None and result.ended is None else ""
        stands = ", ".join(f"{player} {number}" for player, number in result.points.items())
        nobody = "a draw" if len(result.points) > 1 else "not completed"
        winner = nobody if result.winner is None else f"{result.winner} wins"
        return f"{ended}Match {note.id} is over: {winner} ({stands})"

    # --- asking the lobby -------------------------------------------------------------------------

    def _answer(self, ticket: Ticket, command: Command[object]) -> object:
        """Apply the command, and return its own answer; None if it is refused."""
        for outcome in self._lobby.apply(ticket, command):
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
        return self._notes.seats.get(session, NotedSeat())

    def _match(self, session: SessionId) -> MatchNote | None:
        number = self._seat(session).match
        return None if number is None else self._notes.matches[number - 1]

    def _tally(self, player: str) -> WordCounts:
        return self._notes.tallies.setdefault(player, WordCounts())

    # --- views ------------------------------------------------------------------------------------

    def layout(self) -> CrosswordLayout:
        """Return the puzzles and the matches up to now."""
        matches = [
            MatchFrame(note.number, note.id, note.puzzle, note.description, note.players, note.since, note.until)
            for note in self._notes.matches
        ]
        return CrosswordLayout(dict(self._notes.puzzles), matches)

    def snapshot(self) -> CrosswordSnapshot:
        """Return the matches that are being played, and the one of the latest move."""
        shown = [note for note in self._notes.matches if note.until is None or note.number == self._notes.latest]
        return CrosswordSnapshot(
            matches={
                note.number: NarratedMatch(list(note.words), dict(note.points), note.ending, note.winner)
                for note in shown
            },
            latest=self._notes.latest,
            heat={note.number: sorted(note.heat.items()) for note in shown},
        )

    def scores(self) -> dict[str, int]:
        """Return each player's points in the player's latest match."""
        scores: dict[str, int] = {}
        for note in self._notes.matches:
            scores.update(note.points)
        return scores

    def picture(self) -> list[list[Spot]]:
        """Return the grid of the match of the latest move, row by row; empty before the first match."""
        note = self._latest()
        if note is None:
            return []
        shape = self._notes.puzzles[note.puzzle]
        spots = [[Spot("hole")] * shape.columns for _ in range(shape.rows)]
        for word in shape.words:
            for row, column in word.cells():
                spots[row][column] = Spot("cell")
        for state in note.words:
            for (row, column), letter in zip(shape.words[state.id - 1].cells(), state.text or "", strict=True):
                spots[row][column] = Spot("cell", letter, state.by)
        return spots

    def caption(self) -> str:
        """Return the match of the latest move and its points, in one line."""
        note = self._latest()
        if note is None:
            return f"no match has begun yet; {len(self._notes.seats)} connected"
        stands = ", ".join(f"{player} {number}" for player, number in note.points.items())
        return f"match {note.id} on {note.puzzle}: {stands}{'' if note.until is None else ' (over)'}"

    def _latest(self) -> MatchNote | None:
        return None if self._notes.latest is None else self._notes.matches[self._notes.latest - 1]

    def summary(self) -> Summary:
        """Return the counts of all players, and their points in each match that is over."""
        return Summary(
            ("tries", "tries refused", "challenges won", "challenges lost", "points by match"),
            {
                player: (
                    *map(str, (tally.tries, tally.refused, tally.won, tally.lost)),
                    ", ".join(f"{id} {points}" for id, points in tally.matches) or "-",
                )
                for player, tally in self._notes.tallies.items()
            },
        )
