"""Watching: a watch waits until the next time the board changes, and responds with the board."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.memory.client import MemoryTable, Pending, Player
from scramble.conform.memory.rules import Place

CASES: Final = Catalogue[MemoryTable]()
case: Final = CASES.case

WAITS = "the watch waits until the next time the board changes. At that point, it responds with the current state"
CHANGE = "a change is any cards turning face up or face down, being removed, or changing to a different string"
NO_CHANGE = (
    "if a player tries to turn over an empty space, or takes control or relinquishes control of a card but it does not "
    "turn face up or down, pending watch requests must continue to wait"
)


async def _notified(watcher: Player, watch: Pending, places: dict[Place, str]) -> None:
    """Check that a watch is answered with a board that has the change, or at least a part of it."""
    board = await watch.board("the board has changed")
    if not any(_has(watcher, board, place, state) for place, state in places.items()):
        place = next(iter(places))
        raise Broken(
            f"{watch.told} was answered with a board without the change: {str(board[place])!r} at {place[0]},{place[1]}"
        )


def _has(watcher: Player, board: object, place: Place, state: str) -> bool:
    try:
        watcher.check(board, {place: state})  # type: ignore[arg-type]
    except Broken:
        return False
    return True


@case("watch", "waits-for-a-change", WAITS)
async def waits_for_a_change(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    (space,) = table.take("A")
    watch = await bob.watches()
    await alice.first(space)
    await _notified(bob, watch, {space: "up"})


@case("watch", "sees-a-card-turn-down", CHANGE)
async def sees_a_card_turn_down(table: MemoryTable) -> None:
    alice, bob, carol = table.players(3)
    first, second, his = table.take("ABC")
    await carol.first(his)
    await alice.misses(first, second)
    watch = await bob.watches()
    waiting = alice.begin_flip(his)  # 3-B turns her cards down; then the flip waits
    await _notified(bob, watch, {first: "down", second: "down"})
    await waiting.waits("carol controls the card")


@case("watch", "sees-a-pair-removed", CHANGE)
async def sees_a_pair_removed(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, twin = table.take("AA")
    await alice.pair(first, twin)
    watch = await bob.watches()
    await alice.fails(first, "the pair is removed before the flip")
    await _notified(bob, watch, {first: "none", twin: "none"})


@case("watch", "shows-the-watchers-own-board", "the board state is from the player's perspective")
async def shows_the_watchers_own_board(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    his, hers = table.take("AB")
    await bob.first(his)
    watch = await bob.watches()
    await alice.first(hers)
    bob.check(await watch.board("a card was turned up"), {his: "my", hers: "up"})


@case("watch", "ignores-taking-control", NO_CHANGE)
async def ignores_taking_control(table: MemoryTable) -> None:
    alice, bob, carol = table.players(3)
    first, second = table.take("AB")
    await alice.misses(first, second)
    watch = await bob.watches()
    await carol.first(first)
    await watch.waits("a player took control of a face-up card (1-C): that is no change")


@case("watch", "ignores-relinquishing-control", NO_CHANGE)
async def ignores_relinquishing_control(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    (first,) = table.take("A")
    await alice.first(first)
    watch = await bob.watches()
    await alice.fails(first, "she controls the card herself")
    await watch.waits("a player relinquished a card that stays face up (2-B): that is no change")


@case("watch", "ignores-a-flip-of-an-empty-space", NO_CHANGE)
async def ignores_a_flip_of_an_empty_space(table: MemoryTable) -> None:
    alice, bob, carol = table.players(3)
    first, twin, other = table.take("AAB")
    await alice.pair(first, twin)
    await alice.first(other)
    watch = await bob.watches()
    await carol.fails(first, "there is no card")
    await watch.waits("a player tried to turn over an empty space: that is no change")


@case("watch", "ignores-looks", WAITS)
async def ignores_looks(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    watch = await bob.watches()
    await alice.look()
    await bob.look()
    await watch.waits("a look changes nothing")


@case(
    "watch", "lets-the-player-play", "while a watch is waiting, the player may use other commands, processed normally"
)
async def lets_the_player_play(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    first, second = table.take("AB")
    watch = await alice.watches()
    await alice.look()
    await alice.misses(first, second)
    await _notified(alice, watch, {first: "up"} | {second: "up"} | {first: "my"})


@case("watch", "answers-every-watcher", WAITS)
async def answers_every_watcher(table: MemoryTable) -> None:
    alice, bob, carol, dave = table.players(4)
    (space,) = table.take("A")
    watches = [(player, await player.watches()) for player in (bob, carol, dave)]
    watches.append((bob, await bob.watches()))  # a second connection of the same player
    await alice.first(space)
    for player, watch in watches:
        await _notified(player, watch, {space: "up"})


@case("watch", "waits-again", WAITS)
async def waits_again(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, second = table.take("AB")
    watch = await bob.watches()
    await alice.first(first)
    await _notified(bob, watch, {first: "up"})
    watch = await bob.watches()
    await alice.turns(second)
    await _notified(bob, watch, {second: "up"})
