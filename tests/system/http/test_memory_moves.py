"""Moves over Memory Scramble's WebSocket and their outcomes, over real sockets where sockets matter.

Partitions:
- a flip: succeeds by 1-B, 1-C, 2-D, 2-E; fails by 1-A, 2-A, 2-B; is rejected (outside the board, already waiting)
- a flip that waits: is granted; fails; is cancelled; loses its connection, cleanly or not; is answered during its
  cancellation; the game ends first; its player has another tab
- a withdrawal: something waits, has waited, never waited
- a replacement: of a card; by an invalid card, by a card that is invalid over a network
- moves of one connection: one by one, many at once
"""

from __future__ import annotations

import json

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from scramble.errors import InvalidCommand
from scramble.front.memory.websocket import Moves
from scramble.memory import Board, open_game
from tests.support.asgi import anybody
from tests.support.memory.tabs import in_step, serving

BOARD = """\
3x3
A
B
A
B
A
B
A
B
C
"""


# flips and their outcomes


async def test_the_outcome_of_a_flip_names_its_rule() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice, bob = await server.open("alice"), await server.open("bob")
        assert await alice.flip(0, 0) == ("ok", "1-B")
        assert await alice.flip(0, 0) == ("failed", "2-B")
        assert await alice.flip(0, 0) == ("ok", "1-B")  # 3-B turned it down first
        assert await bob.flip(0, 1) == ("ok", "1-B")
        assert await alice.flip(0, 1) == ("failed", "2-B")
        assert await alice.flip(1, 0) == ("ok", "1-B")
        assert await alice.flip(1, 1) == ("ok", "2-E")
        assert await bob.flip(1, 0) == ("ok", "2-D")
        assert await bob.flip(2, 2) == ("ok", "1-B")
        assert await alice.flip(1, 0) == ("failed", "1-A")
        assert await alice.flip(0, 0) == ("ok", "1-B")
        assert await alice.flip(1, 0) == ("failed", "2-A")
        assert await bob.flip(2, 1) == ("ok", "2-E")
        assert await bob.flip(0, 0) == ("ok", "1-C")
        assert await alice.flip(7, 0) == ("refused", None)
        assert await alice.flip(-1, 0) == ("refused", None)
        await in_step(game, alice, bob)
        assert bob.mirror.scores["bob"] == 1
        reasons = [frame["reason"] for frame in alice.frames if frame["type"] == "flip"]
        assert all(isinstance(reason, str) and reason for reason in reasons)


async def test_moves_of_one_connection_are_made_in_the_order_in_which_it_sent_them() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice = await server.open("alice")
        spots = [(0, 0), (0, 2), (0, 1), (1, 0), (0, 1), (1, 1), (2, 2), (2, 1)]
        numbers = [await alice.start_flip(*spot) for spot in spots]
        outcomes = [(await alice.outcome(number))[1] for number in numbers]
        assert outcomes == ["1-B", "2-D", "1-B", "2-D", "1-A", "1-B", "2-E", "1-B"]


async def test_a_flip_that_must_wait_says_so_at_once_and_its_connection_goes_on() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice, bob = await server.open("alice"), await server.open("bob")
        await alice.flip(0, 0)
        waiting = await bob.start_flip(0, 0)
        assert await bob.outcome(waiting) == ("waiting", "1-D")
        assert await bob.flip(1, 1) == ("refused", None)  # already waiting
        await bob.say({"type": "replace", "id": 99, "old": "C", "new": "D"})
        assert await bob.outcome(99) == ("ok", None)
        await in_step(game, alice, bob)
        assert alice.mirror.waiting == {"bob": [0, 0]}
        await alice.flip(0, 1)
        assert await bob.outcome(waiting, 2) == ("ok", "1-C")
        await in_step(game, alice, bob)
        assert alice.mirror.waiting == {}
        assert alice.mirror.cells[0] == {"is": "up", "card": "A", "by": "bob"}


async def test_a_waiting_flip_fails_when_its_card_is_removed() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice, bob = await server.open("alice"), await server.open("bob")
        await alice.flip(0, 0)
        waiting = await bob.start_flip(0, 0)
        assert await bob.outcome(waiting) == ("waiting", "1-D")
        assert await alice.flip(0, 2) == ("ok", "2-D")
        await alice.flip(0, 1)
        assert await bob.outcome(waiting, 2) == ("failed", "1-A")
        await in_step(game, alice, bob)


