"""Bugs to be planted, each of which the simulator must find: what it is worth shows in what it catches.

    with PLANTS["replies-before-the-commit"].planted():
        ...

    first_seed_that_finds("replies-before-the-commit")

Each takes the place of a function or method of the shipped code, in which somebody has made a mistake that is easily
made. Tests of the single parts would find most of them, too; here none of them is looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final, NamedTuple
from unittest.mock import patch

import msgspec
import trio
from hypercorn.typing import ASGIFramework, ASGIReceiveCallable, ASGIReceiveEvent, ASGISendCallable, Scope

from scramble import journal, store
from scramble.actor import Actor
from scramble.core import Command, Log, Query, Ticket, Withdraw
from scramble.crossword import OpenLobby
from scramble.disk import Connection
from scramble.errors import JournalFailed
from scramble.front import server
from scramble.front.connection import Ending
from scramble.front.crossword_dialogue import Dialogue, Send
from scramble.front.tcp import Connection as TextConnection
from scramble.memory import Board
from scramble.memory.table import Space
from scramble.memory.waiting import Waiter, WaitingRoom
from scramble.minesweeper import Field, Game
from scramble.store import Row
from tests.vopr.options import GameName
from tests.vopr.simulator import run_seed
from tests.vopr.world import Failure


class Plant(NamedTuple):
    """A bug: what it is, how it is planted, the game in which to look for it, and seeds that suffice to find it."""

    what: str
    planted: Callable[[], AbstractContextManager[object]]
    game: GameName | None
    seeds: int


# --- the kernel ---------------------------------------------------------------------------------------


def _replies_before_the_commit() -> AbstractContextManager[object]:
    commit = Actor._commit

    async def early(self: Actor, log: Log) -> None:
        self._release()
        await commit(self, log)

    return patch.object(Actor, "_commit", early)


def _looks_before_the_commit() -> AbstractContextManager[object]:
    carry_out = Actor._carry_out

    def early(self: Actor, ticket: Ticket, command: Command[object]) -> None:
        before = len(self._due)
        carry_out(self, ticket, command)
        if isinstance(command, Query):  # "it has changed nothing, so it need not wait"
            waiting, self._due[:] = self._due[:before], self._due[before:]
            self._release()
            self._due[:] = waiting

    return patch.object(Actor, "_carry_out", early)


def _replies_lost_with_a_caller() -> AbstractContextManager[object]:
    release = Actor._release

    def forgetful(self: Actor) -> None:
        replies = [item[0] for item in self._due if isinstance(item, tuple)]
        if any(reply.state.name == "ABANDONED" for reply in replies):
            self._due.clear()
        release(self)

    return patch.object(Actor, "_release", forgetful)


def _withdrawals_after_the_queue() -> AbstractContextManager[object]:
    hear, take = Actor._hear_farewells, Actor._take

    def late(self: Actor, reply: object) -> None:
        take(self, reply)  # type: ignore[arg-type]
        hear(self)

    @contextmanager
    def both() -> Iterator[None]:
        with patch.object(Actor, "_hear_farewells", lambda self: None), patch.object(Actor, "_take", late):
            yield

    return both()


# --- the journal --------------------------------------------------------------------------------------


def _no_sync() -> AbstractContextManager[object]:
    begin = store.begin

    def careless(connection: Connection, *rest: object) -> tuple[int, int]:
        game = begin(connection, *rest)  # type: ignore[arg-type]
        connection.execute("PRAGMA synchronous = OFF")
        return game

    return patch.object(store, "begin", careless)


def _withdrawals_not_written() -> AbstractContextManager[object]:
    add = journal._WriteAhead.add

    def forgetful(self: journal._WriteAhead, ticket: Ticket, prepared: bytes) -> None:
        if prepared != msgspec.json.encode(Withdraw()):
            add(self, ticket, prepared)

    return patch.object(journal._WriteAhead, "add", forgetful)


def _failed_commits_ignored() -> AbstractContextManager[object]:
    write = journal._WriteAhead.write

    def careless(self: journal._WriteAhead) -> None:
        try:
            write(self)
        except JournalFailed:
            self._rows.clear()

    return patch.object(journal._WriteAhead, "write", careless)


def _failed_commits_repeated() -> AbstractContextManager[object]:
    write = journal._WriteAhead.write

    def stubborn(self: journal._WriteAhead) -> None:
        rows = list(self._rows)
        try:
            write(self)
        except JournalFailed:
            for _, _, ticket, _, command, _ in rows:
                self.add(ticket, command.encode())
            write(self)

    return patch.object(journal._WriteAhead, "write", stubborn)


def _two_transactions() -> AbstractContextManager[object]:
    append = store.append

    def split(connection: Connection, rows: list[Row], digests: list[tuple[int, int, str]]) -> None:
        append(connection, rows[1:], digests)  # "the first one is in the way of the index"
        append(connection, rows[:1], ())

    return patch.object(store, "append", split)


def _tickets_again() -> AbstractContextManager[object]:
    make = journal._WriteAhead.__init__

    def forgetful(self: journal._WriteAhead, *args: object) -> None:
        make(self, *args)  # type: ignore[arg-type]
        object.__setattr__(self, "first_ticket", Ticket(0))

    return patch.object(journal._WriteAhead, "__init__", forgetful)


def _checksums_not_compared() -> AbstractContextManager[object]:
    return patch.object(store, "checksum", lambda *_: 0)


def _times_go_back() -> AbstractContextManager[object]:
    make = journal._WriteAhead.__init__

    def forgetful(self: journal._WriteAhead, *args: object) -> None:
        make(self, *args)  # type: ignore[arg-type]
        self._time = 0.0  # "the clock will be right"

    return patch.object(journal._WriteAhead, "__init__", forgetful)


# --- recovery -----------------------------------------------------------------------------------------


def _parked_requests_kept() -> AbstractContextManager[object]:
    apply = journal._State.apply

    def generous(self: journal._State[Board], ticket: Ticket, command: Command[object]) -> None:
        apply(self, ticket, command)
        self.parked.clear()

    return patch.object(journal._State, "apply", generous)


def _last_command_dropped() -> AbstractContextManager[object]:
    replay = journal._replay

    def short(found: store.Recording, *rest: object) -> object:
        whole = msgspec.structs.replace(found, records=found.records[:-1])  # "it may not be complete"
        return replay(whole, *rest)  # type: ignore[arg-type]

    return patch.object(journal, "_replay", short)


def _players_left_behind() -> AbstractContextManager[object]:
    return patch.object(Field, "players", property(lambda self: ()))


def _grace_forgotten() -> AbstractContextManager[object]:
    return patch.object(OpenLobby, "_take_over", lambda self, present, missing: None)


# --- the rules ----------------------------------------------------------------------------------------


def _last_come_first_served() -> AbstractContextManager[object]:
    def unfair(self: WaitingRoom, space: Space) -> Waiter | None:
        queue = self._queues.get(space)
        return None if queue is None else self.leave(next(reversed(queue)))

    return patch.object(WaitingRoom, "next", unfair)


# --- the front ends -----------------------------------------------------------------------------------


def _departures_unnoticed() -> AbstractContextManager[object]:
    finish = server.finish_answers

    def deaf(app: ASGIFramework) -> ASGIFramework:
        async def wrapped(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
            async def never_gone() -> ASGIReceiveEvent:
                message = await receive()
                if message["type"] == "http.disconnect":
                    await trio.sleep_forever()
                return message

            await app(scope, never_gone, send)

        return finish(wrapped)

    return patch("tests.vopr.memory.finish_answers", deaf)


def _last_words_lost() -> AbstractContextManager[object]:
    room = TextConnection._room

    async def hasty(self: TextConnection, most: int = 1 << 20) -> None:
        if most:
            await room(self, most)

    return patch.object(TextConnection, "_room", hasty)


def _departed_players_counted() -> AbstractContextManager[object]:
    disconnect = Game.disconnect

    def sometimes(self: Game, player: int) -> None:
        if player % 8:
            disconnect(self, player)

    return patch.object(Game, "disconnect", sometimes)


def _answers_first() -> AbstractContextManager[object]:
    async def eager(self: Dialogue, send: Send) -> Ending:
        while True:
            if self._answer is not None:  # "what a player has asked for comes first"
                await send(self._answer)
                self._answer = None
                self._sent.unpark_all()
            elif self._change is not None:
                change, self._change = self._change, None
                await send(change)
            elif self._ending is not None:
                return self._ending
            else:
                await self._due.park()

    return patch.object(Dialogue, "_send_all", eager)


PLANTS: Final[dict[str, Plant]] = {
    "replies-before-the-commit": Plant(
        "callers are answered before what they did is written down", _replies_before_the_commit, None, 200
    ),
    "looks-before-the-commit": Plant(
        "a look is answered at once, with what is not written down yet", _looks_before_the_commit, "memory", 200
    ),
    "replies-lost-with-a-caller": Plant(
        "if a caller is cancelled during a commit, all replies of the batch are lost",
        _replies_lost_with_a_caller,
        "memory",
        200,
    ),
    "withdrawals-after-the-queue": Plant(
        "a departed caller's withdrawal comes after the next command in the queue",
        _withdrawals_after_the_queue,
        None,
        200,
    ),
    "no-sync": Plant("a commit does not wait for the disk", _no_sync, None, 200),
    "withdrawals-not-written": Plant("withdrawals are not journalled", _withdrawals_not_written, "memory", 200),
    "failed-commits-ignored": Plant("a commit that fails is taken for done", _failed_commits_ignored, None, 200),
    "failed-commits-repeated": Plant(
        "a commit that fails is made again, as new commands", _failed_commits_repeated, None, 200
    ),
    "two-transactions": Plant("a batch is written in two transactions", _two_transactions, None, 200),
    "tickets-again": Plant("tickets begin at 0 again after a restart", _tickets_again, None, 200),
    "times-go-back": Plant("the time of a command may be before that of the last", _times_go_back, None, 200),
    "checksums-not-compared": Plant("the file's checksums are not compared", _checksums_not_compared, None, 200),
    "parked-requests-kept": Plant(
        "the parked requests of a dead process are not withdrawn", _parked_requests_kept, "memory", 200
    ),
    "last-command-dropped": Plant("recovery leaves out the last command", _last_command_dropped, None, 200),
    "players-left-behind": Plant("players of a dead process still count", _players_left_behind, "minesweeper", 200),
    "grace-forgotten": Plant("sessions of a dead process never end", _grace_forgotten, "crossword", 200),
    "last-come-first-served": Plant("whoever has waited least gets the card", _last_come_first_served, "memory", 200),
    "departures-unnoticed": Plant(
        "a client that goes away while its flip waits is not noticed", _departures_unnoticed, "memory", 200
    ),
    "last-words-lost": Plant(
        "a connection that ends drops what was still to be sent", _last_words_lost, "minesweeper", 200
    ),
    "departed-players-counted": Plant(
        "every eighth player who leaves is still counted", _departed_players_counted, "minesweeper", 200
    ),
    "answers-first": Plant("an answer is sent before a change that came earlier", _answers_first, "crossword", 200),
}


def first_seed_that_finds(name: str) -> int | None:
    """Live through seeds with that bug planted, until one fails; None if none of those that must suffice does."""
    plant = PLANTS[name]
    with plant.planted():
        for seed in range(plant.seeds):
            try:
                run_seed(seed, plant.game)
            except Failure:
                return seed
    return None
