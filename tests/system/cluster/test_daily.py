"""Daily challenges in a cluster: one table for all its processes. The processes, their Redis and the sockets are real.

Partitions:
- the process: where the attempt began and was played; another one
- the client: with an ended attempt; with a running one
- a restart of all processes: after SIGTERM, after a crash
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from tests.support import HANG_S
from tests.support.cluster.fleet import Fleet, Member
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.support.rooms.served import ANN, BOB, bearer

pytestmark = needs_redis


def ask(member: Member, method: str, path: str, secret: str, body: object = None) -> httpx.Response:
    """Return the answer to a request. Repeat the request while the game or the register moves to another process."""
    address = f"http://127.0.0.1:{member.port}{path}"
    while (answer := httpx.request(method, address, json=body, headers=bearer(secret), timeout=HANG_S)).is_error:
        assert (answer.status_code, answer.headers.get("Retry-After")) == (503, "1"), answer.text
    return answer


def begin(member: Member, secret: str) -> str:
    """Begin or continue today's attempt at Memory; return its room."""
    return cast(str, ask(member, "POST", "/rooms/daily", secret, {"game": "memory"}).json()["room"])


def daily(member: Member, secret: str) -> tuple[str, dict[str, Any]]:
    """Return today's date, and the challenge in Memory as the client sees it."""
    view = ask(member, "GET", "/rooms/daily", secret).json()
    return view["day"], next(one for one in view["games"] if one["game"] == "memory")


def turn(member: Member, room: str, secret: str, player: str, place: tuple[int, int]) -> str:
    """Turn a card over, and return it."""
    size, *cards = ask(member, "GET", f"/g/{room}/flip/{player}/{place[0]},{place[1]}", secret).text.splitlines()
    columns = int(size.partition("x")[2])
    return cards[place[0] * columns + place[1]].partition(" ")[2]


def play(member: Member, room: str, secret: str, player: str) -> dict[tuple[int, int], str]:
    """Turn the cards over in their order until all pairs are found. Return the cards."""
    size = ask(member, "GET", f"/g/{room}/look/{player}", secret).text.splitlines()[0]
    rows, columns = map(int, size.split("x"))
    unseen = [(row, column) for row in range(rows) for column in range(columns)]
    cards, single = dict[tuple[int, int], str](), dict[str, tuple[int, int]]()
    pair: tuple[tuple[int, int], tuple[int, int]] | None = None
    while unseen or pair:
        first = pair[0] if pair else unseen.pop(0)
        cards[first] = turn(member, room, secret, player, first)
        second = pair[1] if pair else single.pop(cards[first]) if cards[first] in single else unseen.pop(0)
        cards[second] = turn(member, room, secret, player, second)
        pair = None
        if cards[first] != cards[second]:
            single[cards[first]] = first
            other = single.pop(cards[second], None)
            if other is None:
                single[cards[second]] = second
            else:
                pair = (second, other)
    return cards


def test_a_cluster_has_one_table_that_survives_a_restart_of_all_processes(tmp_path: Path) -> None:
    with (
        RedisServer(tmp_path / "redis") as redis,
        Fleet(2, lambda _: ("serve", "--cluster", redis.url)) as fleet,
    ):
        one, other = fleet.members
        day, _ = daily(one, ANN)
        anns = begin(one, ANN)
        assert begin(other, ANN) == anns
        cards = play(one, anns, ANN, "ann")
        bobs = begin(other, BOB)
        assert turn(other, bobs, BOB, "bob", (0, 0)) == cards[0, 0]

        def look(member: Member, secret: str) -> tuple[object, ...]:
            today, challenge = daily(member, secret)
            if today != day:
                pytest.skip("the day has changed")
            table = [(entry["name"], entry["points"], entry["mine"], entry["room"]) for entry in challenge["table"]]
            return challenge["attempt"], challenge["room"], challenge["players"], table

        for_ann = ("ended", anns, 2, [("ann", 10, True, anns)])
        for_bob = ("playing", bobs, 2, [("ann", 10, False, None)])
        for member in (one, other):
            assert (look(member, ANN), look(member, BOB)) == (for_ann, for_bob)
        one.kill()
        assert other.terminate() == 0
        for member in (one, other):
            member.start()
        for member in (one, other):
            assert (look(member, ANN), look(member, BOB)) == (for_ann, for_bob)
        assert (begin(one, BOB), begin(other, ANN)) == (bobs, anns)
