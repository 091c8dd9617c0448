"""Display names: valid names and their normal form; lookalikes; the player's ID; offers of other names.

Partitions:
- a name: of each kind of script, with marks, with joiners (a part of the spelling, or hidden), spaces, emoji; empty,
  too long, invisible, of marks only
- two names: alike by case, width, accent, script, joined letters, punctuation; not alike
- an ID: of letters; without letters; too long
- any text: an accepted name is accepted again, and has a skeleton, an ID and offers
"""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scramble.errors import InvalidCommand
from scramble.players.names import (
    MAX_DISPLAY_NAME,
    MAX_ID,
    numbered_name,
    numbered_player,
    parse_display_name,
    player_of,
    skeleton_of,
)

FAMILY = "👨\u200d👩\u200d👧"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("alice", "alice"),
        ("  Zoe\u0308 \t the\u00a01st ", "Zoë the 1st"),  # NFC; single spaces
        ("李小龙", "李小龙"),
        ("Нина", "Нина"),
        ("محمد\u200cعلی", "محمد\u200cعلی"),  # Persian spelling uses a non-joiner
        ("क्\u200dष", "क्\u200dष"),  # after a virama
        (f"{FAMILY} Fam", f"{FAMILY} Fam"),
        ("❤\ufe0f 1\ufe0f\u20e3", "❤\ufe0f 1\ufe0f\u20e3"),
        ("x" * MAX_DISPLAY_NAME, "x" * MAX_DISPLAY_NAME),
        ("a_b-c.d", "a_b-c.d"),
    ],
)
def test_a_name_may_be_of_any_script(text: str, name: str) -> None:
    assert parse_display_name(text) == name


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "letter, a digit or a symbol"),
        (" \u3000 ", "letter, a digit or a symbol"),
        ("...", "letter, a digit or a symbol"),
        ("x" * (MAX_DISPLAY_NAME + 1), "at most 24"),
        ("x" * 1_000_000, "at most 24"),
        ("a\x00b", r"U\+0000"),
        ("a\u202eb", r"U\+202E"),  # right-to-left override
        ("a\u2066b", r"U\+2066"),
        ("a\u200bb", r"U\+200B"),
        ("bob\u200d", r"U\+200D"),
        ("bo\u200db", r"U\+200D"),
        ("bo\u200cb", r"U\+200C"),
        ("bob\ufe0f", r"U\+FE0F"),
        ("bob\u3164", r"U\+3164"),  # a filler that counts as a letter
        ("bob\U000e0101", r"U\+E0101"),
        ("bob\ue000", r"U\+E000"),  # private use
        ("\ud800", r"U\+D800"),
        ("\u0301bob", "mark"),
        ("b" + 5 * "\u0332" + "ob", "mark"),
    ],
)
def test_an_invisible_or_misleading_name_is_refused_with_a_reason(text: str, words: str) -> None:
    with pytest.raises(InvalidCommand, match=words):
        parse_display_name(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bob", "BOB"),
        ("bob", "bоb"),  # a Cyrillic o
        ("ΒΟΒ", "BOB"),  # Greek
        ("bob", "b0b"),
        ("bob", "ｂｏｂ"),
        ("bob", "𝐛𝐨𝐛"),
        ("bob", "bób"),
        ("bob", "b o_b."),
        ("Ian", "lan"),
        ("Ali", "AI1"),
        ("mum", "rnurn"),
        ("straße", "STRASSE"),
        ("❤", "❤\ufe0f"),
        ("محمدعلی", "محمد\u200cعلی"),
    ],
)
def test_lookalikes_have_the_same_skeleton(one: str, other: str) -> None:
    assert skeleton_of(one) == skeleton_of(other)


@pytest.mark.parametrize(
    ("one", "other"), [("bob", "bobby"), ("bob", "bob 2"), ("はる", "ばる"), ("👩", "👨"), ("कि", "की")]
)
def test_names_that_people_tell_apart_have_different_skeletons(one: str, other: str) -> None:
    assert skeleton_of(one) != skeleton_of(other)


@pytest.mark.parametrize(
    ("name", "player"),
    [
        ("alice", "alice"),
        ("Zoë the 1st", "Zoe_the_1st"),
        ("李小龙", "player"),
        ("Łukasz", "Lukasz"),
        ("Ёлка Щука", "Elka_Shchuka"),
        ("Θάλεια", "Thaleia"),
        ("_a_", "a"),
        ("x" * 24, "x" * MAX_ID),
    ],
)
def test_the_id_of_a_name_consists_of_its_plain_letters(name: str, player: str) -> None:
    assert player_of(name) == player


def test_numbers_fit() -> None:
    assert (numbered_name("bob", 2), numbered_name("x" * 24, 2)) == ("bob 2", "x" * 22 + " 2")
    assert (numbered_player("bob", 3), numbered_player("x" * 20, 2)) == ("bob_3", "x" * 18 + "_2")


@given(st.text(max_size=30) | st.text("ab1iІо0\u0301\u200d\ufe0f 👨´rnv.", max_size=30))
@example("´")
@example(f"{FAMILY}{FAMILY}{FAMILY}")
def test_any_text_is_refused_with_a_reason_or_is_a_stable_name(text: str) -> None:
    try:
        name = parse_display_name(text)
    except InvalidCommand:
        return
    assert parse_display_name(name) == name
    assert skeleton_of(name)
    assert re.fullmatch(r"[A-Za-z0-9_]{1,20}", player_of(name))
    offers = [name, *(numbered_name(name, number) for number in range(2, 14))]
    assert len({skeleton_of(offer) for offer in offers}) == len(offers)
    assert all(len(offer) <= MAX_DISPLAY_NAME for offer in offers)
