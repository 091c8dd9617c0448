"""The avatars of people in a room: each player has the chosen one, or the next free one.

Partitions: the wish is free, taken, taken at the end of the numbers; the player's own earlier wish, and a new wish; all
avatars are given, and their players are here, or some are not; random wishes.
"""

from __future__ import annotations

from random import Random

from scramble.rooms.gathering.messages import NoteAvatar, TakeGathering
from scramble.rooms.gathering.names import AVATARS, note_avatar
from tests.unit.rooms.gathering.test_rules import Played


def everybody(_: str) -> bool:
    return True


def test_a_player_gets_the_chosen_avatar_or_the_next_free_one() -> None:
    known = dict[str, int]()
    for player, wish in (("ann", 38), ("bob", 38), ("carl", 38), ("dora", 38)):
        assert note_avatar(known, player, wish, everybody)
    assert known == {"ann": 38, "bob": 39, "carl": 0, "dora": 1}


def test_a_repeated_wish_changes_nothing_and_a_new_wish_changes_only_the_own_avatar() -> None:
    known = {"ann": 5, "bob": 6}
    assert not note_avatar(known, "bob", 5, everybody)
    assert known == {"ann": 5, "bob": 6}
    assert note_avatar(known, "ann", 7, everybody)
    assert known == {"ann": 7, "bob": 6}
    assert note_avatar(known, "bob", 5, everybody)
    assert known == {"ann": 7, "bob": 5}


def test_without_a_free_avatar_the_first_absent_player_loses_the_avatar() -> None:
    full = {f"p{number}": number for number in range(AVATARS)}
    known = dict(full)
    assert not note_avatar(known, "late", 3, everybody)
    assert known == full
    assert note_avatar(known, "late", 3, lambda player: player not in ("p7", "p9"))
    assert known == {**{player: number for player, number in full.items() if player != "p7"}, "late": 7}


def test_avatars_are_always_different() -> None:
    dice, known = Random(27), dict[str, int]()
    for _ in range(2000):
        note_avatar(known, f"p{dice.randrange(60)}", dice.randrange(AVATARS), lambda _: dice.random() < 0.5)
        assert len(set(known.values())) == len(known) <= AVATARS


def test_a_gathering_publishes_a_changed_avatar_once() -> None:
    room = Played()
    room.come("ann", "Ann")
    for player in ("Ann", "Ann", "Bob"):
        room.ask(NoteAvatar(player, 3))
    assert [state.avatars for state in room.told] == [{}, {"Ann": 3}, {"Ann": 3, "Bob": 4}]
    assert room.ask(TakeGathering()).state.avatars == {"Ann": 3, "Bob": 4}
