"""A naive model of Crossword Extravaganza, to check the real one.

Written from the handout and the interface alone. It shares only the specification with scramble, `Match` of
scramble/conform/crossword/rules.py; it keeps no derived state, and computes all results again at each call: slow,
short, and easy to compare with the text. A `Model` is a whole server without connections. Its inputs are numbers of
connections and command lines:

    model = Model([PuzzleData("simple", "Simple", "...", [("cat", "pet", "DOWN", 0, 1)])])
    model.connect(1, token="t1")
    model.say(1, "ann")                  # a frame, or None if connection 1 has no session any more
    model.lose(1)                        # True if the player may return
    model.expire(1)

A frame is the decoded JSON of the real frame with two differences, because texts may vary: `message` is absent, and
`error` is True or False. `plain(json)` makes a real frame comparable. To check a concurrent history, try orders of its
commands on copies from `model.copy()`. Compare models by `snapshot()`.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence

from scramble.conform.crossword.rules import EXTENDED_DATA, LOWER, SIMPLE_DATA, Match, No, PuzzleData, Standing

__all__ = ["EXTENDED_DATA", "SIMPLE_DATA", "Frame", "Game", "Model", "No", "PuzzleData", "Standing", "plain"]

Frame = dict[str, object]
ID_CHARACTERS = LOWER + LOWER.upper() + "0123456789_"


def plain(frame: bytes | str) -> Frame:
    """Return a real frame without its texts."""
    decoded: Frame = json.loads(frame)
    assert isinstance(decoded.pop("message"), str)
    refused = decoded["error"] is not None
    assert refused or not decoded.keys() & {"code", "params"}
    for key in ("code", "params"):
        decoded.pop(key, None)  # the same text, for programs
    decoded["error"] = refused
    if isinstance(missing := decoded.get("missing"), dict):
        missing.pop("seconds_left", None)  # the model has no clock
    return decoded


class Game(Match):
    """A match with its names and its frame, or a solo match."""

    def __init__(self, id: str, puzzle: PuzzleData, description: str, players: tuple[str, ...]) -> None:
        super().__init__(puzzle, players)
        self.id = id
        self.description = description
        self.left = False

    def __deepcopy__(self, memo: dict[int, object]) -> Game:
        twin = Game(self.id, self.puzzle, self.description, self.players)
        memo[id(self)] = twin
        self.copy_to(twin)
        twin.left = self.left
        return twin

    def enter(self, player: str, word: int, text: str, conflicts: Sequence[int]) -> None:
        if len(self.players) > 1:
            super().enter(player, word, text, conflicts)
        elif text == self.solution(word):
            self.standing[word] = Standing(text, player, True)
        else:
            self.bonus[player] -= 1

    def winner(self) -> str | None:
        if len(self.players) == 1:
            return self.players[0] if self.complete() else None
        return super().winner()

    def frame(self) -> Frame:
        spots = {word: self.spots(word) for word in self.ids()}
        seen = self.seen()
        rows = max(row for cells in spots.values() for row, _ in cells) + 1
        columns = max(column for cells in spots.values() for _, column in cells) + 1
        cells: list[list[Frame | None]] = []
        for row in range(rows):
            cells.append([])
            for column in range(columns):
                through = [word for word in self.ids() if (row, column) in spots[word]]
                cells[-1].append({"letter": seen.get((row, column)), "words": through} if through else None)
        words: list[Frame] = []
        for word in self.ids():
            text, clue, direction, row, column = self.puzzle.entries[word - 1]
            entered, by, confirmed = self.standing.get(word, (None, None, False))
            place: Frame = {"direction": direction, "row": row, "column": column, "length": len(text)}
            words.append({"id": word, "clue": clue, **place, "entered": entered, "by": by, "confirmed": confirmed})
        return {
            "id": self.id,
            "puzzle": self.puzzle.id,
            "description": self.description,
            "rows": rows,
            "columns": columns,
            "players": list(self.players),
            "cells": cells,
            "words": words,
            "challenge_points": dict(self.bonus),
        }


class Seat:
    """One connection's session."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.state = "START"
        self.player: str | None = None
        self.connected = True
        self.waits: tuple[str, PuzzleData, str] | None = None  # match, puzzle, description
        self.game: Game | None = None


