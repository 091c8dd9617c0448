"""Crossword Extravaganza told: who met whom on which puzzle, what was tried and challenged, and for how many points.

Of what players typed only that is told which their commands put on the board. A guess or a proposal that did not come
to stand there was seen by nobody else, and may be the solution; and a line may hold a token. So no line is ever quoted:
words are made of what sessions show afterwards.
"""

from __future__ import annotations

from typing import Final

import msgspec

from scramble.core import Answered, Command, Ticket
from scramble.crossword.lobby import Lobby
from scramble.crossword.messages import (
    Disconnect,
    ExpireGrace,
    Look,
    MatchHeader,
    MatchView,
    OpenSession,
    Result,
    Say,
    SessionId,
    SessionView,
)
from scramble.crossword.statetable import Challenge, Exit, LineRefused, Try, read_line
from scramble.replay.crosswordnotes import MatchNote, Notes, Seat, Shape, Tally, WordState
from scramble.replay.telling import SOMEBODY, Spot, Step, Summary, by_whom, other_words
from scramble.store import Record

ASIDE: Final = Ticket(-1)  # no request has this ticket
WON: Final = "CHALLENGE won"
LOST: Final = "CHALLENGE lost"


class MatchFrame(msgspec.Struct, frozen=True):
    """A match: its number from 1, what it is called, and the commands with which it began and ended."""

    number: int
    id: str
    puzzle: str
    description: str
    players: tuple[str, str]
    since: int
    until: int | None


class CrosswordFrame(msgspec.Struct, frozen=True):
    """The grids of the puzzles that were played, and the matches, in the order in which they began."""

    puzzles: dict[str, Shape]
    matches: list[MatchFrame]


class MatchState(msgspec.Struct, frozen=True):
    """How a match stands: its words that are entered, and its points. `over` is there when it has ended."""

    words: list[WordState]
    points: dict[str, int]
    over: str | None = None


class CrosswordWhole(msgspec.Struct, frozen=True):
    """The matches that are being played, by number, how often each was moved in, and the one that moved last."""

    matches: dict[int, MatchState]
    latest: int | None
    heat: dict[int, list[tuple[int, int]]]  # of each match: (word, moves on it)


class CrosswordChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is different in a match after a command. `words` are as in `MatchState`; one that has gone has no text."""

    match: int | None = None
    words: tuple[WordState, ...] = ()
    points: dict[str, int] = {}
    word: int | None = None  # the one that the move was about
    begun: bool = False
    over: str | None = None


class CrosswordTeller:
    """A lobby of Crossword Extravaganza in the course of being told."""

    # AF: the lobby of _lobby; _notes are of all commands told so far.
    # Safe from rep exposure: what is handed out is frozen, and made of copies.

    kind: Final = "crossword"

    def __init__(self, first: bytes) -> None:
        """A lobby that begins with the state `first`. Raises ValueError if that is none."""
        self._lobby = Lobby.restore(first)
        self._notes = Notes()
        self._decoder: Final[msgspec.json.Decoder[Command[object]]] = msgspec.json.Decoder(self._lobby.commands)

    def save(self) -> bytes:
        return msgspec.msgpack.encode((self._lobby.state(), self._notes))

    def resume(self, saved: bytes) -> None:
        state, self._notes = msgspec.msgpack.decode(saved, type=tuple[bytes, Notes])
        self._lobby = Lobby.restore(state)

    # --- one command ------------------------------------------------------------------------------

    def tell(self, record: Record) -> Step:
        command = self._decoder.decode(record.command)
        player: str | None = None
        rule: str | None = None
        change = CrosswordChange()
        match command:
            case OpenSession():
                view = self._apply(record.ticket, command)
                if view is not None:
                    self._notes.seats[view.session] = Seat()
                words = "somebody connects" if view is not None else "somebody finds no room"
            case Say(session=session, line=line):
                player, rule, words, change = self._say(record.ticket, command, session, line, record.seq)
            case Disconnect(session=session):
                player = self._seat(session).player
                may_return = self._answer(record.ticket, command) is True
                if may_return:
                    words = f"{player} has lost the connection, and may come back"
                else:
                    words, change = self._leave(session, f"{player or SOMEBODY} leaves", record.seq)
            case ExpireGrace(session=session):
                player = self._seat(session).player
                there = session in self._notes.seats
                self._answer(record.ticket, command)
                words = "a time of grace is over"
                if there and self._look(session) is None:
                    words, change = self._leave(session, f"{player or SOMEBODY} has not come back in time", record.seq)
            case _:
                player = by_whom(command)
                self._lobby.apply(record.ticket, command)
                words = other_words(command, player)
        return Step(record.seq, record.time, player, rule, words, (), dict(change.points), change)

    def _say(
        self, ticket: Ticket, command: Command[object], session: SessionId, line: str, seq: int
    ) -> tuple[str | None, str | None, str, CrosswordChange]:
        """The player, the rule, the words and the change of a command line."""
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
            return player, "refused", f"{player or SOMEBODY} enters {kind} in vain", CrosswordChange()
        assert player is not None  # whoever has said anything that is accepted has an ID
        if before.state == "START":
            return player, None, *self._identified(session, player, after)
        if after.closed:
            self._notes.seats.pop(session, None)
            return player, "EXIT", f"{player} logs out", CrosswordChange()
        match before.state:
            case "CHOOSE" if isinstance(after.match, MatchHeader):
                about = f"match {after.match.id} on {after.match.puzzle}"
                return player, "NEW", f"{player} makes {about}, and waits for a second player", CrosswordChange()
            case "CHOOSE" if isinstance(after.match, MatchView):
                return player, "PLAY", *self._begin(player, after.match, seq)
            case "PLAY":
                return player, *self._move(session, player, before, after, line, seq)
            case "WAIT":
                return player, "EXIT", f"{player} takes the waiting match back", CrosswordChange()
            case _:
                return player, "NEW MATCH", f"{player} goes on to another match", CrosswordChange()

    def _identified(self, session: SessionId, player: str, after: SessionView) -> tuple[str, CrosswordChange]:
        """An ID was taken, or a player has come back to it."""
        old = next((id for id, seat in self._notes.seats.items() if seat.player == player and id != session), None)
        was = self._notes.seats.pop(old) if old is not None else Seat()
        back = after.state != "CHOOSE" or after.token is None
        self._notes.seats[session] = Seat(player, was.match if back else None)
        return (f"{player} comes back" if back else f"{player} enters the lobby"), CrosswordChange()

    def _begin(self, player: str, view: MatchView, seq: int) -> tuple[str, CrosswordChange]:
        notes = self._notes
        notes.puzzles.setdefault(view.puzzle, Shape.of(view))
        number = len(notes.matches) + 1
        notes.matches.append(MatchNote(number, view.id, view.puzzle, view.description, view.players, seq))
        for seat in notes.seats.values():
            if seat.player in view.players:
                seat.match = number
        for name in view.players:
            self._tally(name)
        other = next(name for name in view.players if name != player)
        notes.matches[-1].points = dict(view.challenge_points)
        notes.latest = number
        words = f"{player} joins {other}'s match {view.id} on {view.puzzle}, which begins"
        return words, CrosswordChange(number, points=dict(view.challenge_points), begun=True)

    def _move(
        self, session: SessionId, player: str, before: SessionView, after: SessionView, line: str, seq: int
    ) -> tuple[str, str, CrosswordChange]:
        """The rule, the words and the change of an accepted TRY, CHALLENGE or EXIT in a match."""
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
            words = f"{player} enters {now.words[word - 1].entered} for word {word}"
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
        return rule, words, CrosswordChange(note.number, changed, points, word, over=over)

    def _challenge(self, player: str, was: MatchView, now: MatchView, word: int) -> tuple[str, str]:
        old, new = was.words[word - 1], now.words[word - 1]
        about = f"{player} challenges {old.by}'s {old.entered} (word {word})"
        if new.entered is None:
            return LOST, f"{about}: it was wrong, and so is the proposal"
        if new.by == player:
            return WON, f"{about}: it is {new.entered}, two points"
        return LOST, f"{about}, which was right"

    def _leave(self, session: SessionId, words: str, seq: int) -> tuple[str, CrosswordChange]:
        """A session has ended, and with it its match if that was still going on."""
        note = self._match(session)
        self._notes.seats.pop(session, None)
        if note is None or note.until is not None:
            return words, CrosswordChange()
        for other, seat in self._notes.seats.items():
            view = self._look(other) if seat.match == note.number else None
            if view is not None and view.result is not None:
                over = self._finish(note, view.result, seq)
                break
        else:
            note.until, over = seq, "Both players have left"
        return f"{words}. {over}", CrosswordChange(note.number, points=dict(note.points), over=over)

    def _finish(self, note: MatchNote, result: Result, seq: int) -> str:
        note.until, note.points, note.winner = seq, dict(result.points), result.winner
        note.forfeited_by = result.forfeited_by
        note.words = [WordState.of(word) for word in result.match.words if word.entered is not None]
        for player, points in result.points.items():
            self._tally(player).matches.append((note.id, points))
        ended = "The puzzle is complete. " if result.forfeited_by is None else ""
        stands = ", ".join(f"{player} {number}" for player, number in result.points.items())
        winner = "a draw" if result.winner is None else f"{result.winner} wins"
        return f"{ended}Match {note.id} is over: {winner} ({stands})"

    # --- asking the lobby -------------------------------------------------------------------------

    def _answer(self, ticket: Ticket, command: Command[object]) -> object:
        """What the command itself is answered with; None if it is refused."""
        for outcome in self._lobby.apply(ticket, command):
            if isinstance(outcome, Answered) and outcome.ticket == ticket:
                return outcome.value
        return None

    def _apply(self, ticket: Ticket, command: Command[object]) -> SessionView | None:
        answer = self._answer(ticket, command)
        return answer if isinstance(answer, SessionView) else None

    def _look(self, session: SessionId) -> SessionView | None:
        """What a session shows; None if it has ended, or its connection is lost."""
        return self._apply(ASIDE, Look(session))

    def _seat(self, session: SessionId) -> Seat:
        return self._notes.seats.get(session, Seat())

    def _match(self, session: SessionId) -> MatchNote | None:
        number = self._seat(session).match
        return None if number is None else self._notes.matches[number - 1]

    def _tally(self, player: str) -> Tally:
        return self._notes.tallies.setdefault(player, Tally())

    # --- what there is to see ---------------------------------------------------------------------

    def frame(self) -> CrosswordFrame:
        matches = [
            MatchFrame(note.number, note.id, note.puzzle, note.description, note.players, note.since, note.until)
            for note in self._notes.matches
        ]
        return CrosswordFrame(dict(self._notes.puzzles), matches)

    def whole(self) -> CrosswordWhole:
        shown = [note for note in self._notes.matches if note.until is None or note.number == self._notes.latest]
        return CrosswordWhole(
            matches={note.number: MatchState(list(note.words), dict(note.points), note.ending) for note in shown},
            latest=self._notes.latest,
            heat={note.number: sorted(note.heat.items()) for note in shown},
        )

    def scores(self) -> dict[str, int]:
        scores: dict[str, int] = {}
        for note in self._notes.matches:
            scores.update(note.points)
        return scores

    def picture(self) -> list[list[Spot]]:
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
        note = self._latest()
        if note is None:
            return f"no match has begun yet; {len(self._notes.seats)} connected"
        stands = ", ".join(f"{player} {number}" for player, number in note.points.items())
        return f"match {note.id} on {note.puzzle}: {stands}{'' if note.until is None else ' (over)'}"

    def _latest(self) -> MatchNote | None:
        return None if self._notes.latest is None else self._notes.matches[self._notes.latest - 1]

    def summary(self) -> Summary:
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
