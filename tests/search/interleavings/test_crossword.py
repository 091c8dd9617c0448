"""A live lobby under schedules that Hypothesis draws: in the model, one order of the events must explain all views.

Strategy: ann and bob are in a match, cyd and dan choose a match. Each of them does a few actions after pauses of 0 to 2
ticks of the virtual clock. Many actions fall on the same tick: `scramble.testing.interleave` draws the order of the
tasks' steps. The time of grace is a few ticks, so it can end between the actions.

- lines: TRY and CHALLENGE, good and bad; EXIT, NEW MATCH, NEW and PLAY of a few matches, so that two players want the
  same match
- connections: lost; new connections that come back with the token (in time, too late, during the old connection), or
  enter the ID again (free or in use); more connections than the lobby allows; lines on a lost connection
- the end: every connected player looks

`scramble.testing.linearizable` judges every answer and every effect of the end of the time of grace. The test also
follows each connection: no view may come after a newer view, and the last view must be the session's final view.
Lobbies with one bug each test that the judge and the schedules find faults.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import pytest
import trio
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from scramble.crossword import (
    Game,
    Limits,
    Lobby,
    LobbyFull,
    Puzzle,
    Session,
    SessionEnded,
    SessionId,
    SessionView,
)
from scramble.crossword.frames import view_frame
from scramble.crossword.game import open_rules
from scramble.crossword.messages import Disconnect, ExpireGrace, OpenSession, Say
from scramble.kernel.protocol import Answered, Command, Outcome, Recordable, Ticket
from scramble.testing import History, NotLinearizable, ScheduleFailed, interleave, linearizable
from tests.support.crossword.driver import EXTENDED, SIMPLE
from tests.support.crossword.model import EXTENDED_DATA, SIMPLE_DATA, Frame, Model, plain
from tests.support.examples import examples

TICK_S = 1.0  # of the virtual clock: it takes no time
GRACE_TICKS = 3
END_TICKS = 100  # long after the last time of grace of every schedule
MAX_SESSIONS = 5

PUZZLES = (Puzzle.parse(SIMPLE, id="simple"), Puzzle.parse(EXTENDED, id="extended"))


@dataclass(frozen=True)
class Op:
    """An event of a connection, with its number: it opens, sends a line, is lost, or its time of grace ends."""

    kind: Literal["connect", "say", "lose", "expire"]
    connection: int
    line: str = ""


@dataclass(frozen=True)
class Planned:
    """After a pause: send a line, "lose" the connection, or on a new connection come "back" or enter the ID "again"."""

    pause: int
    action: str


Plan: TypeAlias = tuple[tuple[Planned, ...], ...]
NAMES = ("ann", "bob", "cyd", "dan")


# --- drawing ----------------------------------------------------------------------------------------

MOVES = [
    f"{command} {word} {text}"
    for command in ("TRY", "CHALLENGE")
    for word, texts in enumerate((["cat", "bob", "pet"], ["mat", "set", "met"], ["car", "cab"], ["tax", "tap"]), 1)
    for text in texts
]
CHOICES = ['NEW m1 simple "a"', 'NEW m2 extended "b"', "PLAY m1", "PLAY m2", "PLAY m1", "PLAY m2"]


def plans(common: Sequence[str]) -> st.SearchStrategy[tuple[Planned, ...]]:
    kinds = [*common, *common, "EXIT", "NEW MATCH", "lose", "lose", "back", "back", "again"]
    planned = st.builds(Planned, st.integers(0, 2), st.sampled_from(kinds))
    return st.lists(planned, max_size=6).map(tuple)


all_plans: st.SearchStrategy[Plan] = st.tuples(plans(MOVES), plans(MOVES), plans(CHOICES), plans(CHOICES))


# --- running ----------------------------------------------------------------------------------------


class OutOfOrder(AssertionError):
    """An old view came after a newer view."""


@dataclass
class Client:
    """A player, and its connections one after another."""

    name: str
    number: int = -1
    session: Session | None = None
    block: AsyncExitStack = field(default_factory=AsyncExitStack)
    token: tuple[str, str] = ("none", "none")  # the server's token, and the model's


class Play:
    """A live lobby and its clients."""

    def __init__(self, lobby: Game, nursery: trio.Nursery) -> None:
        self.lobby = lobby
        self.nursery = nursery
        self.history: Final = History()
        self.connections = 0
        self.seen: dict[int, list[SessionView]] = {}

    def answer(self, number: int, view: SessionView) -> Frame:
        """Convert a view to the model's words, and record it as seen."""
        self.seen[number].append(view)
        if view.closed:
            return {"state": "START", "player": None, "error": False}
        frame = plain(view_frame(view))
        if view.token is not None:
            frame["token"] = f"t{number}"
        return frame

    async def connect(self, client: Client) -> None:
        self.connections += 1
        number = client.number = self.connections
        self.seen[number] = []
        client.block = AsyncExitStack()

        with self.history.call(number, Op("connect", number)) as call:
            try:
                client.session = await client.block.enter_async_context(self.lobby.session())
                call.returned(self.answer(number, client.session.view))
            except LobbyFull:
                client.session = None
                call.returned(None)
        if client.session is not None:
            self.nursery.start_soon(self.follow, number, client.session)

    async def follow(self, number: int, session: Session) -> None:
        try:
            while True:
                self.seen[number].append(await session.next_view())
        except SessionEnded:
            pass

    async def say(self, client: Client, line: str, modelled: str | None = None) -> None:
        session, number = client.session, client.number
        if session is None:
            return

        with self.history.call(number, Op("say", number, modelled or line)) as call:
            try:
                view = await session.say(line)
            except SessionEnded:
                call.returned(None)
                return
            if view.token is not None:
                client.token = view.token, f"t{number}"
            call.returned(self.answer(number, view))

    async def lose(self, client: Client) -> None:
        if client.session is None:
            return
        block, number = client.block.pop_all(), client.number

        async def expire() -> None:
            await trio.sleep((GRACE_TICKS - 0.5) * TICK_S)
            with self.history.call(number, Op("expire", number)) as call:
                await trio.sleep(TICK_S)
                call.returned(None)

        with self.history.call(number, Op("lose", number)) as call:
            await block.aclose()
            call.returned(None)
        self.nursery.start_soon(expire)

    async def act(self, client: Client, action: str) -> None:
        """Do the planned action. If there is a new connection, the old one stays open and unused."""
        if action == "lose":
            await self.lose(client)
        elif action in ("back", "again"):
            self.nursery.start_soon(self.hang_up_at_the_end, client.block)
            await self.connect(client)
            if action == "back":
                await self.say(client, f"{client.name} {client.token[0]}", f"{client.name} {client.token[1]}")
            else:
                await self.say(client, client.name)
        else:
            await self.say(client, action)

    async def hang_up_at_the_end(self, block: AsyncExitStack) -> None:
        async with block:
            await trio.sleep_forever()

    async def run(self, plan: Plan) -> None:
        clients = [Client(name) for name in NAMES]
        for client in clients:
            await self.connect(client)
            await self.say(client, client.name)
        await self.say(clients[0], 'NEW m1 extended "so"')
        await self.say(clients[1], "PLAY m1")
        async with trio.open_nursery() as players:
            for client, actions in zip(clients, plan, strict=True):
                players.start_soon(self.carry_out, client, actions)
        await trio.sleep_until(END_TICKS * TICK_S)
        for client in clients:
            await self.say(client, "?")  # the server rejects this line and shows the whole view
            self.check_seen(client)
        for client in clients:
            await client.block.aclose()

    async def carry_out(self, client: Client, actions: Sequence[Planned]) -> None:
        for planned in actions:
            await trio.sleep(planned.pause * TICK_S)
            await self.act(client, planned.action)

    def check_seen(self, client: Client) -> None:
        if client.session is None or not self.seen[client.number]:
            return
        numbers = [view.number for view in self.seen[client.number]]
        if numbers != sorted(numbers):
            raise OutOfOrder(numbers)
        assert client.session.view == self.seen[client.number][-1]


