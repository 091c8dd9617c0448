"""The limit on scores: the number of players with a score, the choice of the forgotten player, and the effects.

tests/search/models compares the Board with the model, with limits of 1 to 4 players at any moment.
test_boardstate tests states.

Partitions:
- a new player: there is room; there is no room; the player was forgotten before
- the forgotten player: one of several; without a pair; the first who came; holds a card, waits, has leftover cards
- a limit: from the start; set later, below and above the number of scores; the same again
- a game: begins now; continues from a state, or a journal, of an older version
"""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from scramble.journal import Journal, JournalError, read_recording
from scramble.kernel.protocol import MOST_NAMED, Event, Ticket
from scramble.memory import Board, open_game
from scramble.memory.messages import BoundScores, Forgotten, Joined, Relinquish, ScoreCount, TurnedDown
from scramble.memory.scores import MOST_SCORES, Scores
from tests.unit.memory.driver import Driver

OLD_JOURNAL = Path(__file__).parents[1] / "journal" / "old" / "memory.db.gz"


def game_of(cards: str, most: int | None) -> Driver:
    """Return a game of one row that keeps the scores of at most `most` players."""
    deck = tuple(cards.split())
    return Driver(Board(1, len(deck), deck, most_scores=most))


def scoring(events: list[Event]) -> list[Event]:
    return [event for event in events if isinstance(event, Joined | Forgotten | ScoreCount)]


# --- the forgotten player ---


def test_a_new_game_keeps_the_scores_of_a_thousand_players() -> None:
    game = Driver("A B")
    assert game.board.most_scores == MOST_SCORES == 1000
    for number in range(1010):
        game.flip(f"p{number}", 0, number % 2)
    assert scoring(game.events) == [Joined("p1009"), Forgotten("p9"), ScoreCount(1000)]
    assert list(game.snapshot().scores) == [f"p{number}" for number in range(10, 1010)]


def test_a_player_without_a_pair_is_forgotten_before_an_earlier_one_with_a_pair() -> None:
    game = game_of("A A B C D", 3)
    game.flip("ann", 0, 0)
    game.flip("ann", 0, 1)
    for player in ("bob", "carol"):
        game.flip(player, 0, 2 if player == "bob" else 3)
    game.flip("ann", 0, 0)  # the pair is removed, and the flip fails
    game.flip("dave", 0, 4)
    assert scoring(game.events) == [Joined("dave"), Forgotten("bob")]
    assert game.snapshot().scores == {"ann": 1, "carol": 0, "dave": 0}


def test_a_forgotten_player_returns_as_a_new_player() -> None:
    game = game_of("A A B C", 1)
    game.flip("ann", 0, 0)
    game.flip("ann", 0, 1)
    game.flip("ann", 0, 2)
    assert game.snapshot().scores == {"ann": 1}
    game.flip("bob", 0, 3)
    assert game.snapshot().scores == {"bob": 0}
    game.flip("ann", 0, 2)
    assert game.snapshot().scores == {"ann": 0}


def test_leftover_cards_of_a_forgotten_player_stay_up() -> None:
    game = game_of("A B C D", 1)
    game.flip("ann", 0, 0)
    game.flip("ann", 0, 1)
    game.flip("bob", 0, 2)
    game.flip("ann", 0, 3)
    assert not [event for event in game.events if isinstance(event, TurnedDown)]
    assert game.look("ann") == ["up A", "up B", "up C", "my D"]


def test_a_forgotten_player_keeps_controlled_cards_and_keeps_waiting() -> None:
    game = game_of("A A B C", 1)
    game.flip("ann", 0, 0)
    waiting = game.flip("bob", 0, 0)
    game.flip("carol", 0, 2)
    assert game.snapshot().scores == {"carol": 0}
    assert game.look("ann") == ["my A", "down", "up B", "down"]
    game.send(Relinquish("ann"))
    assert waiting.rule == "1-C ok"
    assert game.snapshot().scores == {"carol": 0}
    assert game.flip("ann", 0, 3).rule == "1-B ok"  # bob controls the A of ann's play, so nothing is turned down
    assert game.flip("bob", 0, 1).rule == "2-D ok"
    assert game.flip("bob", 0, 0).rule == "1-A failed"
    assert game.snapshot().scores == {"bob": 1}


# --- a limit that is set later ---


def test_a_later_limit_forgets_players_with_the_fewest_pairs_and_keeps_the_others_order() -> None:
    scores = Scores({"ann": 2, "bob": 0, "carol": 1, "dave": 0, "erin": 3})
    assert scores.bound(3) == [Forgotten("bob"), Forgotten("dave"), ScoreCount(3)]
    assert list(scores.items()) == [("ann", 2), ("carol", 1), ("erin", 3)]
    assert scores.bound(2) == [Forgotten("carol"), ScoreCount(2)]
    assert scores.bound(5) == scores.bound(5) == []
    assert scores.join("bob") == [Joined("bob")]


def test_the_number_of_scores_is_published_if_a_frame_does_not_name_all() -> None:
    scores = Scores({f"p{number}": 0 for number in range(MOST_NAMED - 1)})
    assert scores.join("ann") == [Joined("ann")]
    assert scores.join("bob") == [Joined("bob"), ScoreCount(MOST_NAMED + 1)]


def test_a_limit_changes_the_state_once() -> None:
    board = Board(1, 1, ("A",), most_scores=None)
    before = board.revision
    board.apply(Ticket(0), BoundScores(2))
    assert (board.revision, board.version) == (before + 1, 0)
    board.apply(Ticket(1), BoundScores(2))
    assert board.revision == before + 1


# --- games of older versions ---


async def test_a_game_without_a_limit_gets_one_when_it_is_opened() -> None:
    unbounded = game_of("A B", None)
    for number in range(1010):
        unbounded.flip(f"p{number}", 0, number % 2)
    async with open_game(unbounded.board) as game:
        assert list((await game.snapshot()).scores) == [f"p{number}" for number in range(10, 1010)]


@pytest.fixture(name="old")
def _old(tmp_path: Path) -> Path:
    """Make a journal of an older version with more than 1,000 players."""
    file = tmp_path / "old.db"
    file.write_bytes(gzip.decompress(OLD_JOURNAL.read_bytes()))
    return file


async def test_a_journal_of_an_older_version_gets_the_limit_as_its_next_command(old: Path) -> None:
    before = read_recording(old)
    async with open_game(Board.parse("1x1\nA\n"), journal=Journal(old)) as game:
        first = await game.snapshot()
        assert len(first.scores) == 1000
    async with open_game(Board.parse("1x1\nA\n"), journal=Journal(old)) as game:
        assert await game.snapshot() == first
    records = read_recording(old).records[len(before.records) :]
    assert [msgspec.json.decode(record.command) for record in records if b"Withdraw" not in record.command] == [
        {"type": "BoundScores", "most": 1000}
    ]


async def test_a_journal_of_an_older_version_is_known_to_have_begun_with_the_same_board(old: Path) -> None:
    first = Board.restore(read_recording(old).first)
    cards = msgspec.json.decode(first.state())["deck"]
    same = Board(first.rows, first.columns, tuple(cards))
    async with open_game(same, journal=Journal(old, same_start=True)) as game:
        assert (await game.snapshot()).version > 0
    other = Board(first.rows, first.columns, tuple(reversed(cards)))
    with pytest.raises(JournalError, match="began with other settings than the given ones"):
        async with open_game(other, journal=Journal(old, same_start=True)):
            pass
