"""What the tests of the replay's page share: recordings as files, a server for each, and a page on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.conftest import Serve
from tests.browser.replay.viewer import Viewer
from tests.replay.files import write
from tests.replay.tape import Tape

Watch = Callable[..., Viewer]


@pytest.fixture
def contexts(browser: Browser) -> Iterator[list[BrowserContext]]:
    """Contexts that are closed at the end of the test."""
    made: list[BrowserContext] = []
    yield made
    for context in made:
        context.close()


@pytest.fixture
def open_page(browser: Browser, contexts: list[BrowserContext]) -> Callable[..., Page]:
    """Opens a page in a browser of its own; arguments are those of `new_context`."""

    def open_page(width: int = 1280, height: int = 800, **options: object) -> Page:
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, **options))  # type: ignore[arg-type]
        return contexts[-1].new_page()

    return open_page


@pytest.fixture
def watch(open_page: Callable[..., Page], serve: Serve, tmp_path: Path) -> Watch:
    """Serves a recording and opens its replay: `watch(tape, at=5)`."""

    def watch(tape: Tape, at: int | None = None, **options: object) -> Viewer:
        path = write(tape, tmp_path / f"{len(list(tmp_path.iterdir()))}.db")
        url = serve("replay", str(path), "--http-port", "0").url
        return Viewer(open_page(**options), url, at)

    return watch
