"""Memory Scramble in the simulated world: players over HTTP, and their answers compared to the naive model.

The front end is the shipped ASGI application, called as hypercorn calls it. Only hypercorn is missing. A request is one
line, METHOD and path. A response is its status, its ETag and its text.

The judge. The journal has all commands in the order of their effects. So the model knows the answer to each command,
and the record that gave the answer. The judge has to match requests to commands. An answered flip, replacement or new
game must be a command in the journal with the same player and the same answer. Or the model gives this answer after
some command, without a change. An answered look or watch must show the board after some command. No match may be
earlier than a record that a client knew before the request. So no acknowledged request is lost or takes effect twice.
Every command of the journal must have changed something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final, NamedTuple

import msgspec
import trio
from hypercorn.typing import ASGIReceiveEvent, ASGISendEvent, HTTPScope
from quart.wrappers import base as quart_wrappers

from scramble.front.memory.http import make_app
from scramble.journal import Journal, Record
from scramble.kernel.protocol import Command
from scramble.memory import Board, open_game
from tests.search.vopr.checks import Replay, Told, Wrong
from tests.search.vopr.network import WireEnd
from tests.search.vopr.world import Down, Handle, World
from tests.support.memory import model
from tests.support.memory.compare import op_of
from tests.support.memory.model import Model, Op, Out

GONE: Final = (getattr(quart_wrappers, "ClientDisconnectedError", trio.BrokenResourceError),)
"""The error that Quart raises since version 0.23 if a client disconnects during its answer."""

ANSWER_S: Final = 30.0  # simulated; far longer than the longest queue of commits
SETTLING: Final = 20  # rounds; each new game answers all waiting requests from before it


class Response(NamedTuple):
    status: int
    etag: str
    text: str


class Asked:
    """A request of a player, and its response. Moments are the world's ticks."""

    def __init__(self, began: int, op: Op, target: str) -> None:
        self.began: Final = began
        self.op: Final = op
        self.target: Final = target
        self.sent = False
        self.data = b""
        self.given_up = 0
        self.ended = 0
        self.response: Response | None = None
        self.life = -1

    def __str__(self) -> str:
        return f"{self.target} at {self.began}, answered {self.response} at {self.ended} in life {self.life}"


class Effect(NamedTuple):
    """A command of the journal in the model: its answer, and the record that gave the answer (from 1)."""

    op: Op
    out: Out
    told_at: int


