"""A server of Multiplayer Minesweeper as a student may write it, with threads and one lock, its variants and bugs.

`python student_minesweeper.py PORT [--debug | --no-debug] [--size X,Y | --file FILE] [VARIANT...]`. Without variants it
keeps the handout. The right variants choose other answers that the handout allows, the loose ones deviate where the
handout leaves an answer open. Each bug breaks one claim. It shares no code with the package.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator

RIGHT = ("crlf", "cr", "slow", "late-views", "byte-by-byte", "counts-leavers-longer", "resets-after-bye")
LOOSE = (
    "hello-empty-line",
    "minus-zero-outside",
    "says-goodbye",
    "lenient-files",
    "short-help",
    "size-beats-file",
    "no-empty-line",
    "lock-while-sending",
)

BUGS = {
    "hello-late": "HELLO is sent after the first message",
    "hello-two-lines": "HELLO has two lines",
    "hello-rows-first": "HELLO has the rows before the columns",
    "count-others": "HELLO does not count the new user",
    "count-never-falls": "users who have left are still counted",
    "count-only-bye": "users who disconnect without bye are still counted",
    "trailing-space": "each row of BOARD ends with a space",
    "extra-newline": "an empty line follows BOARD",
    "no-spaces": "no space is between the squares of BOARD",
    "zero-as-0": "a dug square without bombs around is shown as 0",
    "axes-swapped": "a message's first number is the row",
    "own-boards": "each user has a board",
    "dig-flagged": "a flagged square can be dug",
    "dig-negative-wraps": "negative numbers count from the end",
    "dig-outside-help": "a dig outside the board is answered by HELP",
    "ints-of-32-bits": "a large number ends the connection",
    "no-flood": "only one square is dug",
    "flood-four-neighbors": "a flood does not pass corners",
    "flood-one-ring": "a flood digs only the neighbors of the first square",
    "flood-flagged": "a flood digs flagged squares",
    "flood-through-flags": "a flood continues behind flagged squares",
    "flood-from-numbers": "each dig opens the neighbors without bombs",
    "dig-again-floods": "a second dig of a dug square digs its neighbors without a bomb",
    "boom-keeps-bomb": "an exploded bomb stays: the counts do not change",
    "boom-not-dug": "the square of an exploded bomb stays untouched",
    "boom-no-flood": "no flood follows an explosion",
    "boom-floods-from-numbers": "an explosion opens the neighbors whose count drops to 0 in the whole field",
    "boom-stays": "the connection stays after BOOM without --debug",
    "boom-always-ends": "the connection ends after BOOM with --debug, too",
    "boom-and-board": "BOARD follows BOOM",
    "boom-to-all": "all users get BOOM",
    "boom-ends-all": "BOOM ends the connections of all users",
    "flag-dug": "a dug square can be flagged",
    "flag-toggles": "a second flag removes the first one",
    "deflag-dug": "deflag makes a dug square untouched",
    "deflag-digs": "deflag digs the square",
    "help-many-lines": "HELP has several lines",
    "help-rtfm": "HELP is RTFM!",
    "invalid-silent": "an invalid message gets no answer",
    "invalid-board": "an invalid message is answered by BOARD",
    "invalid-ends": "an invalid message ends the connection",
    "any-case": "messages may be in upper case",
    "any-spaces": "extra spaces are ignored",
    "more-arguments": "extra arguments are ignored",
    "python-ints": "numbers may have a plus sign or underscores",
    "only-utf-8": "bytes that are no text end the connection",
    "line-of-1024": "a line of more than 1,024 bytes counts as several messages",
    "lf-only": "a carriage return does not end a message",
    "cr-lf-two-messages": "a carriage return and a line feed end two messages",
    "one-message-a-packet": "each packet is a message",
    "bye-stays": "bye does not end the connection",
    "bye-ends-server": "bye ends the server",
    "size-swapped": "the size has rows before columns",
    "size-ignored": "the size is always 10 by 10",
    "default-8": "without options the field is 8 by 8",
    "no-bombs": "a random field has no bombs",
    "file-transposed": "the values of a file are read column by column",
    "file-lf-only": "a file with carriage returns is refused",
    "file-any": "a file with missing, extra or other values is served",
    "one-client": "only one user is served at a time",
    "eight-clients": "only eight users are served at a time",
    "ends-with-reset": "the server ends when a connection is reset",
    "race-dig": "two users can dig the same bomb at the same time",
    "race-flag": "a flag may be set on a square that is dug at the same time",
    "race-flood": "other users see a flood in parts",
    "race-count": "users who come at the same time are counted once",
    "stale-board": "a look shows the board of the look before",
}

HELLO = "Welcome to Minesweeper. Board: {} columns by {} rows. Players: {} including you. Type 'help' for help."
HELP = "Commands: look, dig X Y, flag X Y, deflag X Y, help, bye"
VARIANTS: set[str] = set()


def has(variant: str) -> bool:
    return variant in VARIANTS


class BadFile(Exception):
    """A file that does not match the grammar."""


class Board:
    """The field. The methods need the lock of the game."""

    def __init__(self, bombs: list[list[bool]]) -> None:
        self.rows, self.columns = len(bombs), len(bombs[0])
        self.bombs = bombs
        self.passed: set[tuple[int, int]] = set()
        self.shown = [["-"] * self.columns for _ in bombs]

    @staticmethod
    def sized(columns: int, rows: int) -> Board:
        chance = 0.0 if has("no-bombs") else 0.25
        return Board([[random.random() < chance for _ in range(columns)] for _ in range(rows)])

    @staticmethod
    def read(path: str) -> Board:
        with open(path, newline="") as file:
            text = file.read()
        if has("file-lf-only") and "\r" in text:
            raise BadFile
        lines = re.split(r"\r\n|\r|\n", text)
        lenient = has("lenient-files")
        if lines.pop() != "" and not lenient:
            raise BadFile
        if lenient:
            lines = [line.rstrip() for line in re.split(r"\r\n|\r|\n", text.strip())]
        if has("file-any"):
            columns, rows = (int(number) for number in re.findall(r"\d+", lines[0])[:2])
            values = [[*map(int, re.findall(r"\d", line)), *[0] * columns][:columns] for line in lines[1:]]
            values = [*values, *[[0] * columns for _ in range(rows)]][:rows]
            return Board([[value == 1 for value in line] for line in values])
        size = re.fullmatch(r"([0-9]+) ([0-9]+)", lines[0]) if lines else None
        if size is None or not all(re.fullmatch(r"[01]( [01])*", line) for line in lines[1:]):
            raise BadFile
        columns, rows = int(size[1]), int(size[2])
        bombs = [[value == "1" for value in line.split(" ")] for line in lines[1:]]
        if [len(line) for line in bombs] != [columns] * rows or not rows:
            raise BadFile
        if has("file-transposed"):
            flat = [value for line in bombs for value in line]
            bombs = [[flat[x * rows + y] for x in range(columns)] for y in range(rows)]
        return Board(bombs)

    def is_inside(self, x: int, y: int) -> bool:
        if has("dig-negative-wraps"):
            return -self.columns <= x < self.columns and -self.rows <= y < self.rows
        return 0 <= x < self.columns and 0 <= y < self.rows

    def around(self, x: int, y: int) -> Iterator[tuple[int, int]]:
        for j in (-1, 0, 1):
            for i in (-1, 0, 1):
                if (i or j) and 0 <= x + i < self.columns and 0 <= y + j < self.rows:
                    yield x + i, y + j

    def count(self, x: int, y: int) -> int:
        return sum(self.bombs[j][i] for i, j in self.around(x, y))

    def char(self, x: int, y: int) -> str:
        shown = self.shown[y][x]
        if shown != "dug":
            return shown
        return str(self.count(x, y) or ("0" if has("zero-as-0") else " "))

    def text(self) -> list[str]:
        space = "" if has("no-spaces") else " "
        end = " " if has("trailing-space") else ""
        lines = [space.join(self.char(x, y) for x in range(self.columns)) + end for y in range(self.rows)]
        return [*lines, ""] if has("extra-newline") else lines

    def flood(self, x: int, y: int) -> None:
        todo = [(x, y)]
        while todo:
            x, y = todo.pop()
            if self.count(x, y) and not has("flood-from-numbers"):
                continue
            for i, j in self.around(x, y):
                if has("flood-four-neighbors") and i != x and j != y:
                    continue
                if self.bombs[j][i]:
                    continue
                if self.shown[j][i] == "-" or (has("flood-flagged") and self.shown[j][i] == "F"):
                    self.shown[j][i] = "dug"
                    if not has("flood-one-ring") and not (has("flood-from-numbers") and self.count(i, j)):
                        todo.append((i, j))
                    if has("race-flood"):
                        GAME.let_in(0.01)
                elif has("flood-through-flags") and self.shown[j][i] == "F" and (i, j) not in self.passed:
                    self.passed.add((i, j))
                    todo.append((i, j))

    def dig(self, x: int, y: int) -> bool:
        """Return True for BOOM."""
        if not self.is_inside(x, y):
            return False
        if self.shown[y][x] == "dug" and has("dig-again-floods"):
            for i, j in self.around(x, y):
                if not self.bombs[j][i] and self.shown[j][i] == "-":
                    self.shown[j][i] = "dug"
        if self.shown[y][x] != "-" and not (self.shown[y][x] == "F" and has("dig-flagged")):
            return False
        boom = self.bombs[y][x]
        if has("race-dig"):
            GAME.let_in()
        if boom and has("boom-not-dug"):
            self.bombs[y][x] = False
            return True
        self.shown[y][x] = "dug"
        if boom and has("boom-keeps-bomb"):
            return True
        self.bombs[y][x] = False
        if not has("no-flood") and not (boom and has("boom-no-flood")):
            self.passed = set()
            self.flood(x, y)
        if boom and has("boom-floods-from-numbers"):
            for i, j in self.around(x, y):
                if self.shown[j][i] == "dug":
                    self.flood(i, j)
        return boom

    def flag(self, x: int, y: int) -> None:
        if not self.is_inside(x, y):
            return
        free = self.shown[y][x] == "-"
        if has("race-flag"):
            GAME.let_in()
        if free or (self.shown[y][x] == "dug" and has("flag-dug")):
            self.shown[y][x] = "F"
        elif has("flag-toggles") and self.shown[y][x] == "F":
            self.shown[y][x] = "-"

    def deflag(self, x: int, y: int) -> None:
        if not self.is_inside(x, y):
            return
        if self.shown[y][x] == "F" or (self.shown[y][x] == "dug" and has("deflag-dug")):
            self.shown[y][x] = "-"
            if has("deflag-digs"):
                self.dig(x, y)


class Game:
    """The board and the users, under one lock."""

    def __init__(self, board: Board, debug: bool) -> None:
        self.board = board
        self.debug = debug
        self.lock = threading.RLock()
        self.users: list[User] = []
        self.count = 0
        self.looked_at: list[str] = []
        self.arrivals = 0  # of messages and users
        self.places = threading.Semaphore(1 if has("one-client") else 8 if has("eight-clients") else 1_000_000)

    def let_in(self, seconds: float = 0.05) -> None:
        """Let another user in, who comes within this time."""
        arrivals, until = self.arrivals, time.monotonic() + seconds
        self.lock.release()
        while self.arrivals == arrivals and time.monotonic() < until:
            time.sleep(0.001)
        self.lock.acquire()


class User:
    """A connection, served by a thread."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.sending = threading.Lock()
        self.board = GAME.board
        self.said_bye = False
        if has("own-boards"):
            self.board = Board([line[:] for line in GAME.board.bombs])

    def send(self, lines: list[str]) -> None:
        if has("slow"):
            time.sleep(random.random() * 0.05)
        end = "\r\n" if has("crlf") else "\r" if has("cr") else "\n"
        data = "".join(line + end for line in lines).encode()
        with self.sending:
            if has("byte-by-byte") and len(data) < 3000:
                for start in range(0, len(data), 97):
                    self.connection.sendall(data[start : start + 97])
            else:
                self.connection.sendall(data)

    def hello(self) -> list[str]:
        columns, rows = self.board.columns, self.board.rows
        if has("hello-rows-first"):
            columns, rows = rows, columns
        text = HELLO.format(columns, rows, GAME.count - has("count-others"))
        lines = text.replace("rows. ", "rows.\n").split("\n") if has("hello-two-lines") else [text]
        return [*lines, ""] if has("hello-empty-line") else lines

    def run(self) -> None:
        try:
            self.serve()
        except ConnectionError:
            if has("ends-with-reset"):
                os._exit(1)
        except (ValueError, OverflowError, UnicodeDecodeError):
            pass
        finally:
            self.connection.close()
            if has("counts-leavers-longer"):
                time.sleep(0.3)
            with GAME.lock:
                if self in GAME.users:
                    GAME.users.remove(self)
                if not has("count-never-falls") and (self.said_bye or not has("count-only-bye")):
                    GAME.count -= 1
            GAME.places.release()

    def serve(self) -> None:
        GAME.places.acquire()
        with GAME.lock:
            count = GAME.count
            GAME.arrivals += 1
            if has("race-count"):
                GAME.let_in()
            GAME.count = count + 1
            GAME.users.append(self)
            hello = self.hello()
        if not has("hello-late"):
            self.send(hello)
        for number, line in enumerate(self.lines()):
            if has("hello-late") and not number:
                self.send(hello)
            if not self.handle(line):
                return

    def lines(self) -> Iterator[bytes]:
        buffer = b""
        skip = False
        while data := self.connection.recv(4096):
            if has("one-message-a-packet"):
                yield data.rstrip(b"\r\n")
                continue
            buffer += data
            while buffer:
                if skip and buffer[:1] == b"\n":
                    buffer = buffer[1:]
                skip = False
                found = re.search(rb"\n|\r\n?" if has("lf-only") else rb"\n|\r", buffer)
                if has("lf-only"):
                    found = re.search(rb"\r?\n", buffer)
                if found is None:
                    if has("line-of-1024") and len(buffer) > 1024:
                        yield buffer[:1024]
                        buffer = buffer[1024:]
                        continue
                    break
                line, buffer = buffer[: found.start()], buffer[found.end() :]
                skip = found[0] == b"\r" and not has("cr-lf-two-messages")
                yield line

    def handle(self, data: bytes) -> bool:
        """Answer one message. Return False if the connection ends."""
        line = data.decode("utf-8") if has("only-utf-8") else data.decode("latin-1")
        if has("any-case"):
            line = line.lower()
        if has("any-spaces"):
            line = " ".join(line.split())
        if has("more-arguments"):
            line = re.sub(r"^((dig|flag|deflag) \S+ \S+|look|help|bye) .*$", r"\1", line)
        if line == "" and has("no-empty-line"):
            return True
        if line == "bye" and not has("bye-stays"):
            if has("bye-ends-server"):
                os._exit(0)
            if has("says-goodbye"):
                self.send(["Goodbye!"])
            if has("resets-after-bye"):
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.said_bye = True
            return False
        number = r"[+-]?[0-9_]+" if has("python-ints") else r"-?[0-9]+"
        move = re.fullmatch(rf"(look)|(dig|flag|deflag) ({number}) ({number})", line)
        if move is None:
            return self.invalid(line)
        with GAME.lock:
            GAME.arrivals += 1
            boom = False
            if move[2] is not None:
                x, y = int(move[3]), int(move[4])
                if has("ints-of-32-bits") and max(abs(x), abs(y)) >= 2**31:
                    raise OverflowError
                if has("axes-swapped"):
                    x, y = y, x
                if has("minus-zero-outside") and "-0" in (move[3], move[4]):
                    x = -1
                if has("dig-outside-help") and move[2] == "dig" and not self.board.is_inside(x, y):
                    self.send([HELP])
                    return True
                if move[2] == "dig":
                    boom = self.board.dig(x, y)
                else:
                    (self.board.flag if move[2] == "flag" else self.board.deflag)(x, y)
            if has("late-views"):
                GAME.let_in(random.random() * 0.003)
            text = self.board.text()
            if has("stale-board") and move[1]:
                text, GAME.looked_at = GAME.looked_at or text, text
            if boom and has("boom-to-all"):
                for user in GAME.users:
                    user.send(["BOOM!"])
                return GAME.debug
            if has("lock-while-sending"):
                self.send(["BOOM!"] if boom else text)
        if not has("lock-while-sending"):
            self.send(["BOOM!", *(text if has("boom-and-board") else [])] if boom else text)
        if boom and has("boom-ends-all"):
            for user in GAME.users:
                user.connection.shutdown(socket.SHUT_RDWR)
        if boom and has("boom-always-ends"):
            return False
        return not boom or GAME.debug or has("boom-stays")

    def invalid(self, line: str) -> bool:
        if line != "help":
            if has("invalid-silent"):
                return True
            if has("invalid-ends"):
                return False
            if has("invalid-board"):
                with GAME.lock:
                    self.send(self.board.text())
                return True
        if has("help-many-lines"):
            self.send(HELP.split(", "))
        else:
            self.send(["look, dig, flag" if has("short-help") else "RTFM!" if has("help-rtfm") else HELP])
        return True


