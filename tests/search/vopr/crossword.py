"""Crossword Extravaganza in the simulated world: players over telnet. Lobby and model check the views of the players.

The front end is the shipped one, on simulated streams instead of sockets.

The judge applies the commands of the journal to the shipped lobby and to the naive model. After each command their
frames must be equal: this checks the rules. And the connections must have received the lobby's views as text: this
checks everything else. Each connection receives a unique token, or sends one. So the judge finds its session in the
journal. The lines of the connection and of the session must be equal, one by one. Rejected lines are not in the
journal. Every view that a connection received must be one of these: the answer to its next line, the lobby's rejection
of this line at some moment, or the session's view at some moment. These moments never go back. Every command of the
journal must have changed something.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, NamedTuple

import msgspec
import trio

from scramble.crossword import Lobby, Puzzle, SessionId, SessionView, open_lobby
from scramble.crossword.frames import view_frame
from scramble.crossword.messages import Disconnect, ExpireGrace, Follow, Look, Object, OpenSession, Say
from scramble.crossword.text import view_text
from scramble.front.crossword import telnet
from scramble.journal import Journal, Record
from scramble.kernel.protocol import Answered, Command, Ticket
from tests.search.vopr.checks import Replay, Told, Wrong
from tests.search.vopr.lines import on_simulated_lines
from tests.search.vopr.network import WireEnd
from tests.search.vopr.world import Down, Handle, World
from tests.support.crossword.driver import EXTENDED
from tests.support.crossword.model import EXTENDED_DATA, Frame, Model, plain

ANSWER_S: Final = 30.0  # simulated
GRACE_S: Final = 2.0
RULER: Final = "-" * 78 + "\r\n"
TITLE: Final = re.compile(r"Crossword Extravaganza(?: - (\w+))? - (START|CHOOSE|WAIT|PLAY|SHOW SCORE)\r\n")
SECONDS_LEFT: Final = re.compile(r"\w+ has lost the connection, and has \d+ seconds? left to come back\.\r\n")
REFUSED: Final = "\r\nREFUSED: "
CLOSED: Final = re.compile(r"Closed: [^\r\n]*\.\r\n\Z")

PUZZLE: Final = Puzzle.parse(EXTENDED, id="extended")
WORDS: Final = ("cat", "mat", "car", "tax", "pet", "set")


class Talk:
    """One connection: the lines that it sent, and all text that it received. Moments are the world's ticks."""

    def __init__(self, mark: int, began: int) -> None:
        self.mark: Final = mark
        self.began: Final = began
        self.life = -1
        self.said: Final[list[tuple[int, str]]] = []  # (moment, line)
        self.text = ""
        self.ended = 0
        self.complete = False  # True if the connection was not cut and waited for all its answers
        self.closed = False

    @property
    def views(self) -> list[str]:
        return self.text.split(RULER)[1:]

    @property
    def state(self) -> str:
        title = TITLE.match(self.views[-1]) if self.views else None
        return title[2] if title else ""


