"""CHALLENGE by our telnet wire: valid and invalid challenges, and their outcomes."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Catalogue
from scramble.conform.crossword.client import WIRE, CrosswordTable

CASES: Final = Catalogue[CrosswordTable]()
case: Final = CASES.case

RIGHT: Final = (
    "word was originally correct, then it gets confirmed as correct and can no longer be challenged or changed. The "
    "challenger loses one point for an incorrect challenge"
)
WON: Final = (
    "word was originally incorrect, and the challenger was correct. In this case, the challenger gets the word and it "
    "gets confirmed. The challenger also gets two bonus points"
)
CLEARS: Final = (
    "any word that is inconsistent with the correct challenge will be cleared regardless of who had entered it"
)
BOTH: Final = (
    "word was originally incorrect, but the challenger was also incorrect. In this case, the word is cleared from the "
    "board, and the challenger loses one point"
)
OWN: Final = "(a) the challenged word was entered by the other player (can't challenge your own words)"
CONFIRMED: Final = "(b) challenged word was not already confirmed"
SAME: Final = "(c) your proposed word is different from the word already there"
LENGTH: Final = "(d) your proposed word must be of the correct length"
NO_PENALTY: Final = "a challenge never deducts points from the original owner of the word"


@case("CHALLENGE", "confirms-a-right-word", RIGHT, editions=WIRE)
async def confirms_a_right_word(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each([(duel.ann, "TRY 1 cat"), (duel.bob, "CHALLENGE 1 cot")], "cat was right: bob loses a point")
    await duel.refuses(duel.bob, "CHALLENGE 1 cut", "the word is confirmed")


@case("CHALLENGE", "wins-a-wrong-word", WON, editions=WIRE)
async def wins_a_wrong_word(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each([(duel.ann, "TRY 1 pet"), (duel.bob, "CHALLENGE 1 cat")], "bob gets the word and two points")
    await duel.refuses(duel.ann, "TRY 1 pet", "the word is confirmed")
    await duel.refuses(duel.ann, "CHALLENGE 1 pet", "the word is confirmed")


@case("CHALLENGE", "clears-a-word-if-both-are-wrong", BOTH, editions=WIRE)
async def clears_a_word_if_both_are_wrong(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each([(duel.ann, "TRY 1 pet"), (duel.bob, "CHALLENGE 1 cot")], "the word is cleared")
    await duel.does(duel.bob, "TRY 1 cot", "the word is free for each player")


@case("CHALLENGE", "clears-the-owners-conflict", CLEARS, editions=WIRE)
async def clears_the_owners_conflict(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each(
        [(duel.ann, "TRY 1 pet"), (duel.ann, "TRY 2 set"), (duel.bob, "CHALLENGE 1 cat")], "set conflicts with cat"
    )
    await duel.does(duel.ann, "TRY 2 mat", "the cleared word is free")


@case("CHALLENGE", "clears-the-challengers-conflict", CLEARS, editions=WIRE)
async def clears_the_challengers_conflict(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each(
        [(duel.ann, "TRY 1 pet"), (duel.bob, "TRY 2 set"), (duel.ann, "CHALLENGE 2 mat")], "word 1 is cleared"
    )
    await duel.does(duel.bob, "TRY 1 cat", "either player is able to enter a new guess")


@case("CHALLENGE", "keeps-words-that-agree", CLEARS, editions=WIRE)
async def keeps_words_that_agree(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.each(
        [
            (duel.ann, "TRY 3 car"),
            (duel.bob, "TRY 4 tab"),
            (duel.ann, "TRY 1 cot"),
            (duel.bob, "TRY 2 too"),
            (duel.bob, "CHALLENGE 1 cat"),
        ],
        "only too conflicts with cat",
    )


@case(
    "CHALLENGE",
    "keeps-letters-of-other-words",
    "the letters remain, because they also belong to other words",
    editions=WIRE,
)
async def keeps_letters_of_other_words(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.each(
        [(duel.ann, "TRY 3 car"), (duel.ann, "TRY 1 cot"), (duel.bob, "CHALLENGE 1 cut")], "the c belongs to car"
    )


@case(
    "CHALLENGE",
    "may-conflict-with-the-board",
    "a challenge does not have to be consistent with any incorrect words already in the puzzle",
    editions=WIRE,
)
async def may_conflict_with_the_board(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.each(
        [(duel.ann, "TRY 3 bar"), (duel.ann, "TRY 1 bet"), (duel.bob, "TRY 2 met"), (duel.bob, "CHALLENGE 1 dog")],
        "a wrong proposal may conflict with bar and met, too",
    )


@case("CHALLENGE", "refuses-the-players-own-word", OWN, editions=WIRE)
async def refuses_the_players_own_word(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.does(duel.ann, "TRY 1 pet", "a guess is entered")
    await duel.refuses(duel.ann, "CHALLENGE 1 cat", "ann entered the word herself")


@case("CHALLENGE", "refuses-an-empty-word", OWN, editions=WIRE)
async def refuses_an_empty_word(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.refuses(duel.ann, "CHALLENGE 1 cat", "no player has entered the word")
    await duel.each([(duel.bob, "TRY 3 car"), (duel.bob, "TRY 2 mat"), (duel.bob, "TRY 4 tab")], "guesses are entered")
    await duel.refuses(duel.ann, "CHALLENGE 1 cot", "the letters are in place, but no player has entered the word")


@case("CHALLENGE", "refuses-a-confirmed-word", CONFIRMED, editions=WIRE)
async def refuses_a_confirmed_word(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.each([(duel.ann, "TRY 1 cat"), (duel.bob, "CHALLENGE 1 cot")], "cat is confirmed")
    await duel.each([(duel.bob, "TRY 3 cab"), (duel.ann, "CHALLENGE 3 car")], "car is confirmed")
    await duel.refuses(duel.bob, "CHALLENGE 1 cut", "cat is confirmed")
    await duel.refuses(duel.bob, "CHALLENGE 3 cap", "car is confirmed")


@case("CHALLENGE", "refuses-the-same-word", SAME, editions=WIRE)
async def refuses_the_same_word(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each([(duel.ann, "TRY 1 cat"), (duel.ann, "TRY 2 cat")], "guesses are entered")
    for word in "12":
        await duel.refuses(duel.bob, f"CHALLENGE {word} cat", "it is the word that is already there")


@case("CHALLENGE", "refuses-a-wrong-length", LENGTH, editions=WIRE)
async def refuses_a_wrong_length(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.does(duel.ann, "TRY 1 pet", "a guess is entered")
    for text in ("ca", "cats", "c"):
        await duel.refuses(duel.bob, f"CHALLENGE 1 {text}", "the word has 3 letters")


@case("CHALLENGE", "refuses-no-words", "CHALLENGE id word", editions=WIRE)
async def refuses_no_words(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.does(duel.ann, "TRY 1 pet", "a guess is entered")
    for line in (
        "CHALLENGE",
        "CHALLENGE 1",
        "CHALLENGE 9 cat",
        "CHALLENGE one cat",
        "CHALLENGE 1 c4t",
        "challenge 1 cat",
    ):
        await duel.refuses(duel.bob, line, "it is no valid challenge")


@case("CHALLENGE", "counts-for-each-player", NO_PENALTY, editions=WIRE)
async def counts_for_each_player(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.each(
        [
            (duel.ann, "TRY 2 dog"),
            (duel.bob, "CHALLENGE 2 pig"),
            (duel.ann, "TRY 2 pig"),
            (duel.bob, "CHALLENGE 2 mat"),
            (duel.bob, "TRY 3 bar"),
            (duel.ann, "CHALLENGE 3 tar"),
            (duel.bob, "TRY 3 car"),
            (duel.ann, "CHALLENGE 3 tar"),
        ],
        "each challenge counts for the challenger only",
    )


@case("CHALLENGE", "may-be-tried-again", BOTH, editions=WIRE)
async def may_be_tried_again(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each(
        [
            (duel.ann, "TRY 1 pet"),
            (duel.bob, "CHALLENGE 1 cot"),
            (duel.ann, "TRY 1 cut"),
            (duel.bob, "CHALLENGE 1 cat"),
        ],
        "a cleared word may be entered and challenged again",
    )