async def test_a_waiting_flip_can_be_called_off_and_the_next_in_line_gets_the_card() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice, bob, carol = [await server.open(player) for player in ("alice", "bob", "carol")]
        await alice.flip(0, 0)
        bobs = await bob.start_flip(0, 0)
        assert await bob.outcome(bobs) == ("waiting", "1-D")
        carols = await carol.start_flip(0, 0)
        assert await carol.outcome(carols) == ("waiting", "1-D")
        await bob.say({"type": "withdraw"})
        assert await bob.outcome(bobs, 2) == ("withdrawn", None)
        await alice.flip(0, 1)
        assert await carol.outcome(carols, 2) == ("ok", "1-C")
        assert await bob.flip(1, 1) == ("ok", "1-B")
        assert len(bob.outcomes(bobs)) == 2


async def test_withdrawing_with_nothing_waiting_does_nothing() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice, bob = await server.open("alice"), await server.open("bob")
        await alice.say({"type": "withdraw"})
        await alice.flip(0, 0)
        await alice.say({"type": "withdraw"})
        waiting = await bob.start_flip(0, 0)
        assert await bob.outcome(waiting) == ("waiting", "1-D")
        await alice.flip(0, 1)
        assert await bob.outcome(waiting, 2) == ("ok", "1-C")
        await bob.say({"type": "withdraw"})
        assert await bob.flip(0, 2) == ("ok", "2-D")
        assert bob.count("error") == alice.count("error") == 0


@pytest.mark.parametrize("cleanly", [True, False])
async def test_a_player_who_leaves_while_waiting_never_gets_the_card(cleanly: bool) -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice, bob, carol = [await server.open(player) for player in ("alice", "bob", "carol")]
        await alice.flip(0, 0)
        assert await bob.flip(0, 0) == ("waiting", "1-D")
        assert await carol.flip(0, 0) == ("waiting", "1-D")
        if cleanly:
            await bob.socket.leave()
        else:
            await trio.aclose_forcefully(bob.socket.stream)
        await carol.until(lambda: "bob" not in carol.mirror.waiting)
        await alice.flip(0, 1)
        await carol.until(lambda: carol.mirror.cells[0] == {"is": "up", "card": "A", "by": "carol"})
        for tab in (alice, carol):
            bobs = {"row": 0, "column": 0, "cell": {"is": "up", "card": "A", "by": "bob"}}
            assert bobs not in tab.changed_cells()


async def test_an_answer_that_crosses_a_withdrawal_stands_and_is_reported() -> None:
    async with open_game(Board.parse(BOARD)) as game, trio.open_nursery() as nursery:
        sent: list[tuple[object, object]] = []

        async def send(frame: str) -> None:
            decoded = json.loads(frame)
            sent.append((decoded["outcome"], decoded["rule"]))

        moves = Moves(game, "bob", anybody(), send, nursery.start_soon)
        await game.flip("alice", 0, 0)
        await moves.answer('{"type":"flip","row":0,"column":0}')
        assert sent == [("waiting", "1-D")]
        await game.flip("alice", 0, 1)  # bob has been granted the card, but his task may not have run yet
        await moves.answer('{"type":"withdraw"}')
        assert sent == [("waiting", "1-D"), ("ok", "1-C")]
        assert (await game.look("bob")).splitlines()[1] == "my A"


async def test_moves_that_the_end_of_the_game_overtakes_have_no_outcome() -> None:
    async with open_game(Board.parse(BOARD)) as game, trio.open_nursery() as nursery:
        sent: list[str] = []

        async def send(frame: str) -> None:
            sent.append(json.loads(frame)["outcome"])

        moves = Moves(game, "bob", anybody(), send, nursery.start_soon)
        await game.flip("alice", 0, 0)
        await moves.answer('{"type":"flip","row":0,"column":0}')
        await game.aclose()
        await moves.answer('{"type":"withdraw"}')
        await moves.answer('{"type":"flip","row":0,"column":0}')
        await moves.answer('{"type":"replace","old":"A","new":"B"}')
        assert sent == ["waiting"]


