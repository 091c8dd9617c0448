"""Memory Scramble's WebSocket, `/play/PLAYER`: what the page uses. docs/reference/websocket.md has the frames.

This module translates frames into commands and answers into frames, and knows no rule. What it shares with other
games stands in `live` (changes out), `presence` (who is here) and `connection` (limits, and how it ends).

Safe under concurrency because it has no state but which flip of this connection waits, and only this connection's
tasks touch that, between two awaits. A flip has a task of its own, so that its connection goes on reading while it
waits; the next frame is read once the flip is answered or parked, so that the moves of a connection are made in the
order in which it sent them. When the connection ends, all its tasks are cancelled, which withdraws a parked flip.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Final, Literal

import trio
from quart import websocket
from quart_trio import QuartTrio

from scramble.core import Change
from scramble.errors import CallerError, GameStopped, InvalidCommand
from scramble.front.connection import Connection, Ending
from scramble.front.inbox import receive_frame
from scramble.front.limits import Limits
from scramble.front.live import Feed
from scramble.front.presence import Presence
from scramble.front.seats import accept, ending_of
from scramble.front.switches import Switch, require
from scramble.front.traffic import Traffic
from scramble.memory import wire
from scramble.memory.game import Game
from scramble.memory.messages import Flip, Flipped, Replace, Snapshot


def add_play(
    app: QuartTrio,
    game: Game,
    *,
    off: Collection[Switch] = (),
    limits: Limits | None = None,
    traffic: Traffic | None = None,
) -> None:
    """Add `/play/PLAYER` to `app`. Its connections see each other in `players`; those of another server do not.

    It needs no task of its own, and ends with the game: connections are then closed with code 1001 or 1011. What is
    `off` is refused. Those that fall behind are counted in `traffic`.
    """
    feed: Feed[Snapshot] = Feed(game, whole=partial(_whole, off), change=_change, joined=True, traffic=traffic)
    presence = Presence(lambda players: wire.players_frame(players).decode())

    @app.websocket("/play/<player>")
    async def play(player: str) -> None:
        connection = Connection(receive_frame, websocket.send, websocket.close, _error, limits)
        refused = await accept()
        try:
            if refused is not None:
                await connection.close(ending_of(refused))
                return
            await connection.close(await _play(player, game, off, feed, presence, connection))
        finally:
            await connection.say_farewell()


async def _play(
    player: str,
    game: Game,
    off: Collection[Switch],
    feed: Feed[Snapshot],
    presence: Presence,
    connection: Connection,
) -> Ending:
    """Serve one connection until there is a reason to close it."""
    try:
        wire.parse_player(player)
    except InvalidCommand as bad:
        # A refused handshake would say why as well, but a page cannot see that; this it can.
        await connection.send(_error(bad))
        return Ending(1008, "not a player")
    with presence.here(player), game.present(player):
        async with trio.open_nursery() as nursery:
            moves = Moves(game, player, connection.send, nursery, off)
            ending = await connection.run(feed.frames(), moves.answer, partial(presence.send_to, connection.send))
            nursery.cancel_scope.cancel()
    return ending


class Moves:
    """The moves that come over one connection."""

    # AF: the moves of _player over a connection; _parked is the latest that had to wait, and perhaps still does.

    def __init__(
        self,
        game: Game,
        player: str,
        send: Callable[[str], Awaitable[None]],
        nursery: trio.Nursery,
        off: Collection[Switch] = (),
    ) -> None:
        """Answers go to `send`; flips run in `nursery`, and whoever cancels that withdraws them."""
        self._game: Final = game
        self._player: Final = player
        self._off: Final = off
        self._send: Final = send
        self._nursery: Final = nursery
        self._parked: _FlipUnderWay | None = None

    async def answer(self, text: str) -> None:
        """Do what a client's frame says, and send what becomes of it; a flip that has to wait only so far as that.

        Raises InvalidCommand if the frame makes no sense. A game that has ended is not reported here: nobody is
        answered any more, and the connection hears of it from the game's changes.
        """
        match wire.decode_frame(text):
            case wire.FlipFrame() as frame:
                await self._flip(frame)
            case wire.ReplaceFrame() as frame:
                await self._replace(frame)
            case wire.WithdrawFrame():
                await self._withdraw()

    async def _flip(self, frame: wire.FlipFrame) -> None:
        flip = _FlipUnderWay(frame, self._send)
        self._nursery.start_soon(flip.run, self._game, Flip(self._player, frame.row, frame.column))
        await flip.settled.wait()
        if flip.parked:
            self._parked = flip
            await self._send(wire.flip_frame(frame, "waiting").decode())
            flip.told.set()
        else:
            await flip.done.wait()

    async def _withdraw(self) -> None:
        if self._parked is not None:
            self._parked.scope.cancel()
            await self._parked.done.wait()  # told so, before anything that this connection does next
            self._parked = None

    async def _replace(self, frame: wire.ReplaceFrame) -> None:
        error: CallerError | None = None
        try:
            require("replace", self._off)
            await self._game.ask(Replace(self._player, frame.old, frame.new))
        except CallerError as refused:
            error = refused
        except GameStopped:
            return
        await self._send(wire.replace_frame(frame, error).decode())


class _FlipUnderWay:
    """One flip of a connection, from its frame to its last outcome."""

    # AF: the flip that _frame asks for; since `settled` it is known whether it was `parked`, since `done` what became
    #     of it, too.
    # RI: `done` implies `settled`, and if `parked` also `told`.

    def __init__(self, frame: wire.FlipFrame, send: Callable[[str], Awaitable[None]]) -> None:
        self._frame: Final = frame
        self._send: Final = send
        self.scope: Final = trio.CancelScope()  # cancelled, it calls the flip off
        self.parked = True
        self.settled: Final = trio.Event()  # set by the owner task when it parks the flip
        self.told: Final = trio.Event()  # the client knows that it waits
        self.done: Final = trio.Event()

    async def run(self, game: Game, command: Flip) -> None:
        """Ask, and send the outcome. An answer that crosses a cancellation of `scope` stands, and is sent."""
        outcome: Flipped | CallerError | Literal["withdrawn"] | None = "withdrawn"
        try:
            with self.scope:
                outcome = await game.ask(command, parked=self.settled)
        except CallerError as refused:
            outcome = refused
        except GameStopped:
            outcome = None
        if self.settled.is_set():
            await self.told.wait()
        else:
            self.parked = False
            self.settled.set()
        if outcome is not None:
            await self._send(wire.flip_frame(self._frame, outcome).decode())
        self.done.set()


def _whole(off: Collection[Switch], snapshot: Snapshot) -> str:
    return wire.board_frame(snapshot, off).decode()


def _change(change: Change) -> str | None:
    if wire.needs_snapshot(change):
        return None
    return (wire.change_frame(change) or b"").decode()


def _error(bad: InvalidCommand) -> str:
    return wire.error_frame(str(bad)).decode()
