"""The kernel's promises once more, by the same tests, for callers in another process than the owner's.

tests/unit/kernel/test_actor.py and test_actor_following.py have the partitions.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from scramble.cluster.codec import Vocabulary
from scramble.kernel.actor import MAILBOX_SIZE
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.protocol import CommandLog, Recordable
from tests.support.cluster.elsewhere import Elsewhere, open_elsewhere
from tests.support.cluster.simulated import Network
from tests.unit.kernel import test_actor, test_actor_following
from tests.unit.kernel.test_actor import *  # noqa: F403
from tests.unit.kernel.test_actor_following import *  # noqa: F403
from tests.unit.kernel.toy import Crash, Echo, Left, LetOut, Said, SendAway, Wait

VOCABULARY = Vocabulary(Echo | Wait | LetOut | SendAway | Crash, Said | Left)


@asynccontextmanager
async def _open(
    rules: Recordable, *, log: CommandLog | None = None, mailbox_size: int = MAILBOX_SIZE
) -> AsyncIterator[Elsewhere]:
    async with open_side_nursery(cancel) as nursery:
        network = Network(nursery)
        here, there = network.link("here"), network.link("there")
        async with open_elsewhere(here, there, VOCABULARY, rules, log=log, mailbox_size=mailbox_size) as elsewhere:
            yield elsewhere


OTHERWISE = {
    "test_3_the_bug_is_the_cause_of_what_callers_hear": "an exception's cause stays in the owner's process",
    "test_3_cancelling_the_block_closes_the_game_for_callers_elsewhere": "the room is handed over then",
    "test_3_closing_carries_out_what_is_queued_and_tells_parked_callers_that_the_game_is_closed": (
        "two rounds of the scheduler do not bring a request to another process"
    ),
}


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Open actors in another process."""
    if request.node.name in OTHERWISE:
        pytest.skip(OTHERWISE[request.node.name])

    for module in (test_actor, test_actor_following):
        monkeypatch.setattr(module, "open_actor", _open)
