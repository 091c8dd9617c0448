"""Commands on a game as a whole, and invalid moves.

Strategy:

- the handout's game of Alice, Bob and Charlie, word for word
- commands that are no moves: looks, watches, replacements; invalid values of every kind in every command; a flip by a
  waiting player: nothing changes, not even the player's unfinished play
- copies: of unfinished plays of every kind, of a game with waiters and watchers
- new games: waiters, watchers, unfinished plays, scores, the cards; the seed
- versions, the readable form, the contents of errors; many waiters in order
"""

from __future__ import annotations

from typing import cast

import pytest

from scramble.errors import InvalidCommand
from scramble.kernel.protocol import Command
from scramble.memory import messages
from scramble.memory.messages import (
    AlreadyWaiting,
    CommitMap,
    Flip,
    FlipFailed,
    GameRestarted,
    ListCards,
    Look,
    NewGame,
    Relinquish,
    Replace,
    Restarted,
    TurnedDown,
    TurnedUp,
    Waiting,
    Watch,
)
from tests.unit.memory.driver import Driver, removed_pair

# --- the handout's example ----------------------------------------------------------------------


def test_the_handouts_game_of_alice_bob_and_charlie() -> None:
    red, purple, yellow, green = "❤️", "💜", "💛", "💚"
    game = Driver(f"{red} {yellow} {red} / {green} {yellow} {green} / {purple} x {purple}")
    # Alice turns over the top left card. She controls that card for the moment (1-B).
    assert game.flip("alice", 0, 0).rule == "1-B ok"
    # Bob and Charlie also try to turn over that card. Both are now waiting (1-D).
    bob, charlie = game.flip("bob", 0, 0), game.flip("charlie", 0, 0)
    assert (bob.rule, charlie.rule) == ("waits", "waits")
    # Alice turns over the bottom right card (2-C). It doesn't match (2-E). Bob becomes the controller (1-C).
    assert game.flip("alice", 2, 2).rule == "2-E ok"
    assert (bob.rule, charlie.rule) == ("1-C ok", "waits")
    assert game.look("bob") == [f"my {red}", *["down"] * 7, f"up {purple}"]
    # Alice turns over a yellow heart at the center. Red stays up for Bob; purple turns down (3-B).
    assert game.flip("alice", 1, 1).rule == "1-B ok"
    assert game.look("bob") == [f"my {red}", *["down"] * 3, f"up {yellow}", *["down"] * 4]
    # Bob turns over the top right card: a match (2-D). Charlie is still waiting.
    assert game.flip("bob", 0, 2).rule == "2-D ok"
    assert charlie.waits
    # Bob turns over a green heart on the left. His red hearts are removed (3-A); Charlie's card is gone (1-A).
    assert game.flip("bob", 1, 0).rule == "1-B ok"
    assert charlie.rule == "1-A failed"
    assert game.look("bob") == ["none", "down", "none", f"my {green}", f"up {yellow}", *["down"] * 4]
    # Charlie is now ready to turn over a new first card. Alice and Bob each control one.
    assert game.flip("charlie", 2, 0).rule == "1-B ok"
    assert game.flip("alice", 0, 1).rule == "2-D ok"
    assert game.flip("bob", 1, 2).rule == "2-D ok"


# --- commands that are no moves ----------------------------------------------------------------------------


def test_a_flip_by_a_player_who_is_waiting_is_refused_and_changes_nothing() -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    bob = game.flip("bob", 0, 0)
    before = game.snapshot()
    for column in range(3):
        again = game.flip("bob", 0, column)
        assert isinstance(again.error, AlreadyWaiting)
        assert game.events == []
    assert game.snapshot() == before
    game.flip("alice", 0, 1)
    assert bob.rule == "1-C ok"


HUGE = 10**5000  # more digits than Python converts to text


@pytest.mark.parametrize(
    ("row", "column"),
    [(-1, 0), (0, -1), (2, 0), (0, 3), (HUGE, 0), (0, -HUGE)],
    ids=["above", "left", "below", "right", "far below", "far left"],
)
def test_a_flip_off_the_board_is_refused_and_not_even_the_players_turn_changes(row: int, column: int) -> None:
    game = Driver("A B C / A B C")
    game.flip("alice", 0, 0)
    bad = game.flip("alice", row, column)
    assert isinstance(bad.error, InvalidCommand)
    assert str(bad.error) == "no such space: rows are 0 to 1, columns 0 to 2"
    assert game.events == []
    assert game.look("alice")[0] == "my A"
    assert game.flip("alice", 1, 0).rule == "2-D ok"


