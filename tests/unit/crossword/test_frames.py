"""Testing strategy: the frames of the WebSocket and the text of telnet, made of views.

- frames: byte for byte in each state; the keys of each state and no others; token; error; lists that change; two
  lobbies at once; text beyond ASCII
- text: the required contents in each state; the grid; marks; control characters of every kind; long lines
"""

from __future__ import annotations

import json
import unicodedata

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scramble.crossword import Puzzle, SessionId, SessionView
from scramble.crossword.frames import view_frame
from scramble.crossword.messages import MatchListing, PuzzleListing
from scramble.crossword.text import view_text
from scramble.plaintext import harmless
from tests.support.crossword.driver import SIMPLE, Table

ALWAYS = ["state", "player", "message", "error"]


def keys(view: SessionView) -> list[str]:
    decoded = json.loads(view_frame(view))
    assert isinstance(decoded, dict)
    return list(decoded)


# frames


def test_the_first_frame_is_this_one_byte_for_byte() -> None:
    view = SessionView(session=SessionId(1), number=0, state="START", player=None, message="Say who you are.")
    assert view_frame(view) == b'{"state":"START","player":null,"message":"Say who you are.","error":null}'


def test_a_choose_frame_lists_puzzles_and_matches_byte_for_byte() -> None:
    view = SessionView(
        session=SessionId(1),
        number=1,
        state="CHOOSE",
        player="ann",
        message="m",
        error="e",
        token="t",
        puzzles=(PuzzleListing("p", "Größe", 'a "quoted"\nline'),),
        matches=(MatchListing("m1", "p", "d", "bob"),),
    )
    assert view_frame(view).decode() == (
        '{"state":"CHOOSE","player":"ann","message":"m","error":"e","token":"t",'
        '"puzzles":[{"id":"p","name":"Größe","description":"a \\"quoted\\"\\nline"}],'
        '"matches":[{"id":"m1","puzzle":"p","description":"d","player":"bob"}]}'
    )


def test_a_play_frame_shows_the_match_byte_for_byte() -> None:
    table = Table()
    ann, _ = table.match("simple")
    view = msgspec.structs.replace(table.do(ann, "TRY 1 PET"), message="m")
    cells = (
        '[[null,{"letter":"p","words":[1]},null],'
        '[{"letter":null,"words":[2]},{"letter":"e","words":[1,2]},{"letter":null,"words":[2]}],'
        '[null,{"letter":"t","words":[1]},null]]'
    )
    words = (
        '[{"id":1,"clue":"feline companion","direction":"DOWN","row":0,"column":1,"length":3,'
        '"entered":"pet","by":"ann","confirmed":false},'
        '{"id":2,"clue":"lounging place for feline companion","direction":"ACROSS","row":1,"column":0,"length":3,'
        '"entered":null,"by":null,"confirmed":false}]'
    )
    assert view_frame(view).decode() == (
        '{"state":"PLAY","player":"ann","message":"m","error":null,'
        '"match":{"id":"m1","puzzle":"simple","description":"a match","rows":3,"columns":3,"players":["ann","bob"],'
        f'"cells":{cells},"words":{words},"challenge_points":{{"ann":0,"bob":0}}}}}}'
    )


def test_each_state_has_its_keys_and_no_others() -> None:
    table = Table()
    ann = table.open("t")
    assert keys(table.look(ann)) == ALWAYS
    assert keys(table.do(ann, "ann")) == [*ALWAYS, "token", "puzzles", "matches"]
    assert keys(table.look(ann)) == [*ALWAYS, "puzzles", "matches"]
    waiting = table.do(ann, 'NEW m1 simple "so"')
    assert keys(waiting) == [*ALWAYS, "match"]
    assert json.loads(view_frame(waiting))["match"] == {"id": "m1", "puzzle": "simple", "description": "so"}
    bob = table.player("bob")
    assert keys(table.do(bob, "PLAY m1")) == [*ALWAYS, "match"]
    score = table.do(bob, "EXIT")
    assert keys(score) == [*ALWAYS, "result"]
    result = json.loads(view_frame(score))["result"]
    assert list(result) == ["winner", "points", "forfeited_by", "match"]
    assert list(result["match"]) == [
        "id",
        "puzzle",
        "description",
        "rows",
        "columns",
        "players",
        "cells",
        "words",
        "challenge_points",
    ]
    assert keys(table.do(bob, "EXIT")) == ALWAYS


def test_changed_lists_are_encoded_again_also_with_two_lobbies_at_once() -> None:
    first, second = Table(), Table([Puzzle.parse(SIMPLE, id="other")])
    ann, bob = first.player("ann"), second.player("bob")
    for number in range(3):
        first.do(first.player(f"a{number}"), f'NEW first{number} simple "so"')
        second.do(second.player(f"b{number}"), f'NEW second{number} other "so"')
        for table, session, id in ((first, ann, "first"), (second, bob, "second")):
            frame = json.loads(view_frame(table.look(session)))
            assert [match["id"] for match in frame["matches"]] == [f"{id}{n}" for n in range(number + 1)]
            assert frame["puzzles"][0]["id"] == ("simple" if id == "first" else "other")


# text


def test_the_text_of_start_has_the_next_step() -> None:
    table = Table()
    text = view_text(table.look(table.open()))
    assert "START" in text
    assert "Type an ID" in text