async def run(plan: Plan, break_rules: Callable[[Lobby], Recordable] = lambda rules: rules) -> None:
    """Run a live lobby, and judge the history of its clients."""
    rules = break_rules(Lobby(PUZZLES, Limits(sessions=MAX_SESSIONS)))
    async with open_rules(rules, grace=GRACE_TICKS * TICK_S) as lobby, trio.open_nursery() as nursery:
        play = Play(lobby, nursery)
        await play.run(plan)
        nursery.cancel_scope.cancel()
    linearizable(play.history, Table(Model([SIMPLE_DATA, EXTENDED_DATA], sessions=MAX_SESSIONS)))


# --- the model --------------------------------------------------------------------------------------


@dataclass
class Table:
    """The naive model of the lobby. Its answer to an event is a frame, or None."""

    lobby: Model

    def __eq__(self, other: object) -> bool:
        return self.lobby.snapshot() == other.lobby.snapshot() if isinstance(other, Table) else NotImplemented

    def __deepcopy__(self, memo: object) -> Table:
        return Table(self.lobby.copy())

    def __repr__(self) -> str:
        return str(self.lobby.snapshot())

    def apply(self, op: object) -> Frame | None:
        assert isinstance(op, Op)
        match op.kind:
            case "connect":
                return self.lobby.connect(op.connection, f"t{op.connection}")
            case "say":
                return self.lobby.say(op.connection, op.line)
            case "lose":
                self.lobby.lose(op.connection)
            case "expire":
                self.lobby.expire(op.connection)
        return None


