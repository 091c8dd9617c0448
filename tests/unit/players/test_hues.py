"""Hues of players at one table: each player has a different hue, all people see the same hues, and hues do not change.

Testing strategy:
- two players: wish for the same hue; for similar hues; for different hues
- the palette: has free hues; is full; one player more than hues
- connections: one; several; a watcher's
- a player returns; meanwhile no other player came, a second player, a fourth, as many players as hues
- one player stays while several leave; very many players have left
- a random history of arrivals and departures keeps the promises
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count, islice, permutations, product

from hypothesis import given
from hypothesis import strategies as st

from scramble.players.hues import APART, CLEAR, HUES, wish_of
from scramble.players.presence import MOST_LEFT, Presence

SAME = list(islice((name for name in map("p{}".format, count()) if wish_of(name) == 0), 70))
"""Players who all wish for the first hue."""


class Table(Presence):
    """A table where a player stays during a `with` block."""

    def of(self, player: str) -> int:
        return self.hues.of(player)

    @contextmanager
    def here(self, player: str) -> Iterator[None]:
        self.arrive(player)
        yield
        self.leave(player)


def test_the_names_that_people_try_first_have_different_hues() -> None:
    names = ("alice", "bob", "charlie", "carol", "dave", "ann", "eve", "ben")
    assert len({wish_of(name) for name in names}) == len(names)


def test_if_two_players_wish_for_one_hue_the_second_gets_another() -> None:
    hues = Table()
    with hues.here(SAME[0]), hues.here(SAME[1]):
        assert hues.of(SAME[0]) == 0
        assert hues.of(SAME[1]) != 0


def who_wishes(hue: int, besides: int = 0) -> str:
    names = (name for name in map("q{}".format, count()) if wish_of(name) == hue)
    return next(islice(names, besides, None))


def test_the_second_player_keeps_only_a_hue_that_differs_clearly() -> None:
    for first in range(HUES):
        for second in range(HUES):
            if first == second:
                continue
            hues = Table()
            one, other = who_wishes(first), who_wishes(second)
            with hues.here(one), hues.here(other):
                assert hues.of(one) == first
                found = APART[first][hues.of(other)]
                assert found >= CLEAR
                assert found == max(APART[first]) or hues.of(other) == second


def test_each_of_four_players_with_one_wish_differs_as_much_as_possible() -> None:
    hues = Table()
    with ExitStack() as stack:
        taken: list[int] = []
        for player in SAME[:4]:
            stack.enter_context(hues.here(player))
            hue = hues.of(player)
            if taken:
                most = max(min(APART[free][one] for one in taken) for free in range(HUES) if free not in taken)
                assert min(APART[hue][one] for one in taken) == most
            taken.append(hue)


def test_players_have_different_hues_until_none_is_left_and_then_their_wish() -> None:
    hues = Table()
    with ExitStack() as stack:
        for player in SAME[:HUES]:
            stack.enter_context(hues.here(player))
        assert {hues.of(player) for player in SAME[:HUES]} == set(range(HUES))
        stack.enter_context(hues.here(SAME[HUES]))
        assert hues.of(SAME[HUES]) == 0


def test_a_hue_stays_while_others_leave_and_until_the_last_connection_has_gone() -> None:
    hues = Table()
    with hues.here(SAME[1]):
        with hues.here(SAME[0]), hues.here(SAME[0]):
            other = hues.of(SAME[0])
            assert other != 0
        with hues.here(SAME[2]):
            assert hues.of(SAME[2]) not in (0, other)
        with hues.here(SAME[0]):
            assert hues.of(SAME[0]) == other, "a player who returns has the former hue"


def test_a_player_who_returns_has_the_former_hue_and_differs_clearly_from_the_second() -> None:
    for first, second in product(range(HUES), repeat=2):
        ann, bob = who_wishes(first), who_wishes(second, besides=1)
        hues = Table()
        with hues.here(ann):
            pass
        with hues.here(bob), hues.here(ann):
            assert hues.of(ann) == first
            assert APART[first][hues.of(bob)] >= CLEAR


def test_a_player_who_returns_gets_another_hue_if_the_only_other_players_hue_is_similar() -> None:
    changed = 0
    for first, *others, last in islice(permutations("abcdefghijkl", 6), 0, None, 1000):
        hues = Table()
        with hues.here(first):
            former = hues.of(first)
        for other in others:
            with hues.here(other):
                pass
        with hues.here(last), hues.here(first):
            assert APART[hues.of(first)][hues.of(last)] >= CLEAR
            changed += hues.of(first) != former
    assert changed


@given(st.permutations([*SAME[:6], *"abcdefghijkl"]), st.integers(0, 2))
def test_one_of_three_players_reconnects_after_a_fourth_came_and_has_the_former_hue(
    players: list[str], number: int
) -> None:
    hues = Table()
    gone = players[number]
    with ExitStack() as stack:
        for player in players[:3]:
            if player != gone:
                stack.enter_context(hues.here(player))
            else:
                leaving = stack.enter_context(ExitStack())
                leaving.enter_context(hues.here(gone))
        former = hues.of(gone)
        leaving.close()
        stack.enter_context(hues.here(players[3]))
        stack.enter_context(hues.here(gone))
        assert hues.of(gone) == former


@given(st.permutations([*SAME[:6], *"abcdefghijkl"]), st.integers(1, 10))
def test_two_present_players_differ_clearly_whoever_came_before(players: list[str], visits: int) -> None:
    hues = Table()
    with hues.here(players[0]):
        for player in players[2 : 2 + visits]:
            with hues.here(player):
                pass
        with hues.here(players[1]):
            assert APART[hues.of(players[0])][hues.of(players[1])] >= CLEAR


def test_a_player_who_returns_to_a_taken_hue_gets_another_one() -> None:
    hues = Table()
    with hues.here(SAME[0]):
        pass
    with ExitStack() as stack:
        leaving = stack.enter_context(ExitStack())
        leaving.enter_context(hues.here(SAME[1]))
        for player in SAME[2 : HUES + 1]:
            stack.enter_context(hues.here(player))
        leaving.close()
        stack.enter_context(hues.here(SAME[0]))
        assert hues.of(SAME[0]) == hues.of(SAME[1]) != 0


def test_only_the_last_of_very_many_left_players_keep_their_hues() -> None:
    hues = Table()
    with hues.here(SAME[0]):
        for player in SAME[1 : MOST_LEFT + 5]:
            with hues.here(player):
                pass
        assert hues.of(SAME[1]) == wish_of(SAME[1])
        assert hues.of(SAME[MOST_LEFT + 4]) != 0


@given(st.lists(st.sampled_from([*SAME[:6], *"abcdefghijkl"]), max_size=60))
def test_no_two_of_twelve_share_a_hue_and_none_changes(toggled: list[str]) -> None:
    hues = Table()
    here: dict[str, tuple[ExitStack, int]] = {}
    for player in toggled:
        if player in here:
            here.pop(player)[0].close()
        elif len(here) < HUES:
            stack = ExitStack()
            stack.enter_context(hues.here(player))
            here[player] = stack, hues.of(player)
        assert {one: hues.of(one) for one in here} == {one: hue for one, (_, hue) in here.items()}
        assert len({hue for _, hue in here.values()}) == len(here)
