"""TRY by our telnet wire: guesses in a match."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.crossword.client import WIRE, CrosswordTable
from scramble.conform.crossword.folders import PUZZLES, RARE_DATA

CASES: Final = Catalogue[CrosswordTable]()
case: Final = CASES.case

DISPLAY: Final = "the canvas must display the full crossword puzzle with all the cells, as well as all the questions"
LENGTH: Final = "a guess must be consistent: (a) its length must be of the length required by the puzzle"
CONSISTENT: Final = (
    "a guess must be consistent: (b) it must be consistent with any confirmed words and any words entered by others in "
    "the puzzle. If a guess does not satisfy these requirements, it is simply rejected by the server"
)
CLEARS: Final = (
    "if a word you enter conflicts with a previous unconfirmed word you entered, the previous word is automatically "
    "cleared"
)
CHANGES: Final = (
    "for any word that you yourself entered, you are free to change the word at any time without penalty before it "
    "gets challenged, but your change must be consistent with any new words entered by others"
)
OWNER: Final = (
    "if the id does not correspond to either an empty word or an un-confirmed word entered by the same user, the "
    "command is rejected and an error message is displayed"
)
OVERLAP: Final = (
    "all the letters for the word will be in place, but the word will not be considered as entered until a player "
    "actually enters it, at which point, that player will own the word"
)
BOB: Final = (
    "if the same player enters 'car' and 'tax', but then incorrectly enters 'bob' for word 1, the word 'bob' will "
    "clear the conflicting two words even though they were correct"
)
NO_BOB: Final = (
    "if at least one of 'car', 'mat' and 'tax' was entered by another player (or had already been confirmed), the "
    "inconsistency with that word would prevent you from entering 'bob'"
)
LETTERS: Final = (
    "that will clear the word 'cat', because it conflicts with 'bob', but the letters 'c' and 'a' will remain, because "
    "they also belong to 'car' and 'mat'"
)
SECRET: Final = "never transmit to the client any information about the puzzle beyond what the interface is to display"


@case("PLAY", "shows-the-puzzle", DISPLAY, editions=WIRE)
async def shows_the_puzzle(table: CrosswordTable) -> None:
    for puzzle in PUZZLES.values():
        duel = await table.duel(puzzle.id)
        for player in (duel.ann, duel.bob):
            seen = player.last.match
            assert seen is not None
            if len(seen.words) != len(puzzle.entries):
                raise Broken(
                    f"{player.name}'s screen has {len(seen.words)} words, but {puzzle.id} has {len(puzzle.entries)}"
                )
            for number, (text, *rest) in enumerate(puzzle.entries, 1):
                word = seen.words[number]
                if [word.clue, word.direction, word.row, word.column] != rest or word.length != len(text):
                    raise Broken(
                        f"{player.name}'s screen shows word {number} as {word}, but the file has {(text, *rest)}"
                    )


@case(
    "TRY",
    "enters-a-guess",
    "the TRY command is used to enter a guess for a particular id. The interface must live update to incorporate any "
    "changes from the other player",
    editions=WIRE,
    is_gate=True,
)
async def enters_a_guess(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.does(duel.ann, "TRY 1 pet", "a guess is entered, right or wrong")


@case("PLAY", "shows-no-solution", SECRET, editions=WIRE)
async def shows_no_solution(table: CrosswordTable) -> None:
    duel = await table.duel("rare")
    await duel.each([(duel.ann, "TRY 1 aaaaaaa"), (duel.bob, "CHALLENGE 1 bbbbbbb")], "a challenge with a wrong word")
    for player in (duel.ann, duel.bob):
        text = player.connection.received.decode(errors="replace").lower()
        for word, *_ in RARE_DATA.entries:
            if word in text:
                raise Broken(f"the server sent {word!r}, a solution, to {player.name}")


@case("TRY", "enters-right-and-wrong-guesses", "you will not know for sure whether the word was correct", editions=WIRE)
async def enters_right_and_wrong_guesses(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.each(
        [(duel.bob, "TRY 1 cat"), (duel.ann, "TRY 2 sat"), (duel.bob, "TRY 3 car"), (duel.ann, "TRY 4 tab")],
        "a guess is entered, right or wrong",
    )


@case("TRY", "refuses-a-wrong-length", LENGTH, editions=WIRE)
async def refuses_a_wrong_length(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.refuses(duel.ann, "TRY 1 ca", "the word has 3 letters")
    await duel.refuses(duel.ann, "TRY 1 cats", "the word has 3 letters")
    await duel.does(duel.ann, "TRY 1 cat", "the next guess has the right length")


@case("TRY", "refuses-an-unknown-id", OWNER, editions=WIRE)
async def refuses_an_unknown_id(table: CrosswordTable) -> None:
    duel = await table.duel()
    for word in ("0", "3", "-1", "one", "1.0", "9" * 30):
        await duel.refuses(duel.ann, f"TRY {word} cat", "the ids are 1 and 2")


@case("TRY", "refuses-other-characters", "words consist only of letters and hyphens", editions=WIRE)
async def refuses_other_characters(table: CrosswordTable) -> None:
    duel = await table.duel()
    for text in ("c4t", "c.t", "c_t", "caf\u00e9"[1:]):
        await duel.refuses(duel.ann, f"TRY 1 {text}", "it has another character")


@case("TRY", "accepts-hyphens", r"WORDNAME ::= [a-z\-]+", editions=WIRE)
async def accepts_hyphens(table: CrosswordTable) -> None:
    duel = await table.duel("rare")
    await duel.each([(duel.ann, "TRY 3 vext-ly"), (duel.bob, "TRY 2 y----")], "a guess may have hyphens")


@case(
    "TRY",
    "reads-upper-case-as-lower-case",
    "the handout leaves it open; ours: upper case is read as lower case",
    editions=WIRE,
)
async def reads_upper_case_as_lower_case(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.does(duel.ann, "TRY 1 CaT", "upper case is read as lower case")


@case("TRY", "refuses-a-conflict-with-the-other-player", CONSISTENT, editions=WIRE)
async def refuses_a_conflict_with_the_other_player(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.does(duel.ann, "TRY 1 pet", "a guess is entered")
    await duel.refuses(duel.bob, "TRY 2 mat", "its letter a conflicts with pet, which ann entered")
    await duel.does(duel.bob, "TRY 2 set", "it agrees with pet")


@case("TRY", "refuses-a-change-that-conflicts", CHANGES, editions=WIRE)
async def refuses_a_change_that_conflicts(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each([(duel.ann, "TRY 1 pet"), (duel.bob, "TRY 2 set")], "guesses are entered")
    await duel.refuses(duel.ann, "TRY 1 cat", "it is not consistent with word 2, which bob entered since")
    await duel.refuses(duel.bob, "TRY 2 mat", "it is inconsistent with word 1")
    await duel.does(duel.ann, "TRY 1 let", "it is consistent with word 2")


@case("TRY", "refuses-a-conflict-with-a-confirmed-word", CONSISTENT, editions=WIRE)
async def refuses_a_conflict_with_a_confirmed_word(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each([(duel.ann, "TRY 1 cat"), (duel.bob, "CHALLENGE 1 cot")], "cat is confirmed")
    await duel.refuses(duel.bob, "TRY 2 set", "its letter e conflicts with the confirmed word cat")
    await duel.refuses(duel.ann, "TRY 2 set", "its letter e conflicts with her own word cat, which is confirmed")
    await duel.does(duel.ann, "TRY 2 mat", "it agrees with cat")


@case("TRY", "clears-the-players-own-conflict", CLEARS, editions=WIRE)
async def clears_the_players_own_conflict(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each([(duel.ann, "TRY 1 pet"), (duel.ann, "TRY 2 set")], "both words agree")
    await duel.does(duel.ann, "TRY 1 cat", "changing pet to cat clears word 2")


@case("TRY", "keeps-the-players-own-words-that-agree", CLEARS, editions=WIRE)
async def keeps_the_players_own_words_that_agree(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.each(
        [(duel.ann, "TRY 3 car"), (duel.ann, "TRY 4 tax"), (duel.ann, "TRY 2 met"), (duel.ann, "TRY 1 cat")],
        "cat conflicts with met only",
    )


@case("TRY", "changes-the-players-own-word", CHANGES, editions=WIRE)
async def changes_the_players_own_word(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each([(duel.ann, f"TRY 1 {text}") for text in ("pet", "dog", "cat")], "a player may change a word")


@case("TRY", "refuses-the-other-players-word", OWNER, editions=WIRE)
async def refuses_the_other_players_word(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.does(duel.ann, "TRY 1 pet", "a guess is entered")
    await duel.refuses(duel.bob, "TRY 1 cat", "that word was entered by the other player")
    await duel.refuses(duel.bob, "TRY 1 pet", "that word was entered by the other player")


@case("TRY", "refuses-a-confirmed-word", OWNER, editions=WIRE)
async def refuses_a_confirmed_word(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.each([(duel.ann, "TRY 1 cat"), (duel.bob, "CHALLENGE 1 cot")], "cat is confirmed")
    for player in (duel.ann, duel.bob):
        await duel.refuses(player, "TRY 1 cot", "that word is already confirmed")


@case(
    "TRY",
    "accepts-the-same-word-again",
    "the handout leaves it open; ours: it is accepted and changes nothing",
    editions=WIRE,
)
async def accepts_the_same_word_again(table: CrosswordTable) -> None:
    duel = await table.duel()
    for _ in range(2):
        await duel.does(duel.ann, "TRY 1 cat", "the player's own word may be entered again")


@case("TRY", "enters-no-word-by-its-letters", OVERLAP, editions=WIRE)
async def enters_no_word_by_its_letters(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.each(
        [(duel.ann, "TRY 3 car"), (duel.bob, "TRY 2 mat"), (duel.ann, "TRY 4 tab"), (duel.bob, "TRY 1 cat")],
        "cat is entered when a player enters it",
    )


@case("TRY", "clears-two-words-by-bob", BOB, editions=WIRE)
async def clears_two_words_by_bob(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.each([(duel.ann, "TRY 3 car"), (duel.ann, "TRY 4 tax"), (duel.ann, "TRY 1 bob")], "bob clears both")


@case("TRY", "refuses-bob-across-the-other-players-word", NO_BOB, editions=WIRE)
async def refuses_bob_across_the_other_players_word(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.each([(duel.ann, "TRY 3 car"), (duel.bob, "TRY 4 tax")], "guesses are entered")
    await duel.refuses(duel.ann, "TRY 1 bob", "bob entered tax")


@case("TRY", "refuses-bob-across-a-confirmed-word", NO_BOB, editions=WIRE)
async def refuses_bob_across_a_confirmed_word(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.each(
        [(duel.ann, "TRY 3 car"), (duel.ann, "TRY 4 tax"), (duel.bob, "CHALLENGE 4 tab")], "tax is confirmed"
    )
    await duel.refuses(duel.ann, "TRY 1 bob", "tax is confirmed")


@case("TRY", "keeps-letters-of-other-words", LETTERS, editions=WIRE)
async def keeps_letters_of_other_words(table: CrosswordTable) -> None:
    duel = await table.duel("extended")
    await duel.each(
        [(duel.ann, "TRY 3 car"), (duel.ann, "TRY 2 mat"), (duel.ann, "TRY 1 cat"), (duel.ann, "TRY 4 bob")],
        "the letters c and a remain",
    )


@case("TRY", "refuses-missing-words", "TRY id word", editions=WIRE)
async def refuses_missing_words(table: CrosswordTable) -> None:
    duel = await table.duel()
    for line in ("TRY", "TRY 1", "TRY cat", "TRY 1 c a t", "try 1 cat", "GUESS 1 cat", "NEW MATCH", ""):
        await duel.refuses(duel.ann, line, "it is no command")
