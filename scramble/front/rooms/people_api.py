"""Acts of the people in a room over HTTP: requests of the host, of players and of visitors.

    POST /names     {"name": "Zoë", "avatar": 7 | null}  -> {"player": "Zoe", "name": "Zoë"}: a seat with the name
    POST /again     {}                                   -> 201, {"room": name} and Location of the next game
    POST /settings  {"settings": {...} | null, "turn_clock": 45}   for the next game
    POST /vote      {"wanted": true}                     -> a new game if most players want it
    POST /remove    {"player": "bob"}    POST /rename {"title": "Friday"}    POST /close {}
    POST /react     {"emoji": "👍", "player": "Zoe"}
    POST /handover  {"player": "Zoe", "address": "http://..."} -> {"link": ..., "qr": an image}: for another device
    POST /seat      {"ticket": the end of the link}      -> {"player": ..., "name": ...}: this device has the seat now;
                                                            the first device can take it back with the same ticket

All paths are below a room's address. Answers are 204 without a body, or the JSON above. Refusals are
`{"error": words, "code": code, "params": {...}}`; refused settings also have `errors` and `codes` by field. The cookie
or the bearer token identifies the client as the holder of its seats. A request with a cookie must come from the
server's own page, or from a page of an allowed origin. The content type of its body must be JSON (see `web.client`).

Safe under concurrency: this module has no state, `GatheringFront` is safe, and game and register have owner tasks.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Annotated, Final, TypeAlias

import msgspec
from quart import Response, request
from quart_trio import QuartTrio

from scramble.errors import ScrambleError
from scramble.front.rooms.answers import JSON, body_of, done, json_answer
from scramble.front.rooms.current_room import visiting
from scramble.front.rooms.gathering import GatheringFront
from scramble.front.rooms.room_orders import TOKEN_HEADER, parse_turn_s
from scramble.front.rooms.share import qr_data
from scramble.front.web.client import client_at_hand
from scramble.front.web.names import NamedPlayer, claim_name
from scramble.front.web.seats import CurrentSeats
from scramble.games.settings import BadSettings, FieldError
from scramble.players.names import BotsName, is_bots_name, parse_display_name, player_of
from scramble.rooms.gathering.names import AVATARS
from scramble.server.http.errors import retry_after

MOST_ADDRESS: Final = 100
"""Limit of a room's address in a handover link, in characters. Real addresses are much shorter."""

CurrentGathering: TypeAlias = Callable[[], GatheringFront]
"""Function that returns the front of the gathering in the current request's room."""


class _Name(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    avatar: Annotated[int, msgspec.Meta(ge=0, lt=AVATARS)] | None = None


class _Settings(msgspec.Struct, forbid_unknown_fields=True):
    settings: dict[str, object] | None
    turn_clock: int | str | None = None  # None: the turn clock of this game


class _Vote(msgspec.Struct, forbid_unknown_fields=True):
    wanted: bool = True


class _Player(msgspec.Struct, forbid_unknown_fields=True):
    player: str


class _Title(msgspec.Struct, forbid_unknown_fields=True):
    title: str


class _Reaction(msgspec.Struct, forbid_unknown_fields=True):
    emoji: str
    player: str | None = None


class _HandOver(msgspec.Struct, forbid_unknown_fields=True):
    player: str
    address: Annotated[str, msgspec.Meta(pattern=r"^https?://[^\s#]+$", max_length=MOST_ADDRESS)]


class _Ticket(msgspec.Struct, forbid_unknown_fields=True):
    ticket: str


class _Link(msgspec.Struct):
    link: str
    qr: str


class _Next(msgspec.Struct):
    room: str


def add_acts(app: QuartTrio, current: CurrentGathering, current_seats: CurrentSeats) -> None:
    """Add the routes of the acts to `app`. `app` identifies its clients with `add_secrets`."""

    def holder() -> str:
        return client_at_hand().take_holder()

    @_post(app, "/names")
    async def names() -> Response:
        wanted, who = await body_of(_Name), holder()
        room, gathering = visiting().room, current()
        gathering.require_welcome(who)
        if room.record.names == "open":
            name = parse_display_name(wanted.name)
            if is_bots_name(name):
                raise BotsName
            named = NamedPlayer(player_of(name), name)
        else:
            named = await claim_name(room.game.ask, wanted.name, who)
        await gathering.note_name(named.player, named.name)
        if wanted.avatar is not None:
            await gathering.note_avatar(named.player, wanted.avatar)
        return json_answer(named)

    @_post(app, "/again")
    async def again() -> Response:
        room = await current().again(holder(), request.headers.get(TOKEN_HEADER, ""))
        return Response(msgspec.json.encode(_Next(room)), 201, {**JSON, "Location": f"/g/{room}"})

    @_post(app, "/settings")
    async def settings() -> Response:
        wanted, gathering, errors = await body_of(_Settings), current(), dict[str, FieldError]()
        turn_s = visiting().room.record.turn_s
        if wanted.turn_clock is not None:
            turn_s = parse_turn_s(wanted.turn_clock, errors)
        if errors:
            raise BadSettings(errors)
        await gathering.set_next(holder(), wanted.settings, turn_s)
        return done()

    @_post(app, "/vote")
    async def vote() -> Response:
        await current().vote(holder(), (await body_of(_Vote)).wanted)
        return done()

    @_post(app, "/rename")
    async def rename() -> Response:
        await current().rename(holder(), (await body_of(_Title)).title)
        return done()

    @_post(app, "/remove")
    async def remove() -> Response:
        await current().remove(holder(), (await body_of(_Player)).player)
        return done()

    @_post(app, "/close")
    async def close() -> Response:
        await current().close(holder())
        return done()

    @_post(app, "/react")
    async def react() -> Response:
        reaction = await body_of(_Reaction)
        await current().react(holder(), reaction.player, reaction.emoji)
        return done()

    @_post(app, "/handover")
    async def hand_over() -> Response:
        wanted = await body_of(_HandOver)
        link = f"{wanted.address}#seat={await current().give_ticket(holder(), wanted.player)}"
        return json_answer(_Link(link, await qr_data(link)))

    @_post(app, "/seat")
    async def take_seat() -> Response:
        named = await current().use_ticket(holder(), (await body_of(_Ticket)).ticket)
        seats = current_seats()
        if seats is not None:
            seats.forget(named.player)
        return json_answer(named)


def _post(app: QuartTrio, path: str) -> Callable[[Callable[[], Awaitable[Response]]], None]:
    """Return a decorator that registers a handler. The handler's refusals become JSON answers."""

    def register(handler: Callable[[], Awaitable[Response]]) -> None:
        @wraps(handler)
        async def answering() -> Response:
            try:
                return await handler()
            except ScrambleError as refused:
                return _refusal(refused)

        app.post(path)(answering)

    return register


def _refusal(refused: ScrambleError) -> Response:
    errors = {"errors": refused.errors, "codes": refused.codes} if isinstance(refused, BadSettings) else {}
    body = {"error": str(refused), "code": refused.code, "params": dict(refused.params), **errors}
    return Response(msgspec.json.encode(body), refused.status, {**JSON, **retry_after(refused)})
