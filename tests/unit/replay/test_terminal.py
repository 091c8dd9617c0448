"""A replay on a terminal keeps the pauses of the recording, on a clock that only the replay advances.

Strategy: the recording has pauses below and above the longest shown pause. The speed is 1, above 1, below 1.
tests/system/cli/test_replay.py tests the output, and a real terminal.
"""

from __future__ import annotations

import io
import threading
from types import SimpleNamespace

import pytest
from rich.console import Console

from scramble.games.table import narrators
from scramble.memory.messages import Flip
from scramble.replay import Replay, terminal
from scramble.replay.terminal import LONGEST_SHOWN_PAUSE_S, play
from tests.support.replay.tape import memory


class Clock(threading.Event):
    """The clock of a replay, and its wait for Ctrl-C: a wait advances the clock at once."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.now += timeout
        return self.is_set()


@pytest.mark.parametrize("speed", [1.0, 2.0, 0.25])
def test_a_replay_takes_the_time_of_the_recording_at_its_speed(speed: float, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(terminal, "time", clock)
    monkeypatch.setattr(terminal, "threading", SimpleNamespace(Event=lambda: clock))
    tape = memory("1x4\nA\nB\nB\nA\n")
    for place, pause in enumerate((1.0, 2.5, 100.0)):
        tape.do(Flip(f"p{place}", 0, place), after=pause)
    replay = Replay(tape.recording, narrators=narrators())
    play(replay, Console(file=io.StringIO(), force_terminal=True, width=100, height=40), speed)
    assert replay.at == 3
    assert clock.now == pytest.approx((1.0 + 2.5 + LONGEST_SHOWN_PAUSE_S) / speed)
