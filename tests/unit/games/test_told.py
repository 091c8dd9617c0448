"""Codes with params, and English sentences made from them.

Partitions:
- a sentence: a template, a function; of a known player, of an unknown person, without a player; of all games; a game's
  own sentence for a code of all games
- a code without a sentence: with and without params, with and without a player
- consequences: separate lines; a consequence that continues the line before, also after another consequence
- a summary: titles and figures with and without their own text; a missing figure
- names in a list: one, two, three
"""

from __future__ import annotations

import pytest

from scramble.games.told import English, Told, listed, tell

ENGLISH = English(
    {
        "dropped": "{player} drops into column {column}",
        "counted": lambda player, discs: f"{player} has {discs} {'disc' if discs == 1 else 'discs'}",
        "left": "{player} goes home",
    },
    suffixes={"won": ", and wins"},
    columns={"discs": "discs dropped"},
    figures={"time": lambda seconds: f"{seconds:.1f} s"},
)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (tell("dropped", player="ann", column=3), "ann drops into column 3"),
        (tell("dropped", player=None, column=3), "somebody drops into column 3"),
        (tell("dropped", player="{column}", column=3), "{column} drops into column 3"),
        (tell("counted", player="ann", discs=1), "ann has 1 disc"),
        (tell("joined", player="ann"), "ann joins"),
        (tell("left", player="ann"), "ann goes home"),
        (tell("called-off"), "a request is withdrawn"),
    ],
)
def test_a_code_has_its_sentence(told: Told, words: str) -> None:
    assert ENGLISH.sentence(told) == words


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (tell("four-in-a-row"), "four in a row"),
        (tell("four-in-a-row", player="ann"), "ann: four in a row"),
        (tell("four-in-a-row", player=None), "somebody: four in a row"),
        (tell("four-in-a-row", player="ann", column=3, first_row=2), "ann: four in a row (column 3, first row 2)"),
        (tell("over", discs=7), "over (discs 7)"),
    ],
)
def test_a_code_without_a_sentence_is_readable(told: Told, words: str) -> None:
    assert English().sentence(told) == words


def test_consequences_have_lines_of_their_own_or_continue_the_one_before() -> None:
    dropped, won, left = tell("dropped", player="ann", column=3), tell("won"), tell("left", player="bob")
    assert ENGLISH.lines(dropped) == ["ann drops into column 3"]
    assert ENGLISH.lines(dropped, (won, left)) == ["ann drops into column 3, and wins", "bob goes home"]
    assert ENGLISH.lines(dropped, (left, won)) == ["ann drops into column 3", "bob goes home, and wins"]


def test_a_column_has_a_title_and_its_figures_are_text() -> None:
    assert [ENGLISH.title(column) for column in ("discs", "time", "longest_time")] == [
        "discs dropped",
        "time",
        "longest time",
    ]
    figures = (("discs", 12), ("time", 3.44), ("time", None), ("games", "one 3"))
    assert [ENGLISH.figure(column, value) for column, value in figures] == ["12", "3.4 s", "-", "one 3"]


@pytest.mark.parametrize(
    ("names", "words"), [(["ann"], "ann"), (["ann", "bob"], "ann and bob"), (["ann", "bob", "cat"], "ann, bob and cat")]
)
def test_names_are_listed_for_a_sentence(names: list[str], words: str) -> None:
    assert listed(names) == words
