"""Fixtures of the replay's page tests: recordings as files, a server for each, and a page on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Unpack

import pytest
from playwright.sync_api import Page

from tests.support.replay.files import write
from tests.support.replay.tape import Tape
from tests.system.browser.conftest import Look, NewContext, Serve
from tests.system.browser.replay.viewer import Viewer

Watch = Callable[..., Viewer]


@pytest.fixture
def open_page(new_context: NewContext) -> Callable[..., Page]:
    """Opens a page in its own browser. The arguments are the options of `new_context`, and the size of the window."""

    def open_page(width: int = 1280, height: int = 800, **look: Unpack[Look]) -> Page:
        look["viewport"] = {"width": width, "height": height}
        return new_context(**look).new_page()

    return open_page


@pytest.fixture
def watch(open_page: Callable[..., Page], serve: Serve, tmp_path: Path) -> Watch:
    """Serves a recording and opens its replay: `watch(tape, at=5)`."""

    def watch(tape: Tape, at: int | None = None, **options: object) -> Viewer:
        path = write(tape, tmp_path / f"{len(list(tmp_path.iterdir()))}.db")
        url = serve("replay", str(path), "--http-port", "0").url
        return Viewer(open_page(**options), url, at)

    return watch
