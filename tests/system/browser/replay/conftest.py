"""Fixtures of the replay's page tests: recordings as files, a server for each, and a page on it."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import pytest

from tests.support.replay.files import write
from tests.support.replay.tape import Tape
from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.replay.viewer import Viewer


class Watch(Protocol):
    """Serves a recording and opens its replay: `watch(tape, at=5)`."""

    def __call__(self, tape: Tape, at: int | None = None, *, phone: bool = False) -> Viewer: ...


@pytest.fixture
def watch(new_context: NewContext, serve: Serve, tmp_path: Path) -> Watch:
    def watch(tape: Tape, at: int | None = None, *, phone: bool = False) -> Viewer:
        path = write(tape, tmp_path / "recording.db")
        if phone:
            context = new_context(
                viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, device_scale_factor=2
            )
        else:
            context = new_context()
        return Viewer(context.new_page(), serve("replay", str(path), "--http-port", "0").url, at)

    return watch
