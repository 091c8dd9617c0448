"""Replacing cards, one kind at a time or all at once.

Strategy:

- replace: no card | one | several cards equal to the old one; face down | up | controlled | removed
- map: covers all cards | some | more than all; one-to-one | merging | swapping; after another map was applied
- faces, control, waiters, plays stay; matches before, during and after; pairs left; the events and their players
"""

from __future__ import annotations

import pytest

from scramble.kernel.protocol import Command
from scramble.memory.messages import (
    CardsMissing,
    CardsReplaced,
    CommitMap,
    FaceDown,
    FaceUp,
    ListCards,
    PairsLeft,
    Removed,
    Replace,
    Replaced,
    Scored,
    View,
)
from tests.unit.memory.driver import Driver, removed_pair

ALPHABET = {"A": "1", "B": "2", "C": "3"}


def test_replace_changes_every_card_equal_to_the_old_one_and_no_other() -> None:
    game = Driver("A B A AA a")
    game.send(Replace("alice", "A", "X"))
    assert game.send(ListCards()).value == ("X", "B", "AA", "a")
    for player, column in (("p0", 0), ("p2", 2)):
        game.flip(player, 0, column)
    assert game.look("alice") == ["up X", "down", "up X", "down", "down"]


def test_replace_leaves_face_and_control_as_they_are() -> None:
    game = Driver("A A A B")
    game.flip("alice", 0, 0)
    game.flip("bob", 0, 1)
    game.flip("bob", 0, 3)
    reply = game.send(Replace("alice", "A", "X"))
    assert reply.view.text == "1x4\nmy X\nup X\ndown\nup B\n"
    assert game.events[:3] == [
        Replaced(0, 0, "X", "alice"),
        Replaced(0, 1, "X", None),
        Replaced(0, 2, None, None),
    ], "no event reveals a face-down card"
    assert game.snapshot().cells == (FaceUp("X", "alice"), FaceUp("X", None), FaceDown(), FaceUp("B", None))


def test_replacing_a_missing_card_or_a_card_by_itself_changes_nothing() -> None:
    game = Driver("A B")
    for old, new in (("X", "Y"), ("A", "A")):
        assert game.send(Replace("alice", old, new)).value == View(0, "1x2\ndown\ndown\n")
        assert game.events == []


def test_replace_is_no_move_of_its_player_and_adds_no_player() -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.send(Replace("alice", "C", "D"))
    game.send(Replace("bob", "D", "C"))
    assert game.look("alice") == ["up A", "up B", "down"]
    assert game.snapshot().scores == {"alice": 0}


def test_a_replace_after_a_match_does_not_break_it() -> None:
    game = Driver("A A B B")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.send(Replace("bob", "A", "B"))
    game.flip("alice", 0, 2)
    assert game.events[:3] == [Removed(0, 0, "alice", "B"), Removed(0, 1, "alice", "B"), Scored("alice", 1, 1)]


def test_a_replace_after_a_miss_does_not_make_a_match() -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.send(Replace("bob", "A", "B"))
    assert game.look("alice") == ["up B", "up B", "down"]
    game.flip("alice", 0, 2)
    assert game.look("alice") == ["down", "down", "my C"]


def test_a_replace_between_the_two_flips_decides_whether_they_match() -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    game.send(Replace("bob", "A", "B"))
    assert game.flip("alice", 0, 1).rule == "2-D ok"


def test_a_player_who_waits_for_a_card_waits_for_its_place() -> None:
    game = Driver("A B")
    game.flip("alice", 0, 0)
    bob = game.flip("bob", 0, 0)
    game.send(Replace("carol", "A", "X"))
    assert bob.waits
    game.flip("alice", 0, 1)
    assert bob.view.text == "1x2\nmy X\nup B\n"


def test_removed_cards_are_neither_listed_nor_replaced() -> None:
    game = removed_pair("A A B")
    assert game.send(ListCards()).value == ("B",)
    game.send(Replace("alice", "A", "X"))
    assert game.events == []
    assert game.send(CommitMap("alice", {"B": "X"})).view.text == "1x3\nnone\nnone\ndown\n"


