"""Memory Scramble as an ASGI application, for people who run hypercorn themselves. Settings are in the environment:

    SCRAMBLE_BOARD=boards/memory/animals.txt hypercorn -k trio 'scramble.app:create_app()'

docs/how-to/behind-a-proxy.md has them all. What concerns connections (TLS, how many, how slow) is hypercorn's business
then, and has settings of hypercorn's.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import cast

import click
from hypercorn.typing import ASGIFramework, ASGIReceiveCallable, ASGISendCallable, Scope

from scramble.errors import FileFormatError, ScrambleError
from scramble.front.around import Around
from scramble.front.guard import Protection, parse_origin
from scramble.front.http import Edition, make_app
from scramble.front.limits import Limits
from scramble.front.server import guarded
from scramble.front.switches import Switch
from scramble.front.traffic import observed
from scramble.limit_options import LIMITS
from scramble.memory import Board, open_game
from scramble.resources import BOARDS

YES = ("1", "yes", "true", "on")
NO = ("", "0", "no", "false", "off")

LIMITS_HELD = (  # the others are about connections
    "connections_by_address",
    "requests_per_s",
    "requests",
    "parked",
    "body_bytes",
    "frame_bytes",
    "frames_per_s",
    "request_s",
)


class BadSetting(ScrambleError):
    """An environment variable whose value cannot be used."""

    code = "bad-setting"


class MemoryApp:
    """An ASGI application whose game lives as long as the server: from the lifespan's start-up to its shutdown."""

    def __init__(
        self,
        board: Board,
        edition: Edition,
        watch_timeout: float | None,
        release_idle: float | None,
        off: frozenset[Switch] = frozenset(),
        protection: Protection | None = None,
    ) -> None:
        self._protection = protection or Protection()
        self._open = partial(open_game, board, release_idle=release_idle)
        self._make_app = partial(make_app, edition=edition, watch_timeout=watch_timeout, off=off)
        self._app: ASGIFramework | None = None

    async def __call__(self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        if scope["type"] == "lifespan":
            async with self._open() as game:
                around = Around(protection=self._protection)
                self._app = observed(guarded(self._make_app(game, around=around), self._protection), around.traffic)
                await self._app(scope, receive, send)
        elif self._app is None:
            raise RuntimeError("scramble needs a server that speaks the lifespan protocol, such as hypercorn")
        else:
            await self._app(scope, receive, send)


def create_app() -> MemoryApp:
    """An ASGI application for `hypercorn -k trio 'scramble.app:create_app()'`, with one worker.

    Settings come from the environment: `SCRAMBLE_BOARD` (a file; default: the packaged board), `SCRAMBLE_EDITION`
    (2022 or 2025), `SCRAMBLE_WATCH_TIMEOUT` and `SCRAMBLE_RELEASE_IDLE` (seconds; default: none), `SCRAMBLE_NO_NEW`,
    `SCRAMBLE_NO_REPLACE`, `SCRAMBLE_SEATS` and `SCRAMBLE_BEHIND_PROXY` (1 is yes), `SCRAMBLE_ORIGIN` (separated by
    spaces; default: all) and the limits on requests, such as `SCRAMBLE_REQUESTS_PER_S`. Raises BadSetting for what
    it cannot use.
    """
    board = _board("SCRAMBLE_BOARD")
    edition = os.environ.get("SCRAMBLE_EDITION") or "2025"
    if edition not in ("2022", "2025"):
        raise BadSetting(f"SCRAMBLE_EDITION must be 2022 or 2025, not {edition!r}")
    times = (_seconds("SCRAMBLE_WATCH_TIMEOUT"), _seconds("SCRAMBLE_RELEASE_IDLE"))
    switches: dict[Switch, bool] = {"replace": _flag("SCRAMBLE_NO_REPLACE"), "new": _flag("SCRAMBLE_NO_NEW")}
    off = frozenset(switch for switch, is_off in switches.items() if is_off)
    origins, behind_proxy = _origins("SCRAMBLE_ORIGIN"), _flag("SCRAMBLE_BEHIND_PROXY")
    seats = _flag("SCRAMBLE_SEATS")
    protection = Protection(limits=_limits(), origins=origins, seats=seats, behind_proxy=behind_proxy)
    return MemoryApp(board, cast(Edition, edition), *times, off, protection)


def _board(setting: str) -> Board:
    try:
        return Board.parse_from_file(Path(os.environ.get(setting) or BOARDS / "memory" / "perfect.txt"))
    except (FileFormatError, OSError) as error:
        raise BadSetting(f"{setting}: {error}") from error


def _seconds(setting: str) -> float | None:
    text = os.environ.get(setting)
    try:
        seconds = float(text) if text else None
    except ValueError:
        seconds = -1
    if seconds is not None and not seconds > 0:
        raise BadSetting(f"{setting} must be a number of seconds above 0, not {text!r}")
    return seconds


def _flag(setting: str) -> bool:
    text = os.environ.get(setting, "").lower()
    if text not in (*YES, *NO):
        raise BadSetting(f"{setting} must be 1 or 0, not {text!r}")
    return text in YES


def _origins(setting: str) -> tuple[str, ...]:
    try:
        return tuple(map(parse_origin, os.environ.get(setting, "").split()))
    except ValueError as error:
        raise BadSetting(f"{setting}: {error}") from None


def _limits() -> Limits:
    given: dict[str, object] = {}
    for limit in LIMITS:
        setting = f"SCRAMBLE_{limit.name.removeprefix('--').replace('-', '_').upper()}"
        text = os.environ.get(setting)
        if text and limit.field in LIMITS_HELD:
            try:
                given[limit.field] = click.types.convert_type(limit.type).convert(text, None, None)
            except click.BadParameter as error:
                raise BadSetting(f"{setting}: {error.message}") from None
    make: Callable[..., Limits] = Limits  # the options' types have seen to these
    return make(**given)
