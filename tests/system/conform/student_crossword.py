"""A server of Crossword Extravaganza with our telnet wire as a student may write it, with its variants and bugs.

`python -m tests.system.conform.student_crossword PORT PUZZLE_DIR [VARIANT...]`. A thread serves each client, under one
lock. The right variants choose other answers that our wire allows. Each bug breaks one claim. It shares no code with
the package.
"""

from __future__ import annotations

import os
import random
import re
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from tests.system.conform.student_crossword_match import BUGS, RIGHT, Match, Puzzle, read_folder

LASTS = {
    "CHOOSE": 'The commands here are PLAY Match_ID, NEW Match_ID Puzzle_ID "Description" and EXIT.',
    "WAIT": "The only command here is EXIT.",
    "PLAY": "The commands here are TRY id word, CHALLENGE id word and EXIT.",
    "SHOW SCORE": "The commands here are NEW MATCH and EXIT.",
}


class No(Exception):
    """A refusal."""


class Game:
    """All clients and matches, under one lock."""

    def __init__(self, puzzles: dict[str, Puzzle], bugs: set[str]) -> None:
        self.puzzles = puzzles
        self.bugs = bugs
        self.lock = threading.RLock()
        self.turn = threading.Lock()
        self.clients: dict[str, Client] = {}
        self.waiting: dict[str, Match] = {}
        self.players: dict[Match, list[Client]] = {}
        self.running: dict[str, Match] = {}
        self.heard = 0  # lines

    def let_in(self, bug: str) -> None:
        """With the bug, let another client in, whose line comes within 50 ms."""
        if bug in self.bugs:
            heard, until = self.heard, time.monotonic() + 0.05
            self.lock.release()
            while self.heard == heard and time.monotonic() < until:
                time.sleep(0.001)
            self.lock.acquire()

    def update_lists(self) -> None:
        if "CHOOSE-no-live-update" not in self.bugs:
            for client in list(self.clients.values()):
                if client.state == "CHOOSE":
                    client.show()


