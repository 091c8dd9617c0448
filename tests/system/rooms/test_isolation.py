"""Isolation of rooms: the data of one room never contains another room's data.

Strategy: every room has its own nonsense word in title, cards, names of players and display names. All rooms are played
to their end at the same time, over every interface of a room. The data of each interface must contain the room's own
word, and no other room's word or name.

Partitions:
- a kind of game
- a player's WebSocket, a spectator's, the text protocol, the page, acts, share panel, record, replay; metrics of all
"""

from __future__ import annotations

import trio

from scramble.players.seats import hash_of
from scramble.rooms.protocol import RoomOrder, RoomRecord
from tests.support.rooms.served import ServedRooms, bearer, serving_rooms
from tests.support.websocket import Closed, WebSocket

WORDS = ("qzavex", "qzbvex", "qzcvex", "qzdvex", "qzevex", "qzfvex", "qzgvex", "qzhvex", "qzivex")


class Party:
    """The people in one room, and all data that they received, by interface."""

    def __init__(self, served: ServedRooms, word: str, record: RoomRecord, nursery: trio.Nursery) -> None:
        self.word = word
        self.name = record.name
        self.texts: dict[str, list[str]] = {}
        self._served = served
        self._nursery = nursery
        self._news = trio.lowlevel.ParkingLot()

    def secret(self, who: str) -> str:
        return f"secret-of-{who}-in-{self.word}"

    async def open(self, path: str, who: str) -> WebSocket:
        """Open a WebSocket in the room; store all of its frames."""
        socket = await self._served.socket(f"/g/{self.name}/{path}", self.secret(who))
        kept = self.texts.setdefault(path.partition("/")[0], [])

        async def keep() -> None:
            try:
                while True:
                    kept.append(await socket.receive_text())
                    self._news.unpark_all()
            except Closed:
                pass

        self._nursery.start_soon(keep)
        return socket

    async def until_sent(self, way: str, part: str) -> None:
        """Wait until a text from this interface contains `part`."""
        while not any(part in text for text in self.texts.get(way, ())):
            await self._news.park()

    async def get(self, way: str, path: str, who: str = "ann") -> str:
        """Send a request; store the answer."""
        answer = await self._served.get(f"/g/{self.name}/{path}" if path else f"/g/{self.name}", self.secret(who))
        assert answer.status_code == 200, (path, answer.text)
        self.texts.setdefault(way, []).append(answer.text)
        return answer.text

    async def act(self, act: str, who: str, **values: object) -> None:
        """Do an act of the company; store the answer."""
        headers = bearer(self.secret(who))
        answer = await self._served.client.post(f"/g/{self.name}/{act}", headers=headers, json=values)
        assert answer.is_success, (act, answer.text)
        self.texts.setdefault("acts", []).append(answer.text)

    async def gather(self) -> None:
        """Connect two players and a spectator, and wait until they see each other."""
        ann = f"{self.word}_ann"
        await self.act("names", "bob", name=f"{self.word} Zoë")
        await self.open(f"play/{ann}", "ann")
        await self.open("view", "eve")
        await self.until_sent("play", '"company"')
        await self.act("react", "ann", emoji="👋", player=ann)
        await self.until_sent("view", "👋")
        await self.until_sent("view", f"{self.word} Zoë")
        await self.get("page", "")
        await self.get("share", "share")

    async def finish(self) -> None:
        """Wait for the end of the game; then get its replay and its record."""
        changes = self._served.rooms.changes()
        while (await self._served.rooms.find(self.name)).state != "ended":
            await anext(changes)
        await self.get("replay", "replay/data")
        await self.get("replay", "replay/data?from=0")
        answer = await self._served.get(f"/rooms/{self.name}")
        self.texts["record"] = [answer.text]


async def play_memory(party: Party) -> None:
    for spot in ("0,0", "0,1", "1,0", "1,1"):
        await party.get("text", f"flip/{party.word}_ann/{spot}")
        await party.get("text", f"look/{party.word}_bob", "bob")


async def play_minesweeper(party: Party) -> None:
    socket = await party.open(f"play/{party.word}_carl", "carl")
    await socket.send({"type": "dig", "x": 0, "y": 1, "id": 1})
    await socket.send({"type": "dig", "x": 1, "y": 1, "id": 2})


async def play_crossword(party: Party) -> None:
    socket = await party.open(f"play/{party.word}_carl", "carl")
    await party.until_sent("play", '"PLAY"')
    await socket.send(f"TRY 1 {party.word}")


WAYS = {"play", "view", "acts", "page", "share", "replay", "record"}

PLAY = {"memory": play_memory, "minesweeper": play_minesweeper, "crossword": play_crossword}


def settings_of(kind: str, word: str) -> dict[str, object]:
    """Return settings of a game with the word in every text."""
    match kind:
        case "memory":
            return {"board": f"2x2\n{word}1\n{word}1\n{word}2\n{word}2\n"}
        case "minesweeper":
            return {"field": "2 2\n1 1\n0 0\n"}
        case _:
            return {"source": f'>> "{word}" "of {word}"\n({word}, "clue of {word}", ACROSS, 0, 0)\n'}


async def test_no_room_ever_sends_or_shows_what_is_anothers() -> None:
    async with serving_rooms() as served, trio.open_nursery() as keeping:
        parties: list[tuple[Party, str]] = []
        for number, word in enumerate(WORDS):
            host = hash_of(f"secret-of-ann-in-{word}")
            kind = tuple(PLAY)[number % len(PLAY)]
            record = await served.rooms.create(kind, settings_of(kind, word), RoomOrder(host=host, title=f"of {word}"))
            parties.append((Party(served, word, record, keeping), kind))
        async with trio.open_nursery() as nursery:
            for party, _ in parties:
                nursery.start_soon(party.gather)
        assert len(served.rooms.awake()) == len(WORDS)
        async with trio.open_nursery() as nursery:
            for party, kind in parties:
                nursery.start_soon(PLAY[kind], party)
        async with trio.open_nursery() as nursery:
            for party, _ in parties:
                nursery.start_soon(party.finish)
        metrics = (await served.get("/metrics")).text
        listed = (await served.get("/rooms")).text
        for party, kind in parties:
            others = [other for other, _ in parties if other is not party]
            assert party.texts.keys() == WAYS | ({"text"} if kind == "memory" else set())
            for way, texts in party.texts.items():
                sent = "\n".join(texts)
                own = party.name if way in ("page", "share") else party.word
                assert own in sent, way
                assert not [other.word for other in others if other.word in sent or other.name in sent], way
            assert party.word not in metrics + listed
            assert party.name not in metrics + listed
        keeping.cancel_scope.cancel()
