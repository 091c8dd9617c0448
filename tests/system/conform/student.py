"""A server of Memory Scramble as a student may write it, with threads and one lock, and its variants and bugs.

`python student.py PORT BOARD [VARIANT...]`. Without a variant it keeps the handout of 2025. The right variants choose
other answers that the handout allows. Each bug breaks one claim. It shares no code with the package.
"""

from __future__ import annotations

import random
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

RIGHT = (
    "boards-for-failures",
    "any-waiter",
    "one-card-at-a-time",
    "late-views",
    "crlf",
    "slow",
    "two-steps",
    "bad-flip-finishes-play",
    "no-watch",
)

BUGS = {
    "starts-face-up": "the cards are face up at the start",
    "columns-first": "a flip of row,column turns the card at column,row",
    "my-for-all": "every player sees a controlled card as their own",
    "no-newline": "the last spot has no newline",
    "html": "the board is HTML",
    "no-cors": "a page of another origin cannot read the answers",
    "1-A-succeeds": "a flip of an empty space is answered as a success that controls nothing, and leaves a first card",
    "1-B-no-control": "a first card turns up, but the player does not control it",
    "1-C-fails": "a face-up card cannot be a first card",
    "1-D-fails": "a flip of a controlled card fails at once",
    "1-D-steals": "a flip of a controlled card takes the card",
    "1-D-waits-for-ever": "a waiting flip is not answered when the card is free",
    "1-D-forgets-removal": "a waiting flip is not answered when the card is removed",
    "1-D-blocks-all": "while a player waits, no other player is answered",
    "1-D-two-winners": "all waiting players get the card",
    "2-A-keeps": "a second flip of an empty space keeps the first card",
    "2-B-waits": "a second flip of a controlled card waits",
    "2-B-keeps": "a second flip of a controlled card keeps the first card",
    "2-B-own-matches": "a player's own first card is its own match",
    "2-D-relinquishes": "a match relinquishes both cards",
    "2-E-keeps-first": "a miss keeps control of the first card",
    "2-E-turns-down": "a miss turns both cards down at once",
    "3-A-at-once": "a match is removed at once",
    "3-A-never": "a match is never removed",
    "3-A-by-others": "the next move of any player removes all matches",
    "3-B-never": "missed cards stay up",
    "3-B-after": "missed cards turn down after the flip, not before",
    "3-B-after-wait": "missed cards turn down only when the next flip does not wait",
    "3-B-controlled": "missed cards turn down even if another player controls them",
    "3-B-only-pairs": "a single card of a failed second flip stays up",
    "3-B-twice": "old misses are turned down again by each later move",
    "watch-at-once": "a watch is answered at once",
    "watch-control": "a watch sees changes of control",
    "watch-never": "a watch is never answered",
    "watch-first-only": "only one watch is answered",
    "watch-misses-down": "a watch does not see cards turn down",
    "map-face-up-only": "only face-up cards are replaced",
    "map-turns-down": "replaced cards turn down",
    "map-relinquishes": "replaced cards lose their controller",
    "map-in-steps": "cards are replaced one by one, and other requests run between",
    "crash-outside": "a flip outside the board ends the server",
    "1-A-first": "a flip of an empty space fails before the previous play is finished",
    "1-D-wakes-one": "only one of the players who wait for removed cards is answered",
    "race-check-then-act": "a flip of a face-down card lets other requests run between its look and its move",
    "race-cleanup": "cards turn down later, and nobody checks whether another player controls them by then",
    "race-lost-waiter": "now and then a waiting flip is forgotten",
}


class Failed(Exception):
    """A flip that fails."""