@settings(max_examples=examples(100))
@given(all_plans)
@interleave()
async def test_every_history_is_explained_by_one_order_of_the_rules(plan: Plan) -> None:
    await run(plan)


# --- tests of the judge -----------------------------------------------------------------------------


class BrokenLobby:
    """A lobby for bugs. This base class has no bug."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby

    @property
    def version(self) -> int:
        return self.lobby.version

    @property
    def revision(self) -> int:
        return self.lobby.revision

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        return self.lobby.apply(ticket, command)


class Impatient(BrokenLobby):
    """The time of grace ends at once."""

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        if isinstance(command, Disconnect):
            command = Disconnect(command.session, may_return=False)
        return super().apply(ticket, command)


class Endless(BrokenLobby):
    """The time of grace never ends."""

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        return [Answered(ticket, None)] if isinstance(command, ExpireGrace) else super().apply(ticket, command)


class LateToHear(BrokenLobby):
    """The lobby learns of a lost connection only after the next line."""

    def __init__(self, lobby: Lobby) -> None:
        super().__init__(lobby)
        self.held: list[Disconnect] = []

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        if isinstance(command, Disconnect):
            self.held.append(command)
            return [Answered(ticket, False)]
        outcomes = list(super().apply(ticket, command))
        while isinstance(command, Say) and self.held:
            outcomes += super().apply(Ticket(-1), self.held.pop())
        return [o for o in outcomes if not (isinstance(o, Answered) and o.ticket == -1)]


class TimesOutThePlayer(BrokenLobby):
    """The end of a time of grace also closes the latest session."""

    def __init__(self, lobby: Lobby) -> None:
        super().__init__(lobby)
        self.last = SessionId(0)

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        outcomes = list(super().apply(ticket, command))
        if isinstance(command, ExpireGrace):
            made_up = Ticket(-1)
            more = super().apply(made_up, Disconnect(self.last, may_return=False))
            outcomes += [o for o in more if o != Answered(made_up, False)]
        for outcome in outcomes:
            if isinstance(command, OpenSession) and isinstance(outcome, Answered):
                assert isinstance(outcome.value, SessionView)
                self.last = outcome.value.session
        return outcomes


class LooksBack(BrokenLobby):
    """A TRY gets the answer to the previous line."""

    def __init__(self, lobby: Lobby) -> None:
        super().__init__(lobby)
        self.before: dict[SessionId, SessionView] = {}

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        outcomes = list(super().apply(ticket, command))
        for place, outcome in enumerate(outcomes):
            if isinstance(command, Say) and isinstance(outcome, Answered) and outcome.ticket == ticket:
                view = outcome.value
                assert isinstance(view, SessionView)
                if command.line.startswith("TRY"):
                    before = self.before.get(command.session, view)
                    outcomes[place] = Answered(ticket, replace(before, number=view.number, error=view.error))
                self.before[command.session] = view
        return outcomes


@pytest.mark.parametrize("broken", [Impatient, Endless, LateToHear, TimesOutThePlayer, LooksBack])
def test_the_schedules_find_the_bug_of_a_lobby_that_is(broken: type[BrokenLobby]) -> None:
    @settings(max_examples=100, phases=[Phase.generate], report_multiple_bugs=False, database=None)
    @given(all_plans)
    @interleave()
    async def play(plan: Plan) -> None:
        await run(plan, broken)

    with pytest.raises(ScheduleFailed) as found:
        play()
    assert isinstance(found.value.__cause__, NotLinearizable | OutOfOrder)
