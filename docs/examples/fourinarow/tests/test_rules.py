"""The rules of Four in a row.

Partitions:
- a drop: first; in turn; out of turn; by a third person; into a missing or a full column; after the end of the game
- four in a row: horizontal, vertical, both diagonals; completed in the middle; two rows at once; only three discs
- drops that wait: one, or several of one player; before the second player's arrival; withdrawn; refused because the
  column is full, or because the game is over
- a state: restored; invalid
- random drops and withdrawals: compared with a model on a grid, which has a queue for each player
"""

from __future__ import annotations

import pytest
from fourinarow.rules import Board, Drop, Dropped, FourInARow, Look, Table, View, Waits, WaitsNoMore
from hypothesis import given
from hypothesis import strategies as st

from scramble.errors import InvalidCommand
from scramble.kernel.protocol import Answered, Outcome, Refused, Ticket, Withdraw


def play(rules: FourInARow, *drops: tuple[str, int]) -> list[list[Outcome]]:
    """Make these drops, with the tickets 1, 2, ..., and return the outcomes of each drop."""
    return [list(rules.apply(Ticket(at), Drop(*drop))) for at, drop in enumerate(drops, start=1)]


def codes(outcomes: list[Outcome]) -> dict[int, str]:
    """Return the codes of the refusals by ticket."""
    return {one.ticket: one.error.code for one in outcomes if isinstance(one, Refused)}


def test_the_first_two_who_drop_a_disc_are_the_players() -> None:
    rules = FourInARow(Table())
    outcomes = play(rules, ("ann", 3), ("bob", 3), ("cat", 3))
    assert outcomes[0] == [Dropped("ann", 3, ()), Answered(Ticket(1), None)]
    assert outcomes[1] == [Dropped("bob", 3, ()), Answered(Ticket(2), None)]
    assert codes(outcomes[2]) == {3: "two-play"}
    assert rules.now == Table(Board(drops=(3, 3)), ("ann", "bob"))


def test_a_drop_out_of_turn_waits_and_is_made_when_it_is_the_players_turn() -> None:
    rules = FourInARow(Table())
    _, waits, done = play(rules, ("ann", 0), ("ann", 1), ("bob", 6))
    assert waits == [Waits("ann", 1)]
    assert done == [
        Dropped("bob", 6, ()),
        Answered(Ticket(3), None),
        Dropped("ann", 1, ()),
        Answered(Ticket(2), None),
    ]
    assert rules.now.board.drops == (0, 6, 1)


def test_the_drops_of_a_player_that_wait_are_made_in_their_order() -> None:
    rules = FourInARow(Table())
    play(rules, ("ann", 0), ("ann", 1), ("ann", 2))
    assert rules.look() == View(Table(Board(drops=(0,)), ("ann",)), (), (Drop("ann", 1), Drop("ann", 2)))
    play(rules, ("bob", 6), ("bob", 6))
    assert rules.now.board.drops == (0, 6, 1, 6, 2)


def test_a_drop_that_is_called_off_is_never_made() -> None:
    rules = FourInARow(Table())
    play(rules, ("ann", 0), ("ann", 1))
    assert rules.apply(Ticket(2), Withdraw()) == (WaitsNoMore("ann", 1),)
    play(rules, ("bob", 6))
    assert rules.now.board.drops == (0, 6)


def test_a_drop_that_waits_is_refused_once_its_column_is_full() -> None:
    rules = FourInARow(Table(Board(rows=2)))
    last = play(rules, ("ann", 0), ("ann", 0), ("bob", 0))[-1]
    assert WaitsNoMore("ann", 0) in last
    assert codes(last) == {2: "column-full"}


def test_a_drop_that_waits_is_refused_once_the_game_is_over() -> None:
    rules = FourInARow(Table(Board(drops=(0, 1, 0, 1, 0, 1)), ("ann", "bob")))
    outcomes = play(rules, ("bob", 3), ("ann", 0))
    assert codes(outcomes[1]) == {1: "over"}
    assert codes(play(rules, ("bob", 3))[0]) == {1: "over"}


@pytest.mark.parametrize("column", [-1, 7, 10**30])
def test_there_are_seven_columns(column: int) -> None:
    (refused,) = FourInARow(Table()).apply(Ticket(1), Drop("ann", column))
    assert isinstance(refused, Refused)
    assert isinstance(refused.error, InvalidCommand)


