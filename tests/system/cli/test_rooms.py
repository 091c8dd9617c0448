"""`scramble rooms` and `scramble backup`, by click's runner, on the folder of a server in another process.

Partitions:
- a server uses the folder; it has ended normally; it was killed, and another program has its port; there was no server
- a list of old rooms
- list, close, remove; an unknown room; a room with a player in it
- backup: of a running server, before its next move; restored and played on; into a folder that is not empty; with a
  file that is not a database
"""

from __future__ import annotations

import json
import signal
import stat
import time
from pathlib import Path

import httpx
import trio
from click.testing import CliRunner

from scramble.cli.main import main
from scramble.cli.serve import DAY_S
from scramble.rooms.local import open_rooms
from scramble.rooms.protocol import RoomOrder
from tests.support.process import ServerProcess

ANN = {"Authorization": "Bearer 0123456789abcdef"}


def serve(folder: Path) -> ServerProcess:
    return ServerProcess("serve", "--data", folder, "--port", "0", lines=1)


def run(*arguments: str | Path) -> tuple[int, str, str]:
    """Run a command in this process, since a new process is slow. Return its exit code, output and error output."""
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return done.exit_code, done.stdout, done.stderr


def opened(url: str, title: str, *, public: bool = False) -> str:
    """Open a room, and return its name."""
    room = {"game": "memory", "title": title, "public": public, "settings": {"size": "2x2", "seed": 7}}
    return str(httpx.post(f"{url}rooms", json=room).json()["room"])


def test_rooms_are_listed_closed_and_removed_with_and_without_a_server(tmp_path: Path) -> None:
    with serve(tmp_path) as server:
        hidden, public, third = (opened(server.url, title, public=title == "B") for title in "ABC")
        assert httpx.get(f"{server.url}g/{hidden}/flip/ann/0,0", headers=ANN).status_code == 200
        code, listed, _ = run("rooms", "list", "--data", tmp_path)
        assert code == 0
        assert [line.split()[0] for line in listed.splitlines()] == [third, public, hidden]
        assert ["by link" in line for line in listed.splitlines()] == [True, False, True]
        assert run("rooms", "close", hidden, "--data", tmp_path) == (0, "", "")
        assert httpx.get(f"{server.url}g/{hidden}/look/ann", headers=ANN).status_code == 410
        assert run("rooms", "remove", public, "--data", tmp_path) == (0, "", "")
        assert httpx.get(f"{server.url}rooms/{public}").status_code == 410
        assert (tmp_path / "rooms" / f"{hidden}.db").exists()
        assert stat.S_IMODE((tmp_path / "control").stat().st_mode) == 0o600
        place = json.loads((tmp_path / "control").read_text())
        for headers in ({}, {"Authorization": "Bearer"}, {"Authorization": f"Bearer {place['secret']}x"}):
            refused = httpx.post(place["url"], json={"action": "remove", "room": third}, headers=headers)
            assert refused.status_code == 403
        assert httpx.get(f"{server.url}rooms/{third}").status_code == 200
        server.kill()
    with ServerProcess("memory", "--port", "0", lines=1) as other:
        (tmp_path / "control").write_text(json.dumps({"url": other.url, "secret": "of no use"}))
        code, listed, _ = run("rooms", "list", "--data", tmp_path)
    assert (code, [line.split()[:3] for line in listed.splitlines()]) == (
        0,
        [[third, "memory", "open"], [hidden, "memory", "closed"]],
    )
    assert run("rooms", "remove", hidden, "--data", tmp_path) == (0, "", "")
    assert not (tmp_path / "rooms" / f"{hidden}.db").exists()
    for arguments in (("close", hidden), ("remove", "no-such-room-here")):
        code, said, why = run("rooms", *arguments, "--data", tmp_path)
        assert (code, said, why.count("\n")) == (1, "", 1)
        assert not why.startswith("Traceback")


def test_a_list_of_old_rooms_removes_none_of_them(tmp_path: Path) -> None:
    async def open_long_ago() -> None:
        async with open_rooms(tmp_path, now=lambda: time.time() - 400 * DAY_S) as rooms:
            for number in range(3):
                await rooms.create("memory", {}, RoomOrder(title=str(number)))
            await rooms.close((await rooms.create("memory", {}, RoomOrder(title="closed"))).name)

    trio.run(open_long_ago)
    for _ in range(3):
        code, listed, _ = run("rooms", "list", "--data", tmp_path)
        assert (code, [line.split()[-1] for line in listed.splitlines()]) == (0, ["closed", "2", "1", "0"])


def test_where_there_are_no_rooms_nothing_is_made(tmp_path: Path) -> None:
    for arguments in (("rooms", "list", "--data", tmp_path / "none"), ("backup", tmp_path / "none", tmp_path / "copy")):
        code, said, why = run(*arguments)
        assert (code, said) == (1, "")
        assert "no rooms in" in why
    assert not list(tmp_path.iterdir())


def test_a_backup_of_a_running_server_goes_on_where_the_moves_were_when_it_was_made(tmp_path: Path) -> None:
    folder, copy = tmp_path / "games", tmp_path / "copy"
    with serve(folder) as server:
        played, unplayed = opened(server.url, "A"), opened(server.url, "B")
        before = httpx.get(f"{server.url}g/{played}/flip/ann/0,0", headers=ANN).text
        assert run("backup", folder, copy) == (0, f"1 game and the register are copied to {copy}\n", "")
        after = httpx.get(f"{server.url}g/{played}/flip/ann/0,1", headers=ANN).text
        assert after != before
        code, _, why = run("backup", folder, copy)
        assert (code, "not empty" in why) == (1, True)
        assert server.stop(signal.SIGTERM)[0] == 0
    restored = tmp_path / "restored"
    assert run("restore", copy, restored) == (0, f"1 game and the register are restored to {restored}\n", "")
    code, _, why = run("restore", copy, folder)
    assert (code, "not empty" in why) == (1, True)
    with serve(restored) as server:
        assert httpx.get(f"{server.url}g/{played}/look/ann", headers=ANN).text == before
        assert httpx.get(f"{server.url}g/{played}/flip/ann/0,1", headers=ANN).text == after
        assert httpx.get(f"{server.url}g/{unplayed}/look/ann").text == "2x2\n" + "down\n" * 4
    assert {stat.S_IMODE(file.stat().st_mode) for file in copy.rglob("*.db")} == {0o600}


def test_a_file_that_cannot_be_copied_is_said_and_keeps_no_other_from_it(tmp_path: Path) -> None:
    folder, copy = tmp_path / "games", tmp_path / "copy"
    with serve(folder) as server:
        rooms = [opened(server.url, title) for title in "AB"]
        for room in rooms:
            assert httpx.get(f"{server.url}g/{room}/flip/ann/0,0", headers=ANN).status_code == 200
        assert server.stop(signal.SIGTERM)[0] == 0
    (folder / "rooms" / f"{rooms[0]}.db").write_bytes(b"no database at all, but long enough to be looked at" * 100)
    code, said, why = run("backup", folder, copy)
    assert (code, said) == (1, f"1 game and the register are copied to {copy}\n")
    assert f"{rooms[0]}.db" in why
    assert why.count("\n") == 1
    assert not (copy / "rooms" / f"{rooms[0]}.db").exists()
