"""Any sequence of moves of a contest, compared to a naive model that computes the whole state from the moves again.

Testing strategy. Hypothesis plays on fields of 1 to 5 columns and rows, from empty to crowded, with a start or without.
Three players (two with the same name) and the program dig, chord, flag and deflag. Their times mostly increase, but
sometimes go back. After every command:

- the answer's BOARD, booms and pause are the model's. An event comes exactly if the command has an effect in the model.
  It has the model's time and number of squares left and, after a player's dig or chord, the model's score
- the end is reported with the last dig, exactly once, with the model's result
- scores, times and pauses are the model's, also after the field is stored and restored
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from scramble.kernel.protocol import Answered, Ticket
from scramble.minesweeper import BoardView, Field
from scramble.minesweeper.messages import (
    Chord,
    Chorded,
    Connect,
    Deflag,
    Dig,
    End,
    Ended,
    Flag,
    Move,
    MoveEvent,
    Place,
    Score,
    Standing,
)
from tests.support.examples import examples
from tests.support.minesweeper.contest import PAUSE, ContestModel
from tests.support.minesweeper.model import Model
from tests.support.revisions import applied

NAMES = {1: "ann", 2: "bob", 3: "ann"}
MOVES: dict[type[Move], str] = {Dig: "dig", Flag: "flag", Deflag: "deflag", Chord: "chord"}

sizes = st.sampled_from([3, 4, 2, 5, 1])


class FieldAgainstContest(RuleBasedStateMachine):
    """A field with scores, and its model."""

    @initialize(columns=sizes, rows=sizes, data=st.data())
    def begin(self, columns: int, rows: int, data: st.DataObject) -> None:
        squares = [(x, y) for y in range(rows) for x in range(columns)]
        bombs = data.draw(st.sets(st.sampled_from(squares), max_size=len(squares) // 2), "bombs")
        start = data.draw(st.sampled_from([None, None, None, squares[-1]]), "start")
        self.field = Field(columns, rows, bombs)
        self.field.keep_scores(pause_ms=PAUSE, closes=True, start=start)
        self.model = ContestModel(Model(columns, rows, frozenset(bombs)), start)
        self.ends = 0
        self.now = 0
        for number, name in NAMES.items():
            self.field.apply(Ticket(number), Connect(name))

    @rule(
        what=st.sampled_from([Dig, Chord, Flag, Dig, Deflag]),
        place=st.integers(0, 24),
        player=st.sampled_from([1, 2, 3, None]),
        later=st.sampled_from([PAUSE, 300, PAUSE - 1, 0, -10]),
        again=st.sampled_from(["", "", "", "copy", "restart"]),
    )
    def move(self, what: type[Move], place: int, player: int | None, later: int, again: str) -> None:
        if again == "copy":
            self.field = self.field.copy()
        elif again == "restart":
            state = self.field.state()
            self.field = Field.restore(state)
            assert self.field.state() == state
        x, y = self.aimed(what, place)
        self.now = max(0, self.now + later)
        name = None if player is None else NAMES[player]
        before = max([self.now, *(deed.at for deed in self.model.deeds)])
        pause, begun = self.model.paused(name, before), self.model.began()
        deed = self.model.move(MOVES[what], (x, y), name, self.now)
        *events, answer = applied(self.field, Ticket(9), what(x, y, player, self.now))
        assert isinstance(answer, Answered)
        view = answer.value
        assert isinstance(view, BoardView)
        assert view.text == self.model.model.board()
        assert view.boom == bool(deed and deed.booms)
        if deed is None:
            assert (events, view.pause_ms) == ([], pause)
            waits = what is Dig and begun is None and not pause and (x, y) != self.model.start
            assert view.start == (self.model.start if waits and self.model.ended() is None else None)
            return
        event, *more = events
        assert isinstance(event, MoveEvent)
        assert (event.at, event.left) == (deed.at, self.left())
        assert event.bombs == len(self.model.model.bombs) - len(self.model.model.flagged)
        costs = bool(deed.booms and name)
        assert (event.until, view.pause_ms) == ((deed.at + PAUSE, PAUSE) if costs else (None, 0))
        if isinstance(event, Chorded):
            assert event.booms == deed.booms == view.booms
        for end in more:
            assert isinstance(end, Ended)
            assert (end.at, end.end) == (deed.at, self.end())
            self.ends += 1
        if what in (Dig, Chord) and name is not None:
            assert event.tally is not None
            squares, _, booms, _ = self.model.score(name)
            assert (event.tally.squares, event.tally.booms) == (squares, booms)
        else:
            assert event.tally is None

    def aimed(self, what: type[Move], place: int) -> Place:
        """The square with this number. Some squares are outside. Every second chord aims at a square with an effect."""
        field = self.model.model
        ready = sorted(square for square in field.dug if field.chord(square)[0] != field)
        if what is Chord and place % 2 and ready:
            return ready[place % len(ready)]
        y, x = divmod(place, field.columns)
        return x, y

    @invariant()
    def all_that_is_known_is_the_models(self) -> None:
        snapshot = self.field.snapshot()
        assert snapshot.lines == tuple(self.model.model.lines())
        assert snapshot.standing == Standing(self.left(), self.scores())
        view = snapshot.contest
        assert view is not None
        assert (view.began, view.ended) == (self.model.began(), self.model.ended())
        assert view.end == (self.end() if view.ended is not None else None)
        assert self.ends == (view.ended is not None)
        assert view.start == (self.model.start if view.began is None else None)
        now = self.field.now
        assert now == max([0, *(deed.at for deed in self.model.deeds)])
        assert {name: until - now for name, until in view.pauses.items() if until > now} == {
            name: left for name in self.model.names() if (left := self.model.paused(name, now))
        }

    def left(self) -> int:
        field = self.model.model
        return field.columns * field.rows - len(field.bombs) - len(field.dug)

    def scores(self) -> dict[str, Score]:
        return {name: Score(*self.model.score(name)) for name in self.model.names()}

    def end(self) -> End:
        names, field = self.model.names(), self.model.model
        numbers = {None: 0} | {name: number for number, name in enumerate(names, start=1)}

        def told(found: list[tuple[Place, str | None]]) -> tuple[tuple[int, int, int], ...]:
            return tuple((x, y, numbers[name]) for (x, y), name in found)

        owners = tuple(
            "".join(chr(32 + numbers[self.model.owner((x, y))]) for x in range(field.columns))
            for y in range(field.rows)
        )
        return End(tuple(names), owners, self.scores(), told(self.model.booms()), told(self.model.wrong()))


TestFieldAgainstContest = FieldAgainstContest.TestCase
TestFieldAgainstContest.settings = settings(max_examples=examples(60), stateful_step_count=40)
