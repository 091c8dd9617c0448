"""Saving and restoring games: `Board.state`, `Board.restore`, and the commands in a journal.

Strategy: Hypothesis plays games with every command on small boards, invalid commands included.

- a restored game behaves like its original: the same outcomes for the same commands, tickets included, and the same
  state after each; it looks the same
- the first state and the sequence of commands, each through JSON, give the whole game
- states of two games on the same board are equal exactly if the model says that the games have the same future (the
  same moves in another order often give the same future); each difference that affects the future, and differences that
  do not
- refused invalid commands and queries change nothing
- every command except queries comes back from JSON unchanged; no query is recorded
- garbage: no JSON, truncated JSON, too deep, and impossible states
"""

from __future__ import annotations

from collections.abc import Hashable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scramble.errors import InvalidCommand
from scramble.kernel.protocol import Command, Durable, Outcome, Query, Refused, Ticket, Withdraw
from scramble.memory.board import Board
from scramble.memory.boardfile import format_board_file
from scramble.memory.messages import (
    BoundScores,
    CommitMap,
    Flip,
    FlipFailed,
    ListCards,
    Look,
    NewGame,
    Release,
    ReleaseAwaited,
    Relinquish,
    RelinquishAwaited,
    Replace,
    TakeSnapshot,
    Watch,
)
from tests.support.memory.compare import op_of
from tests.support.memory.model import Model
from tests.unit.memory.driver import Driver, removed_pair

Move = tuple[Ticket, Command[object]]

PLAYERS = st.sampled_from(["alice", "bob", "carol"])
CARDS = st.sampled_from(["A", "B", "🦄🌈"])
SMALL = st.integers(0, 2)

FLIPS: st.SearchStrategy[Command[object]] = st.builds(Flip, PLAYERS, SMALL, SMALL)
CHANGES: st.SearchStrategy[Command[object]] = st.one_of(
    FLIPS,
    st.builds(Release, PLAYERS),
    st.builds(ReleaseAwaited, PLAYERS),
    st.builds(Relinquish, PLAYERS),
    st.builds(RelinquishAwaited, PLAYERS),
    st.builds(BoundScores, st.integers(1, 3)),
    st.builds(Replace, PLAYERS, CARDS, CARDS),
    st.builds(CommitMap, PLAYERS, st.dictionaries(CARDS, CARDS)),
    st.builds(NewGame, PLAYERS, st.integers(-(2**63), 2**64 - 1)),
    st.just(Withdraw()),
)
QUERIES: st.SearchStrategy[Command[object]] = st.one_of(
    st.builds(Look, PLAYERS),
    st.builds(Watch, PLAYERS, st.none() | SMALL),
    st.builds(ListCards),
    st.builds(TakeSnapshot),
)
NONSENSE: list[Command[object]] = [
    Flip("a b", 0, 0),
    Flip("alice", 0, -1),
    Flip("alice", True, 0),
    Replace("bob", "A", " "),
    NewGame("bob", 2**64),
    CommitMap("", {}),
    BoundScores(0),
    BoundScores(True),
    BoundScores(2**63),
]
COMMANDS = st.one_of(FLIPS, FLIPS, FLIPS, CHANGES, QUERIES, st.sampled_from(NONSENSE))

DECKS = st.integers(1, 3).flatmap(lambda rows: st.lists(CARDS, min_size=2 * rows, max_size=2 * rows))
DECODER: msgspec.json.Decoder[Command[object]] = msgspec.json.Decoder(Board.commands)


@st.composite
def moves(draw: st.DrawFn, first: int = 1, commands: st.SearchStrategy[Command[object]] = COMMANDS) -> list[Move]:
    """Draw commands under fresh tickets from `first` on, and withdrawals of these tickets."""
    made = []
    for index, command in enumerate(draw(st.lists(commands, max_size=30))):
        ticket = draw(st.integers(0, index)) if isinstance(command, Withdraw) else index
        made.append((Ticket(first + ticket), command))
    return made


