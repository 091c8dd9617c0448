"""The two servers that must run an application in the same way: ours, and hypercorn's own worker."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Final
from urllib.parse import urlsplit

import hypercorn.trio
import trio
from hypercorn.config import Config
from hypercorn.typing import ASGIFramework

from scramble.server.http.server import guarded, serve_app
from scramble.server.listening import Address
from scramble.server.protection.middleware import Protection
from scramble.server.traffic import Traffic, observed

Serving = Callable[[ASGIFramework, Protection, Traffic], AbstractAsyncContextManager[Address]]


@asynccontextmanager
async def ours(app: ASGIFramework, protection: Protection, traffic: Traffic) -> AsyncIterator[Address]:
    """Run our server until the end of the block."""
    async with trio.open_nursery() as nursery:
        serve = partial(serve_app, app, host="127.0.0.1", port=0, protection=protection, traffic=traffic)
        yield await nursery.start(serve)
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def bare(app: ASGIFramework) -> AsyncIterator[Address]:
    """Run unchanged hypercorn with the application alone."""
    config = Config()
    config.bind = ["127.0.0.1:0"]
    config.include_server_header = False
    config.errorlog = logging.getLogger("hypercorn.error")  # otherwise hypercorn permanently adds a handler of its own
    async with trio.open_nursery() as nursery:
        (url,) = await nursery.start(partial(hypercorn.trio.serve, app, config, mode="asgi"))
        yield Address("127.0.0.1", urlsplit(url).port or 0)
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def stock(app: ASGIFramework, protection: Protection, traffic: Traffic) -> AsyncIterator[Address]:
    """Run unchanged hypercorn with the application wrapped as in `scramble.app`."""
    async with bare(observed(guarded(app, protection), traffic)) as address:
        yield address


SERVERS: Final[Mapping[str, Serving]] = {"ours": ours, "hypercorn": stock}
