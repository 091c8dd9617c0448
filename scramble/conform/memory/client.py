"""The players of a case: each request over its own connection, with its answer checked against the grammar."""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import trio

from scramble.conform.cases import Broken, Silent, Skipped, Table
from scramble.conform.http import Answer, ask, netloc
from scramble.conform.memory.boardtext import Board, BoardFile, parse_board
from scramble.conform.memory.routes import Route
from scramble.conform.memory.rules import Place, Seen
from scramble.conform.transcript import Transcript, shortened

QUIET_S: Final = 0.2
"""The least time after which a request without an answer counts as waiting."""

QUIET_LOOKS: Final = 3
"""That time for a slow server, as a multiple of its slowest look."""

OK: Final = 200
FIRST_ERROR: Final = 400


@dataclass(frozen=True)
class Request:
    """An HTTP request."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def __str__(self) -> str:
        return f"{self.method} {self.target}" + (f" {self.body.decode()}" if self.body else "")


@dataclass(frozen=True)
class Server:
    """The address of a server, and its routes."""

    host: str
    port: int
    routes: Mapping[str, Route]
    patience_s: float

    async def send(
        self,
        transcript: Transcript,
        client: str,
        request: Request,
        shown: Callable[[Answer], str] = Answer.told,
    ) -> Answer:
        """Send a request, and wait for the answer without a limit. `shown`: the answer in the transcript."""
        url = f"http://{netloc(self.host, self.port)}{request.target}"
        again = ["curl", "-i", "--path-as-is", *(() if request.method == "GET" else ("-X", request.method))]
        for name, value in request.headers:
            again += ["-H", f"{name}: {value}"]
        again += ["--data", request.body.decode()] if request.body else []
        exchange = transcript.begin(client, str(request), shlex.join([*again, url]))
        try:
            answer = await ask(self.host, self.port, request.method, request.target, request.headers, request.body)
        except Broken as broken:
            transcript.end(exchange, str(broken))
            raise
        transcript.end(exchange, shown(answer))
        return answer

    def request(self, name: str, values: Mapping[str, str]) -> Request:
        """Return a request of the handout, such as flip, by its route."""
        route = self.routes[name]
        target, body = route.fill(values)
        return Request(route.method, target, (("Content-Type", "application/json"),) if body else (), body)


class Ground:
    """The known cards of one server, and the spaces that no case has used."""

    def __init__(self, file: BoardFile, tag: str = "") -> None:
        """`tag`: a part of all IDs of players, for a server that an earlier check may have used."""
        self.file: Final = file
        self.quiet_s = QUIET_S
        """A request without an answer for this time counts as waiting: longer than the slowest look so far."""

        self._tag: Final = tag
        self.cards: Final = dict(file.places)
        self._unused: Final = list(self.cards)
        self._players = 0

    @property
    def left(self) -> int:
        """The number of unused spaces."""
        return len(self._unused)

    def use(self, places: Iterable[Place]) -> None:
        """Note that these spaces have been used before."""
        for place in places:
            self._unused.remove(place)

    def take(self, pattern: str) -> tuple[Place, ...]:
        """Return unused spaces: equal letters of the pattern are equal cards, different letters different cards.

        Raises Skipped if the board has not enough of them.
        """
        wanted = {letter: pattern.count(letter) for letter in pattern}
        groups: dict[str, list[Place]] = {}
        for place in self._unused:
            groups.setdefault(self.cards[place], []).append(place)
        by_size = sorted(groups.values(), key=len, reverse=True)  # the largest group first: so that the others stay
        found: dict[str, list[Place]] = {}
        for letter, count in sorted(wanted.items(), key=lambda item: -item[1]):
            group = next((group for group in by_size if len(group) >= count), None)
            if group is None:
                raise Skipped(f"the board has no unused cards with the pattern {pattern}")
            by_size.remove(group)
            found[letter] = group[:count]
        taken = tuple(found[letter].pop(0) for letter in pattern)
        for place in taken:
            self._unused.remove(place)
        return taken

    def replaced(self, old: str, new: str) -> None:
        """Note that a server replaced a card."""
        for place, card in self.cards.items():
            if card == old:
                self.cards[place] = new

    def name(self, name: str) -> str:
        """Return a player ID that begins with the name, and that no case has used."""
        self._players += 1
        return f"{name}_{self._tag}{self._players}"

    def looked(self, took_s: float, patience_s: float) -> None:
        """Note the time of a look, which never waits."""
        self.quiet_s = max(self.quiet_s, min(QUIET_LOOKS * took_s, patience_s / 2))


class Pending:
    """A request that may wait: the flip of a controlled card, or a watch. It runs in the nursery of its case."""

    def __init__(self, told: str, ground: Ground, transcript: Transcript, patience_s: float) -> None:
        self.told: Final = told
        self._transcript: Final = transcript
        self._exchange = 0
        self._ground: Final = ground
        self.answer: Answer | None = None
        self.began_s: Final = trio.current_time()
        self.ended_s: float | None = None
        self._patience_s: Final = patience_s
        self._error: Broken | None = None
        self._done: Final = trio.Event()
        self._scope: Final = trio.CancelScope()

    async def run(self, send: Callable[[], Awaitable[Answer]]) -> None:
        """Send the request, and keep its answer or error."""
        self._exchange = len(self._transcript.exchanges)  # `send` adds it before it waits
        with self._scope:
            try:
                self.answer = await send()
            except Broken as broken:
                self._error = broken
            self.ended_s = trio.current_time()
            self._done.set()

    @property
    def is_answered(self) -> bool:
        """True if the answer has come, or the connection has ended."""
        return self._done.is_set()

    async def waits(self, why: str) -> None:
        """Check that the request is not answered for a while. Raises Broken with the reason `why` it must wait."""
        with trio.move_on_after(self._ground.quiet_s):
            await self._done.wait()
        if self._done.is_set():
            self._mark()
        if self.answer is not None:
            raise Broken(f"{self.told} was answered at once ({shortened(self.answer.told(), 80)!r}), but {why}")
        if self._error is not None:
            raise Broken(f"{self.told} must wait, because {why}, but {self._error}")

    async def is_refused(self) -> bool:
        """Return True if the answer is an error, and comes within a while."""
        with trio.move_on_after(self._ground.quiet_s):
            await self._done.wait()
        return self.answer is not None and self.answer.status >= FIRST_ERROR

    async def answered(self, why: str) -> Answer:
        """Wait for the answer. Raises Silent with the reason `why` it must come, if it does not come in time."""
        with trio.move_on_after(self._patience_s):
            await self._done.wait()
        if not self._done.is_set():
            self._mark()
            raise Silent(f"{self.told} got no answer within {self._patience_s:g} s, but {why}")
        return self.result()

    def _mark(self) -> None:
        self._transcript.exchanges[self._exchange].is_wrong = True

    async def done(self) -> None:
        """Wait until the answer has come, or the connection has ended."""
        await self._done.wait()

    def result(self) -> Answer:
        """Return the answer of an answered request. Raises Broken if the connection ended without an answer."""
        if self._error is not None:
            raise self._error
        assert self.answer is not None
        return self.answer

    async def board(self, why: str) -> Board:
        """Wait for an answer that must be a board."""
        return board_of(await self.answered(why), self.told)

    def leave(self) -> None:
        """Close the connection of the request."""
        self._scope.cancel()


def board_of(answer: Answer, told: str) -> Board:
    """Return the board of a successful answer. Raises Broken if the answer is not one."""
    if answer.status != OK:
        raise Broken(f"{told} was answered with {answer.status}: {shortened(answer.text, 80)!r}")
    try:
        answer.body.decode()
    except UnicodeDecodeError:
        raise Broken(f"the answer to {told} is not UTF-8") from None
    return parse_board(answer.text)


class MemoryTable(Table):
    """A server with players and unused spaces."""

    def __init__(self, server: Server, ground: Ground, edition: str, seed: int, nursery: trio.Nursery) -> None:
        """`seed`: the seed of random runs. `nursery`: for the requests of the case; it is cancelled at the end."""
        super().__init__(server.patience_s)
        self.seed: Final = seed
        self.server: Final = server
        self.ground: Final = ground
        self.edition: Final = edition
        self.nursery: Final = nursery
        self.shown: list[Place] = []
        """The spaces of the case: the transcript shows only these."""

    def take(self, pattern: str) -> tuple[Place, ...]:
        """Return unused spaces: equal letters are equal cards, different letters different cards."""
        taken = self.ground.take(pattern)
        self.shown.extend(taken)
        return taken

    def show(self, answer: Answer) -> str:
        """Return an answer for the transcript: of a board only the spaces of the case."""
        try:
            board = board_of(answer, "")
            spots = ", ".join(f"{row},{column} {board[row, column]}" for row, column in self.shown)
        except (Broken, IndexError):
            return answer.told()
        return f"{answer.status} {board.rows}x{board.columns} with {spots}" if spots else answer.told()

    def players(self, count: int) -> list[Player]:
        """Return players with new IDs."""
        return [Player(self, self.ground.name(name)) for name in NAMES[:count]]

    async def raw(self, request: Request) -> Answer:
        """Send any request, and return its answer. Raises Silent if it does not come in time."""
        with trio.move_on_after(self.patience_s):
            return await self.server.send(self.transcript, "a client", request)
        raise Silent(f"{request} got no answer within {self.patience_s:g} s")


class Player:
    """All requests with one player ID."""

    def __init__(self, table: MemoryTable, name: str) -> None:
        self.name: Final = name
        self._table: Final = table

    def again(self, name: str) -> Player:
        """Return a player of the same case with another ID."""
        return Player(self._table, name)

    def _send(self, name: str, **values: str) -> Callable[[], Awaitable[Answer]]:
        table = self._table
        request = table.server.request(name, {"player": self.name, **values})
        return lambda: table.server.send(table.transcript, self.name, request, table.show)

    def _begin(self, told: str, send: Callable[[], Awaitable[Answer]]) -> Pending:
        pending = Pending(f"{self.name}'s {told}", self._table.ground, self._table.transcript, self._table.patience_s)
        self._table.nursery.start_soon(pending.run, send)
        return pending

    def begin_flip(self, place: Place) -> Pending:
        """Send a flip, and go on."""
        row, column = place
        return self._begin(f"flip of ({row},{column})", self._send("flip", row=str(row), column=str(column)))

    def begin_watch(self) -> Pending:
        """Send a watch, and go on."""
        return self._begin("watch", self._send("watch"))

    def begin_look(self) -> Pending:
        """Send a look, and go on."""
        return self._begin("look", self._send("look"))

    def begin_replace(self, old: str, new: str) -> Pending:
        """Send a replacement, and go on."""
        return self._begin(f"replacement of {old} by {new}", self._send("replace", old=old, new=new))

    async def flip(self, place: Place) -> Answer:
        """Send a flip, and return its answer, a success or a failure. Raises Silent if it does not come in time."""
        return await self.begin_flip(place).answered("nothing makes it wait")

    async def turns(self, place: Place) -> Board:
        """Flip a card, which must succeed."""
        pending = self.begin_flip(place)
        return await pending.board("nothing makes it wait")

    async def first(self, place: Place) -> Board:
        """Flip a first card: the player must control it then."""
        board = await self.turns(place)
        self.check(board, {place: "my"})
        return board

    async def pair(self, first: Place, second: Place) -> Board:
        """Flip two equal cards: the player must control both then."""
        await self.first(first)
        board = await self.turns(second)
        self.check(board, {first: "my", second: "my"})
        return board

    async def misses(self, first: Place, second: Place) -> Board:
        """Flip two different cards: both must stay face up without control."""
        await self.first(first)
        board = await self.turns(second)
        self.check(board, {first: "up", second: "up"})
        return board

    async def fails(self, place: Place, why: str) -> Answer:
        """Flip a card, which must fail without waiting for the reason `why`.

        The answer is an error, or a board: the editions differ, and a case of its own checks that. A board shows no
        card under the player's control there, unless it is the player's own first card (2-B).
        """
        answer = await self.begin_flip(place).answered(f"{why}, so it must fail without waiting")
        if answer.status < FIRST_ERROR and board_of(answer, f"{self.name}'s flip")[place].state == "my":
            raise Broken(f"{self.name}'s flip of {place} must fail, because {why}, but {self.name} controls the card")
        return answer

    async def look(self) -> Board:
        """Return the board as this player sees it."""
        pending = self.begin_look()
        board = await pending.board("a look never waits")
        self._table.ground.looked(trio.current_time() - pending.began_s, self._table.patience_s)
        return board

    async def watches(self) -> Pending:
        """Begin a watch, and wait until the server has surely received it."""
        pending = self.begin_watch()
        if self._table.edition == OPTIONAL_WATCH and await pending.is_refused():
            raise Skipped("the server has no watch: the handout of 2022 makes it optional")
        for _ in range(2):
            await self.look()  # while the server receives the watch; this also tells its speed
        await pending.waits("no card has changed since the watch began")
        return pending

    async def sees(self, spots: Mapping[Place, str]) -> None:
        """Check some spaces of the board: `none`, `down`, `up` or `my`. The cards of face-up spots are checked, too."""
        self.check(await self.look(), spots)

    def check(self, board: Board, spots: Mapping[Place, str]) -> None:
        """Check some spaces of an answer, as in `sees`."""
        for place, state in spots.items():
            wanted = Seen(state, self._table.ground.cards[place] if state in ("up", "my") else "")
            if board[place] != wanted:
                raise Broken(
                    f"{self.name} sees {str(board[place])!r} at {place[0]},{place[1]}, but it must be {str(wanted)!r}"
                )

    async def replace(self, old: str, new: str) -> Board:
        """Replace a card everywhere."""
        pending = self.begin_replace(old, new)
        board = await pending.board("a replacement never waits for players")
        self._table.ground.replaced(old, new)
        return board


OPTIONAL_WATCH: Final = "2022"
"""The edition in which the watch is optional."""

NAMES: Final = ("alice", "bob", "carol", "dave", "eve")
