"""Tasks for feeds. They end with the test."""

from __future__ import annotations

import pytest
import trio

from scramble.kernel.nursery import StartSoon


@pytest.fixture
def start_soon(nursery: trio.Nursery) -> StartSoon:
    """Run tasks until the test ends."""
    return nursery.start_soon
