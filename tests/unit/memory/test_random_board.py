"""Random boards of pairs.

Strategy: all themes, without look-alikes; as many kinds of cards as symbols, fewer, one more, far more; even and odd
sizes, zero, too large; the same seed, another seed. The parser of board files checks every board.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from itertools import combinations

import pytest

from scramble.memory.boardfile import BoardFile, parse_board_file
from scramble.memory.random_board import CARD_WORDS, EMOJI, LETTERS, MAX_CELLS, THEMES, Theme, new_board


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("rows", "columns"), [(1, 2), (4, 13), (2, 27), (22, 22), (22, 23), (100, 100)])
def test_every_card_is_there_exactly_twice(theme: Theme, rows: int, columns: int) -> None:
    board = parse_board_file(new_board(rows, columns, theme, 1))
    assert (board.rows, board.columns) == (rows, columns)
    assert set(Counter(board.cards).values()) == {2}


def kinds(board: BoardFile) -> list[str]:
    return sorted(set(board.cards), key=lambda card: (len(card), card))


def test_small_boards_have_single_symbols_chosen_at_random() -> None:
    for theme, symbols in (("emoji", EMOJI), ("letters", LETTERS)):
        chosen = [kinds(parse_board_file(new_board(2, 4, theme, seed))) for seed in range(5)]  # type: ignore[arg-type]
        assert all(card in symbols for board in chosen for card in board)
        assert len({tuple(board) for board in chosen}) > 1


def test_larger_boards_combine_symbols() -> None:
    letters = kinds(parse_board_file(new_board(2, 28, "letters", 1)))
    assert letters == [*LETTERS, "AA", "AB"]
    assert kinds(parse_board_file(new_board(2, 26 + 26**2 + 1, "letters", 1)))[-1] == "AAA"
    emoji = kinds(parse_board_file(new_board(2, len(EMOJI) + 1, "emoji", 1)))
    assert emoji[-1] == EMOJI[0] * 2
    words = parse_board_file(new_board(2, len(CARD_WORDS) + 1, "words", 1)).cards
    assert set(words) - set(CARD_WORDS) == {f"{CARD_WORDS[0]}-{CARD_WORDS[0]}"}


@pytest.mark.parametrize("theme", THEMES)
def test_the_seed_alone_decides(theme: Theme) -> None:
    assert new_board(4, 4, theme, 7) == new_board(4, 4, theme, 7)
    assert new_board(4, 4, theme, 7) != new_board(4, 4, theme, 8)


@pytest.mark.parametrize(
    ("rows", "columns", "words"),
    [
        (3, 3, "3x3 is an odd number of cards"),
        (1, 1, "odd number"),
        (0, 2, "at least 1 row and 1 column"),
        (2, -2, "at least 1 row and 1 column"),
        (MAX_CELLS, 2, "at most 1,000,000 cards"),
    ],
)
def test_impossible_sizes_are_refused_with_a_reason(rows: int, columns: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        new_board(rows, columns, "emoji", 1)


def test_the_emoji_are_many_and_all_different() -> None:
    assert len(EMOJI) == len(set(EMOJI)) >= 200


def test_the_themes_have_enough_symbols_for_a_board_of_six_by_six_all_different() -> None:
    for symbols in THEMES.values():
        assert len(symbols) == len(set(symbols)) >= 18


def test_there_are_twelve_themes_and_all_but_the_letters_fill_a_board_of_ten_by_ten() -> None:
    assert len(THEMES) == 12
    assert [theme for theme, symbols in THEMES.items() if len(symbols) < 50] == ["letters"]


PICTURES = [theme for theme in THEMES if theme not in ("flags", "letters", "numbers", "words")]


@pytest.mark.parametrize("theme", PICTURES)
def test_pictures_are_single_code_points_so_that_equal_looks_are_equal_cards(theme: Theme) -> None:
    assert all(len(symbol) == 1 and unicodedata.category(symbol) == "So" for symbol in THEMES[theme])


def test_flags_are_two_regional_letters_so_that_combined_ones_cannot_be_misread() -> None:
    for flag in THEMES["flags"]:
        first, second = (ord(letter) - ord("🇦") for letter in flag)
        assert 0 <= first < 26
        assert 0 <= second < 26


def distance(one: str, other: str) -> int:
    """Return the smallest number of letters to change, add or drop to turn one word into the other."""
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, start=1):
        above, row = row, [number]
        for place, wanted in enumerate(other):
            row.append(min(above[place] + (letter != wanted), above[place + 1] + 1, row[-1] + 1))
    return row[-1]


def test_no_two_words_are_easily_confused() -> None:
    for one, other in combinations(CARD_WORDS, 2):
        assert distance(one, other) >= (3 if one[0] == other[0] else 2), (one, other)


def test_combined_numbers_have_a_hyphen_because_they_could_be_misread() -> None:
    cards = parse_board_file(new_board(2, 101, "numbers", 1)).cards
    assert set(cards) - set(THEMES["numbers"]) == {"1-1", "1-2"}
