"""Translation for the model: commands of a Board or a live game to ops, outcomes to outs."""

from __future__ import annotations

from scramble.errors import CallerError, InvalidCommand
from scramble.kernel.protocol import Answered, Command, Refused, Withdraw
from scramble.memory import messages
from scramble.memory.messages import AlreadyWaiting, CardsMissing, FlipFailed, Flipped, GameRestarted, View
from tests.support.memory import model
from tests.support.memory.model import Op, Out


def op_of(command: Command[object]) -> Op:
    """Return the op for a command of Memory Scramble."""
    match command:
        case messages.Look(player):
            return model.Look(player)
        case messages.Flip(player, row, column):
            return model.Flip(player, row, column)
        case messages.Watch(player, since):
            return model.Watch(player, since)
        case messages.Replace(player, old, new):
            return model.Change(player, ((old, new),), total=False)
        case messages.CommitMap(player, mapping):
            return model.Change(player, tuple(mapping.items()), total=True)
        case messages.ListCards():
            return model.Cards()
        case messages.NewGame(player, seed):
            return model.Restart(player, seed)
        case messages.Release(player):
            return model.Relinquish(player, keeps_last=True)
        case messages.ReleaseAwaited(player):
            return model.RelinquishAwaited(player, keeps_last=True)
        case messages.Relinquish(player):
            return model.Relinquish(player)
        case messages.RelinquishAwaited(player):
            return model.RelinquishAwaited(player)
        case messages.BoundScores(most):
            return model.Bound(most)
        case Withdraw():
            return model.Gone()
        case _:
            raise AssertionError(f"the model does not know {command}")


def seen(outcome: object) -> Out:
    """Return the out for an outcome: an `Answered` or `Refused`, or the value or error in it."""
    match outcome:
        case Answered(_, value):
            return seen(value)
        case Refused(_, error):
            return seen(error)
        case Flipped(version, text, rule):
            return Out("flipped", rule, version, text)
        case View(version, text):
            return Out("view", "", version, text)
        case CardsMissing(cards):
            return Out("missing", cards=cards)
        case FlipFailed():
            return Out("failed", outcome.rule, outcome.view.version, outcome.view.text)
        case AlreadyWaiting() | GameRestarted():
            return Out(outcome.code)
        case InvalidCommand():
            return Out("invalid")
        case CallerError():
            raise AssertionError(f"the model does not know {outcome!r}")
        case None:
            return Out("done")
        case tuple():
            return Out("cards", cards=tuple(map(str, outcome)))
        case _:
            raise AssertionError(f"the model does not know {outcome!r}")