class Game:
    """The board, under one lock."""

    def __init__(self, text: str, variants: set[str]) -> None:
        lines = re.split(r"\r?\n", text.strip("\r\n"))
        self.rows, self.columns = map(int, lines[0].split("x"))
        self.cards: list[str | None] = list(lines[1:])
        self.variants = variants
        self.up = ["starts-face-up" in variants] * len(self.cards)
        self.owner: list[str | None] = [None] * len(self.cards)
        self.first: dict[str, int] = {}
        self.pair: dict[str, tuple[int, int]] = {}
        self.missed: dict[str, list[int]] = {}
        self.lock = threading.Condition(threading.RLock())
        self.changes = 0
        self.waits = 0
        self.woken: set[int] = set()
        self.free_before: dict[int, bool] = {}

    def has(self, variant: str) -> bool:
        return variant in self.variants

    def change(self) -> None:
        self.changes += 1
        self.lock.notify_all()

    def pause(self, seconds: float = 0.003) -> None:
        """Let other requests run."""
        self.lock.wait(seconds)

    def view(self, player: str) -> str:
        end = "\r\n" if self.has("crlf") else "\n"
        spots = []
        for card, up, owner in zip(self.cards, self.up, self.owner, strict=True):
            if card is None:
                spots.append("none")
            elif not up:
                spots.append("down")
            else:
                mine = owner is not None and (owner == player or self.has("my-for-all"))
                spots.append(f"{'my' if mine else 'up'} {card}")
        text = end.join([f"{self.rows}x{self.columns}", *spots])
        return text if self.has("no-newline") else text + end

    def look(self, player: str) -> str:
        with self.lock:
            if self.has("1-D-blocks-all"):
                while self.waits:
                    self.lock.wait()
            return self.view(player)

    def place(self, row: int, column: int) -> int:
        if self.has("columns-first"):
            row, column = column, row
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            raise Failed("outside the board")
        return row * self.columns + column

    def turn_down(self, index: int) -> None:
        self.up[index] = False
        if not self.has("watch-misses-down"):
            self.change()

    def finish(self, player: str) -> None:
        """Rules 3-A and 3-B."""
        finished = list(self.pair) if self.has("3-A-by-others") else [player]
        for owner in finished:
            if owner in self.pair and not self.has("3-A-never"):
                self.remove(owner)
            elif owner in self.pair:
                for index in self.pair.pop(owner):
                    self.owner[index] = None
        if self.has("3-B-never"):
            return
        missed = self.missed.get(player, []) if self.has("3-B-twice") else self.missed.pop(player, [])
        if self.has("3-B-only-pairs") and len(missed) == 1:
            return
        if self.has("race-cleanup"):
            todo = [index for index in missed if self.owner[index] is None]
            self.pause(0.005)
            for index in todo:
                self.turn_down(index)
            return
        for index in missed:
            free = self.owner[index] is None or self.has("3-B-controlled")
            if self.cards[index] is not None and self.up[index] and free:
                self.turn_down(index)
                if self.has("one-card-at-a-time"):
                    self.pause()

    def remove(self, player: str) -> None:
        for index in self.pair.pop(player):
            self.cards[index] = None
            self.up[index] = False
            self.owner[index] = None
            self.change()
            if self.has("one-card-at-a-time"):
                self.pause()

    def relinquish(self, index: int) -> None:
        self.owner[index] = None
        self.lock.notify_all()
        if self.has("watch-control"):
            self.change()

    def flip(self, player: str, row: int, column: int) -> None:
        with self.lock:
            try:
                index = self.place(row, column)
            except Failed:
                if self.has("crash-outside"):
                    import os

                    os._exit(1)
                if self.has("bad-flip-finishes-play"):
                    self.finish(player)
                raise
            if player in self.first:
                self.flip_second(player, index)
            else:
                self.flip_first(player, index)

    def flip_first(self, player: str, index: int) -> None:
        if self.has("1-A-first") and self.cards[index] is None:
            raise Failed("no card")
        late = self.has("3-B-after") or (self.has("3-B-after-wait") and self.owner[index] not in (None, player))
        if not late:
            self.finish(player)
        if self.has("race-check-then-act") and self.owner[index] is None:
            self.pause()
        elif self.has("1-C-fails") and self.up[index] and self.owner[index] is None:
            raise Failed("the card is face up")
        elif self.owner[index] is not None and not self.has("1-D-steals"):
            if self.has("1-D-fails"):
                raise Failed("controlled")
            self.wait(player, index)
        if late:
            self.finish(player)
        if self.cards[index] is None:
            if self.has("1-A-succeeds"):
                self.first[player] = index
                return
            raise Failed("no card")
        if self.has("1-B-no-control") and not self.up[index]:
            self.up[index] = True
            self.change()
            return
        if not self.up[index]:
            self.up[index] = True
            self.change()
        self.owner[index] = player
        self.first[player] = index
        if self.has("watch-control"):
            self.change()

    def wait(self, player: str, index: int) -> None:
        self.waits += 1
        lost = self.has("1-D-waits-for-ever") or (self.has("race-lost-waiter") and random.random() < 0.3)
        removed = self.has("1-D-forgets-removal")
        was_free = False
        while self.owner[index] is not None or lost or (removed and self.cards[index] is None):
            self.lock.wait()
            was_free = was_free or (self.owner[index] is not None and self.owner[index] != player)
            if self.has("1-D-two-winners") and self.cards[index] is not None and self.free_before.get(index):
                break
            if self.has("any-waiter"):
                self.pause(random.random() * 0.004)
        self.waits -= 1
        while self.has("1-D-wakes-one") and self.cards[index] is None and index in self.woken:
            self.lock.wait()
        if self.cards[index] is None:
            self.woken.add(index)

    def flip_second(self, player: str, index: int) -> None:
        first = self.first[player]
        if self.has("2-B-own-matches") and index == first:
            del self.first[player]
            self.pair[player] = (first, first)
            return
        if self.cards[index] is None:
            if not self.has("2-A-keeps"):
                del self.first[player]
                self.missed.setdefault(player, []).append(first)
                self.relinquish(first)
            raise Failed("no card")
        if self.owner[index] is not None:
            if self.has("2-B-waits") and index != first:
                self.wait(player, index)
            else:
                if not self.has("2-B-keeps"):
                    del self.first[player]
                    self.missed.setdefault(player, []).append(first)
                    self.relinquish(first)
                raise Failed("controlled")
        if not self.up[index]:
            self.up[index] = True
            self.change()
            if self.has("two-steps"):
                self.pause()
                if self.owner[index] is not None or self.cards[index] is None:
                    raise self.lose(player, first)
                if not self.up[index]:
                    self.up[index] = True
                    self.change()
        del self.first[player]
        if self.cards[index] == self.cards[first]:
            self.owner[index] = player
            self.pair[player] = (first, index)
            if self.has("2-D-relinquishes"):
                self.relinquish(first)
                self.relinquish(index)
            if self.has("3-A-at-once"):
                self.remove(player)
            return
        self.missed.setdefault(player, []).extend((first, index))
        if self.has("1-D-two-winners"):
            self.free_before[first] = True
        if self.has("2-E-keeps-first"):
            self.first[player] = first
            return
        self.relinquish(first)
        if self.has("2-E-turns-down"):
            self.finish(player)

    def lose(self, player: str, first: int) -> Failed:
        """Relinquish the first card: another player was faster."""
        del self.first[player]
        self.missed.setdefault(player, []).append(first)
        self.relinquish(first)
        return Failed("controlled")

    def watch(self, player: str) -> str:
        with self.lock:
            seen = self.changes
            if self.has("watch-first-only"):
                self.watchers = getattr(self, "watchers", 0) + 1
                if self.watchers > 1:
                    while True:
                        self.lock.wait()
            while (self.changes == seen and not self.has("watch-at-once")) or self.has("watch-never"):
                self.lock.wait()
            self.watchers = 0
            return self.view(player)

    def replace(self, player: str, old: str, new: str) -> str:
        with self.lock:
            for index, card in enumerate(self.cards):
                if card != old or old == new or (self.has("map-face-up-only") and not self.up[index]):
                    continue
                self.cards[index] = new
                if self.has("map-turns-down"):
                    self.up[index] = False
                if self.has("map-relinquishes"):
                    self.owner[index] = None
                self.change()
                if self.has("map-in-steps"):
                    self.pause()
            return self.view(player)


