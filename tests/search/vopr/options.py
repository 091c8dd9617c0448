"""The options that one seed determines: the game, its players, their style of play, and the faults."""

from __future__ import annotations

import random
from typing import Literal, get_args

import msgspec

from tests.search.vopr.disk import SECTOR_BYTES, LostSync

GameName = Literal["memory", "minesweeper", "crossword"]
GAMES: tuple[GameName, ...] = get_args(GameName)

Ending = Literal["kill", "kill in a write", "power cut", "power cut in a write", "disk failure", "disk full", "stop"]
"""The end of one life of the server, or its cause."""

ENDINGS: tuple[Ending, ...] = get_args(Ending)


class Options(msgspec.Struct, frozen=True):
    """All options that the seed determines before the run. Printed with a failure, and derived again from the seed."""

    seed: int
    game: GameName
    players: int
    looks: int  # for every twenty requests that change something
    rows: int
    columns: int
    kinds: int  # of cards; or the percentage of squares with a bomb
    edition: Literal["2022", "2025"]
    endings: tuple[Ending, ...]  # of the lives before the last
    think_s: float  # between a player's requests
    network_s: float  # the longest time that a piece of data takes
    whole_pieces: bool  # data is not split on its way
    commit_s: float  # the longest time that a commit takes
    patience_s: float  # the time before a player gives up
    cut_rate: float  # of requests that are cancelled early on purpose
    half_close_rate: float  # of the cancelled requests that only send a FIN
    clock_jump_rate: float  # per second
    sector: int
    lost_sync: LostSync
    digest_every: int  # the journal's; a small number also makes snapshots frequent
    damage: bool  # flip a bit of the file at the end

    def __str__(self) -> str:
        return "\n".join(f"  {name} = {getattr(self, name)!r}" for name in self.__struct_fields__)


def derive(seed: int, game: GameName | None = None) -> Options:
    """The options of a seed. `game` replaces the seed's choice of a game."""
    rng = random.Random(f"options {seed}")
    chosen = rng.choice(GAMES)
    return Options(
        seed=seed,
        game=game or chosen,
        players=rng.choice((2, 3, 4, 5)),
        looks=rng.choice((2, 20)),
        rows=rng.choice((2, 3, 4)),
        columns=rng.choice((2, 3, 4)),
        kinds=rng.choice((1, 2, 3, 4)),
        edition=rng.choice(("2022", "2025")),
        endings=tuple(rng.choice(ENDINGS) for _ in range(rng.choice((1, 2, 3)))),
        think_s=rng.choice((0.01, 0.03, 0.1)),
        network_s=rng.choice((0.0, 0.001, 0.05)),
        whole_pieces=rng.random() < 0.5,
        commit_s=rng.choice((0.0, 0.02, 0.1)),
        patience_s=rng.choice((0.5, 2.0)),
        cut_rate=rng.choice((0.0, 0.1, 0.4)),
        half_close_rate=rng.choice((0.0, 0.5)),
        clock_jump_rate=rng.choice((0.0, 0.5)),
        sector=rng.choice(SECTOR_BYTES),
        lost_sync=rng.choice(tuple(LostSync)),
        digest_every=rng.choice((7, 1000)),
        damage=rng.random() < 0.2,
    )
