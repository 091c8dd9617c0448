"""Testing strategy: places in a full lobby, and ends of idle sessions. On bare rules, which have no clock.

- sessions: the total limit · the limit of an address; connected · missing · ended; of several addresses
- a full lobby: a stranger · a player with ID and token, missing or connected · with a wrong token · after the grace
  period
- waiting matches of an address: one too many · after one was joined, taken back, lost
- an idle session: in every state; ended too late; missing, or already over
- an idle match: points decide · a draw; another action happened meanwhile; a missing player; both are notified
- commands of older journals: without a quota; for a lost player
"""

from __future__ import annotations

import pytest

from scramble.crossword import Limits, Lobby, LobbyFull, Puzzle, Quota
from scramble.crossword.messages import Disconnect, EndIdle, EndMatch, ExpireGrace, OpenSession, Say, SessionId, State
from scramble.crossword.phrases import idle, span
from scramble.kernel.protocol import Command, Ticket
from tests.support.crossword.driver import SIMPLE, Table, in_state, state_of

THERE = Quota("there", sessions=2, waiting=1)
ELSEWHERE = Quota("elsewhere", sessions=2, waiting=1)

# sessions


def test_a_missing_player_keeps_the_place_until_the_grace_is_over() -> None:
    table = Table(limits=Limits(sessions=2))
    ann, _ = table.match()
    table.lose(ann)
    with pytest.raises(LobbyFull, match="as many players as this server allows") as full:
        table.open()
    assert full.value.may_return
    table.expire(ann)
    table.player("cyd")


@pytest.mark.parametrize("missing", [True, False])
def test_a_player_returns_to_a_full_lobby_with_id_and_token_and_takes_the_own_place(missing: bool) -> None:
    table = Table(limits=Limits(sessions=2))
    ann, bob = table.match()
    table.do(bob, "TRY 1 cat")
    if missing:
        table.lose(ann)
    view = table.come_back("ann", "ann-token")
    assert (view.state, view.player, view.error, view.token) == ("PLAY", "ann", None, None)
    assert view.match == table.look(bob).match
    assert ("ann is back" in table.pushed[bob][-1].message) == missing
    if not missing:
        assert table.ended[ann] == "taken-over"
    with pytest.raises(LobbyFull):
        table.open()
    table.do(view.session, "EXIT")
    assert table.look(bob).state == "SHOW SCORE"


@pytest.mark.parametrize("claim", [("ann", "wrong"), ("cyd", "ann-token"), ("ann", "bob-token"), ("ann", "é")])
def test_nobody_returns_to_a_full_lobby_with_a_wrong_token(claim: tuple[str, str]) -> None:
    table = Table(limits=Limits(sessions=2))
    ann, _ = table.match()
    table.lose(ann)
    before = table.lobby.state()
    with pytest.raises(LobbyFull):
        table.come_back(*claim)
    assert table.lobby.state() == before
    assert table.come_back("ann", "ann-token").state == "PLAY"


def test_a_full_lobby_without_a_match_awaits_nobody() -> None:
    table = Table(limits=Limits(sessions=1))
    table.player("ann")
    with pytest.raises(LobbyFull) as full:
        table.open()
    assert not full.value.may_return


def test_each_address_has_a_quota_of_sessions_of_its_own() -> None:
    table = Table()
    first = table.open(quota=THERE)
    table.open(quota=THERE)
    with pytest.raises(LobbyFull, match="from your address"):
        table.open(quota=THERE)
    for quota in (ELSEWHERE, ELSEWHERE, Quota(), Quota()):
        table.open(quota=quota)
    table.lose(first)
    table.open(quota=THERE)


def test_a_missing_player_keeps_the_place_of_the_address_too_and_may_return_to_it() -> None:
    table = Table()
    ann, bob = (table.open(f"{name}-token", THERE) for name in ("ann", "bob"))
    table.do(ann, "ann")
    table.do(bob, "bob")
    table.do(ann, 'NEW m1 simple "so"')
    table.do(bob, "PLAY m1")
    table.lose(ann)
    with pytest.raises(LobbyFull, match="from your address") as full:
        table.open(quota=THERE)
    assert full.value.may_return
    assert table.come_back("ann", "ann-token", THERE).state == "PLAY"


# waiting matches


@pytest.mark.parametrize("goes", ["joined", "taken back", "lost"])
def test_an_address_has_a_quota_of_waiting_matches_until_one_is_gone(goes: str) -> None:
    table = Table()
    ann, bob, cyd = (table.open(name, quota) for name, quota in (("a", THERE), ("b", THERE), ("c", ELSEWHERE)))
    for session, name in ((ann, "ann"), (bob, "bob"), (cyd, "cyd")):
        table.do(session, name)
    table.do(ann, 'NEW m1 simple "so"')
    assert "waiting from your address" in table.refused(bob, 'NEW m2 simple "so"')
    table.do(cyd, 'NEW m3 simple "so"')
    if goes == "joined":
        table.do(table.player("dan"), "PLAY m1")
    elif goes == "taken back":
        table.do(ann, "EXIT")
    else:
        table.lose(ann)
    table.do(bob, 'NEW m2 simple "so"')


# idle sessions