class Handler(BaseHTTPRequestHandler):
    """The routes of the handout."""

    game: Game

    def do_GET(self) -> None:
        game = self.game
        if game.has("slow"):
            time.sleep(random.random() * 0.3)
        parts = [unquote(part) for part in self.path.split("/")[1:]]
        try:
            match parts:
                case ["look", player] if re.fullmatch(r"\w+", player, re.ASCII):
                    self.answer(200, game.look(player))
                case ["watch", player] if not game.has("no-watch") and re.fullmatch(r"\w+", player, re.ASCII):
                    self.answer(200, game.watch(player))
                case ["replace", player, old, new]:
                    self.answer(200, game.replace(player, old, new))
                case ["flip", player, place] if re.fullmatch(r"\w+", player, re.ASCII) and re.fullmatch(
                    r"-?\d+,-?\d+", place
                ):
                    row, column = map(int, place.split(","))
                    status = 200
                    try:
                        game.flip(player, row, column)
                    except Failed as failed:
                        if not game.has("boards-for-failures"):
                            self.answer(409, f"cannot flip this card: {failed}")
                            return
                    if game.has("late-views"):
                        time.sleep(random.random() * 0.003)
                    self.answer(status, game.look(player))
                case _:
                    self.answer(404, "no such path")
        except BrokenPipeError:
            pass

    def answer(self, status: int, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if self.game.has("html") else "text/plain; charset=utf-8")
        if not self.game.has("no-cors"):
            self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main() -> None:
    port, board, *variants = sys.argv[1:]
    for variant in variants:
        assert variant in RIGHT or variant in BUGS, variant
    with open(board, encoding="utf-8", newline="") as file:
        Handler.game = Game(file.read(), set(variants))
    Server(("127.0.0.1", int(port)), Handler).serve_forever()


if __name__ == "__main__":
    main()
