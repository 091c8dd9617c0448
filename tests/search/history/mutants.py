"""Memory Scramble with a bug, to test that the judge finds the bug.

`python -m tests.search.history.mutants NAME memory ...` serves the mutant NAME.

Each mutant is a plausible mistake in the rules, the kernel, the journal or a front end. It replaces one or two
functions of the shipped code before the command line of scramble runs.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence

from scramble.cli.main import main
from scramble.kernel.actor import Actor
from scramble.kernel.outbox import Outbox
from scramble.kernel.protocol import Answered, Command, Outcome, Refused, Ticket, Withdraw
from scramble.kernel.reply import Given, Reply
from scramble.memory import board as rules
from scramble.memory.board import Board
from scramble.memory.messages import (
    AlreadyWaiting,
    Flip,
    FlipFailed,
    Flipped,
    Look,
    TurnedDown,
    View,
    Waiting,
)
from scramble.memory.plays import FirstCard, Leftover, Pair, Play
from scramble.memory.table import Space
from scramble.memory.waiting import Waiter, WaitingRoom
from tests.search.history import mine_mutants
from tests.search.history.lossy_mutants import forgive
from tests.search.history.mutation import HARMLESS, LOSSY, MINED, MUTANTS, mutant, put

__all__ = ["LOSSY", "MINED", "MUTANTS", "mine_mutants"]

Apply = Callable[[Board, Ticket, Command[object]], list[Outcome]]


def wrap(wrapper: Callable[[Apply, Board, Ticket, Command[object]], Sequence[Outcome]]) -> None:
    """Call `wrapper(apply, board, ticket, command)` for each command. `apply` is the shipped function."""
    shipped = Board.apply

    def apply(self: Board, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        return wrapper(shipped, self, ticket, command)

    put(Board, "apply", apply)


# --- the rules ----------------------------------------------------------------------------------------


@mutant
def last_come_first_served() -> None:
    """The last player in the queue gets the card first."""

    def next(self: WaitingRoom, space: Space) -> Waiter | None:
        queue = self._queues.get(space)
        return None if queue is None else self.leave(list(queue)[-1])

    put(WaitingRoom, "next", next)


@mutant
def departed_player_wins() -> None:
    """Ignore withdrawals: departed players stay in the queue and get the card."""
    departed: set[Ticket] = set()

    def apply(shipped: Apply, board: Board, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        if isinstance(command, Withdraw):
            departed.add(ticket)
            return []
        outcomes = shipped(board, ticket, command)
        return [o for o in outcomes if not (isinstance(o, Answered | Refused) and o.ticket in departed)]

    wrap(apply)


@mutant
def finishes_after_waiting() -> None:
    """Finish the previous play when the card is granted, not before the wait."""
    held: dict[str, Play | None] = {}
    finish, take = Board._finish, Board._take_first

    def flip_first(self: Board, step: rules._Step, ticket: Ticket, player: str, space: Space) -> None:
        if space.card is not None and space.controller not in (None, player):
            self._waiting.enter(Waiter(ticket, player, space))
            step.events.append(Waiting(space.row, space.column, player))
        else:
            finish(self, step, player, held.pop(player, None))
            shipped_flip_first(self, step, ticket, player, space)

    def take_first(self: Board, step: rules._Step, ticket: Ticket, player: str, space: Space, rule: str) -> None:
        finish(self, step, player, held.pop(player, None))
        take(self, step, ticket, player, space, rule)

    shipped_flip_first = Board._flip_first
    put(Board, "_finish", lambda self, step, player, play: held.update({player: play or held.get(player)}))
    put(Board, "_flip_first", flip_first)
    put(Board, "_take_first", take_first)


@mutant
def turns_down_controlled_cards() -> None:
    """3-B turns down a card that another player took in the meantime."""
    finish = Board._finish

    def careless(self: Board, step: rules._Step, player: str, play: Play | None) -> None:
        if not isinstance(play, Leftover):
            finish(self, step, player, play)
            return
        for space in play.spaces:
            if space.card is not None and space.up:
                step.events.append(self._table.turn_down(space))

    put(Board, "_finish", careless)


@mutant
def waits_for_second_card() -> None:
    """Treat 2-B like 1-D: a player waits for a second card that another player controls."""
    flip_second = Board._flip_second

    def patient(self: Board, step: rules._Step, ticket: Ticket, player: str, first: Space, second: Space) -> None:
        if second.card is not None and second.controller not in (None, player):
            self._plays[player] = FirstCard(first)
            self._waiting.enter(Waiter(ticket, player, second))
            step.events.append(Waiting(second.row, second.column, player))
        else:
            flip_second(self, step, ticket, player, first, second)

    put(Board, "_flip_second", patient)


@mutant
def matches_by_position() -> None:
    """Two cards in one column also match."""
    flip_second = Board._flip_second

    def lenient(self: Board, step: rules._Step, ticket: Ticket, player: str, first: Space, second: Space) -> None:
        if second.controller is None and second.card is not None and first.column == second.column:
            if not second.up:
                step.events.append(self._table.turn_up(second))
            step.events.append(self._table.take(second, player))
            self._plays[player] = Pair(first, second)
            step.flips.append((ticket, player, "2-D", None))
        else:
            flip_second(self, step, ticket, player, first, second)

    put(Board, "_flip_second", lenient)


@mutant
def forgets_who_waits_for_removed_card() -> None:
    """Remove the players who wait for a removed card from the queue, but do not answer them."""
    dismiss = WaitingRoom.dismiss
    put(WaitingRoom, "dismiss", lambda self, space: dismiss(self, space)[:0])


@mutant
def failed_first_card_keeps_play() -> None:
    """A first flip that fails by 1-A does not finish the previous play."""
    flip = Board._flip

    def careful(self: Board, step: rules._Step, ticket: Ticket, player: str, space: Space) -> None:
        if space.card is None and isinstance(self._plays.get(player), Leftover) and player not in self._waiting:
            step.flips.append((ticket, player, "1-A", rules._EMPTY))
        else:
            flip(self, step, ticket, player, space)

    put(Board, "_flip", careful)


@mutant
def refusal_ends_turn() -> None:
    """Refuse a flip of a waiting player, and move the player to the end of the queue."""
    shipped_flip = Board._flip

    def strict(self: Board, step: rules._Step, ticket: Ticket, player: str, space: Space) -> None:
        waiter = next((waiter for waiter in self._waiting if waiter.player == player), None)
        shipped_flip(self, step, ticket, player, space)
        if waiter is not None:
            self._waiting.leave(waiter.ticket)
            self._waiting.enter(waiter)

    put(Board, "_flip", strict)


@mutant
def turning_down_is_no_change() -> None:
    """A step that only turns cards down does not raise the version, and it answers no watch."""
    rules.CHANGES = rules.CHANGES - {TurnedDown}  # type: ignore[misc]


@mutant
def watch_hears_of_the_change_before() -> None:
    """Answer a watch with the board as it was before the awaited change."""

    def apply(shipped: Apply, board: Board, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        before = {watcher: board._view(player) for watcher, player in board._watchers.items()}
        outcomes = shipped(board, ticket, command)
        return [
            Answered(o.ticket, before[o.ticket]) if isinstance(o, Answered) and o.ticket in before else o
            for o in outcomes
        ]

    wrap(apply)


@mutant
def flip_shows_the_board_before() -> None:
    """Sometimes answer a flip with the board as it was before the flip."""

    def apply(shipped: Apply, board: Board, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        if not isinstance(command, Flip) or ticket % 8:
            return shipped(board, ticket, command)
        before = board._view(command.player)
        return [
            Answered(ticket, Flipped(before.version, before.text, o.value.rule))
            if isinstance(o, Answered) and o.ticket == ticket and isinstance(o.value, Flipped)
            else o
            for o in shipped(board, ticket, command)
        ]

    wrap(apply)


@mutant
def look_is_kept_for_some_changes() -> None:
    """Answer a player's look with the board of the player's earlier look, for up to three changes."""
    kept: dict[str, View] = {}

    def apply(shipped: Apply, board: Board, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        outcomes = shipped(board, ticket, command)
        for outcome_ in outcomes:
            if isinstance(command, Look) and isinstance(outcome_, Answered) and isinstance(outcome_.value, View):
                view = kept.get(command.player)
                if view is None or view.version < board.version - 3:
                    view = kept[command.player] = outcome_.value
                return [Answered(ticket, view)]
        return outcomes

    wrap(apply)


@mutant
def grants_without_a_refusal() -> None:
    """Execute a second flip of a waiting player instead of refusing it. The older flip is refused."""
    flip = Board._flip

    def generous(self: Board, step: rules._Step, ticket: Ticket, player: str, space: Space) -> None:
        waiter = next((waiter for waiter in self._waiting if waiter.player == player), None)
        if waiter is not None:
            self._waiting.leave(waiter.ticket)
            step.refusals.append((waiter.ticket, AlreadyWaiting("you are still waiting for a card")))
        flip(self, step, ticket, player, space)

    put(Board, "_flip", generous)


# --- the kernel ---------------------------------------------------------------------------------------


@mutant
def answers_get_swapped() -> None:
    """Swap two answers of the same kind in one batch between their callers."""
    send, release = Outbox._send, Outbox.release
    held: dict[Outbox, tuple[Reply[object], Given]] = {}

    def careless(self: Outbox, reply: Reply[object], answer: Given) -> None:
        if not (isinstance(reply.command, Flip) and isinstance(answer.item, Answered)):
            send(self, reply, answer)
        elif self not in held:
            held[self] = reply, answer
        else:
            first, its = held.pop(self)
            send(self, first, answer)
            send(self, reply, its)

    def release_held(self: Outbox) -> None:
        if self in held:
            send(self, *held.pop(self))
        release(self)

    put(Outbox, "_send", careless)
    put(Outbox, "release", release_held)


@mutant
def withdrawals_wait_their_turn() -> None:
    """Handle a withdrawal late. By then the departed player may have got the card."""
    apply_urgent = Actor._apply_urgent
    times = itertools.count(1)

    def late(self: Actor) -> None:
        if next(times) % 8 == 0:
            apply_urgent(self)

    put(Actor, "_apply_urgent", late)
    forgive()


@mutant
def everything_happens_twice() -> None:
    """Sometimes apply a flip a second time, as if the client had sent it twice."""

    def apply(shipped: Apply, board: Board, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        outcomes = shipped(board, ticket, command)
        if isinstance(command, Flip) and ticket % 16 == 0:
            spare = Ticket(-1 - ticket)
            again = shipped(board, spare, command)
            shipped(board, spare, Withdraw())
            outcomes = [*outcomes, *(o for o in again if not (isinstance(o, Answered | Refused) and o.ticket == spare))]
            outcomes.sort(key=lambda o: isinstance(o, Answered | Refused))
        return outcomes

    wrap(apply)


@mutant
def failure_is_told_as_success() -> None:
    """Answer a second flip that fails by 2-B as a flip without a match."""

    def apply(shipped: Apply, board: Board, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
        return [
            Answered(o.ticket, Flipped(o.error.view.version, o.error.view.text, "2-E"))
            if isinstance(o, Refused) and isinstance(o.error, FlipFailed) and o.error.rule == "2-B"
            else o
            for o in shipped(board, ticket, command)
        ]

    wrap(apply)


if __name__ == "__main__":
    (MUTANTS | LOSSY | MINED | HARMLESS)[sys.argv[1]]()
    main(sys.argv[2:])
