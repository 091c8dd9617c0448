"""Changing cards: `replace` maps every card, whatever its face and its controller."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Broken, Catalogue, Skipped
from scramble.conform.memory.client import MemoryTable, Player, board_of

CASES: Final = Catalogue[MemoryTable]()
case: Final = CASES.case

EVERY = "it doesn't matter whether a card is face up or down, or controlled: it can still be replaced"
KEEPS = "the face-up/face-down and control state of a card is unaffected by the replacement"
MATCHES = "if two cards on the board match each other, no player may observe a board in which they do not match"


async def needs_replacements(table: MemoryTable, player: Player) -> None:
    """Skip the case if the server cannot replace a card by itself: the handout's pages do not need this request."""
    (space,) = table.take("A")
    card = table.ground.cards[space]
    answer = await player.begin_replace(card, card).answered("a replacement never waits for players")
    try:
        board_of(answer, "a replacement")
    except Broken:
        raise Skipped(f"the server answers a replacement with {answer.status}: it seems to have none") from None


async def _replace(table: MemoryTable, player: Player, old: str, new: str) -> None:
    """Replace a card; skip the case if the server has no replacements."""
    await needs_replacements(table, player)
    await player.replace(old, new)


def _fresh_card(table: MemoryTable) -> str:
    """Return a card that is not on the board."""
    return table.ground.name("🍭card")


@case("map", "replaces-every-card", EVERY, editions=["2025"])
async def replaces_every_card(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    mine, up, other, down = table.take("AABA")
    await bob.misses(up, other)
    await alice.first(mine)
    await _replace(table, bob, table.ground.cards[mine], _fresh_card(table))
    await alice.sees({mine: "my", up: "up", other: "up", down: "down"})
    await bob.first(down)  # shows the new card


@case("map", "keeps-faces-and-control", KEEPS, editions=["2025"])
async def keeps_faces_and_control(table: MemoryTable) -> None:
    alice, bob, carol = table.players(3)
    first, twin, hers = table.take("AAB")
    await alice.pair(first, twin)
    await bob.first(hers)
    await _replace(table, carol, table.ground.cards[first], _fresh_card(table))
    await alice.sees({first: "my", twin: "my", hers: "up"})
    await bob.sees({first: "up", twin: "up", hers: "my"})


@case("map", "keeps-a-match", MATCHES, editions=["2025"])
async def keeps_a_match(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, twin = table.take("AA")
    await alice.first(first)
    await _replace(table, bob, table.ground.cards[first], _fresh_card(table))
    alice.check(await alice.turns(twin), {first: "my", twin: "my"})


@case(
    "map",
    "may-make-a-match",
    "the function need not be one-to-one: two different cards may become equal",
    editions=["2025"],
)
async def may_make_a_match(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, other = table.take("AB")
    await alice.first(first)
    await _replace(table, bob, table.ground.cards[first], table.ground.cards[other])
    alice.check(await alice.turns(other), {first: "my", other: "my"})


@case("map", "does-not-end-a-wait", KEEPS, editions=["2025"])
async def does_not_end_a_wait(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first, second = table.take("AB")
    await alice.first(first)
    waiting = bob.begin_flip(first)
    await waiting.waits("alice controls the card")
    await _replace(table, alice, table.ground.cards[first], _fresh_card(table))
    await waiting.waits("alice still controls the card")
    await alice.turns(second)
    bob.check(await waiting.board("alice relinquished the card"), {first: "my"})


@case(
    "map",
    "is-seen-by-a-watch",
    "a change is also a card changing from one string to a different string",
    editions=["2025"],
)
async def is_seen_by_a_watch(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    (first,) = table.take("A")
    await alice.first(first)
    watch = await bob.watches()
    await _replace(table, alice, table.ground.cards[first], _fresh_card(table))
    bob.check(await watch.board("a card has changed"), {first: "up"})


@case(
    "map", "of-no-card-changes-nothing", "a watch waits until a card changes to a different string", editions=["2025"]
)
async def of_no_card_changes_nothing(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    watch = await bob.watches()
    await _replace(table, alice, "not_a_card", "neither_a_card")
    await watch.waits("no card was replaced")


@case(
    "map",
    "does-not-finish-a-play",
    "the previous play is finished when the player tries a new first card",
    editions=["2025"],
)
async def does_not_finish_a_play(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    first, second = table.take("AB")
    await alice.misses(first, second)
    await _replace(table, alice, table.ground.cards[first], _fresh_card(table))
    await alice.sees({first: "up", second: "up"})
