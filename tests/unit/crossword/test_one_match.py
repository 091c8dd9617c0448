"""A lobby of one match: without a choice. The first player waits, and the match begins with the second player.

Every lobby here is `Twins`: after each step, the test checks a restored lobby and a replay, too.

Partitions:
- entering by a line, and by `Enter`: first, second, third; again under the same name, in each state, present and
  missing; after the end, as a player of the match and as another person; an invalid ID; twice
- lines for a choice of matches: NEW, PLAY, NEW MATCH, in each state; EXIT in each state
- a connection that is lost in each state
- spectators: before the first player, and after each kind of change; private data of players; a withdrawn request
- the result: requested before and after the end; a withdrawn request
- a lobby of many matches refuses these commands; impossible states
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec
import pytest

from scramble.crossword import Lobby, MatchView, Puzzle, PuzzleError, Result, SessionId, SessionView
from scramble.crossword.frames import view_frame
from scramble.crossword.messages import (
    AwaitResult,
    Enter,
    MatchFull,
    MatchHeader,
    MatchOver,
    Spectate,
)
from scramble.crossword.statetable import CommandRefused
from scramble.errors import InvalidCommand
from scramble.kernel.protocol import Answered, Command, Outcome, Refused, Ticket, Withdraw
from tests.support.crossword.driver import EXTENDED, SIMPLE, Table, state_of
from tests.support.crossword.twins import Twins

SOLUTION = ("TRY 1 cat", "TRY 2 mat")


def table(puzzle: str = SIMPLE) -> Table:
    return Table((Puzzle.parse(puzzle, id="simple"),), rules=partial(Twins, one_match=True))


def enter(there: Table, player: str, token: str = "token") -> SessionView:
    view = there.ask(Enter(there.open(token), player))
    assert isinstance(view, SessionView)
    return view


def match(there: Table) -> tuple[SessionId, SessionId]:
    ann = enter(there, "ann", "ann-token").session
    return ann, enter(there, "bob", "bob-token").session


def test_the_match_begins_with_the_second_player_by_typed_ids_or_by_seats() -> None:
    typed, seated = table(), table()
    for there in (typed, seated):
        ann, bob = there.open(), there.open()
        views = (
            [there.do(ann, "ann"), there.do(bob, "bob")]
            if there is typed
            else [there.ask(Enter(ann, "ann")), there.ask(Enter(bob, "bob"))]
        )
        first, second = views
        assert isinstance(first, SessionView)
        assert isinstance(second, SessionView)
        assert (first.state, first.token, type(first.match)) == ("WAIT", "token", MatchHeader)
        assert (second.state, second.player, type(second.match)) == ("PLAY", "bob", MatchView)
        assert [view.state for view in there.pushed[ann]] == ["PLAY"]
        assert (first.puzzles, first.matches) == (None, None)
    assert typed.lobby.state() == seated.lobby.state()


def test_a_third_player_is_refused_and_stays_in_start() -> None:
    there = table()
    match(there)
    cyd = there.open()
    with pytest.raises(MatchFull, match="two players already"):
        there.ask(Enter(cyd, "cyd"))
    assert "two players already" in there.refused(cyd, "cyd")
    assert there.look(cyd).state == "START"


def test_after_the_end_the_players_see_the_score_again_and_nobody_else_enters() -> None:
    there = table()
    ann, bob = match(there)
    there.do(ann, "EXIT")
    there.do(ann, "EXIT")
    assert there.lose(bob) is False
    views = [enter(there, "ann"), there.do(there.open(), "bob")]
    assert [view.state for view in views] == ["SHOW SCORE", "SHOW SCORE"]
    assert views[0].result == views[1].result
    cyd = there.open()
    with pytest.raises(MatchOver):
        there.ask(Enter(cyd, "cyd"))
    assert "match is over" in there.refused(cyd, "cyd")


@pytest.mark.parametrize("state", ["WAIT", "PLAY", "missing", "SHOW SCORE"])
def test_a_player_who_enters_again_takes_over_the_earlier_session(state: str) -> None:
    there = table()
    ann = enter(there, "ann").session
    bob = None if state == "WAIT" else enter(there, "bob").session
    if state == "SHOW SCORE":
        there.do(ann, "EXIT")
    if state == "missing":
        assert there.lose(ann)
    view = enter(there, "ann")
    assert (view.state, view.player, view.token) == (state.replace("missing", "PLAY"), "ann", None)
    if state != "missing":
        assert there.ended[ann] == "taken-over"
    assert state_of(there, ann) == "END"
    if bob is not None:
        assert there.look(bob).missing is None
    if state in ("PLAY", "missing"):
        assert isinstance(there.do(view.session, "TRY 1 cat").match, MatchView)


def test_a_typed_id_takes_over_no_session() -> None:
    there = table()
    ann, bob = match(there)
    other = there.open()
    assert there.refused(other, "ann") == "The ID ann is in use. Enter another one."
    there.lose(ann)
    assert there.refused(other, "ann") == "The ID ann is in use. Enter another one."
    assert there.do(other, "ann ann-token").state == "PLAY"
    assert there.look(bob).missing is None


@pytest.mark.parametrize("player", ["", "a b", "é", "x" * 21, "a\n"])
def test_an_invalid_id_is_refused(player: str) -> None:
    there = table()
    with pytest.raises(InvalidCommand, match="cannot be an ID"):
        there.ask(Enter(there.open(), player))


def test_a_session_has_one_player() -> None:
    there = table()
    ann = enter(there, "ann").session
    with pytest.raises(CommandRefused, match="its player already"):
        there.ask(Enter(ann, "bob"))


@pytest.mark.parametrize("line", ['NEW m1 simple "so"', "PLAY one", "PLAY", "NEW MATCH", " NEW"])
def test_there_is_nothing_to_choose_in_any_state(line: str) -> None:
    there = table()
    ann = enter(there, "ann").session
    assert there.refused(ann, line) == "Here is one match only, and no other one can be made or joined."
    enter(there, "bob")
    assert there.refused(ann, line) == "Here is one match only, and no other one can be made or joined."
    there.do(ann, "EXIT")
    assert there.refused(ann, line) == "Here is one match only, and no other one can be made or joined."


def test_exit_while_waiting_logs_out_and_makes_room_for_another_first_player() -> None:
    there = table()
    ann = enter(there, "ann").session
    assert there.do(ann, "EXIT").closed
    assert enter(there, "bob").state == "WAIT"
    assert enter(there, "ann").state == "PLAY"


def test_a_connection_lost_while_waiting_makes_room_and_in_the_match_it_can_return() -> None:
    there = table()
    there.lose(enter(there, "ann").session)
    ann, bob = match(there)
    assert there.lose(bob)
    assert there.look(ann).missing is not None
    there.expire(bob)
    result = there.look(ann).result
    assert result is not None
    assert (result.winner, result.ended) == ("ann", "left")
    assert "EXIT" in there.look(ann).message
    assert "NEW MATCH" not in there.look(ann).message


# --- spectators --------------------------------------------------------------------------------------


class Spectator:
    """A spectator who watches all the time, and keeps all views."""

    def __init__(self, lobby: Lobby) -> None:
        self.views: list[SessionView] = []
        self._lobby = lobby
        self._ticket = Ticket(1_000_000)
        self._since = -1
        self.watch()

    def watch(self) -> None:
        self._ticket = Ticket(self._ticket + 1)
        self.take(self._lobby.apply(self._ticket, Spectate(self._since)))

    def take(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            if isinstance(outcome, Answered) and outcome.ticket == self._ticket:
                assert isinstance(outcome.value, SessionView)
                assert outcome.value.number > self._since
                self._since = outcome.value.number
                self.views.append(outcome.value)
                self.watch()


class Watched(Twins):
    """A lobby that gives its spectator, if there is one, the answers to tickets above a million."""

    def __init__(self, puzzle: str) -> None:
        super().__init__((Puzzle.parse(puzzle, id="simple"),), one_match=True)
        self.spectator: Spectator | None = None
        self.aside: list[Answered] = []

    def apply(self, ticket: Ticket, command: Command[object], /) -> Sequence[Outcome]:
        outcomes = super().apply(ticket, command)
        mine = [one for one in outcomes if isinstance(one, Answered) and one.ticket > 1_000_000]
        self.aside += mine
        if self.spectator is not None:
            self.spectator.take(mine)
        return [outcome for outcome in outcomes if outcome not in mine]


def watched(puzzle: str = SIMPLE) -> tuple[Table, Spectator]:
    lobby = Watched(puzzle)
    lobby.spectator = Spectator(lobby)
    lobby.spectator.take(lobby.aside)
    return Table(rules=lambda *_: lobby), lobby.spectator


def test_spectators_see_each_change_of_the_match_once_and_nothing_else() -> None:
    there, spectator = watched(EXTENDED)
    there.lose(there.open())  # these changes are not public
    ann, bob = match(there)
    there.do(ann, "TRY 1 cat")
    there.refused(bob, "TRY 1 dog")
    there.do(bob, "CHALLENGE 1 rat")
    there.do(ann, "TRY 2 mat")
    there.do(ann, "TRY 2 mat")  # the same word again: no change
    there.lose(ann)
    enter(there, "ann")
    there.do(bob, "EXIT")
    said = [(view.state, view.missing is not None) for view in spectator.views]
    play = ("PLAY", False)
    assert said == [("WAIT", False)] * 2 + [play, play, play, play, ("PLAY", True), play, ("SHOW SCORE", False)]
    assert [view.number for view in spectator.views] == list(range(1, 10))


def test_spectators_see_the_common_view_of_both_players_only() -> None:
    there, spectator = watched()
    ann, bob = match(there)
    for line in ("TRY 1 cat", "TRY 2 mug"):
        there.do(ann, line)
        shown = spectator.views[-1]
        assert shown.match == there.look(ann).match == there.look(bob).match
        assert (shown.session, shown.player, shown.token, shown.error) == (0, None, None, None)
        assert b"token" not in view_frame(shown)
    there.do(bob, "CHALLENGE 2 mat")
    there.do(ann, "TRY 1 cat")
    assert spectator.views[-1].state == "SHOW SCORE"
    assert spectator.views[-1].result == there.look(bob).result
    assert b"token" not in view_frame(spectator.views[-1])


def test_before_a_match_spectators_see_nothing_of_its_puzzle_but_the_name() -> None:
    there, spectator = watched()
    enter(there, "ann")
    for view in spectator.views:
        assert view.match == MatchHeader("one", "simple", "A trivial puzzle designed to show how puzzles work")
    assert spectator.views[-1].message == "ann is waiting for a second player."


def test_a_spectator_who_has_left_is_not_answered() -> None:
    lobby = Watched(SIMPLE)
    there = Table(rules=lambda *_: lobby)
    lobby.apply(Ticket(1_000_001), Spectate(0))
    assert [one.ticket for one in lobby.aside] == [1_000_001]
    lobby.apply(Ticket(1_000_002), Spectate(1))
    lobby.apply(Ticket(1_000_003), Spectate(1))
    lobby.apply(Ticket(1_000_002), Withdraw())
    enter(there, "ann")
    assert [one.ticket for one in lobby.aside] == [1_000_001, 1_000_003]


# --- the result --------------------------------------------------------------------------------------


def test_the_result_answers_all_waits_at_the_end_and_later_requests_at_once() -> None:
    lobby = Watched(SIMPLE)
    there = Table(rules=lambda *_: lobby)
    ann, bob = match(there)
    for ticket in (1_000_001, 1_000_002):
        lobby.apply(Ticket(ticket), AwaitResult())
    lobby.apply(Ticket(1_000_001), Withdraw())
    there.do(ann, "TRY 1 cat")
    assert lobby.aside == []
    there.do(bob, "TRY 2 mat")
    (answered,) = lobby.aside
    assert isinstance(answered.value, Result)
    assert (answered.ticket, answered.value.points) == (1_000_002, {"ann": 1, "bob": 1})
    assert answered.value == there.look(ann).result
    (at_once,) = Lobby.restore(lobby.state()).apply(Ticket(1), AwaitResult())
    assert at_once == Answered(Ticket(1), answered.value)


# --- other lobbies -----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [Enter(SessionId(1), "ann"), Spectate(-1), AwaitResult()])
def test_a_lobby_of_many_matches_refuses_the_commands_of_one_match(command: Enter | Spectate | AwaitResult) -> None:
    there = Table(rules=Twins)
    there.open()
    outcomes = there.lobby.apply(Ticket(100), command)
    assert [type(one.error) for one in outcomes if isinstance(one, Refused)] == [InvalidCommand]


def test_one_match_is_on_one_puzzle() -> None:
    with pytest.raises(PuzzleError, match="one match is on one puzzle"):
        Lobby([Puzzle.parse(SIMPLE, id="a"), Puzzle.parse(SIMPLE, id="b")], one_match=True)


def test_the_state_of_a_lobby_of_many_matches_has_no_fields_of_one_match() -> None:
    assert b"one_match" not in Table().lobby.state()


@pytest.mark.parametrize(
    "change",
    [
        {"one_match": False},
        {"result": None},
        {"sessions": [], "result": {"winner": None, "points": {}, "forfeited_by": None}},
        {"choosing": [1]},
    ],
)
def test_an_impossible_state_of_a_lobby_is_refused(change: dict[str, object]) -> None:
    there = table()
    ann, _ = match(there)
    there.do(ann, "EXIT")
    state = msgspec.json.decode(there.lobby.state(), type=dict[str, object])
    with pytest.raises(ValueError):  # noqa: PT011
        Lobby.restore(msgspec.json.encode({**state, **change}))
