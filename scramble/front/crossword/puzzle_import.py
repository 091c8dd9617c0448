"""Import of puzzles over HTTP: `POST /rooms/puzzle` converts another program's file, and stores nothing.

    POST /rooms/puzzle[?name=saturday]   the bytes of an .ipuz, .puz or .puzzle file
    200  {"source": ..., "title": ..., "rows": ..., "columns": ..., "words": ...}

`source` is a value for the settings of a room. Conversions take turns with all other parsing.

Safe under concurrency because it has no state.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import msgspec
from quart import Response, request
from quart_trio import QuartTrio

from scramble.crossword.exchange import MAX_IMPORT_BYTES, import_puzzle
from scramble.front.rooms.room_orders import Doorkeeper
from scramble.rooms.turns import FairTurns
from scramble.server.http.errors import NOT_KEPT

PATH: Final = "/rooms/puzzle"
PUZZLE_BODY_BYTES: Final = MAX_IMPORT_BYTES


class ImportedView(msgspec.Struct, frozen=True):
    """A converted puzzle. `source` is its text, with the solution."""

    source: str
    title: str
    rows: int
    columns: int
    words: int


def add_puzzle_import(app: QuartTrio, parsing: FairTurns, doorkeeper: Doorkeeper) -> None:
    """Add the import to `app`. The handler relies on `rooms_site` to refuse clients that may not open rooms."""

    @app.post(PATH)
    async def convert() -> Response:
        client = request.scope.get("client")
        host = client[0] if client else ""
        doorkeeper.count_parsing(host)
        data = await request.body
        name = request.args.get("name", "")[:100] or "puzzle"
        async with parsing.place(doorkeeper.asker(host)) as run:
            found = await run(partial(import_puzzle, data, name))
        view = ImportedView(found.text, found.title, found.rows, found.columns, found.words)
        return Response(msgspec.json.encode(view) + b"\n", 200, {"Content-Type": "application/json", **NOT_KEPT})
