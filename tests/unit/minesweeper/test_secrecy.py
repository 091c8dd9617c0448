"""Secrecy: no output reveals more than BOARD.

Testing strategy. The places of bombs that touch no dug square are secret. So two fields that differ only in these bombs
must give identical outcomes, frames and replies for the same commands. Hypothesis draws the field, the commands, and
the hidden bombs to move: test_bombs_that_...
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import assume, given
from hypothesis import strategies as st

from scramble.kernel.protocol import Answered, Change, Command, Event, Outcome, Ticket
from scramble.minesweeper import BoardView, Field, Snapshot
from scramble.minesweeper.frames import change_frame, field_frame
from scramble.minesweeper.messages import Connect, Deflag, Dig, Flag, Look, TakeSnapshot
from scramble.minesweeper.text import reply

SIZE = 6
squares = [(x, y) for y in range(SIZE) for x in range(SIZE)]
fields = st.sets(st.sampled_from(squares), max_size=9)
commands = st.one_of(
    st.builds(
        lambda move, square, player: move(*square, player),
        st.sampled_from([Dig, Flag, Deflag]),
        st.sampled_from([*squares, (-1, 2), (SIZE, 0)]),
        st.sampled_from([None, 1]),
    ),
    st.sampled_from([Look(), TakeSnapshot(), Connect("bob")]),
)


def play(bombs: set[tuple[int, int]], script: Sequence[Command[object]]) -> tuple[list[Outcome], list[str | bytes]]:
    """Return all outputs of a game: its outcomes, and the bytes and frames made from them."""
    field = Field(SIZE, SIZE, bombs)
    outcomes: list[Outcome] = []
    said: list[str | bytes] = []
    for number, command in enumerate([Connect("alice"), *script, TakeSnapshot(), Look()]):
        for item in field.apply(Ticket(number), command):
            outcomes.append(item)
            match item:
                case Event():
                    said.append(change_frame(Change(field.version, (item,))))
                case Answered(value=BoardView() as view):
                    said.append(reply(view))
                case Answered(value=Snapshot() as snapshot):
                    said.append(field_frame(snapshot, you=1))
    said += [str(field), repr(field)]
    return outcomes, said


@given(fields, st.lists(commands, min_size=1, max_size=8), st.data())
def test_bombs_that_touch_no_dug_square_do_not_change_any_output(
    bombs: set[tuple[int, int]], script: list[Command[object]], data: st.DataObject
) -> None:
    outcomes, said = play(bombs, script)
    end = outcomes[-2]
    assert isinstance(end, Answered)
    assert isinstance(end.value, Snapshot)
    dug = [(x, y) for x, y in squares if end.value.lines[y][x] not in "-F"]
    hidden = [(x, y) for x, y in squares if all(max(abs(x - i), abs(y - j)) > 1 for i, j in dug)]
    assume(hidden)
    moved = data.draw(st.sets(st.sampled_from(hidden), min_size=1), "squares whose bomb comes or goes")
    assert play(bombs ^ moved, script) == (outcomes, said)
