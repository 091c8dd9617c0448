"""Seats with display names, and the handover of seats.

Partitions:
- a skeleton: is free; is the holder's own; is another holder's; belongs to a seat that was given up; a seat has no
  display name
- the handover of a seat: by its holder; by another player; of a free seat
- a state with names; invalid states; a command in the form of earlier versions
"""

from __future__ import annotations

import msgspec
import pytest

from scramble.errors import InvalidCommand
from scramble.kernel.protocol import Answered, Command, Refused, Ticket
from scramble.memory import Board
from scramble.players import seats
from scramble.players.seats import (
    ClaimSeat,
    FindName,
    FindSeat,
    FoundName,
    HandOverSeat,
    ListNames,
    NameTaken,
    Seat,
    Seated,
    SeatFree,
    SeatTaken,
    hash_of,
)
from tests.support.revisions import applied

ANN, BOB = hash_of("ann's secret"), hash_of("bob's secret")
ZOE = ClaimSeat("Zoe", ANN, "Zoë", "zoe")


def board() -> Seated[Board]:
    return Seated(Board.parse("1x2\nA\nA\n"))


def said(game: Seated[Board], command: Command[object]) -> object:
    """Return the answer, or the class of the refusal."""
    (outcome,) = applied(game, Ticket(1), command)
    assert isinstance(outcome, Answered | Refused)
    return outcome.value if isinstance(outcome, Answered) else type(outcome.error)


def test_a_name_that_looks_like_a_taken_one_is_refused_under_any_id() -> None:
    game = board()
    assert said(game, ZOE) is True
    assert said(game, ClaimSeat("Zoe_2", BOB, "zоe", "zoe")) is NameTaken
    assert said(game, ClaimSeat("Zoe_2", ANN, "zоe", "zoe")) is NameTaken  # both spellings are the same name
    assert said(game, ZOE) is False
    assert said(game, FindName("zoe")) == FoundName("Zoe", ANN, "Zoë")
    assert said(game, FindName("bob")) is None
    assert said(game, ClaimSeat("bob", BOB, skeleton="bob")) is True
    assert said(game, ClaimSeat("carl", BOB)) is True  # without a display name, as in games without display names
    assert said(game, ListNames()) == {"Zoe": "Zoë"}


def test_a_skeleton_is_free_again_when_its_seat_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "MAX_SEATS", 1)
    game = board()
    assert said(game, ZOE) is said(game, ClaimSeat("bob", BOB)) is True
    assert said(game, FindName("zoe")) is None
    assert said(game, ClaimSeat("Zoe_2", BOB, "ZOE", "zoe")) is True


def test_the_length_of_a_display_name_is_limited() -> None:
    long = "x" * (seats.MAX_NAME + 1)
    game = board()
    assert (
        said(game, ClaimSeat("ann", ANN, long, "x")) is said(game, ClaimSeat("ann", ANN, "x", long)) is InvalidCommand
    )


def test_a_seat_is_handed_over_by_its_holder_only() -> None:
    game = board()
    said(game, ZOE)
    assert said(game, HandOverSeat("bob", BOB, ANN)) is SeatFree
    assert said(game, HandOverSeat("Zoe", BOB, BOB)) is SeatTaken
    assert said(game, HandOverSeat("Zoe", ANN, ANN)) is None
    assert said(game, HandOverSeat("Zoe", ANN, BOB)) is None
    assert said(game, FindSeat("Zoe")) == Seat(BOB, permanent=False)
    assert said(game, ZOE) is SeatTaken
    assert said(game, FindName("zoe")) == FoundName("Zoe", BOB, "Zoë")


def test_a_state_has_names() -> None:
    game = board()
    for command in (ZOE, ClaimSeat("bob", BOB, "Bob", "bob")):
        said(game, command)
    twin = game.restore(game.state())
    assert twin.state() == game.state()
    assert said(twin, ClaimSeat("Zoe_2", hash_of("carl"), "zoe", "zoe")) is NameTaken
    assert said(twin, ListNames()) == {"Zoe": "Zoë", "bob": "Bob"}


@pytest.mark.parametrize(
    "more",
    [
        b'"names":{"bob":["Bob","bob"]}',
        b'"names":{"ann":["Ann","x"],"carl":["Carl","x"]}',
    ],
    ids=["no seat", "alike"],
)
def test_an_impossible_state_is_refused(more: bytes) -> None:
    state = b'{"type":"Seated","seats":{"ann":"x","carl":"y"},"game":%s,%s}'
    with pytest.raises(ValueError, match="display names"):
        board().restore(state % (board().state(), more))


def test_a_claim_without_a_display_name_is_written_as_by_earlier_versions() -> None:
    assert msgspec.json.encode(ClaimSeat("ann", "x")) == b'{"type":"ClaimSeat","player":"ann","holder":"x"}'
