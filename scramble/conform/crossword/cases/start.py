"""START by our telnet wire: the ID of a player, and lost connections."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.crossword.client import QUIET_S, WIRE, CrosswordTable, Duel
from scramble.conform.crossword.rules import SIMPLE_DATA
from scramble.conform.crossword.screens import COMMANDS, Screen

CASES: Final = Catalogue[CrosswordTable]()
case: Final = CASES.case

ASKS: Final = (
    "in this state the client must be asked to enter an ID. The canvas must display sufficient instructions for a user "
    "who has not read this handout"
)
IN_USE: Final = (
    "if the user provides an ID that is already in use, the user must be asked to provide a new one until a valid ID "
    "is provided"
)
SENSIBLE: Final = (
    "you should have sensible rules for what is allowed as a user id (for example, no tabs or even spaces); ours: 1 to "
    "20 characters of A-Z, a-z, 0-9 and _"
)
RETURNS: Final = (
    "the handout does not mention lost connections; ours: an ID, a space and the token from the first CHOOSE screen "
    "continue the session"
)


@case("START", "asks-for-an-id", ASKS, editions=WIRE, is_gate=True)
async def asks_for_an_id(table: CrosswordTable) -> None:
    guest = await table.guest()
    connection = guest.connection
    await connection.wait(lambda: False, QUIET_S)
    lines = connection.received.decode(errors="replace").split()
    if len(lines) < 10:
        raise Broken(f"the first screen has no instructions: {connection.received.decode(errors='replace')!r}")


@case("START", "valid-id-chooses", ASKS, editions=WIRE, is_gate=True)
async def valid_id_chooses(table: CrosswordTable) -> None:
    ann = await table.player()
    if ann.last.player != ann.name:
        raise Broken(f"the screen of {ann.name} has the player {ann.last.player}")
    if ann.last.token is None:
        raise Broken("the first screen in CHOOSE has no token")


@case("START", "refuses-an-id-in-use", IN_USE, editions=WIRE)
async def refuses_an_id_in_use(table: CrosswordTable) -> None:
    ann = await table.player()
    guest = await table.guest("bob")
    await guest.refused(ann.name, f"{ann.name} is in use")
    await guest.refused(ann.name, f"{ann.name} is still in use")
    await guest.enters(guest.name)


@case("START", "refuses-an-id-in-a-match", IN_USE, editions=WIRE)
async def refuses_an_id_in_a_match(table: CrosswordTable) -> None:
    duel = await table.duel()
    guest = await table.guest("carol")
    for player in (duel.ann, duel.bob):
        await guest.refused(player.name, f"{player.name} is in a match")


@case("START", "frees-the-id-after-exit", IN_USE, editions=WIRE)
async def frees_the_id_after_exit(table: CrosswordTable) -> None:
    ann = await table.player()
    await ann.logs_out("EXIT terminates the session")
    guest = await table.guest("bob")
    guest.name = ann.name
    await guest.enters(ann.name)


@case("START", "distinguishes-upper-and-lower-case", SENSIBLE, editions=WIRE)
async def distinguishes_upper_and_lower_case(table: CrosswordTable) -> None:
    await table.player("ann")
    name = table.name("Ann")
    for other in (name, name.lower()):
        guest = await table.guest()
        guest.name = other
        await guest.enters(other)


@case("START", "accepts-20-characters", SENSIBLE, editions=WIRE)
async def accepts_20_characters(table: CrosswordTable) -> None:
    guest = await table.guest("_A9z")
    guest.name = guest.name.ljust(20, "_")
    await guest.enters(guest.name)


def _refuses(claim: str, line: str) -> None:
    async def play(table: CrosswordTable) -> None:
        guest = await table.guest()
        await guest.refused(line.replace("NAME", guest.name), "it is no ID")
        await guest.enters(guest.name)

    case("START", f"refuses-{claim}", SENSIBLE, editions=WIRE)(play)


_refuses("an-empty-id", "")
_refuses("spaces-around-an-id", " NAME ")
_refuses("a-tab-in-an-id", "NAME\tx")
_refuses("a-hyphen-in-an-id", "NAME-x")
_refuses("other-letters-in-an-id", "NAMEé")
_refuses("21-characters", "a" * 21)


@case("START", "shows-no-commands-of-other-states", "each state has its own commands", editions=WIRE)
async def shows_no_commands_of_other_states(table: CrosswordTable) -> None:
    guest = await table.guest()
    screen = await guest.refused("TRY 1 cat", "START has no commands")
    if any(line in screen.text for line in COMMANDS.values()):
        raise Broken("the screen in START lists the commands of another state")


@case("START", "refuses-a-wrong-token", RETURNS, editions=WIRE)
async def refuses_a_wrong_token(table: CrosswordTable) -> None:
    duel = await table.duel()
    guest = await table.guest("bob")
    await guest.refused(f"{duel.ann.name} wrong", "the token is wrong")
    await duel.does(duel.ann, "TRY 1 pet", "the match goes on")


@case("START", "returns-by-the-token", RETURNS, editions=WIRE)
async def returns_by_the_token(table: CrosswordTable) -> None:
    ann, bob = await table.players()
    token = ann.last.token
    duel = await Duel.begin(ann, bob, await ann.makes("simple"), SIMPLE_DATA)
    await duel.does(ann, "TRY 1 pet", "a guess is entered")
    ann.leaves(reset=True)
    await bob.until(_misses, "the other player sees that a player is missing")
    await duel.alone(bob, "TRY 2 set", "the match continues in the meantime")
    await ann.connect()
    await ann.send(f"{ann.name} {token}")
    await duel.shown(ann, why="the session continues, and shows the match")
    await bob.until(_has_back, "the player is back")
    await duel.does(ann, "TRY 1 let", "the player goes on")


def _misses(screen: Screen) -> str:
    return "" if "lost the connection" in " ".join(screen.text.split()) else "does not tell the lost connection"


def _has_back(screen: Screen) -> str:
    return "" if _misses(screen) else "still tells the lost connection"


@case("START", "newest-connection-takes-over", RETURNS, editions=WIRE)
async def newest_connection_takes_over(table: CrosswordTable) -> None:
    ann = await table.player()
    token = ann.last.token
    again = await table.guest("ann")
    again.name = ann.name
    await again.enters(f"{ann.name} {token}")
    await ann.is_closed("the player has returned on another connection")
