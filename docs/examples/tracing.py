"""Spans of OpenTelemetry for the commands of an owner task. Needs the extra `tracing`.

with CommandSpans(tracer) as spans:
    async with open_actor(rules, on_command=spans) as actor:
        ...
"""

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager

from opentelemetry.trace import Span, Status, StatusCode, Tracer

from scramble.kernel.protocol import Command, Event, Outcome, Refused, Ticket, Withdraw


class CommandSpans(AbstractContextManager["CommandSpans"]):
    """The spans of the commands of one owner: a function for `open_actor(..., on_command=...)`.

    A span lasts from the request to its answer. If the request was parked, the span has a link to the span of the
    command that answered it. The span of a refused request has the status ERROR and the reason. The span of a withdrawn
    request has the attribute `scramble.withdrawn`. Public events are events of the span of their command.

    The end of the block ends the spans of requests without an answer, with the status ERROR: the game has ended. A
    supervised owner without a journal counts tickets from 0 again; then a span ends when its ticket is used again. A
    command whose `apply` raises has no span, because the owner dies before the call. With a journal a span ends before
    the commit, so the time of the disk is not in it.
    """

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._open: dict[Ticket, Span] = {}

    def __call__(self, ticket: Ticket, command: Command[object], outcomes: Sequence[Outcome], queued_s: float) -> None:
        """Begin the span of a command, and end the spans of the requests that it answers."""
        before = self._open.pop(ticket, None)
        if isinstance(command, Withdraw):
            if before is not None:
                before.set_attribute("scramble.withdrawn", True)
                before.end()
            return
        if before is not None:
            _end_without_answer(before)
        began = time.time_ns() - int(queued_s * 1e9)
        attributes = {"scramble.ticket": ticket, "scramble.queued_s": queued_s}
        span = self._tracer.start_span(type(command).__name__, start_time=began, attributes=attributes)
        self._open[ticket] = span
        for outcome in outcomes:
            if isinstance(outcome, Event):
                span.add_event(type(outcome).__name__)
                continue
            answered = self._open.pop(outcome.ticket, None)
            if answered is not None:
                if answered is not span:
                    answered.add_link(span.get_span_context())
                if isinstance(outcome, Refused):
                    answered.set_status(Status(StatusCode.ERROR, str(outcome.error)))
                answered.end()

    def __exit__(self, *_error: object) -> None:
        """End the spans of the requests that are still without an answer."""
        while self._open:
            _end_without_answer(self._open.popitem()[1])


def _end_without_answer(span: Span) -> None:
    span.set_status(Status(StatusCode.ERROR, "the game ended without an answer"))
    span.end()
