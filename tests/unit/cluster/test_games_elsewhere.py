"""The games of rooms, played from another process. The game's own process adds presence, times and clocks.

Strategy: each game is opened in one process and joined from another process over a simulated Redis, on an autojump
clock.

Partitions:
- Memory Scramble: a waiting request from elsewhere keeps its player's cards; a player who is gone loses them; all
  doors show the same times, in processes that joined before and after; players at the gathering elsewhere
- Minesweeper: the time of a move; the clock; a player leaves, a process leaves, a process dies
- a crossword: a session begins, is lost, returns to the match from the other process; its process dies; the rest of
  the grace period; a solo game against the clock
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from scramble import crossword, memory, minesweeper
from scramble.cluster.calling import joining
from scramble.cluster.codec import Vocabulary
from scramble.cluster.protocol import ALIVE_S, ProcessName, Token
from scramble.cluster.serving import Part, serving
from scramble.crossword.room import GRACE_S
from scramble.errors import GameMoved
from scramble.games.room import OpenedRoom, RoomClocks, RoomGame
from scramble.games.table import game_kinds
from scramble.minesweeper.messages import Dug
from scramble.players.presence import Presence
from scramble.rooms.gathering.following import Following
from scramble.rooms.gathering.messages import Attend, GatheringCommand, GatheringEvent
from scramble.rooms.gathering.opening import open_gathering
from tests.support.cluster.simulated import Network, SimulatedLink
from tests.support.crossword.driver import SIMPLE

BOARD: Final = {"board": "2x2\nA\nA\nB\nB\n"}
FIELD: Final = {"field": "3 1\n0 0 1\n"}
CLOCKS: Final = RoomClocks(away_s=20.0, turn_s=45.0, notice_s=10.0)
VOCABULARIES: Final = {name: Vocabulary(kind.requests, kind.events) for name, kind in game_kinds().items()}


class Room:
    """A room of one kind that runs in one process and that other processes join."""

    def __init__(self, kind: str, settings: Mapping[str, object], opened: OpenedRoom, network: Network) -> None:
        self.game: Final[RoomGame] = opened.game
        self.network: Final = network
        self._kind: Final = kind
        self._setup: Final = game_kinds()[kind].set_up(settings)

    @asynccontextmanager
    async def joined(self, link: SimulatedLink) -> AsyncIterator[RoomGame]:
        """The game in the process of that link."""
        token, setup = Token(1, ProcessName("owner")), self._setup
        assert setup.join is not None
        async with (
            joining(link, "room", token, {"game": VOCABULARIES[self._kind]}) as joined,
            setup.join(joined.owners["game"], CLOCKS) as opened,
        ):
            yield opened.game


@asynccontextmanager
async def running(kind: str, settings: Mapping[str, object]) -> AsyncIterator[Room]:
    async with trio.open_nursery() as nursery:
        network = Network(nursery)
        link = network.link("owner")
        async with game_kinds()[kind].set_up(settings).open(None, CLOCKS) as opened:
            elsewhere = opened.elsewhere
            assert elsewhere is not None
            part = Part(elsewhere.owner, VOCABULARIES[kind], elsewhere.caller)
            async with serving(link, "room", Token(1, link.process), {"game": part}):
                yield Room(kind, settings, opened, network)
        nursery.cancel_scope.cancel()


def memory_of(game: RoomGame) -> memory.Game:
    assert isinstance(game, memory.Game)
    return game


def fields_of(game: RoomGame) -> minesweeper.Game:
    assert isinstance(game, minesweeper.Game)
    return game


def crossword_of(game: RoomGame) -> crossword.Game:
    assert isinstance(game, crossword.Game)
    return game


# --- Memory Scramble --------------------------------------------------------------------------------


async def test_a_player_who_waits_elsewhere_keeps_the_cards_and_a_gone_player_loses_them(
    autojump_clock: MockClock,
) -> None:
    async with running("memory", BOARD) as room, room.joined(room.network.link("there")) as joined:
        here, there = memory_of(room.game), memory_of(joined)
        await there.flip("bob", 0, 0)
        with there.present("bob"), here.present("bob"):  # over a WebSocket here, too
            await trio.sleep(CLOCKS.away_s + 1)
            assert (await here.look("bob")).splitlines()[1] == "my A"
        with trio.move_on_after(CLOCKS.away_s + 1):
            await there.watch("bob")  # a waiting request
        assert (await here.look("bob")).splitlines()[1] == "my A"
        await trio.sleep(CLOCKS.away_s + 0.1)
        assert (await here.look("bob")).splitlines()[1] == "up A"


async def test_all_doors_show_the_same_times_whenever_they_joined(autojump_clock: MockClock) -> None:
    async with running("memory", BOARD) as room, room.joined(room.network.link("there")) as joined:
        here, there = memory_of(room.game), memory_of(joined)
        async with trio.open_nursery() as nursery:
            with here.present("ann"):
                await here.flip("ann", 0, 0)
                await trio.sleep(30)
                nursery.start_soon(there.flip, "bob", 0, 0)
                await wait_all_tasks_blocked()
                await trio.sleep(5)
                async with room.joined(room.network.link("late")) as late:
                    dues = [(await memory_of(game).due()).seconds for game in (here, there, late)]
                    assert [due["ann"] for due in dues] == pytest.approx([10.0] * 3, abs=0.1)
            await trio.sleep(3)
            async with room.joined(room.network.link("later")) as later:
                for game in (here, there, later):
                    assert memory_of(game).free_in("ann") in (None, pytest.approx(CLOCKS.away_s - 3, abs=0.1))
                assert memory_of(later).free_in("ann") is not None
            await trio.sleep(10)  # ann's turn has ended, and bob has the card
            assert (await there.look("bob")).splitlines()[1] == "my A"


async def test_players_at_the_gathering_of_another_process_count_as_here(autojump_clock: MockClock) -> None:
    vocabulary = Vocabulary(GatheringCommand, GatheringEvent)
    async with running("memory", BOARD) as room, open_gathering("", None) as gathering, trio.open_nursery() as nursery:
        here = memory_of(room.game)
        link, there = room.network.link("gathering"), room.network.link("there")
        token = Token(1, link.process)
        await here.flip("bob", 0, 0)
        with Following(gathering, Presence(here.present), nursery.start_soon, at_home=True):
            async with (
                serving(link, "room two", token, {"gathering": Part(gathering, vocabulary)}),
                joining(there, "room two", token, {"gathering": vocabulary}) as joined,
            ):
                nursery.start_soon(_attend, joined.owners["gathering"].ask, "there")
                await trio.sleep(2 * CLOCKS.away_s)
                assert (await here.look("bob")).splitlines()[1] == "my A"
                there.stop()  # the connection dies with the process
                await trio.sleep(ALIVE_S + CLOCKS.away_s + 1)
                assert (await here.look("bob")).splitlines()[1] == "up A"
        nursery.cancel_scope.cancel()


async def _attend(ask: Callable[[Attend], Awaitable[None]], place: str) -> None:
    with suppress(GameMoved):
        await ask(Attend(place, "holder", "bob"))


# --- Minesweeper ------------------------------------------------------------------------------------


async def test_a_move_has_the_time_of_the_owners_process_and_both_doors_have_its_clock(
    autojump_clock: MockClock,
) -> None:
    async with running("minesweeper", FIELD) as room:
        here = fields_of(room.game)
        await trio.sleep(5)
        link = room.network.link("there")
        async with room.joined(link) as joined:
            there, changes = fields_of(joined), here.changes()
            assert there.now() == pytest.approx(here.now(), abs=100)
            async with there.connect("bob") as bob, trio.open_nursery() as nursery:
                sent = there.now()
                assert sent is not None
                link.stop()
                nursery.start_soon(there.dig, 0, 0, bob.player)
                await trio.sleep(1)
                link.resume()
            dug = [event for change in changes.pending() for event in change.events if isinstance(event, Dug)]
            assert [event.at for event in dug] == [pytest.approx(sent + 1000, abs=100)]


async def test_players_leave_with_their_block_or_with_their_process(autojump_clock: MockClock) -> None:
    async with running("minesweeper", FIELD) as room:
        here = fields_of(room.game)

        async def players() -> list[str]:
            return [player.name for player in (await here.snapshot()).players]

        async def stay(game: minesweeper.Game, name: str) -> None:
            with suppress(GameMoved):
                async with game.connect(name):
                    await trio.sleep_forever()

        async with here.connect("ann"), trio.open_nursery() as nursery:
            link = room.network.link("there")
            async with room.joined(link) as joined:
                async with fields_of(joined).connect("bob"):
                    assert await players() == ["ann", "bob"]
                await joined.ping()
                assert await players() == ["ann"]
                nursery.start_soon(stay, fields_of(joined), "carl")
                await wait_all_tasks_blocked()
                assert await players() == ["ann", "carl"]
            await wait_all_tasks_blocked()
            assert await players() == ["ann"]
            dying = room.network.link("dying")
            async with room.joined(dying) as joined:
                nursery.start_soon(stay, fields_of(joined), "dora")
                await wait_all_tasks_blocked()
                assert await players() == ["ann", "dora"]
                dying.stop()
                await trio.sleep(ALIVE_S + 1)
                assert await players() == ["ann"]
            nursery.cancel_scope.cancel()


# --- crosswords -------------------------------------------------------------------------------------


async def test_a_session_comes_from_elsewhere_and_its_player_is_missing_once_its_process_is_dead(
    autojump_clock: MockClock,
) -> None:
    async with running("crossword", {"source": SIMPLE}) as room:
        here, dying = crossword_of(room.game), room.network.link("there")
        async with here.session() as ann, trio.open_nursery() as nursery:
            await ann.enter("ann")
            async with room.joined(dying) as joined:

                async def play() -> None:
                    with suppress(GameMoved):
                        async with crossword_of(joined).session() as bob:
                            await bob.enter("bob")
                            await trio.sleep_forever()

                nursery.start_soon(play)
                assert (await ann.next_view()).state == "PLAY"
                dying.stop()
                missing = (await ann.next_view()).missing
                assert missing is not None
                assert (missing.player, missing.seconds_left) == ("bob", GRACE_S)
                await trio.sleep(100)
            async with room.joined(room.network.link("other")) as joined:
                there = crossword_of(joined)
                assert there.grace == GRACE_S
                async with there.session() as bob:
                    assert (await bob.enter("bob")).state == "PLAY"
                    assert (await ann.next_view()).missing is None
                    await bob.say("TRY 1 cat")
                assert (await ann.next_view()).match is not None
                missing = (await ann.next_view()).missing
                assert missing is not None
                view = await there.spectate()
                assert view.missing is not None
                await trio.sleep(100)
                view = await there.spectate()
                assert view.missing is not None
                assert view.missing.seconds_left == pytest.approx(GRACE_S - 100, abs=2)
                await trio.sleep(GRACE_S)
            result = await here.finished()
            assert (result.winner, result.forfeited_by) == ("ann", "bob")
            nursery.cancel_scope.cancel()


async def test_a_solo_player_elsewhere_plays_against_the_owners_clock(autojump_clock: MockClock) -> None:
    async with running("crossword", {"source": SIMPLE, "alone": True}) as room:
        link = room.network.link("there")
        async with room.joined(link) as joined, crossword_of(joined).session() as ann:
            view = await ann.enter("ann")
            assert view.clock is not None
            before = view.clock.seconds
            await trio.sleep(30)
            view = await ann.look()
            assert view.clock is not None
            assert view.clock.seconds == pytest.approx(before + 30, abs=0.1)
