"""Classes over HTTP (docs/reference/classes.md): one link, rooms of four, rounds, and a final table.

    POST /classes             open a class: the same body as for a room; the client becomes the teacher
    GET /classes/NAME         the class; with ?after=VERSION the answer waits for a later version
    POST /classes/NAME/join   {"name": "Zoë"}: become a pupil, with a place at a table if a round has begun
    POST /classes/NAME/leave  {"pupil": 3}
    POST /classes/NAME/round  {"round": 2}: begin this round: the server opens the rooms and seats the pupils
    POST /classes/NAME/end    {}: the final table
    GET /c/NAME               the page of teacher and pupils; GET /c/NAME/qr.svg is its link as a QR code

Safe under concurrency: classes and rooms have owner tasks. Of two clients that begin the same round, one succeeds, and
the rooms of the other are removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
import trio
from quart import Response, request
from quart_trio import QuartTrio

from scramble.errors import InvalidCommand
from scramble.front.rooms.answers import body_of, done, json_answer
from scramble.front.rooms.desk import SVG, RoomsDesk
from scramble.front.rooms.room_orders import TOKEN_HEADER, parse_order
from scramble.front.rooms.share import link_at, qr_svg
from scramble.front.rooms.tables import Tables
from scramble.front.web.client import client_at_hand
from scramble.front.web.pages import Page, game_page
from scramble.games.kind import GameKind
from scramble.games.settings import BadSettings, FieldError
from scramble.players.names import BotsName, is_bots_name, parse_display_name, skeleton_of
from scramble.resources import CLIENT
from scramble.rooms.classroom import (
    MOST_SETTINGS,
    Classroom,
    ClassroomChanged,
    EndClassroom,
    FindClassroom,
    JoinClassroom,
    LeaveClassroom,
    OpenClassroom,
)
from scramble.rooms.names import new_name, settled_title
from scramble.rooms.protocol import Rooms
from scramble.rooms.registermessages import LookAgain
from scramble.server.http.finish import may_be_cancelled

PEOPLE: Final = 4
"""Most pupils at a table."""

WAIT_S: Final = 25.0
"""Most seconds for which a request waits for a later version. Proxies drop requests that wait for a minute."""

PAUSE_S: Final = 1.0
"""Seconds from a change to the answers: they join the changes of a moment, because each pupil gets each answer."""


class _Joining(msgspec.Struct, forbid_unknown_fields=True):
    name: str


class _Leaving(msgspec.Struct, forbid_unknown_fields=True):
    pupil: int


class _Round(msgspec.Struct, forbid_unknown_fields=True):
    round: int


class PupilView(msgspec.Struct, frozen=True):
    """A pupil with the sums of the ended games. `gone`: has left."""

    name: str
    points: int
    wins: int
    games: int
    gone: bool


class TableView(msgspec.Struct, frozen=True):
    """A room of the current round, with the numbers of its pupils."""

    room: str
    over: bool
    pupils: list[int]


class ClassView(msgspec.Struct, frozen=True):
    """A class as a client sees it. The number of a pupil is the position in `pupils`, from 0."""

    classroom: str
    game: str
    title: str  # as the teacher chose it; empty: the title of the game
    version: int
    people: int  # most pupils at a table
    round: int  # 0: no round has begun
    over: bool
    teacher: bool
    me: int | None  # the number of this client's pupil
    pupils: list[PupilView]
    waiting: list[int]
    tables: list[TableView]
    links: list[str]  # to the page, for other people, the most useful link first


def add_classes(app: QuartTrio, desk: RoomsDesk, folders: Mapping[str, Path]) -> None:
    """Add the classes to `app`, which has the rooms API. Blocks while it reads the page.

    `folders` are the folders of plug-in games, by name.
    """
    rooms, doorkeeper = desk.rooms, desk.doorkeeper
    html = game_page("classroom", folders).replace(b'="client/', b'="../client/')
    page = Page(CLIENT / "classroom" / "index.html", html)

    def tables() -> Tables:
        return Tables(rooms, doorkeeper, client_at_hand().host)

    def view(classroom: Classroom, holder: str | None) -> Response:
        return json_answer(_view(classroom, holder, desk.reach.links(request, f"/c/{classroom.name}")))

    @app.post("/classes")
    async def open_class() -> Response:
        client = client_at_hand()
        game, settings, order = parse_order(await request.body, rooms.kinds, most_bots=0, turn_s=desk.turn_s)
        encoded = msgspec.json.encode(settings)
        if len(encoded) > MOST_SETTINGS:
            words = f"the settings of a class have at most {MOST_SETTINGS} bytes"
            raise BadSettings({"settings": FieldError.of("too-long", words, most=MOST_SETTINGS)})
        holder = client.take_holder()
        doorkeeper.admit(client.host, request.headers.get(TOKEN_HEADER, ""))
        async with rooms.parsing.place(doorkeeper.asker(client.host)) as run:
            settled = await run(partial(rooms.kinds[game].settle, settings, 0))
        opened = OpenClassroom(
            new_name(),
            game,
            settled_title(order.title),
            msgspec.Raw(encoded),
            1 if settled.get("alone") is True else _people(rooms.kinds[game]),
            holder,
            rooms.now(),
            order.turn_s,
        )
        response = view(await rooms.classroom(opened), holder)
        response.status_code, response.headers["Location"] = 201, f"/c/{opened.name}"
        return response

    @app.get("/classes/<name>")
    async def look(name: str) -> Response:
        after = request.args.get("after", "")
        if after and not (after.isascii() and after.isdigit() and len(after) < 10):
            raise InvalidCommand("after is the version of a class, a number")
        may_be_cancelled(request.scope)
        return view(await _later(rooms, name, int(after) if after else -1), client_at_hand().found())

    @app.post("/classes/<name>/join")
    async def join(name: str) -> Response:
        called, holder = parse_display_name((await body_of(_Joining)).name), client_at_hand().take_holder()
        if is_bots_name(called):
            raise BotsName
        classroom = await rooms.classroom(JoinClassroom(name, holder, called, skeleton_of(called)))
        pupil = classroom.number_of(holder)
        assert pupil is not None
        return view(await tables().seat_late(classroom, pupil), holder)

    @app.post("/classes/<name>/leave")
    async def leave(name: str) -> Response:
        leaving = LeaveClassroom(name, client_at_hand().take_holder(), (await body_of(_Leaving)).pupil)
        await rooms.classroom(leaving)
        return done()

    @app.post("/classes/<name>/round")
    async def begin_round(name: str) -> Response:
        holder, number = client_at_hand().take_holder(), (await body_of(_Round)).round
        return view(await tables().begin_round(name, holder, number), holder)

    @app.post("/classes/<name>/end")
    async def end(name: str) -> Response:
        holder = client_at_hand().take_holder()
        return view(await rooms.classroom(EndClassroom(name, holder, rooms.now())), holder)

    @app.get("/c/<name>")
    async def class_page(name: str) -> Response:
        return await page.response()

    @app.get("/c/<name>/qr.svg")
    async def class_qr(name: str) -> Response:
        links = desk.reach.links(request, f"/c/{(await rooms.classroom(FindClassroom(name))).name}")
        return Response(await qr_svg(link_at(links, request.args.get("link", "0"))), 200, SVG)


def _people(kind: GameKind) -> int:
    """Return the most pupils at a table: four, but two for a game that one bot fills."""
    most = None if kind.bots is None else kind.bots.most
    return PEOPLE if most is None else min(PEOPLE, most + 1)


async def _later(rooms: Rooms, name: str, version: int) -> Classroom:
    """Return the record of a class. Waits until it is later than `version`, but at most `WAIT_S`."""
    changes = rooms.changes()  # before the question, so that no change is missed
    found = await rooms.classroom(FindClassroom(name))
    if found.changes > version:
        return found
    with trio.move_on_after(WAIT_S):
        async for change in changes:
            if change.missed or any(
                isinstance(event, LookAgain) or (isinstance(event, ClassroomChanged) and event.classroom == name)
                for event in change.events
            ):
                await trio.sleep(PAUSE_S)
                break
    return await rooms.classroom(FindClassroom(name))


def _view(classroom: Classroom, holder: str | None, links: list[str]) -> ClassView:
    return ClassView(
        classroom=classroom.name,
        game=classroom.kind,
        title=classroom.title,
        version=classroom.changes,
        people=classroom.people,
        round=classroom.round,
        over=classroom.ended is not None,
        teacher=holder == classroom.host,
        me=None if holder is None else classroom.number_of(holder),
        pupils=[PupilView(one.name, one.points, one.wins, one.games, one.gone) for one in classroom.pupils],
        waiting=classroom.waiting(),
        tables=[TableView(table.room, table.over, list(table.seats.values())) for table in classroom.tables],
        links=links,
    )
