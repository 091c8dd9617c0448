"""Planted bugs. The simulator must find each of them, as proof that it works.

    with PLANTS["replies-before-the-commit"].planted():
        ...

    first_seed_that_finds("replies-before-the-commit")

Each bug replaces a function or method of the shipped code with a version that has a plausible mistake. Unit tests would
find most of the bugs, too. The simulator does not look for any particular bug.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import chain
from typing import Final, NamedTuple
from unittest.mock import patch

import msgspec
import trio
from hypercorn.typing import ASGIReceiveCallable, ASGIReceiveEvent, ASGISendCallable, Scope

from scramble.crossword import game as crossword_game
from scramble.errors import JournalFailed
from scramble.front.crossword.dialogue import Dialogue, Send
from scramble.journal import Record, recorder, recovery, sqlite
from scramble.journal.commandlog import JournalLog
from scramble.journal.disk import SqlConnection
from scramble.journal.sqlite import CommandRow
from scramble.kernel.actor import Actor
from scramble.kernel.protocol import Command, CommandLog, Outcome, Query, Ticket, Withdraw
from scramble.memory import Board
from scramble.memory.table import Space
from scramble.memory.waiting import Waiter, WaitingRoom
from scramble.minesweeper import Field, Game
from scramble.server.asgi import Router
from scramble.server.http.closing import CloseReason
from scramble.server.telnet.connection import LineConnection
from tests.search.vopr.options import GameName
from tests.search.vopr.simulator import SHORT, run_seed
from tests.search.vopr.world import Failure


class Plant(NamedTuple):
    """A bug: its description, its code, its game, and seeds that find it.

    A change of the shipped code or of the simulator may change these seeds. Another seed then finds the bug, but later.
    """

    what: str
    planted: Callable[[], AbstractContextManager[object]]
    game: GameName | None
    found_by: tuple[int, ...]


# --- the kernel ---------------------------------------------------------------------------------------


def _replies_before_the_commit() -> AbstractContextManager[object]:
    commit = Actor._commit

    async def early(self: Actor, log: CommandLog) -> None:
        self._release()
        await commit(self, log)

    return patch.object(Actor, "_commit", early)


def _looks_before_the_commit() -> AbstractContextManager[object]:
    carry_out = Actor._carry_out

    def early(self: Actor, ticket: Ticket, command: Command[object], began: float) -> None:
        effects = self._outbox.effects
        before = len(effects)
        carry_out(self, ticket, command, began)
        if isinstance(command, Query):  # "a query changes nothing, so its answer need not wait"
            waiting, effects[:] = effects[:before], effects[before:]
            self._release()
            effects[:] = waiting

    return patch.object(Actor, "_carry_out", early)


def _replies_lost_with_a_caller() -> AbstractContextManager[object]:
    release = Actor._release

    def forgetful(self: Actor) -> None:
        replies = [item[0] for item in self._outbox.effects if isinstance(item, tuple)]
        if any(reply.state.name == "ABANDONED" for reply in replies):
            self._outbox.effects.clear()
        release(self)

    return patch.object(Actor, "_release", forgetful)


def _withdrawals_after_the_queue() -> AbstractContextManager[object]:
    apply_urgent, take = Actor._apply_urgent, Actor._take

    def late(self: Actor, reply: object) -> None:
        take(self, reply)  # type: ignore[arg-type]
        apply_urgent(self)

    @contextmanager
    def both() -> Iterator[None]:
        with patch.object(Actor, "_apply_urgent", lambda self: None), patch.object(Actor, "_take", late):
            yield

    return both()


# --- the journal --------------------------------------------------------------------------------------


def _no_sync() -> AbstractContextManager[object]:
    begin = sqlite.begin

    def careless(connection: SqlConnection, *rest: object) -> tuple[int, int]:
        game = begin(connection, *rest)  # type: ignore[arg-type]
        connection.execute("PRAGMA synchronous = OFF")
        return game

    return patch.object(sqlite, "begin", careless)


def _withdrawals_not_written() -> AbstractContextManager[object]:
    add = JournalLog.add

    def forgetful(self: JournalLog, ticket: Ticket, prepared: bytes, outcomes: Sequence[Outcome]) -> None:
        if prepared != msgspec.json.encode(Withdraw()):
            add(self, ticket, prepared, outcomes)

    return patch.object(JournalLog, "add", forgetful)


def _failed_commits_ignored() -> AbstractContextManager[object]:
    write = JournalLog.write

    def careless(self: JournalLog) -> None:
        try:
            write(self)
        except JournalFailed:
            self._records.clear()

    return patch.object(JournalLog, "write", careless)


def _failed_commits_repeated() -> AbstractContextManager[object]:
    write = JournalLog.write

    def stubborn(self: JournalLog) -> None:
        records = list(self._records)
        try:
            write(self)
        except JournalFailed:
            for record in records:
                self.add(record.ticket, record.command, ())
            write(self)

    return patch.object(JournalLog, "write", stubborn)


def _two_transactions() -> AbstractContextManager[object]:
    append = sqlite.append

    def split(connection: SqlConnection, rows: list[CommandRow], *rest: object) -> None:
        append(connection, rows[1:], *rest)  # type: ignore[arg-type]  # "the first row gets its own transaction"
        append(connection, rows[:1], ())

    return patch.object(sqlite, "append", split)


def _tickets_again() -> AbstractContextManager[object]:
    make = JournalLog.__init__

    def forgetful(self: JournalLog, *args: object) -> None:
        make(self, *args)  # type: ignore[arg-type]
        object.__setattr__(self, "first_ticket", Ticket(0))

    return patch.object(JournalLog, "__init__", forgetful)


def _checksums_not_compared() -> AbstractContextManager[object]:
    return patch.object(recorder, "checksum", lambda *_: 0)


def _times_go_back() -> AbstractContextManager[object]:
    make = JournalLog.__init__

    def forgetful(self: JournalLog, *args: object) -> None:
        make(self, *args)  # type: ignore[arg-type]
        self._time = 0.0  # "the clock is never wrong"

    return patch.object(JournalLog, "__init__", forgetful)


# --- recovery -----------------------------------------------------------------------------------------


def _parked_requests_kept() -> AbstractContextManager[object]:
    apply = recovery.Recovery.apply

    def generous(self: recovery.Recovery[Board], ticket: Ticket, command: Command[object]) -> None:
        apply(self, ticket, command)
        self.requests.parked.clear()

    return patch.object(recovery.Recovery, "apply", generous)


def _commands_after_a_snapshot_skipped() -> AbstractContextManager[object]:
    replay = recovery.replay

    def short(
        records: Sequence[Record], digests: Mapping[int, str], recovered: recovery.Recovery[Board], *rest: object
    ) -> object:
        if not recovered.snapshot_at or not records:
            return replay(records, digests, recovered, *rest)  # type: ignore[arg-type]
        recovered.last = records[-1]  # "the snapshot is the whole state"
        return recovered

    return patch.object(recovery, "replay", short)


def _last_command_dropped() -> AbstractContextManager[object]:
    replay = recovery.replay

    def short(records: Sequence[Record], *rest: object) -> object:
        recovered = replay(records[:-1], *rest)  # type: ignore[arg-type, var-annotated]  # "it may be incomplete"
        recovered.last = records[-1] if records else recovered.last
        return recovered

    return patch.object(recovery, "replay", short)


def _players_left_behind() -> AbstractContextManager[object]:
    return patch.object(Field, "players", property(lambda self: ()))


def _grace_forgotten() -> AbstractContextManager[object]:
    return patch.object(crossword_game, "take_over", lambda *whatever: None)


# --- the rules ----------------------------------------------------------------------------------------


def _last_come_first_served() -> AbstractContextManager[object]:
    def unfair(self: WaitingRoom, space: Space) -> Waiter | None:
        queue = self._queues.get(space)
        return None if queue is None else self.leave(next(reversed(queue)))

    return patch.object(WaitingRoom, "next", unfair)


# --- the front ends -----------------------------------------------------------------------------------


def _departures_unnoticed() -> AbstractContextManager[object]:
    call = Router.__call__

    def deaf(self: Router, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> Awaitable[None]:
        async def never_gone() -> ASGIReceiveEvent:
            message = await receive()
            if message["type"] == "http.disconnect":
                await trio.sleep_forever()
            return message

        return call(self, scope, never_gone, send)

    return patch.object(Router, "__call__", deaf)


def _last_words_lost() -> AbstractContextManager[object]:
    room = LineConnection._room

    async def hasty(self: LineConnection, most: int = 1 << 20) -> None:
        if most:
            await room(self, most)

    return patch.object(LineConnection, "_room", hasty)


def _departed_players_counted() -> AbstractContextManager[object]:
    disconnect = Game.disconnect

    def sometimes(self: Game, player: int) -> None:
        if player % 8:
            disconnect(self, player)

    return patch.object(Game, "disconnect", sometimes)


def _answers_first() -> AbstractContextManager[object]:
    async def eager(self: Dialogue, send: Send) -> CloseReason:
        while True:
            if self._answer is not None:  # "a player's own answer comes first"
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
        "callers are answered before what they did is written down", _replies_before_the_commit, None, (2, 4, 25)
    ),
    "looks-before-the-commit": Plant(
        "a look is answered at once, with what is not written down yet",
        _looks_before_the_commit,
        "memory",
        (152, 326, 418),
    ),
    "replies-lost-with-a-caller": Plant(
        "if a caller is cancelled during a commit, all replies of the batch are lost",
        _replies_lost_with_a_caller,
        "memory",
        (21, 54, 258),
    ),
    "withdrawals-after-the-queue": Plant(
        "a departed caller's withdrawal comes after the next command in the queue",
        _withdrawals_after_the_queue,
        None,
        (115, 210, 260),
    ),
    "no-sync": Plant("a commit does not wait for the disk", _no_sync, None, (0, 1, 6)),
    "withdrawals-not-written": Plant("withdrawals are not journalled", _withdrawals_not_written, "memory", (0, 1, 14)),
    "failed-commits-ignored": Plant("a commit that fails is taken for done", _failed_commits_ignored, None, (4, 5, 6)),
    "failed-commits-repeated": Plant(
        "a commit that fails is made again, as new commands", _failed_commits_repeated, None, (6, 36, 57)
    ),
    "two-transactions": Plant("a batch is written in two transactions", _two_transactions, None, (21, 46, 47)),
    "tickets-again": Plant("tickets begin at 0 again after a restart", _tickets_again, None, (0, 1, 2)),
    "times-go-back": Plant("the time of a command may be before that of the last", _times_go_back, None, (31, 38, 41)),
    "checksums-not-compared": Plant(
        "the file's checksums are not compared", _checksums_not_compared, None, (23, 51, 58)
    ),
    "parked-requests-kept": Plant(
        "the parked requests of a dead process are not withdrawn", _parked_requests_kept, "memory", (1, 2, 14)
    ),
    "last-command-dropped": Plant("recovery leaves out the last command", _last_command_dropped, None, (0, 1, 2)),
    "commands-after-a-snapshot-skipped": Plant(
        "recovery leaves out what came after the snapshot", _commands_after_a_snapshot_skipped, None, (14, 16, 18)
    ),
    "players-left-behind": Plant(
        "players of a dead process still count", _players_left_behind, "minesweeper", (1, 3, 4)
    ),
    "grace-forgotten": Plant("sessions of a dead process never end", _grace_forgotten, "crossword", (3, 7, 15)),
    "last-come-first-served": Plant(
        "the player who has waited least gets the card", _last_come_first_served, "memory", (26, 41, 60)
    ),
    "departures-unnoticed": Plant(
        "a client that goes away while its flip waits is not noticed", _departures_unnoticed, "memory", (24, 29, 34)
    ),
    "last-words-lost": Plant(
        "a connection that ends drops what was still to be sent", _last_words_lost, "minesweeper", (0, 1, 2)
    ),
    "departed-players-counted": Plant(
        "every eighth player who leaves is still counted", _departed_players_counted, "minesweeper", (1, 2, 3)
    ),
    "answers-first": Plant(
        "an answer is sent before a change that came earlier", _answers_first, "crossword", (0, 2, 3)
    ),
}


def first_seed_that_finds(name: str) -> int | None:
    """Run seeds with that bug planted until a seed fails. The known seeds come first, then the other seeds below SHORT.

    Return None if no seed fails.
    """
    plant = PLANTS[name]
    with plant.planted():
        for seed in chain(plant.found_by, range(SHORT)):
            try:
                run_seed(seed, plant.game)
            except Failure:
                return seed
    return None
