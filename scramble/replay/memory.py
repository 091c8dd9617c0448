"""Memory Scramble told: which card was turned over by which rule, who waited for whom, and whose the pairs are.

Of cards only those are named that lay face up, at the time, where they lay. So a replacement is told by the cards that
were seen to change, and a new game without its seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from scramble.core import Answered, Command, Event, Outcome, Refused, Ticket, Withdraw
from scramble.memory import Board
from scramble.memory.messages import (
    CommitMap,
    FaceUp,
    Flip,
    FlipFailed,
    Flipped,
    Joined,
    NewGame,
    NoCard,
    Relinquished,
    Removed,
    Replace,
    Replaced,
    Restarted,
    Scored,
    Snapshot,
    TakeSnapshot,
    Took,
    TurnedDown,
    TurnedUp,
    Waiting,
    Withdrawn,
)
from scramble.replay.telling import (
    CALLED_OFF,
    Spot,
    Step,
    Summary,
    by_whom,
    names,
    other_words,
    place,
    seconds,
)
from scramble.store import Record

ASIDE: Final = Ticket(-1)  # no request has this ticket
FAILURES: Final = ("1-A", "2-A", "2-B")

Card = tuple[str | None, str | None]
"""A spot that is not face down: (card, who controls it), or (None, who took it)."""


class Tally(msgspec.Struct):
    """What one player has done."""

    flips: int = 0
    matches: int = 0
    failures: dict[str, int] = msgspec.field(default_factory=lambda: dict.fromkeys(FAILURES, 0))
    waits: int = 0
    waited: float = 0.0  # seconds, all waits together
    longest: float = 0.0  # seconds
    pairs: int = 0


class _Notes(msgspec.Struct):
    """What the board itself does not remember."""

    tallies: dict[str, Tally] = {}
    since: dict[str, float] = {}  # who waits, and since when
    flips_at: dict[int, int] = {}  # flips of each spot, by index
    games: int = 1


class MemoryFrame(msgspec.Struct, frozen=True):
    """The size of the board."""

    rows: int
    columns: int


class MemoryWhole(msgspec.Struct, frozen=True):
    """The board, and how often each spot was flipped. Spots are numbered across each row from the top one.

    A spot that is not in `cells` is face down; (index, card, player) is a face-up card and who controls it, if anybody,
    and (index, null, player) is a place whose card that player took. `heat` has (index, flips).
    """

    cells: list[tuple[int, str | None, str | None]]
    waiting: dict[str, int]
    scores: dict[str, int]
    heat: list[tuple[int, int]]


class MemoryChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is different after a command: spots as in `MemoryWhole`, and (index,) for one that is face down again.

    `flip` is the spot that was flipped. A null in `waiting` is the end of waiting. `restart`: first everything is face
    down, nobody waits, and all scores are 0.
    """

    cells: tuple[tuple[int] | tuple[int, str | None, str | None], ...] = ()
    flip: int | None = None
    waiting: dict[str, int | None] = {}
    scores: dict[str, int] = {}
    restart: bool = False