class CrosswordArena:
    """A lobby, its players, and their judge."""

    def __init__(self, world: World) -> None:
        self._world: Final = world
        self._talks: list[Talk] = []  # ended connections that are not judged yet
        self._marks = 0
        self._tokens: Final[dict[str, str]] = {}
        self._ledger: Final = Ledger()
        self._replay: Final = Replay(self._ledger)
        self._told: Final = Told()

    # the server

    @asynccontextmanager
    async def serve(self, journal: Journal) -> AsyncIterator[Handle]:
        async with open_lobby([PUZZLE], grace=GRACE_S, journal=journal) as lobby:
            serve = partial(telnet.serve_crossword_telnet, lobby)
            async with on_simulated_lines(telnet, serve) as handle:
                yield handle

    # the players

    async def play(self, number: int) -> None:
        world = self._world
        left = 1
        while world.faults or left:
            if not world.faults:
                left -= 1
            await world.think()
            await world.until_up()
            await self._visit(f"p{number}", world.rng.randrange(3, 12 if world.faults else 6))

    async def _visit(self, player: str, lines: int) -> None:
        """Connect, send a number of lines, and disconnect."""
        world, rng = self._world, self._world.rng
        self._marks += 1
        talk = Talk(self._marks, world.tick())
        try:
            end, talk.life = await world.connect()
        except Down:
            return
        world.note(f"#{talk.mark} {player} comes")
        cut = rng.random() < world.options.cut_rate
        going = await self._hear(end, talk, 1)
        for _ in range(lines):
            if not going or (cut and rng.random() < 0.1):
                break
            line = self._choose(talk, player)
            talk.said.append((world.tick(), line))
            seen = len(talk.views)
            try:
                await end.send_all(line.encode() + rng.choice((b"\n", b"\r\n")))
            except trio.BrokenResourceError:
                break
            world.note(f"#{talk.mark} says {line}")
            going = await self._hear(end, talk, seen + 1)
            world.note(f"#{talk.mark} sees {talk.state}, {len(talk.views)} views")
            if token := re.search(rf"\r\n({player}) (\S+)\r\n", talk.text):
                self._tokens[player] = token[2]
            await world.think()
        else:
            talk.complete = going and world.serves(talk.life)
        if cut:
            end.reset()
        else:
            end.close()
        talk.ended = world.tick()
        self._talks.append(talk)

    async def _hear(self, end: WireEnd, talk: Talk, views: int) -> bool:
        """Read until `views` views have come and the connection is quiet. Return True if more text may come."""
        # A change may come first. The answer comes with the next batch, and each batch takes two waits.
        patience, quiet = ANSWER_S, self._world.moment
        while True:
            with trio.move_on_after(quiet if len(talk.views) >= views else patience) as waiting:
                try:
                    data = await end.receive_some()
                except trio.BrokenResourceError:
                    return False
            if waiting.cancelled_caught:
                if len(talk.views) >= views:
                    return True
                if self._world.is_last(talk.life):
                    raise Wrong(f"connection {talk.mark} said {talk.said[-1:]} and sees nothing")
                return False
            if not data:
                talk.closed = True
                return False
            talk.text += data.decode()

    def _choose(self, talk: Talk, player: str) -> str:
        rng = self._world.rng
        if rng.random() < 0.05:
            return rng.choice(("EXIT now", "PLAY", 'NEW m extended "', "TRY 1 cats", "NEW MATCH", ""))
        match talk.state:
            case "START":
                if player in self._tokens and (talk.said or rng.random() < 0.5):
                    return f"{player} {self._tokens.pop(player)}"
                return f"{player}_{talk.mark}" if talk.said else player
            case "CHOOSE":
                matches = re.findall(r"\r\n  (\w+)  on extended", talk.views[-1])
                if matches and rng.random() < 0.8:
                    return f"PLAY {rng.choice(matches)}"
                return f'NEW m{talk.mark} extended "so"' if rng.random() < 0.9 else "EXIT"
            case "PLAY":
                word = rng.randrange(4)
                text = WORDS[word] if rng.random() < 0.5 else rng.choice(WORDS)
                moves = ("TRY", "TRY", "TRY", "CHALLENGE")
                return f"{rng.choice(moves)} {word + 1} {text}" if rng.random() < 0.95 else "EXIT"
            case "SHOW SCORE":
                return rng.choice(("NEW MATCH", "NEW MATCH", "EXIT"))
            case _:
                return "EXIT" if rng.random() < 0.2 else "wait"

    async def settle(self) -> None:
        """Check the end: all players have left, and their grace is over.

        A new player finds all names and matches free.
        """
        world = self._world
        await trio.sleep(ANSWER_S)
        for name in ("judge", f"p{world.rng.randrange(world.options.players)}"):
            self._marks += 1
            talk = Talk(self._marks, world.tick())
            end, talk.life = await world.connect()
            await self._hear(end, talk, 1)
            talk.said.append((world.tick(), name))
            await end.send_all(f"{name}\n".encode())
            await self._hear(end, talk, 2)
            if talk.state != "CHOOSE" or "\r\n  none at the moment\r\n" not in talk.views[-1]:
                raise Wrong(f"{name} comes last, and sees {talk.views[-1]!r}")
            end.close()
            await trio.sleep(1.0)
            talk.ended, talk.complete = world.tick(), True
            self._talks.append(talk)

    # the judge

    def judge(self, records: tuple[Record, ...], *, last: bool) -> None:
        self._replay.go_to(records, keep=self._told.record)
        due, self._talks = sorted(self._talks, key=lambda talk: talk.ended), []
        for talk in due:
            self._judge(talk)

    def _judge(self, talk: Talk) -> None:
        session = self._ledger.find(talk.text, [line for _, line in talk.said])
        views = [SECONDS_LEFT.sub("", view) for view in talk.views]
        self._world.answers += len(views)
        if views:
            views[-1] = CLOSED.sub("", views[-1])
        # From (number of answers, number of these answers in the journal) to the earliest record that the connection
        # may know.
        moments = {(0, 0): 0}
        for place, view in enumerate(views):
            after: dict[tuple[int, int], int] = {}
            for (answered, written), record in moments.items():
                for step, moment in self._explained(talk, session, view, answered, written, record):
                    after[step] = min(moment, after.get(step, moment))
            if not after:
                if place == len(views) - 1 and not talk.complete:
                    break  # the connection was cut
                raise Wrong(
                    f"connection {talk.mark} of session {session} said {talk.said} and was sent, as view {place + 1} of"
                    f" {len(views)}, what it cannot have been sent after {moments}:\n{view}"
                )
            moments = after
        if talk.complete and max(moments)[0] < len(talk.said) + 1:
            raise Wrong(
                f"connection {talk.mark} said {talk.said}, and got only {max(moments)[0]} answers:\n{talk.text}"
            )
        self._told.note(talk.ended, min(moments.values()))

    def _explained(
        self, talk: Talk, session: SessionId | None, view: str, answered: int, written: int, record: int
    ) -> Iterator[tuple[tuple[int, int], int]]:
        """Yield each explanation of the view: the next step, and the earliest record of the view."""
        ledger = self._ledger
        shown = STRANGER if session is None else ledger.sessions[session]
        if answered <= len(talk.said):
            began, line = talk.said[answered - 1] if answered else (talk.began, None)  # the first answer has no line
            first = max(record, self._told.before(began))
            end = ledger.length + 1
            if written < len(shown.answers):
                end, text = shown.answers[written]
                known = end > first if answered else end >= record
                if known and text == view and line == (shown.lines[written - 1] if written else None):
                    yield (answered + 1, written + 1), end
            if line is not None and REFUSED in view:
                quiet = (number for number in range(first, end) if ledger.refusal(number, session, line) == view)
                for number in quiet:
                    yield (answered + 1, written), number
                    break
        pushed = next((at for at, text in shown.timeline if at >= record and text == view), None)
        if pushed is not None:
            yield (answered, written), pushed


