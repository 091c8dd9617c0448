"""A connection's dialogue with the lobby, on channels instead of sockets, with a test clock.

Partitions:
- lines: one, many while the client does not read; the last line; data that is no line; too many; faults for too long
- outgoing views: an answer; changes while the client reads, while it does not, before and after an answer that waits
- changes: few; so many that the server spaces them out
- a full lobby: no missing player; a stranger; a player who returns, with the right token or a wrong one, in time or not
- addresses: another machine's, this machine's, with given limits or the defaults
- the end: logged out, taken over (while idle, while a line is processed), hung up, the lobby closed or full; limits;
  idle for too long
- cancelled: the session ends
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble.crossword import Game, SessionView, open_lobby
from scramble.crossword.limits import LobbyLimits
from scramble.front.crossword.dialogue import (
    FULL,
    HUNG_UP,
    IDLE_CODE,
    LOBBY_VIEW_PAUSE_S,
    LOGGED_OUT,
    OVERLONG,
    RETURN_S,
    TAKEN_OVER,
    TOO_LONG,
    TOO_MANY,
    DialogueLimits,
    NoLine,
    converse,
    quota_of,
)
from scramble.server.http.closing import GOING_AWAY, CloseReason
from scramble.server.protection.limits import ServerLimits
from tests.support.crossword.typists import NO_LIMITS, PUZZLES


class Client:
    """The client's end. Sending to the client waits until the test lets it read."""

    def __init__(self) -> None:
        self.say, self._said = trio.open_memory_channel[str | NoLine | None](10_000)
        self.seen: list[SessionView] = []
        self.times: list[float] = []
        self.reads = trio.Event()
        self.reads.set()
        self.ending: CloseReason | None = None
        self.scope = trio.CancelScope()

    def unread(self) -> int:
        """The number of lines that the client has not received."""
        return self._said.statistics().current_buffer_used

    @property
    def last(self) -> SessionView:
        return self.seen[-1]

    async def converse(self, lobby: Game, limits: DialogueLimits) -> None:
        with self.scope:
            self.ending = await converse(lobby, self._said.receive, self._send, limits)

    async def _send(self, view: SessionView) -> None:
        await self.reads.wait()
        self.seen.append(view)
        self.times.append(trio.current_time())

    async def type(self, *lines: str | NoLine | None) -> SessionView:
        """Send lines, and wait until all tasks are blocked. Return the last view that was sent."""
        for line in lines:
            self.say.send_nowait(line)
        await wait_all_tasks_blocked()
        return self.last


class Room:
    """A lobby, and clients that are connected to it."""

    def __init__(self, lobby: Game, nursery: trio.Nursery) -> None:
        self.lobby = lobby
        self._nursery = nursery

    async def client(self, *lines: str, limits: DialogueLimits = NO_LIMITS) -> Client:
        client = Client()
        for line in lines:
            client.say.send_nowait(line)
        self._nursery.start_soon(client.converse, self.lobby, limits)
        await wait_all_tasks_blocked()
        return client

    async def match(self) -> tuple[Client, Client]:
        ann, bob = await self.client("ann", 'NEW m1 extended "so"'), await self.client("bob", "PLAY m1")
        assert ann.last.state == bob.last.state == "PLAY"
        return ann, bob


@asynccontextmanager
async def room(limits: LobbyLimits | None = None) -> AsyncIterator[Room]:
    async with open_lobby(PUZZLES, limits=limits) as lobby, trio.open_nursery() as nursery:
        yield Room(lobby, nursery)
        nursery.cancel_scope.cancel()


async def test_a_connection_is_shown_start_and_then_an_answer_to_every_line() -> None:
    async with room() as lobby:
        ann = await lobby.client("ann", "what?", 'NEW m1 simple "so"', "EXIT")
        assert [view.state for view in ann.seen] == ["START", "CHOOSE", "CHOOSE", "WAIT", "CHOOSE"]
        assert [view.error is None for view in ann.seen] == [True, True, False, True, True]


async def test_the_next_line_is_received_when_the_answer_has_gone_out() -> None:
    async with room() as lobby:
        ann = await lobby.client("ann")
        ann.reads = trio.Event()
        await ann.type(*"abcdefgh")
        assert ann.unread() == 7
        assert len(ann.seen) == 2
        ann.reads.set()
        await wait_all_tasks_blocked()
        assert len(ann.seen) == 2 + 8


