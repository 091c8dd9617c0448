"""Minesweeper in browser tabs, for tests: real WebSocket clients, each with a mirror made from frames alone.

The mirror is written from docs/reference/minesweeper-websocket.md and shares no code with the server.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import cast

from scramble.front.minesweeper.http import make_minesweeper_app
from scramble.front.site import SiteConfig
from scramble.minesweeper import Game, Snapshot
from scramble.server.http.server import serve_app
from scramble.server.protection.limits import ServerLimits
from scramble.server.protection.middleware import Protection
from tests.support import websocket
from tests.support.websocket import Frame

Players = dict[int, tuple[str, tuple[int, int] | None]]  # number -> name, last square

MOVES = ("dug", "exploded", "chorded", "flagged", "deflagged")

NO_LIMITS = ServerLimits(frames=1e9, bad_frames=1e9)


class Mirror:
    """A client's knowledge of the field."""

    def __init__(self) -> None:
        self.version = -1
        self.lines: list[str] = []
        self.players: Players = {}
        self.you: int | None = None

    def see(self, frame: Frame) -> None:
        """Process a frame of any type."""
        match frame:
            case {"type": "field", "version": int(version), "lines": list(lines), "players": list(players)}:
                self.version, self.lines = version, lines
                self.players = dict(map(_player, players))
                self.you = cast(int | None, frame["you"])
                assert all(len(line) == frame["columns"] for line in lines)
                assert len(lines) == frame["rows"]
            case {"type": "change", "version": int(version), "events": list(events)} if version > self.version:
                assert version == self.version + 1, f"{version} came after {self.version}"
                self.version = version
                for event in events:
                    self._happen(event)
            case {"type": "boom", "lost": True}:
                self.you = None

    def _happen(self, event: Frame) -> None:
        match event:
            case {"is": "connected", "player": dict(player)}:
                number, what = _player(player)
                self.players[number] = what
            case {"is": "disconnected", "player": int(number)}:
                self.players.pop(number, None)  # a field frame names only some of very many players
            case {"is": "ended"}:
                pass
            case {
                "is": "dug" | "exploded" | "chorded" | "flagged" | "deflagged",
                "x": int(x),
                "y": int(y),
                "runs": list(runs),
            }:
                for left, row, text in runs:
                    line = self.lines[row]
                    self.lines[row] = line[:left] + text + line[left + len(text) :]
                if event["player"] is not None:
                    number = cast(int, event["player"])
                    self.players[number] = self.players[number][0], (x, y)
            case _:
                raise AssertionError(f"no event of the reference: {event}")

    def shows(self, snapshot: Snapshot) -> bool:
        """Return True if the mirror equals the snapshot."""
        players: Players = {player.id: (player.name, player.at) for player in snapshot.players}
        return (self.version, self.lines, self.players) == (snapshot.version, list(snapshot.lines), players)


def _player(player: Frame) -> tuple[int, tuple[str, tuple[int, int] | None]]:
    at = cast(list[int] | None, player["at"])
    return cast(int, player["id"]), (cast(str, player["name"]), None if at is None else (at[0], at[1]))


class Tab(websocket.Tab):
    """One connection: all received frames, and the mirror made from them."""

    def __init__(self, socket: websocket.WebSocket) -> None:
        super().__init__(socket)
        self.mirror = Mirror()

    def see(self, frame: Frame) -> None:
        self.mirror.see(frame)

    async def start(self, move: str, x: int, y: int) -> int:
        """Send a move; return the id of its answer."""
        number = next(self._ids)
        await self.say({"type": move, "id": number, "x": x, "y": y})
        return number

    def answers(self, number: int | None) -> list[Frame]:
        """Return all answers with that id so far."""
        return [frame for frame in self.frames if "id" in frame and frame["id"] == number]

    async def answer(self, number: int | None) -> Frame:
        """Wait for the answer with that id; return it."""
        await self.until(lambda: bool(self.answers(number)))
        return self.answers(number)[0]

    async def move(self, move: str, x: int, y: int) -> Frame:
        """Make a move, and wait for its answer."""
        return await self.answer(await self.start(move, x, y))

    async def rejoin(self) -> None:
        """Rejoin, and wait until the tab is a player again."""
        await self.say({"type": "rejoin"})
        await self.until(lambda: self.mirror.you is not None)


class Server(websocket.Clients):
    """Tabs of one server of the page."""

    @property
    def url(self) -> str:
        return self.address.url

    async def connect(self, name: str, *, receive_buffer: int | None = None) -> Tab:
        """Return a new connection without a reader. `receive_buffer` (bytes) is the size of the kernel's buffer."""
        return Tab(await self.connect_to(f"/play/{name}", receive_buffer=receive_buffer))

    async def open(self, name: str) -> Tab:
        """Return a tab that has the field, and reads in the background."""
        tab = await self.connect(name)
        self.nursery.start_soon(tab.read_all)
        await tab.until(lambda: tab.mirror.you is not None)
        return tab


def serving(
    game: Game, *, debug: bool = False, telnet_port: int | None = None, limits: ServerLimits = NO_LIMITS
) -> AbstractAsyncContextManager[Server]:
    """Serve the page of a game under hypercorn, like `serve_minesweeper_http`, until the end of the block."""
    protection = Protection(limits)
    app = make_minesweeper_app(game, debug=debug, telnet_port=telnet_port, site=SiteConfig(protection))
    serve = partial(serve_app, app, host="127.0.0.1", port=0, protection=protection)
    return websocket.serving_to(serve, Server)
