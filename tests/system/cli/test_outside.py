"""A serving command's log and metrics, from real processes.

Partitions:
- command: memory, minesweeper without a page, crossword
- log: text, JSON; no faults; a move; a player who loses at telnet; a secret in a cookie, a header, a query string,
  a crossword's line; a game that continues; the end by a signal
- metrics: beside the game; off; at a separate port, also of a game without a page; at a port that is in use
- errors of use
"""

from __future__ import annotations

import json
import signal
import socket
import urllib.error
import urllib.request
from pathlib import Path
from typing import cast

import pytest
from click.testing import CliRunner

from scramble.cli.main import main
from tests.support import HANG_S
from tests.support.process import ServerProcess

SECRET = "s3cr3tEnoughForAnybody"

Event = dict[str, object]


class LoggingProcess(ServerProcess):
    """A running `scramble` whose log is JSON."""

    def __init__(self, *arguments: str, form: str = "json") -> None:
        super().__init__(*arguments, "--log-format", form)
        self.events: list[Event] = []

    def until(self, event: str, **fields: object) -> Event:
        """Return an event with this name and fields, already read or still to come: tasks log in any order."""
        wanted = {"event": event, **fields}.items()
        while True:
            for told in self.events:
                if told.items() >= wanted:
                    return told
            line = self.errors.line()
            assert line, f"no {event} in {self.complaints}"
            self._take(line)

    def end(self) -> int:
        """End the server, and read the rest of the log. Return its exit code."""
        code, _, _ = self.stop(signal.SIGTERM)
        while line := self.errors.line():
            self._take(line)
        return code

    def _take(self, line: str) -> None:
        event = cast(Event, json.loads(line))
        assert {"time", "level", "event"} <= event.keys()
        self.events.append(event)


def get(url: str, **headers: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=HANG_S) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


# --- the log ----------------------------------------------------------------------------------------


def test_every_line_of_a_json_log_is_an_object_and_none_holds_a_secret() -> None:
    with LoggingProcess("memory", "--port", "0", "--log-level", "debug") as server:
        url = server.line().split()[-1]
        headers = {"Cookie": f"scramble_seat={SECRET}", "Authorization": f"Bearer {SECRET}"}
        assert get(f"{url}flip/alice/0,0?token={SECRET}", **headers)[0] == 200
        move = server.until("move", kind="TurnedUp")
        assert (move["row"], move["column"], move["version"]) == (0, 0, 1)
        asked = server.until("request", path="/flip/alice/0,0")
        assert (asked["method"], asked["status"], asked["client"]) == ("GET", 200, "127.0.0.1")
        assert server.end() == 0
    assert [event["event"] for event in server.events if event["level"] == "info"] == ["serving", "stopping"]
    assert server.events[-1]["signal"] == "SIGTERM"
    assert SECRET not in server.complaints


def test_what_a_crossword_player_types_is_not_logged() -> None:
    with LoggingProcess("crossword", "--port", "0", "--telnet-port", "0", "--log-level", "debug") as server:
        url, telnet = server.line(), server.line()
        with socket.create_connection(("127.0.0.1", int(telnet.split()[-1])), HANG_S) as player:
            player.sendall(f"ann {SECRET}\r\n".encode())
            with player.makefile(newline="\n") as lines:
                assert any("token" in line.lower() or "ann" in line for line in lines)
        assert get(url.split()[-1] + "health")[0] == 200
        server.until("client-disconnected")
        assert server.end() == 0
    assert SECRET not in server.complaints


def test_moves_and_requests_are_not_told_unless_somebody_debugs() -> None:
    with LoggingProcess("memory", "--port", "0") as server:
        url = server.line().split()[-1]
        assert get(f"{url}flip/alice/0,0")[0] == 200
        assert server.end() == 0
    assert [event["event"] for event in server.events] == ["serving", "stopping"]


def test_a_game_that_goes_on_says_how_much_of_it_there_was(tmp_path: Path) -> None:
    journal = str(tmp_path / "game.journal")
    with LoggingProcess("memory", "--port", "0", "--journal", journal) as server:
        url = server.line().split()[-1]
        assert get(f"{url}flip/alice/0,0")[0] == get(f"{url}look/alice")[0] == 200
        assert server.end() == 0
    assert "journal-recovered" not in server.complaints
    with LoggingProcess("memory", "--port", "0", "--journal", journal) as server:
        found = server.until("journal-recovered")
        assert (found["game"], found["commands"], found["version"]) == ("memory", 1, 1)
        server.line()
        assert server.end() == 0


def test_as_text_nothing_is_told_while_nothing_is_wrong_and_nobody_watches() -> None:
    with LoggingProcess("memory", "--port", "0", form="text") as server:
        get(server.line().split()[-1] + "flip/alice/0,0")
        assert server.end() == 0
    assert server.complaints == ""


# --- metrics ----------------------------------------------------------------------------------------


def test_metrics_are_beside_the_game_unless_that_is_switched_off() -> None:
    with LoggingProcess("memory", "--port", "0") as server:
        assert "scramble_up 1.0" in get(server.line().split()[-1] + "metrics")[1]
    with LoggingProcess("memory", "--port", "0", "--metrics", "off") as server:
        url = server.line().split()[-1]
        assert get(url + "metrics")[0] == 404
        assert get(url + "health")[0] == 200


def test_metrics_at_a_port_of_their_own_are_not_beside_the_game() -> None:
    with LoggingProcess("memory", "--port", "0", "--metrics", "0") as server:
        url = server.line().split()[-1]
        port = server.until("serving", transport="metrics")["port"]
        assert get(url + "metrics")[0] == 404
        assert 'scramble_info{game="memory"' in get(f"http://127.0.0.1:{port}/metrics")[1]
        assert get(f"http://127.0.0.1:{port}/health/ready") == (200, '{"ready":true}\n')
        assert server.end() == 0


def test_a_game_without_a_page_can_be_watched_too() -> None:
    with LoggingProcess("minesweeper", "--port", "0", "--metrics", "0") as server:
        telnet = int(server.line().split()[-1])
        port = server.until("serving", transport="metrics")["port"]
        with socket.create_connection(("127.0.0.1", telnet), HANG_S) as player:
            player.recv(100)
            numbers = get(f"http://127.0.0.1:{port}/metrics")[1]
        assert 'scramble_connections{transport="telnet"} 1.0' in numbers
        assert 'scramble_commands_total{kind="Connect",outcome="answered"} 1.0' in numbers
        assert server.end() == 0


def test_a_port_for_metrics_that_is_in_use_is_told_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(main, ["memory", "--port", "0", "--metrics", port])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Error: cannot listen on 127.0.0.1 port {port}: Address already in use\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--metrics", "65536"), "'65536' is not on, off or a port from 0 to 65535"),
        (("--metrics", "yes"), "'yes' is not on, off or a port"),
        (("--metrics", "-1"), "'-1' is not on, off or a port"),
        (("--metrics", "٤"), "is not on, off or a port"),
        (("--log-format", "xml"), "'xml' is not one of"),
        (("--log-level", "loud"), "'loud' is not one of"),
    ],
)
@pytest.mark.parametrize("command", ["memory", "minesweeper", "crossword"])
def test_what_is_no_such_place_format_or_level_is_an_error_of_use(
    command: str, arguments: tuple[str, ...], reason: str
) -> None:
    result = CliRunner().invoke(main, [command, *arguments])
    assert (result.exit_code, result.stdout) == (2, "")
    assert reason in result.stderr
