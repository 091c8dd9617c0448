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

from functools import partial

import msgspec
from quart import Response, request
from quart_trio import QuartTrio

from scramble.errors import CallerError, GameStopped, ScrambleError
from scramble.front.games import game_fronts
from scramble.front.rooms.answers import json_answer
from scramble.front.rooms.desk import SVG, RoomsDesk
from scramble.front.rooms.room_orders import TOKEN_HEADER, parse_attempt, parse_order, settings_in
from scramble.front.rooms.share import link_at, qr_svg, shared_view
from scramble.front.rooms.views import list_view, opened_view, room_view
from scramble.front.web.client import client_at_hand
from scramble.games.settings import BadSettings, FieldError
from scramble.rooms.gathering.refusals import NotTheHost
from scramble.rooms.protocol import RoomRecord, Rooms
from scramble.server.http.errors import NOT_KEPT, retry_after
from scramble.server.http.finish import may_be_cancelled
from scramble.server.protection.origins import require_own_page


def add_rooms_api(app: QuartTrio, desk: RoomsDesk) -> None:
    """Add the rooms API to `app`. `app` identifies its clients with `add_secrets`."""
    rooms = desk.rooms

    async def wrong_settings(body: bytes) -> dict[str, FieldError]:
        """Return the errors of the settings by field. The body also has other errors."""
        found = settings_in(body, rooms.kinds)
        if found is None:
            return {}
        try:
            desk.doorkeeper.admit(client_at_hand().host, request.headers.get(TOKEN_HEADER, ""))  # parsing costs time
            async with rooms.parsing.place(desk.doorkeeper.asker(client_at_hand().host)) as run:
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
        desk.doorkeeper.admit(client_at_hand().host, request.headers.get(TOKEN_HEADER, ""))
        create = partial(
            rooms.create,
            game,
            settings,
            msgspec.structs.replace(order, host=holder),
            asker=desk.doorkeeper.asker(client_at_hand().host),
            lasts=partial(may_be_cancelled, request.scope),
            charge=partial(desk.doorkeeper.charge, client_at_hand().host),
        )
        record = await desk.doorkeeper.open(client_at_hand().host, rooms.find, create)
        return _opened(rooms, record)

    @app.post("/rooms/daily")
    async def begin_attempt() -> Response:
        game = parse_attempt(await request.body)
        holder = client_at_hand().take_holder()
        desk.doorkeeper.admit(client_at_hand().host, request.headers.get(TOKEN_HEADER, ""))
        begin = partial(
            rooms.open_daily,
            game,
            rooms.today(),
            holder,
            asker=desk.doorkeeper.asker(client_at_hand().host),
            lasts=partial(may_be_cancelled, request.scope),
        )
        return _opened(rooms, await desk.doorkeeper.open(client_at_hand().host, rooms.find, begin))

    @app.get("/rooms/daily")
    async def daily() -> Response:
        return json_answer(await desk.daily())

    @app.get("/rooms")
    async def list_rooms() -> Response:
        return json_answer(list_view(rooms, await rooms.list(after=request.args.get("after"))))

    @app.get("/rooms/kinds")
    async def kinds() -> Response:
        return json_answer(await desk.choices())

    for front in game_fronts().values():
        if front.lobby is not None:
            front.lobby.add(app, rooms.parsing, desk.doorkeeper)

    @app.get("/rooms/<name>")
    async def find_room(name: str) -> Response:
        return json_answer(await room_view(rooms, await rooms.find(name), client_at_hand().found()))

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
        return json_answer(await shared_view(rooms, desk.reach, await rooms.find(name)))

    @app.get("/g/<name>/qr.svg")
    async def qr(name: str) -> Response:
        links = desk.reach.links(request, f"/g/{(await rooms.find(name)).name}")
        return Response(await qr_svg(link_at(links, request.args.get("link", "0"))), 200, SVG)

    @app.errorhandler(BadSettings)
    async def bad_settings(error: BadSettings) -> Response:
        return json_answer({"errors": error.errors, "codes": error.codes}, error.status)

    @app.errorhandler(CallerError)
    @app.errorhandler(GameStopped)
    async def refused(error: ScrambleError) -> Response:
        params = dict(error.params)
        name = (request.view_args or {}).get("name")
        if isinstance(name, str):
            params["room"] = name
        response = json_answer({"error": str(error), "code": error.code, "params": params}, error.status)
        response.headers.update(retry_after(error))
        return response


def _opened(rooms: Rooms, record: RoomRecord) -> Response:
    response = json_answer(opened_view(rooms, record), 201)
    response.headers["Location"] = f"/g/{record.name}"
    return response
