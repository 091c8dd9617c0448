"""Spans of OpenTelemetry for the commands of an owner task. Needs the extra `tracing`.

async with open_actor(rules, on_command=spans_of_commands(tracer)) as actor:
    ...
"""

import time
from collections.abc import Sequence

from opentelemetry.trace import Span, Status, StatusCode, Tracer

from scramble.kernel.protocol import Command, Event, OnCommand, Outcome, Refused, Ticket, Withdraw


def spans_of_commands(tracer: Tracer) -> OnCommand:
    """Return a function for `open_actor(..., on_command=...)`.

    A span lasts from the request to its answer. If the request was parked, the span has a link to the span of the
    command that answered it. The span of a refused request has the status ERROR and the reason. The span of a withdrawn
    request has the attribute `scramble.withdrawn`. Public events are events of the span of their command.
    """
    open_spans: dict[Ticket, Span] = {}

    def on_command(ticket: Ticket, command: Command[object], outcomes: Sequence[Outcome], queued_s: float) -> None:
        if isinstance(command, Withdraw):
            span = open_spans.pop(ticket, None)
            if span is not None:
                span.set_attribute("scramble.withdrawn", True)
                span.end()
            return
        began = time.time_ns() - int(queued_s * 1e9)
        attributes = {"scramble.ticket": ticket, "scramble.queued_s": queued_s}
        span = open_spans[ticket] = tracer.start_span(type(command).__name__, start_time=began, attributes=attributes)
        for outcome in outcomes:
            if isinstance(outcome, Event):
                span.add_event(type(outcome).__name__)
                continue
            answered = open_spans.pop(outcome.ticket, None)
            if answered is not None:
                if answered is not span:
                    answered.add_link(span.get_span_context())
                if isinstance(outcome, Refused):
                    answered.set_status(Status(StatusCode.ERROR, str(outcome.error)))
                answered.end()

    return on_command
