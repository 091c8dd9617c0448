"""`scramble serve`, and `scramble` alone, as processes: many games in one server.

Partitions:
- the folder: the user's own, a given one, none; one that another server uses, one that cannot be made
- the end: a signal, with rooms awake; a second start finds the rooms of the first
- the port: free, 8080
- an old room: its game ended before the time of --keep-days, or within this time
- permission to open rooms: for all clients, for this machine, for clients with the token
"""

from __future__ import annotations

import os
import re
import signal
import time
from functools import partial
from pathlib import Path

import httpx

from scramble.cli.serve import DAY_S, open_served_rooms, serve_command, serve_config_of
from scramble.rooms.local import open_rooms
from tests.support.process import ServerProcess

MEMORY = {"game": "memory", "public": True, "title": "Friday", "settings": {"size": "2x2", "seed": 7}}


def opened(url: str, **more: object) -> str:
    """Open a room, and return its address."""
    answer = httpx.post(f"{url}rooms", json=MEMORY | more)
    assert answer.status_code == 201, answer.text
    return f"{url.rstrip('/')}{answer.headers['Location']}"


def test_without_a_command_rooms_are_served_on_port_8080_from_the_users_own_folder(tmp_path: Path) -> None:
    with ServerProcess(environment=os.environ | {"XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}) as server:
        line = server.line()
        if line:
            assert line == "Scramble: http://127.0.0.1:8080/\n"
            folder = re.fullmatch("The games are kept in (.+)\n", server.line())
            assert folder is not None
            assert Path(folder[1]).is_relative_to(tmp_path)
            assert (Path(folder[1]) / "register.db").exists()
            assert server.stop() == (0, "", "")
        else:  # another program uses that port
            assert server.wait() == 1
            assert "port 8080" in server.complaints


def test_a_room_goes_on_after_the_server_was_killed_and_one_without_a_move_is_still_there(tmp_path: Path) -> None:
    with ServerProcess("serve", "--data", tmp_path / "games", "--port", "0", lines=1) as server:
        room, unplayed = opened(server.url), opened(server.url, title="Monday")
        before = httpx.get(f"{room}/flip/ann/0,0", headers={"Authorization": "Bearer 0123456789abcdef"}).text
        assert "my " in before
        server.kill()
    with ServerProcess("serve", "--data", tmp_path / "games", "--port", "0", lines=1) as server:
        again = f"{server.url}g/{room.rpartition('/')[2]}"
        assert httpx.get(f"{again}/look/ann", headers={"Authorization": "Bearer 0123456789abcdef"}).text == before
        assert (
            httpx.get(f"{again}/look/ann", headers={"Authorization": "Bearer another-secret-of-bob"}).status_code == 403
        )
        assert httpx.get(f"{server.url}g/{unplayed.rpartition('/')[2]}/look/bob").text == "2x2\n" + "down\n" * 4
        assert [listed["title"] for listed in httpx.get(f"{server.url}rooms").json()["rooms"]] == ["Monday", "Friday"]
        server.line()
        assert server.stop(signal.SIGTERM) == (0, "", "")


def test_a_second_server_on_a_folder_is_refused_in_one_line(tmp_path: Path) -> None:
    with (
        ServerProcess("serve", "--data", tmp_path, "--port", "0", lines=1) as first,
        ServerProcess("serve", "--data", tmp_path, "--port", "0") as second,
    ):
        assert second.wait() == 1
        assert (second.output.text, second.complaints.count("\n")) == ("", 1)
        assert str(tmp_path) in second.complaints
        first.line()
        assert first.stop() == (0, "", "")


def test_a_folder_that_cannot_be_made_is_refused_in_one_line_and_no_two_places_are_taken(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for arguments, code in ((("--data", tmp_path / "file" / "games"), 1), (("--data", tmp_path, "--in-memory"), 2)):
        with ServerProcess("serve", "--port", "0", *arguments) as server:
            assert server.wait() == code
            assert (server.output.text, server.complaints.count("\n")) == ("", 1)
            assert not server.complaints.startswith("Traceback")


async def test_a_room_is_kept_for_the_days_of_keep_days_after_its_end(tmp_path: Path) -> None:
    names = list[str]()
    for days in (1.9, 2.1):
        async with open_rooms(tmp_path, now=partial(days_ago, days)) as rooms:
            names.append((await rooms.create("memory", {})).name)
            await rooms.close(names[-1])
    command = serve_command.make_context("serve", ["--data", str(tmp_path), "--keep-days", "2"])
    async with open_served_rooms(serve_config_of(command.params)) as rooms:
        changes = rooms.changes()
        while names[1] in (kept := {record.name for record in await rooms.list(hidden=True)}):
            await anext(changes)
        assert kept == {names[0]}


def days_ago(days: float) -> float:
    return time.time() - days * DAY_S


def test_with_a_token_only_who_brings_it_opens_rooms() -> None:
    with ServerProcess("serve", "--in-memory", "--open-rooms", "token", "--port", "0", lines=2) as server:
        token = server.wait_for("with the token (.+)\n")[1]
        for headers, status in (({}, 403), ({"Scramble-Token": token[:-1]}, 403), ({"Scramble-Token": token}, 201)):
            answer = httpx.post(f"{server.url}rooms", json=MEMORY, headers=headers)
            assert answer.status_code == status
        refused = httpx.post(f"{server.url}rooms", json=MEMORY).json()
        assert refused["code"] == "may-not-open"
        assert "token" in refused["error"]


def test_a_full_folder_refuses_rooms_and_health_says_so(tmp_path: Path) -> None:
    with ServerProcess("serve", "--port", "0", "--data", tmp_path, "--max-data", "1K", lines=1) as server:
        answer = httpx.post(f"{server.url}rooms", json=MEMORY)
        assert (answer.status_code, answer.json()["code"]) == (507, "disk-full")
        health = httpx.get(f"{server.url}health")
        assert (health.status_code, health.json()["ready"]) == (200, True)
        assert [problem["code"] for problem in health.json()["problems"]] == ["disk-full"]
        assert 'scramble_problem{code="disk-full"} 1.0' in httpx.get(f"{server.url}metrics").text
    with ServerProcess("serve", "--in-memory", "--max-data", "5X") as server:
        assert server.wait() == 2
        assert "such as 500M" in server.complaints
