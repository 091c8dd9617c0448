"""The rooms API (docs/reference/rooms-api.md): programs and the lobby's page open, list, find and remove rooms.

    POST /rooms           open a room: 201, the room's view, and its address in Location
    GET /rooms[?after=]   the public rooms, newest first, at most 100
    GET /rooms/NAME       one room
    DELETE /rooms/NAME    remove the room: only for its host
    GET /rooms/kinds      the choices for a new room
    GET /rooms/daily      today's challenges, with their tables and the client's own attempts
    POST /rooms/daily     begin the client's attempt, or find it again: the answer is like the answer to POST /rooms
    POST /rooms/puzzle    convert another program's crossword; games may add routes for the lobby (`GameFront.lobby`)
    GET /g/NAME/share     links to a room for other people
    GET /g/NAME/qr.svg    one of these links as a QR code

Errors are JSON. A request with invalid fields gets
`{"errors": {field: words}, "codes": {field: {"code": code, "params": {...}}}}`. Other errors are
`{"error": words, "code": code, "params": {...}}`. A page in another language has its own words for each code.

Safe under concurrency: the only state is the counts of the doorkeeper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

import msgspec
import trio
from quart import Response, request
from quart.wrappers import Request
from quart_trio import QuartTrio

from scramble.errors import CallerError, GameStopped, ScrambleError
from scramble.front.games import game_fronts
from scramble.front.rooms.choices import choices_view
from scramble.front.rooms.daily import daily_view
from scramble.front.rooms.room_orders import TOKEN_HEADER, Doorkeeper, parse_attempt, parse_order, settings_in
from scramble.front.rooms.share import Reach, qr_svg
from scramble.front.rooms.views import RoomView, list_view, opened_view, room_view
from scramble.front.web.client import client_at_hand
from scramble.front.web.pages import SECURITY
from scramble.games.settings import BadSettings, FieldError
from scramble.rooms.gathering.refusals import NotTheHost
from scramble.rooms.protocol import RoomRecord, Rooms
from scramble.server.http.errors import NOT_KEPT, retry_after
from scramble.server.http.finish import may_be_cancelled
from scramble.server.protection.middleware import Protection
from scramble.server.protection.origins import require_own_page

JSON: Final = {"Content-Type": "application/json", **NOT_KEPT}
SVG: Final = {**SECURITY, "Content-Type": "image/svg+xml; charset=utf-8", **NOT_KEPT}


class NoSuchLink(CallerError):
    """The room has no link with the number in the request."""

    code = "no-such-link"
    status = 404

    def __init__(self, last: int) -> None:
        self.params = {"last": last}
        super().__init__(f"this room has links from 0 to {last}")


class SharedView(msgspec.Struct, frozen=True):
    """The links to a room for other people, the most useful link first."""

    links: list[str]
    room: RoomView


@dataclass(frozen=True)
class RoomsDesk:
    """The objects and settings of the server that the rooms API needs."""

    rooms: Rooms
    protection: Protection
    doorkeeper: Doorkeeper
    reach: Reach
    most_bots: int
    turn_s: float | None


def add_rooms_api(app: QuartTrio, desk: RoomsDesk) -> None:
    """Add the rooms API to `app`. `app` identifies its clients with `add_secrets`."""
    rooms = desk.rooms
    choices = partial(choices_view, rooms.kinds, desk.doorkeeper.who, desk.most_bots)

    async def wrong_settings(body: bytes) -> dict[str, FieldError]:
        """Return the errors of the settings by field. The body also has other errors."""
        found = settings_in(body, rooms.kinds)
        if found is None:
            return {}
        try:
            desk.doorkeeper.admit(_client(request), request.headers.get(TOKEN_HEADER, ""))  # parsing costs time
            async with rooms.parsing.place(desk.doorkeeper.asker(_client(request))) as run:
                await run(partial(found[0].settle, found[1], 0))
        except BadSettings as bad:
            return bad.fields
        except CallerError:
            pass  # the other errors are enough
        return {}

    @app.post("/rooms")
    async def open_room() -> Response:
        body = await request.body
        try:
            game, settings, order = parse_order(body, rooms.kinds, most_bots=desk.most_bots, turn_s=desk.turn_s)
        except BadSettings as bad:
            raise BadSettings(bad.fields | await wrong_settings(body)) from None
        holder = client_at_hand().take_holder()
        desk.doorkeeper.admit(_client(request), request.headers.get(TOKEN_HEADER, ""))
        create = partial(
            rooms.create,
            game,
            settings,
            msgspec.structs.replace(order, host=holder),
            asker=desk.doorkeeper.asker(_client(request)),
            lasts=partial(may_be_cancelled, request.scope),
            charge=partial(desk.doorkeeper.charge, _client(request)),
        )
        record = await desk.doorkeeper.open(_client(request), rooms.find, create)
        return _opened(rooms, record)

    @app.post("/rooms/daily")
    async def begin_attempt() -> Response:
        game = parse_attempt(await request.body)
        holder = client_at_hand().take_holder()
        desk.doorkeeper.admit(_client(request), request.headers.get(TOKEN_HEADER, ""))
        begin = partial(
            rooms.open_daily,
            game,
            rooms.today(),
            holder,
            asker=desk.doorkeeper.asker(_client(request)),
            lasts=partial(may_be_cancelled, request.scope),
        )
        return _opened(rooms, await desk.doorkeeper.open(_client(request), rooms.find, begin))

    @app.get("/rooms/daily")
    async def daily() -> Response:
        return _json(await daily_view(rooms, client_at_hand().found() or ""))

    @app.get("/rooms")
    async def list_rooms() -> Response:
        return _json(list_view(rooms, await rooms.list(after=request.args.get("after"))))

    @app.get("/rooms/kinds")
    async def kinds() -> Response:
        return _json(await trio.to_thread.run_sync(choices))

    for front in game_fronts().values():
        if front.lobby is not None:
            front.lobby.add(app, rooms.parsing, desk.doorkeeper)

    @app.get("/rooms/<name>")
    async def find_room(name: str) -> Response:
        return _json(await room_view(rooms, await rooms.find(name), client_at_hand().found()))

    @app.delete("/rooms/<name>")
    async def remove_room(name: str) -> Response:
        require_own_page(request.scope, desk.protection.origins)
        record = await rooms.find(name)
        if not record.host or client_at_hand().take_holder() != record.host:
            raise NotTheHost("delete")
        await rooms.remove(name)
        return Response("", 204, NOT_KEPT)

    @app.get("/g/<name>/share")
    async def share(name: str) -> Response:
        record = await rooms.find(name)
        links = desk.reach.links(request, f"/g/{record.name}")
        return _json(SharedView(links, await room_view(rooms, record, client_at_hand().found())))

    @app.get("/g/<name>/qr.svg")
    async def qr(name: str) -> Response:
        links = desk.reach.links(request, f"/g/{(await rooms.find(name)).name}")
        number = request.args.get("link", "0")
        if not (number.isascii() and number.isdigit() and int(number[:9]) < len(links)):
            raise NoSuchLink(len(links) - 1)
        return Response(await qr_svg(links[int(number)]), 200, SVG)

    @app.errorhandler(BadSettings)
    async def bad_settings(error: BadSettings) -> Response:
        return _json({"errors": error.errors, "codes": error.codes}, error.status)

    @app.errorhandler(CallerError)
    @app.errorhandler(GameStopped)
    async def refused(error: ScrambleError) -> Response:
        params = dict(error.params)
        name = (request.view_args or {}).get("name")
        if isinstance(name, str):
            params["room"] = name
        response = _json({"error": str(error), "code": error.code, "params": params}, error.status)
        response.headers.update(retry_after(error))
        return response


def _client(request: Request) -> str:
    client = request.scope.get("client")
    return client[0] if client else ""


def _opened(rooms: Rooms, record: RoomRecord) -> Response:
    response = _json(opened_view(rooms, record), 201)
    response.headers["Location"] = f"/g/{record.name}"
    return response


def _json(view: msgspec.Struct | Mapping[str, object], status: int = 200) -> Response:
    return Response(msgspec.json.encode(view) + b"\n", status, JSON)
