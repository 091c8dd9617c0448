"""A check of the contract of `Durable.revision`, at each command that `applied` applies."""

from __future__ import annotations

from collections.abc import Sequence

from scramble.errors import InvalidCommand
from scramble.kernel.protocol import Answered, Command, Durable, Event, Outcome, Query, Refused, Ticket, Withdraw


def applied(rules: Durable, ticket: Ticket, command: Command[object]) -> Sequence[Outcome]:
    """Apply the command; check that `revision` changes exactly if the state does; return the outcomes."""
    state, revision = rules.state(), rules.revision
    outcomes = rules.apply(ticket, command)
    if rules.state() != state:
        assert rules.revision > revision, f"{command} has changed the state, but not `revision`"
        assert not isinstance(command, Query)
        assert not any(isinstance(end, Refused) and type(end.error) is InvalidCommand for end in outcomes)
        return outcomes
    assert rules.revision == revision, f"{command} has changed `revision`, but not the state"
    assert not any(isinstance(outcome, Event) for outcome in outcomes)
    if not isinstance(command, Query | Withdraw):
        ends = [outcome for outcome in outcomes if isinstance(outcome, Answered | Refused)]
        assert ticket in [end.ticket for end in ends], f"{command} waits, but is not in the state after a restart"
    return outcomes