async def test_of_changes_that_come_while_the_client_does_not_read_it_gets_the_first_and_the_latest() -> None:
    async with room() as lobby:
        ann, bob = await lobby.match()
        before = len(ann.seen)
        ann.reads = trio.Event()
        for letter in "abcdefgh":
            await bob.type(f"TRY 1 {letter * 3}")
        ann.reads.set()
        await wait_all_tasks_blocked()
        entered = [view.message.split()[3] for view in ann.seen[before:]]
        assert entered == ["aaa", "hhh"]


async def test_an_answer_that_waits_goes_out_between_what_came_before_and_what_came_after_it() -> None:
    async with room() as lobby:
        ann, bob = await lobby.match()
        before = len(ann.seen)
        ann.reads = trio.Event()
        for letter in "ab":
            await bob.type(f"TRY 3 {letter * 3}")
        await ann.type("TRY 4 zzz")
        for letter in "cd":
            await bob.type(f"TRY 3 {letter * 3}")
        ann.reads.set()
        await wait_all_tasks_blocked()
        numbers = [view.number for view in ann.seen]
        assert numbers == sorted(set(numbers))
        assert [view.message.split()[3] for view in ann.seen[before:]] == ["aaa", "zzz", "ddd"]


async def test_a_client_that_sends_no_more_lines_has_hung_up_once_all_are_answered() -> None:
    async with room() as lobby:
        ann = await lobby.client("ann", 'NEW m1 simple "so"')
        await ann.type("what?", None)
        assert ann.ending == HUNG_UP
        assert ann.last.error is not None
        again = await lobby.client("ann")
        assert again.last.matches == ()


async def test_exit_is_answered_before_the_end() -> None:
    async with room() as lobby:
        ann = await lobby.client("ann", "EXIT", "never received")
        assert ann.ending == LOGGED_OUT
        assert ann.last.closed
        assert ann.unread() == 1


async def test_a_cancelled_dialogue_ends_the_session() -> None:
    async with room() as lobby:
        ann = await lobby.client("ann")
        ann.scope.cancel()
        await wait_all_tasks_blocked()
        assert (await lobby.client("ann")).last.state == "CHOOSE"


async def test_whoever_comes_back_ends_the_dialogue_that_only_seemed_to_live() -> None:
    async with room() as lobby:
        ann = await lobby.client("ann")
        token = ann.last.token
        again = await lobby.client(f"ann {token}")
        assert again.last.state == "CHOOSE"
        assert ann.ending == TAKEN_OVER


async def test_a_dialogue_is_taken_over_however_that_falls_together_with_its_own_line() -> None:
    endings: set[CloseReason | None] = set()
    for line in ("TRY 1 cat", "EXIT", "what?"):
        for _ in range(30):
            async with room() as lobby:
                ann = await lobby.client("ann")
                token = ann.last.token
                again = await lobby.client()
                ann.say.send_nowait(line)
                again.say.send_nowait(f"ann {token}")
                await wait_all_tasks_blocked()
                assert ann.ending in (TAKEN_OVER, LOGGED_OUT)
                assert (ann.ending == LOGGED_OUT) == ann.last.closed
                assert again.ending is None
                assert (again.last.error is None) == (ann.ending == TAKEN_OVER)
                endings.add(ann.ending)
    assert TAKEN_OVER in endings


async def test_when_the_lobby_closes_so_does_every_dialogue() -> None:
    async with room() as lobby:
        ann, bob = await lobby.match()
        await lobby.lobby.aclose()
        await wait_all_tasks_blocked()
        late = await lobby.client()
        assert ann.ending == bob.ending == late.ending == GOING_AWAY
        assert late.seen == []


async def test_a_full_lobby_is_a_view_with_an_error() -> None:
    async with room(LobbyLimits(sessions=1)) as lobby:
        await lobby.client()
        late = await lobby.client()
        assert late.ending == FULL
        assert [(view.state, view.error is None) for view in late.seen] == [("START", False)]


# --- limits -----------------------------------------------------------------------------------------


async def test_commands_that_come_too_fast_are_refused_and_later_ones_are_not(autojump_clock: MockClock) -> None:
    async with room() as lobby:
        ann = await lobby.client(limits=DialogueLimits(commands=3, commands_per_s=1))
        await ann.type("a b", "c d", "e f", "ann")
        assert "too many commands" in str(ann.last.error)
        await trio.sleep(1)
        assert (await ann.type("ann")).state == "CHOOSE"
        assert "too many commands" in str((await ann.type("EXIT")).error)
        assert ann.ending is None