class MemoryArena:
    """A game of Memory Scramble, its players, and its judge."""

    def __init__(self, world: World) -> None:
        options = world.options
        self._world: Final = world
        cards = [chr(ord("A") + world.rng.randrange(options.kinds)) for _ in range(options.rows * options.columns)]
        self._cards: Final = tuple(cards)
        # None: no limit (games of older versions get a limit when opened); 2: the game forgets players; 1000: the usual
        # limit
        most = (None, 2, 1000)[options.seed % 3]
        self._board: Final = Board(options.rows, options.columns, self._cards, most_scores=most)
        self._answered: list[Asked] = []  # requests with answers that are not judged yet
        self._asked: Final[Counter[Op]] = Counter()
        self._unanswered: Final[list[Asked]] = []  # requests that got no answer in the longest possible time
        self._outstanding: Final[dict[int, Asked]] = {}
        self._ledger: Final = Ledger(Model(options.rows, options.columns, self._cards, most))
        self._replay: Final = Replay(self._ledger)
        self._told: Final = Told()

    # the server

    @asynccontextmanager
    async def serve(self, journal: Journal) -> AsyncIterator[Handle]:
        async with open_game(self._board, journal=journal) as game:
            yield partial(_handle, make_app(game, edition=self._world.options.edition))

    # the players

    async def play(self, number: int) -> None:
        world, rng = self._world, self._world.rng
        player = f"p{number}"
        left = 3
        while world.faults or left:
            if not world.faults:
                left -= 1
            await world.think()
            await world.until_up()
            op, target = self._choose(player)
            may_wait = isinstance(op, model.Flip | model.Watch)
            patience = world.options.patience_s if may_wait else ANSWER_S
            if rng.random() < world.options.cut_rate:
                patience = rng.random() * world.moment
            await self._ask(op, target, patience)

    def _choose(self, player: str) -> tuple[Op, str]:
        rng, options = self._world.rng, self._world.options
        kind = rng.choices(("flip", "look", "watch", "replace", "new", "odd"), (20, options.looks, 4, 1, 1, 1))[0]
        if kind == "flip":
            row, column = rng.randrange(options.rows), rng.randrange(options.columns)
            method = rng.choice(("GET", "POST"))
            return model.Flip(player, row, column), f"{method} /flip/{player}/{row},{column}"
        if kind == "look":
            return model.Look(player), f"GET /look/{player}"
        if kind == "watch":
            return model.Watch(player), f"GET /watch/{player}"
        if kind == "replace":
            old, new = rng.choice("ABCD"), rng.choice("ABCD")
            return model.Change(player, ((old, new),), total=False), f"POST /replace/{player}/{old}/{new}"
        if kind == "new":
            return model.Restart(player, 0), f"POST /new/{player}"
        return model.Flip(player, options.rows, 0), f"GET /flip/{player}/{options.rows},0"

    async def settle(self) -> None:
        """Each player sends one more request and waits for its answer.

        Then all players leave, and no request may wait.
        """
        async with trio.open_nursery() as nursery:
            for number in range(self._world.options.players):
                op, target = self._choose(f"p{number}")
                nursery.start_soon(self._ask, op, target, ANSWER_S)
            nursery.start_soon(self._release)
        await trio.sleep(ANSWER_S)
        self.judge(self._world.read(), last=True)
        if self._ledger.parked:
            raise Wrong(f"nobody is there, but {self._ledger.parked} flips wait")

    async def _release(self) -> None:
        """Start new games until no request waits. A new game refuses all waiting flips and answers all watches."""
        for _ in range(SETTLING):
            await trio.sleep(1.0)
            if not self._outstanding:
                return
            await self._ask(model.Restart("judge", 0), "POST /new/judge", ANSWER_S)
        raise Wrong(f"nobody answers {', '.join(map(str, self._outstanding.values()))}")

    async def _ask(self, op: Op, target: str, patience: float) -> None:
        world = self._world
        asked = Asked(world.tick(), op, target)
        self._asked[op] += 1
        self._outstanding[asked.began] = asked
        try:
            try:
                end, asked.life = await world.connect()
            except Down:
                return
            world.note(f"asks {target}")
            with trio.move_on_after(patience) as waiting:
                await self._converse(end, asked)
            if waiting.cancelled_caught:
                if world.is_last(asked.life) and patience == ANSWER_S:
                    raise Wrong(f"no answer to {asked}")
                await self._give_up(end, asked)
            end.close()
            if asked.response is not None:
                self._asked[op] -= 1
                asked.ended = world.tick()
                self._answered.append(asked)
            world.note(f"{target} -> {asked.response}")
        finally:
            del self._outstanding[asked.began]

    async def _give_up(self, end: WireEnd, asked: Asked) -> None:
        """Stop waiting. Sometimes first wait for an answer that may already be under way."""
        world, rng = self._world, self._world.rng
        if rng.random() < world.options.half_close_rate:
            with suppress(trio.BrokenResourceError):
                await end.send_eof()
        asked.given_up = world.tick()
        if rng.random() < 0.5:
            with trio.move_on_after(world.moment):
                await self._converse(end, asked)
            if asked.response is None and world.serves(asked.life):
                self._unanswered.append(asked)
        end.reset()

    async def _converse(self, end: WireEnd, asked: Asked) -> None:
        """Send the request if it was not sent, and read the response if it comes."""
        try:
            if not asked.sent:
                asked.sent = True
                await end.send_all(asked.target.encode() + b"\n")
            while chunk := await end.receive_some():
                asked.data += chunk
        except trio.BrokenResourceError:
            return
        if asked.data:
            status, etag, text = asked.data.decode().split("\n", 2)
            asked.response = Response(int(status), etag, text)

    # the judge

    def judge(self, records: tuple[Record, ...], *, last: bool) -> None:
        self._replay.go_to(records, keep=self._told.record)
        due, self._answered = sorted(self._answered, key=lambda asked: asked.ended), []
        for asked in due:
            self._judge(asked)
        for asked in self._unanswered:
            self._require_no_answer(asked)
        self._unanswered.clear()

    def _require_no_answer(self, asked: Asked) -> None:
        """Check that the request had no answer that clients could know before it gave up."""
        known = self._told.before(asked.given_up)
        answered = self._ledger.answers_to(asked.op, self._told.before(asked.began), known)
        if answered and self._asked[asked.op] == 1:  # otherwise it may be the answer to another request
            raise Wrong(f"command {answered[0]} is {asked}, and was answered by command {known}, but nobody was told")

    def _judge(self, asked: Asked) -> None:
        response, op = asked.response, asked.op
        self._world.answers += 1
        assert response is not None
        floor = self._told.before(asked.began)
        if response.status == 503:
            self._world.require_stopped(asked.life)
            return
        if isinstance(op, model.Flip) and op.row >= self._world.options.rows:
            if response.status != 400:
                raise Wrong(f"a wrong answer: {asked}")
            return
        if isinstance(op, model.Look):
            found = self._ledger.showing(op.player, response, floor)
        elif isinstance(op, model.Watch):
            found = self._ledger.showing(op.player, response, floor + 1)
        else:
            matches = partial(self._matches, response)
            quiet = self._ledger.without_effect(op, matches, floor)
            found = self._ledger.effect(op, matches, floor, by=quiet)
            if found is None:  # both may be true: the earlier record claims less knowledge
                found = quiet
        if found is None:
            raise Wrong(
                f"nothing in the {self._replay.length} commands of the journal after number {floor} explains {asked}"
            )
        self._told.note(asked.ended, found)

    def _matches(self, response: Response, out: Out) -> bool:
        """Say if the response shows this answer of the model."""
        etag = f'"{out.version}"'
        if out.kind in ("flipped", "view") or (out.kind == "failed" and self._world.options.edition == "2022"):
            return response == Response(200, etag, out.text)
        if out.kind == "failed":
            return response[:2] == (409, etag)
        return response[:2] == (409, "")


