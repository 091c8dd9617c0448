"""Replay of Crossword Extravaganza.

Testing strategy. A lobby is played on the real rules and recorded; then it is narrated.

- a match from its creation to each of its ends: complete, given up, lost, a player does not come back in time:
  test_a_match_*, test_whoever_*
- tries and challenges: a word that is entered, that clears others, that is refused; a challenge that is won, right,
  wrong: test_each_move_*
- several matches at once: test_two_matches_*
- secrecy: tokens on every line, refused guesses, wrong proposals: test_no_token_*, test_no_guess_*
- the page's data agrees with the players' views: test_whole_and_changes_*
"""

from __future__ import annotations

import msgspec

from scramble.crossword.english import ENGLISH
from scramble.crossword.messages import ExpireGrace, MatchView, SessionId
from scramble.crossword.narrator import CrosswordChange, CrosswordLayout, CrosswordSnapshot
from scramble.games.table import narrators
from scramble.replay import Replay, Step
from tests.support.crossword.driver import EXTENDED
from tests.support.replay.tape import Talk


def steps(talk: Talk) -> list[Step]:
    replay = Replay(talk.tape.recording, narrators=narrators())
    return [replay.step() for _ in range(replay.last)]


def words(step: Step) -> str:
    """The step's sentence, in English."""
    (line,) = ENGLISH.lines(step.told, step.also)
    return line


def everything(talk: Talk) -> str:
    """Everything that a replay shows of a recording, as one text."""
    replay = Replay(talk.tape.recording, narrators=narrators())
    said: list[object] = [replay.narrator.snapshot(), replay.narrator.layout()]
    while replay.at < replay.last:
        said += [replay.step(), replay.narrator.snapshot(), replay.narrator.layout(), replay.narrator.caption()]
        said += [replay.narrator.picture(), replay.narrator.summary()]
    return msgspec.json.encode(said).decode()


def test_a_match_is_described_from_its_making_to_its_completion() -> None:
    talk = Talk()
    talk.begin()
    talk.say("ann", "TRY 1 cat")
    talk.say("bob", "TRY 2 mat")
    talk.say("ann", "NEW MATCH")
    talk.say("bob", "EXIT")
    assert [(step.player, step.rule, words(step)) for step in steps(talk)] == [
        (None, None, "somebody connects"),
        ("ann", None, "ann enters the lobby"),
        (None, None, "somebody connects"),
        ("bob", None, "bob enters the lobby"),
        ("ann", "NEW", "ann makes match m1 on mini, and waits for a second player"),
        ("bob", "PLAY", "bob joins ann's match m1 on mini, which begins"),
        ("ann", "TRY", "ann enters cat for word 1"),
        (
            "bob",
            "TRY",
            "bob enters mat for word 2. The puzzle is complete. Match m1 is over: a draw (ann 1, bob 1)",
        ),
        ("ann", "NEW MATCH", "ann goes on to another match"),
        ("bob", "EXIT", "bob logs out"),
    ]
    assert [step.rule for step in steps(talk) if step.over] == ["TRY"]
    assert steps(talk)[-3].over


def test_each_move_is_described_by_what_it_did() -> None:
    talk = Talk(EXTENDED)
    talk.begin()
    talk.say("ann", "TRY 1 cot")
    talk.say("ann", "TRY 3 cow")
    talk.say("ann", "TRY 1 dot")
    talk.say("bob", "TRY 1 cat")
    talk.say("bob", "CHALLENGE 1 cat")
    talk.say("ann", "TRY 4 tax")
    talk.say("bob", "CHALLENGE 4 tex")
    talk.say("ann", "TRY 2 mat")
    talk.say("ann", "TRY 3 cap")
    talk.say("bob", "CHALLENGE 3 cab")
    shown = steps(talk)[6:]
    assert [(step.rule, words(step)) for step in shown] == [
        ("TRY", "ann enters cot for word 1"),
        ("TRY", "ann enters cow for word 3"),
        ("TRY", "ann enters dot for word 1; cleared, because in conflict with it: 3"),
        ("refused", "bob enters a TRY that is refused"),
        ("CHALLENGE won", "bob challenges ann's dot (word 1): it is cat, two points"),
        ("TRY", "ann enters tax for word 4"),
        ("CHALLENGE lost", "bob challenges ann's tax (word 4), which was right"),
        ("TRY", "ann enters mat for word 2"),
        ("TRY", "ann enters cap for word 3"),
        ("CHALLENGE lost", "bob challenges ann's cap (word 3): it was wrong, and so is the proposal"),
    ]
    replay = Replay(talk.tape.recording, narrators=narrators())
    replay.seek(replay.last)
    assert replay.narrator.summary().rows == {"ann": (6, 0, 0, 0, None), "bob": (0, 1, 1, 2, None)}
    assert replay.narrator.caption() == "match m1 on mini: ann 0, bob 0"