class Model:
    """A server: its sessions by connection, in the order of the connections."""

    def __init__(self, puzzles: Sequence[PuzzleData], sessions: int = 1000, matches: int = 400) -> None:
        self.puzzles = list(puzzles)
        self.max_sessions = sessions
        self.max_matches = matches
        self.seats: dict[int, Seat] = {}
        self.waiting: list[int] = []  # connections in WAIT, longest first

    def copy(self) -> Model:
        """Return an independent copy."""
        twin = Model(self.puzzles, self.max_sessions, self.max_matches)
        twin.seats = copy.deepcopy(self.seats)
        twin.waiting = list(self.waiting)
        return twin

    def snapshot(self) -> str:
        """Return the whole state as text: equal for models with equal behaviour."""
        return repr([(number, seat.token, seat.connected, self.frame(number)) for number, seat in self.seats.items()])

    # --- events -------------------------------------------------------------------------------

    def connect(self, number: int, token: str) -> Frame | None:
        """Open a connection; return its frame, or None if the server is full."""
        if len(self.seats) >= self.max_sessions:  # a player with a lost connection keeps the session
            return None
        self.seats[number] = Seat(token)
        return self.frame(number)

    def say(self, number: int, line: str) -> Frame | None:
        """A connection sends a line."""
        if not self.live(number):
            return None
        seat = self.seats[number]
        first_choose = False
        try:
            if seat.state == "START":
                first_choose = self.start(number, line)
            elif not self.obey(number, [word for word in line.replace("\t", " ").split(" ") if word], line):
                del self.seats[number]
                return {"state": "START", "player": None, "error": False}
        except No:
            return {**self.frame(number), "error": True}
        frame = self.frame(number)
        if first_choose:
            frame["token"] = seat.token
        return frame

    def lose(self, number: int, may_return: bool = True) -> bool:
        """A connection is lost."""
        if not self.live(number):
            return False
        if self.seats[number].state == "PLAY" and may_return:
            self.seats[number].connected = False
            return True
        self.remove(number)
        return False

    def expire(self, number: int) -> None:
        """End the grace period of a lost connection."""
        if number in self.seats and not self.seats[number].connected:
            self.remove(number)

    # --- views -----------------------------------------------------------------------------

    def live(self, number: int) -> bool:
        """Return True if this connection has a session that accepts lines."""
        return number in self.seats and self.seats[number].connected

    def frame(self, number: int) -> Frame:
        """Return the view of this connection's session."""
        seat = self.seats[number]
        frame: Frame = {"state": seat.state, "player": seat.player, "error": False}
        if seat.state == "CHOOSE":
            frame["puzzles"] = [{"id": p.id, "name": p.name, "description": p.description} for p in self.puzzles]
            listed: list[Frame] = []
            for other in self.waiting:
                waits = self.seats[other].waits
                assert waits is not None
                listed.append(
                    {"id": waits[0], "puzzle": waits[1].id, "description": waits[2], "player": self.seats[other].player}
                )
            frame["matches"] = listed
        if seat.waits is not None:
            frame["match"] = {"id": seat.waits[0], "puzzle": seat.waits[1].id, "description": seat.waits[2]}
        if seat.state == "PLAY" and seat.game is not None:
            frame["match"] = seat.game.frame()
            for rival in self.seats.values():
                if rival.game is seat.game and not rival.connected and rival is not seat:
                    frame["missing"] = {"player": rival.player}
        if seat.state == "SHOW SCORE" and seat.game is not None:
            game = seat.game
            outcome: Frame = {"winner": game.winner(), "points": game.points(), "forfeited_by": game.gave_up}
            ended: Frame = {"ended": "left"} if game.left else {}
            frame["result"] = {**outcome, "match": game.frame(), **ended}
        return frame

    # --- internals -------------------------------------------------------------------------------------

    def holder(self, player: str) -> int | None:
        return next((number for number, seat in self.seats.items() if seat.player == player), None)

    def start(self, number: int, line: str) -> bool:
        """Process an ID, or an ID and a token; return True if this is the session's first CHOOSE."""
        player, *rest = line.split(" ", 1)
        if not 1 <= len(player) <= 20 or not all(letter in ID_CHARACTERS for letter in player):
            raise No
        seat, holder = self.seats[number], self.holder(player)
        if not rest:
            if holder is not None and (self.seats[holder].connected or self.seats[holder].state == "PLAY"):
                raise No
            if holder is not None:
                self.remove(holder)
            seat.player, seat.state = player, "CHOOSE"
            return True
        if holder is None or self.seats[holder].token != rest[0]:
            raise No
        old = self.seats.pop(holder)
        seat.player, seat.state, seat.token = player, old.state, old.token
        seat.waits, seat.game = old.waits, old.game
        self.waiting = [number if other == holder else other for other in self.waiting]
        return False

    def obey(self, number: int, words: list[str], line: str) -> bool:
        """Execute a command in any state except START; return False if it ends the session."""
        seat = self.seats[number]
        if words == ["EXIT"]:
            if seat.state in ("CHOOSE", "SHOW SCORE"):
                return False
            if seat.state == "WAIT":
                self.waiting.remove(number)
                seat.state, seat.waits = "CHOOSE", None
            elif seat.game is not None:
                self.give_up(seat.game, seat.player)
        elif words == ["NEW", "MATCH"] and seat.state == "SHOW SCORE":
            seat.state, seat.game = "CHOOSE", None
        elif words[:1] == ["NEW"] and seat.state == "CHOOSE":
            self.new(number, line)
        elif words[:1] == ["PLAY"] and seat.state == "CHOOSE" and len(words) == 2:
            self.join(number, words[1])
        elif words[:1] in (["TRY"], ["CHALLENGE"]) and seat.state == "PLAY" and len(words) == 3 and seat.game:
            assert seat.player is not None
            if not all(digit in "0123456789" for digit in words[1]) or len(words[1]) > 100:
                raise No
            move = seat.game.guess if words[0] == "TRY" else seat.game.challenge
            move(seat.player, int(words[1]), words[2])
            if seat.game.complete():
                self.show_score(seat.game)
        else:
            raise No
        return True

    def new(self, number: int, line: str) -> None:
        line = line.strip(" \t")
        if line.count('"') != 2 or not line.endswith('"'):
            raise No
        head, description, _ = line.split('"')
        words = head.replace("\t", " ").split(" ")
        if words[-1] != "":
            raise No
        match_id, puzzle_id = ([*[word for word in words if word][1:], "", ""])[:2]
        puzzle = next((puzzle for puzzle in self.puzzles if puzzle.id == puzzle_id), None)
        if not 1 <= len(match_id) <= 20 or not all(letter in ID_CHARACTERS for letter in match_id) or puzzle is None:
            raise No
        if len(description) > 200 or "\n" in description or "\r" in description:
            raise No
        games = {id(seat.game): seat.game for seat in self.seats.values() if seat.state == "PLAY" and seat.game}
        in_use = {game.id for game in games.values()}
        in_use |= {seat.waits[0] for seat in self.seats.values() if seat.waits is not None}
        if match_id in in_use or len(in_use) >= self.max_matches:
            raise No
        self.seats[number].state, self.seats[number].waits = "WAIT", (match_id, puzzle, description)
        self.waiting.append(number)

    def join(self, number: int, match_id: str) -> None:
        for other in self.waiting:
            waits = self.seats[other].waits
            if waits is not None and waits[0] == match_id:
                first, second = self.seats[other], self.seats[number]
                assert first.player is not None
                assert second.player is not None
                game = Game(match_id, waits[1], waits[2], (first.player, second.player))
                self.waiting.remove(other)
                first.waits = None
                first.state = second.state = "PLAY"
                first.game = second.game = game
                return
        raise No

    def give_up(self, game: Game, player: str | None) -> None:
        game.gave_up = player
        self.show_score(game)

    def show_score(self, game: Game) -> None:
        for seat in self.seats.values():
            if seat.game is game:
                seat.state = "SHOW SCORE"

    def remove(self, number: int) -> None:
        """End a session, with its waiting match."""
        seat = self.seats[number]
        if seat.state == "PLAY" and seat.game is not None:
            seat.game.left = True
            self.give_up(seat.game, seat.player)
        if number in self.waiting:
            self.waiting.remove(number)
        del self.seats[number]
