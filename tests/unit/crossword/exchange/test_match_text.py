"""A match as text.

Strategy:
- the match: before the first move; words of both players, crossing, confirmed by a challenge
- the end: by points, a draw, given up, left, alone
- the solution, after the end
- names and clues with characters that move a terminal's cursor
"""

from __future__ import annotations

from msgspec import structs

from scramble.crossword import Match, Puzzle
from scramble.crossword.exchange import match_text
from tests.support.crossword.driver import SIMPLE


def match(source: str = SIMPLE) -> Match:
    return Match("m1", Puzzle.parse(source), "Friday", ("ann", "bob"))


def test_a_match_that_has_just_begun_shows_the_empty_grid_and_all_clues() -> None:
    text = match_text(match().view())
    assert text == (
        "Crossword Extravaganza\n"
        "Friday\n"
        "\n"
        "ann: 0 words so far\n"
        "bob: 0 words so far\n"
        "The match goes on.\n"
        "\n"
        ".  _  .\n"
        "_  _  _\n"
        ".  _  .\n"
        "(capital letters: ann, small ones: bob, *: both)\n"
        "\n"
        "ACROSS\n"
        "  2. lounging place for feline companion (3)  not entered\n"
        "\n"
        "DOWN\n"
        "  1. feline companion (3)  not entered\n"
    )


def test_the_end_shows_the_points_and_the_winner() -> None:
    game = match()
    game.try_word("bob", 2, "mat")
    game.challenge("ann", 2, "met")
    game.try_word("ann", 1, "cat")
    text = match_text(game.view(), game.result(), "What's up")
    assert text == (
        "What's up\n"
        "Friday\n"
        "\n"
        "ann: 0 points (1 word, -1 by challenges)\n"
        "bob: 1 point (1 word), winner\n"
        "\n"
        ".  C  .\n"
        "m  A* t\n"
        ".  T  .\n"
        "(capital letters: ann, small ones: bob, *: both)\n"
        "\n"
        "ACROSS\n"
        "  2. lounging place for feline companion (3)  mat - bob, confirmed\n"
        "\n"
        "DOWN\n"
        "  1. feline companion (3)  cat - ann, confirmed\n"
    )


def test_the_text_reports_a_draw_and_a_match_that_was_given_up_or_left() -> None:
    draw = match()
    draw.try_word("ann", 1, "cat")
    draw.try_word("bob", 2, "mat")
    assert "\nA draw.\n" in match_text(draw.view(), draw.result())
    given_up, left = match(), match()
    given_up.forfeit("ann")
    left.forfeit("bob", left=True)
    assert "\nann gave up.\n" in match_text(given_up.view(), given_up.result())
    assert "\nbob left.\n" in match_text(left.view(), left.result())


def test_the_text_reports_a_match_that_timed_out() -> None:
    idle = match()
    idle.time_out()
    assert "nobody moved for too long" in match_text(idle.view(), idle.result())


def test_the_solution_stands_behind_words_that_are_missing_or_wrong() -> None:
    game = match()
    game.try_word("bob", 2, "met")
    game.forfeit("ann")
    text = match_text(game.view(), game.result(), solution=("cat", "mat"))
    assert "1. feline companion (3)  not entered (right: cat)\n" in text
    assert "(3)  met - bob (right: mat)\n" in text


def test_players_are_called_by_their_display_names() -> None:
    game = match()
    game.try_word("ann", 1, "cat")
    game.forfeit("bob")
    text = match_text(game.view(), game.result(), names={"ann": "\N{LATIN CAPITAL LETTER A WITH RING ABOVE}nn"})
    assert "\nÅnn: 1 point (1 word), winner\n" in text
    assert "(capital letters: Ånn, small ones: bob, *: both)" in text
    assert "cat - Ånn" in text


def test_a_match_of_one_player_counts_mistakes_and_the_time() -> None:
    game = Match("m1", Puzzle.parse(SIMPLE), "", ("ann",))
    game.try_word("ann", 2, "met")
    game.try_word("ann", 2, "mat")
    game.try_word("ann", 1, "cat")
    result = structs.replace(game.result(), seconds=75.4)
    text = match_text(game.view(), result, solution=("cat", "mat"))
    assert text.startswith("Crossword Extravaganza\n\nann: 1 point (2 words, 1 mistake)")
    assert "Played alone in 1:15 minutes.\n\n.  C  .\n" in text
    assert "capital" not in text


def test_no_clue_can_move_the_cursor_or_look_like_another_line() -> None:
    text = match_text(match(SIMPLE.replace("feline companion", "a\\nB\x1b[2J")).view())
    assert "a B?[2J (3)" in text
