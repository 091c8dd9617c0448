"""Rules 1-A to 1-D: a player tries to turn over a first card."""

from __future__ import annotations

from typing import Final

import trio

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.memory.client import MemoryTable, Pending, board_of
from scramble.conform.memory.rules import Place
from scramble.conform.memory.runs import settle

CASES: Final = Catalogue[MemoryTable]()
case: Final = CASES.case

A = "if there is no card there, the operation fails"
B = "if the card is face down, it turns face up (all players can now see it) and the player controls that card"
C = "if the card is face up, but not controlled by another player, it remains face up, and the player controls the card"
D = (
    "if the card is face up and controlled by another player, the operation waits. The player will contend with other "
    "players to take control of the card at the next opportunity"
)


@case("1-A", "fails-on-an-empty-space", A)
async def fails_on_an_empty_space(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, twin, other = table.take("AAB")
    await alice.pair(first, twin)
    await alice.first(other)
    await bob.fails(first, "there is no card")
    await bob.sees({first: "none"})


@case("1-A", "comes-after-the-end-of-the-previous-play", f"first they finish their previous play; then {A}")
async def comes_after_the_end_of_the_previous_play(table: MemoryTable) -> None:
    alice, bob, carol = table.players(3)
    gone, gone_twin, other, first, second, one, twin = table.take("AABCDEE")
    await alice.pair(gone, gone_twin)
    await alice.first(other)
    await bob.misses(first, second)
    await carol.pair(one, twin)
    await bob.fails(gone, "there is no card")
    await carol.fails(gone_twin, "there is no card")
    await alice.sees({first: "down", second: "down", one: "none", twin: "none"})


@case("1-A", "leaves-the-player-without-a-card", "the player can still continue to play: the next card is a first card")
async def leaves_the_player_without_a_card(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, twin, other, next_first, next_twin = table.take("AABCC")
    await alice.pair(first, twin)
    await alice.first(other)
    await bob.fails(twin, "there is no card")
    await bob.pair(next_first, next_twin)


@case("1-B", "turns-the-card-up", B)
async def turns_the_card_up(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    (space,) = table.take("A")
    await alice.sees({space: "down"})
    await alice.first(space)
    await alice.sees({space: "my"})


@case("1-B", "shows-it-to-all-players", B)
async def shows_it_to_all_players(table: MemoryTable) -> None:
    alice, bob, carol = table.players(3)
    (space,) = table.take("A")
    await alice.first(space)
    await bob.sees({space: "up"})
    await carol.sees({space: "up"})


@case("1-C", "takes-a-face-up-card", C)
async def takes_a_face_up_card(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, second = table.take("AB")
    await alice.misses(first, second)
    await bob.first(second)
    await alice.sees({first: "up", second: "up"})
    await bob.sees({first: "up", second: "my"})


@case("1-C", "takes-a-card-of-a-failed-flip", C)
async def takes_a_card_of_a_failed_flip(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    (first,) = table.take("A")
    await alice.first(first)
    await alice.fails(first, "alice controls the card herself (2-B)")
    await bob.first(first)


@case("1-D", "waits-while-controlled", D)
async def waits_while_controlled(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, second = table.take("AB")
    await alice.first(first)
    waiting = bob.begin_flip(first)
    await waiting.waits("alice controls the card")
    await bob.sees({first: "up"})
    await alice.turns(second)
    bob.check(await waiting.board("alice relinquished the card (2-E)"), {first: "my"})
    await bob.sees({first: "my", second: "up"})


@case("1-D", "fails-when-the-card-is-removed", "Charlie finally gets a chance at the card, but it's gone (1-A)")
async def fails_when_the_card_is_removed(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, twin, other, spare = table.take("AABC")
    await alice.pair(first, twin)
    waiting = bob.begin_flip(twin)
    await waiting.waits("alice controls the card")
    await alice.first(other)
    answer = await waiting.answered("alice's cards are removed (3-A)")
    if answer.status < 400 and board_of(answer, waiting.told)[twin].state != "none":
        raise Broken(f"{waiting.told} must fail by 1-A: the card is removed")
    await bob.sees({twin: "none"})
    await bob.first(spare)  # the next card is a first card


@case("1-D", "ends-for-all-players-when-cards-are-removed", "Charlie finally gets a chance at the card, but it's gone")
async def ends_for_all_players_when_cards_are_removed(table: MemoryTable) -> None:
    alice, *others = table.players(5)
    first, twin, other = table.take("AAB")
    await alice.pair(first, twin)
    waiting = [player.begin_flip(space) for player, space in zip(others, (first, twin, first, twin), strict=True)]
    for pending in waiting:
        await pending.waits("alice controls the card")
    await alice.first(other)
    for pending in waiting:
        answer = await pending.answered("alice's cards are removed (3-A)")
        if answer.status < 400 and board_of(answer, pending.told)[first].state != "none":
            raise Broken(f"{pending.told} must fail by 1-A: the card is removed")


@case(
    "1-D",
    "waits-for-a-matched-card",
    "your simulation should not terminate if one player turns over matching cards in their last move",
)
async def waits_for_a_matched_card(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, twin = table.take("AA")
    await alice.pair(first, twin)
    await bob.begin_flip(twin).waits("alice keeps control of a matched pair until her next move (2-D)")


@case("1-D", "is-served-after-a-failed-flip", D)
async def is_served_after_a_failed_flip(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    (first,) = table.take("A")
    await alice.first(first)
    waiting = bob.begin_flip(first)
    await waiting.waits("alice controls the card")
    await alice.fails(first, "a player controls the card (2-B)")
    bob.check(await waiting.board("alice relinquished the card (2-B)"), {first: "my"})


@case("1-D", "does-not-stop-other-players", "while one player is waiting, other players continue to play normally")
async def does_not_stop_other_players(table: MemoryTable) -> None:
    alice, bob, carol = table.players(3)
    first, other, twin, last = table.take("ABBC")
    await alice.first(first)
    waiting = bob.begin_flip(first)
    await waiting.waits("alice controls the card")
    await carol.pair(other, twin)
    await carol.first(last)
    await waiting.waits("alice still controls the card")


@case("1-D", "does-not-stop-looks", "a player who waits for a flip may look at the board")
async def does_not_stop_looks(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    (first,) = table.take("A")
    await alice.first(first)
    waiting = bob.begin_flip(first)
    await waiting.waits("alice controls the card")
    await bob.sees({first: "up"})
    await waiting.waits("alice still controls the card")


@case("1-D", "gives-the-card-to-one-of-many", "either Bob or Charlie will now get to control the card")
async def gives_the_card_to_one_of_many(table: MemoryTable) -> None:
    alice, *others = table.players(4)
    first, *seconds = table.take("ABCDE")
    await alice.first(first)
    waiting = {player.name: player.begin_flip(first) for player in others}
    for pending in waiting.values():
        await pending.waits("alice controls the card")
    holder = alice
    for second in seconds[:3]:
        await holder.turns(second)
        name = await _winner(waiting, first, table)
        holder = next(player for player in others if player.name == name)
        await holder.sees({first: "my"})
        del waiting[name]
        for pending in waiting.values():
            await pending.waits(f"{name} controls the card now")


async def _winner(waiting: dict[str, Pending], first: Place, table: MemoryTable) -> str:
    """Wait until one of the flips is answered, and return its player."""
    await settle(list(waiting.values()), table.ground.quiet_s, table.patience_s)
    answered = [name for name, pending in waiting.items() if pending.is_answered]
    if len(answered) > 1:
        raise Broken(
            f"two players, {answered[0]} and {answered[1]}, got the card at {first[0]},{first[1]} that one can control"
        )
    board = await waiting[answered[0]].board("the card was relinquished")
    if board[first].state != "my":
        raise Broken(f"{answered[0]}'s flip was answered, but {answered[0]} sees {str(board[first])!r} there")
    return answered[0]


@case(
    "1-D",
    "forgets-a-player-who-leaves",
    "the handout does not say what a closed connection means for a flip that waits",
)
async def forgets_a_player_who_leaves(table: MemoryTable) -> None:
    alice, bob, carol = table.players(3)
    first, second = table.take("AB")
    await alice.first(first)
    waiting = bob.begin_flip(first)
    await waiting.waits("alice controls the card")
    waiting.leave()
    await alice.turns(second)
    next_flip = carol.begin_flip(first)
    with trio.move_on_after(table.patience_s):
        await next_flip.done()
    if not next_flip.is_answered:
        table.deviates("a player whose connection is closed while a flip waits gets the card later")
