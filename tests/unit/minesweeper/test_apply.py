"""`Field.apply`: the commands from a running game to the rules, and their outcomes.

Testing strategy. Partitions, and the tests that cover them by name:

- each command's answer; each event, and no event without a change: test_look_..., test_dig_..., test_flag_...
- a dig's runs: one square, several rows, several runs in a row, counts that decreased, visible squares only; compact
  for any number of opened squares: test_runs_...
- players: none, one, several, leaving in any order, leaving twice, unknown; names valid, invalid, equal, missing;
  numbers are not reused; the places of players: test_players_...
- moves without a player, by a player, by a player who has left, by an unknown player: test_a_move_...
- snapshots: before and after all these: test_a_snapshot_...
- versions: one more for each command with an event: in all of these, and in the state machine
- Withdraw: before and after a request: test_a_withdrawal_...
- another game's command: test_a_strange_command_...
"""

from __future__ import annotations

import pytest

from scramble.errors import InvalidCommand
from scramble.kernel.protocol import Answered, Command, Event, Refused, Ticket, Withdraw
from scramble.minesweeper import BoardView, Field, Player, Snapshot, Welcome
from scramble.minesweeper.messages import (
    Connect,
    Connected,
    Deflag,
    Deflagged,
    Dig,
    Disconnect,
    Disconnected,
    Dug,
    Exploded,
    Flag,
    Flagged,
    Look,
    Move,
    MoveEvent,
    TakeSnapshot,
)

TICKET = Ticket(7)


def outcome(field: Field, command: Command[object]) -> tuple[list[Event], object]:
    """Apply a command that is answered; check that its answer comes last; return the events and the answer."""
    *events, answer = field.apply(TICKET, command)
    assert isinstance(answer, Answered)
    assert answer.ticket == TICKET
    public = [event for event in events if isinstance(event, Event)]
    assert public == events
    return public, answer.value


def refusal(field: Field, command: Command[object]) -> str:
    """Apply a command that is refused; check that it changes nothing; return the reason."""
    before = field.snapshot()
    (refused,) = field.apply(TICKET, command)
    assert isinstance(refused, Refused)
    assert isinstance(refused.error, InvalidCommand)
    assert refused.ticket == TICKET
    assert field.snapshot() == before
    return str(refused.error)


def runs(field: Field, command: Command[object]) -> tuple[tuple[int, int, str], ...]:
    """Apply a move with an effect; return the runs of its event."""
    (event,) = outcome(field, command)[0]
    assert isinstance(event, MoveEvent)
    return event.runs


# --- moves ---


def test_look_is_answered_with_the_board_and_publishes_no_event() -> None:
    assert outcome(Field(2, 1), Look()) == ([], BoardView(0, "- -\n"))


def test_dig_publishes_the_opened_squares() -> None:
    events, view = outcome(Field(3, 1, [(0, 0)]), Dig(2, 0))
    assert events == [Dug(2, 0, None, ((1, 0, "1 "),))]
    assert view == BoardView(1, "- 1  \n")


def test_dig_of_a_bomb_publishes_an_explosion() -> None:
    events, view = outcome(Field(2, 1, [(0, 0), (1, 0)]), Dig(1, 0))
    assert events == [Exploded(1, 0, None, ((1, 0, "1"),))]
    assert view == BoardView(1, "- 1\n", boom=True)


def test_flag_and_deflag_publish_their_square() -> None:
    field = Field(2, 1, [(0, 0)])
    assert outcome(field, Flag(0, 0)) == ([Flagged(0, 0, None, ((0, 0, "F"),))], BoardView(1, "F -\n"))
    assert outcome(field, Deflag(0, 0)) == ([Deflagged(0, 0, None, ((0, 0, "-"),))], BoardView(2, "- -\n"))


@pytest.mark.parametrize("command", [Dig(0, 0), Flag(0, 0), Flag(1, 0), Dig(9, 9), Deflag(2, 0), Deflag(1, 0)])
def test_a_move_without_effect_publishes_no_event(command: Command[BoardView]) -> None:
    field = Field(3, 1, [(2, 0)])
    field.flag(0, 0)
    field.dig(1, 0)
    assert outcome(field, command) == ([], BoardView(2, "F 1 -\n"))


def test_runs_are_the_changed_squares_of_each_row_in_reading_order() -> None:
    field = Field(6, 3, [(5, 0)])
    field.flag(2, 1)
    assert runs(field, Dig(0, 2)) == ((0, 0, "    1"), (0, 1, "  "), (3, 1, " 11"), (0, 2, "      "))


def test_runs_have_the_decreased_counts_of_visible_squares_only() -> None:
    field = Field(4, 2, [(1, 0), (3, 0)])
    field.dig(2, 1)
    field.dig(0, 0)
    field.flag(2, 0)
    assert field.look().text == "1 - F -\n- - 2 -\n"
    assert runs(field, Dig(1, 0)) == ((0, 0, "  "), (0, 1, "  1"))


def test_runs_are_no_more_than_one_a_row_however_much_opens() -> None:
    assert runs(Field(1000, 1000), Dig(3, 4)) == tuple((0, y, " " * 1000) for y in range(1000))
    assert runs(Field(1, 1000), Dig(0, 4)) == tuple((0, y, " ") for y in range(1000))
    field = Field(3, 1000, [(0, 0), (2, 1)])
    assert runs(field, Dig(0, 999)) == ((0, 1, "12"), (0, 2, " 11"), *((0, y, "   ") for y in range(3, 1000)))


