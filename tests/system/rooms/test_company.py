"""The company in a room, over real sockets: names, acts of the host and of other clients, votes and reactions.

Partitions:
- a name: free, a lookalike, the client's own; names are open; with an avatar: free, taken, invalid
- an act: each act, by the host, by another player, by a spectator, by an unknown client; without effect
- the removed player: moves, takes another name, comes back, watches; is the host, is unknown
- votes: of a minority, of most players, of most of the remaining players; the server is full
- the next game: of an open game, of an ended game, begun twice, with other settings; of a room of the demonstration
- the host: the opener, the next player after the opener has gone, the opener again
- a seat goes to another device: of its holder, of another client; with a ticket that is new, used, replaced, too old;
  back to the first device, not to a third device
- an invalid body: not JSON, a missing field
"""

from __future__ import annotations

import json
from typing import cast

import pytest
import trio

from scramble.players.seats import hash_of
from scramble.rooms.gathering import people, rules, tickets
from scramble.rooms.protocol import RoomOrder
from tests.support.rooms.served import ANN, BOARD, BOB, bearer, serving_rooms
from tests.support.rooms.table import CARL, Table, acts, of, state, table, until_count, until_state
from tests.support.websocket import Tab


async def test_a_name_of_any_script_gets_a_player_and_a_lookalike_another_name() -> None:
    async with table() as room:
        answer = await room.do("names", ANN, name=" Änn  😀 ")
        assert (answer.status_code, answer.json()) == (200, {"player": "Ann", "name": "Änn 😀"})
        refused = await room.do("names", BOB, name="ann 😀")
        assert refused.status_code == 409
        body = refused.json()
        assert (body["code"], body["params"]) == ("name-taken", {"name": "ann 😀", "offer": "ann 😀 2"})
        assert (await room.do("names", ANN, name="ANN😀")).json()["player"] == "Ann"
        ann = await room.tab("play/Ann", ANN)
        assert state(ann)["names"] == {"Ann": "Änn 😀"}
        await room.do("names", BOB, name="李")
        await until_state(ann, names={"Ann": "Änn 😀", "player": "李"})
        for bad, code in (
            ("", "empty-name"),
            ("x" * 25, "name-too-long"),
            ("a\u202eb", "invisible-in-name"),
            ("B0T Ada", "bots-name"),
        ):
            assert await room.refusal("names", BOB, name=bad) == (400, code)
        assert await room.refusal("names", BOB) == (400, "bad-body")
        nonsense = await room.served.client.post(f"/g/{room.name}/names", headers=bearer(BOB), content=b"{")
        assert (nonsense.status_code, nonsense.json()["code"]) == (400, "bad-body")


async def test_a_chosen_avatar_is_in_the_state_and_a_taken_one_becomes_another() -> None:
    async with table() as room:
        await room.do("names", ANN, name="Ann", avatar=39)
        ann = await room.tab("play/Ann", ANN)
        assert state(ann)["avatars"] == {"Ann": 39}
        await room.do("names", BOB, name="Bob", avatar=39)
        await until_state(ann, avatars={"Ann": 39, "Bob": 0})
        await room.do("names", BOB, name="Bob")
        for bad in (-1, 40, "fox", 1.5):
            assert await room.refusal("names", BOB, name="Bob", avatar=bad) == (400, "bad-body")
        assert state(ann)["avatars"] == {"Ann": 39, "Bob": 0}


async def test_where_names_are_open_anybody_has_any_name() -> None:
    async with table(names="open") as room:
        for secret in (ANN, BOB):
            assert (await room.do("names", secret, name="Zoë")).json() == {"player": "Zoe", "name": "Zoë"}
        ann, bob = await room.tab("play/Zoe", ANN), await room.tab("play/bob", BOB)
        assert [state(tab)["hosting"] for tab in (ann, bob)] == [True, False]
        assert (await room.do("remove", ANN, player="bob")).status_code == 204
        assert await bob.until_closed() == 4403
        other = await room.served.socket(f"/g/{room.name}/play/bobby", BOB)
        tab = Tab(other)
        await tab.read()
        assert tab.closed == 4403


