r"""Board files: valid files, invalid files, and the error messages.

Strategy:

- sizes: smallest, oblong, leading zeros, absurdly long; 0, negative, signs, spaces, other scripts' digits, "X", no "x"
- newlines: `\n` | `\r\n` | mixed; `\r` alone, `\n\r`, `\r\r\n`; no newline at the end; blank lines at the end or within
- cards: one letter, emoji of many code points, equal or not code point for code point, cards that look like sizes;
  empty, with white space of any script, lone surrogates
- number of cards: right, too few, too many, no cards
- files: not UTF-8, byte order mark, missing, empty, packaged files
- any board can be written and read back (Hypothesis); any text is read or rejected, without another error

For every rejection the tests check file, line and message.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scramble.memory import Board, BoardFileError
from scramble.memory.boardfile import BoardFile, format_board_file, parse_board_file
from scramble.memory.validation import is_card, is_player
from scramble.resources import BOARDS

cards = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(
    lambda text: not any(map(str.isspace, text))
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1x1\nA\n", BoardFile(1, 1, ("A",))),
        ("2x1\nA\nB\n", BoardFile(2, 1, ("A", "B"))),
        ("1x2\r\nA\r\nB\r\n", BoardFile(1, 2, ("A", "B"))),
        ("1x2\nA\r\nB\n", BoardFile(1, 2, ("A", "B"))),
        ("001x02\nA\nB\n", BoardFile(1, 2, ("A", "B"))),
        ("1x1\n1x1\n", BoardFile(1, 1, ("1x1",))),
        ("1x2\né\ne\u0301\n", BoardFile(1, 2, ("é", "e\u0301"))),
        ("1x1\n👩‍👩‍👧‍👦\n", BoardFile(1, 1, ("👩‍👩‍👧‍👦",))),
        ("1x1\n☕\ufe0f√-1\n", BoardFile(1, 1, ("☕\ufe0f√-1",))),
        ("0" * 5000 + "1x1\nA\n", BoardFile(1, 1, ("A",))),
    ],
)
def test_a_valid_file_is_read(text: str, expected: BoardFile) -> None:
    assert parse_board_file(text) == expected


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "expected ROWxCOLUMN and a newline"),
        ("3x3", 1, "expected ROWxCOLUMN and a newline"),
        ("\n", 1, "expected ROWxCOLUMN"),
        ("3 x 3\n", 1, "expected ROWxCOLUMN"),
        ("3X3\n", 1, "expected ROWxCOLUMN"),
        ("3×3\n", 1, "expected ROWxCOLUMN"),
        ("33\n", 1, "expected ROWxCOLUMN"),
        ("-1x1\nA\n", 1, "expected ROWxCOLUMN"),
        ("+1x1\nA\n", 1, "expected ROWxCOLUMN"),
        ("1.0x1\nA\n", 1, "expected ROWxCOLUMN"),
        ("1x1 \nA\n", 1, "expected ROWxCOLUMN"),
        (" 1x1\nA\n", 1, "expected ROWxCOLUMN"),
        ("1_0x1\nA\n", 1, "expected ROWxCOLUMN"),
        ("١x١\nA\n", 1, "expected ROWxCOLUMN"),
        ("1x1\r\r\nA\n", 1, "expected ROWxCOLUMN"),
        ("1x1\rA\r", 1, "expected ROWxCOLUMN"),
        ("\ufeff1x1\nA\n", 1, "byte order mark"),
        ("0x1\n", 1, "at least 1 row"),
        ("1x000\n", 1, "at least 1 column"),
        ("9" * 5000 + "x1\nA\n", 1, "a number of 5000 digits"),
        ("1x1234567890\nA\n", 1, "a number of 10 digits"),
        ("999999999x999999999\nA\n", 3, "found the end of the file after 1"),
        ("1x1\n", 2, "found the end of the file after 0"),
        ("1x2\nA\n", 3, "expected 1x2 = 2 cards"),
        ("1x1\nA", 2, "expected a newline after the card"),
        ("1x1\nA\r", 2, "white space"),
        ("1x2\nA\nB", 3, "expected a newline after the card"),
        ("1x1\nA\nB\n", 3, "expected nothing after 1x1 = 1 cards"),
        ("1x1\nA\nB", 3, "expected nothing after"),
        ("1x1\nA\n\n", 3, "expected nothing after"),
        ("1x1\nA\n\r", 3, "expected nothing after"),
        ("1x1\nA\n ", 3, "expected nothing after"),
        ("1x2\nA\n\nB\n", 3, "empty line"),
        ("1x1\n\r\n", 2, "empty line"),
        ("1x1\nA B\n", 2, "white space"),
        ("1x1\nA \n", 2, "white space"),
        ("1x1\nA\rB\n", 2, "white space"),
        ("1x1\nA\r\r\n", 2, "white space"),
        ("1x1\n\n\rA\n", 2, "empty line"),
        ("1x1\nA\u00a0B\n", 2, "white space"),
        ("1x1\n\u3000\n", 2, "white space"),
        ("1x1\nA\u2028\n", 2, "white space"),
        ("1x1\nA\x85\n", 2, "white space"),
        ("1x1\nA\x0b\n", 2, "white space"),
        ("1x1\nA\ud800\n", 2, "a character that UTF-8 cannot encode"),
    ],
    ids=lambda value: ascii(value[:20]) if isinstance(value, str) else None,
)
def test_any_other_text_is_rejected_with_line_and_message(text: str, line: int, words: str) -> None:
    with pytest.raises(BoardFileError) as caught:
        parse_board_file(text, "my.txt")
    assert caught.value.line == line
    assert words in caught.value.reason
    assert str(caught.value).startswith(f"my.txt:{line}:")
    assert len(str(caught.value)) < 200


def test_a_bad_card_is_reported_with_the_column_of_its_first_bad_character() -> None:
    with pytest.raises(BoardFileError, match=r"^<text>:3:3: "):
        Board.parse("1x2\nA\nAB C\n")


def test_a_file_is_read_without_translating_its_newlines(tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    path.write_bytes("1x2\r\n🦄\r\n🌈\n".encode())
    assert (Board.parse_from_file(path).rows, Board.parse_from_file(str(path)).columns) == (1, 2)
    path.write_bytes(b"1x2\nA\rB\n")
    with pytest.raises(BoardFileError):
        Board.parse_from_file(path)


def test_bytes_that_are_not_utf_8_are_reported_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes(b"1x3\nA\ncaf\xe9\nB\n")
    with pytest.raises(BoardFileError, match="expected UTF-8 text, found the byte 0xE9") as caught:
        Board.parse_from_file(path)
    assert (caught.value.file, caught.value.line) == (str(path), 3)


def test_bytes_that_encode_a_surrogate_are_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "surrogate.txt"
    path.write_bytes(b"1x1\n\xed\xa0\x80\n")
    with pytest.raises(BoardFileError, match="UTF-8"):
        Board.parse_from_file(path)


def test_a_missing_file_is_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Board.parse_from_file(tmp_path / "nowhere.txt")


@given(st.data(), st.integers(1, 4), st.integers(1, 4))
def test_every_board_can_be_written_and_read_back(data: st.DataObject, rows: int, columns: int) -> None:
    deck = data.draw(st.lists(cards, min_size=rows * columns, max_size=rows * columns))
    text = format_board_file(rows, columns, deck)
    assert parse_board_file(text) == BoardFile(rows, columns, tuple(deck))
    assert parse_board_file(text.replace("\n", "\r\n")) == BoardFile(rows, columns, tuple(deck))


@given(st.text(st.sampled_from("0123x\r\n A🦄\u3000\ud800"), max_size=20))
def test_every_text_is_read_exactly_or_rejected(text: str) -> None:
    try:
        board = parse_board_file(text)
    except BoardFileError as error:
        line = error.line
    else:
        line = len(board.cards) + 1
        assert len(board.cards) == board.rows * board.columns >= 1
        assert text.replace("\r\n", "\n").split("\n", 1)[1] == "".join(f"{card}\n" for card in board.cards)
    assert 1 <= line <= text.count("\n") + 1


@pytest.mark.parametrize(
    ("rows", "columns", "deck", "words"),
    [
        (0, 1, [], "at least 1 row"),
        (1, -1, ["A"], "at least 1 row"),
        (2, 2, ["A"], "4 cards, not 1"),
        (1, 1, ["a b"], "is not a card"),
    ],
)
def test_an_invalid_board_is_not_written(rows: int, columns: int, deck: list[str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        format_board_file(rows, columns, deck)


@pytest.mark.parametrize("card", ["A", "√-1", "☕\ufe0f", "\u200b", "a/b", "\0", "%20", "🦄" * 1000])
def test_these_are_cards(card: str) -> None:
    assert is_card(card)


@pytest.mark.parametrize(
    "value", ["", " ", "a b", "A\n", "\u2003", "\x1c", "\ud83e", "a\udc00", None, 1, b"A"], ids=ascii
)
def test_these_are_no_cards(value: object) -> None:
    assert not is_card(value)


@pytest.mark.parametrize("player", ["a", "Z", "_", "0", "alice_2", "x" * 1000])
def test_these_are_players(player: str) -> None:
    assert is_player(player)


@pytest.mark.parametrize("value", ["", " ", "a b", "a\n", "é", "٣", "a-b", "ａ", None, 1], ids=ascii)
def test_these_are_no_players(value: object) -> None:
    assert not is_player(value)


@pytest.mark.parametrize("path", sorted((BOARDS / "memory").glob("*.txt")), ids=lambda path: path.name)
def test_every_packaged_board_is_valid(path: Path) -> None:
    Board.parse_from_file(path)
    assert b"\r" not in path.read_bytes()


def test_the_packaged_perfect_board_has_rainbows_and_unicorns() -> None:
    board = parse_board_file((BOARDS / "memory" / "perfect.txt").read_bytes().decode())
    assert (board.rows, board.columns) == (3, 3)
    assert set(board.cards) == {"🦄", "🌈"}


@pytest.mark.parametrize("name", ["animals", "fruit", "greetings", "large"])
def test_the_other_packaged_boards_are_made_of_pairs(name: str) -> None:
    board = parse_board_file((BOARDS / "memory" / f"{name}.txt").read_bytes().decode())
    assert all(board.cards.count(card) == 2 for card in board.cards)