@pytest.mark.parametrize("state", ["START", "CHOOSE", "WAIT", "SHOW SCORE"])
def test_an_idle_session_outside_a_match_ends_with_a_reason(state: State) -> None:
    table = Table()
    session = in_state(table, state)
    watcher = table.player("cyd")
    table.ask(EndIdle(session, 1800.0))
    assert state_of(table, session) == "END"
    assert table.ended[session] == "idle"
    assert table.look(watcher).matches == ()
    assert table.look(table.player("ann")).state == "CHOOSE", "the ID is free"


def test_in_a_match_a_session_does_not_end_because_its_player_thinks() -> None:
    table = Table()
    ann, bob = table.match()
    before = table.lobby.state()
    table.ask(EndIdle(ann, 1800.0))
    table.lose(ann)
    table.ask(EndIdle(ann, 1800.0))
    table.ask(EndIdle(SessionId(99), 1800.0))
    assert table.look(bob).state == "PLAY"
    table.come_back("ann", "ann-token")
    assert before != table.lobby.state()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1800, "30 minutes"),
        (60, "1 minute"),
        (3600, "1 hour"),
        (7200, "2 hours"),
        (90, "90 seconds"),
    ],
)
def test_times_are_shown_in_words(seconds: float, words: str) -> None:
    assert span(seconds) == words
    assert idle(seconds) == f"nothing was done here for {words}"


# idle matches


@pytest.mark.parametrize(
    ("lines", "winner", "points"), [((), None, {"ann": 0, "bob": 0}), (("TRY 1 cat",), "bob", {"ann": 0, "bob": 1})]
)
def test_a_match_without_a_move_ends_for_both_with_the_points_as_they_stand(
    lines: tuple[str, ...], winner: str | None, points: dict[str, int]
) -> None:
    table = Table()
    ann, bob = table.match()
    for line in lines:
        table.do(bob, line)
    table.ask(EndMatch(ann, table.look(ann).number, 7200.0))
    for session in (ann, bob):
        view = table.pushed[session][-1]
        assert (view.state, view.result) != ("PLAY", None)
        assert "Nobody has moved for 2 hours, so the match is over." in view.message
        assert view.result is not None
        assert (view.result.winner, view.result.points) == (winner, points)
        assert (view.result.forfeited_by, view.result.ended) == (None, "timed out")
    again = table.do(table.open("unused"), "ann ann-token")
    assert "Nobody has moved for too long" in again.message


def test_a_match_continues_after_an_unseen_action() -> None:
    table = Table()
    ann, bob = table.match()
    seen = table.look(ann).number
    table.do(bob, "TRY 1 cat")
    table.ask(EndMatch(ann, seen, 7200.0))
    table.ask(EndMatch(SessionId(99), 0, 7200.0))
    assert table.look(ann).state == table.look(bob).state == "PLAY"
    missing = table.look(bob).number
    table.lose(bob)
    table.ask(EndMatch(bob, missing, 7200.0))
    assert table.look(ann).state == "PLAY"


# missing players, and players who have left


def test_a_missing_player_is_shown_to_the_other_until_the_return() -> None:
    table = Table()
    ann, bob = table.match()
    assert table.look(bob).missing is None
    table.lose(ann)
    missing = table.pushed[bob][-1].missing
    assert missing is not None
    assert (missing.player, missing.session, missing.seconds_left) == ("ann", ann, None)
    table.do(table.open("unused"), "ann ann-token")
    assert table.pushed[bob][-1].missing is None


@pytest.mark.parametrize("may_return", [True, False])
def test_a_player_whose_connection_is_lost_has_left_and_not_given_up(may_return: bool) -> None:
    table = Table()
    ann, bob = table.match()
    table.lose(ann, may_return)
    table.expire(ann)
    view = table.pushed[bob][-1]
    why = "ann has left: the connection was lost, and ann did not come back in time."
    assert view.message.startswith(f"{why} You have won!")
    assert view.result is not None
    assert (view.result.winner, view.result.forfeited_by, view.result.ended) == ("bob", "ann", "left")


def test_a_player_who_exits_has_given_up() -> None:
    table = Table()
    ann, bob = table.match()
    table.do(ann, "EXIT")
    result = table.pushed[bob][-1].result
    assert result is not None
    assert (result.forfeited_by, result.ended) == ("ann", None)


# older journals


def test_the_commands_of_older_journals_have_the_same_effects_as_before() -> None:
    lobby = Lobby([Puzzle.parse(SIMPLE, id="simple")], Limits(sessions=2))
    said = [(1, "ann"), (1, 'NEW m1 simple "so"'), (2, "bob"), (2, "PLAY m1")]
    commands: list[Command[object]] = [
        OpenSession("a"),
        OpenSession("b"),
        *(Say(SessionId(id), line) for id, line in said),
    ]
    commands += [Disconnect(SessionId(1)), OpenSession("c"), Say(SessionId(3), "cyd"), ExpireGrace(SessionId(1))]
    for number, command in enumerate(commands):
        lobby.apply(Ticket(number), command)
    assert lobby.present == (2, 3), "cyd has taken the last place, and ann was missing"
    state = lobby.state().decode()
    assert "ann has given up the match." in state
    assert "quota" not in state
    assert '"ended"' not in state
