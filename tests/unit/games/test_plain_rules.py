"""Rules made of one value: `PlainRules`, tested with `tests.support.stairs` and with a countdown.

Partitions:
- a command: done, with a change and without; refused; waits; without a player; with a wrong field; of another game
- waiting commands: no command; one; several of one player; too many of one player; of several players
- the end of a wait: done after another player's command; done after a change by another waiting command, an older one
  or a newer one; refused; withdrawn
- the state: with and without waiting commands; invalid
- any commands in any order: the law of `Durable` about the revision, and a restored game continues like the original
"""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scramble.errors import InvalidCommand
from scramble.games.plain import Done, PlainRules, Wait
from scramble.games.plain.rules import MOST_MOVES_WAITING, TooManyMoves
from scramble.kernel.protocol import Answered, Command, Outcome, Refused, Ticket, Withdraw
from tests.support.revisions import applied
from tests.support.stairs import AtTheTop, Climbing, GaveUp, Look, Paused, Stairs, Stay, Step, Stepped


def play(rules: Climbing, *commands: Command[object]) -> list[list[Outcome]]:
    """Apply commands with the tickets 1, 2, ...; check the law of `Durable` at each; return their outcomes."""
    return [list(applied(rules, Ticket(number), command)) for number, command in enumerate(commands, start=1)]


def errors(outcomes: list[Outcome]) -> list[type[Exception]]:
    return [type(one.error) for one in outcomes if isinstance(one, Refused)]


def test_a_command_that_is_done_has_its_events_and_then_its_answer() -> None:
    rules = Climbing(Stairs())
    assert play(rules, Step("ann"), Step("bob")) == [
        [Stepped("ann"), Answered(Ticket(1), 1)],
        [Stepped("bob"), Answered(Ticket(2), 2)],
    ]
    assert (rules.now.steps, rules.version) == (("ann", "bob"), 2)


def test_a_command_that_changes_nothing_is_answered_and_is_no_change() -> None:
    rules = Climbing(Stairs())
    assert play(rules, Stay("ann")) == [[Answered(Ticket(1), None)]]
    assert rules.version == 0


def test_a_query_is_answered_with_the_public_state() -> None:
    rules = Climbing(Stairs())
    assert play(rules, Step("ann"), Look())[1] == [Answered(Ticket(2), Stairs(5, ("ann",)))]


def test_a_command_that_has_to_wait_is_done_after_the_change_that_lets_it_go_on() -> None:
    rules = Climbing(Stairs())
    assert play(rules, Step("ann"), Step("ann"), Step("bob"))[1:] == [
        [Paused("ann")],
        [Stepped("bob"), Answered(Ticket(3), 2), Stepped("ann"), Answered(Ticket(2), 3)],
    ]
    assert (rules.waiting, rules.version) == ((), 4)


def test_what_waits_goes_on_oldest_first_and_one_may_let_the_other_go_on() -> None:
    rules = Climbing(Stairs(top=9))
    outcomes = play(rules, Step("ann"), Step("ann"), Step("ann"), Step("bob"), Step("bob"), Step("ann"))
    assert rules.waiting == (Step("ann"),)
    assert rules.now.steps == ("ann", "bob", "ann", "bob", "ann")
    assert [one.ticket for each in outcomes for one in each if isinstance(one, Answered)] == [1, 4, 2, 5, 3]


class Say(Command[None], frozen=True):
    """Say a number. Wait for the next higher one."""

    player: str
    number: int


class Said(msgspec.Struct, frozen=True):
    """The last number that a player has said."""

    number: int


class Countdown(PlainRules[Said, Say]):
    """A game in which players count down."""

    kind = "countdown"
    moves = Say

    def play(self, command: Say) -> Done | Wait:
        if command.number != self.now.number - 1:
            return Wait(Paused(command.player))
        self.now = Said(command.number)
        return Done(None, Stepped(command.player))

    def look(self) -> Said:
        return self.now


def test_a_waiting_command_lets_an_older_one_go_on() -> None:
    rules = Countdown(Said(4))
    applied(rules, Ticket(1), Say("ann", 1))
    applied(rules, Ticket(2), Say("bob", 2))
    outcomes = applied(rules, Ticket(3), Say("cat", 3))
    assert [one.ticket for one in outcomes if isinstance(one, Answered)] == [3, 2, 1]
    assert (rules.now, rules.waiting) == (Said(1), ())


