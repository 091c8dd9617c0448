"""Testing strategy: many sessions, in any order, against the naive model.

Hypothesis draws connections that open, send lines (most of them valid in their state), break, come back with good and
bad tokens, and reach the end of their time of grace. The server is so small that the connections reach its limits.
After each step:

- the answer's frame is the model's frame, key by key, except for the wording;
- every other session that changed in the model got exactly the model's frame, once. A session with an unchanged frame
  got at most a new message (a player is missing, or is back);
- each session shows the model's frame;
- the lobby's own `_check_rep` holds (it is on in tests).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from scramble.crossword import Limits, Lobby, Puzzle, SessionEnded, SessionId, SessionView
from scramble.crossword.frames import view_frame
from scramble.crossword.messages import LobbyFull
from tests.support.crossword.driver import EXTENDED, SIMPLE, Table
from tests.support.crossword.model import EXTENDED_DATA, SIMPLE_DATA, Frame, Model, plain
from tests.support.crossword.twins import Twins
from tests.support.examples import examples

PUZZLES = (SIMPLE_DATA, EXTENDED_DATA)

MAX_SESSIONS, MAX_MATCHES = 6, 3
SOLUTION = ["cat", "mat", "car", "tax"]
NAMES = ["ann", "bob", "Ann", "cyd", "d"]
MATCHES = ["m1", "m2", "M1", "m_3", "m4"]
WORDS = ["cat", "mat", "car", "tax", "pet", "set", "bob", "CAT", "c-t", "max", "cab", "cats", "c1t", "é", "bat", "Mat"]
ODD_IDS = ["1", "2", "3", "4", "0", "5", "01", "9" * 30, "x", "-1", "٣"]
ODD_LINES = [
    "EXIT now",
    "exit",
    "PLAY",
    "PLAY m1 m2",
    "NEW",
    "NEW m1 simple",
    'NEW m1 simple "a" "b"',
    'NEW m1 simple"a"',
    'NEW m1 nosuch "a"',
    'NEW m-1 simple "a"',
    "NEW MATCH",
    "TRY",
    "TRY 1",
    "TRY 1 cat dog",
    "try 1 cat",
    "CHALLENGE 1",
    "ann bob",
    "Ann!",
    "élan",
    "EXIT",
    "",
]
ODD_LINES += [
    " ann",
    "ann ",
    "ann\n",
    "a" * 21,
    f'NEW m1 simple "{"x" * 201}"',
    'NEW m1 simple "\n"',
    "\udc80",
    "TRY 1 \udc80",
]
WEIGHTS = {"move": 24, "enter": 4, "choose": 5, "odd": 2, "exit": 2, "lose": 1, "expire": 1, "come_back": 2}
ACTIONS = [action for action, weight in WEIGHTS.items() for _ in range(weight)]

T = TypeVar("T")


class Pick:
    """Choose an option by random numbers: Hypothesis draws them, or a generator with a seed from Hypothesis."""

    def __init__(self, below: Callable[[int], int]) -> None:
        self.below = below

    def __call__(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def yes(self, times: int, of: int) -> bool:
        return self.below(of) < times


class ManySessions(RuleBasedStateMachine):
    """The lobby and the model side by side."""

    lobby_type = Lobby

    @initialize(playing=st.booleans())
    def begin(self, playing: bool) -> None:
        puzzles = (Puzzle.parse(SIMPLE, id="simple"), Puzzle.parse(EXTENDED, id="extended"))
        self.table = Table(puzzles, Limits(sessions=MAX_SESSIONS, matches=MAX_MATCHES), self.lobby_type)
        self.model = Model(PUZZLES, MAX_SESSIONS, MAX_MATCHES)
        self.tokens: dict[SessionId, str] = {}
        self.opened = 0
        if playing:
            for number, name in ((1, "ann"), (2, "bob"), (3, "cyd")):
                self.act(None, None, "open")
                self.act(SessionId(number), name)
            self.act(SessionId(1), 'NEW m1 extended "so"')
            self.act(SessionId(2), "PLAY m1")

    def in_state(self, *states: str) -> list[SessionId]:
        return [session for session in self.live() if self.model.seats[session].state in states]

    def live(self) -> list[SessionId]:
        return [SessionId(number) for number in self.model.seats if self.model.live(number)]

    def check_pushed(self, asked: SessionId | None, before: dict[int, Frame], pushed: dict[SessionId, int]) -> None:
        """Compare the pushed frames to the changes of the model."""
        if asked is not None:
            assert len(self.table.pushed[asked]) == pushed[asked], (
                "a session must not get its own answer as a push, too"
            )
        for number, old in before.items():
            if number == asked or not self.model.live(number):
                continue
            arrived = self.table.pushed[SessionId(number)][pushed[SessionId(number)] :]
            now = self.model.frame(number)
            assert len(arrived) <= 1
            if now != old:
                assert len(arrived) == 1
            for view in arrived:
                assert plain(view_frame(view)) == now

    def act(self, asked: SessionId | None, line: str | None, event: str = "say", flag: bool = True) -> None:
        before = {number: self.model.frame(number) for number in self.model.seats if self.model.live(number)}
        pushed = {session: len(views) for session, views in self.table.pushed.items()}
        if event == "open":
            self.opened += 1
            expected = self.model.connect(self.opened, f"token-{self.opened}")
            try:
                session = self.table.open(f"token-{self.opened}")
            except LobbyFull:
                assert expected is None
                self.opened -= 1
            else:
                assert session == self.opened
                assert plain(view_frame(self.table.look(session))) == {**(expected or {}), "error": True}
                self.tokens[session] = f"token-{self.opened}"
        elif asked is not None and line is not None:
            expected = self.model.say(asked, line)
            try:
                view: SessionView | None = self.table.say(asked, line)
            except SessionEnded:
                view = None
            assert (view is None) == (expected is None)
            if view is not None:
                assert plain(view_frame(view)) == expected
                if view.error is None and "token" not in (expected or {}):
                    assert view.token is None
        elif asked is not None and event == "lose":
            assert self.table.lose(asked, flag) == self.model.lose(asked, flag)
        elif asked is not None:
            self.table.expire(asked)
            self.model.expire(asked)
        self.check_pushed(asked, before, pushed)

    @rule(data=st.data(), action=st.sampled_from(ACTIONS))
    def step(self, data: st.DataObject, action: str) -> None:
        self.perform(action, Pick(lambda limit: data.draw(st.integers(0, limit - 1))))

    # Single steps seldom reach deep into a match before Hypothesis stops. So one rule makes many steps at once.
    @rule(seed=st.integers(0, 2**32), length=st.integers(1, 50))
    def fast_forward(self, seed: int, length: int) -> None:
        random = Random(seed)
        for _ in range(length):
            self.perform(random.choice(ACTIONS), Pick(random.randrange))
            self.every_session_shows_what_the_model_says()

    @rule(data=st.data(), line=st.text(max_size=10))
    def say_anything(self, data: st.DataObject, line: str) -> None:
        if self.live():
            self.act(data.draw(st.sampled_from(self.live())), line)

    def move(self, session: SessionId, pick: Pick) -> None:
        """Send a TRY, seldom right, so that matches last; or a CHALLENGE, usually of a word that can be challenged."""
        seat = self.model.seats[session]
        standing = seat.game.standing if seat.game is not None else {}
        disputable = [id for id, (_, owner, confirmed) in standing.items() if owner != seat.player and not confirmed]
        challenging = bool(disputable) and pick.yes(1, 3)
        id = pick(disputable) if challenging else pick([1, 2, 3, 4])
        wrong = pick(["pet", "set"] if pick.yes(3, 4) else WORDS)
        word = SOLUTION[id - 1] if pick.yes(1, 2 if challenging else 4) else wrong
        self.act(session, f"{'CHALLENGE' if challenging or pick.yes(1, 9) else 'TRY'} {id} {word}")

    def perform(self, action: str, pick: Pick) -> None:
        if action == "move" and self.in_state("PLAY"):
            self.move(pick(self.in_state("PLAY")), pick)
        elif action == "enter":
            self.act(None, None, "open")
            if self.in_state("START"):
                self.act(pick(self.in_state("START")), pick(NAMES))
        elif action == "choose" and self.in_state("CHOOSE"):
            session = pick(self.in_state("CHOOSE"))
            waiting = [waits[0] for number in self.model.waiting if (waits := self.model.seats[number].waits)]
            line = f' NEW\t{pick(MATCHES)}  {pick(["simple", "extended"])}   "so  what" '
            self.act(session, f"PLAY {pick(waiting)}" if waiting and pick.yes(1, 2) else line)
        elif action == "odd" and self.live():
            tail = f"{pick(ODD_IDS)} {pick(WORDS)}"
            self.act(pick(self.live()), pick([pick(ODD_LINES), f"TRY {tail}", f"CHALLENGE  {tail}", f"PLAY {tail}"]))
        elif action == "exit":
            leaving = self.in_state(pick(["WAIT", "SHOW SCORE", "SHOW SCORE", "SHOW SCORE", "CHOOSE", "PLAY"]))
            if leaving:
                session = pick(leaving)
                score = self.model.seats[session].state == "SHOW SCORE"
                self.act(session, pick(["NEW MATCH", "EXIT"]) if score else "EXIT")
        elif action == "lose" and self.live():
            losing = self.in_state("PLAY") if pick.yes(1, 2) else []
            self.act(pick(losing or self.live()), None, "lose", pick.yes(2, 3))
        elif action == "expire" and self.opened:
            missing = [number for number, seat in self.model.seats.items() if not seat.connected]
            self.act(SessionId(pick(missing or range(1, self.opened + 1))), None, "expire")
        elif action == "come_back":
            self.act(None, None, "open")
            held = [seat for seat in self.model.seats.values() if seat.player is not None]
            missing = [number for number, seat in self.model.seats.items() if not seat.connected]
            line = f"{pick(NAMES)} token-{pick(range(self.opened + 2))}"
            if held and pick.yes(2, 3):
                seat = self.model.seats[pick(missing)] if missing else pick(held)
                line = f"{seat.player} {seat.token}"
            if self.in_state("START"):
                self.act(self.in_state("START")[-1], line)

    @invariant()
    def every_session_shows_what_the_model_says(self) -> None:
        for session in self.live():
            shown = plain(view_frame(self.table.look(session)))
            assert shown == {**self.model.frame(session), "error": True}

    @invariant()
    def every_session_that_ended_says_so(self) -> None:
        for session in self.tokens:
            assert (session in self.table.ended) == (not self.model.live(session))


ManySessions.TestCase.settings = settings(max_examples=examples(25), stateful_step_count=15)
TestManySessions = ManySessions.TestCase


class TwinSessions(ManySessions):
    """Many sessions of a lobby with a twin and a replay: both must always equal the lobby."""

    lobby_type = Twins

    @rule()
    def restore_twin(self) -> None:
        lobby = self.table.lobby
        assert isinstance(lobby, Twins)
        lobby.restore_twin()


TwinSessions.TestCase.settings = settings(max_examples=examples(30), stateful_step_count=15)
TestTwins = TwinSessions.TestCase
