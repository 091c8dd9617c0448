"""Seats around the rules of a game. tests/system/http/test_seats.py tests their cookies.

This module tests seats that are permanent at once, as in earlier versions. tests/unit/players/test_seats_claimed.py
tests claims.

Partitions:
- a name: is free; is the holder's own; is another holder's
- seats: no seat; one; several; too many
- a state is written and restored: with seats; without seats
- other commands, with their tickets and versions
- changes of the state
- a journal that is opened again
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scramble.errors import InvalidCommand
from scramble.journal import Journal, read_recording
from scramble.kernel.protocol import Answered, Command, Refused, Ticket, Withdraw
from scramble.memory import Board, open_game
from scramble.memory.messages import Flip, Look
from scramble.players import seats
from scramble.players.seats import ClaimSeat, FindSeat, Seat, Seated, SeatTaken, TakeSeat, hash_of
from tests.support.revisions import applied

TEXT = "1x2\nA\nA\n"
ANN, BOB = hash_of("ann's secret"), hash_of("bob's secret")


def take(game: Seated[Board], player: str, holder: str) -> object:
    (outcome,) = game.apply(Ticket(1), TakeSeat(player, holder))
    return outcome


def is_refused(outcome: object) -> bool:
    return isinstance(outcome, Refused) and isinstance(outcome.error, SeatTaken)


def test_a_free_name_is_taken_once_and_is_then_its_holders_alone() -> None:
    game = Seated(Board.parse(TEXT))
    assert take(game, "ann", ANN) == Answered(Ticket(1), True)
    assert take(game, "ann", ANN) == Answered(Ticket(1), False)
    assert is_refused(take(game, "ann", BOB))
    assert game.apply(Ticket(2), FindSeat("ann")) == (Answered(Ticket(2), Seat(ANN, permanent=True)),)
    assert game.apply(Ticket(2), FindSeat("bob")) == (Answered(Ticket(2), None),)
    assert take(game, "bob", BOB) == Answered(Ticket(1), True)
    assert take(game, "ann", ANN) == Answered(Ticket(1), False)


def test_one_holder_may_have_several_names() -> None:
    game = Seated(Board.parse(TEXT))
    assert take(game, "ann", ANN) == take(game, "anna", ANN) == Answered(Ticket(1), True)


def test_the_number_of_seats_is_limited_and_holders_keep_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "MAX_SEATS", 1)
    game = Seated(Board.parse(TEXT))
    take(game, "ann", ANN)
    assert is_refused(take(game, "bob", BOB))
    assert take(game, "ann", ANN) == Answered(Ticket(1), False)


def test_the_length_of_a_name_is_limited() -> None:
    game = Seated(Board.parse(TEXT))
    assert take(game, "a" * seats.MAX_NAME, ANN) == Answered(Ticket(1), True)
    refused = take(game, "a" * (seats.MAX_NAME + 1), ANN)
    assert isinstance(refused, Refused)
    assert type(refused.error) is InvalidCommand


def test_all_other_commands_go_to_the_game() -> None:
    game, board = Seated(Board.parse(TEXT)), Board.parse(TEXT)
    take(game, "ann", ANN)
    for ticket, command in enumerate((Flip("ann", 0, 0), Flip("bob", 0, 0), Look("ann"), Withdraw())):
        assert game.apply(Ticket(ticket), command) == board.apply(Ticket(ticket), command)
    assert (game.version, game.kind) == (board.version, "memory")


def test_a_state_without_seats_is_the_games_own_and_a_state_with_seats_restores_both() -> None:
    game = Seated(Board.parse(TEXT))
    assert game.state() == game.game.state()
    assert not is_refused(take(game.restore(game.state()), "ann", BOB))
    take(game, "ann", ANN)
    game.apply(Ticket(2), Flip("ann", 0, 0))
    twin = game.restore(game.state())
    assert twin.state() == game.state() != game.game.state()
    assert twin.game.state() == game.game.state()
    assert is_refused(take(twin, "ann", BOB))


def test_states_are_equal_whatever_the_order_in_which_seats_were_taken() -> None:
    game, twin = Seated(Board.parse(TEXT)), Seated(Board.parse(TEXT))
    for player, other in (("ann", "bob"), ("bob", "ann")):
        take(game, player, ANN)
        take(twin, other, ANN)
    assert game.state() == twin.state()


@pytest.mark.parametrize("state", [b"", b"{}", b'{"type":"Seated"}', b'{"type":"Seated","seats":{},"game":{}}'])
def test_an_invalid_state_is_refused(state: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        Seated(Board.parse(TEXT)).restore(state)


def test_taking_a_seat_can_be_written_down_beside_the_commands_of_the_game() -> None:
    decoder: msgspec.json.Decoder[Command[object]] = msgspec.json.Decoder(Seated(Board.parse(TEXT)).commands)
    for command in (ClaimSeat("ann", ANN), TakeSeat("ann", ANN), Flip("ann", 0, 0), Withdraw()):
        assert decoder.decode(msgspec.json.encode(command)) == command


COMMANDS: st.SearchStrategy[Command[object]] = st.one_of(
    st.builds(TakeSeat, st.sampled_from(["ann", "bob", "x" * 65]), st.sampled_from([ANN, BOB])),
    st.builds(ClaimSeat, st.sampled_from(["ann", "bob", "carl", "x" * 65]), st.sampled_from([ANN, BOB])),
    st.builds(FindSeat, st.just("ann")),
    st.builds(Flip, st.sampled_from(["ann", "bob"]), st.just(0), st.integers(0, 2)),
    st.builds(Look, st.just("ann")),
)


@given(st.lists(COMMANDS, max_size=12))
def test_the_revision_tells_whether_a_command_has_taken_a_seat_or_changed_the_game(
    commands: list[Command[object]],
) -> None:
    game = Seated(Board.parse(TEXT))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seats, "MAX_SEATS", 2)
        for number, command in enumerate(commands):
            applied(game, Ticket(number), command)
            if number % 4 == 3:
                game = game.restore(game.state())


def test_a_hash_does_not_reveal_the_secret() -> None:
    assert hash_of("ann's secret") == ANN
    assert "ann" not in ANN
    assert len(ANN) == 64


async def test_seats_outlast_a_restart_and_only_hashes_are_written(tmp_path: Path) -> None:
    file = tmp_path / "game.db"
    async with open_game(Board.parse(TEXT), journal=Journal(file)) as game:
        await game.ask(TakeSeat("ann", ANN))
    async with open_game(Board.parse(TEXT), journal=Journal(file)) as game:
        assert not await game.ask(TakeSeat("ann", ANN))
        with pytest.raises(SeatTaken, match="belongs to somebody else"):
            await game.ask(TakeSeat("ann", BOB))
    assert b"secret" not in file.read_bytes()
    assert len(read_recording(file).records) == 1
