"""Testing strategy: the lobby's output never depends on a letter that is not on the board.

- nonsense words: the puzzle's words cannot be in a clue, message or name by accident. Hypothesis plays random lines. No
  frame and no text contains a word that nobody has typed
- twins: two puzzles have the same shape and clues, but different solutions. The same lines give the same answers and
  pushed views, byte for byte. Only two lines may make a difference: a valid challenge with another outcome, and the
  move that ends one of the matches
- twins refuse the same lines, even if a line is the solution of one of them
- Python's `str` and `repr` of puzzles, matches, reports and lobbies contain no words
"""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from scramble.crossword import Match, Puzzle, SessionId, SessionView
from scramble.crossword.frames import view_frame
from scramble.crossword.text import view_text
from tests.support.crossword.driver import Table

# Two solutions of one shape: the first word across, the second and third down from it, the fourth across both.
FIRST_WORDS = ["qxvzj", "xkwq", "zwjx", "wwjv"]
SECOND_WORDS = ["pbfhd", "bgkc", "hmnb", "kkng"]


def twin(words: list[str]) -> str:
    places = ["ACROSS, 0, 1", "DOWN, 0, 2", "DOWN, 0, 4", "ACROSS, 2, 2"]
    entries = (f'({word}, "clue {n}", {place})' for n, (word, place) in enumerate(zip(words, places, strict=True)))
    return '>> "Plain name" "Plain description"\n' + "\n".join(entries)


guesses = st.sampled_from(
    [*FIRST_WORDS, *SECOND_WORDS, "aaaaa", "aaaa", "abca", "qaaaa", "xaaa", "waaa", "qx-zj", "toolong"]
)
moves = st.tuples(st.integers(0, 1), st.sampled_from(["TRY", "TRY", "CHALLENGE"]), st.integers(1, 4), guesses)


def shown(view: SessionView) -> bytes:
    return view_frame(view) + view_text(view).encode()


class Watched:
    """A match of ann and bob, with cyd in CHOOSE. `sent` returns a line's answer, and then the pushes to all three."""

    def __init__(self, words: list[str]) -> None:
        self.table = Table([Puzzle.parse(twin(words), id="p")])
        self.cyd = self.table.player("cyd")
        self.players = self.table.match("p")

    def sent(self, session: SessionId, line: str) -> tuple[SessionView, bytes]:
        before = {other: len(views) for other, views in self.table.pushed.items()}
        view = self.table.say(session, line)
        pushes = b"".join(shown(view) for other in before for view in self.table.pushed[other][before[other] :])
        return view, shown(view) + pushes


@given(st.lists(moves, max_size=25))
def test_no_word_that_nobody_typed_is_ever_sent(played: list[tuple[int, str, int, str]]) -> None:
    match = Watched(FIRST_WORDS)
    typed: set[str] = set()
    sent = b"".join(shown(match.table.look(session)) for session in (*match.players, match.cyd))
    for player, command, word, guess in played:
        assert not any(word.encode() in sent for word in FIRST_WORDS if word not in typed)
        typed.add(guess)
        _, sent = match.sent(match.players[player], f"{command} {word} {guess}")
    _, sent = match.sent(match.players[0], "EXIT")
    assert not any(word.encode() in sent for word in FIRST_WORDS if word not in typed)


@given(
    st.lists(moves, max_size=25),
    st.lists(st.sampled_from(["EXIT", "TRY 9 aaaa", "HELP", "CHALLENGE 1"]), max_size=2, unique=True),
)
def test_twins_of_one_shape_answer_alike_until_a_challenge_or_the_end(
    played: list[tuple[int, str, int, str]], odd: list[str]
) -> None:
    first, second = Watched(FIRST_WORDS), Watched(SECOND_WORDS)
    lines = [(player, f"{command} {word} {guess}") for player, command, word, guess in played]
    for position, line in enumerate(odd):
        lines.insert(3 * position, (position, line))
    for player, line in lines:
        one, sent_by_first = first.sent(first.players[player], line)
        two, sent_by_second = second.sent(second.players[player], line)
        assert (one.error is None) == (two.error is None), "validity never depends on the solution"
        if sent_by_first == sent_by_second:
            continue
        challenged = line.startswith("CHALLENGE") and one.error is None
        assert challenged or "SHOW SCORE" in (one.state, two.state)
        return


@given(st.integers(0, 2**32), st.integers(5, 40))
def test_twins_stay_alike_through_any_tries_that_complete_neither(seed: int, length: int) -> None:
    random = Random(seed)
    first, second = Watched(FIRST_WORDS), Watched(SECOND_WORDS)
    words = [*FIRST_WORDS, *SECOND_WORDS, "aaaaa", "aaaa"]
    for _ in range(length):
        player, line = random.randrange(2), f"TRY {random.randint(1, 4)} {random.choice(words)}"
        one, sent_by_first = first.sent(first.players[player], line)
        two, sent_by_second = second.sent(second.players[player], line)
        if "SHOW SCORE" in (one.state, two.state):
            return
        assert sent_by_first == sent_by_second


def test_an_unfitting_solution_is_refused_like_any_other_word() -> None:
    first, second = Watched(FIRST_WORDS), Watched(SECOND_WORDS)
    for match in (first, second):
        match.table.do(match.players[0], "TRY 1 aaaaa")
        match.table.do(match.players[1], "TRY 4 bbbb")
    for line in ("TRY 2 xkwq", "TRY 3 hmnb", "CHALLENGE 1 aaaaa", "TRY 1 qxvzj", "TRY 2 bgkc"):
        answers = [match.sent(match.players[1], line) for match in (first, second)]
        assert answers[0][0].error is not None
        assert answers[0][1] == answers[1][1]


def test_a_failed_challenge_does_not_reveal_the_right_word() -> None:
    match = Watched(FIRST_WORDS)
    match.table.do(match.players[0], "TRY 1 aaaaa")
    _, sent = match.sent(match.players[1], "CHALLENGE 1 bbbbb")
    assert b"qxvzj" not in sent
    assert b"bbbbb" not in sent, "the other player does not see the proposal"


def test_the_score_of_a_forfeited_match_shows_the_board_as_it_was() -> None:
    match = Watched(FIRST_WORDS)
    match.table.do(match.players[0], "TRY 2 xkwq")
    view, sent = match.sent(match.players[1], "EXIT")
    assert view.result is not None
    letters = [cell.letter for row in view.result.match.cells for cell in row if cell is not None]
    assert sorted(letter for letter in letters if letter is not None) == sorted("xkwq")
    assert not any(word.encode() in sent for word in FIRST_WORDS if word != "xkwq")


def test_neither_str_nor_repr_of_any_public_object_contains_a_word() -> None:
    puzzle = Puzzle.parse(twin(FIRST_WORDS), id="p")
    match = Match("m1", puzzle, "d", ("ann", "bob"))
    report = match.try_word("ann", 1, "aaaaa")
    table = Watched(FIRST_WORDS).table
    things = (puzzle, puzzle.shape, puzzle.shape.words, match, match.view(), report, table.lobby)
    for thing in things:
        assert not any(word in f"{thing} {thing!r}" for word in FIRST_WORDS)