async def test_only_the_host_acts_for_all_and_all_see_who_did_it() -> None:
    async with table() as room:
        ann, bob = await room.tab("play/ann", ANN), await room.tab("play/bob", BOB)
        for act, values in (
            ("again", {}),
            ("settings", {"settings": {"size": "4x4"}}),
            ("rename", {"title": "mine"}),
            ("remove", {"player": "ann"}),
            ("close", {}),
        ):
            for secret in (BOB, CARL, None):
                assert await room.refusal(act, secret, **values) == (403, "not-the-host"), act
        assert await room.refusal("settings", ANN, settings={"size": "3x3"}) == (400, "bad-settings")
        assert await room.refusal("settings", ANN, settings=None, turn_clock=46) == (400, "bad-settings")
        assert (await room.do("rename", ANN, title="Monday")).status_code == 204
        assert (await room.do("settings", ANN, settings={"size": "4x4"}, turn_clock="off")).status_code == 204
        await until_state(bob, title="Monday", next={"size": "4x4"}, host="ann", hosting=False)
        begun = await room.do("again", ANN)
        successor = begun.headers["Location"].removeprefix("/g/")
        assert begun.status_code == 201
        assert (await room.do("again", ANN)).headers["Location"] == begun.headers["Location"]
        for tab in (ann, bob):
            await until_state(tab, successor=successor)
            assert [(act["act"], act["by"]) for act in acts(tab)] == [
                ("rename", "ann"),
                ("settings", "ann"),
                ("again", "ann"),
            ]
        record = await room.served.rooms.find(successor)
        assert (record.after, record.title, record.host) == (room.name, "Monday", hash_of(ANN))
        assert record.turn_s is None
        assert json.loads(bytes(record.settings))["size"] == "4x4"
        assert (await room.do("close", ANN)).status_code == 204
        for tab in (ann, bob):
            assert await tab.until_closed() == 4410
            assert acts(tab)[-1]["act"] == "close"


async def test_the_next_game_of_a_room_of_the_demonstration_is_another_room_of_it() -> None:
    async with serving_rooms() as served, trio.open_nursery() as nursery:
        record = await served.rooms.create("memory", {"board": BOARD}, RoomOrder(host=hash_of(ANN), demo=True))
        room = Table(served, record.name, nursery)
        await room.tab("play/ann", ANN)
        begun = await room.do("again", ANN)
        assert (begun.status_code, begun.headers["Location"] == f"/g/{record.name}") == (201, False)
        assert (await served.rooms.find(begun.headers["Location"].removeprefix("/g/"))).demo
        nursery.cancel_scope.cancel()


async def test_who_is_removed_stays_out_of_that_game_under_any_name_and_may_watch() -> None:
    async with table() as room:
        ann, bob = await room.tab("play/ann", ANN), await room.tab("play/bob", BOB)
        await room.served.get(f"/g/{room.name}/flip/bob/0,0", BOB)
        assert await room.refusal("remove", ANN, player="nobody") == (404, "no-such-player")
        assert await room.refusal("remove", ANN, player="ann") == (409, "host-stays")
        assert (await room.do("remove", ANN, player="bob")).status_code == 204
        assert await bob.until_closed() == 4403
        await until_count(ann, "act", 1)
        assert acts(bob) == acts(ann)
        assert (acts(ann)[-1]["act"], acts(ann)[-1]["player"]) == ("remove", "bob")
        for path in ("flip/bob/0,1", "flip/robert/0,1"):
            answer = await room.served.get(f"/g/{room.name}/{path}", BOB)
            assert (answer.status_code, "removed you" in answer.text) == (403, True)
        assert await room.refusal("names", BOB, name="robert") == (403, "player-removed")
        assert (await room.served.get(f"/g/{room.name}/look/ann", ANN)).text.splitlines()[1] == "up A"
        watching = await room.tab("view", BOB)
        assert await room.refusal("react", BOB, emoji="👍") == (403, "not-playing")
        assert watching.closed is None