def test_cards_are_listed_once_each_in_reading_order_up_or_down() -> None:
    game = Driver("B A / A C")
    game.flip("alice", 1, 1)
    assert game.send(ListCards()).value == ("B", "A", "C")


def test_a_map_replaces_all_cards_in_one_step_and_one_change() -> None:
    game = Driver("A B / C A")
    game.flip("alice", 0, 0)
    game.flip("bob", 0, 1)
    watch = game.watch("carol")
    version = game.board.version
    reply = game.send(CommitMap("alice", ALPHABET))
    assert reply.view == View(version + 1, "2x2\nmy 1\nup 2\ndown\ndown\n")
    assert watch.view == View(version + 1, "2x2\nup 1\nup 2\ndown\ndown\n")
    assert game.send(ListCards()).value == ("1", "2", "3")


def test_a_map_may_swap_cards_without_applying_to_its_own_results() -> None:
    game = Driver("A B A")
    game.send(CommitMap("alice", {"A": "B", "B": "A"}))
    assert game.send(ListCards()).value == ("B", "A")
    game.flip("alice", 0, 0)
    assert game.flip("alice", 0, 2).view.text == "1x3\nmy B\ndown\nmy B\n"


def test_a_map_without_some_cards_is_refused_with_their_names_and_changes_nothing() -> None:
    game = Driver("A B C B")
    reply = game.send(CommitMap("alice", {"B": "X"}))
    assert reply.value == CardsMissing(("A", "C"))
    assert game.events == []
    assert game.send(ListCards()).value == ("A", "B", "C")


def test_two_maps_one_within_the_other_both_happen_whole() -> None:
    game = Driver("A B")
    first = {"A": "1", "B": "2"}  # computed before the other map was applied
    game.send(CommitMap("bob", {"A": "C", "B": "A"}))
    assert game.send(CommitMap("alice", first)).value == CardsMissing(("C",))
    game.send(CommitMap("alice", {**first, "C": "3"}))
    assert game.send(ListCards()).value == ("3", "1")


def test_a_map_with_one_value_that_is_no_card_changes_nothing_at_all() -> None:
    game = Driver("A B")
    game.send(CommitMap("alice", {"A": "X", "B": "no card"}))
    assert game.send(ListCards()).value == ("A", "B")
    assert game.board.version == 0


def test_a_mapping_may_have_more_cards_than_the_board() -> None:
    game = Driver("A A")
    game.send(CommitMap("alice", ALPHABET))
    assert game.send(ListCards()).value == ("1",)


def test_replacements_update_the_pairs_left_and_a_change_of_them_is_published() -> None:
    game = Driver("A B C C")
    assert game.snapshot().pairs_left == 1
    game.send(Replace("alice", "B", "A"))
    assert game.events[-1] == PairsLeft(2)
    game.send(CommitMap("alice", {"A": "C", "C": "A"}))
    assert not any(isinstance(event, PairsLeft) for event in game.events)
    game.send(Replace("alice", "A", "C"))
    assert game.snapshot().pairs_left == 2
    game.send(Replace("alice", "C", "D"))
    assert game.snapshot().pairs_left == 2


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (Replace("carol", "A", "X"), True),
        (Replace("carol", "B", "X"), True),
        (CommitMap("carol", {"A": "X", "B": "Y"}), True),
        (Replace("carol", "A", "A"), False),
        (Replace("carol", "C", "X"), False),
        (CommitMap("carol", {"A": "X"}), False),
    ],
)
def test_an_event_names_the_player_of_an_effective_replacement(command: Command[object], told: bool) -> None:
    game = Driver("A A B")
    game.flip("alice", 0, 0)
    game.send(command)
    assert [event for event in game.events if isinstance(event, CardsReplaced)] == [CardsReplaced("carol")] * told
