"""Claimed seats: permanent after the first move. Before that, a full game may give them to others.

Partitions:
- the game has room for a seat; it has no room: no player, some players, all players have moved; after a restart
- a move is: made, in each game; refused; without effect; waiting; only a look; another player's
- a permanent seat, as in earlier versions
- a state: without players who never moved; with them; invalid; a journal that is opened again
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from scramble.crossword import Lobby, Puzzle
from scramble.crossword.messages import OpenSession, Say, SessionId
from scramble.errors import InvalidCommand
from scramble.journal import Journal
from scramble.kernel.protocol import Answered, Command, Durable, Refused, Ticket
from scramble.memory import Board, open_game
from scramble.memory.messages import Flip, Look, Replace
from scramble.minesweeper import Field
from scramble.minesweeper.messages import Connect, Deflag, Flag
from scramble.players import seats
from scramble.players.seats import ClaimSeat, FindMoved, FindSeat, Seat, Seated, SeatTaken, TakeSeat, hash_of
from tests.support.crossword.driver import SIMPLE
from tests.support.revisions import applied

D = TypeVar("D", bound=Durable)

TEXT = "1x4\nA\nA\nB\nB\n"
ANN, BOB = hash_of("ann's secret"), hash_of("bob's secret")


def board() -> Seated[Board]:
    return Seated(Board.parse(TEXT))


def claim(game: Seated[D], player: str, holder: str = ANN) -> object:
    (outcome,) = applied(game, Ticket(1), ClaimSeat(player, holder))
    return outcome


def is_refused(outcome: object) -> bool:
    return isinstance(outcome, Refused) and isinstance(outcome.error, SeatTaken)


def seat_of(game: Seated[D], player: str) -> Seat | None:
    (outcome,) = game.apply(Ticket(1), FindSeat(player))
    assert isinstance(outcome, Answered)
    assert outcome.value is None or isinstance(outcome.value, Seat)
    return outcome.value


def taken_of(game: Seated[D], *players: str) -> list[str]:
    """Return the players with seats, from `players`."""
    return [player for player in players if seat_of(game, player) is not None]


def moved_of(game: Seated[D], *players: str) -> object:
    """Return the players with a seat and a move, from `players`."""
    (outcome,) = game.apply(Ticket(1), FindMoved(players))
    assert isinstance(outcome, Answered)
    return outcome.value


# --- room ---


def test_a_free_name_is_claimed_once_and_is_then_its_holders_alone() -> None:
    game = board()
    assert claim(game, "ann") == Answered(Ticket(1), True)
    assert claim(game, "ann") == Answered(Ticket(1), False)
    assert is_refused(claim(game, "ann", BOB))
    assert seat_of(game, "ann") == Seat(ANN, permanent=False)
    assert seat_of(game, "bob") is None


def test_a_full_game_gives_up_the_oldest_seat_without_a_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(seats, "MAX_SEATS", 3)
    game = board()
    for player in ("zoe", "dora", "yan"):
        claim(game, player)
    applied(game, Ticket(2), Flip("zoe", 0, 0))
    assert claim(game, "carl", BOB) == Answered(Ticket(1), True)
    assert taken_of(game, "zoe", "dora", "yan", "carl") == ["zoe", "yan", "carl"]
    game = game.restore(game.state())
    assert claim(game, "dora", BOB) == Answered(Ticket(1), True)  # the name is free again
    assert taken_of(game, "zoe", "dora", "yan", "carl") == ["zoe", "dora", "carl"]
    assert seat_of(game, "zoe") == Seat(ANN, permanent=True)


def test_if_all_seats_have_made_a_move_they_are_kept_and_nobody_else_gets_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "MAX_SEATS", 1)
    game = board()
    claim(game, "ann")
    applied(game, Ticket(2), Flip("ann", 0, 0))
    assert is_refused(claim(game, "bob"))
    assert claim(game, "ann") == Answered(Ticket(1), False)


def test_a_permanent_seat_of_an_earlier_version_is_never_given_up_and_displaces_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(seats, "MAX_SEATS", 2)
    game = board()
    applied(game, Ticket(1), TakeSeat("ann", ANN))
    assert claim(game, "bob") == claim(game, "carl") == Answered(Ticket(1), True)
    assert taken_of(game, "ann", "bob", "carl") == ["ann", "carl"]
    assert is_refused(applied(game, Ticket(1), TakeSeat("dora", ANN))[0])
    assert taken_of(game, "ann", "carl") == ["ann", "carl"]


def test_the_length_of_a_claimed_name_is_limited() -> None:
    game = board()
    assert claim(game, "a" * seats.MAX_NAME) == Answered(Ticket(1), True)
    refused = claim(game, "a" * (seats.MAX_NAME + 1))
    assert isinstance(refused, Refused)
    assert type(refused.error) is InvalidCommand


# --- moves ---


@pytest.mark.parametrize(
    "command",
    [Look("ann"), Flip("ann", 9, 9), Flip("ann", 0, 0), Replace("ann", "C", "D"), Flip("bob", 0, 1)],
    ids=["look", "invalid", "waiting", "without effect", "another's"],
)
def test_a_command_that_is_no_move_keeps_no_seat(command: Command[object]) -> None:
    game = board()
    applied(game, Ticket(1), Flip("carl", 0, 0))
    claim(game, "ann")
    applied(game, Ticket(2), command)
    assert seat_of(game, "ann") == Seat(ANN, permanent=False)


def test_a_refused_move_keeps_no_seat() -> None:
    game = Seated(Board.parse("1x2\nA\nA\n"))
    for column in (0, 1):
        applied(game, Ticket(column), Flip("carl", 0, column))
    applied(game, Ticket(2), Replace("carl", "A", "A"))
    claim(game, "ann")
    (outcome,) = [item for item in applied(game, Ticket(3), Flip("ann", 0, 9)) if isinstance(item, Refused)]
    assert outcome.ticket == Ticket(3)
    assert seat_of(game, "ann") == Seat(ANN, permanent=False)


def test_a_move_makes_the_seat_permanent() -> None:
    game = board()
    claim(game, "ann")
    claim(game, "bob")
    applied(game, Ticket(2), Flip("ann", 0, 0))
    assert [seat_of(game, name) for name in ("ann", "bob")] == [Seat(ANN, permanent=True), Seat(ANN, permanent=False)]
    applied(game, Ticket(3), Replace("bob", "B", "C"))
    assert seat_of(game, "bob") == Seat(ANN, permanent=True)


def test_a_move_on_a_minefield_counts_by_the_number_of_its_player() -> None:
    game = Seated(Field(2, 1))
    for number, name in enumerate(("ann", "bob"), 1):
        claim(game, name)
        applied(game, Ticket(number), Connect(name))
    applied(game, Ticket(3), Flag(5, 5, 2))  # outside of the field
    applied(game, Ticket(4), Flag(0, 0))  # by the program itself
    assert [seat_of(game, name) for name in ("ann", "bob")] == [Seat(ANN, permanent=False)] * 2
    applied(game, Ticket(5), Deflag(0, 0, 2))
    assert [seat_of(game, name) for name in ("ann", "bob")] == [Seat(ANN, permanent=False), Seat(ANN, permanent=True)]


def test_a_move_in_a_crossword_counts_in_a_match() -> None:
    game = Seated(Lobby([Puzzle.parse(SIMPLE, id="simple")]))
    claim(game, "ann")
    claim(game, "bob")
    for number in (1, 2):
        applied(game, Ticket(number), OpenSession(f"token{number}"))
    for number, line in ((1, "ann"), (2, "bob"), (1, 'NEW m1 simple "words"'), (2, "PLAY m1")):
        applied(game, Ticket(3), Say(SessionId(number), line))
    assert [seat_of(game, name) for name in ("ann", "bob")] == [Seat(ANN, permanent=False)] * 2
    applied(game, Ticket(4), Say(SessionId(1), "TRY 1 cat"))
    assert [seat_of(game, name) for name in ("ann", "bob")] == [Seat(ANN, permanent=True), Seat(ANN, permanent=False)]


# --- states ---


def test_a_state_has_the_order_of_only_the_players_who_never_moved() -> None:
    game, twin = board(), board()
    for player, other in (("ann", "bob"), ("bob", "ann")):
        claim(game, player)
        claim(twin, other)
    assert game.state() != twin.state()
    assert game.restore(game.state()).state() == game.state()
    for rules in (game, twin):
        rules.apply(Ticket(2), Flip("ann", 0, 0))
        rules.apply(Ticket(3), Flip("bob", 0, 2))
    assert game.state() == twin.state()


def test_a_state_in_which_all_have_moved_is_written_as_by_earlier_versions() -> None:
    game, old = board(), board()
    claim(game, "ann")
    applied(old, Ticket(1), TakeSeat("ann", ANN))
    assert game.state() != old.state()
    for rules in (game, old):
        applied(rules, Ticket(2), Flip("ann", 0, 0))
    assert game.state() == old.state()
    assert msgspec.json.decode(game.state()).keys() == {"type", "seats", "game"}


@pytest.mark.parametrize("unmoved", [b'["bob"]', b'["ann","ann"]', b'"ann"'])
def test_a_state_that_lists_unmoved_players_without_seats_is_invalid(unmoved: bytes) -> None:
    state = b'{"type":"Seated","seats":{"ann":"x"},"game":%s,"unmoved":%s}'
    with pytest.raises(ValueError, match=r"seat|array"):
        board().restore(state % (board().state(), unmoved))


async def test_seats_with_and_without_moves_outlast_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "game.db"
    async with open_game(Board.parse(TEXT), journal=Journal(file)) as game:
        await game.ask(ClaimSeat("ann", ANN))
        await game.ask(ClaimSeat("bob", BOB))
        await game.flip("ann", 0, 0)
    async with open_game(Board.parse(TEXT), journal=Journal(file)) as game:
        assert not await game.ask(ClaimSeat("ann", ANN))
        with pytest.raises(SeatTaken, match="belongs to somebody else"):
            await game.ask(ClaimSeat("ann", BOB))
        found = [await game.ask(FindSeat(player)) for player in ("ann", "bob")]
    assert found == [Seat(ANN, permanent=True), Seat(BOB, permanent=False)]


def test_players_with_a_seat_and_a_move_are_found() -> None:
    game = board()
    for player in ("ann", "bob"):
        claim(game, player)
    applied(game, Ticket(2), Flip("ann", 0, 0))
    applied(game, Ticket(3), Flip("carl", 0, 1))
    assert moved_of(game, "ann", "bob", "carl", "dora") == ("ann",)
    assert moved_of(Seated(Board.parse(TEXT)).restore(game.state()), "bob", "ann") == ("ann",)