async def test_a_new_game_begins_when_most_players_agree() -> None:
    async with table() as room:
        tabs = {
            secret: await room.tab(f"play/{name}", secret)
            for name, secret in (("ann", ANN), ("bob", BOB), ("carl", CARL))
        }
        watcher = await room.tab("view", "dora-0123456789abcdef")
        await until_state(watcher, players=["ann", "bob", "carl"], watching=1)
        assert await room.refusal("vote", "dora-0123456789abcdef") == (403, "not-playing")
        for name, secret, place in (("ann", ANN, "0,0"), ("bob", BOB, "0,1"), ("carl", CARL, "1,0")):
            await room.served.get(f"/g/{room.name}/flip/{name}/{place}", secret)
        assert (await room.do("vote", BOB)).status_code == 204
        await until_state(watcher, votes=["bob"], needed=2, successor=None)
        await room.do("vote", BOB, wanted=False)
        await until_state(watcher, votes=[])
        await room.do("vote", BOB)
        await tabs[ANN].socket.leave()  # one of two players is no majority
        await until_state(watcher, votes=["bob"], needed=2)
        await tabs[CARL].socket.leave()
        await watcher.until(lambda: state(watcher)["successor"] is not None)
        await until_count(watcher, "act", 3)
        assert [(act["act"], act["by"]) for act in acts(watcher)] == [("vote", "bob"), ("vote", "bob"), ("again", None)]


async def test_once_the_game_has_ended_anybody_begins_the_next_one() -> None:
    async with table("1x2\nA\nA\n") as room:
        bob = await room.tab("play/bob", BOB)
        for place in ("0,0", "0,1"):
            await room.served.get(f"/g/{room.name}/flip/bob/{place}", BOB)
        await until_state(bob, state="ended")
        begun = await room.do("again", BOB)
        assert (begun.status_code, begun.headers["Location"]) == (201, f"/g/{begun.json()['room']}")
        await bob.until(lambda: state(bob)["successor"] is not None)


async def test_the_next_player_is_host_while_the_host_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "HOST_GONE_S", 0.0)
    async with table() as room:
        bob = await room.tab("play/bob", BOB)
        await until_state(bob, host="bob", hosting=True)
        ann = await room.tab("play/ann", ANN)
        await until_state(bob, host="ann", hosting=False)
        assert await room.refusal("rename", BOB, title="mine") == (403, "not-the-host")
        await ann.socket.leave()
        await until_state(bob, host="bob", hosting=True)
        monkeypatch.setattr(people, "OPENER_GONE_S", 0.0)
        assert (await room.do("rename", BOB, title="mine")).status_code == 204
        assert await room.refusal("remove", BOB, player="ann") == (409, "opener-stays")


async def test_reactions_float_up_for_all_as_fast_as_people_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "REACTIONS_PER_S", 1e-9)
    async with table() as room:
        ann, bob = await room.tab("play/ann", ANN), await room.tab("play/bob", BOB)
        assert await room.refusal("react", BOB, emoji="free text") == (409, "no-such-reaction")
        assert await room.refusal("react", BOB, emoji="👍", player="ann") == (403, "not-playing")
        most = rules.REACTIONS_AT_ONCE
        assert [(await room.do("react", BOB, emoji="🎉")).status_code for _ in range(most)] == [204] * most
        assert await room.refusal("react", BOB, emoji="🎉") == (429, "too-fast")
        for tab in (ann, bob):
            await until_count(tab, "reaction", most)
            assert all(frame == {"type": "reaction", "player": "bob", "emoji": "🎉"} for frame in of(tab, "reaction"))


