"""Rules 2-A to 2-E: a player who controls a first card tries to turn over a second card."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Catalogue
from scramble.conform.memory.client import MemoryTable

CASES: Final = Catalogue[MemoryTable]()
case: Final = CASES.case

A = (
    "if there is no card there, the operation fails. The player also relinquishes control of their first card (but it "
    "remains face up for now)"
)
B = (
    "if the card is face up and controlled by a player (another player or themselves), the operation fails. To avoid "
    "deadlocks, the operation does not wait. The player also relinquishes control of their first card"
)
C = "if the card is face down, it turns face up"
D = "if the two cards are the same, that's a successful match! The player keeps control of both cards"
E = "if they are not the same, the player relinquishes control of both cards (again, they remain face up for now)"


@case("2-A", "fails-on-an-empty-space", A)
async def fails_on_an_empty_space(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    gone, twin, other, first = table.take("AABC")
    await alice.pair(gone, twin)
    await alice.first(other)
    await bob.first(first)
    await bob.fails(gone, "there is no card")
    await bob.sees({first: "up", gone: "none"})


@case("2-A", "relinquishes-the-first-card", A)
async def a_relinquishes_the_first_card(table: MemoryTable) -> None:
    alice, bob, carol = table.players(3)
    gone, twin, other, first = table.take("AABC")
    await alice.pair(gone, twin)
    await alice.first(other)
    await bob.first(first)
    waiting = carol.begin_flip(first)
    await waiting.waits("bob controls the card")
    await bob.fails(twin, "there is no card")
    carol.check(await waiting.board("bob relinquished the card (2-A)"), {first: "my"})


@case(
    "2-A",
    "makes-the-next-card-a-first-card",
    "after trying to turn over a second card, successfully or not, the player tries a first card",
)
async def makes_the_next_card_a_first_card(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    gone, twin, other, first, next_first, next_twin = table.take("AABCDD")
    await alice.pair(gone, twin)
    await alice.first(other)
    await bob.first(first)
    await bob.fails(gone, "there is no card")
    await bob.pair(next_first, next_twin)


@case("2-B", "fails-on-another-players-card", B)
async def fails_on_another_players_card(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    hers, his = table.take("AB")
    await alice.first(hers)
    await bob.first(his)
    await bob.fails(hers, "alice controls the card")
    await bob.sees({his: "up", hers: "up"})
    await alice.sees({hers: "my", his: "up"})


@case("2-B", "fails-even-if-the-cards-match", B)
async def fails_even_if_the_cards_match(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    hers, his = table.take("AA")
    await alice.first(hers)
    await bob.first(his)
    await bob.fails(hers, "alice controls the card")
    await bob.sees({his: "up", hers: "up"})
    await alice.sees({hers: "my", his: "up"})


@case("2-B", "fails-on-ones-own-first-card", B)
async def fails_on_ones_own_first_card(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    (first,) = table.take("A")
    await alice.first(first)
    await alice.fails(first, "she controls the card herself")
    await alice.sees({first: "up"})
    await bob.first(first)  # nobody controls it


@case("2-B", "does-not-deadlock", B)
async def does_not_deadlock(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    hers, his, spare = table.take("ABC")
    await alice.first(hers)
    await bob.first(his)
    await alice.fails(his, "bob controls the card")
    await bob.turns(hers)  # alice relinquished it: it is face up and not controlled
    await bob.sees({hers: "up", his: "up"})
    await alice.first(spare)


@case("2-B", "fails-on-a-matched-card", B)
async def fails_on_a_matched_card(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    one, twin, first = table.take("AAB")
    await alice.pair(one, twin)
    await bob.first(first)
    await bob.fails(twin, "alice keeps control of her pair")
    await alice.sees({one: "my", twin: "my", first: "up"})


@case("2-B", "relinquishes-the-first-card", B)
async def b_relinquishes_the_first_card(table: MemoryTable) -> None:
    alice, bob, carol = table.players(3)
    hers, his = table.take("AB")
    await alice.first(hers)
    await bob.first(his)
    await bob.fails(hers, "alice controls the card")
    await carol.first(his)
    await alice.sees({hers: "my", his: "up"})


@case("2-C", "turns-a-face-down-card-up", C)
async def turns_a_face_down_card_up(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, second = table.take("AB")
    await alice.misses(first, second)
    await bob.sees({first: "up", second: "up"})


@case("2-D", "keeps-control-of-both", D)
async def keeps_control_of_both(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, twin = table.take("AA")
    await alice.pair(first, twin)
    await bob.sees({first: "up", twin: "up"})
    await alice.sees({first: "my", twin: "my"})


@case(
    "2-D",
    "matches-a-face-up-card",
    "if the card is face up but not controlled by a player, the second card may match it",
)
async def matches_a_face_up_card(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    one, other, twin = table.take("ABA")
    await alice.misses(one, other)
    await bob.first(twin)
    bob.check(await bob.turns(one), {one: "my", twin: "my"})
    await alice.sees({one: "up", twin: "up", other: "up"})


@case("2-E", "relinquishes-both", E)
async def relinquishes_both(table: MemoryTable) -> None:
    alice, bob, carol = table.players(3)
    first, second = table.take("AB")
    await alice.misses(first, second)
    await alice.sees({first: "up", second: "up"})
    await bob.first(first)
    await carol.first(second)


@case("2-E", "relinquishes-a-face-up-second-card", E)
async def relinquishes_a_face_up_second_card(table: MemoryTable) -> None:
    alice, bob, carol = table.players(3)
    one, two, first = table.take("ABC")
    await alice.misses(one, two)
    await bob.first(first)
    bob.check(await bob.turns(one), {one: "up", first: "up"})
    await carol.first(one)
