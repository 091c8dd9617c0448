"""docs/examples/tracing.py: the spans of commands, as the SDK of OpenTelemetry exports them.

Partitions: a request is answered, refused, or waits; a waiting request is answered, refused, withdrawn, or the game
ends; events; another owner uses the ticket of a waiting request
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import pytest
import trio
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from scramble.errors import GameClosed
from scramble.kernel.actor import Actor, open_actor
from scramble.memory import Board, FlipFailed
from scramble.memory.messages import Flip
from tests.support.process import ROOT
from tests.unit.examples.standalone import module_of

BOARD: Final = "1x4\nA\nB\nA\nB\n"
EXAMPLE: Final = ROOT / "docs" / "examples" / "tracing.py"


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def on_command(exporter: InMemorySpanExporter) -> Iterator[Callable[..., None]]:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with module_of(EXAMPLE).CommandSpans(provider.get_tracer("test")) as spans:
        yield spans


async def parked(nursery: trio.Nursery, request: Callable[..., Any]) -> None:
    """Start a request, and wait until it is parked."""
    is_parked = trio.Event()
    nursery.start_soon(lambda: request(parked=is_parked))
    await is_parked.wait()


async def flip(actor: Actor, player: str, column: int, *, parked: trio.Event | None = None) -> object:
    try:
        return await actor.ask(Flip(player, 0, column), parked=parked)
    except FlipFailed as failure:
        return failure.rule


async def test_a_span_lasts_from_the_request_to_its_answer(
    exporter: InMemorySpanExporter, on_command: Callable[..., None]
) -> None:
    async with open_actor(Board.parse(BOARD), on_command=on_command) as actor, trio.open_nursery() as n:
        await flip(actor, "ann", 0)
        await parked(n, lambda parked: flip(actor, "bob", 0, parked=parked))
        assert await flip(actor, "ann", 0) == "2-B"  # bob gets the card
        async with trio.open_nursery() as leaving:
            await parked(leaving, lambda parked: flip(actor, "cat", 0, parked=parked))
            leaving.cancel_scope.cancel()
        await actor.ping()
        ann, again, bob, cat, _ = exporter.get_finished_spans()
    assert [span.name for span in (ann, again, bob, cat)] == ["Flip"] * 4
    assert [event.name for event in ann.events] == ["Joined", "TurnedUp", "Took"]
    assert (again.status.status_code, ann.status.status_code) == (StatusCode.ERROR, StatusCode.UNSET)
    assert "rule 2-B" in str(again.status.description)
    (link,) = bob.links
    assert link.context.span_id == again.context.span_id
    times = (bob.start_time, again.start_time, again.end_time, bob.end_time)
    assert sorted(time or 0 for time in times) == list(times)
    assert dict(cat.attributes or {})["scramble.withdrawn"] is True
    assert not ann.links
    assert not again.links


async def test_a_request_without_an_answer_has_a_span_when_another_owner_uses_its_ticket_or_the_block_ends(
    exporter: InMemorySpanExporter,
) -> None:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))

    async def wait(actor: Actor, *, parked: trio.Event) -> None:
        with pytest.raises(GameClosed):
            await flip(actor, "bob", 0, parked=parked)

    ended: list[int] = []
    with module_of(EXAMPLE).CommandSpans(provider.get_tracer("test")) as spans:
        for _ in range(2):
            async with trio.open_nursery() as nursery, open_actor(Board.parse(BOARD), on_command=spans) as actor:
                await flip(actor, "ann", 0)
                await parked(nursery, partial(wait, actor))
            ended.append(len(exporter.get_finished_spans()))
    ann, _, bob, other_bob = exporter.get_finished_spans()
    assert ended == [1, 3]
    assert ann.status.status_code == StatusCode.UNSET
    assert [span.status.status_code for span in (bob, other_bob)] == [StatusCode.ERROR] * 2
    assert [(span.attributes or {})["scramble.ticket"] for span in (bob, other_bob)] == [1, 1]
