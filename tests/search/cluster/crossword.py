"""The two players of a crossword in a room of many processes. The players record their views.

The answer to a line and a view after a move of the other player look the same. So each line is followed by a line of
nonsense. The view that rejects the nonsense shows the match at that moment, and the answer to the line is one of the
views before. The players never enter the last word correctly, so the match does not end.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias, cast

import trio

from tests.search.cluster.table import HOST, PATIENCE_S, Table, rest
from tests.support.crossword.driver import EXTENDED
from tests.support.crossword.model import EXTENDED_DATA, Game, No, Standing
from tests.support.history import Call
from tests.support.linearizability import Unversioned, Verdict
from tests.support.websocket import Cut, Frame, WebSocket

SOURCE: Final = EXTENDED
PLAYERS: Final = ("ann", "bob")
WORDS: Final = {1: ("cat", "cot", "bat"), 2: ("mat", "mot", "hat"), 3: ("car", "bar", "cab"), 4: ("tan", "tab", "ten")}
NONSENSE: Final = "?"
PACE_S: Final = 0.03  # between two lines: a server accepts a hundred lines a second


class Line(NamedTuple):
    """A line of a player. To look, a player sends nonsense."""

    player: str
    text: str


class Face(NamedTuple):
    """The match as all players see it: the points and, for each word, its text, its player and its confirmation."""

    words: tuple[tuple[str, str, bool] | None, ...]
    points: tuple[tuple[str, int], ...]


class Out(NamedTuple):
    """The answer of the model to a line."""

    refused: bool
    face: Face


@dataclass(frozen=True)
class OneOf:
    """An answer that is one of these views."""

    refused: bool
    faces: frozenset[Face]
    version: int | None = None

    def fits(self, out: Out) -> bool:
        """Say if the model's answer would look like one of the views."""
        return self.refused == out.refused and out.face in self.faces


CrosswordTable: TypeAlias = Table[Line, Out]


class MatchSpec(Unversioned[Face, Out]):
    """The naive model as a specification. A state is a face, and the face has the whole state."""

    def start(self) -> Face:
        return _face_of(Game("", EXTENDED_DATA, "", PLAYERS))

    def step(self, state: Face, ticket: int, op: Line) -> tuple[Face, Mapping[int, Out]]:
        game = Game("", EXTENDED_DATA, "", PLAYERS)
        game.standing = {number: Standing(*word) for number, word in enumerate(state.words, 1) if word is not None}
        game.bonus = dict(state.points)
        word, number, text = op.text.split(" ")
        try:
            (game.guess if word == "TRY" else game.challenge)(op.player, int(number), text)
        except No:
            return state, {ticket: Out(True, state)}
        after = _face_of(game)
        return after, {ticket: Out(False, after)}

    def changes_nothing(self, op: object) -> bool:
        return isinstance(op, Line) and op.text == NONSENSE

    def answer(self, state: Face, op: object, changed: bool) -> Out | None:
        return Out(True, state)

    def key(self, state: Face) -> Face:
        return state


def _face_of(game: Game) -> Face:
    return Face(tuple(game.standing.get(number) for number in game.ids()), tuple(game.bonus.items()))


class Typist:
    """A player."""

    def __init__(self, name: str, table: CrosswordTable, seed: str) -> None:
        self.name = name
        self.table = table
        self.dice = random.Random(f"{seed} {name}")
        self.seated = trio.Event()

    async def play(self) -> None:
        """Play until the table ends."""
        while self.table.goes_on():
            wire: WebSocket | None = None
            try:
                with trio.move_on_after(PATIENCE_S) as scope:
                    path = f"/g/{self.table.room}/play/{self.name}"
                    wire = await WebSocket.connect(HOST, self.table.doors.any(self.dice), path)
                    await self.sit(wire, scope)
            except Cut:
                pass
            if wire is not None:
                await wire.aclose()
            await rest(self.dice)

    async def sit(self, wire: WebSocket, scope: trio.CancelScope) -> None:
        """Play over one connection. Raises Cut."""
        view = await self.view(wire)
        self.seated.set()
        if view["state"] == "WAIT":
            scope.deadline = trio.current_time() + 10 * PATIENCE_S
            while view["state"] == "WAIT":
                view = await self.view(wire)
        for _ in range(self.dice.randrange(5, 30)):
            if not self.table.goes_on():
                return
            scope.deadline = trio.current_time() + PATIENCE_S
            number = self.dice.choice(list(WORDS))
            text = f"{self.dice.choice(['TRY', 'TRY', 'CHALLENGE'])} {number} {self.dice.choice(WORDS[number])}"
            call, look = self.table.begin(Line(self.name, text)), self.table.begin(Line(self.name, NONSENSE))
            try:
                await wire.send(text)
                await wire.send(NONSENSE)
                await self.hear(wire, call, look)
            finally:
                self.table.cut(call)
                self.table.cut(look)
            await trio.sleep(PACE_S)

    async def hear(self, wire: WebSocket, call: Call[Line, Out], look: Call[Line, Out]) -> None:
        """Read views until the view that rejects the nonsense."""
        refused: set[Face] = set()
        carried_out: set[Face] = set()
        while (view := await self.view(wire)).get("code") != "line-refused":
            (carried_out if view["error"] is None else refused).add(self.face(view))
        if not refused | carried_out:
            self.table.wrong(f"{call.op} was not answered")
            raise Cut
        self.table.end(call, OneOf(bool(refused), frozenset(refused or carried_out)))
        self.table.end(look, OneOf(True, frozenset([self.face(view)])))

    async def view(self, wire: WebSocket) -> Frame:
        """The next view."""
        while "type" in (frame := cast(Frame, json.loads(await wire.receive_text()))):
            pass
        return frame

    def face(self, view: Frame) -> Face:
        """The match in a view."""
        if view["state"] != "PLAY":
            self.table.wrong(f"the match is not over: {view}")
            raise Cut
        match = cast(Frame, view["match"])
        words = cast(list[dict[str, object]], match["words"])
        points = cast(dict[str, int], match["challenge_points"])
        return Face(
            tuple(
                None
                if word["entered"] is None
                else (cast(str, word["entered"]), cast(str, word["by"]), bool(word["confirmed"]))
                for word in words
            ),
            tuple(points.items()),
        )


def judge_crossword(table: CrosswordTable) -> Verdict:
    """Check that one order of the calls explains the views by the rules. Raises NotExplained."""
    return table.judge(MatchSpec())