def test_a_flip_off_the_board_does_not_finish_the_previous_play_nor_make_a_player_known() -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.flip("alice", 1, 0)
    game.flip("bob", 1, 0)
    assert game.look("alice") == ["up A", "up B", "down"]
    assert game.snapshot().scores == {"alice": 0}


def test_looks_watches_and_replacements_do_not_finish_a_previous_play() -> None:
    game = Driver("A A B C D")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.flip("bob", 0, 2)
    game.flip("bob", 0, 3)
    for player in ("alice", "bob"):
        game.look(player)
        game.watch(player)
        game.send(Replace(player, "D", "E"))
        game.send(ListCards())
    assert game.look("alice") == ["my A", "my A", "up B", "up C", "down"]


class Unheard(Command[None], frozen=True):
    """A command of another game."""


NONSENSE: list[Command[object]] = [
    *(Look(player) for player in ("", " ", "a b", "zoë", "a\n", "٣")),
    Flip("a-b", 0, 0),
    Watch("a/b"),
    NewGame("", 1),
    Relinquish("a b"),
    Relinquish("bob"),
    *(Replace("alice", "A", new) for new in ("", " ", "a b", "a\u3000b", "\x85", "\ud800")),
    *(Replace("alice", old, "B") for old in ("", "\r", "\u2028")),
    CommitMap("alice", {"A": "B", "B": "a\tb"}),
    Flip("alice", cast(int, "0"), 0),
    Watch("alice", cast(int, "1")),
    NewGame("alice", cast(int, None)),
    CommitMap("alice", {"A": "B", "B": cast(str, 7)}),
    CommitMap("alice", cast("dict[str, str]", None)),
    CommitMap("alice", cast("dict[str, str]", ["A", "B"])),
    *(CommitMap("alice", {"A": "B", "B": "A", cast(str, key): "B"}) for key in ("", "a b", "\ud800", 7)),
    Flip("alice", True, 0),
    Flip("alice", 0, False),
    *(NewGame("alice", seed) for seed in (False, -(2**63) - 1, 2**64, 10**30)),
    Unheard(),
]


@pytest.mark.parametrize("command", NONSENSE, ids=ascii)
def test_invalid_commands_are_refused_with_a_reason_and_change_nothing(command: Command[object]) -> None:
    game = Driver("A B")
    game.flip("alice", 0, 0)
    before = game.snapshot()
    reply = game.send(command)
    assert isinstance(reply.error, InvalidCommand)
    assert str(reply.error).isascii()
    assert game.events == []
    assert game.snapshot() == before
    assert game.look("alice") == ["my A", "down"]


def test_several_requests_of_one_player_are_one_players_actions() -> None:
    game = Driver("A A B")
    assert game.flip("alice", 0, 0).rule == "1-B ok"
    assert game.flip("Alice", 0, 0).waits, "another ID is another player"
    assert game.flip("alice", 0, 1).rule == "2-D ok"


# --- copies, new games, the readable form --------------------------------------------------------


def test_a_copy_is_the_same_game_and_changes_by_itself() -> None:
    game = removed_pair("A A B C B")
    game.flip("alice", 0, 2)
    game.flip("bob", 0, 3)
    game.flip("bob", 0, 2)
    twin = Driver(game.board.copy())
    assert twin.snapshot() == game.snapshot()
    assert twin.look("alice") == game.look("alice")
    assert twin.flip("alice", 0, 4).rule == "2-D ok"
    assert twin.flip("bob", 0, 2).waits
    assert twin.events == [TurnedDown(0, 3), Waiting(0, 2, "bob")], "bob's leftover card is remembered"
    assert game.look("alice") == ["none", "none", "my B", "up C", "down"]