def new_board(deck: list[str]) -> Board:
    """Return a new game with two columns."""
    return Board.parse(format_board_file(len(deck) // 2, 2, deck))


def play(board: Board, played: list[Move]) -> list[list[object]]:
    """Return the outcomes of each move."""
    return [list(map(told, board.apply(ticket, command))) for ticket, command in played]


def told(outcome: Outcome) -> object:
    """Return the outcome in a form that compares by contents: errors do not."""
    if isinstance(outcome, Refused):
        error = outcome.error
        return outcome.ticket, type(error), str(error), error.view if isinstance(error, FlipFailed) else None
    return outcome


# --- futures ------------------------------------------------------------------------------------


@given(DECKS, moves(commands=st.one_of(FLIPS, FLIPS, CHANGES)), moves(first=100))
def test_a_restored_game_has_the_same_future_as_its_original(
    deck: list[str], past: list[Move], future: list[Move]
) -> None:
    board = new_board(deck)
    play(board, past)
    twin = Board.restore(board.state())
    assert twin.state() == board.state()
    assert str(twin) == str(board)
    looks: list[Move] = [(Ticket(0), Look(player)) for player in ("alice", "bob", "carol")]
    for move in [*looks, (Ticket(0), TakeSnapshot()), *future]:
        assert play(twin, [move]) == play(board, [move])
        assert twin.state() == board.state()


@given(DECKS, moves(), moves(first=100))
def test_the_first_state_and_the_commands_are_the_whole_game(
    deck: list[str], past: list[Move], future: list[Move]
) -> None:
    board = new_board(deck)
    play(board, past)
    again = Board.restore(board.state())
    for ticket, command in future:
        valid = not any(
            isinstance(outcome, Refused) and type(outcome.error) is InvalidCommand
            for outcome in board.apply(ticket, command)
        )
        if valid and not isinstance(command, Query):
            again.apply(ticket, DECODER.decode(msgspec.json.encode(command)))
    assert again.state() == board.state()


@given(DECKS, moves(commands=st.one_of(FLIPS, FLIPS, FLIPS, CHANGES)))
def test_states_are_equal_exactly_if_the_futures_are_equal(deck: list[str], played: list[Move]) -> None:
    orders = [played, played[::-1], played[1::2] + played[::2], played[:-1]]
    boards, models = [], []
    for order in orders:
        board, model = new_board(deck), Model(len(deck) // 2, 2, tuple(deck))
        for ticket, command in order:
            board.apply(ticket, command)
            model.apply(ticket, op_of(command))
        boards.append(board.state())
        models.append(future_of(model))
    for index in range(len(orders)):
        for other in range(index):
            assert (boards[index] == boards[other]) == (models[index] == models[other])


def future_of(model: Model) -> Hashable:
    """Return the state that affects later moves: removed cards never turn down, and a pair's first card goes first."""
    only = model.copy()
    only.tried = {
        player: left for player, places in only.tried.items() if (left := tuple(p for p in places if p in model.card))
    }
    pairs = {player: [place for place, by in only.control.items() if by == player] for player in only.scores}
    return only.state(), tuple(sorted((player, tuple(places)) for player, places in pairs.items()))


@given(DECKS, moves(), QUERIES | st.sampled_from(NONSENSE))
def test_queries_and_invalid_commands_change_nothing(
    deck: list[str], past: list[Move], command: Command[object]
) -> None:
    board = new_board(deck)
    play(board, past)
    before = board.state()
    board.apply(Ticket(1000), command)
    assert board.state() == before


# --- differences between states -----------------------------------------------------------------------


def test_states_with_different_futures_differ() -> None:
    def state(deck: str, *flips: tuple[str, int]) -> bytes:
        game = Driver(deck)
        for player, column in flips:
            game.flip(player, 0, column)
        return game.board.state()

    games = [
        state("A A B B"),
        state("A B A B"),  # the deck
        state("A A B B", ("alice", 0)),  # faces, control
        state("A A B B", ("bob", 0)),
        state("A A B B", ("alice", 0), ("bob", 0)),  # a waiting player
        state("A A B B", ("alice", 0), ("bob", 0), ("carol", 0)),  # the order of waiting players
        state("A A B B", ("alice", 0), ("carol", 0), ("bob", 0)),
        state("A A B B", ("alice", 0), ("bob", 2), ("carol", 0)),  # the awaited card
        state("A A B B", ("alice", 0), ("bob", 2), ("carol", 2)),
        state("A A B B", ("alice", 0), ("alice", 0)),  # leftover cards
        state("A A B B", ("bob", 0), ("bob", 0)),
        state("A A B B", ("alice", 0), ("alice", 1)),  # a pair
        state("A A B B", ("alice", 1), ("alice", 0)),  # the order of the pair's cards
        state("A A B B", ("alice", 0), ("alice", 1), ("alice", 0)),  # the finder of the pair
        state("A A B B", ("bob", 0), ("bob", 1), ("bob", 0)),
    ]
    assert len(set(games)) == len(games)


def test_only_the_ticket_of_a_waiting_flip_is_part_of_the_state() -> None:
    def state(tickets: list[int]) -> list[bytes]:
        board = Board.parse("1x2\nA\nB\n")
        states = []
        for ticket, player in zip(tickets, ("alice", "bob"), strict=True):
            board.apply(Ticket(ticket), Flip(player, 0, 0))
            states.append(board.state())
        return states

    assert state([1, 2])[0] == state([7, 2])[0]
    assert state([1, 2])[1] == state([7, 2])[1] != state([1, 3])[1]


def test_a_leftover_card_that_is_gone_makes_no_difference() -> None:
    game = Driver("A A B C")
    game.flip("alice", 0, 0)
    game.flip("alice", 0, 0)
    game.flip("bob", 0, 0)
    game.flip("bob", 0, 1)
    assert b'"player":"alice"' in game.board.state()
    game.flip("bob", 0, 2)
    assert b'"player":"alice"' not in game.board.state()
    assert Board.restore(game.board.state()).state() == game.board.state()


def test_watchers_are_not_part_of_the_state() -> None:
    game = Driver("A B")
    watch = game.watch("carol")
    twin = Driver(Board.restore(game.board.state()))
    twin.flip("alice", 0, 0)  # asserts that only its own tickets are answered
    game.flip("alice", 0, 0)
    assert not watch.waits
    assert twin.board.state() == game.board.state()


def test_a_state_reads_like_a_board() -> None:
    game = removed_pair("A A B C")
    game.flip("alice", 0, 2)
    bob = game.flip("bob", 0, 2)
    game.flip("carol", 0, 3)
    game.flip("carol", 0, 3)
    assert game.board.state().decode() == f'{REAL[:-1]},"most_scores":1000}}'.replace("TICKET", str(bob.ticket))


# --- commands -------------------------------------------------------------------------------------


@given(CHANGES)
def test_every_command_that_changes_something_comes_back_from_json(command: Command[object]) -> None:
    assert DECODER.decode(msgspec.json.encode(command)) == command


@given(QUERIES)
def test_no_query_is_among_the_commands_of_a_journal(command: Command[object]) -> None:
    assert isinstance(command, Query)
    with pytest.raises(msgspec.ValidationError):
        DECODER.decode(msgspec.json.encode(command))


def test_a_board_is_durable_rules() -> None:
    board: Durable = Board.parse("1x1\nA\n")
    assert board.kind == "memory"
    assert isinstance(board.restore(board.state()), Board)


# --- garbage --------------------------------------------------------------------------------------

REAL = (
    '{"version":5,"rows":1,"columns":4,"deck":["A","A","B","C"],'
    '"lies":[[null,false,"dave"],[null,false,"dave"],["B",true,"alice"],["C",true,null]],'
    '"scores":[["dave",1],["alice",0],["bob",0],["carol",0]],'
    '"plays":[{"player":"alice","places":[[0,2]],"controlled":true},'
    '{"player":"carol","places":[[0,3]],"controlled":false}],'
    '"waiting":[{"ticket":TICKET,"player":"bob","place":[0,2]}]}'
)


@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"{}", b"\xff", b'{"version":', b'{"version":' + b"[" * 100_000])
def test_an_invalid_state_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Board.restore(data)


def test_a_state_of_an_older_version_has_no_bound_on_scores_and_is_written_as_it_was() -> None:
    board = Board.restore(REAL.replace("TICKET", "9").encode())
    assert board.most_scores is None
    assert board.state().decode() == REAL.replace("TICKET", "9")


def test_only_in_games_with_bounded_scores_can_players_have_cards_and_no_score() -> None:
    real = REAL.replace("TICKET", "9")
    forgotten = real.replace('["dave",1],["alice",0],["bob",0],', "").replace('["carol",0]', '["carol",3]')
    with pytest.raises(ValueError, match="player of a removed card"):
        Board.restore(forgotten.encode())
    bounded = f'{forgotten[:-1]},"most_scores":1}}'
    assert Board.restore(bounded.encode()).state().decode() == bounded
    for was, can_not_be in (
        ('["carol",3]', '["dora",3]'),
        ('["carol",3]', '["carol",3],["dora",3]'),
        ('"most_scores":1', '"most_scores":0'),
        ('"player":"bob"', '"player":"b b"'),
        ('"dave"],[null', '"d d"],[null'),
        ("alice", "a a"),
    ):
        assert was in bounded
        with pytest.raises(ValueError, match=r"\w"):
            Board.restore(bounded.replace(was, can_not_be).encode())


def test_a_truncated_state_is_refused() -> None:
    data = REAL.replace("TICKET", "9").encode()
    Board.restore(data)
    for length in range(len(data)):
        with pytest.raises(ValueError, match=r"\w"):
            Board.restore(data[:length])


@pytest.mark.parametrize(
    ("was", "can_not_be"),
    [
        ('"version":5', '"version":-1'),
        ('"version":5', '"version":5.5'),
        ('"version":5', '"version":5,"more":1'),
        ('"rows":1', '"rows":2'),
        ('"rows":1,"columns":4', '"rows":0,"columns":4'),
        ('["A","A"', '["A"'),
        ('["A","A"', '["A",""'),
        ('["A","A"', '["A","a b"'),
        ('["B",true,"alice"]', '["",true,"alice"]'),
        ('["B",true,"alice"]', '["B",false,"alice"]'),
        ('["B",true,"alice"]', '["B",true,null]'),
        ('["B",true,"alice"]', '["B",true,"carol"]'),
        ('["B",true,"alice"]', '[null,false,"alice"]'),
        ('["C",true,null]', '["C",true,"bob"]'),
        ('["C",true,null]', '["C",true,"alice"]'),
        ('["C",true,null]', "[null,false,null]"),
        ('["C",true,null]', '[null,true,"dave"]'),
        (',["C",true,null]', ""),
        ('["dave",1]', '["erin",1]'),
        ('["dave",1]', '["dave",-1]'),
        ('["dave",1]', '["dave",1],["dave",1]'),
        ('["dave",1]', '["dave",1],["d e",1]'),
        ('["alice",0]', '["erin",0]'),
        ('["bob",0]', '["erin",0]'),
        ('"places":[[0,2]]', '"places":[]'),
        ('"places":[[0,2]]', '"places":[[0,4]]'),
        ('"places":[[0,2]]', '"places":[[1,2]]'),
        ('"places":[[0,2]]', '"places":[[-1,2]]'),
        ('"places":[[0,2]]', '"places":[[0,2],[0,2]]'),
        ('"places":[[0,2]]', '"places":[[0,2],[0,3]]'),
        ('"places":[[0,3]]', '"places":[[0,3],[0,2],[0,1]]'),
        ('"controlled":true', '"controlled":false'),
        ('"controlled":false', '"controlled":true'),
        ('"player":"carol"', '"player":"alice"'),
        ('"player":"bob"', '"player":"alice"'),
        ('"player":"bob"', '"player":"erin"'),
        ('"player":"bob","place":[0,2]', '"player":"bob","place":[0,3]'),
        ('"player":"bob","place":[0,2]}', '"player":"bob","place":[0,2]},{"ticket":8,"player":"bob","place":[0,2]}'),
        ('"player":"bob","place":[0,2]}', '"player":"bob","place":[0,2]},{"ticket":9,"player":"dave","place":[0,2]}'),
    ],
)
def test_an_impossible_state_of_a_game_is_refused(was: str, can_not_be: str) -> None:
    data = REAL.replace("TICKET", "9")
    assert was in data
    with pytest.raises(ValueError, match=r"\w"):
        Board.restore(data.replace(was, can_not_be).encode())
