"""A crowd of WebSocket players in its own process: `python -m tests.search.load.crowd PLAN`, a Plan as JSON.

The crowd connects all players. Some of them play at a steady rate while all players watch. The crowd prints one line
when all players are connected, and Findings as JSON at the end. The crowd must be faster than the server, so it uses
one task and one selector. It decodes only the necessary frames, but it reads the version of every frame of every
player. A move is two flips: a first card and, when this flip is answered or granted, a second card. A player who waits
too long for a card withdraws the flip.

Claims: every flip has exactly the outcomes that the reference promises. No connection ever sees an older board after a
newer one. In the end all players show the same board, and a new player gets the same board, too.
"""

from __future__ import annotations

import heapq
import random
import resource
import selectors
import socket
import sys
import time
from collections import Counter, deque
from collections.abc import Callable
from functools import lru_cache
from itertools import count
from typing import Final

import msgspec

from tests.support import HANG_S
from tests.support.cutting import frame, handshake

PATIENCE_S: Final = 3.0  # the time before a waiting flip is withdrawn
WITHDRAW: Final = frame('{"type":"withdraw"}')
CHANGE: Final = b'{"type":"change","version":'
BOARD: Final = b'{"type":"board","version":'
FLIP: Final = b'{"type":"flip"'
DOWN: Final = {"is": "down"}
SECOND: Final = {"1-B", "1-C"}  # the rules that turn over a first card


class Plan(msgspec.Struct, frozen=True):
    """`players` watch a board of `rows` and `columns`. They make `moves_per_s` moves of two flips for `seconds`."""

    host: str
    port: int
    players: int
    rows: int
    columns: int
    moves_per_s: float
    seconds: float
    seed: int


class Findings(msgspec.Struct):
    """The outcome of a plan.

    Times are in seconds: from each flip to its first outcome, and from each flip that turned up a card until all
    players saw the card.
    """

    flips: int = 0
    outcomes: dict[str, int] = {}
    frames: int = 0
    whole_frames: int = 0
    versions: int = 0
    answered_s: list[float] = []
    seen_s: list[float] = []
    played_s: float = 0
    cpu_s: float = 0
    faults: list[str] = []


class _CellAt(msgspec.Struct):
    row: int
    column: int
    cell: dict[str, str | None]


class _Shown(msgspec.Struct, tag_field="type"):
    version: int
    scores: dict[str, int | None] = {}
    waiting: dict[str, tuple[int, int] | None] = {}


class _Board(_Shown, tag="board"):
    cells: list[dict[str, str | None]] = []


class _Change(_Shown, tag="change"):
    cells: list[_CellAt] = []


class _Outcome(msgspec.Struct):
    id: int
    outcome: str
    rule: str | None


_decoder: Final[msgspec.json.Decoder[_Board | _Change]] = msgspec.json.Decoder(_Board | _Change)


@lru_cache(256)  # all players get the same bytes
def _decode(data: bytes) -> _Board | _Change:
    return _decoder.decode(data)


class Player:
    """One connection."""

    __slots__ = (
        *("asked_at", "buffer", "card", "cells", "due", "name", "number", "scores", "second", "sock"),
        *("version", "waiting"),
    )

    def __init__(self, number: int, sock: socket.socket) -> None:
        self.number: Final = number
        self.name: Final = f"p{number}"
        self.sock: Final = sock
        self.buffer = bytearray()
        self.version = -1
        self.cells: list[object] = []
        self.scores: dict[str, object] = {}
        self.waiting: dict[str, object] = {}
        self.due: int | None = None  # the id of the flip that waits for its answer or its card
        self.second = False  # True if this flip is for a second card
        self.card = b""  # the place of the flipped card, as in frames, until a change shows it
        self.asked_at = 0.0