def test_waiters_and_watchers_stay_in_the_original_only() -> None:
    game = Driver("A B")
    game.flip("alice", 0, 0)
    bob, watch = game.flip("bob", 0, 0), game.watch("carol")
    twin = Driver(game.board.copy())
    assert twin.snapshot().waiting == {}
    twin.flip("alice", 0, 1)  # the driver asserts that only its own tickets are answered
    assert twin.look("alice") == ["up A", "up B"]
    game.flip("alice", 0, 1)
    assert bob.rule == "1-C ok"
    assert not watch.waits


def test_a_new_game_deals_the_original_cards_face_down_and_refuses_waiting_requests() -> None:
    game = removed_pair("A A B B")
    game.flip("alice", 0, 2)
    bob, watch = game.flip("bob", 0, 2), game.watch("carol")
    game.send(Replace("erin", "B", "C"))
    version = game.board.version
    watch = game.watch("carol")
    new = game.send(NewGame("erin", 7))
    assert game.events == [Restarted("erin")]
    assert isinstance(bob.error, GameRestarted)
    assert new.view.text == watch.view.text == "1x4\ndown\ndown\ndown\ndown\n"
    snapshot = game.snapshot()
    assert snapshot.version == game.board.version == version + 1
    assert snapshot.scores == {"dave": 0, "alice": 0, "bob": 0}
    assert (snapshot.waiting, snapshot.pairs_left) == ({}, 2)
    assert sorted(card for card in turn_all_up(game)) == ["A", "A", "B", "B"]


def test_a_new_game_forgets_unfinished_plays() -> None:
    game = Driver("A A B B")
    game.flip("alice", 0, 0)
    game.flip("bob", 0, 2)
    game.flip("bob", 0, 3)
    game.send(NewGame("alice", 1))
    assert game.flip("alice", 0, 0).rule == "1-B ok", "a first card again, not a second"
    assert game.flip("bob", 0, 1).rule == "1-B ok"
    assert game.events[0] == TurnedUp(0, 1, game.look("bob")[1].split()[1]), "the new game has nothing to remove"


def test_the_seed_alone_decides_how_a_new_game_is_shuffled() -> None:
    cards = " ".join(f"c{number}" for number in range(12))
    dealt = []
    for seeds in ((5,), (4, 5), (4,)):
        game = Driver(cards)
        for seed in seeds:
            game.send(NewGame("alice", seed))
        dealt.append(turn_all_up(game))
    assert dealt[0] == dealt[1] != dealt[2]


def turn_all_up(game: Driver) -> list[str]:
    """Turn each card up, each by another player; return the cards."""
    for number in range(game.board.columns):
        game.flip(f"player{number}", 0, number)
    return [spot.removeprefix("up ") for spot in game.look("onlooker")]


def test_the_text_of_a_board_shows_no_face_down_cards() -> None:
    game = removed_pair("A A B / C D E")
    game.flip("alice", 1, 0)
    game.flip("bob", 1, 1)
    game.flip("bob", 0, 2)
    assert str(game.board) == "Board 2x3, version 6\nnone none B\nC(alice) D down"
    assert (game.board.rows, game.board.columns) == (2, 3)


def test_the_version_counts_commands_that_changed_cards() -> None:
    game = Driver("A B A")
    versions = []
    for player, column in (("alice", 0), ("alice", 1), ("bob", 0), ("bob", 1), ("alice", 2)):
        game.flip(player, 0, column)
        versions.append(game.board.version)
    assert versions == [1, 2, 2, 2, 3]


def test_the_error_of_a_failed_flip_has_the_rule_and_the_board() -> None:
    game = Driver("A B")
    game.flip("alice", 0, 0)
    error = game.flip("alice", 0, 0).error
    assert isinstance(error, FlipFailed)
    assert (error.rule, error.status, error.code) == ("2-B", 409, "flip-failed")
    assert error.reason in str(error)
    assert error.view == messages.View(1, "1x2\nup A\ndown\n")


def test_a_hundred_waiters_are_served_in_the_order_in_which_they_came() -> None:
    game = Driver("A B")
    game.flip("p0", 0, 0)
    waiters = [game.flip(f"p{number}", 0, 0) for number in range(1, 100)]
    for number, waiter in enumerate(waiters):
        assert waiter.waits
        giving_up = game.flip(f"p{number}", 0, 0)
        assert waiter.rule == "1-C ok"
        assert game.order == [giving_up.ticket, waiter.ticket]
