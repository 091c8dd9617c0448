"""The judge of concurrent clients of Memory Scramble.

Partitions:
- one client: each rule; the look of an answer is later than its flip
- steps: the cards of a finished play one by one, in both orders; a waiting player gets a card, or another player does
- answers that no order explains: two controllers, a card turned down under its controller, half a replacement, an
  answer before the request that it needs; in time: requests one after another, requests at the same time
- open requests: they wait for a reason; they should have been answered
- the status of an answer shows a failed flip, or only the board shows it
- too many orders: not decided
"""

from __future__ import annotations

import pytest

from scramble.conform.memory.judge import Call, Judge, NotDecided, NotExplained
from scramble.conform.memory.rules import Place, Seen

CARDS: dict[Place, str] = {(0, 0): "A", (0, 1): "B", (0, 2): "A"}


def seen(*spots: str) -> tuple[Seen, ...]:
    return tuple(Seen(*spot.split(" ")) for spot in spots)


def flip(player: str, column: int, began: float, ended: float | None, *spots: str, failed: bool | None = False) -> Call:
    view = seen(*spots) if spots else None
    return Call(player, "flip", began, ended, (0, column), failed=failed if ended is not None else None, view=view)


def look(player: str, began: float, ended: float, *spots: str) -> Call:
    return Call(player, "look", began, ended, view=seen(*spots))


def decide(*calls: Call) -> None:
    Judge(CARDS, calls).decide()


FIRST = flip("ann", 0, 0, 1, "my A", "down", "down")
PAIR = flip("ann", 2, 2, 3, "my A", "down", "my A")
MISS = flip("ann", 1, 2, 3, "up A", "up B", "down")


@pytest.mark.parametrize(
    "calls",
    [
        (FIRST, PAIR, flip("ann", 1, 4, 5, "none", "my B", "none")),
        (FIRST, PAIR, flip("ann", 0, 4, 5, failed=True), look("ann", 6, 7, "none", "down", "none")),
        (FIRST, MISS, flip("ann", 2, 4, 5, "down", "down", "my A")),
        (FIRST, MISS, flip("bob", 0, 4, 5, "my A", "up B", "down"), flip("ann", 2, 6, 7, "up A", "down", "my A")),
        (FIRST, flip("ann", 0, 2, 3, failed=True), look("ann", 4, 5, "up A", "down", "down")),
        (FIRST, flip("bob", 1, 2, 3, "up A", "my B", "down"), flip("bob", 0, 4, 5, failed=True)),
    ],
)
def test_one_request_after_another_is_explained_by_the_rules(calls: tuple[Call, ...]) -> None:
    decide(*calls)


def test_an_answer_may_show_the_board_as_it_was_after_the_flip_and_before_the_answer() -> None:
    decide(flip("ann", 0, 0, 9, "my A", "up B", "down"), flip("bob", 1, 1, 2, "up A", "my B", "down"))
    with pytest.raises(NotExplained):
        decide(flip("bob", 1, 3, 4, "up A", "my B", "down"), flip("ann", 0, 0, 2, "my A", "up B", "down"))


@pytest.mark.parametrize("half", [("up A", "down", "down"), ("down", "up B", "down")])
def test_the_cards_of_a_finished_play_turn_down_one_by_one_in_any_order(half: tuple[str, str, str]) -> None:
    third = flip("ann", 2, 4, 9, "down", "down", "my A")
    decide(FIRST, MISS, third, look("bob", 5, 6, *half), look("bob", 7, 8, "down", "down", "down"))


def test_any_waiting_player_may_take_the_card_and_so_may_a_player_who_has_not_waited() -> None:
    for winner, waiting in (("bob", "cat"), ("cat", "bob")):
        decide(
            FIRST,
            flip(winner, 0, 1.5, 4, "my A", "up B", "down"),
            flip(waiting, 0, 1.5, None),
            MISS,
        )
    decide(
        FIRST,
        flip("bob", 0, 1.5, None),
        flip("ann", 1, 2, 5, "up A", "up B", "down"),
        flip("eve", 0, 3, 4, "my A", "up B", "down"),
    )


@pytest.mark.parametrize(
    "calls",
    [
        (FIRST, flip("bob", 0, 2, 3, "my A", "down", "down")),
        (FIRST, MISS, flip("bob", 0, 4, 5, "my A", "up B", "down"), flip("ann", 2, 6, 7, "down", "down", "my A")),
        (FIRST, PAIR, look("bob", 4, 5, "none", "down", "none")),
        (FIRST, look("bob", 2, 3, "down", "down", "down")),
        (look("bob", 0, 1, "up A", "down", "down"), flip("ann", 0, 2, 3, "my A", "down", "down")),
        (FIRST, flip("bob", 0, 2, 3, failed=True)),
        (
            FIRST,
            MISS,
            flip("ann", 2, 4, 9, "down", "down", "my A"),
            look("bob", 5, 6, "down", "up B", "down"),
            look("bob", 7, 8, "up A", "up B", "down"),
        ),
    ],
)
def test_an_answer_against_the_rules_has_no_order(calls: tuple[Call, ...]) -> None:
    with pytest.raises(NotExplained):
        decide(*calls)


def test_equal_cards_are_replaced_at_once() -> None:
    turned = (FIRST, PAIR)
    change = Call("bob", "replace", 4, 9, old="A", new="C", view=seen("up C", "down", "up C"))
    decide(*turned, change, look("ann", 5, 6, "my A", "down", "my A"), look("ann", 7, 8, "my C", "down", "my C"))
    with pytest.raises(NotExplained, match="ann's look was answered: 0,0 my C, 0,1 down, 0,2 my A"):
        decide(*turned, change, look("ann", 5, 6, "my C", "down", "my A"))


def test_a_watch_is_answered_after_a_change_and_control_is_no_change() -> None:
    watch = Call("bob", "watch", 1.5, 8, view=seen("up A", "up B", "down"))
    decide(FIRST, watch, MISS)
    with pytest.raises(NotExplained, match="bob's watch"):
        decide(
            FIRST,
            MISS,
            Call("bob", "watch", 4, 8, view=seen("up A", "up B", "down")),
            flip("cat", 0, 5, 6, "my A", "up B", "down"),
        )


def test_an_open_flip_needs_a_controlled_card() -> None:
    decide(FIRST, flip("bob", 0, 2, None))
    for end in (MISS, flip("ann", 0, 2, 3, failed=True)):
        with pytest.raises(NotExplained, match="bob's flip of 0,0 got no answer, though no player controls the card"):
            decide(FIRST, flip("bob", 0, 1.5, None), end)
    with pytest.raises(NotExplained, match="got no answer"):
        decide(FIRST, PAIR, flip("bob", 0, 3.5, None), flip("ann", 1, 4, 5, "none", "my B", "none"))


def test_a_board_may_be_the_answer_of_a_failed_flip_if_the_server_does_not_tell_failures() -> None:
    again = flip("ann", 0, 2, 3, "up A", "down", "down", failed=None)
    decide(FIRST, again, look("ann", 4, 5, "up A", "down", "down"))
    with pytest.raises(NotExplained):
        decide(FIRST, flip("ann", 0, 2, 3, "up A", "down", "down", failed=False))


def test_a_run_with_too_many_orders_is_not_decided() -> None:
    flips = [flip(name, 0, 0, 9, "my A", "down", "down") for name in "abcdef"]
    with pytest.raises(NotDecided):
        Judge(CARDS, flips, most_worlds=10).decide()
