"""JSON in the requests and answers of rooms and classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeVar

import msgspec
from quart import Response, request

from scramble.front.rooms.refusals import BadBody
from scramble.server.http.errors import NOT_KEPT

B = TypeVar("B", bound=msgspec.Struct)

JSON: Final = {"Content-Type": "application/json", **NOT_KEPT}

MOST_REASON: Final = 200  # characters: the reason may contain the name of an unknown field


async def body_of(kind: type[B]) -> B:
    """Return the body of the current request. Raises BadBody."""
    try:
        return msgspec.json.decode(await request.get_data(cache=False) or b"{}", type=kind)
    except msgspec.MsgspecError as bad:
        raise BadBody(str(bad)[:MOST_REASON]) from None


def json_answer(view: msgspec.Struct | Mapping[str, object], status: int = 200) -> Response:
    """Return an answer with the JSON of `view`."""
    return Response(msgspec.json.encode(view) + b"\n", status, JSON)


def done() -> Response:
    """Return an answer without a body."""
    return Response(b"", 204, NOT_KEPT)
