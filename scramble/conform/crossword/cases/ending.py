"""The end of a match by our telnet wire: completed puzzles, forfeits, and SHOW SCORE."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.crossword.client import WIRE, CrosswordTable, Duel
from scramble.conform.crossword.rules import SIMPLE_DATA

CASES: Final = Catalogue[CrosswordTable]()
case: Final = CASES.case

ENDS: Final = (
    "the game ends when all the cells have their correct letters, and at the end of the match, your score will be the "
    "number of correct words under your name plus any points that were added or lost through your challenges"
)
CONFIRMS: Final = "at that point, all words are automatically confirmed"
UNCLAIMED: Final = (
    "the game might end without anybody having claimed the word, since it ends when all cells are correct"
)
DRAW: Final = "games can end in a draw, with both players having the same number of points"
FORFEIT: Final = "the EXIT command forfeits the match and transitions both players to the SHOW SCORE state"
SCORE: Final = (
    "displays the score of the match until you enter either NEW MATCH, which takes you to the CHOOSE state, or EXIT, "
    "which logs you out"
)


@case("end", "when-all-cells-are-correct", ENDS, editions=WIRE)
async def when_all_cells_are_correct(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each([(duel.ann, "TRY 1 cat"), (duel.bob, "TRY 2 mat")], "both words are correct: it is a draw")


@case("end", "not-before", ENDS, editions=WIRE)
async def not_before(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each(
        [(duel.ann, "TRY 1 cat"), (duel.bob, "TRY 2 man"), (duel.bob, "TRY 2 tat"), (duel.bob, "TRY 2 mat")],
        "the match ends with mat, not before",
    )


@case("end", "one-player-wins", ENDS, editions=WIRE)
async def one_player_wins(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each([(duel.bob, "TRY 2 mat"), (duel.bob, "TRY 1 cat")], "bob has both words")


@case("end", "by-a-challenge", ENDS, editions=WIRE)
async def by_a_challenge(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each(
        [(duel.ann, "TRY 1 cat"), (duel.ann, "TRY 2 bat"), (duel.bob, "CHALLENGE 2 mat")], "a challenge completes it"
    )


@case("end", "counts-challenges", ENDS, editions=WIRE)
async def counts_challenges(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each(
        [
            (duel.ann, "TRY 1 cat"),
            (duel.bob, "CHALLENGE 1 cot"),
            (duel.bob, "TRY 2 rat"),
            (duel.ann, "CHALLENGE 2 bat"),
            (duel.bob, "TRY 2 mat"),
        ],
        "ann has 1 - 1 points, and bob 1 - 1",
    )


@case("end", "loses-by-challenges", ENDS, editions=WIRE)
async def loses_by_challenges(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each(
        [
            (duel.ann, "TRY 1 bat"),
            (duel.bob, "CHALLENGE 1 rat"),
            (duel.ann, "TRY 1 cat"),
            (duel.bob, "CHALLENGE 1 rat"),
            (duel.bob, "TRY 2 mat"),
        ],
        "bob has a word, but has lost two points",
    )


@case("end", "leaves-words-unclaimed", UNCLAIMED, editions=WIRE)
async def leaves_words_unclaimed(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.each(
        [(duel.ann, "TRY 3 car"), (duel.bob, "TRY 2 mat"), (duel.ann, "TRY 4 tax")], "cat belongs to no player"
    )


@case("end", "confirms-all-words", CONFIRMS, editions=WIRE)
async def confirms_all_words(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.each(
        [(duel.ann, "TRY 1 cat"), (duel.ann, "TRY 3 car"), (duel.bob, "TRY 2 mat"), (duel.bob, "TRY 4 tax")],
        "all four words are confirmed",
    )


@case("end", "may-be-a-draw", DRAW, editions=WIRE)
async def may_be_a_draw(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.each(
        [(duel.ann, "TRY 3 car"), (duel.ann, "TRY 4 tax"), (duel.bob, "TRY 1 cat"), (duel.bob, "TRY 2 mat")],
        "both have two points",
    )


@case("end", "ignores-later-moves", ENDS, editions=WIRE)
async def ignores_later_moves(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each([(duel.ann, "TRY 1 cat"), (duel.bob, "TRY 2 mat")], "the match ends")
    for line in ("TRY 1 cot", "CHALLENGE 2 met"):
        await duel.refuses(duel.ann, line, "the match is over")


@case("forfeit", "ends-the-match-for-both", FORFEIT, editions=WIRE)
async def ends_the_match_for_both(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.gives_up(duel.ann)


@case(
    "forfeit",
    "is-won-by-the-other-player",
    "the handout leaves it open; ours: the other player wins a forfeited match",
    editions=WIRE,
)
async def is_won_by_the_other_player(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each([(duel.bob, "TRY 1 cat"), (duel.ann, "CHALLENGE 1 cot")], "bob leads by two points")
    await duel.gives_up(duel.bob)
    for player in (duel.ann, duel.bob):
        if player.last.gave_up != duel.bob.name:
            raise Broken(f"{player.name}'s screen does not say that {duel.bob.name} has given up")


@case("forfeit", "confirms-nothing", FORFEIT, editions=WIRE)
async def confirms_nothing(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.each([(duel.ann, "TRY 1 cat"), (duel.bob, "TRY 2 man")], "guesses are entered")
    await duel.gives_up(duel.bob)


@case("SHOW-SCORE", "new-match-chooses", SCORE, editions=WIRE)
async def new_match_chooses(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.gives_up(duel.ann)
    for player in (duel.bob, duel.ann):
        screen = await player.goes("NEW MATCH", "CHOOSE", SCORE)
        if not screen.puzzles:
            raise Broken(f"{player.name} sees no puzzles after NEW MATCH")
    match = await duel.bob.makes("simple")
    again = await Duel.begin(duel.bob, duel.ann, match, SIMPLE_DATA)
    await again.does(duel.ann, "TRY 1 cat", "the next match begins with an empty board")


@case("SHOW-SCORE", "exit-logs-out", SCORE, editions=WIRE)
async def exit_logs_out(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.gives_up(duel.ann)
    await duel.ann.logs_out("EXIT logs the player out")
    await duel.bob.goes("NEW MATCH", "CHOOSE", "the other player stays until a command")
    await duel.bob.logs_out("EXIT terminates the session")


@case("SHOW-SCORE", "refuses-other-commands", SCORE, editions=WIRE)
async def refuses_other_commands(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.gives_up(duel.ann)
    for line in ("NEW", "new match", "NEW MATCH now", 'NEW m simple "x"', f"PLAY {duel.match}", "TRY 1 cat", "", "BYE"):
        await duel.bob.refused(line, "the commands are NEW MATCH and EXIT")
