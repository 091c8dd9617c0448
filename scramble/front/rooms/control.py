"""Control of a running server by its operator: a port that only programs of this machine can reach.

    async with open_control(rooms, folder):                # in the server
        ...
    answer = ask_server(folder, ControlRequest("list"))    # in the operator's program; None: no server uses the folder

The server writes a file with the port's address and a secret to the folder of the rooms. Only the owner of the file can
read it. The server removes the file at its end. After a crash the file has an address without a server, or the address
of another program. That program gets only a secret that is no longer valid.

Safe under concurrency because it has no state.
"""

from __future__ import annotations

import os
import secrets
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final, Literal

import msgspec
import trio
from quart import Response, request

from scramble.errors import CallerError, OperatorError, ScrambleError
from scramble.front.rooms.views import ListedView, listed_view
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.rooms.protocol import Rooms
from scramble.server.asgi import quart_app
from scramble.server.http.errors import NOT_KEPT, add_refusals
from scramble.server.http.server import serve_app

CONTROL_FILE: Final = "control"  # name of the file in the folder of the rooms
CONTROL_SECRET_BYTES: Final = 32
ANSWER_S: Final = 30.0
ROOMS_LISTED_AT_ONCE: Final = 1000  # the most rooms in one answer of the register


class ControlRequest(msgspec.Struct, frozen=True):
    """A request of an operator: list all rooms, close a room, or remove a room."""

    action: Literal["list", "close", "remove"]
    room: str = ""


class ControlledView(ListedView, frozen=True):
    """The view of a room for operators."""

    public: bool


class ControlAnswer(msgspec.Struct, frozen=True):
    """The listed rooms, newest first. Or an error in words."""

    rooms: list[ControlledView] = []
    error: str | None = None


class ControlFailed(OperatorError):
    """The control file is unreadable, or the server did not answer."""

    code = "no-control"


class _Place(msgspec.Struct, frozen=True):
    """The contents of the control file."""

    url: str
    secret: str


class _Stranger(CallerError):
    """A request without the secret."""

    code = "stranger"
    status = 403


async def carry_out(rooms: Rooms, wanted: ControlRequest) -> ControlAnswer:
    """Execute a request of an operator, and return the answer. Waits for the register."""
    try:
        match wanted.action:
            case "close":
                await rooms.close(wanted.room)
            case "remove":
                await rooms.remove(wanted.room)
            case "list":
                return ControlAnswer(await _list(rooms))
    except ScrambleError as refused:
        return ControlAnswer(error=str(refused))
    return ControlAnswer()


async def _list(rooms: Rooms) -> list[ControlledView]:
    found: list[ControlledView] = []
    after: str | None = None
    while records := await rooms.list(after=after, most=ROOMS_LISTED_AT_ONCE, hidden=True):
        for record in records:
            listed = msgspec.structs.asdict(listed_view(rooms, record))
            found.append(msgspec.convert(listed | {"public": record.public}, ControlledView))
        after = records[-1].name
    return found


@asynccontextmanager
async def open_control(rooms: Rooms, folder: Path) -> AsyncIterator[None]:
    """Answer operators' requests during the block. Raises CannotListen, or OSError if the folder is not writable."""
    secret = secrets.token_urlsafe(CONTROL_SECRET_BYTES)
    app = quart_app()
    add_refusals(app)

    @app.post("/")
    async def act() -> Response:
        brought = request.headers.get("Authorization", "")
        if not secrets.compare_digest(brought.encode(), f"Bearer {secret}".encode()):
            raise _Stranger("the request does not have the secret of the control file")
        wanted = msgspec.json.decode(await request.body, type=ControlRequest)
        answer = msgspec.json.encode(await carry_out(rooms, wanted))
        return Response(answer, 200, {"Content-Type": "application/json", **NOT_KEPT})

    async with open_side_nursery(cancel) as nursery:
        address = await nursery.start(partial(serve_app, app, host="127.0.0.1", port=0))
        path = folder / CONTROL_FILE
        await trio.to_thread.run_sync(_write, path, msgspec.json.encode(_Place(address.url, secret)))
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _write(path: Path, content: bytes) -> None:
    path.unlink(missing_ok=True)  # a crashed server has left the file
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)


def ask_server(folder: Path, wanted: ControlRequest) -> ControlAnswer | None:
    """Send a request to the server that uses the folder, and return the answer. Blocks.

    Returns None if no server uses the folder. Raises ControlFailed if the server does not answer, or if the control
    file is unreadable.
    """
    try:
        place = msgspec.json.decode((folder / CONTROL_FILE).read_bytes(), type=_Place)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError) as error:
        raise ControlFailed(f"{folder / CONTROL_FILE} cannot be read: {error}") from error
    asking = urllib.request.Request(
        place.url, msgspec.json.encode(wanted), {"Authorization": f"Bearer {place.secret}"}, method="POST"
    )
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # use no proxy on this machine
    try:
        with direct.open(asking, timeout=ANSWER_S) as answer:
            return msgspec.json.decode(answer.read(), type=ControlAnswer)
    except (urllib.error.HTTPError, msgspec.DecodeError):
        return None  # the server has crashed, and another program uses its port
    except OSError as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(reason, ConnectionRefusedError):
            return None  # the server has crashed
        raise ControlFailed(f"the server of {folder} does not answer: {reason}") from error