async def test_all_see_until_when_a_card_is_held_that_somebody_waits_for() -> None:
    async with table() as room:
        ann, bob = await room.tab("play/ann", ANN), await room.tab("play/bob", BOB)
        await room.served.get(f"/g/{room.name}/flip/ann/0,0", ANN)
        await bob.say({"type": "flip", "id": 1, "row": 0, "column": 0})
        for tab in (ann, bob):
            await until_count(tab, "clock", 2)
        await bob.say({"type": "withdraw"})
        await until_count(ann, "clock", 3)
        first, held, last = (cast(dict[str, float], frame["due"]) for frame in of(ann, "clock"))
        assert held.keys() == {"ann"}
        assert 0 < held["ann"] <= 45
        assert first == last == {}


async def test_a_seat_goes_to_another_device_once_and_leaves_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    async with table() as room:
        await room.do("names", BOB, name="Böb")
        bob = await room.tab("play/Bob", BOB)
        await room.served.get(f"/g/{room.name}/flip/Bob/0,0", BOB)
        assert await room.refusal("handover", CARL, player="Bob", address="http://x/") == (403, "seat-taken")
        assert await room.refusal("handover", BOB, player="Rob", address="http://x/") == (404, "no-such-player")
        assert await room.refusal("handover", BOB, player="Bob", address="javascript:x") == (400, "bad-body")
        links = [(await room.do("handover", BOB, player="Bob", address="http://x/g/y")).json() for _ in range(2)]
        assert links[0]["qr"].startswith("data:image/svg+xml")
        old, ticket = (link["link"].removeprefix("http://x/g/y#seat=") for link in links)
        assert await room.refusal("seat", CARL, ticket=old) == (410, "no-such-ticket")
        assert (await room.do("seat", CARL, ticket=ticket)).json() == {"player": "Bob", "name": "Böb"}
        assert await bob.until_closed() == 4403
        assert (await room.do("seat", CARL, ticket=ticket)).json() == {"player": "Bob", "name": "Böb"}
        assert await room.refusal("seat", ANN, ticket=ticket) == (410, "no-such-ticket")
        statuses = [
            (await room.served.get(f"/g/{room.name}/flip/Bob/0,1", secret)).status_code for secret in (BOB, CARL)
        ]
        assert statuses == [403, 200]
        carl = await room.tab("play/Bob", CARL)
        assert (await room.do("seat", BOB, ticket=ticket)).json() == {"player": "Bob", "name": "Böb"}
        assert await carl.until_closed() == 4403
        assert await room.refusal("seat", ANN, ticket=ticket) == (410, "no-such-ticket")
        assert (await room.do("seat", CARL, ticket=ticket)).json() == {"player": "Bob", "name": "Böb"}
        monkeypatch.setattr(tickets, "VALID_S", 0.0)
        late = (await room.do("handover", CARL, player="Bob", address="http://x/")).json()["link"]
        assert await room.refusal("seat", BOB, ticket=late.partition("#seat=")[2]) == (410, "no-such-ticket")


async def test_only_a_program_with_a_secret_plays_under_a_name_that_says_bot() -> None:
    async with table() as room:
        path = f"/g/{room.name}/flip/bot_Ada/0,0"
        person = await room.served.client.get(path)
        assert (person.status_code, person.text) == (400, "names that begin with bot are for bots\n")
        assert (await room.served.client.get(path, headers=bearer(BOB))).status_code == 200
        assert (await room.do("names", ANN, name="Bothilda")).json()["player"] == "Bothilda"


async def test_a_lookalike_is_taken_for_programs_too() -> None:
    async with table() as room:
        await room.do("names", ANN, name="Böb")
        answer = await room.served.get(f"/g/{room.name}/flip/b0b/0,0", BOB)
        assert (answer.status_code, "looks like" in answer.text) == (409, True)
