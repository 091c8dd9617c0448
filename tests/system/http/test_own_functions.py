"""An embedding program's own functions see every request: those that could be answered past Quart, too.

Partitions:
- what is the program's own: functions before, after and at the end of requests and contexts, for values, for errors; a
  view, a rival route, a method, a class, sessions; a listener to each signal
- Quart itself: everything that it calls for a request is known to the short way
"""

from __future__ import annotations

import re
from functools import partial

import httpx
import pytest
import quart.signals
import trio
from blinker import NamedSignal
from quart import Response, got_request_exception
from quart.sessions import SecureCookieSessionInterface
from quart_trio import QuartTrio
from quart_trio.wrappers import TrioRequest

from scramble.errors import GameStopped
from scramble.front.memory.http import make_app
from scramble.memory import Board, open_game
from scramble.server.http.server import serve_app
from scramble.server.http.shortway import PASSED, SIGNALS
from scramble.server.listening import Address
from tests.support.memory.served import ABC


async def status_of_look(address: Address) -> int:
    async with httpx.AsyncClient(base_url=address.url) as client:
        return (await client.get("look/ann")).status_code


@pytest.mark.parametrize(
    "what",
    [
        *("before", "after", "teardown", "context", "values", "view", "error"),
        *("rival", "method", "class", "sessions"),
    ],
)
async def test_a_function_of_the_programs_own_sees_every_request(what: str) -> None:
    seen: list[str] = []
    async with open_game(Board.parse(ABC)) as game, trio.open_nursery() as nursery:
        app = make_app(game)
        match what:
            case "before":

                @app.before_request
                async def before() -> None:
                    seen.append(what)

            case "after":

                @app.after_request
                async def after(response: Response) -> Response:
                    seen.append(what)
                    return response

            case "teardown":

                @app.teardown_request
                async def teardown(_: BaseException | None) -> None:
                    seen.append(what)

            case "context":

                @app.teardown_appcontext
                async def teardown_context(_: BaseException | None) -> None:
                    seen.append(what)

            case "values":

                @app.url_value_preprocessor
                def values(_endpoint: str | None, _values: dict[str, object] | None) -> None:
                    seen.append(what)

            case "rival":

                @app.get("/look/ann")
                async def rival() -> str:
                    seen.append(what)
                    return "Ann's own"

            case "view":

                async def view(player: str) -> str:
                    seen.append(what)
                    return player

                app.view_functions["look"] = view
            case "method":
                process_response = app.process_response

                async def process(response: Response, *args: object) -> Response:
                    seen.append(what)
                    return await process_response(response, *args)  # type: ignore[arg-type, return-value]

                app.process_response = process  # type: ignore[method-assign, assignment]

            case "class":

                class OwnRequest(TrioRequest):
                    def __init__(self, *args: object, **kwargs: object) -> None:
                        seen.append(what)
                        super().__init__(*args, **kwargs)  # type: ignore[arg-type]

                app.request_class = OwnRequest

            case "sessions":

                class Sessions(SecureCookieSessionInterface):
                    async def open_session(self, *_: object) -> None:
                        seen.append(what)

                app.session_interface = Sessions()

            case _:
                await game.aclose()

                @app.errorhandler(GameStopped)
                async def error(_: GameStopped) -> str:
                    seen.append(what)
                    return "never mind"

        address = await nursery.start(partial(serve_app, app, host="127.0.0.1", port=0))
        seen.clear()  # a server that starts has a context, too
        assert await status_of_look(address) == 200
        assert seen == [what]
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("signal", SIGNALS, ids=lambda signal: signal.name)
async def test_a_listener_hears_of_every_request(signal: NamedSignal) -> None:
    seen: list[object] = []

    async def listener(sender: object, **_: object) -> None:
        seen.append(sender)

    async with open_game(Board.parse(ABC)) as game, trio.open_nursery() as nursery:
        app = make_app(game)
        address = await nursery.start(partial(serve_app, app, host="127.0.0.1", port=0))
        if signal is got_request_exception:
            app.error_handler_spec[None][None].clear()
            await game.aclose()
        with signal.connected_to(listener):
            await status_of_look(address)
        assert seen == [app]
        nursery.cancel_scope.cancel()


def test_everything_that_a_request_can_call_is_looked_at() -> None:
    """Whoever moves to another version of Quart reads here what is new."""
    signals = {signal for signal in vars(quart.signals).values() if isinstance(signal, NamedSignal)}
    of_a_request = {signal for signal in signals if signal.name.startswith(("request-", "appcontext-"))}
    assert of_a_request | {got_request_exception} == set(SIGNALS)
    others = (
        "websocket-",
        "got-websocket-",
        "before-render-",
        "template-",
        "message-",
        "got-background-",
        "got-serving-",
    )
    assert all(signal.name.startswith(others) for signal in signals - set(SIGNALS))
    hooks = {
        name for name in vars(QuartTrio(__name__)) if re.search("_(funcs|functions|(pre)?processors|spec|gens)$", name)
    }
    looked_at = {
        *("url_value_preprocessors", "before_request_funcs", "after_request_funcs", "teardown_request_funcs"),
        *("teardown_appcontext_funcs", "view_functions", "error_handler_spec"),
    }
    of_no_request = {
        *("before_websocket_funcs", "after_websocket_funcs", "teardown_websocket_funcs"),
        *("before_serving_funcs", "after_serving_funcs", "while_serving_gens"),
        *("template_context_processors", "shell_context_processors", "url_default_functions"),
    }
    assert hooks == looked_at | of_no_request
    assert [name for name in PASSED if not hasattr(QuartTrio, name)] == []
