"""docs/examples/auction.py, rules of one's own behind a web server: its answers, its journal, its size, and the how-to.

tests/system/cli/test_docs.py runs the program itself, as the how-to shows it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
import trio

from scramble.journal import Journal, open_supervised
from tests.support.process import ROOT
from tests.system.cli.shell import FENCE
from tests.unit.examples.standalone import module_of

EXAMPLE: Final = ROOT / "docs" / "examples" / "auction.py"
HOW_TO: Final = ROOT / "docs" / "how-to" / "serve-your-own-rules.md"
MOST_LINES: Final = 60  # without empty lines


@pytest.fixture(scope="module")
def auction() -> Any:
    """The module of the example."""
    return module_of(EXAMPLE)


async def test_requests_wait_for_a_bid_and_the_auction_goes_on_after_a_restart(auction: Any, tmp_path: Path) -> None:
    answers: list[str] = []
    async with open_supervised(auction.Auction, journal=Journal(tmp_path / "auction.db")) as owner:
        client = auction.make_app(owner).test_client()

        async def above(price: int) -> None:
            answers.append(await (await client.get(f"/above/{price}")).get_data(as_text=True))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(above, 12)
            nursery.start_soon(above, 15)
            while sum(owner.stats().parked.values()) < 2:
                await trio.lowlevel.checkpoint()
            assert (await client.post("/bid/ann/12")).status_code == 200
            assert (await client.post("/bid/bob/15")).status_code == 200
            low = await client.post("/bid/ann/15")
            assert (low.status_code, await low.get_data(as_text=True)) == (409, "bob bids 15 already\n")
            assert (await client.post("/bid/ann/16")).status_code == 200
    assert answers == ["bob bids 15\n", "ann bids 16\n"]
    async with open_supervised(auction.Auction, journal=Journal(tmp_path / "auction.db")) as owner:
        assert await owner.ask(auction.Above(3)) == "ann bids 16"


async def test_a_caller_that_has_left_waits_no_longer(auction: Any) -> None:
    async with open_supervised(auction.Auction) as owner:
        with trio.move_on_after(0):
            await owner.ask(auction.Above(3))
        parked = trio.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: owner.ask(auction.Above(3), parked=parked))
            await parked.wait()
            assert await owner.inspect(lambda rules: len(rules.waiting)) == 1
            nursery.cancel_scope.cancel()
        assert await owner.inspect(lambda rules: len(rules.waiting)) == 0


def test_it_takes_at_most_60_lines() -> None:
    assert len([line for line in EXAMPLE.read_text().splitlines() if line]) <= MOST_LINES


def shown() -> list[str]:
    """Return the pieces of code in the how-to."""
    return [match[2] for match in FENCE.finditer(HOW_TO.read_text()) if match[1] == "py"]


@pytest.mark.parametrize("piece", shown(), ids=lambda piece: piece.splitlines()[0].strip()[:40])
def test_the_how_to_shows_the_code_as_it_is(piece: str) -> None:
    assert piece in EXAMPLE.read_text()