class MemoryTeller:
    """A game of Memory Scramble in the course of being told."""

    # AF: the game of _board, of which _cells has all spots that are not face down, _waiting and _scores what their
    #     names say, as everybody knows them; _notes are of all commands told so far.
    # Safe from rep exposure: what is handed out is frozen, and made of copies.

    kind: Final = "memory"

    def __init__(self, first: bytes) -> None:
        """A game that begins with the state `first`. Raises ValueError if that is none."""
        self._begin(Board.restore(first), _Notes())
        self._decoder: Final[msgspec.json.Decoder[Command[object]]] = msgspec.json.Decoder(self._board.commands)

    def _begin(self, board: Board, notes: _Notes) -> None:
        self._board = board
        self._notes = notes
        (answer,) = board.apply(ASIDE, TakeSnapshot())
        assert isinstance(answer, Answered)
        assert isinstance(answer.value, Snapshot)
        snapshot = answer.value
        self._cells: dict[int, Card] = {}
        for index, cell in enumerate(snapshot.cells):
            if isinstance(cell, NoCard):
                self._cells[index] = (None, cell.by)
            elif isinstance(cell, FaceUp):
                self._cells[index] = (cell.card, cell.by)
        self._waiting = {player: self._index(*spot) for player, spot in snapshot.waiting.items()}
        self._scores = dict(snapshot.scores)

    def save(self) -> bytes:
        return msgspec.msgpack.encode((self._board.state(), self._notes))

    def resume(self, saved: bytes) -> None:
        state, notes = msgspec.msgpack.decode(saved, type=tuple[bytes, _Notes])
        self._begin(Board.restore(state), notes)

    # --- one command ------------------------------------------------------------------------------

    def tell(self, record: Record) -> Step:
        command = self._decoder.decode(record.command)
        player = by_whom(command)
        outcomes = self._board.apply(record.ticket, command)
        events = [outcome for outcome in outcomes if isinstance(outcome, Event)]
        before = self._cells.copy() if isinstance(command, Replace | CommitMap | NewGame) else self._cells
        flip: int | None = None
        match command:
            case Flip(player, row, column):
                flip = self._index(row, column)
                rule, words = self._flip(command, events, _own(outcomes, record.ticket), record.time)
                if rule is not None:
                    self._notes.flips_at[flip] = self._notes.flips_at.get(flip, 0) + 1
            case Replace() | CommitMap():
                rule, words = None, self._replacement(command, events, before)
            case NewGame():
                rule, words = None, f"{player} starts a new game: the cards are shuffled and lie face down"
                self._notes.games += 1
            case _:
                player = player or _withdrawn(events)
                rule, words = None, self._other(command, player, events)
        also = self._also(command, player, events, record.time)
        if flip is not None:
            for event in events:
                if isinstance(event, Withdrawn):
                    self._tally(event.player).failures["1-A"] += 1
        change = self._change(events, flip, record.time)
        scores = self.scores() if change.restart else change.scores
        return Step(record.seq, record.time, player, rule, words, also, scores, change)

    def _flip(
        self, flip: Flip, events: Sequence[Event], own: Answered | Refused | None, time: float
    ) -> tuple[str | None, str]:
        player, at = flip.player, place(flip.row, flip.column)
        tally = self._tally(player)
        there, holder = self._cells.get(self._index(flip.row, flip.column), (None, None))
        given_up = next((e for e in events if isinstance(e, Relinquished) and e.player == player), None)
        lost = f", and gives up {given_up.card} at {place(given_up.row, given_up.column)}" if given_up else ""
        if own is None:
            tally.flips += 1
            tally.waits += 1
            self._notes.since[player] = time
            return "1-D", f"{player} waits for the {there} at {at}, which {holder} controls"
        if isinstance(own, Refused):
            if not isinstance(own.error, FlipFailed):
                return None, f"{player} flips {at} while still waiting for another card, which is refused"
            rule = own.error.rule
            tally.flips += 1
            tally.failures[rule] = tally.failures.get(rule, 0) + 1
            if rule == "2-B":
                whose = f"which {holder} controls" if holder != player else "which is the first card itself"
                return rule, f"{player} cannot have the {there} at {at}, {whose}{lost}"
            return rule, f"{player} finds no card at {at}{lost}"
        assert isinstance(own.value, Flipped)
        tally.flips += 1
        rule = own.value.rule
        card = next((e.card for e in events if isinstance(e, TurnedUp)), there)
        if rule == "1-B":
            return rule, f"{player} turns up {card} at {at}"
        if rule == "1-C":
            return rule, f"{player} takes the face-up {card} at {at}"
        turned = any(isinstance(event, TurnedUp) for event in events)
        does = f"turns up {card} at {at}" if turned else f"goes for the face-up {card} at {at}"
        if rule == "2-D":
            tally.matches += 1
            return rule, f"{player} {does}: a pair"
        first = f"{given_up.card} at {place(given_up.row, given_up.column)}" if given_up else "the first card"
        return rule, f"{player} {does}, which does not match {first}"

    def _replacement(self, command: Replace | CommitMap, events: Sequence[Event], before: dict[int, Card]) -> str:
        changed = [event for event in events if isinstance(event, Replaced)]
        seen = {
            (before[self._index(event.row, event.column)][0], event.card) for event in changed if event.card is not None
        }
        if not changed:
            return f"{command.player} replaces a card that is not there"
        told = ", ".join(sorted(f"{old} becomes {new}" for old, new in seen)) or "none of them face up"
        return f"{command.player} replaces {len(changed)} {'card' if len(changed) == 1 else 'cards'}: {told}"

    def _other(self, command: Command[object], player: str | None, events: Sequence[Event]) -> str:
        """Words for a command that is none of a player's moves: going away, and whatever a server does for players."""
        if isinstance(command, Withdraw):
            gone = _withdrawn(events)
            return CALLED_OFF if gone is None else f"{gone} waits no longer"
        freed = [event for event in events if isinstance(event, Relinquished)]
        if freed:
            cards = names([f"{event.card} at {place(event.row, event.column)}" for event in freed])
            return f"{freed[0].player} has been away for long, and gives up {cards}"
        return other_words(command, player)

    def _also(
        self, command: Command[object], actor: str | None, events: Sequence[Event], time: float
    ) -> tuple[str, ...]:
        """What happened with a command beside what its own words say."""
        also: list[str] = []
        removed = [event for event in events if isinstance(event, Removed)]
        if removed:
            cards = dict.fromkeys(event.card for event in removed)
            also.append(f"{removed[0].player}'s pair of {names(list(cards))} leaves the board (3-A)")
        down = [place(event.row, event.column) for event in events if isinstance(event, TurnedDown)]
        if down:
            also.append(f"{names(down)} {'turns' if len(down) == 1 else 'turn'} face down again (3-B)")
        empty = [event.player for event in events if isinstance(event, Withdrawn) and event.player != actor]
        if empty:
            also.append(f"{names(empty)} waited for it in vain (1-A)")
        for event in events:
            if isinstance(event, Took) and event.player != actor:
                waited = seconds(max(0.0, time - self._notes.since.get(event.player, time)))
                where = place(event.row, event.column)
                also.append(f"{event.player}, who waited {waited}, takes the {event.card} at {where} (1-C)")
        if isinstance(command, NewGame) and self._waiting:
            also.append(f"{names(list(self._waiting))} waited in vain")
        return tuple(also)

    def _change(self, events: Sequence[Event], flip: int | None, time: float) -> MemoryChange:
        """Bring what everybody knows up to date, and tell what is different."""
        cells: dict[int, tuple[int] | tuple[int, str | None, str | None]] = {}
        waiting: dict[str, int | None] = {}
        scores: dict[str, int] = {}
        restart = False

        def put(index: int, card: str | None, by: str | None) -> None:
            self._cells[index] = (card, by)
            cells[index] = (index, card, by)

        for event in events:
            match event:
                case Took(row, column, player, card):
                    put(self._index(row, column), card, player)
                    if player in self._waiting:
                        waiting[player] = None
                        self._stop_waiting(player, time)
                case TurnedUp(row, column, card) | Relinquished(row, column, _, card):
                    put(self._index(row, column), card, None)
                case TurnedDown(row, column):
                    index = self._index(row, column)
                    del self._cells[index]
                    cells[index] = (index,)
                case Removed(row, column, player, _):
                    put(self._index(row, column), None, player)
                case Replaced(row, column, card, player) if card is not None:
                    put(self._index(row, column), card, player)
                case Waiting(row, column, player):
                    waiting[player] = self._waiting[player] = self._index(row, column)
                case Withdrawn(_, _, player):
                    waiting[player] = None
                    self._stop_waiting(player, time)
                case Joined(player):
                    scores[player] = self._scores[player] = 0
                    self._tally(player)
                case Scored(player, pairs, _):
                    scores[player] = self._scores[player] = pairs
                    self._tally(player).pairs += 1
                case Restarted():
                    for player in tuple(self._waiting):
                        self._stop_waiting(player, time)
                    self._cells.clear()
                    self._scores = dict.fromkeys(self._scores, 0)
                    restart = True
        return MemoryChange(tuple(cells.values()), flip, waiting, scores, restart)

    def _stop_waiting(self, player: str, time: float) -> None:
        self._waiting.pop(player, None)
        waited = max(0.0, time - self._notes.since.pop(player, time))
        tally = self._tally(player)
        tally.waited += waited
        tally.longest = max(tally.longest, waited)

    def _tally(self, player: str) -> Tally:
        return self._notes.tallies.setdefault(player, Tally())

    def _index(self, row: int, column: int) -> int:
        return row * self._board.columns + column

    # --- what there is to see ---------------------------------------------------------------------

    def frame(self) -> MemoryFrame:
        return MemoryFrame(self._board.rows, self._board.columns)

    def whole(self) -> MemoryWhole:
        return MemoryWhole(
            cells=[(index, card, by) for index, (card, by) in sorted(self._cells.items())],
            waiting=dict(self._waiting),
            scores=dict(self._scores),
            heat=sorted(self._notes.flips_at.items()),
        )

    def scores(self) -> dict[str, int]:
        return dict(self._scores)

    def picture(self) -> list[list[Spot]]:
        spots = [Spot("down")] * (self._board.rows * self._board.columns)
        for index, (card, by) in self._cells.items():
            spots[index] = Spot("gone", "", by) if card is None else Spot("up", card, by)
        columns = self._board.columns
        return [spots[start : start + columns] for start in range(0, len(spots), columns)]

    def caption(self) -> str:
        pairs = ", ".join(f"{player} {pairs}" for player, pairs in self._scores.items())
        waiting = ", ".join(
            f"{player} waits for {place(*divmod(index, self._board.columns))}"
            for player, index in self._waiting.items()
        )
        return f"pairs: {pairs or 'nobody has flipped yet'}{'; ' if waiting else ''}{waiting}"

    def summary(self) -> Summary:
        return Summary(
            ("flips", "matches", *FAILURES, "waits", "waited", "longest", "pairs"),
            {
                player: (
                    *map(str, (tally.flips, tally.matches, *(tally.failures.get(rule, 0) for rule in FAILURES))),
                    str(tally.waits),
                    seconds(tally.waited) if tally.waits else "-",
                    seconds(tally.longest) if tally.waits else "-",
                    str(tally.pairs),
                )
                for player, tally in self._notes.tallies.items()
            },
        )


def _own(outcomes: Sequence[Outcome], ticket: Ticket) -> Answered | Refused | None:
    """What the command itself was answered with; None: it waits."""
    for outcome in outcomes:
        if isinstance(outcome, Answered | Refused) and outcome.ticket == ticket:
            return outcome
    return None


def _withdrawn(events: Sequence[Event]) -> str | None:
    return next((event.player for event in events if isinstance(event, Withdrawn)), None)
