"""CHOOSE and WAIT by our telnet wire: the lists, NEW, PLAY and EXIT."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.crossword.client import WIRE, CrosswordTable, Duel, Fits
from scramble.conform.crossword.folders import PUZZLES
from scramble.conform.crossword.rules import SIMPLE_DATA
from scramble.conform.crossword.screens import Screen

CASES: Final = Catalogue[CrosswordTable]()
case: Final = CASES.case

SHOWN: Final = "in this state, the user is shown both the list of matches and the list of available puzzles"
LIVE: Final = (
    "the interface should also live update to incorporate any new matches, or to remove any matches that are no longer "
    "available either because they already have two players or because they have terminated"
)
ANY_PUZZLE: Final = (
    "any puzzle should be available to start a new match even if there are players already using that puzzle on a "
    "different match"
)
NEW: Final = "the NEW command creates a new match and transitions to the WAIT state"
PLAY: Final = (
    "the PLAY command enters an available match that someone has already created and transitions the session to the "
    "PLAY state"
)
SYNTAX: Final = (
    "you should impose some syntactic restrictions on the Match_IDs; ours: 1 to 20 characters of A-Z, a-z, 0-9 and _"
)
TEXT: Final = 'NEW Match_ID Puzzle_ID "Description"; ours: a description has at most 200 characters, no quotes'
WAITS: Final = (
    "the only valid command in this state is an EXIT command, which terminates this match and brings the player back "
    "to the CHOOSE state"
)
EXIT: Final = "the EXIT command simply terminates the session"


def has(match: str, text: str = "") -> Fits:
    """Return a check that a match is in the list."""

    def fits(screen: Screen) -> str:
        listed = screen.matches.get(match)
        if listed is None:
            return f"does not list the match {match}"
        return "" if text in listed else f"lists {match} without {text!r}: {listed!r}"

    return fits


def lacks(match: str) -> Fits:
    """Return a check that a match is not in the list."""
    return lambda screen: f"still lists the match {match}" if match in screen.matches else ""


@case("CHOOSE", "shows-all-puzzles", SHOWN, editions=WIRE)
async def shows_all_puzzles(table: CrosswordTable) -> None:
    ann = await table.player()
    for puzzle in PUZZLES.values():
        listed = ann.last.puzzles.get(puzzle.id)
        if listed is None:
            raise Broken(f"the list has not the puzzle {puzzle.id}, but only {', '.join(ann.last.puzzles)}")
        if puzzle.name not in listed or puzzle.description not in listed:
            raise Broken(f"the list has {puzzle.id} without its name and description: {listed!r}")


@case("CHOOSE", "shows-waiting-matches", SHOWN, editions=WIRE)
async def shows_waiting_matches(table: CrosswordTable) -> None:
    ann = await table.player()
    match = await ann.makes("extended", "two  of us, // (please)")
    bob = await table.player("bob")
    await bob.lists(has(match, "two  of us, // (please)"), "the list has the waiting matches with their descriptions")
    await bob.lists(has(match, ann.name), "the list has the player who waits")
    await bob.lists(has(match, "extended"), "the list has the puzzle of the match")


@case("CHOOSE", "sees-a-new-match", LIVE, editions=WIRE)
async def sees_a_new_match(table: CrosswordTable) -> None:
    ann, bob = await table.players()
    match = await ann.makes("simple")
    await bob.lists(has(match, "come and play"), "the match was added after bob came")


@case("CHOOSE", "sees-a-match-begin", LIVE, editions=WIRE)
async def sees_a_match_begin(table: CrosswordTable) -> None:
    ann, bob = await table.players()
    carol = await table.player("carol")
    match = await ann.makes("simple")
    await carol.lists(has(match), "the match waits")
    await Duel.begin(ann, bob, match, SIMPLE_DATA)
    await carol.lists(lacks(match), "it has two players")


@case("CHOOSE", "sees-a-match-withdrawn", LIVE, editions=WIRE)
async def sees_a_match_withdrawn(table: CrosswordTable) -> None:
    ann, bob = await table.players()
    match = await ann.makes("simple")
    await bob.lists(has(match), "the match waits")
    await ann.goes("EXIT", "CHOOSE", WAITS)
    await bob.lists(lacks(match), "it has terminated")
    await bob.refused(f"PLAY {match}", "the match is no longer available")


@case("CHOOSE", "sees-a-waiting-player-leave", LIVE, editions=WIRE)
async def sees_a_waiting_player_leave(table: CrosswordTable) -> None:
    ann, bob = await table.players()
    match = await ann.makes("simple")
    await bob.lists(has(match), "the match waits")
    ann.leaves()
    await bob.lists(lacks(match), "its player has lost the connection")
    guest = await table.guest("carol")
    guest.name = ann.name
    await guest.enters(ann.name)


@case("CHOOSE", "lists-several-matches", ANY_PUZZLE, editions=WIRE)
async def lists_several_matches(table: CrosswordTable) -> None:
    matches = [await (await table.player(name)).makes("simple") for name in ("ann", "bob", "carol")]
    dave = await table.player("dave")
    for match in matches:
        await dave.lists(has(match), "three matches of one puzzle wait")


@case("NEW", "uses-a-puzzle-that-is-played", ANY_PUZZLE, editions=WIRE)
async def uses_a_puzzle_that_is_played(table: CrosswordTable) -> None:
    duel = await table.duel("simple")
    await duel.does(duel.ann, "TRY 1 bet", "a guess is entered")
    other = await table.duel("simple")
    await other.does(other.bob, "TRY 1 pet", "the second match is another one")
    await duel.does(duel.bob, "TRY 2 met", "the first match is as it was")


@case("NEW", "refuses-a-used-match-id", NEW, editions=WIRE)
async def refuses_a_used_match_id(table: CrosswordTable) -> None:
    ann, bob = await table.players()
    match = await ann.makes("simple")
    await bob.refused(f'NEW {match} extended "mine"', "a waiting match has this ID")
    carol = await table.player("carol")
    await Duel.begin(ann, bob, match, SIMPLE_DATA)
    await carol.refused(f'NEW {match} extended "mine"', "a running match has this ID")


@case("NEW", "takes-the-id-of-a-match-that-is-over", NEW, editions=WIRE)
async def takes_the_id_of_a_match_that_is_over(table: CrosswordTable) -> None:
    duel = await table.duel()
    await duel.gives_up(duel.ann)
    carol = await table.player("carol")
    await carol.goes(f'NEW {duel.match} simple "again"', "WAIT", "the ID is in use until the match is over")


@case("NEW", "refuses-an-unknown-puzzle", NEW, editions=WIRE)
async def refuses_an_unknown_puzzle(table: CrosswordTable) -> None:
    ann = await table.player()
    await ann.refused(f'NEW {table.name("m")} nonesuch "a puzzle"', "there is no such puzzle")
    await ann.refused(f'NEW {table.name("m")} ../simple "a puzzle"', "there is no such puzzle")


def _new(claim: str, line: str, says: str, *, accepted: bool) -> None:
    async def play(table: CrosswordTable) -> None:
        ann = await table.player()
        command = line.replace("MATCH", table.name("m"))
        if accepted:
            await ann.goes(command, "WAIT", says)
        else:
            await ann.refused(command, f"{line!r} is no such command")
            await ann.makes("simple")

    case("NEW", claim, says, editions=WIRE)(play)


_new("accepts-20-characters", f'NEW {"M9_" * 6}Aa simple "an ID"', SYNTAX, accepted=True)
_new("refuses-21-characters", f'NEW {"M9_" * 7} simple "an ID"', SYNTAX, accepted=False)
_new("refuses-a-hyphen-in-an-id", 'NEW MATCH-1 simple "an ID"', SYNTAX, accepted=False)
_new("accepts-an-empty-description", 'NEW MATCH simple ""', TEXT, accepted=True)
_new("accepts-200-characters-of-description", f'NEW MATCH simple "{"é" * 200}"', TEXT, accepted=True)
_new("refuses-201-characters-of-description", f'NEW MATCH simple "{"é" * 201}"', TEXT, accepted=False)
_new("refuses-no-description", "NEW MATCH simple", TEXT, accepted=False)
_new("refuses-a-description-without-quotes", "NEW MATCH simple come", TEXT, accepted=False)
_new("refuses-an-open-quote", 'NEW MATCH simple "come', TEXT, accepted=False)
_new("refuses-text-after-the-description", 'NEW MATCH simple "come" now', TEXT, accepted=False)
_new("refuses-a-quote-in-the-description", 'NEW MATCH simple "say "hello" now"', TEXT, accepted=False)
_new("refuses-no-puzzle", 'NEW MATCH "come"', TEXT, accepted=False)


@case("PLAY", "begins-the-match-for-both", PLAY, editions=WIRE)
async def begins_the_match_for_both(table: CrosswordTable) -> None:
    await table.duel()


@case("PLAY", "refuses-an-unknown-match", PLAY, editions=WIRE)
async def refuses_an_unknown_match(table: CrosswordTable) -> None:
    ann = await table.player()
    await ann.refused(f"PLAY {table.name('m')}", "there is no such match")
    await ann.refused("PLAY", "it names no match")


@case("PLAY", "refuses-a-third-player", "a match will involve exactly two players", editions=WIRE)
async def refuses_a_third_player(table: CrosswordTable) -> None:
    duel = await table.duel()
    carol = await table.player("carol")
    await carol.refused(f"PLAY {duel.match}", "the match has two players")
    await duel.does(duel.ann, "TRY 1 pet", "the match goes on")


@case("PLAY", "distinguishes-upper-and-lower-case", SYNTAX, editions=WIRE)
async def distinguishes_upper_and_lower_case(table: CrosswordTable) -> None:
    ann, bob = await table.players()
    match = await ann.makes("simple")
    await bob.refused(f"PLAY {match.upper()}", f"the match has the ID {match}")


@case("WAIT", "exit-returns-to-choose", WAITS, editions=WIRE)
async def exit_returns_to_choose(table: CrosswordTable) -> None:
    ann = await table.player()
    match = await ann.makes("simple")
    screen = await ann.goes("EXIT", "CHOOSE", WAITS)
    if match in screen.matches:
        raise Broken(f"the list still has {match} after its EXIT")
    await ann.goes(f'NEW {match} simple "again"', "WAIT", "the ID of the withdrawn match is free")


@case("WAIT", "refuses-other-commands", WAITS, editions=WIRE)
async def refuses_other_commands(table: CrosswordTable) -> None:
    ann = await table.player()
    match = await ann.makes("simple")
    for line in ("TRY 1 cat", "CHALLENGE 1 cat", f"PLAY {match}", f'NEW {match}x simple "a"', "NEW MATCH", "HELP"):
        await ann.refused(line, "the only valid command in WAIT is EXIT")
    bob = await table.player("bob")
    await Duel.begin(ann, bob, match, SIMPLE_DATA)


@case("CHOOSE", "exit-ends-the-session", EXIT, editions=WIRE)
async def exit_ends_the_session(table: CrosswordTable) -> None:
    ann = await table.player()
    await ann.logs_out("EXIT terminates the session")


@case("CHOOSE", "refuses-other-commands", "the commands can be one of PLAY, NEW and EXIT", editions=WIRE)
async def refuses_other_commands_in_choose(table: CrosswordTable) -> None:
    ann = await table.player()
    for line in ("TRY 1 cat", "CHALLENGE 1 cat", "NEW MATCH", "EXIT now", "exit", "", "  "):
        await ann.refused(line, "it is none of the commands in CHOOSE")
    await ann.makes("simple")
