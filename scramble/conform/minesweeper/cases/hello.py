"""HELLO: the size of the field, and the number of users."""

from __future__ import annotations

from typing import Final

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.minesweeper.table import MineTable
from scramble.conform.transcript import shortened

CASES: Final = Catalogue[MineTable]()
case: Final = CASES.case

AT_ONCE: Final = "the server sends the HELLO message as soon as it establishes a connection to the user"
EXACTLY: Final = "this message should be sent to the user exactly as defined and only once"
COUNT: Final = "N is the number of users currently connected to the server"


@case("HELLO", "is-sent-at-once", f"{AT_ONCE}, exactly as defined; the board is X x Y", is_gate=True)
async def is_sent_at_once(table: MineTable) -> None:
    await table.player()


@case("HELLO", "is-sent-only-once", EXACTLY)
async def is_sent_only_once(table: MineTable) -> None:
    alice = await table.player()
    extra = await alice.extra()
    if extra == "":
        table.deviates("an empty line comes after HELLO: the grammar has one NEWLINE, the example has two")
        extra = await alice.extra()
    if extra is not None:
        raise Broken(f"the server sent more than HELLO to a user who has sent nothing. Came: {shortened(extra, 80)!r}")


@case("HELLO", "counts-the-user-itself", f"{COUNT}: Players: N including you")
async def counts_the_user_itself(table: MineTable) -> None:
    await table.counts(0, "no other user is")


@case("HELLO", "counts-users-who-join", COUNT)
async def counts_users_who_join(table: MineTable) -> None:
    for number, name in enumerate(("alice", "bob", "carol"), 1):
        await table.connect(name)
        await table.counts(number, "all of them have got HELLO, and none has left")


@case("HELLO", "forgets-users-who-say-bye", f"{COUNT}; bye terminates the connection")
async def forgets_users_who_say_bye(table: MineTable) -> None:
    _, bob, carol = await table.players(3)
    await bob.send(b"bye\n")
    await bob.closed("bye terminates the connection")
    await table.counts(2, "bob has said bye")
    await carol.send(b"bye\n")
    await carol.closed("bye terminates the connection")
    await table.counts(1, "bob and carol have said bye")


@case("HELLO", "forgets-users-who-disconnect", COUNT)
async def forgets_users_who_disconnect(table: MineTable) -> None:
    _, bob, carol = await table.players(3)
    await bob.leave()
    await table.counts(2, "bob has closed his connection without bye")
    await carol.leave()
    await table.counts(1, "bob and carol have closed their connections without bye")
