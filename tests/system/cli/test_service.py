"""Servers as a service: their notifications, and their messages to programs when they cannot start.

Partitions:
- the socket of the service manager: a file, an abstract socket, a deleted file; none
- the service: one process; its end, also during its start; the documentation's units, and its wait for readiness
- an error: of usage before and after the option --log-format is read, of an address; as text, as JSON
- a full disk: without files of the server, with the files of a stopped server, or of a killed one
tests/system/cluster/test_starting.py has processes of a cluster, and workers.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from urllib.request import urlopen

import pytest
import trio
from trio.testing import MockClock

from scramble.cli.run import until_signal
from tests.support import HANG_S
from tests.support.manager import ServiceManager
from tests.support.process import ROOT, ServerProcess
from tests.support.smalldisk import SmallDisk, small_disk

DISK_BYTES = 256 * 1024
NEVER_S = 1e6  # longer than every test


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_ctrl_c_ends_a_server_that_reads_its_files_without_a_word(tmp_path: Path, log_format: str) -> None:
    board = tmp_path / "board.txt"
    os.mkfifo(board)
    with ServerProcess("memory", board, "--port", "0", "--log-format", log_format) as server:

        def open_after_the_server() -> None:  # if the server ends early, nothing else opens the file for reading
            server.wait()
            os.close(os.open(board, os.O_RDONLY | os.O_NONBLOCK))

        ending = threading.Thread(target=open_after_the_server)
        ending.start()
        with board.open("w"):  # this blocks until the server has opened the file, too
            assert server.stop(signal.SIGINT) == (130, "", "")
        ending.join()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_a_start_at_once(number: signal.Signals, autojump_clock: MockClock) -> None:
    before, began = threading.enumerate(), trio.current_time()
    try:
        async with until_signal(NEVER_S):
            signal.raise_signal(number)
            await trio.sleep(NEVER_S)  # like a server that waits while a thread reads a long journal
        assert trio.current_time() == began
    finally:
        for thread in threading.enumerate():
            if thread not in before and isinstance(thread, threading.Timer):  # it would end the process after NEVER_S
                thread.cancel()


@pytest.mark.parametrize("abstract", [False, True])
@pytest.mark.parametrize("command", [("serve", "--in-memory"), ("memory",)])
def test_a_server_notifies_that_it_is_ready_once_it_serves_and_that_it_stops(
    tmp_path: Path, abstract: bool, command: tuple[str, ...]
) -> None:
    with (
        ServiceManager(None if abstract else tmp_path) as manager,
        ServerProcess(*command, "--port", "0", environment=manager.environment) as server,
    ):
        assert manager.hear() == "READY=1"
        with urlopen(f"{server.url}health/ready", timeout=HANG_S) as answer:
            assert answer.status == 200
        assert server.stop(signal.SIGTERM) == (0, server.output.text, "")
        assert manager.heard() == ["STOPPING=1"]


def test_a_server_whose_service_manager_is_gone_serves_and_logs_that(tmp_path: Path) -> None:
    with ServiceManager(tmp_path) as manager:
        environment = manager.environment
    with ServerProcess("memory", "--port", "0", environment=environment, lines=1) as server:
        assert server.errors.until(lambda text: "not-notified" in text or None)
        assert server.stop(signal.SIGTERM)[0] == 0


def failure(*arguments: str | Path) -> tuple[int, dict[str, object]]:
    """Return the exit code of a command, and the one line of its error."""
    with ServerProcess(*arguments, "--log-format", "json") as server:
        code = server.wait()
        (line,) = server.complaints.splitlines()
    entry = json.loads(line)
    assert entry.pop("time").endswith("Z")
    return code, entry


def test_what_keeps_a_server_from_starting_is_a_line_of_json_in_a_log_of_json(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, entry = failure("serve", "--in-memory", "--port", str(port))
    assert code == 1
    assert entry.pop("reason") == f"cannot listen on 127.0.0.1 port {port}: Address already in use"
    assert entry == {"level": "error", "event": "failed", "code": "cannot-listen", "exit": 1}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("serve", "--zzz", "blue"), "No such option '--zzz'."),
        (("serve", "--port", "no"), "Invalid value for '--port': "),
        (("serve", "--data", "x", "--in-memory"), "--data and --in-memory exclude each other"),
        (("dance",), "No such command 'dance'."),
    ],
)
def test_invalid_usage_is_a_line_of_json_in_a_log_of_json(arguments: tuple[str, ...], reason: str) -> None:
    code, entry = failure(*arguments)
    assert code == 2
    assert str(entry.pop("reason")).startswith(reason)
    assert entry == {"level": "error", "event": "failed", "code": "usage", "exit": 2}


def test_the_same_errors_are_text_in_a_log_of_text() -> None:
    with ServerProcess("serve", "--zzz", "blue") as server:
        assert server.wait() == 2
        assert server.complaints == "Error: No such option '--zzz'.\n"
    with ServerProcess("serve", "--log-format", "json", "--log-format", "text", "--port", "no") as server:
        assert server.wait() == 2
        assert server.complaints.startswith("Error: Invalid value for '--port'")


@pytest.fixture(name="disk")
def _disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "small", DISK_BYTES) as disk:
        yield disk


@pytest.mark.parametrize("before", ["nothing", "stopped", "killed"])
@pytest.mark.parametrize("command", ["serve", "memory"])
def test_a_server_that_starts_on_a_full_disk_says_so_in_one_line(disk: SmallDisk, command: str, before: str) -> None:
    where = ("--data", disk.place) if command == "serve" else ("--journal", disk.place / "game.db")
    if before != "nothing":
        with ServerProcess(command, *where, "--port", "0", lines=1) as server:
            server.kill() if before == "killed" else server.stop()
    disk.fill()
    with ServerProcess(command, *where, "--port", "0") as server:
        assert server.wait() == 1
        (line,) = server.complaints.splitlines()
    assert line.startswith(f"Error: {disk.place}")
    assert "disk is full" in line


@pytest.mark.parametrize("page", ["run-for-ever", "run-on-several-machines"])
def test_the_unit_in_the_documentation_waits_for_readiness_and_is_restarted_without_a_limit(page: str) -> None:
    text = (ROOT / "docs" / "how-to" / f"{page}.md").read_text()
    unit = ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(next(block for block in text.split("```") if "[Unit]" in block).partition("\n")[2])
    assert unit["Unit"]["StartLimitIntervalSec"] == "0"
    expected = {"Type": "notify", "Restart": "on-failure", "RestartSec": "2", "TimeoutStartSec": "infinity"}
    assert {key: unit["Service"][key] for key in expected} == expected


def test_the_wait_for_readiness_in_the_documentation_ends_once_the_server_serves() -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl is installed")
    text = (ROOT / "docs" / "how-to" / "run-on-several-machines.md").read_text()
    wait = next(line for line in text.splitlines() if line.startswith("until curl"))
    with ServerProcess("serve", "--in-memory", "--port", "0") as server:
        here = wait.replace("http://10.0.0.11:8080/", server.url)
        assert here != wait
        done = subprocess.run(["sh", "-c", here], capture_output=True, timeout=HANG_S, check=True)
        assert json.loads(done.stdout)["ready"]
