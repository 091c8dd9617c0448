"""The board: its text, its file, and what each player sees of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from scramble.conform.cases import Broken, Catalogue
from scramble.conform.memory.client import MemoryTable, Request

CASES: Final = Catalogue[MemoryTable]()
case: Final = CASES.case

GRAMMAR = 'BOARD_STATE ::= ROW "x" COLUMN NEWLINE (SPOT NEWLINE)+'


@case("board", "is-a-board-state", f"for all requests, the server responds with a board state: {GRAMMAR}", is_gate=True)
async def is_a_board_state(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    await alice.look()


@case("board", "has-the-size-of-its-file", "ROW is the number of rows, COLUMN is the number of columns")
async def has_the_size_of_its_file(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    board, file = await alice.look(), table.ground.file
    if (board.rows, board.columns) != (file.rows, file.columns):
        raise Broken(f"the board of a file with {file.rows}x{file.columns} is {board.rows}x{board.columns}")


@case("board", "starts-face-down", "all cards start face down")
async def starts_face_down(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    (space,) = table.take("A")
    await alice.sees({space: "down"})


@case("board", "is-unchanged-by-looks", "a look responds with the current board; it is not a move", is_gate=True)
async def is_unchanged_by_looks(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    first = await alice.look()
    for player in (alice, bob, alice):
        if await player.look() != first:
            raise Broken("two looks, with nothing between them, have different boards")


@case("board", "lists-cards-row-by-row", "the cards are listed reading across each row, starting with the top row")
async def lists_cards_row_by_row(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    one, other = table.take("AB")
    before = await alice.look()
    board = await alice.first(one)
    changed = [index for index, spot in enumerate(board.spots) if spot != before.spots[index]]
    if changed != [one[0] * board.columns + one[1]]:
        raise Broken(
            f"the flip of row {one[0]}, column {one[1]} changed the spots {changed}, counted from 0 in reading order"
        )
    await alice.turns(other)


@case(
    "board", "names-the-controller-only-to-itself", "my is a face-up card controlled by the player who sent the request"
)
async def names_the_controller_only_to_itself(table: MemoryTable) -> None:
    alice, bob = table.players(2)
    (space,) = table.take("A")
    await alice.first(space)
    await alice.sees({space: "my"})
    await bob.sees({space: "up"})


@case("board", "shows-every-kind-of-card", "a card is a non-empty string of non-whitespace characters")
async def shows_every_kind_of_card(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    cards = dict.fromkeys(table.ground.cards.values())
    pattern = "".join(chr(ord("A") + index) for index in range(len(cards) // 2 * 2))
    spaces = table.take(pattern[:12])
    for first, second in zip(spaces[::2], spaces[1::2], strict=True):
        board = await alice.first(first)
        board = await alice.turns(second)
        alice.check(board, {second: "up"})


@case("board", "takes-any-player-id", "a player ID is a nonempty string of alphanumeric or underscore characters")
async def takes_any_player_id(table: MemoryTable) -> None:
    for name in ("x", "_", "Z9", "007", "snake_case_and_CamelCase_42"):
        answer = await table.raw(table.server.request("look", {"player": name}))
        if answer.status != 200:
            raise Broken(f"the look of the player {name} was answered with {answer.status}")


@case("board", "knows-a-player-by-id", "all requests with the same player ID are the actions of a single player")
async def knows_a_player_by_id(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    first, twin = table.take("AA")
    await alice.first(first)  # each request here has a connection of its own
    await alice.turns(twin)
    await alice.sees({first: "my", twin: "my"})


@case("board", "distinguishes-players-by-case", "a player ID is a string: a and A are two players")
async def distinguishes_players_by_case(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    (space,) = table.take("A")
    await alice.first(space)
    upper = alice.again(alice.name.upper())
    await upper.sees({space: "up"})


@case("board", "reads-crlf", 'NEWLINE ::= "\\r"? "\\n"', editions=["2022"], board="2x2 A B A B", newline="\r\n")
async def reads_crlf(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    await alice.pair((0, 0), (1, 0))


@case("board", "reads-a-board-with-one-row", "a valid board file has exactly ROW x COLUMN cards", board="1x3 A B A")
async def reads_a_board_with_one_row(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    await alice.pair((0, 0), (0, 2))


@case(
    "board",
    "tells-rows-from-columns",
    "(row, column) coordinates start at (0,0) in the top left corner",
    board="3x2 A B C C B A",
)
async def tells_rows_from_columns(table: MemoryTable) -> None:
    (alice,) = table.players(1)
    await alice.misses((2, 0), (0, 0))
    await alice.sees({(0, 1): "down", (1, 0): "down", (1, 1): "down", (2, 1): "down"})


@case("http", "answers-plain-text", "all server responses will be plain text")
async def answers_plain_text(table: MemoryTable) -> None:
    answer = await table.raw(_look(table))
    kind = answer.header("content-type")
    if kind is None or kind.split(";")[0].strip().lower() != "text/plain":
        told = f"the answer has the Content-Type {kind}"
        if table.edition == "2022":
            raise Broken(told)
        table.deviates(f"{told}; the handout of 2025 does not name one")


@case("http", "is-utf-8", "cards may be any characters, such as emoji: a page must be able to read them")
async def is_utf_8(table: MemoryTable) -> None:
    answer = await table.raw(_look(table))
    kind = (answer.header("content-type") or "").lower().replace(" ", "")
    if "charset=" in kind and "charset=utf-8" not in kind.replace('"', ""):
        table.deviates(f"the answer has the Content-Type {kind}")


@case("http", "lets-the-courses-page-read", "a web page from elsewhere plays: Access-Control-Allow-Origin allows it")
async def lets_the_courses_page_read(table: MemoryTable) -> None:
    origin = "http://web.mit.edu"
    answer = await table.raw(replace(_look(table), headers=(("Origin", origin),)))
    if answer.header("access-control-allow-origin") not in ("*", origin):
        found = answer.header("access-control-allow-origin")
        raise Broken(f"a page of {origin} cannot read the answer: Access-Control-Allow-Origin is {found}")


def _look(table: MemoryTable) -> Request:
    return table.server.request("look", {"player": "probe"})
