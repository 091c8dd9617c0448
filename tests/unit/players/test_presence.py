"""Presence, tested without connections.

Partitions:
- present: a player, a watcher, a bot, a bot and a person under one name; once, several times
- a change: a player arrives, arrives again, leaves one of several connections, leaves, returns; more players have left
  than are remembered
- a copy adopts a state: empty, with all kinds of people; the copy was empty, had others; both continue the same
- the players in the game: exactly the present people, until the end
- a callback: before a change, after it is removed, after the end
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import given
from hypothesis import strategies as st

from scramble.players.presence import MOST_LEFT, Presence, PresenceState


def test_a_player_is_here_from_the_first_connection_to_the_last() -> None:
    here = Presence()
    assert [here.arrive("bob"), here.arrive("ann"), here.arrive("bob")] == [True, True, False]
    assert (here.players, here.people, here.is_here("bob")) == (("bob", "ann"), 2, True)
    assert [here.leave("bob"), here.leave("bob")] == [False, True]
    assert (here.players, here.left, here.is_here("bob")) == (("ann",), ("bob",), False)
    here.arrive("bob")
    assert (here.players, here.left) == (("ann", "bob"), ())
    assert str(here) == "here: ann, bob"


def test_every_connection_that_watches_counts_and_is_no_player() -> None:
    here = Presence()
    assert here.arrive(None)
    assert here.arrive(None)
    assert here.leave(None)
    assert (here.watching, here.players, here.people) == (1, (), 0)
    assert str(here) == "here: nobody"


def test_bots_come_last_among_the_players_and_are_no_people() -> None:
    here = Presence()
    here.arrive("bot_Ada", bot=True)
    here.arrive("ann")
    assert (here.players, here.people) == (("ann", "bot_Ada"), 1)
    here.arrive("bot_Ada")  # in rooms with open names
    assert (here.players, here.people) == (("ann", "bot_Ada"), 2)
    here.leave("bot_Ada", bot=True)
    assert (here.players, here.people, here.left) == (("ann", "bot_Ada"), 2, ())
    here.leave("bot_Ada")
    assert (here.players, here.left) == (("ann",), ("bot_Ada",))


def test_the_last_of_very_many_left_players_are_remembered() -> None:
    here = Presence()
    for number in range(MOST_LEFT + 2):
        here.arrive(f"p{number}")
        here.leave(f"p{number}")
    assert here.left == tuple(f"p{number}" for number in range(2, MOST_LEFT + 2))


def test_exactly_the_present_people_are_in_the_game_until_it_ends() -> None:
    present: list[str] = []

    @contextmanager
    def presence(player: str) -> Iterator[None]:
        present.append(player)
        try:
            yield
        finally:
            present.remove(player)

    here = Presence(presence)
    for player in ("ann", "bob", "ann"):
        here.arrive(player)
    here.arrive("bot_Ada", bot=True)
    here.arrive(None)
    assert present == ["ann", "bob"]
    here.leave("ann")
    here.leave("bob")
    assert present == ["ann"]
    here.adopt(PresenceState(("bob", "carl"), (), 0, (), {}))
    assert present == ["bob", "carl"]
    here.leave("bob")
    here.close()
    here.leave("carl")
    assert present == []


def test_a_callback_is_called_after_each_change_until_its_removal() -> None:
    here = Presence()
    seen: list[tuple[str, ...]] = []

    def moved() -> None:
        seen.append(here.players)

    here.follow(moved)
    for player in ("ann", "ann", "bob"):
        here.arrive(player)
    assert seen == [("ann",), ("ann", "bob")]
    here.unfollow(moved)
    here.leave("bob")
    assert len(seen) == 2
    here.follow(moved)
    here.close()
    here.arrive("bob")
    assert len(seen) == 2
    here.unfollow(moved)


MOVES = st.tuples(st.sampled_from(["ann", "bob", *(f"p{number}" for number in range(70)), None]), st.booleans())


def play(here: Presence, moves: list[tuple[str | None, bool]], at_table: set[tuple[str | None, bool]]) -> None:
    """Let the person of each move leave if present, and arrive if absent."""
    for player, bot in moves:
        who = player, bot and player is not None
        (here.leave if who in at_table else here.arrive)(player, bot=who[1])
        at_table ^= {who}


@given(st.lists(MOVES, max_size=150), st.lists(MOVES, max_size=150), st.lists(MOVES, max_size=150))
def test_a_copy_that_adopted_the_state_stays_the_same(
    before: list[tuple[str | None, bool]], own: list[tuple[str | None, bool]], after: list[tuple[str | None, bool]]
) -> None:
    one, other = Presence(), Presence()
    at_table: set[tuple[str | None, bool]] = set()
    play(one, before, at_table)
    play(other, own, set())
    other.adopt(one.state())
    assert other.state() == one.state()
    play(one, after, set(at_table))
    play(other, after, at_table)
    assert other.state() == one.state()
    assert {player: other.hues.of(player) for player in other.players} == {
        player: one.hues.of(player) for player in one.players
    }
