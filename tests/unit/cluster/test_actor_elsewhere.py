"""The kernel's tests, run again with callers in another process than the owner's.

tests/unit/kernel/test_actor.py, test_actor_following.py and test_actor_log.py have the partitions.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from scramble.cluster.codec import Vocabulary
from scramble.kernel.actor import MAILBOX_SIZE
from scramble.kernel.nursery import cancel, open_side_nursery
from scramble.kernel.protocol import CommandLog, Recordable
from tests.support.cluster.elsewhere import Elsewhere as Reached
from tests.support.cluster.elsewhere import open_elsewhere
from tests.support.cluster.simulated import Network
from tests.unit.kernel import test_actor, test_actor_following, test_actor_log
from tests.unit.kernel.test_actor import *  # noqa: F403
from tests.unit.kernel.test_actor_following import *  # noqa: F403
from tests.unit.kernel.test_actor_log import *  # noqa: F403
from tests.unit.kernel.test_actor_log import HowMany, Nonsense, WaitQuietly
from tests.unit.kernel.toy import Crash, Echo, Left, LetOut, Said, SendAway, Wait

VOCABULARY = Vocabulary(Echo | Wait | LetOut | SendAway | Crash | HowMany | WaitQuietly | Nonsense, Said | Left)


@asynccontextmanager
async def _open(
    rules: Recordable, *, log: CommandLog | None = None, mailbox_size: int = MAILBOX_SIZE
) -> AsyncIterator[Reached]:
    async with open_side_nursery(cancel) as nursery:
        network = Network(nursery)
        here, there = network.link("here"), network.link("there")
        async with open_elsewhere(here, there, VOCABULARY, rules, log=log, mailbox_size=mailbox_size) as elsewhere:
            yield elsewhere


HELD = "the log of a cluster accepts a batch even if the memory of Redis is full, so no batch is held"

OTHERWISE = {
    "test_8_a_batch_without_room_is_held_and_new_commands_are_refused_until_it_is_written": HELD,
    "test_8_a_caller_may_leave_while_its_batch_is_held_and_its_command_counts": HELD,
    "test_8_closing_a_game_while_a_batch_is_held_ends_like_a_failed_log": HELD,
    "test_3_the_bug_is_the_cause_of_the_callers_exception": "an exception's cause stays in the owner's process",
    "test_3_cancelling_the_block_closes_the_game_for_callers_elsewhere": "the room is handed over instead",
    "test_8_and_3_if_the_owner_is_cancelled_in_a_commit_no_caller_keeps_waiting": "the room is handed over instead",
    "test_8_and_3_if_a_commit_fails_while_closing_the_blocks_exception_is_not_lost": (
        "the block runs in the owner's process, and its exception stays there"
    ),
    "test_8_invalid_and_unwritable_commands_are_not_written_and_the_others_are": (
        "a value that cannot be written cannot be sent either; another message refuses it before that"
    ),
    "test_8_commands_without_a_change_are_not_written_and_need_no_commit": "the test counts writes itself",
    "test_8_without_room_commands_are_refused_before_any_change_and_leaving_still_works": (
        "the test counts writes itself"
    ),
    "test_3_closing_executes_queued_commands_and_tells_parked_callers_that_the_game_is_closed": (
        "two rounds of the scheduler do not bring a request to another process"
    ),
}


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Open actors in another process."""
    if request.node.name in OTHERWISE:
        pytest.skip(OTHERWISE[request.node.name])

    for module in (test_actor, test_actor_following, test_actor_log):
        monkeypatch.setattr(module, "open_actor", _open)
