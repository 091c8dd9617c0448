"""Processes forked by tests/support/forge.py behave like started processes: output, exit codes, signals, environment.

Partitions: the process exits with success and with an error; a signal ends it; the test waits for it twice; it has
another environment, with variables for the process, and variables for the start of Python.
"""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from tests.support import PROGRAM_S
from tests.support.forge import possible
from tests.support.process import SCRAMBLE, ServerProcess

pytestmark = pytest.mark.skipif(not possible(os.environ), reason="this system cannot have a parent given to an orphan")


@pytest.mark.parametrize("argument", ["--version", "memory", "--nonsense"])
def test_it_says_and_ends_as_one_that_is_started(argument: str) -> None:
    arguments = [argument, "--help"] if argument == "memory" else [argument]
    started = subprocess.run([*SCRAMBLE, *arguments], capture_output=True, text=True, check=False, timeout=PROGRAM_S)
    with ServerProcess(*arguments) as forked:
        assert (forked.wait(), forked.output.text, forked.complaints) == (
            started.returncode,
            started.stdout,
            started.stderr,
        )


def test_it_is_a_child_that_a_signal_ends_and_that_waits_to_be_waited_for() -> None:
    with ServerProcess("memory", "--port", "0", lines=1) as forked:
        forked.send_signal(signal.SIGKILL)
        forked.errors.join()
        assert [forked.wait(), forked.wait()] == [-signal.SIGKILL] * 2
        assert forked.stop()[0] == -signal.SIGKILL


def test_it_has_the_environment_that_is_asked_for() -> None:
    with ServerProcess(environment=os.environ | {"SCRAMBLE_CLUSTER": "nonsense"}) as forked:
        assert forked.wait() == 1
        assert "redis://" in forked.complaints


def test_what_only_a_start_reads_takes_a_start() -> None:
    assert not possible(os.environ | {"LD_PRELOAD": "nothing.so"})