# --- players ---


def test_players_are_welcomed_with_the_size_and_the_number_of_players_themselves_included() -> None:
    field = Field(8, 5)
    assert outcome(field, Connect("alice")) == ([Connected(Player(1, "alice"))], Welcome(1, 8, 5, 1))
    assert outcome(field, Connect("bob")) == ([Connected(Player(2, "bob"))], Welcome(2, 8, 5, 2))
    assert field.version == 2


def test_players_without_a_name_get_one_by_their_number() -> None:
    field = Field(1, 1)
    outcome(field, Connect("alice"))
    assert outcome(field, Connect())[0] == [Connected(Player(2, "telnet 2"))]


def test_players_may_have_the_same_name() -> None:
    field = Field(1, 1)
    outcome(field, Connect("alice"))
    outcome(field, Connect("alice"))
    assert field.players == (Player(1, "alice"), Player(2, "alice"))


@pytest.mark.parametrize("name", ["", "two words", "telnet 1", "é", "a\n", "<b>", "٣"])
def test_players_with_an_impossible_name_are_refused(name: str) -> None:
    assert "name" in refusal(Field(1, 1), Connect(name))


def test_players_who_leave_are_no_longer_counted_and_their_numbers_are_not_reused() -> None:
    field = Field(8, 5)
    for name in ("alice", "bob", "carol"):
        outcome(field, Connect(name))
    assert outcome(field, Disconnect(3)) == ([Disconnected(3)], None)
    assert outcome(field, Disconnect(1)) == ([Disconnected(1)], None)
    assert outcome(field, Connect("dave"))[1] == Welcome(4, 8, 5, 2)
    assert field.players == (Player(2, "bob"), Player(4, "dave"))


@pytest.mark.parametrize("number", [1, 2, 0, -1, 10**30])
def test_players_who_are_not_connected_may_leave_without_effect(number: int) -> None:
    field = Field(1, 1)
    outcome(field, Connect("alice"))
    outcome(field, Disconnect(1))
    assert outcome(field, Disconnect(number)) == ([], None)
    assert field.version == 2


def test_players_have_the_place_of_their_last_effective_move() -> None:
    field = Field(4, 1, [(1, 0)])
    outcome(field, Connect("alice"))
    outcome(field, Connect("bob"))
    assert outcome(field, Flag(1, 0, player=1))[0] == [Flagged(1, 0, 1, ((1, 0, "F"),))]
    assert outcome(field, Dig(3, 0, player=2))[0] == [Dug(3, 0, 2, ((2, 0, "1 "),))]
    outcome(field, Deflag(1, 0, player=1))
    assert outcome(field, Dig(1, 0, player=1))[0] == [Exploded(1, 0, 1, ((0, 0, "   "),))]
    outcome(field, Dig(0, 0, player=2))  # already dug: no effect
    assert field.players == (Player(1, "alice", (1, 0)), Player(2, "bob", (3, 0)))


def test_players_who_dig_a_bomb_are_still_connected() -> None:
    field = Field(1, 1, [(0, 0)])
    outcome(field, Connect("alice"))
    outcome(field, Dig(0, 0, player=1))
    assert field.players == (Player(1, "alice", (0, 0)),)


@pytest.mark.parametrize("player", [1, 3, 0, -1])
@pytest.mark.parametrize("move", [Dig, Flag, Deflag])
def test_a_move_by_a_player_who_is_not_connected_is_refused(move: type[Dig | Flag | Deflag], player: int) -> None:
    field = Field(2, 1, [(0, 0)])
    outcome(field, Connect("alice"))
    outcome(field, Connect("bob"))
    outcome(field, Disconnect(1))
    assert refusal(field, move(0, 0, player)) == f"no player {player} is connected"


# --- the rest ---


def test_a_snapshot_shows_squares_and_players_and_publishes_no_event() -> None:
    field = Field(3, 2, [(0, 0)])
    assert outcome(field, TakeSnapshot()) == ([], Snapshot(0, 3, 2, ("---", "---"), ()))
    outcome(field, Connect("alice"))
    outcome(field, Flag(0, 0, player=1))
    outcome(field, Dig(2, 1, player=1))
    expected = Snapshot(3, 3, 2, ("F1 ", "-1 "), (Player(1, "alice", (2, 1)),))
    assert outcome(field, TakeSnapshot()) == ([], expected)


def test_a_copy_has_the_players_and_their_changes_are_its_own() -> None:
    field = Field(1, 1)
    outcome(field, Connect("alice"))
    twin = field.copy()
    outcome(twin, Disconnect(1))
    outcome(field, Dig(0, 0, player=1))
    assert (twin.players, field.players) == ((), (Player(1, "alice", (0, 0)),))
    assert outcome(twin, Connect("bob"))[1] == Welcome(2, 1, 1, 1)


def test_a_withdrawal_changes_nothing_because_nothing_waits() -> None:
    field = Field(1, 1)
    outcome(field, Dig(0, 0))
    before = field.snapshot()
    assert list(field.apply(TICKET, Withdraw())) == []
    assert field.snapshot() == before


@pytest.mark.parametrize("command", [Command[object](), Move(0, 0)])
def test_a_strange_command_is_a_bug_and_not_an_answer(command: Command[object]) -> None:
    with pytest.raises(TypeError):
        Field(1, 1).apply(TICKET, command)
