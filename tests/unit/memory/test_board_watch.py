"""Watching: the changes, the answered watchers, and their answers.

Strategy:

- changes: a card turned up (1-B, 2-C) | turned down | removed | replaced, face up or face down | a new game
- no changes: control taken (1-C, 2-D) or relinquished | waiting | withdrawal | each failure | a replacement by the
  same card | of a missing card | a map of each card to itself | looking | invalid commands
- one command is one change for any number of cards
- watchers: no watcher, one, many; a watcher who flips; a watcher who waited for a card; a watcher who withdrew
- since: missing | older | the present | a future version
- all players without cards share one view
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scramble.kernel.protocol import Answered, Command, Ticket
from scramble.memory.messages import CommitMap, Flip, ListCards, Look, NewGame, Replace, TakeSnapshot, View, Watch
from tests.unit.memory.driver import Driver

BOARD = "A B A C"


def opened() -> Driver:
    """Return a game in which alice has turned up A and B, which are up and free, and bob controls C."""
    game = Driver(BOARD)
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.flip("bob", 0, 3)
    return game


CHANGES: dict[str, Command[object]] = {
    "a first card turns up (1-B)": Flip("dave", 0, 2),
    "a second card turns up (2-C)": Flip("bob", 0, 2),
    "cards turn down (3-B) though the flip waits": Flip("alice", 0, 3),
    "a card that is up is replaced": Replace("dave", "B", "X"),
    "cards up and down are mapped": CommitMap("dave", {"A": "B", "B": "A", "C": "C"}),
    "a new game begins": NewGame("dave", 1),
}


@pytest.mark.parametrize("command", CHANGES.values(), ids=CHANGES)
def test_a_watch_is_answered_by_a_change(command: Command[object]) -> None:
    game = opened()
    watch = game.watch("carol")
    version = game.board.version
    game.send(command)
    assert watch.view.version == game.board.version == version + 1
    assert watch.view.text.splitlines()[1:] == game.look("carol")


NO_CHANGES: dict[str, Command[object]] = {
    "a free card is taken (1-C)": Flip("dave", 0, 0),
    "a flip waits (1-D)": Flip("dave", 0, 3),
    "a second flip fails (2-B) and control is relinquished": Flip("bob", 0, 3),
    "a second card that is up does not match (2-E) and control is relinquished": Flip("bob", 0, 0),
    "a card is replaced by itself": Replace("dave", "A", "A"),
    "a card that is not there is replaced": Replace("dave", "X", "Y"),
    "a map makes of each card itself": CommitMap("dave", {"A": "A", "B": "B", "C": "C"}),
    "a map does not cover all": CommitMap("dave", {"A": "X"}),
    "a look": Look("dave"),
    "another watch": Watch("dave"),
    "a list of cards": ListCards(),
    "a snapshot": TakeSnapshot(),
    "a flip off the board": Flip("alice", 1, 0),
    "a bad card": Replace("alice", "A", " "),
}


@pytest.mark.parametrize("command", NO_CHANGES.values(), ids=NO_CHANGES)
def test_a_watch_keeps_waiting_if_nothing_changes(command: Command[object]) -> None:
    game = opened()
    watch = game.watch("carol")
    version = game.board.version
    game.send(command)
    assert watch.waits
    assert game.board.version == version


def test_a_match_with_a_face_up_card_is_not_seen_by_watchers() -> None:
    game = opened()
    game.flip("dave", 0, 2)
    watch = game.watch("carol")
    assert game.flip("dave", 0, 0).rule == "2-D ok"
    assert watch.waits


def test_a_first_flip_at_an_empty_space_is_not_seen_by_watchers() -> None:
    game = Driver("A A B")
    for column in (0, 1, 0):
        game.flip("dave", 0, column)
    watch = game.watch("carol")
    assert game.flip("alice", 0, 0).rule == "1-A failed"
    assert watch.waits
    game.flip("alice", 0, 2)
    watch = game.watch("carol")
    assert game.flip("alice", 0, 0).rule == "2-A failed"
    assert watch.waits


def test_replacing_a_face_down_card_is_a_change_though_the_board_looks_the_same() -> None:
    game = Driver("A B")
    watch = game.watch("carol")
    game.send(Replace("dave", "A", "X"))
    assert watch.view == View(1, "1x2\ndown\ndown\n")


def test_all_effects_of_one_command_are_one_change_and_the_answer_shows_them() -> None:
    game = Driver("A A B C")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    version = game.board.version
    watch = game.watch("carol")
    game.flip("alice", 0, 2)  # two cards removed, one turned up
    assert watch.view == View(version + 1, "1x4\nnone\nnone\nup B\ndown\n")


def test_a_watch_is_answered_by_the_next_change_only() -> None:
    game = Driver(BOARD)
    watch = game.watch("carol")
    game.flip("alice", 0, 0)
    text = watch.view.text
    game.flip("alice", 0, 1)  # the driver asserts that no request is answered twice
    assert watch.view.text == text == "1x4\nup A\ndown\ndown\ndown\n"


def test_every_watcher_gets_the_players_own_view() -> None:
    game = Driver(BOARD)
    game.flip("bob", 0, 1)
    watches = [game.watch(player) for player in ("alice", "bob", "carol")]
    flip = game.flip("alice", 0, 0)
    assert [watch.view.text.splitlines()[1:3] for watch in watches] == [
        ["my A", "up B"],
        ["up A", "my B"],
        ["up A", "up B"],
    ]
    assert game.order == [flip.ticket, *(watch.ticket for watch in watches)], "watchers are answered after the flip"


def test_a_player_may_watch_more_than_once_and_while_waiting_for_a_card() -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    bob = game.flip("bob", 0, 0)
    watches = [game.watch("bob"), game.watch("bob")]
    game.flip("alice", 0, 1)
    assert bob.rule == "1-C ok"
    assert [watch.view.text for watch in watches] == ["1x3\nmy A\nup B\ndown\n"] * 2


def test_a_withdrawn_watch_is_never_answered() -> None:
    game = Driver(BOARD)
    gone, stays = game.watch("carol"), game.watch("dave")
    game.withdraw(gone)
    assert game.events == []
    game.flip("alice", 0, 0)
    assert gone.waits
    assert not stays.waits


@pytest.mark.parametrize(("ago", "at_once"), [(2, True), (1, True), (0, False), (-1, False)])
def test_since_is_answered_at_once_only_if_the_board_is_past_that_version(ago: int, at_once: bool) -> None:
    game = opened()
    version = game.board.version
    watch = game.watch("alice", version - ago)
    if at_once:
        assert watch.view == View(version, "1x4\nup A\nup B\ndown\nup C\n")
    else:
        assert watch.waits
        game.flip("bob", 0, 2)
        assert watch.view.version == version + 1


@pytest.mark.parametrize("change", [lambda: Flip("alice", 0, 0), lambda: Replace("alice", "B", "X")])
def test_five_hundred_watchers_without_cards_share_one_view(change: Callable[[], Command[object]]) -> None:
    game = Driver(BOARD)
    game.flip("p0", 0, 3)
    for number in range(500):
        game.watch(f"p{number}")
    views = [outcome.value for outcome in game.board.apply(Ticket(0), change())[-500:] if isinstance(outcome, Answered)]
    assert len(views) == 500
    assert len({id(view) for view in views}) == 2, "one for the player who controls a card, one for all others"