@pytest.mark.parametrize(
    ("line", "ending"), [(OVERLONG, TOO_LONG), (NoLine("no", CloseReason(1003, "no")), CloseReason(1003, "no"))]
)
async def test_who_goes_on_to_send_what_is_no_line_is_sent_away(line: NoLine, ending: CloseReason) -> None:
    async with room() as lobby:
        ann = await lobby.client("ann", limits=DialogueLimits(faults=3, faults_per_s=0))
        for _ in range(3):
            assert (await ann.type(line)).error == line.reason
        assert ann.ending is None
        assert (await ann.type(line)).error == line.reason
        assert ann.ending == ending


async def test_who_goes_on_to_send_too_fast_is_sent_away(autojump_clock: MockClock) -> None:
    async with room() as lobby:
        ann = await lobby.client("ann", limits=DialogueLimits(commands=10, faults=5))
        await ann.type(*["?"] * 1000)
        assert ann.ending == TOO_MANY
        assert len(ann.seen) == 1 + 10 + 5 + 1


async def test_who_makes_and_withdraws_matches_all_the_time_does_not_keep_everybody_else_busy(
    autojump_clock: MockClock,
) -> None:
    async with room() as lobby:
        watcher = await lobby.client("cyd", limits=DialogueLimits(changes=10, changes_per_s=0))
        ann = await lobby.client("ann")
        began = trio.current_time()
        for _ in range(50):
            await ann.type('NEW m1 simple "so"', "EXIT")
            await trio.sleep(LOBBY_VIEW_PAUSE_S / 4)
        await ann.type('NEW last simple "so"')
        await trio.sleep(LOBBY_VIEW_PAUSE_S)
        assert [match.id for match in watcher.last.matches or ()] == ["last"]
        assert len(watcher.seen) <= 2 + 10 + (trio.current_time() - began) / LOBBY_VIEW_PAUSE_S + 1
        paused = [later - sooner for sooner, later in zip(watcher.times[13:], watcher.times[14:], strict=False)]
        assert all(pause >= LOBBY_VIEW_PAUSE_S * 0.99 for pause in paused)


# --- a full lobby, and addresses ----------------------------------------------------------------------


async def test_a_player_returns_to_a_full_lobby_by_sending_id_and_token(autojump_clock: MockClock) -> None:
    async with room(LobbyLimits(sessions=2)) as lobby:
        ann, bob = await lobby.match()
        token = next(view.token for view in ann.seen if view.token)
        ann.scope.cancel()
        await wait_all_tasks_blocked()
        again = await lobby.client(f"ann {token}")
        turned_away, view = again.seen
        assert "as many players" in str(turned_away.error)
        assert "come back now" in turned_away.message
        assert (view.state, view.player, view.error) == ("PLAY", "ann", None)
        assert (await again.type("TRY 1 cat")).error is None
        assert "ann has entered cat" in bob.last.message


@pytest.mark.parametrize("lines", [("carol",), ("ann wrong",), ("no good ID",), ()])
async def test_a_stranger_is_turned_away_while_a_player_is_missing(
    lines: tuple[str, ...], autojump_clock: MockClock
) -> None:
    async with room(LobbyLimits(sessions=2)) as lobby:
        ann, bob = await lobby.match()
        ann.scope.cancel()
        await wait_all_tasks_blocked()
        carol = await lobby.client(*lines)
        began = trio.current_time()
        await trio.sleep(RETURN_S)
        await wait_all_tasks_blocked()
        assert carol.ending == FULL
        assert all("as many players" in str(view.error) for view in carol.seen)
        assert (trio.current_time() - began, bob.last.state) == (RETURN_S, "PLAY")


async def test_who_does_nothing_for_too_long_is_told_so(autojump_clock: MockClock) -> None:
    async with open_lobby(PUZZLES, idle=60) as lobby, trio.open_nursery() as nursery:
        ann = await Room(lobby, nursery).client("ann")
        await trio.sleep(61)
        assert ann.ending == CloseReason(IDLE_CODE, "nothing was done here for 1 minute")


@pytest.mark.parametrize(
    ("host", "limits", "sessions", "waiting"),
    [
        ("192.0.2.1", ServerLimits(), 200, 20),
        ("127.0.0.1", ServerLimits(), None, None),
        ("::1", ServerLimits(), None, None),
        ("127.0.0.1", ServerLimits(sessions_by_address=3, matches_by_address=2), 3, 2),
        ("192.0.2.1", ServerLimits(sessions_by_address=300), 300, 20),
    ],
)
def test_an_address_has_the_usual_quota_or_what_is_given(
    host: str, limits: ServerLimits, sessions: int | None, waiting: int | None
) -> None:
    quota = quota_of(host, limits)
    assert (quota.sessions, quota.waiting) == (sessions, waiting)
    assert quota_of("2001:db8::1").account == quota_of("2001:db8::2").account != quota_of("192.0.2.1").account
