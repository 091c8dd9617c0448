"""A class with people at two servers, over real sockets. The Redis between the servers is simulated.

Partitions:
- the teacher and the pupils are at: the same server, two servers
- a pupil's table runs at: the pupil's server, the other server
- the class changes at: the server of a waiting look, the other server
"""

from __future__ import annotations

from typing import Any

import trio

from tests.support.cluster.places import two_servers
from tests.system.rooms.test_classes import begun, joined, opened, secret_of, send, win


async def test_a_class_is_the_same_at_all_servers() -> None:
    async with two_servers() as (first, second):
        at = await opened(first)
        for server, name in ((first, "ann"), (second, "bob"), (second, "cy"), (first, "dee"), (second, "eve")):
            await joined(server, at, name)
        waiting = (await second.get(at)).json()
        assert waiting == {**(await first.get(at)).json(), "links": waiting["links"]}
        assert [one["name"] for one in waiting["pupils"]] == ["ann", "bob", "cy", "dee", "eve"]
        seen: list[dict[str, Any]] = []

        async def look() -> None:
            seen.append((await second.get(f"{at}?after={waiting['version']}")).json())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(look)
            tables = (await begun(first, at))["tables"]
        assert seen[0]["tables"] == tables
        assert [table["pupils"] for table in tables] == [[0, 1], [2, 3, 4]]
        claim = await send(second, f"/g/{tables[0]['room']}/names", {"name": "bob"}, secret_of("bob"))
        assert claim.json()["player"] == "bob"
        await win(second, tables[0]["room"], "bob", secret_of("bob"))
        assert [pupil["wins"] for pupil in (await first.get(at)).json()["pupils"]] == [0, 1, 0, 0, 0]
        late = await joined(second, at, "fay")
        assert [table["pupils"] for table in late["tables"]] == [[0, 1], [2, 3, 4, 5]]
