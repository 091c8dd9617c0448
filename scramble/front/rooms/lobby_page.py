"""The lobby's page. It contains the choices for new rooms, the daily challenges, and the icons of the games."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from quart import Response
from quart_trio import QuartTrio

from scramble.front.rooms.desk import RoomsDesk
from scramble.front.rooms.pages import PAGE_HEADERS
from scramble.front.web.page_data import answer_with, in_time, with_data
from scramble.front.web.pages import game_page, icons


def add_lobby_page(app: QuartTrio, desk: RoomsDesk, pages: Mapping[str, Path]) -> None:
    """Serve the lobby's page at `/`. `pages` are the folders of plug-in games. Blocks while it reads the page."""
    html = with_data(game_page("lobby", pages), "icons", icons([*desk.rooms.kinds, "lobby"], pages))

    async def answers() -> Mapping[str, object]:
        return {"rooms/kinds": await desk.choices(), "rooms/daily": await desk.daily()}

    @app.get("/")
    async def lobby() -> Response:
        return await answer_with(html, await in_time(answers) or {}, PAGE_HEADERS)