def test_a_command_is_refused_and_changes_nothing() -> None:
    rules = Climbing(Stairs(top=1, steps=("bob",)))
    assert errors(play(rules, Step("ann"))[0]) == [AtTheTop]
    assert rules.version == 0


def test_a_command_that_waits_is_refused_as_soon_as_it_is_no_longer_possible() -> None:
    rules = Climbing(Stairs(top=2))
    last = play(rules, Step("ann"), Step("ann"), Step("bob"))[2]
    assert last[:3] == [Stepped("bob"), Answered(Ticket(3), 2), GaveUp("ann")]
    assert (errors(last), rules.waiting) == ([AtTheTop], ())


def test_a_withdrawn_command_is_never_named_again() -> None:
    rules = Climbing(Stairs())
    play(rules, Step("ann"), Step("ann"))
    assert applied(rules, Ticket(2), Withdraw()) == (GaveUp("ann"),)
    assert applied(rules, Ticket(2), Withdraw()) == ()
    assert applied(rules, Ticket(3), Step("bob")) == [Stepped("bob"), Answered(Ticket(3), 2)]


def test_so_many_commands_of_one_player_wait_and_no_more() -> None:
    rules = Climbing(Stairs())
    outcomes = play(rules, *[Step("ann")] * (MOST_MOVES_WAITING + 2))
    assert errors(outcomes[-2]) == []
    assert errors(outcomes[-1]) == [TooManyMoves]
    assert len(rules.waiting) == MOST_MOVES_WAITING


class Foreign(Command[None], frozen=True):
    player: str


@pytest.mark.parametrize(
    "command",
    [
        Step(""),
        Step("ann lee"),
        Step("änn"),
        Step("\ud800"),
        Step(7),  # type: ignore[arg-type]
        Step("ann", "high"),  # type: ignore[arg-type]
        Step("ann", object()),  # type: ignore[arg-type]
        Step("ann", 2),
        Foreign("ann"),
    ],
    ids=lambda command: re.sub(r" at 0x[0-9a-f]+", "", str(command)),  # the same ID in all processes
)
def test_a_command_that_is_not_valid_is_refused_as_such(command: Command[object]) -> None:
    rules = Climbing(Stairs())
    assert errors(play(rules, command)[0]) == [InvalidCommand]


def test_the_state_has_what_waits_and_is_an_object_of_json() -> None:
    rules = Climbing(Stairs())
    play(rules, Step("ann"), Step("ann"))
    assert msgspec.json.decode(rules.state()) == {
        "version": 2,
        "now": {"top": 5, "steps": ["ann"]},
        "waiting": [[2, {"type": "Step", "player": "ann", "height": 1}]],
    }


@pytest.mark.parametrize("state", [b"", b"{}", b'{"version":1,"now":{"top":0,"steps":["ann"]}}'])
def test_a_state_that_is_not_valid_is_not_restored(state: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        Climbing(Stairs()).restore(state)


PLAYERS = st.sampled_from(["ann", "bob", "cat"])
COMMANDS: st.SearchStrategy[Command[object] | int] = st.one_of(
    PLAYERS.map(Step), PLAYERS.map(Stay), st.just(Look()), st.integers(0, 30)
)


@given(st.lists(COMMANDS, max_size=30))
def test_any_commands_keep_the_law_and_a_restored_game_goes_on_alike(commands: list[Command[object] | int]) -> None:
    rules = Climbing(Stairs(top=8))
    for number, command in enumerate(commands):
        ticket, said = (Ticket(command), Withdraw()) if isinstance(command, int) else (Ticket(number), command)
        twin = rules.restore(rules.state())
        outcomes = list(applied(rules, ticket, said))
        assert str(list(twin.apply(ticket, said))) == str(outcomes)
        assert twin.state() == rules.state()
        for waiting in rules.waiting:
            assert list(rules.restore(rules.state()).apply(Ticket(99), waiting)) == [Paused(waiting.player)]
