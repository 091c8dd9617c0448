"""The mount of rooms: ASGI middleware that passes `/g/NAME/...` to the room's game, and other paths to the lobby.

    app = mount_rooms(lobby, rooms, site)

`/g/NAME` is the room's page. A room has the same addresses as a server of one game, below its page:
`/g/NAME/look/alice`, `/g/NAME/play/alice`. All rooms of a kind share one application. A request or a WebSocket wakes
the room, and keeps it awake until the request or WebSocket ends.

If a room cannot be entered, browsers get a page, and programs get a line of text. WebSocket clients cannot read a
refused handshake, so the mount accepts the WebSocket, and closes it with a code and a reason:

    4404 no-such-room, room-lost    4410 room-removed, room-closed, room-broken, no-such-game    4503 room-damaged
    1013 awake-full, memory-full    1001 the server stops    1011 the opening of the game failed: try again later
    1012 the game moves to another process: connect again

The end of a room closes its open WebSockets in the same way. A crash of the room's game closes them with 1011. The next
connection opens the game again.

Safe under concurrency because it has no state.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Final

import trio
from hypercorn.typing import (
    ASGIFramework,
    ASGIReceiveCallable,
    ASGISendCallable,
    ASGISendEvent,
    HTTPScope,
    Scope,
    WebsocketScope,
)
from quart_trio import QuartTrio

from scramble.errors import CallerError, GameMoved, GameStopped, Refusal, ScrambleError
from scramble.front.games import game_fronts
from scramble.front.rooms.current_room import visit
from scramble.front.rooms.gathering import GatheringFront
from scramble.front.rooms.house import RoomHouse
from scramble.front.rooms.pages import PAGE_HEADERS, RefusalPage, wants_page
from scramble.front.rooms.room_orders import Doorkeeper
from scramble.front.rooms.share import Reach, shared_view
from scramble.front.site import SiteConfig
from scramble.rooms.protocol import Room, Rooms, RoomsFull
from scramble.rooms.supervision import require_enterable
from scramble.server.http.closing import (
    GOING_AWAY,
    MOVED,
    WEBSOCKET_LINGER_S,
    CloseReason,
    close_reason_of,
    end_of_game,
)
from scramble.server.http.errors import MOVING_S, Headers, refusal
from scramble.server.protection.origins import header

PLACE: Final = re.compile("(/g/([^/]+))(/.*)?", re.DOTALL)
"""A path in a room. Groups: the path of the room, its name, and the path inside the room."""

OUTSIDE: Final = frozenset({"/share", "/qr.svg"})
"""Paths about a room that do not belong to its game. A request for one of these paths does not wake the room."""

TRY_LATER: Final = 1013
"""WebSocket close code: the server is full."""

RETRY_AFTER_S: Final = 10
"""Pause before clients of a full server try again. Rooms without people fall asleep in this time, and free memory."""

GONE_S: Final = 0.5
"""Time limit for the query why a room has ended. Without an answer, clients get the reason when they reconnect."""


def mount_rooms(
    app: ASGIFramework,
    rooms: Rooms,
    site: SiteConfig,
    doorkeeper: Doorkeeper | None = None,
    reach: Reach | None = None,
) -> ASGIFramework:
    """Wrap the application `app`. `app` gets all requests outside the rooms' games.

    `site` is the configuration of the lobby and of all rooms: the limits, and the counters of traffic. The `doorkeeper`
    checks the permission to begin the next game of a room, and limits these games. None: everybody may begin games,
    with the default limits. `reach` makes the links in the rooms' pages. None: the links have the name in the client's
    request. Blocks while it reads the pages.

    Raises ValueError if `rooms` has a kind of game without an application.
    """
    doorkeeper = doorkeeper or Doorkeeper()
    rooms.openings = doorkeeper
    apps = _room_apps(rooms, site, doorkeeper, reach or Reach())
    unknown = rooms.kinds.keys() - apps.keys()
    if unknown:
        raise ValueError(f"rooms of {', '.join(sorted(unknown))} have no application")
    page = RefusalPage()

    async def mounted(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        place = None if scope["type"] == "lifespan" else PLACE.fullmatch(scope["path"])
        if scope["type"] == "lifespan" or place is None or place[3] in OUTSIDE:
            await app(scope, receive, send)
            return
        root, name, path = place.groups()
        inside = False
        try:
            async with rooms.enter(name) as room:
                inside = True
                if scope["type"] == "websocket":
                    send = _translating(rooms, room, send)
                with visit(room, "" if path else f"{name}/", scope["client"][0] if scope["client"] else ""):
                    await apps[room.record.kind](_within(scope, root, path or "/"), receive, send)
        except (Refusal, GameStopped) as refused:
            if inside:
                raise
            if scope["type"] == "websocket":
                await _turn_away(refused, receive, send)
            elif wants_page((header(scope, b"accept") or b"").decode("latin1")):
                body = page.body(refused.code, str(refused), scope["path"], await _successor(rooms, name))
                await _refuse(refused, scope, send, body)
            else:
                await _refuse(refused, scope, send)

    return mounted


def _room_apps(rooms: Rooms, site: SiteConfig, doorkeeper: Doorkeeper, reach: Reach) -> Mapping[str, QuartTrio]:
    """Make the application of each kind. Blocks while it reads the pages."""

    def make_gathering(room: Room) -> GatheringFront:
        return GatheringFront(room, rooms, doorkeeper)

    def gathering_of(room: Room) -> GatheringFront:
        return room.attached(make_gathering, while_visited=True)

    shared = partial(shared_view, rooms, reach)
    return {
        name: front.room_app(RoomHouse(rooms.kinds.get(name, front.kind), site, gathering_of, shared))
        for name, front in game_fronts().items()
    }


def _within(scope: HTTPScope | WebsocketScope, root: str, path: str) -> HTTPScope | WebsocketScope:
    """Return the scope for the application of the room. Its paths are relative to the room's path."""
    raw = bytes(scope["raw_path"])
    inner = scope.copy()
    inner["path"] = path
    inner["raw_path"] = b"/" + raw.split(b"/", 3)[3] if raw.count(b"/") >= 3 else b"/"
    return inner


