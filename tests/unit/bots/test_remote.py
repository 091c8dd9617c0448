"""Bots on other servers: recognizing the game by its frames, and lost connections.

Strategy:
- the first frames of each game; frames that all games send; frames that no game sends
- lost connections: more than the bot retries, at once, or each after a while. On an autojump clock, with memory streams
  in place of the network, and a real WebSocket at both ends
tests/system/cli/test_bot.py runs bots at real servers.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import pytest
import trio
from trio.testing import memory_stream_pair
from trio_websocket import ConnectionClosed, WebSocketConnection, wrap_server_stream

from scramble.bots.remote import LASTED_S, RETRIES_S, kind_of, play_at, taught_minds
from scramble.games.remote_bot import RemoteError, as_json
from tests.support.botclock import play_out


@pytest.mark.parametrize(
    ("frame", "name"),
    [
        ('{"type": "board", "version": 0}', "memory"),
        ('{"type": "field", "version": 0}', "minesweeper"),
        ('{"state": "START", "player": null}', "crossword"),
        ('{"type": "players", "players": []}', None),
        ('{"type": "state", "kind": "a game that is not installed"}', None),
    ],
)
def test_the_kind_of_a_game_is_found_by_its_frames(frame: str, name: str | None) -> None:
    kind = kind_of(frame)
    assert (None if kind is None else kind.name) == name


@pytest.mark.parametrize("frame", ["hello", "[]", '{"type": 1}'])
def test_other_servers_are_refused(frame: str) -> None:
    with pytest.raises(RemoteError, match="does not have a known game"):
        kind_of(frame)


# --- lost connections ---

Serve: TypeAlias = Callable[[WebSocketConnection, int], Awaitable[None]]
"""A server of one connection after that number of earlier ones. The connection is lost when it returns."""

CARD = {"is": "up", "card": "A", "by": "ann"}
OPEN, OVER = (
    as_json(type="board", version=1, rows=1, columns=2, cells=cells, scores={}, waiting={}, pairs_left=1)
    for cells in ([CARD, {"is": "down"}], [CARD, CARD])
)


def play_with(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let a bot play at this server. Return its announcements, and its result at the end."""

    async def main() -> list[str]:
        said: list[str] = []
        connections = 0

        async def connect(host: str, port: int) -> trio.abc.Stream:
            ours, theirs = memory_stream_pair()
            nursery.start_soon(accept, theirs)
            await trio.lowlevel.checkpoint()
            return ours

        async def accept(stream: trio.abc.Stream) -> None:
            nonlocal connections
            async with trio.open_nursery() as connection:
                request = await wrap_server_stream(connection, stream)
                websocket = await request.accept()
                connections += 1
                await serve(websocket, connections - 1)
                await trio.aclose_forcefully(stream)
                connection.cancel_scope.cancel()

        monkeypatch.setattr(trio, "open_tcp_stream", connect)
        async with trio.open_nursery() as nursery:
            said.append(await play_at("http://127.0.0.1:8080", "bot", minds=minds, announce=said.append))
        return said

    minds = taught_minds()
    return play_out(main)


def test_a_bot_survives_any_number_of_lost_connections_if_each_lasts_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    async def serve(websocket: WebSocketConnection, earlier: int) -> None:
        if earlier < 2 * len(RETRIES_S):
            await websocket.send_message(OPEN)
            await trio.sleep(LASTED_S + 1)
        else:
            with pytest.raises(ConnectionClosed):
                await websocket.send_message(OVER)
                while True:
                    await websocket.get_message()

    _, *lost, result = play_with(serve, monkeypatch)
    assert lost == 2 * len(RETRIES_S) * ["connection lost; trying again"]
    assert result == "0 pairs"


def test_a_bot_gives_up_after_many_lost_connections_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def serve(websocket: WebSocketConnection, _: int) -> None:
        await websocket.send_message(OPEN)
        await trio.sleep(1)

    with pytest.raises(BaseExceptionGroup) as group:
        play_with(serve, monkeypatch)
    assert group.group_contains(RemoteError, match="the connection is lost again and again")