class Shown(NamedTuple):
    """A session: its lines, its answers as (record, text), and all views that it showed.

    The first answer is the answer to the session's opening.
    """

    lines: list[str]
    answers: list[tuple[int, str]]
    timeline: list[tuple[int, str]]


class Ledger:
    """The lobby and the model after all commands of the journal."""

    # AF: `sessions` has the frames of each session. The ledger follows each session with tickets below 0; _last is
    # the latest ticket. _found maps a unique text to its session: a token that one connection received, or a line with
    # a token. _states[n] is the lobby's state after record n.

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._lobby = Lobby([PUZZLE])
        self._model = Model([EXTENDED_DATA])
        self.sessions: dict[SessionId, Shown] = {}
        self._found: dict[str, SessionId] = {}
        self._states: list[bytes] = [self._lobby.state()]
        self._last = 0

    @property
    def length(self) -> int:
        """The number of records."""
        return len(self._states) - 1

    def find(self, text: str, said: Sequence[str]) -> SessionId | None:
        """The session of a connection that received `text` and sent the lines `said`; None if it is unknown."""
        return next((id for mark, id in self._found.items() if mark in said or mark in text), None)

    def refusal(self, number: int, session: SessionId | None, line: str) -> str | None:
        """The lobby's rejection of the line after that record.

        None: the lobby does not reject it. No session: one in START.
        """
        lobby = Lobby.restore(self._states[number])
        if session is None:
            (opened,) = lobby.apply(Ticket(1), OpenSession("a stranger"))
            assert isinstance(opened, Answered)
            assert isinstance(opened.value, SessionView)
            session = opened.value.session
        before = lobby.revision
        (outcome, *_) = lobby.apply(Ticket(1), Say(session, line))
        if lobby.revision != before or not isinstance(outcome, Answered):
            return None
        assert isinstance(outcome.value, SessionView)
        return _text(outcome.value)

    def apply(self, number: int, record: Record) -> None:
        command = _decoder.decode(record.command)
        before = self._lobby.revision
        answer: object = None
        pushed: list[SessionView] = []
        for outcome in self._lobby.apply(record.ticket, command):
            if isinstance(outcome, Answered) and outcome.ticket == record.ticket:
                answer = outcome.value
            elif isinstance(outcome, Answered) and isinstance(outcome.value, SessionView):
                pushed.append(outcome.value)
        view = answer if isinstance(answer, SessionView) else None
        match command:
            case OpenSession(token=token):
                assert view is not None
                self.sessions[view.session] = Shown([], [(number, _text(view))], [])
                self._found[token] = view.session
                _compare(number, view, self._model.connect(view.session, token))
                self._follow(view)
            case Say(session=session, line=line):
                _compare(number, view, self._model.say(session, line))
                if view is not None:
                    self._answered(number, line, view)
            case Disconnect(session=session, may_return=may_return):
                if answer is not self._model.lose(session, may_return):
                    raise Wrong(f"record {number}: may session {session} return?")
            case ExpireGrace(session=session):
                self._model.expire(session)
            case other:
                raise Wrong(f"record {number} is no command of a player: {other}")
        for view in pushed:
            _compare(number, view, self._model.frame(view.session))
            self.sessions[view.session].timeline.append((number, _text(view)))
            self._follow(view)
        if self._lobby.revision == before:
            raise Wrong(f"record {number} has changed nothing: {record.command!r}")
        self._states.append(self._lobby.state())

    def _answered(self, number: int, line: str, view: SessionView) -> None:
        shown = self.sessions[view.session]
        shown.lines.append(line)
        shown.answers.append((number, _text(view)))
        for outcome in self._lobby.apply(self._ticket(), Look(view.session)):
            if isinstance(outcome, Answered) and isinstance(outcome.value, SessionView):
                shown.timeline.append((number, _text(outcome.value)))
        if len(shown.lines) == 1 and " " in line:  # the session's first accepted line has a token: a comeback
            self._found[line] = view.session

    def _follow(self, view: SessionView) -> None:
        self._lobby.apply(self._ticket(), Follow(view.session, view.number))

    def _ticket(self) -> Ticket:
        self._last -= 1
        return Ticket(self._last)


def _stranger() -> Shown:
    """A session without any accepted line."""
    (opened,) = Lobby([PUZZLE]).apply(Ticket(1), OpenSession("a stranger"))
    assert isinstance(opened, Answered)
    assert isinstance(opened.value, SessionView)
    return Shown([], [(0, _text(opened.value))], [])


def _compare(number: int, view: SessionView | None, expected: Frame | None) -> None:
    """Check that the lobby's view equals the model's frame."""
    if (None if view is None else plain(view_frame(view))) != expected:
        raise Wrong(f"record {number}: the model has {expected}, but the lobby {view}")


def _text(view: SessionView) -> str:
    return view_text(view).replace("\n", "\r\n").removeprefix(RULER)


STRANGER: Final = _stranger()

_decoder: Final[msgspec.json.Decoder[Command[object]]] = msgspec.json.Decoder(
    OpenSession | Say | Object | Disconnect | ExpireGrace
)