async def _successor(rooms: Rooms, name: str) -> str | None:
    """Return the successor of a room that cannot be entered; None if the successor cannot be entered."""
    try:
        found = await rooms.successor(name)
        return None if found is None else found.name
    except (Refusal, GameStopped):
        return None


async def _refuse(refused: ScrambleError, scope: HTTPScope, send: ASGISendCallable, page: bytes | None = None) -> None:
    """Answer a request to a room that cannot be entered. The answer is `page`; None: a line of text."""
    retry_after_s = RETRY_AFTER_S if isinstance(refused, RoomsFull) else None
    if isinstance(refused, GameMoved):
        retry_after_s = MOVING_S
    headers, body = refusal(str(refused), retry_after_s=retry_after_s)
    if page is not None:
        headers, body = _as_page(headers, len(page)), page
        if isinstance(refused, GameMoved):
            headers.append((b"refresh", str(MOVING_S).encode()))  # browsers ignore Retry-After
    await send({"type": "http.response.start", "status": refused.status, "headers": headers, "trailers": False})
    body = b"" if scope["method"] == "HEAD" else body
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _as_page(headers: Headers, length: int) -> Headers:
    """Return the headers of a refusal page. `headers` are the headers of the same refusal in text."""
    own = {name.lower().encode(): value.encode() for name, value in PAGE_HEADERS.items()}
    own[b"content-length"] = b"%d" % length
    return [(name, value) for name, value in headers if name not in own] + list(own.items())


async def _turn_away(refused: CallerError | GameStopped, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
    """Accept a WebSocket, close it with the reason, and wait while the client reads the reason."""
    reason = close_reason(refused)
    await receive()  # the handshake
    await send({"type": "websocket.accept", "subprotocol": None, "headers": []})
    await send({"type": "websocket.close", "code": reason.code, "reason": reason.reason})
    with trio.move_on_after(WEBSOCKET_LINGER_S):
        await receive()


def close_reason(refused: CallerError | GameStopped) -> CloseReason:
    """Return the reason for closing a WebSocket to a room that cannot be entered."""
    match refused:
        case RoomsFull():
            return CloseReason(TRY_LATER, refused.code)
        case GameStopped():
            return end_of_game(refused)
        case _:
            return close_reason_of(refused)


def _translating(rooms: Rooms, room: Room, send: ASGISendCallable) -> ASGISendCallable:
    """Return a `send` for a WebSocket in `room`. It corrects the close codes 1001 and 1012.

    A closed game closes its WebSockets with 1001, both at the end of the server and at the end of the room. If clients
    cannot enter the room, `send` closes the WebSocket with the reason. Otherwise, in a cluster, it closes the WebSocket
    with 1012, because another process continues the room.
    """

    async def translating(message: ASGISendEvent) -> None:
        if message["type"] != "websocket.close" or message["code"] not in (GOING_AWAY.code, MOVED.code):
            await send(message)
            return
        gone: CloseReason | None = None
        asked = trio.Event()

        async def ask() -> None:
            nonlocal gone
            gone = await _gone(rooms, room)
            asked.set()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            with trio.move_on_after(GONE_S):  # the register may be moving to another process
                await asked.wait()
            if gone is not None or room.place:
                reason = gone or MOVED
                message["code"], message["reason"] = reason.code, reason.reason
            await send(message)  # do not wait longer for the answer: the register's owner may be waiting for its log
            nursery.cancel_scope.cancel()

    return translating


async def _gone(rooms: Rooms, room: Room) -> CloseReason | None:
    """Return the reason why clients cannot enter the room; None if they can enter it, or if the server stops."""
    if room.game.stats().stopped is None:
        return None  # the client has left, or the server stops
    try:
        require_enterable(await rooms.find(room.record.name))
    except Refusal as refused:
        return close_reason(refused)  # do not return the refusal: its traceback would keep the room in memory
    except GameStopped:
        pass
    return None
