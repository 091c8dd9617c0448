"""Rules 3-A and 3-B: with the next first card a player finishes the previous play."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Catalogue
from scramble.conform.memory.client import MemoryTable

CASES: Final = Catalogue[MemoryTable]()
case: Final = CASES.case

A = "if they had turned over a matching pair, those cards are removed from the board, and they relinquish control"
B = (
    "otherwise, for each of those card(s), if the card is still on the board, currently face up, and currently not "
    "controlled by another player, the card is turned face down"
)
BEFORE = (
    "when they try again to turn over a first card, before following the rules above, they finish their previous play"
)


@case("3-A", "removes-a-pair", A)
async def removes_a_pair(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, twin, other = table.take("AAB")
    await alice.pair(first, twin)
    await alice.first(other)
    for player in (alice, bob):
        await player.sees({first: "none", twin: "none"})


@case(
    "3-A",
    "waits-for-the-players-own-move",
    "if the player never tries to turn over a new first card, the steps of 3-A/B never occur",
)
async def waits_for_the_players_own_move(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, twin, one, two, three = table.take("AABCD")
    await alice.pair(first, twin)
    await bob.misses(one, two)
    await bob.first(three)
    await alice.sees({first: "my", twin: "my"})


@case("3-A", "comes-before-the-flip", f"{BEFORE}; then there is no card (1-A)")
async def comes_before_the_flip(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    first, twin, other = table.take("AAB")
    await alice.pair(first, twin)
    await alice.fails(twin, "the pair is removed before the flip")
    await alice.sees({first: "none", twin: "none"})
    await alice.first(other)


@case("3-A", "comes-before-a-wait", BEFORE)
async def a_comes_before_a_wait(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, twin, his = table.take("AAB")
    await alice.pair(first, twin)
    await bob.first(his)
    waiting = alice.begin_flip(his)
    await waiting.waits("bob controls the card")
    await bob.sees({first: "none", twin: "none", his: "my"})


@case("3-B", "turns-both-cards-down", B)
async def turns_both_cards_down(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, second, other = table.take("ABC")
    await alice.misses(first, second)
    await alice.first(other)
    for player in (alice, bob):
        await player.sees({first: "down", second: "down"})


@case(
    "3-B",
    "waits-for-the-players-own-move",
    "the cards stay face up until the player who turned them over makes another move",
)
async def b_waits_for_the_players_own_move(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, second, one, two, three = table.take("ABCDE")
    await alice.misses(first, second)
    await bob.misses(one, two)
    await bob.first(three)
    await alice.sees({first: "up", second: "up", one: "down", two: "down"})


@case("3-B", "leaves-a-card-of-another-player", B)
async def leaves_a_card_of_another_player(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, second, other = table.take("ABC")
    await alice.misses(first, second)
    await bob.first(first)
    await alice.first(other)
    await bob.sees({first: "my", second: "down"})


@case("3-B", "leaves-a-matched-card-of-another-player", B)
async def leaves_a_matched_card_of_another_player(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, second, twin, other = table.take("ABAC")
    await alice.misses(first, second)
    await bob.pair(twin, first)
    await alice.first(other)
    await bob.sees({first: "my", twin: "my", second: "down"})


@case("3-B", "turns-down-a-card-relinquished-again", B)
async def turns_down_a_card_relinquished_again(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, second, his, other = table.take("ABCD")
    await alice.misses(first, second)
    await bob.first(first)
    await bob.turns(his)
    await alice.first(other)
    await bob.sees({first: "down", second: "down", his: "up"})


@case("3-B", "skips-a-card-that-is-down", B)
async def skips_a_card_that_is_down(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, second, his, other, last = table.take("ABCDE")
    await alice.misses(first, second)
    await bob.first(first)
    await bob.turns(his)
    await alice.first(other)  # turns bob's first card down, too
    await bob.first(last)
    await bob.sees({first: "down", his: "down", last: "my"})


@case("3-B", "skips-a-removed-card", B)
async def skips_a_removed_card(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, second, twin, other, last = table.take("ABACD")
    await alice.misses(first, second)
    await bob.pair(twin, first)
    await bob.first(other)
    await alice.first(last)
    await alice.sees({first: "none", twin: "none", second: "down", last: "my"})


@case(
    "3-B",
    "may-turn-the-same-card-up-again",
    f"{BEFORE}: the card turns down, then up, and the player controls it (1-B)",
)
async def may_turn_the_same_card_up_again(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    first, second = table.take("AB")
    await alice.misses(first, second)
    await alice.first(second)
    await alice.sees({first: "down", second: "my"})


@case("3-B", "turns-one-card-down-after-2-A", f"{B} (one card: the second flip failed by 2-A)")
async def turns_one_card_down_after_2a(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    gone, twin, hers, first, other = table.take("AABCD")
    await alice.pair(gone, twin)
    await alice.first(hers)
    await bob.first(first)
    await bob.fails(gone, "there is no card")
    await bob.sees({first: "up"})
    await bob.first(other)
    await bob.sees({first: "down", other: "my"})


@case("3-B", "turns-one-card-down-after-2-B", f"{B} (one card: the second flip failed by 2-B)")
async def turns_one_card_down_after_2b(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    hers, first, other = table.take("ABC")
    await alice.first(hers)
    await bob.first(first)
    await bob.fails(hers, "alice controls the card")
    await bob.first(other)
    await bob.sees({first: "down", hers: "up", other: "my"})
    await alice.sees({hers: "my"})


@case("3-B", "turns-ones-own-card-down-after-2-B", f"{B} (one card: the player flipped the own first card)")
async def turns_ones_own_card_down_after_2b(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    first, other = table.take("AB")
    await alice.first(first)
    await alice.fails(first, "she controls the card herself")
    await alice.first(other)
    await alice.sees({first: "down", other: "my"})


@case("3-B", "comes-before-a-wait", BEFORE)
async def b_comes_before_a_wait(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, second, his = table.take("ABC")
    await bob.first(his)
    await alice.misses(first, second)
    waiting = alice.begin_flip(his)
    await waiting.waits("bob controls the card")
    await bob.sees({first: "down", second: "down", his: "my"})


@case("3-B", "happens-once", "the previous play is finished by the next move, and not again by later moves")
async def happens_once(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, second, one, two, his, last = table.take("ABCDEF")
    await alice.misses(first, second)
    await alice.misses(one, two)
    await bob.first(first)
    await bob.turns(his)
    await alice.first(last)
    await bob.sees({first: "up", his: "up", one: "down", two: "down"})
