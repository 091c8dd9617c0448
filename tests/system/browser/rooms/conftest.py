"""Fixtures of the tests of rooms in a browser: visitors, and a server for tests that tolerate games of other tests."""

from __future__ import annotations

import pytest

from tests.system.browser.conftest import NewContext, Serve
from tests.system.browser.rooms.visitor import Look, Visit, Visitor


@pytest.fixture(scope="module")
def rooms_url(serve_module: Serve) -> str:
    """A lobby whose rooms last as long as the tests of the module."""
    return serve_module("serve", "--port", "0", "--in-memory").url


@pytest.fixture
def visit(new_context: NewContext, request: pytest.FixtureRequest) -> Visit:
    """Opens tabs, each in its own browser, on a phone or on a desktop."""

    def visit(look: Look = "desk", url: str | None = None, *, alone: bool = False) -> Visitor:
        if look == "phone":
            context = new_context(alone=alone, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
        else:
            context = new_context(alone=alone, viewport={"width": 1280, "height": 800})
        return Visitor(context.new_page(), url or request.getfixturevalue("rooms_url"))

    return visit
