r"""BOARD_STATE texts, byte for byte.

Strategy: every SPOT for its controller and for another player; "none", "down", "up" and "my" in the first, a middle and
the last place of a row; two "my" of one player in one row and in two rows; the smallest board; cards of several code
points, cards that look like spots; the handout's example; shared and new views. After any changes and looks, a view is
equal to a new view (Hypothesis).
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scramble.kernel.protocol import Answered, Ticket
from scramble.memory.board import Board
from scramble.memory.messages import Flip, Look, Replace, View
from scramble.memory.rendering import DOWN, NONE, Picture
from tests.unit.memory.driver import Driver


def view_of(board: Board, player: str) -> View:
    [outcome] = board.apply(Ticket(0), Look(player))
    assert isinstance(outcome, Answered)
    assert isinstance(outcome.value, View)
    return outcome.value


def test_a_new_board_is_all_down() -> None:
    assert view_of(Board.parse("2x3\nA\nB\nC\nA\nB\nC\n"), "alice") == View(0, "2x3\n" + "down\n" * 6)


def test_the_smallest_board() -> None:
    board = Board.parse("1x1\nA\n")
    assert view_of(board, "alice").text == "1x1\ndown\n"
    board.apply(Ticket(1), Flip("alice", 0, 0))
    assert view_of(board, "alice").text == "1x1\nmy A\n"
    assert view_of(board, "bob").text == "1x1\nup A\n"


def test_the_handouts_example() -> None:
    picture = Picture(3, 3)
    for row, column, spot in ((0, 0, "up A"), (1, 0, NONE), (1, 1, "up B"), (1, 2, NONE), (2, 2, "up C")):
        picture.put(row, column, spot)
    text = picture.view(5, "me", ((1, 1),)).text
    assert text.encode() == b"3x3\nup A\ndown\ndown\nnone\nmy B\nnone\ndown\ndown\nup C\n"


def test_two_cards_of_one_player_in_one_row_and_in_two() -> None:
    game = Driver("A A B / B C C")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    game.flip("bob", 0, 2)
    game.flip("bob", 1, 0)
    assert game.look("alice") == ["my A", "my A", "up B", "up B", "down", "down"]
    assert game.look("bob") == ["up A", "up A", "my B", "my B", "down", "down"]
    assert game.look("carol") == ["up A", "up A", "up B", "up B", "down", "down"]


def test_cards_that_look_like_spots_and_cards_of_many_code_points_are_only_cards() -> None:
    game = Driver("down none up my 👩‍👩‍👧‍👦 √-1")
    for column in range(6):
        game.flip(f"p{column}", 0, column)
    assert game.look("p2") == ["up down", "up none", "my up", "up my", "up 👩‍👩‍👧‍👦", "up √-1"]
    assert game.look("p4")[4].encode() == "my 👩‍👩‍👧‍👦".encode()


def test_players_without_cards_share_one_view_until_a_change() -> None:
    game = Driver("A B C")
    game.flip("alice", 0, 0)
    board = game.board
    shared = view_of(board, "bob")
    assert view_of(board, "carol") is shared
    assert view_of(board, "alice") is view_of(board, "alice")
    game.flip("bob", 0, 0)
    assert view_of(board, "carol") is shared, "waiting does not change the shared view"
    game.flip("alice", 0, 1)
    assert view_of(board, "carol") is not shared


def test_a_new_controller_sees_the_card_at_once_though_the_shared_view_stays() -> None:
    game = Driver("A B")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 1)
    shared = view_of(game.board, "carol")
    assert game.look("alice") == ["up A", "up B"]
    game.flip("bob", 0, 0)
    assert game.look("bob") == ["my A", "up B"]
    game.flip("bob", 0, 0)
    assert game.look("bob") == ["up A", "up B"]
    game.flip("carol", 0, 1)
    assert game.look("carol") == ["up A", "my B"]
    assert view_of(game.board, "alice") is shared


def test_a_change_that_cannot_be_seen_is_a_view_of_its_own_version() -> None:
    game = Driver("A B")
    before = view_of(game.board, "alice")
    game.send(Replace("bob", "A", "X"))
    after = view_of(game.board, "alice")
    assert (before.text, before.version, after.version) == (after.text, 0, 1)


def test_a_copied_picture_changes_by_itself() -> None:
    picture = Picture(1, 2)
    picture.put(0, 0, "up A")
    other = picture.copy()
    other.put(0, 1, NONE)
    assert picture.view(1, "alice").text == "1x2\nup A\ndown\n"
    assert other.view(1, "alice").text == "1x2\nup A\nnone\n"


def test_a_copied_picture_shows_changes_that_were_not_rendered_yet() -> None:
    picture = Picture(2, 1)
    picture.put(0, 0, "up A")
    other = picture.copy()
    other.put(1, 0, NONE)
    assert other.view(1, "alice").text == "2x1\nup A\nnone\n"


def test_a_players_own_card_may_move_without_a_change() -> None:
    game = Driver("A B")
    game.flip("bob", 0, 0)
    game.flip("bob", 0, 1)
    game.flip("alice", 0, 0)
    version = view_of(game.board, "alice").version
    assert game.look("alice") == ["my A", "up B"]
    game.flip("alice", 0, 0)  # relinquishes it
    game.flip("carol", 0, 0)  # carol controls the card, so it stays face up
    game.flip("alice", 0, 1)
    assert view_of(game.board, "alice").version == version
    assert game.look("alice") == ["up A", "my B"]
    assert game.look("carol") == ["my A", "up B"]


steps = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.integers(0, 3),
        st.sampled_from([NONE, DOWN, "up A", "up 🦄"]),
        st.sampled_from(["alice", "bob"]),
    ),
    max_size=20,
)


@given(steps)
def test_a_picture_shows_the_latest_spots_whoever_looked_in_between(
    steps: list[tuple[int, int, str, str]],
) -> None:
    picture = Picture(3, 4)
    spots = {(row, column): DOWN for row in range(3) for column in range(4)}
    for version, (row, column, spot, player) in enumerate(steps):
        picture.put(row, column, spot)
        spots[row, column] = spot
        mine = tuple(place for place, shown in spots.items() if shown.startswith("up") and player == "alice")
        text = picture.view(version, player, mine).text
        expected = [f"my{shown[2:]}" if place in mine else shown for place, shown in spots.items()]
        assert text == "".join(f"{line}\n" for line in ["3x4", *expected])
