"""Several processes on one port, as a service: started, killed, stopped. Most workers here serve no game.

Partitions:
- a worker: serves; cannot start (the first, a later one); is killed, with and without a waiting client; ignores SIGTERM
- the end of the service: SIGTERM, SIGINT, twice; the process that has started a worker is killed

tests/system/cluster has the same tests of `scramble serve --workers`.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from scramble.cli.worker import worker_command
from scramble.server.listening import bind
from tests.support import HANG_S
from tests.support.process import ServerProcess, stand_still
from tests.support.workers import CANNOT_START

STUBS = (sys.executable, "-m", "tests.support.workers")


def service(count: int, how: str = "", *, lines: int = 2) -> ServerProcess:
    return ServerProcess(str(count), how, program=STUBS, lines=lines)


def connected(server: ServerProcess) -> socket.socket:
    port = int(server.wait_for(r"listening on (\d+)")[1])
    return socket.create_connection(("127.0.0.1", port), HANG_S)


def answer(server: ServerProcess) -> tuple[int, int]:
    """The number and the process of a worker that accepts a connection."""
    with connected(server) as connection, connection.makefile() as file:
        number, process = file.readline().split()
    return int(number), int(process)


def logged(server: ServerProcess, event: str) -> list[dict[str, object]]:
    """The entries of an event in the log so far."""
    entries = map(json.loads, filter(lambda line: line.startswith("{"), server.complaints.splitlines()))
    return [{key: entry[key] for key in entry if key != "time"} for entry in entries if entry["event"] == event]


def workers(server: ServerProcess) -> dict[int, int]:
    """The process of each worker, by its number."""
    return {int(str(entry["worker"])): int(str(entry["pid"])) for entry in logged(server, "worker-started")}


def test_all_workers_serve_one_port_and_the_address_is_said_once() -> None:
    with service(3) as server:
        before = workers(server)
        assert sorted(before) == [1, 2, 3]
        assert answer(server)[1] in before.values()
        assert server.stop(signal.SIGTERM)[0] == 0
        assert server.output.text.splitlines()[0].startswith("listening on ")
        assert server.output.text.splitlines()[1:] == ["that is all"]
        for process in before.values():
            assert not Path(f"/proc/{process}").exists()


def test_a_connection_that_waits_for_a_worker_that_dies_is_answered_by_the_next_one() -> None:
    with service(1) as server:
        number, first = answer(server)
        stand_still(first)
        with connected(server) as connection, connection.makefile() as file:
            os.kill(first, signal.SIGKILL)
            assert file.readline().startswith(f"{number} ")
        again = answer(server)
        assert again[0] == number
        assert again[1] != first
        assert logged(server, "worker-ended") == [
            {"level": "warning", "event": "worker-ended", "worker": 1, "signal": "SIGKILL", "again_s": 0.1}
        ]
        assert server.stop(signal.SIGTERM)[0] == 0
        assert server.output.text.count("listening on") == 1


@pytest.mark.parametrize("number", [1, 2])
def test_a_worker_that_cannot_start_ends_the_service_with_its_line_and_exit_code(number: int) -> None:
    with service(2, f"{number}:exits", lines=0) as server:
        assert server.wait() == CANNOT_START
        assert server.output.text == ""
        assert server.complaints.count("this worker cannot start") == 1
        assert logged(server, "worker-ended") == []


def test_a_second_signal_changes_nothing_and_a_deaf_worker_is_killed() -> None:
    with service(2, "1:deaf") as server:
        before = workers(server)
        server.send_signal(signal.SIGINT)
        server.send_signal(signal.SIGINT)
        assert server.wait() == 0
        assert [entry["signal"] for entry in logged(server, "stopping")] == ["SIGINT"]
        assert not any(Path(f"/proc/{process}").exists() for process in before.values())


def test_a_worker_ends_and_frees_the_port_when_the_process_that_has_started_it_is_killed() -> None:
    with bind("127.0.0.1", 0) as listener:
        arguments = ("serve", "--in-memory", "--metrics", "off")
        with subprocess.Popen(
            worker_command(1, listener, arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=(listener.fileno(),),
        ) as worker:
            try:
                assert worker.stdout is not None
                assert worker.stdout.readline().startswith(b"Scramble: http://")
                assert worker.stdin is not None
                worker.stdin.close()  # as the end of its starter closes it
                assert worker.wait(HANG_S) == 0
            finally:
                worker.kill()
