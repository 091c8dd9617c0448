"""Concurrent clients, judged by the nondeterministic specification of the handout: level beta."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Broken, Catalogue, Skipped
from scramble.conform.memory.cases.replace import needs_replacements
from scramble.conform.memory.client import MemoryTable, Player
from scramble.conform.memory.runs import Mix, all_answered, play_runs, settle

CASES: Final = Catalogue[MemoryTable]()
case: Final = CASES.case

RUNS: Final = 16
CROWD: Final = 40
SPACES: Final = "130"
"""The unused spaces that a case with runs needs of a server that the check starts."""

SAFE: Final = (
    "the board must never reach an inconsistent state, such as two players controlling the same card; each answer must "
    "follow from the rules in some order of the requests"
)


@case("concurrent", "one-card-for-many", "if a card is controlled by another player, the operation waits", level="beta")
async def one_card_for_many(table: MemoryTable) -> None:
    players = [player for _ in range(4) for player in table.players(5)]
    (space,) = table.take("A")
    flips = {player.name: player.begin_flip(space) for player in players}
    await settle(list(flips.values()), table.ground.quiet_s, table.patience_s)
    winners = [name for name, flip in flips.items() if flip.is_answered]
    if len(winners) != 1:
        raise Broken(
            f"20 players flipped one card at once, and {len(winners)} of them were answered: {', '.join(winners)}"
        )
    board = await flips[winners[0]].board("one player gets the card")
    if board[space].state != "my":
        raise Broken(f"{winners[0]}'s flip was answered, but {winners[0]} sees {str(board[space])!r} there")


@case("concurrent", "a-crowd-plays", "other players continue to play normally", level="beta", places="90")
async def a_crowd_plays(table: MemoryTable) -> None:
    games: list[tuple[Player, tuple[int, int], tuple[int, int]]] = []
    for number in range(CROWD):
        try:
            first, twin = table.take("AA")
        except Skipped:
            if number < 2:
                raise
            break
        games.append((table.players(1)[0], first, twin))
    for spaces in ([first for _, first, _ in games], [twin for _, _, twin in games]):
        flips = [player.begin_flip(space) for (player, _, _), space in zip(games, spaces, strict=True)]
        await all_answered(flips, table.patience_s, "no player flips a card of another player")
    looks = [player.begin_look() for player, _, _ in games]
    await all_answered(looks, table.patience_s, "a look never waits")
    for (player, first, twin), look in zip(games, looks, strict=True):
        player.check(await look.board("a look never waits"), {first: "my", twin: "my"})


def _runs(claim: str, mix: Mix) -> None:
    """Add a case of random runs."""

    async def play(table: MemoryTable) -> None:
        (alice,) = table.players(1)
        if mix.replacers:
            await needs_replacements(table, alice)
        if mix.watchers:
            (await alice.watches()).leave()
        await alice.look()  # tells the speed of the server
        await play_runs(table, mix, table.seed, runs=RUNS)

    editions = ["2025"] if mix.replacers else []
    case("concurrent", claim, SAFE, level="beta", editions=editions, places=SPACES)(play)


_runs("three-players-four-cards", Mix("AABB", flippers=3, flips=6))
_runs("players-wait-for-each-other", Mix("AB", flippers=4, flips=4))
_runs("pairs-are-removed", Mix("AAAA", flippers=3, flips=6))
_runs("looks-between", Mix("AABC", flippers=3, flips=5, lookers=1))
_runs("watches-between", Mix("AAB", flippers=3, flips=4, watchers=1))
_runs("replacements-between", Mix("AABB", flippers=3, flips=4, replacers=1, lookers=1))