GAME: Game


def main() -> None:
    global GAME
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("variants", nargs="*")
    parser.add_argument("--debug", action=argparse.BooleanOptionalAction, default=False)
    parser.add_argument("--size")
    parser.add_argument("--file")
    options = parser.parse_intermixed_args()
    for variant in options.variants:
        assert variant in RIGHT or variant in LOOSE or variant in BUGS, variant
    VARIANTS.update(options.variants)
    if options.size and options.file and not has("size-beats-file"):
        sys.exit("--size and --file cannot be combined")
    if options.file and not options.size:
        board = Board.read(options.file)
    else:
        default = "8,8" if has("default-8") else "10,10"
        size = re.fullmatch(r"([0-9]+),([0-9]+)", options.size or default)
        if size is None or "0" in size.groups():
            sys.exit("no size")
        columns, rows = int(size[1]), int(size[2])
        if has("size-swapped"):
            columns, rows = rows, columns
        board = Board.sized(10, 10) if has("size-ignored") else Board.sized(columns, rows)
    GAME = Game(board, options.debug)
    with socket.create_server(("127.0.0.1", options.port), backlog=128) as server:
        while True:
            connection, _ = server.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if has("lock-while-sending"):  # a small buffer is soon full, on a slow machine, too
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
            threading.Thread(target=User(connection).run, daemon=True).start()


if __name__ == "__main__":
    main()
