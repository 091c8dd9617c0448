"""The text between a user and the server, without sockets.

Testing strategy. Partitions, and the tests that cover them by name:

- messages: each of the six words: test_messages_...; integers negative, -0, with leading zeros, longer than Python
  converts; with a player or without: test_integers_..., test_a_move_...
- invalid lines: empty, case, spaces, signs, arguments missing or too many, digits that are not ASCII, NUL, not UTF-8,
  trailing text; any bytes: test_malformed_..., test_any_bytes_...
- to the user: HELLO, HELP, BOOM, BOARD of one and more rows, each against its grammar: test_hello_..., test_help_...,
  test_boom_..., test_a_board_...

The tests of the line server cover the splitting of bytes into lines.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scramble.minesweeper import BoardView, Field, Welcome
from scramble.minesweeper.fieldfile import MAX_SQUARES
from scramble.minesweeper.messages import Deflag, Dig, Flag, Look
from scramble.minesweeper.text import BOOM, HELP, Bye, Help, hello, parse_message, reply

MESSAGE = re.compile(rb"look|help|bye|(dig|flag|deflag) -?[0-9]+ -?[0-9]+")
BOARD = re.compile(rb"(([-F1-8 ] )*[-F1-8 ](\r\n?|\n))+")


# --- from the user ---


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"look", Look()),
        (b"dig 3 10", Dig(3, 10)),
        (b"flag 11 8", Flag(11, 8)),
        (b"deflag 9 9", Deflag(9, 9)),
        (b"help", Help()),
        (b"bye", Bye()),
    ],
)
def test_messages_are_the_handouts(line: bytes, message: object) -> None:
    assert parse_message(line) == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"dig -1 -20", Dig(-1, -20)),
        (b"dig -0 0", Dig(0, 0)),
        (b"flag 007 -000", Flag(7, 0)),
        (b"dig 999999999999999999 1", Dig(999999999999999999, 1)),
        (b"dig " + b"0" * 6000 + b"5 -" + b"0" * 6000 + b"6", Dig(5, -6)),
    ],
)
def test_integers_have_a_sign_and_any_number_of_zeros(line: bytes, message: object) -> None:
    assert parse_message(line) == message


@pytest.mark.parametrize("digits", [19, 30, 1000, 5000])
@pytest.mark.parametrize("sign", ["", "-"])
def test_integers_of_any_length_are_just_outside_every_field(sign: str, digits: int) -> None:
    for line in (f"dig {sign}{'9' * digits} 0", f"dig 0 {sign}{'9' * digits}"):
        message = parse_message(line.encode())
        assert isinstance(message, Dig)
        assert (min(message.x, message.y) < 0) == (sign == "-")
        assert Field(2, 2).dig(message.x, message.y) == BoardView(0, "- -\n- -\n")


@pytest.mark.parametrize("place", [MAX_SQUARES - 1, MAX_SQUARES, 10**18 - 1])
def test_integers_up_to_any_fields_size_keep_their_value(place: int) -> None:
    assert parse_message(f"dig {place} -{place}".encode()) == Dig(place, -place)
    assert parse_message(f"flag 000{place} 0".encode()) == Flag(place, 0)


@pytest.mark.parametrize("digits", [19, 20, 100])
def test_longer_integers_are_outside_the_largest_field_too(digits: int) -> None:
    message = parse_message(f"dig 1{'0' * (digits - 1)} -1{'0' * (digits - 1)}".encode())
    assert isinstance(message, Dig)
    assert message.x > MAX_SQUARES
    assert message.y < 0


@pytest.mark.parametrize("line", [b"dig 1 2", b"flag 1 2", b"deflag 1 2"])
def test_a_move_is_made_in_the_name_of_its_player(line: bytes) -> None:
    message = parse_message(line, player=7)
    assert isinstance(message, Dig | Flag | Deflag)
    assert (message.x, message.y, message.player) == (1, 2, 7)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b" ",
        b"Look",
        b"LOOK",
        b" look",
        b"look ",
        b"look\x00",
        b"look 1 2",
        b"looklook",
        b"dig",
        b"dig ",
        b"dig 1",
        b"dig 1 ",
        b"dig 1 2 ",
        b" dig 1 2",
        b"dig  1 2",
        b"dig 1  2",
        b"dig\t1 2",
        b"dig 1 2 3",
        b"dig 1,2",
        b"dig1 2",
        b"dig +1 2",
        b"dig --1 2",
        b"dig - 1 2",
        b"dig 1- 2",
        b"dig -1 -",
        b"dig 1.0 2",
        b"dig 1e3 2",
        b"dig 0x1 2",
        "dig ١ ٢".encode(),
        "dig １ ２".encode(),
        b"dig 1\xa02",
        b"dig 1_0 2",
        b"\xff\xfe",
        b"\x00",
        b"dig 1 2\x00",
        b"undig 1 2",
        b"flag 1",
        b"deflag 1 2 3",
        b"de flag 1 2",
        b"help me",
        b"bye bye",
        b"quit",
        b"\xff\xf4look",
        b"look\n",
        b"dig 1 2\n",
        b"look\r",
        b"dig\n1 2",
    ],
)
def test_malformed_lines_are_no_message(line: bytes) -> None:
    assert parse_message(line) is None


@given(st.binary(max_size=20) | st.from_regex(rb"\A(look|help|bye|(dig|flag|deflag)( .?-?[0-9]+){1,3})[^0]?\Z"))
def test_any_bytes_are_a_message_exactly_if_they_match_the_grammar(line: bytes) -> None:
    assert (parse_message(line) is not None) == (MESSAGE.fullmatch(line) is not None)


# --- to the user ---


def test_hello_is_exact() -> None:
    expected = (
        b"Welcome to Minesweeper. Board: 30 columns by 16 rows. Players: 2 including you. Type 'help' for help.\r\n"
    )
    assert hello(Welcome(player=5, columns=30, rows=16, players=2)) == expected


def test_help_is_one_line_that_names_every_command() -> None:
    assert re.fullmatch(rb"[^\r\n]+\r\n", HELP)
    for command in (b"look", b"dig X Y", b"flag X Y", b"deflag X Y", b"help", b"bye"):
        assert re.search(rb"\b" + command + rb"\b", HELP)


def test_boom_is_the_only_reply_to_the_dig_that_hit_a_bomb() -> None:
    field = Field(2, 1, [(0, 0)])
    assert reply(field.dig(0, 0)) == BOOM == b"BOOM!\r\n"
    assert reply(field.look()) == b"   \r\n"


def test_a_board_has_a_line_for_each_row_and_a_character_for_each_square() -> None:
    field = Field(4, 3, [(2, 1)])
    field.flag(2, 1)
    assert reply(field.dig(0, 0)) == b"  1 - -\r\n  1 F -\r\n  1 - -\r\n"


@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (1, 3), (3, 1), (30, 16)])
def test_a_board_matches_its_grammar(columns: int, rows: int) -> None:
    field = Field.random(columns, rows, seed=1)
    for x in range(columns):
        field.dig(x, rows // 2)
        field.flag(x, 0)
        board = reply(field.look())
        assert BOARD.fullmatch(board)
        assert [len(line) for line in board.splitlines()] == [2 * columns - 1] * rows
