"""Concurrent clients by our telnet wire: races for IDs, matches and words, and random matches. Level beta."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import trio

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.crossword.client import WIRE, CrosswordTable, Player
from scramble.conform.crossword.runs import play_runs
from scramble.conform.crossword.screens import Screen

CASES: Final = Catalogue[CrosswordTable]()
case: Final = CASES.case

CROWD: Final = 10
RACES: Final = 6
RUNS: Final = 12

ONE_ID: Final = "if the user provides an ID that is already in use, the user must be asked to provide a new one"
ONE_MATCH: Final = "a match will involve exactly two players"
STATE: Final = "based on the state, the server must determine whether an action by a player is valid"
SEVERAL: Final = "a system that will host competitive crossword puzzles: each match has its own state"


async def _race(players: Sequence[Player], lines: Sequence[str], why: str) -> list[Screen]:
    """Let the players send their lines at once; return each player's first screen that answers."""
    answers: dict[str, Screen] = {}

    async def one(player: Player, line: str) -> None:
        before = player.last
        await player.send(line)
        while True:
            screen = await player.screen(why)
            if screen.refused is not None or screen.state != before.state or screen.match != before.match:
                answers[player.name] = screen
                return

    names = [player.name for player in players]
    async with trio.open_nursery() as nursery:
        for player, line in zip(players, lines, strict=True):
            nursery.start_soon(one, player, line)
    return [answers[name] for name in names]


def _one_wins(players: Sequence[Player], screens: Sequence[Screen], what: str) -> Player:
    winners = [player for player, screen in zip(players, screens, strict=True) if screen.refused is None]
    if len(winners) != 1:
        raise Broken(f"{len(players)} clients {what} at once, and {len(winners)} of them were accepted")
    return winners[0]


@case("concurrent", "one-id-for-many", ONE_ID, level="beta", editions=WIRE)
async def one_id_for_many(table: CrosswordTable) -> None:
    for _ in range(RACES):
        guests = [await table.guest() for _ in range(CROWD)]
        screens = await _race(guests, [guests[0].name] * CROWD, "the ID is free or in use")
        _one_wins(guests, screens, "entered one ID")
        table.hang_up()


@case("concurrent", "one-match-id-for-many", "the Match_ID is an identifier", level="beta", editions=WIRE)
async def one_match_id_for_many(table: CrosswordTable) -> None:
    for _ in range(RACES):
        players = [await table.player() for _ in range(CROWD)]
        line = f'NEW {table.name("m")} simple "mine"'
        _one_wins(players, await _race(players, [line] * CROWD, "the ID is free or in use"), "made a match with one ID")
        table.hang_up()


@case("concurrent", "one-match-for-many", ONE_MATCH, level="beta", editions=WIRE)
async def one_match_for_many(table: CrosswordTable) -> None:
    for _ in range(RACES):
        ann = await table.player()
        match = await ann.makes("simple")
        players = [await table.player("bob") for _ in range(CROWD)]
        screens = await _race(players, [f"PLAY {match}"] * CROWD, "the match waits, or has two players")
        winner = _one_wins(players, screens, "joined one match")
        screen = await ann.comes("PLAY", "a player has joined")
        if screen.match is None or set(screen.match.points) != {ann.name, winner.name}:
            raise Broken(f"{winner.name} has joined {ann.name}'s match, but her screen has other players")
        table.hang_up()


@case("concurrent", "one-word-for-two", STATE, level="beta", editions=WIRE)
async def one_word_for_two(table: CrosswordTable) -> None:
    for _ in range(RACES):
        duel = await table.duel("extended")
        players = (duel.ann, duel.bob)
        lines = ("TRY 1 cat", "TRY 1 cot")

        async def one(player: Player, line: str, screens: dict[str, Screen]) -> None:
            await player.send(line)
            while True:
                screen = await player.screen("the word is entered, or refused")
                word = None if screen.match is None else screen.match.words[1].standing
                if screen.refused is not None or (word is not None and word.owner == player.name):
                    screens[player.name] = screen
                    return

        screens: dict[str, Screen] = {}
        async with trio.open_nursery() as nursery:
            for player, line in zip(players, lines, strict=True):
                nursery.start_soon(one, player, line, screens)
        _one_wins(players, [screens[player.name] for player in players], "entered one word")
        table.hang_up()


@case("concurrent", "a-crowd-plays", SEVERAL, level="beta", editions=WIRE)
async def a_crowd_plays(table: CrosswordTable) -> None:
    duels = [await table.duel("extended") for _ in range(CROWD)]
    async with trio.open_nursery() as nursery:
        for number, duel in enumerate(duels):
            ann, bob = (duel.ann, duel.bob) if number % 2 else (duel.bob, duel.ann)
            moves = [
                (ann, "TRY 1 cot"),
                (bob, "CHALLENGE 1 cat" if number % 3 else "CHALLENGE 1 cut"),
                (ann, "TRY 3 car"),
                (bob, "TRY 2 mat"),
                (ann, "TRY 4 tax"),
            ]
            nursery.start_soon(duel.each, moves, "each match has its own state")


@case("concurrent", "two-players-guess", STATE, level="beta", editions=WIRE)
async def two_players_guess(table: CrosswordTable) -> None:
    await play_runs(table, 8, 0.0, runs=RUNS)


@case("concurrent", "two-players-guess-and-challenge", STATE, level="beta", editions=WIRE)
async def two_players_guess_and_challenge(table: CrosswordTable) -> None:
    await play_runs(table, 10, 0.4, runs=2 * RUNS)


@case("concurrent", "matches-at-once", SEVERAL, level="beta", editions=WIRE)
async def matches_at_once(table: CrosswordTable) -> None:
    await play_runs(table, 8, 0.4, runs=RUNS // 2, at_once=4)