async def test_a_flip_of_one_tab_is_not_reported_to_another_tab_of_the_same_player() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice, bob, twin = [await server.open(player) for player in ("alice", "bob", "bob")]
        await alice.flip(0, 0)
        assert await bob.flip(0, 0) == ("waiting", "1-D")
        assert await twin.flip(0, 0) == ("refused", None)
        await twin.say({"type": "withdraw"})  # the twin cannot withdraw it
        await alice.flip(0, 1)
        assert await bob.outcome(1, 2) == ("ok", "1-C")
        await in_step(game, twin)
        assert twin.outcomes(1) == [("refused", None)]


async def test_a_replacement_that_is_no_card_is_refused_and_changes_nothing() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice = await server.open("alice")
        for number, new in enumerate(["", "two words", "\u3000"], 10):
            await alice.say({"type": "replace", "id": number, "old": "A", "new": new})
            assert await alice.outcome(number) == ("refused", None)
        assert (await game.snapshot()).version == 0
        assert alice.count("error") == 0


async def test_a_frame_that_makes_no_sense_is_refused_before_anything_is_asked_or_sent() -> None:
    async def send(frame: str) -> None:
        raise AssertionError(frame)

    async with open_game(Board.parse(BOARD)) as game, trio.open_nursery() as nursery:
        with pytest.raises(InvalidCommand):
            await Moves(game, "alice", anybody(), send, nursery.start_soon).answer("nonsense")


async def test_a_new_card_that_is_too_long_or_has_a_control_character_is_refused_in_words() -> None:
    async with open_game(Board.parse(BOARD)) as game, serving(game) as server:
        alice = await server.open("alice")
        for number, new in enumerate(("Z" * 256, "Z\x1b[2J", "Z\x9b", "Z\x00")):
            await alice.say({"type": "replace", "id": number, "old": "A", "new": new})
            assert await alice.outcome(number) == ("refused", None)
        reasons = [frame["reason"] for frame in alice.frames if frame["type"] == "replace"]
        assert reasons == [
            "a new card has at most 255 characters on this server, not 256",
            *(f"a new card has no control characters, and this one has U+00{code}" for code in ("1B", "9B", "00")),
        ]
        await alice.say({"type": "replace", "id": 9, "old": "A" * 300, "new": "Z" * 255})
        assert await alice.outcome(9) == ("ok", None)


class SlowToSend:
    """The sending side of a connection. Each outcome waits until the test releases it."""

    def __init__(self) -> None:
        self.begun: list[object] = []
        self.sent: list[object] = []
        self._go: dict[object, trio.Event] = {}

    async def send(self, frame: str) -> None:
        outcome = json.loads(frame)["outcome"]
        self.begun.append(outcome)
        await self._go.setdefault(outcome, trio.Event()).wait()
        self.sent.append(outcome)

    def go(self, outcome: str) -> None:
        self._go.setdefault(outcome, trio.Event()).set()


async def test_the_next_frame_is_not_read_before_the_outcome_of_a_flip_is_sent() -> None:
    async with open_game(Board.parse(BOARD)) as game, trio.open_nursery() as nursery:
        client, answered = SlowToSend(), trio.Event()
        moves = Moves(game, "alice", anybody(), client.send, nursery.start_soon)

        async def answer() -> None:
            await moves.answer('{"type":"flip","row":0,"column":0}')
            answered.set()

        nursery.start_soon(answer)
        await wait_all_tasks_blocked()
        assert (client.begun, client.sent, answered.is_set()) == (["ok"], [], False)
        client.go("ok")
        await answered.wait()
        assert client.sent == ["ok"]


async def test_a_flip_that_is_granted_while_its_waiting_is_being_sent_says_so_after_it() -> None:
    async with open_game(Board.parse(BOARD)) as game, trio.open_nursery() as nursery:
        client = SlowToSend()
        await game.flip("alice", 0, 0)
        moves = Moves(game, "bob", anybody(), client.send, nursery.start_soon)
        nursery.start_soon(moves.answer, '{"type":"flip","row":0,"column":0}')
        await wait_all_tasks_blocked()
        await game.flip("alice", 0, 1)
        client.go("ok")
        await wait_all_tasks_blocked()
        assert (client.begun, client.sent) == (["waiting"], [])
        client.go("waiting")
        await wait_all_tasks_blocked()
        assert client.sent == ["waiting", "ok"]