class Ledger:
    """The model after all commands of the journal, and the effect of each command."""

    # AF: _effects[n] is the answer to record n. _asked has the requests that still wait, by ticket. _boards[n] is the
    # board after record n. _used has the records that are matched to a request.

    def __init__(self, start: Model) -> None:
        self._start: Final = start
        self._used: set[int] = set()
        self.reset()

    def reset(self) -> None:
        self._model = self._start.copy()
        self._length = 0
        self._effects: dict[int, Effect] = {}
        self._asked: dict[int, tuple[int, Op]] = {}
        self._boards: list[Model] = [self._start.copy()]

    def apply(self, number: int, record: Record) -> None:
        self._length = number
        op = op_of(_decoder.decode(record.command))
        if not isinstance(op, model.Gone):
            self._asked[record.ticket] = number, op
        elif self._asked.pop(record.ticket, None) is None:
            raise Wrong(f"record {number} withdraws {record.ticket}, which does not wait")
        for ticket, out in self._model.apply(record.ticket, op).items():
            if ticket not in self._asked:
                raise Wrong(f"record {number} answers {ticket}, which does not wait")
            asked_at, asked = self._asked.pop(ticket)
            self._effects[asked_at] = Effect(asked, out, number)
        if self._model.state() == self._boards[-1].state():
            raise Wrong(f"record {number} has changed nothing: {record.command!r}")
        self._boards.append(self._model.copy())

    @property
    def parked(self) -> int:
        """The number of waiting requests."""
        return len(self._asked)

    def effect(self, op: Op, matches: Callable[[Out], bool], floor: int, by: int | None) -> int | None:
        """Match the request to a record after `floor`. Return the record of its answer.

        Return None if no record up to `by` answers the request.
        """
        for number in range(floor + 1, self._length + 1):
            effect = self._effects.get(number)
            if effect is None or (by is not None and effect.told_at > by):
                continue
            if number not in self._used and _same(op, effect.op) and matches(effect.out):
                self._used.add(number)
                return effect.told_at
        return None

    def answers_to(self, op: Op, after: int, by: int) -> list[int]:
        """Return the unmatched records of the same request after `after` with an answer at `by` or before."""
        return [
            number
            for number, effect in self._effects.items()
            if number > after and effect.told_at <= by and number not in self._used and _same(op, effect.op)
        ]

    def without_effect(self, op: Op, matches: Callable[[Out], bool], first: int) -> int | None:
        """Return the first record from `first` on at which this request gets this answer without a change."""
        for number in range(first, self._length + 1):
            out = self._boards[number].without_effect(op)
            if out is not None and matches(out):
                return number
        return None

    def showing(self, player: str, response: Response, first: int) -> int | None:
        """Return the first record from `first` on after which the board looks like the response."""
        for number in range(first, self._length + 1):
            board = self._boards[number]
            if response == Response(200, f'"{board.version}"', board.text(player)):
                return number
        return None


def _same(asked: Op, recorded: Op) -> bool:
    if isinstance(asked, model.Restart) and isinstance(recorded, model.Restart):
        return asked.player == recorded.player  # the server chooses the seed
    return asked == recorded


_decoder: Final[msgspec.json.Decoder[Command[object]]] = msgspec.json.Decoder(Board(1, 1, ("A",)).commands)


async def _handle(app: object, end: WireEnd) -> None:
    """Handle one request, as hypercorn does with the application."""
    line = b""
    try:
        while not line.endswith(b"\n"):
            chunk = await end.receive_some()
            if not chunk:
                return end.close()
            line += chunk
    except trio.BrokenResourceError:
        return end.close()
    method, target = line.decode().split()
    path, _, query = target.partition("?")
    asked = False
    status, etag, body = 0, "", b""

    async def receive() -> ASGIReceiveEvent:
        nonlocal asked
        if not asked:
            asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        try:
            while await end.receive_some():
                pass
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        return {"type": "http.disconnect"}

    async def send(message: ASGISendEvent) -> None:
        nonlocal status, etag, body
        if message["type"] == "http.response.start":
            status = message["status"]
            headers = {bytes(name).lower(): bytes(value) for name, value in message["headers"]}
            etag = headers.get(b"etag", b"").decode()
        elif message["type"] == "http.response.body":
            body += message["body"]
            if not message["more_body"]:
                try:
                    await end.send_all(f"{status}\n{etag}\n".encode() + body)
                except trio.BrokenResourceError:
                    return

    scope: HTTPScope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", b"vopr")],
        "client": ("192.0.2.1", 1),
        "server": ("192.0.2.2", 80),
        "state": {},  # type: ignore[typeddict-item]
        "extensions": {},
    }
    try:
        await app(scope, receive, send)  # type: ignore[operator]
    except* GONE:
        pass  # hypercorn logs it
    end.close()