class Client:
    def __init__(self, game: Game, stream: socket.socket) -> None:
        self.game, self.stream = game, stream
        self.bugs = game.bugs
        self.state, self.name, self.token = "START", "", ""
        self.is_new = False
        self.match: Match | None = None
        self.gone = False

    # --- the wire

    def run(self) -> None:
        game = self.game
        if "blocks-on-silent-clients" in self.bugs:
            game.turn.acquire()
        try:
            with game.lock:
                self.show()
            rest = b""
            while self.is_here():
                data = self.stream.recv(65536)
                if not data:
                    break
                *lines, rest = (rest + data).split(b"\n")
                if len(rest) > 2_000_000 or ("dies-of-long-lines" in self.bugs and len(rest) > 100_000):
                    if "dies-of-long-lines" in self.bugs:
                        os._exit(1)
                    break
                for line in lines[:1] if "line-one-in-a-segment" in self.bugs else lines:
                    if not self.is_here():
                        break
                    if "slow" in self.bugs:
                        time.sleep(0.05)
                    with game.lock:
                        game.heard += 1
                        self.hear(line)
        except ConnectionResetError:
            if "dies-of-resets" in self.bugs:
                os._exit(1)
        except OSError:
            pass
        finally:
            if "blocks-on-silent-clients" in self.bugs:
                game.turn.release()
            with game.lock:
                self.leave()
            self.stream.close()

    def is_here(self) -> bool:
        return not self.gone

    def hear(self, data: bytes) -> None:
        if "no-answers" in self.bugs:
            return
        line = data.decode(errors="replace")
        if "dies-of-bytes" in self.bugs and "\ufffd" in line:
            os._exit(1)
        if "line-crlf" not in self.bugs:
            line = line.removesuffix("\r")
        if "line-long" in self.bugs:
            line = re.sub("c{9,}", "cat", line[:4000])
        try:
            if len(line) > 5000 or "\ufffd" in line:
                raise No("this line is too long, or no text")
            self.obey(line)
        except No as no:
            self.show(str(no))
        while "floods" in self.bugs and self.state == "CHOOSE" and self.is_here():
            self.show()

    def show(self, refused: str = "") -> None:
        if self.gone:
            return
        lines = ["-" * 78, "Crossword Extravaganza" + (f" - {self.name}" if self.name else "") + f" - {self.state}", ""]
        game, other = self.game, "other-words" in self.bugs
        if self.state == "START":
            lines += ["Welcome. Please type an ID to be known by: one to twenty letters, digits", "or underscores."]
        if self.state == "CHOOSE":
            if self.is_new:
                lines += ["To come back:", f"{self.name} {self.token}", ""]
                self.is_new = False
            lines.append("Puzzles:")
            for puzzle in list(game.puzzles.values())[: 1 if "CHOOSE-lists-one-puzzle" in self.bugs else None]:
                lines.append(f"  {puzzle.id}  {puzzle.name}: {puzzle.description}")
            lines += ["", "Matches that wait for a second player:"]
            for match in game.waiting.values():
                lines.append(f"  {match.id}  on {match.puzzle.id}, by {match.names[0]}: {match.description}")
            lines += [] if game.waiting else ["  none at the moment"]
        if self.match is not None and self.state in ("PLAY", "SHOW SCORE"):
            lines += self.score(self.match) if self.state == "SHOW SCORE" else []
            lines += self.board(self.match)
        lines += ["", "Something has happened." if not other else "Hello! " * 5]
        if self.match is not None and self.state == "PLAY" and any(player.gone for player in game.players[self.match]):
            lines.append("The other player has lost the connection, and may come back.")
        if refused:
            lines.append(f"REFUSED: {'no' if other else refused}")
        if self.state in LASTS and "half-screens" not in self.bugs:
            lines.append(LASTS[self.state])
        if "line-escapes" not in self.bugs:
            lines = ["".join(c if c.isprintable() else " " if c in "\n\r\t" else "?" for c in line) for line in lines]
        end = "\r\n" if "crlf" in self.bugs else "\n"
        data = "".join(line + end for line in lines).encode()
        try:
            for at in range(0, len(data), 150) if "in-pieces" in self.bugs else (0,):
                self.stream.sendall(data[at : at + 150] if "in-pieces" in self.bugs else data)
                if "in-pieces" in self.bugs:
                    time.sleep(0.001)
        except OSError:
            self.gone = "floods" in self.bugs

    def called(self, name: str) -> str:
        return f"{name} (you)" if name == self.name else name

    def board(self, match: Match) -> list[str]:
        puzzle, letters = match.puzzle, match.letters()
        points = ", ".join(f"{self.called(name)} {match.bonus[name]}" for name in match.names)
        lines = [f"Match {match.id} on {puzzle.id}: {match.description}", f"Challenge points: {points}", ""]
        numbers = range(1, len(puzzle.entries) + 1)
        spots = {spot for number in numbers for spot in puzzle.spots(number)}
        rows, columns = max(row for row, _ in spots) + 1, max(column for _, column in spots) + 1
        lines.append("     " + "".join(f" {column}".ljust(4) for column in range(columns)).rstrip())
        for row in range(rows):
            boxes = [f"[{letters.get((row, c), ' ')}]" if (row, c) in spots else "" for c in range(columns)]
            lines.append(f"{row:<5}" + "".join(box.ljust(4) for box in boxes).rstrip())
        lines.append("")
        for number, (word, clue, direction, row, column) in enumerate(puzzle.entries, 1):
            there = "not entered"
            owned = match.words.get(number)
            if owned is None and "TRY-owns-by-letters" in self.bugs:
                found = [letters.get(spot, "") for spot in puzzle.spots(number)]
                owned = ("".join(found), match.names[0], False) if all(found) else None
            if owned is not None:
                there = f"{owned[0]}, by {self.called(owned[1])}{', CONFIRMED' if owned[2] else ''}"
            lines.append(
                f"{number:>3}. {clue}  ({direction} from row {row}, column {column}, {len(word)} letters)  {there}"
            )
            if "PLAY-shows-solutions" in self.bugs:
                lines.append(f"     <!-- {word} -->")
        return lines

    def score(self, match: Match) -> list[str]:
        winner = match.winner(self.bugs)
        points = ", ".join(f"{self.called(name)} {score}" for name, score in match.points(self.bugs).items())
        lines = [f"Winner: {self.called(winner)}" if winner else "Nobody wins: it is a draw.", f"Points: {points}"]
        return [*lines, f"Given up by: {self.called(match.gave_up)}", ""] if match.gave_up else [*lines, ""]

    # --- the commands

    def obey(self, line: str) -> None:
        if self.state == "START":
            return self.identify(line)
        words = line.split(" ") if "line-spaces" in self.bugs else line.replace("\t", " ").split()
        match self.state, words:
            case "CHOOSE", ["EXIT"]:
                self.end()
            case "CHOOSE", ["PLAY", match_id]:
                self.play(match_id)
            case "CHOOSE", ["NEW", _, _, *_]:
                self.new(line)
            case "WAIT", ["NEW", _, _, *_] if "WAIT-accepts-new" in self.bugs:
                self.new(line)
            case "WAIT", ["EXIT"]:
                self.withdraw()
                self.state, self.match = "CHOOSE", None
                self.game.update_lists()
                if "CHOOSE-no-live-update" in self.bugs:
                    self.show()
            case "PLAY", ["EXIT"]:
                assert self.match is not None
                self.match.gave_up = self.name
                self.finish(self.match, only=self if "forfeit-for-one" in self.bugs else None)
            case "PLAY", ["TRY" | "CHALLENGE" as command, number, text]:
                self.move(command, number, text)
            case "SHOW SCORE", ["NEW", "MATCH"]:
                if "score-new-match-plays" in self.bugs:
                    self.state = "PLAY"
                else:
                    self.state, self.match = "CHOOSE", None
                self.show()
            case "SHOW SCORE", ["EXIT"]:
                if "score-exit-chooses" in self.bugs:
                    self.state, self.match = "CHOOSE", None
                    return self.show()
                self.end()
            case _:
                raise No(f"{words[:1]} is no command here")

    def identify(self, line: str) -> None:
        game = self.game
        name, _, token = line.partition(" ")
        old = game.clients.get(name)
        if token and old is not None and token == old.token:
            self.name, self.token, self.state, self.match = name, token, old.state, old.match
            game.clients[name] = self
            if self.match is not None:
                players = game.players[self.match]
                game.players[self.match] = [self if player is old else player for player in players]
            old.gone = True
            with suppress(OSError):
                old.stream.shutdown(socket.SHUT_RDWR)
            self.show()
            if self.match is not None:
                self.show_other()
            return
        allowed = r"[A-Za-z0-9_ \t]" if "START-accepts-spaces" in self.bugs else r"[A-Za-z0-9_]"
        if not re.fullmatch(allowed + ("+" if "START-no-length" in self.bugs else "{1,20}"), line):
            raise No("that is no ID")
        key = line.lower() if "START-ignores-case" in self.bugs else line
        if key in game.clients and "START-accepts-an-id-in-use" not in self.bugs:
            raise No("that ID is in use")
        game.let_in("race-id")
        game.clients[key] = self
        self.name, self.token, self.state, self.is_new = line.replace(" ", "_"), f"{random.random()}", "CHOOSE", True
        self.show()

    def new(self, line: str) -> None:
        game = self.game
        quotes = r'"?([^"]{0,200})"?' if "NEW-accepts-no-quotes" in self.bugs else r'"([^"]{0,200})"'
        found = re.fullmatch(rf"[ \t]*NEW[ \t]+([A-Za-z0-9_]{{1,20}})[ \t]+([^ \t]+)[ \t]+{quotes}[ \t]*", line)
        if found is None or found[2] not in game.puzzles:
            raise No("that is no such puzzle, or no such command")
        used = [match.puzzle.id for match in game.running.values()]
        if "NEW-one-match-for-each-puzzle" in self.bugs and found[2] in used:
            raise No("that puzzle is in use")
        if found[1] in {**game.waiting, **game.running} and "NEW-accepts-a-used-id" not in self.bugs:
            raise No("a match has that ID")
        game.let_in("race-new")
        self.match = game.waiting[found[1]] = Match(found[1], game.puzzles[found[2]], found[3], self.name)
        game.players[self.match] = [self]
        self.state = "WAIT"
        self.show()
        game.update_lists()

    def play(self, match_id: str) -> None:
        game = self.game
        match = game.waiting.get(match_id)
        if match is None and "PLAY-admits-a-third" in self.bugs:
            match = game.running.get(match_id)
        if match is None:
            raise No("no such match waits")
        game.let_in("race-join")
        if "CHOOSE-keeps-begun-matches" not in self.bugs:
            game.waiting.pop(match_id, None)
        game.running[match_id] = match
        game.players[match] = [game.players[match][0], self]
        match.names = [match.names[0], self.name]
        match.bonus = dict.fromkeys(match.names, 0)
        self.match = match
        for player in game.players[match]:
            player.state = "PLAY"
        self.show()
        self.show_other()
        game.update_lists()

    def move(self, command: str, digits: str, text: str) -> None:
        match = self.match
        assert match is not None
        last = len(match.puzzle.entries)
        if not re.fullmatch("[0-9]{1,9}", digits) or not re.fullmatch(r"[A-Za-z\-]+", text):
            raise No("that is no word")
        number, text = int(digits), text.lower()
        if "TRY-no-ids-checked" in self.bugs and number == 0:
            number = last
        if not 1 <= number <= last:
            raise No("there is no such word")
        length = len(match.right(number))
        short = command == "TRY" and "TRY-any-length" in self.bugs and len(text) < length
        if len(text) != length and not short and not (command == "CHALLENGE" and "CHALLENGE-any-length" in self.bugs):
            raise No("the length is wrong")
        (self.guess if command == "TRY" else self.challenge)(match, number, text)
        ends = match.complete(self.bugs) and not (command == "CHALLENGE" and "end-not-by-challenge" in self.bugs)
        if ends:
            if "end-no-confirmation" not in self.bugs:
                match.words = {n: (there, by, True) for n, (there, by, _) in match.words.items()}
            self.finish(match, only=self if "end-for-one" in self.bugs else None)
        else:
            self.show()
            lost = "race-lost-update" in self.bugs and random.random() < 0.3
            if not lost and not (command == "TRY" and "TRY-no-update" in self.bugs):
                self.show_other()

    def guess(self, match: Match, number: int, text: str) -> None:
        bugs = self.bugs
        there = match.words.get(number)
        if there is not None:
            if there[2] and not ("TRY-changes-confirmed" in bugs and there[1] == self.name):
                raise No("that word is already confirmed")
            if there[1] != self.name and "TRY-takes-words" not in bugs:
                raise No("that word was entered by the other player")
            if "TRY-only-once" in bugs and there[0] != text:
                raise No("that word is entered")
        conflicts = match.conflicts(number, text)
        for other in conflicts:
            _, by, confirmed = match.words[other]
            refused = confirmed and "TRY-conflicts-with-confirmed" not in bugs
            refused = refused or (by != self.name and not confirmed and "TRY-conflicts-with-others" not in bugs)
            if refused or (by == self.name and "TRY-refuses-own-conflicts" in bugs):
                if "TRY-splits-words" in bugs and there is not None:
                    match.clear(number, bugs)
                raise No("it conflicts with a word")
        self.game.let_in("race-try")
        if "TRY-clears-all-own-words" in bugs and conflicts:
            conflicts = [n for n, (_, by, confirmed) in match.words.items() if by == self.name and not confirmed]
        for other in conflicts:
            if "TRY-keeps-own-conflicts" not in bugs and other in match.words:
                match.clear(other, bugs)
        match.words[number] = (text, self.name, "TRY-shows-hits" in bugs and text == match.right(number))
        match.erased.difference_update(match.puzzle.spots(number))

    def challenge(self, match: Match, number: int, text: str) -> None:
        bugs = self.bugs
        there = match.words.get(number)
        if there is None:
            if "CHALLENGE-empty" not in bugs:
                raise No("no player has entered that word")
            there = match.words[number] = ("?" * len(text), "", False)
        word, by, confirmed = there
        if (
            (by == self.name and "CHALLENGE-own" not in bugs)
            or (confirmed and "CHALLENGE-confirmed" not in bugs)
            or (word == text and "CHALLENGE-same" not in bugs)
            or ("CHALLENGE-must-agree" in bugs and match.conflicts(number, text))
        ):
            raise No("that challenge is not valid")
        self.game.let_in("race-challenge")
        right, bonus = match.right(number), 0
        if word == right:
            match.words[number] = (word, by, "CHALLENGE-right-unconfirmed" not in bugs)
            bonus = 0 if "CHALLENGE-right-costs-nothing" in bugs else -1
        elif text == right:
            for other in match.conflicts(number, text):
                only = "CHALLENGE-clears-the-owner-only" in bugs and match.words[other][1] != by
                if not only and "CHALLENGE-keeps-conflicts" not in bugs:
                    match.clear(other, bugs)
            match.words[number] = (text, by if "CHALLENGE-wins-no-word" in bugs else self.name, True)
            bonus = 1 if "CHALLENGE-wins-one-point" in bugs else 2
            if "CHALLENGE-costs-the-owner" in bugs:
                match.bonus[by] -= 1
        else:
            if "CHALLENGE-wrong-stays" not in bugs and number in match.words:
                match.clear(number, bugs)
            bonus = -1
        match.bonus[self.name] += bonus
        if "shared-points" in bugs:
            for running in self.game.running.values():
                if running is not match and not running.over:
                    running.bonus = dict.fromkeys(running.bonus, bonus)

    # --- the ends

    def show_other(self) -> None:
        assert self.match is not None
        for player in self.game.players[self.match]:
            if player is not self:
                player.show()

    def finish(self, match: Match, only: Client | None) -> None:
        match.over = True
        if "NEW-never-frees-ids" not in self.bugs:
            self.game.running.pop(match.id, None)
        for player in sorted(self.game.players[match], key=lambda player: player is not self):
            if only is None or only is player:
                player.state = "SHOW SCORE"
                player.show()

    def withdraw(self) -> None:
        if self.match is not None and "CHOOSE-keeps-withdrawn-matches" not in self.bugs:
            self.game.waiting.pop(self.match.id, None)

    def end(self) -> None:
        self.leave()
        self.state, self.name = "START", ""
        self.show()
        if "CHOOSE-exit-keeps-the-connection" not in self.bugs:
            self.gone = True
            self.stream.shutdown(socket.SHUT_RDWR)

    def leave(self) -> None:
        game = self.game
        if game.clients.get(self.name) is not self:
            return
        if self.state == "PLAY":  # the player may come back
            self.gone = True
            if self.match is not None:
                self.show_other()
            return
        if "START-keeps-ids" not in self.bugs:
            del game.clients[self.name]
        if self.state == "WAIT" and self.match is not None and "CHOOSE-keeps-matches-of-lost-players" not in self.bugs:
            self.withdraw()
            game.update_lists()


def listen(port: int, folder: Path, variants: set[str]) -> socket.socket:
    """Serve in threads; return the listening socket."""
    for variant in variants:
        assert variant in RIGHT or variant in BUGS, variant
    game = Game(read_folder(folder, variants), variants)
    listener = socket.create_server(("127.0.0.1", port), backlog=128)

    def serve() -> None:
        while True:
            try:
                stream, _ = listener.accept()
            except OSError:
                return
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=Client(game, stream).run, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener


def main() -> None:
    port, folder, *variants = sys.argv[1:]
    listen(int(port), Path(folder), set(variants))
    threading.Event().wait()


if __name__ == "__main__":
    main()
