"""What a browser requests over a slow network, from the lobby to the first card of a new game.

The numbers of requests and bytes are the claims; `python -m tests.bench loading` measures the seconds.

- a browser that knows nothing, and again with the files that it keeps: test_the_way_to_the_first_card_*
- pages without bundles, as for a game in another distribution: test_without_bundles_*
"""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import Browser

from scramble.bundling import are_current
from tests.support.process import ServerProcess
from tests.support.slow import slow_page, turn_a_card
from tests.system.browser.conftest import Serve

pytestmark = pytest.mark.browser

COLD = 11  # two pages with a script and a style sheet each, loading.js, a font, the new room and two WebSockets
WARM = 5  # two pages, the new room and two WebSockets
COLD_BYTES = 240_000
WARM_BYTES = 20_000


def test_the_way_to_the_first_card_takes_few_requests_and_even_fewer_the_next_time(
    browser: Browser, serve: Serve
) -> None:
    if not are_current():
        pytest.skip("there are no bundles: Deno or npm's registry is missing")
    url = serve("serve", "--in-memory", "--port", "0").url
    context = browser.new_context()
    try:
        with slow_page(context) as (page, traffic):
            turn_a_card(page, url)
            assert len(traffic.asked) <= COLD, "\n".join(traffic.asked)
            assert traffic.size <= COLD_BYTES
        with slow_page(context) as (page, traffic):
            turn_a_card(page, url)
            assert len(traffic.asked) <= WARM, "\n".join(traffic.asked)
            assert traffic.size <= WARM_BYTES
            assert not [address for address in traffic.asked if address.endswith((".js", ".css", ".svg"))]
    finally:
        context.close()


def test_without_bundles_the_pages_load_their_modules(browser: Browser) -> None:
    environment = os.environ | {"SCRAMBLE_BUNDLES": "off"}
    with ServerProcess("serve", "--in-memory", "--port", "0", environment=environment) as server:
        context = browser.new_context()
        try:
            with slow_page(context, is_slow=False) as (page, traffic):
                turn_a_card(page, server.url)
                assert any(address.endswith("/client/memory/game.js") for address in traffic.asked)
                assert not any("/bundles/" in address for address in traffic.asked)
        finally:
            context.close()