def test_whoever_gives_up_leaves_or_does_not_come_back_in_time_ends_the_match() -> None:
    given_up, left, late, both = Talk(), Talk(), Talk(), Talk()
    for talk in (given_up, left, late, both):
        talk.begin()
    given_up.say("ann", "EXIT")
    assert words(steps(given_up)[-1]) == "ann gives up match m1. Match m1 is over: bob wins (ann 0, bob 0)"
    assert [step.over for step in steps(given_up)] == [False] * 6 + [True]
    left.leave("ann", may_return=False)
    assert words(steps(left)[-1]) == "ann leaves. Match m1 is over: bob wins (ann 0, bob 0)"
    late.leave("ann")
    late.tape.do(ExpireGrace(late.views["ann"].session))
    late.tape.do(ExpireGrace(late.views["ann"].session))
    assert [words(step) for step in steps(late)[-3:]] == [
        "ann has lost the connection, and may come back",
        "ann has not come back in time. Match m1 is over: bob wins (ann 0, bob 0)",
        "a time of grace is over",
    ]
    both.leave("ann")
    both.leave("bob")
    both.tape.do(ExpireGrace(both.views["ann"].session))
    both.tape.do(ExpireGrace(both.views["bob"].session))
    replay = Replay(both.tape.recording, narrators=narrators())
    replay.seek(replay.last)
    frame = replay.narrator.layout()
    assert isinstance(frame, CrosswordLayout)
    assert frame.matches[0].until == replay.last - 1


def test_whoever_comes_back_goes_on_in_the_match() -> None:
    talk = Talk()
    talk.begin()
    talk.leave("ann")
    talk.open("again", token="another")
    talk.say("again", "ann token-of-ann")
    talk.say("again", "TRY 1 cat")
    talk.say("bob", "TRY 2 mat")
    shown = steps(talk)
    assert words(shown[-3]) == "ann comes back"
    assert words(shown[-2]) == "ann enters cat for word 1"
    assert "is over: a draw" in words(shown[-1])


def test_a_match_that_nobody_joins_is_taken_back() -> None:
    talk = Talk()
    talk.join("ann")
    talk.say("ann", 'NEW m1 mini ""')
    talk.say("ann", "EXIT")
    assert words(steps(talk)[-1]) == "ann takes the waiting match back"


def test_lines_to_sessions_that_have_ended_are_described_without_them() -> None:
    talk = Talk()
    talk.join("ann")
    replay_session = talk.views["ann"].session
    talk.leave("ann")
    talk.tape.do(ExpireGrace(SessionId(99)))
    assert replay_session == 1
    assert [words(step) for step in steps(talk)[-2:]] == ["ann leaves", "a time of grace is over"]


def test_two_matches_at_once_are_kept_apart() -> None:
    talk = Talk()
    talk.two_matches()
    replay = Replay(talk.tape.recording, narrators=narrators())
    replay.seek(replay.last)
    whole = replay.narrator.snapshot()
    assert isinstance(whole, CrosswordSnapshot)
    assert {number: [word.text for word in match.words] for number, match in whole.matches.items()} == {
        1: ["cot"],
        2: ["cat"],
    }
    assert whole.latest == 2


def test_no_token_is_shown_wherever_it_was_typed() -> None:
    talk = Talk()
    talk.open("ann", token="SECRETTOKEN")
    talk.say("ann", "ann")
    talk.open("bob", token="OTHERTOKEN")
    talk.say("bob", "bob  SECRETTOKEN")
    talk.say("bob", "ann WRONGTOKEN")
    talk.say("bob", "bob")
    talk.say("bob", "ann SECRETTOKEN")
    talk.say("bob", "PLAY SECRETTOKEN")
    talk.open("again", token="THIRDTOKEN")
    talk.say("again", "ann SECRETTOKEN")
    assert "TOKEN" not in everything(talk)


def test_no_guess_or_proposal_is_shown_that_did_not_come_to_stand() -> None:
    talk = Talk()
    talk.begin()
    talk.say("ann", "TRY 1 cot")
    talk.say("bob", "TRY 2 mat")
    talk.say("bob", "TRY 1 zzz")
    talk.say("bob", "CHALLENGE 1 qqq")
    said = everything(talk)
    assert "cot" in said
    assert not any(word in said for word in ("mat", "zzz", "qqq", "cat") if word not in ("mat", "cat"))
    assert '"mat"' not in said
    assert '"cat"' not in said


def test_whole_and_changes_agree_with_what_players_are_shown() -> None:
    talk = Talk(EXTENDED)
    talk.begin()
    lines = (
        ("ann", "TRY 1 cot"),
        ("bob", "TRY 4 tax"),
        ("bob", "CHALLENGE 1 cat"),
        ("ann", "TRY 2 mat"),
        ("ann", "CHALLENGE 4 tex"),
    )
    for key, line in lines:
        talk.say(key, line)
    replay = Replay(talk.tape.recording, narrators=narrators())
    stand: dict[int, tuple[str | None, str | None, bool]] = {}
    points: dict[str, int] = {}
    while replay.at < replay.last:
        change = replay.step().change
        assert isinstance(change, CrosswordChange)
        for word in change.words:
            stand[word.id] = (word.text, word.by, word.confirmed)
        points |= change.points
    view = talk.views["ann"].match
    assert isinstance(view, MatchView)
    standing = {word.id: (word.entered, word.by, word.confirmed) for word in view.words if word.entered is not None}
    assert stand == standing
    assert points == view.challenge_points
    whole = replay.narrator.snapshot()
    assert isinstance(whole, CrosswordSnapshot)
    assert {word.id: (word.text, word.by, word.confirmed) for word in whole.matches[1].words} == standing