@pytest.mark.parametrize(
    ("drops", "line"),
    [
        ((0, 6, 0, 6, 0, 6, 0), (0, 2, 4, 6)),
        ((0, 0, 1, 1, 3, 3, 2), (0, 2, 4, 6)),
        ((0, 1, 1, 2, 6, 2, 2, 3, 3, 3, 3), (0, 2, 6, 10)),
        ((6, 5, 5, 4, 0, 4, 4, 3, 3, 3, 3), (0, 2, 6, 10)),
        ((0, 6, 1, 6, 2, 6, 4, 0, 5, 0, 3), (0, 2, 4, 6, 8, 10)),
        ((0, 6, 1, 6, 2, 5), ()),
    ],
    ids=["upright", "across", "slanting up", "slanting down", "six", "three"],
)
def test_four_discs_of_a_player_in_a_row_win(drops: tuple[int, ...], line: tuple[int, ...]) -> None:
    assert Board(drops=drops).line == line
    assert not any(Board(drops=drops[:number]).line for number in range(len(drops)))


def test_a_full_board_without_four_in_a_row_is_a_draw() -> None:
    rules = FourInARow(Table(Board(rows=1, columns=2)))
    play(rules, ("ann", 0), ("bob", 1))
    assert (rules.now.is_over, rules.now.winner) == (True, None)


@pytest.mark.parametrize(
    "table",
    [
        b'{"players":["ann"]}',
        b'{"players":["ann"],"board":{"drops":[0,1]}}',
        b'{"players":["ann","ann"],"board":{"drops":[0,1]}}',
        b'{"players":["ann","bob","cat"],"board":{"drops":[0,1,2]}}',
        b'{"players":["ann"],"board":{"drops":[7]}}',
        b'{"players":["ann","bob"],"board":{"rows":1,"drops":[0,0]}}',
    ],
)
def test_a_state_that_no_game_leads_to_is_not_restored(table: bytes) -> None:
    with pytest.raises(ValueError, match=r"a different player for each of the first two|no place for a disc"):
        FourInARow(Table()).restore(b'{"version":1,"now":' + table + b"}")


class Model:
    """The same game on a grid, with a queue for each player."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows = rows
        self.grid: list[list[str]] = [[] for _ in range(columns)]
        self.queues: dict[str, list[tuple[int, int]]] = {}  # of the players, in the order of their first drops
        self.latest: str | None = None
        self.over = False

    def drop(self, ticket: int, player: str, column: int) -> None:
        others = self.queues.keys() - {player}
        if self.over or not self.is_open(column) or len(others) == 2:
            return
        self.queues.setdefault(player, []).append((ticket, column))
        while not self.over and (mover := next((one for one in self.queues if self.may_move(one)), None)):
            _, column = self.queues[mover].pop(0)
            self.grid[column].append(mover)
            self.latest = mover
            self.over = self.wins(mover) or not any(map(self.is_open, range(len(self.grid))))
            for queue in self.queues.values():
                queue[:] = [(one, at) for one, at in queue if not self.over and self.is_open(at)]

    def withdraw(self, ticket: int) -> None:
        for queue in self.queues.values():
            queue[:] = [(one, at) for one, at in queue if one != ticket]

    def is_open(self, column: int) -> bool:
        return len(self.grid[column]) < self.rows

    def may_move(self, player: str) -> bool:
        return player != self.latest and self.queues[player] != []

    def wins(self, player: str) -> bool:
        def at(row: int, column: int) -> str | None:
            inside = 0 <= column < len(self.grid) and 0 <= row < len(self.grid[column])
            return self.grid[column][row] if inside else None

        return any(
            all(at(row + step * up, column + step * right) == player for step in range(4))
            for row in range(self.rows)
            for column in range(len(self.grid))
            for up, right in [(0, 1), (1, 0), (1, 1), (-1, 1)]
        )

    def shows(self, view: View) -> bool:
        """Return True if the view shows the same game as the model."""
        grid: list[list[str]] = [[] for _ in self.grid]
        for disc, column in enumerate(view.table.board.drops):
            grid[column].append(view.table.players[disc % 2])
        waiting = sorted((player, column) for player, queue in self.queues.items() for _, column in queue)
        shown = sorted((drop.player, drop.column) for drop in view.waiting)
        return (grid, waiting, self.over) == (self.grid, shown, view.table.is_over)


DROPS = st.tuples(st.sampled_from(["ann", "bob", "cat"]), st.integers(0, 4))


@given(st.lists(st.one_of(DROPS, st.integers(0, 60)), max_size=60))
def test_any_drops_and_withdrawals_lead_to_the_same_game_as_in_the_model(acts: list[tuple[str, int] | int]) -> None:
    rules, model = FourInARow(Table(Board(4, 5))), Model(4, 5)
    for number, act in enumerate(acts):
        if isinstance(act, int):
            rules.apply(Ticket(act), Withdraw())
            model.withdraw(act)
        else:
            rules.apply(Ticket(number), Drop(*act))
            model.drop(number, *act)
        assert model.shows(rules.look())
        rules = rules.restore(rules.state())
        (answer,) = rules.apply(Ticket(99), Look())
        assert answer == Answered(Ticket(99), rules.look())