def test_the_text_of_choose_has_puzzles_matches_token_and_commands() -> None:
    table = Table()
    table.do(table.player("bob"), 'NEW m1 simple "come, all"')
    session = table.open("secret")
    text = view_text(table.do(session, "ann"))
    assert "  simple  Simple Puzzle: A trivial puzzle" in text
    assert "  m1  on simple, by bob: come, all\n" in text
    assert "\nann secret\n" in text
    assert 'The commands here are PLAY Match_ID, NEW Match_ID Puzzle_ID "Description" and EXIT.' in text
    assert "secret" not in view_text(table.look(session))


def test_the_text_of_choose_says_if_no_match_waits() -> None:
    table = Table()
    assert "none at the moment" in view_text(table.look(table.player("ann")))


def test_the_text_of_wait_has_the_match_and_the_only_command() -> None:
    table = Table()
    text = view_text(table.do(table.player("ann"), 'NEW m1 simple "so"'))
    assert "Match m1 on simple: so" in text
    assert "PLAY m1" in text
    assert "The only command here is EXIT." in text


def test_the_text_of_play_has_grid_clues_owners_marks_and_points() -> None:
    table = Table()
    ann, bob = table.match()
    table.do(ann, "TRY 1 cat")
    table.do(ann, "TRY 2 man")
    table.do(bob, "CHALLENGE 1 cut")
    text = view_text(table.look(bob))
    assert ("   0   1   2   3\n      1+\n0     [c] [ ] [ ]\n  2\n1 [m] [a] [n]\n      4\n2     [t] [ ] [ ]\n") in text
    lines = text.splitlines()
    assert "  1. feline companion  (DOWN from row 0, column 1, 3 letters)  cat, by ann, CONFIRMED" in lines
    assert "  2. lounging place for feline companion  (ACROSS from row 1, column 0, 3 letters)  man, by ann" in lines
    assert "  3. takes you to the cat  (ACROSS from row 0, column 1, 3 letters)  not entered" in lines
    assert "Challenge points: ann 0, bob (you) -1" in lines
    assert lines[-1] == "The commands here are TRY id word, CHALLENGE id word and EXIT."


def test_a_refusal_is_shown_at_the_end() -> None:
    table = Table()
    ann, _ = table.match()
    lines = view_text(table.say(ann, "TRY 1 cats")).splitlines()
    assert lines[-2] == "REFUSED: Word 1 has 3 letters, and yours has 4."


def test_the_text_of_the_score_has_winner_points_and_what_to_type() -> None:
    table = Table()
    ann, bob = table.match("simple")
    table.do(ann, "TRY 1 cat")
    text = view_text(table.do(bob, "EXIT"))
    lines = text.splitlines()
    assert "Winner: ann" in lines
    assert "Points: ann 1, bob (you) 0" in lines
    assert "Given up by: bob (you)" in lines
    assert lines[-1] == "The commands here are NEW MATCH and EXIT."
    table = Table()
    ann, bob = table.match("simple")
    table.do(ann, "TRY 1 cat")
    assert "Nobody wins: it is a draw." in view_text(table.do(bob, "TRY 2 mat"))


def test_columns_stay_aligned_with_ids_of_three_digits() -> None:
    entries = "".join(f'({"a" * (n // 26 + 1)}{chr(97 + n % 26)}b, "", ACROSS, {n}, 0)' for n in range(120))
    table = Table([Puzzle.parse(f'>> "" ""\n{entries}', id="long")])
    ann, _ = table.match("long")
    rows = [line for line in view_text(table.look(ann)).splitlines() if "[ ]" in line]
    assert len(rows) == 120
    assert {line.index("[") for line in rows} == {4}
    assert {line[4:].replace(" ", "").replace("][", "").count("[") for line in rows} == {1}


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\x7f", "\x9b", "\u202e", "\u2066", "\u200f", "\ud800"])
def test_control_characters_become_question_marks(character: str) -> None:
    assert harmless(f"a{character}b") == "a?b"


@pytest.mark.parametrize("character", ["\n", "\r", "\t", "\v", "\f", "\x85", "\u2028", "\u2029"])
def test_white_space_becomes_a_space(character: str) -> None:
    assert harmless(f"a{character}b") == "a b"


@pytest.mark.parametrize("text", ["", "plain", "Größe", "猫", "👩‍🚀", "e\u0301", "a\u00a0b"])
def test_other_text_does_not_change(text: str) -> None:
    assert harmless(text) == text


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters='"\n\r'), max_size=200))
def test_no_description_can_draw_on_the_terminal_or_add_a_line(description: str) -> None:
    table = Table()
    session = table.player("ann")
    plain = view_text(table.do(session, 'NEW m1 simple ""'))
    table.do(session, "EXIT")
    text = view_text(table.do(session, f'NEW m1 simple "{description}"'))
    assert text.count("\n") == plain.count("\n")
    assert not any(unicodedata.category(character) == "Cc" for character in text.replace("\n", ""))


def test_clues_names_and_descriptions_of_files_are_made_harmless_too() -> None:
    text = '>> "na\x1b[2Jme" "de\\nscr\\t"\n(cat, "cl\\n\x1b]0;ue", DOWN, 0, 0)'
    table = Table([Puzzle.parse(text, id="evil")])
    shown = view_text(table.look(table.player("cyd")))
    assert "  evil  na?[2Jme: de scr \n" in shown
    ann, _ = table.match("evil")
    assert "  1. cl ?]0;ue  (DOWN" in view_text(table.look(ann))