class Crowd:
    """All players of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan: Final = plan
        self._rng: Final = random.Random(plan.seed)
        self._found: Final = Findings()
        self._outcomes: Final = Counter[str]()
        self._selector: Final = selectors.DefaultSelector()
        self._players: Final[list[Player]] = []
        self._ids: Final = count(1)
        self._seen: Final = Counter[int]()
        self._seen_by_all: Final[dict[int, float]] = {}
        self._asked: Final[dict[int, float]] = {}  # version -> start time of the flip that made the version
        self._waiting: Final[list[tuple[float, int, int]]] = []  # withdrawal time, flip id, player number
        self._resting: Final[deque[Player]] = deque()

    def run(self) -> Findings:
        """Connect, play, and wait for all answers and changes."""
        self._connect()
        print("connected", flush=True)
        began, cpu = time.perf_counter(), time.process_time()
        self._play(began)
        self._finish()
        found = self._found
        found.played_s = time.perf_counter() - began
        found.cpu_s = time.process_time() - cpu
        found.outcomes = dict(self._outcomes)
        found.seen_s = [self._seen_by_all[v] - asked for v, asked in self._asked.items() if v in self._seen_by_all]
        return found

    # --- playing

    def _connect(self) -> None:
        for number in range(self._plan.players):
            self._players.append(self._player(number))
            self._listen(0)
        self._until(lambda: all(player.version >= 0 for player in self._players), "some have no board")
        self._resting.extend(self._rng.sample(self._players, len(self._players)))
        self._seen.clear()
        self._found.frames = self._found.whole_frames = 0

    def _player(self, number: int) -> Player:
        sock = socket.create_connection((self._plan.host, self._plan.port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        player = Player(number, sock)
        sock.sendall(handshake(f"/play/{player.name}"))
        while b"\r\n\r\n" not in player.buffer:
            player.buffer += sock.recv(65536)
        del player.buffer[: player.buffer.index(b"\r\n\r\n") + 4]
        sock.setblocking(False)
        self._selector.register(sock, selectors.EVENT_READ, player)
        self._take_frames(player)
        return player

    def _play(self, began: float) -> None:
        plan = self._plan
        for number in range(int(plan.seconds * plan.moves_per_s)):
            at = began + number / plan.moves_per_s
            while (left := at - time.perf_counter()) > 0:
                self._listen(left)
            self._listen(0)
            if self._resting:
                self._flip(self._resting.popleft(), second=False)

    def _finish(self) -> None:
        self._until(lambda: all(player.due is None for player in self._players), "some flips have no answer")
        latest = max(player.version for player in self._players)
        self._until(lambda: all(player.version == latest for player in self._players), "some have not seen the latest")
        witness = self._player(len(self._players))
        self._players.append(witness)
        self._until(lambda: witness.version >= 0, "who comes last has no board")
        for player in self._players:
            if _shown(player, witness) != _shown(witness, witness):
                self._found.faults.append(f"{player.name} shows another board than who comes last")
        self._found.versions = latest

    def _flip(self, player: Player, *, second: bool) -> None:
        row, column = self._rng.randrange(self._plan.rows), self._rng.randrange(self._plan.columns)
        player.due, player.second = next(self._ids), second
        lies = player.cells[row * self._plan.columns + column]
        turns_up = lies == DOWN  # players see that a card turns up; nobody may see that a face-up card is taken
        player.card = b'{"row":%d,"column":%d,' % (row, column) if turns_up else b""
        player.asked_at = time.perf_counter()
        self._send(player, frame(f'{{"type":"flip","id":{player.due},"row":{row},"column":{column}}}'))
        self._found.flips += 1

    def _send(self, player: Player, data: bytes) -> None:
        if player.sock.send(data) != len(data):
            self._found.faults.append(f"{player.name} cannot send")

    # --- listening

    def _until(self, done: Callable[[], bool], otherwise: str) -> None:
        quiet_since = time.perf_counter()
        while not done():
            before = self._found.frames
            self._listen(0.2)
            now = time.perf_counter()
            if self._found.frames > before:
                quiet_since = now
            elif now - quiet_since > HANG_S:
                self._found.faults.append(otherwise)
                return

    def _listen(self, most: float) -> None:
        """Read the available frames. Wait at most `most` seconds for the first frame."""
        give_up = self._waiting[0][0] - time.perf_counter() if self._waiting else most
        for key, _ in self._selector.select(max(0.0, min(most, give_up))):
            player: Player = key.data
            try:
                data = player.sock.recv(262144)
            except BlockingIOError:
                continue
            if not data:
                self._found.faults.append(f"{player.name} was closed after {bytes(player.buffer[-200:])!r}")
                self._selector.unregister(player.sock)
            player.buffer += data
            self._take_frames(player)
        now = time.perf_counter()
        while self._waiting and self._waiting[0][0] <= now:
            _, flip, number = heapq.heappop(self._waiting)
            if self._players[number].due == flip:
                self._send(self._players[number], WITHDRAW)

    def _take_frames(self, player: Player) -> None:
        buffer = player.buffer
        start, end = 0, len(buffer)
        while end - start >= 2:
            length, head = buffer[start + 1], start + 2
            if length >= 126:
                size = 2 if length == 126 else 8
                length, head = int.from_bytes(buffer[head : head + size], "big"), head + size
            if end < head or end < head + length:
                break
            self._hear(player, buffer[start], bytes(buffer[head : head + length]))
            start = head + length
        del buffer[:start]

    def _hear(self, player: Player, opcode: int, data: bytes) -> None:
        found = self._found
        found.frames += 1
        if opcode != 0x81:
            found.faults.append(f"{player.name} got a frame {opcode:x}: {data!r}")
            return
        if data.startswith(CHANGE):
            self._see(player, _decode(data), data)
        elif data.startswith(BOARD):
            found.whole_frames += 1
            player.cells, player.scores, player.waiting = [], {}, {}
            self._see(player, _decode(data), data)
        elif data.startswith(FLIP):
            self._outcome(player, msgspec.json.decode(data, type=_Outcome))
        elif not data.startswith((b'{"type":"players"', b'{"type":"score"', b'{"type":"hues"')):
            found.faults.append(f"{player.name} was told {data[:200]!r}")

    def _see(self, player: Player, told: _Board | _Change, data: bytes) -> None:
        now, version = time.perf_counter(), told.version
        if version < player.version:
            self._found.faults.append(f"{player.name} has seen version {player.version}, and then {version}")
        if isinstance(told, _Board):
            player.cells = list(told.cells)
        else:
            for each in told.cells:
                player.cells[each.row * self._plan.columns + each.column] = each.cell
        player.scores |= told.scores
        for name, spot in told.waiting.items():
            player.waiting.pop(name, None)
            if spot is not None:
                player.waiting[name] = spot
        if player.card and player.card in data:
            self._asked.setdefault(version, player.asked_at)
            player.card = b""
        for number in range(player.version + 1, version + 1):
            self._seen[number] += 1
            if self._seen[number] == len(self._players):
                self._seen_by_all[number] = now
                del self._seen[number]
        player.version = version

    def _outcome(self, player: Player, told: _Outcome) -> None:
        self._outcomes[f"{told.outcome} {told.rule}" if told.rule else told.outcome] += 1
        if told.id != player.due:
            self._found.faults.append(f"{player.name} was told {told}, where {player.due} was due")
            return
        if player.asked_at:
            self._found.answered_s.append(time.perf_counter() - player.asked_at)
        if told.outcome == "waiting":
            heapq.heappush(self._waiting, (time.perf_counter() + PATIENCE_S, told.id, player.number))
            player.card = b""
            player.asked_at = 0.0
            return
        if told.outcome != "ok":
            player.card = b""  # the flip changes nothing that players see
        player.due = None
        if told.outcome == "ok" and told.rule in SECOND and not player.second:
            self._flip(player, second=True)
        else:
            self._resting.append(player)


def _shown(player: Player, named: Player) -> tuple[object, ...]:
    """Return a player's view. It has only the scores in the witness's board frame, which has only the best scores."""
    return player.version, player.cells, {name: player.scores.get(name) for name in named.scores}, player.waiting


def main() -> None:
    """Run the plan on the command line."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY:  # each connection needs a file, and the usual limit is about a thousand
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard != resource.RLIM_INFINITY else 65536, hard))
    found = Crowd(msgspec.json.decode(sys.argv[1], type=Plan)).run()
    sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")


if __name__ == "__main__":
    main()
