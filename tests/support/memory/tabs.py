"""Browser tabs for tests: a real WebSocket client with a mirror of the board, made from frames alone.

The mirror is written from docs/reference/websocket.md and shares no code with the server.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from copy import deepcopy
from functools import partial
from typing import cast

import msgspec

from scramble.front.memory.front import MemoryFront
from scramble.front.memory.http import make_bare_app
from scramble.front.memory.permissions import Permissions
from scramble.front.web.door import Door
from scramble.memory.game import Game
from scramble.memory.messages import Snapshot
from scramble.server.http.server import serve_app
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.middleware import Protection
from tests.support import websocket
from tests.support.websocket import Frame

NO_LIMITS = ServerLimits(frames=1e9, bad_frames=1e9)


class Mirror:
    """A client's knowledge of the game."""

    def __init__(self) -> None:
        self.version = -1
        self.rows = self.columns = 0
        self.cells: list[object] = []
        self.scores: dict[str, int] = {}
        self.waiting: dict[str, list[int]] = {}
        self.pairs_left = -1
        self.players: list[str] = []

    def see(self, frame: Frame) -> None:
        """Process a frame of any type."""
        match frame:
            case {"type": "board"}:
                for key, value in frame.items():
                    if key not in ("type", "score_count", "waiting_count", "off"):
                        assert hasattr(self, key), key
                        setattr(self, key, deepcopy(value))
            case {"type": "change", "version": int(version)}:
                assert version >= self.version, "time runs backwards"
                self.version = version
                for change in cast(list[dict[str, object]], frame.get("cells", [])):
                    row, column = cast(int, change["row"]), cast(int, change["column"])
                    self.cells[row * self.columns + column] = change["cell"]
                for player, pairs in cast(dict[str, int | None], frame.get("scores", {})).items():
                    self.scores.pop(player, None)
                    if pairs is not None:
                        self.scores[player] = pairs
                for player, spot in cast(dict[str, list[int] | None], frame.get("waiting", {})).items():
                    self.waiting.pop(player, None)
                    if spot is not None:
                        self.waiting[player] = spot
                self.pairs_left = cast(int, frame.get("pairs_left", self.pairs_left))
            case {"type": "players"}:
                self.players = cast(list[str], frame["players"])

    def shows(self, public: dict[str, object]) -> bool:
        """Return True if the mirror equals this public state of a snapshot."""
        return {key: value for key, value in vars(self).items() if key != "players"} == public


def public(snapshot: Snapshot) -> dict[str, object]:
    """Return the contents of a mirror of this snapshot."""
    return cast(dict[str, object], json.loads(msgspec.json.encode(snapshot)))


class Tab(websocket.Tab):
    """One connection: all received frames, and the mirror made from them."""

    def __init__(self, socket: websocket.WebSocket) -> None:
        super().__init__(socket)
        self.mirror = Mirror()

    def see(self, frame: Frame) -> None:
        self.mirror.see(frame)

    async def start_flip(self, row: int, column: int) -> int:
        """Send a flip; return the id of its outcomes."""
        number = next(self._ids)
        await self.say({"type": "flip", "id": number, "row": row, "column": column})
        return number

    def outcomes(self, number: int) -> list[tuple[object, object]]:
        """Return the outcomes of that flip or replacement so far: (outcome, rule) each."""
        return [(f["outcome"], f.get("rule")) for f in self.frames if f["type"] != "players" and f.get("id") == number]

    async def outcome(self, number: int, count: int = 1) -> tuple[object, object]:
        """Wait for `count` outcomes of that flip; return the last one."""
        await self.until(lambda: len(self.outcomes(number)) >= count)
        return self.outcomes(number)[count - 1]

    async def flip(self, row: int, column: int) -> tuple[object, object]:
        """Flip, and wait for the first outcome; return (outcome, rule)."""
        return await self.outcome(await self.start_flip(row, column))

    def has(self, kind: str, count: int) -> bool:
        """Return True if exactly `count` frames of this type were received."""
        return self.count(kind) == count

    def changed_cells(self) -> list[object]:
        """Return the cells of all `change` frames."""
        return [cell for frame in self.frames for cell in cast(list[object], frame.get("cells", []))]


class Server(websocket.Clients):
    """Tabs of one server."""

    async def connect(self, player: str, *, receive_buffer: int | None = None) -> Tab:
        """Return a new connection without a reader. `receive_buffer` (bytes) is the size of the kernel's buffer."""
        return Tab(await self.connect_to(f"/play/{player}", receive_buffer=receive_buffer))

    async def open(self, player: str) -> Tab:
        """Return a tab that has its board and its presence, and reads in the background.

        A query may follow the name in `player`.
        """
        tab = await self.connect(player)
        self.nursery.start_soon(tab.read_all)
        await tab.until(lambda: player.partition("?")[0] in tab.mirror.players)
        return tab


def serving(
    game: Game, *, limits: ServerLimits = NO_LIMITS, stop: Callable[[], Awaitable[None]] | None = None
) -> AbstractAsyncContextManager[Server]:
    """Serve `/play` of a game under hypercorn, like `serve_http`, until the end of the block."""
    front = MemoryFront(game, permissions=Permissions(limits=limits))
    app = make_bare_app(Door(lambda: front))
    serve = partial(serve_app, app, host="127.0.0.1", port=0, protection=Protection(limits), stop=stop)
    return websocket.serving_to(serve, Server)


async def in_step(game: Game, *tabs: Tab) -> None:
    """Wait until every tab's mirror shows the current game."""
    now = public(await game.snapshot())
    for tab in tabs:
        await tab.until(partial(tab.mirror.shows, now))
