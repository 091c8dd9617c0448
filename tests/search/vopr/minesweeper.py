"""Minesweeper in the simulated world: players over telnet, and their answers compared to the naive model.

The front end is the shipped one, on simulated streams instead of sockets.

The judge. Below the playing field there are rows full of bombs, which no flood opens. A connection's first message
flags a unique square there, so the judge finds the connection's player in the journal. After that the connection's
moves and the player's records must be the same, one by one. Moves without effect are not in the journal. Every answer
must be the model's answer right after its record. A look, or a move without effect, must show the field at some moment
between the neighbouring moves. HELLO must count the present players, without the players of a dead process. Every
command of the journal must have changed something.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final

import msgspec
import trio

from scramble.front.minesweeper import telnet
from scramble.journal import Journal, Record
from scramble.kernel.protocol import Command, Withdraw
from scramble.minesweeper import Field, open_game
from scramble.minesweeper.messages import Connect, Deflag, Dig, Disconnect, Flag, Move
from tests.search.vopr.checks import Replay, Told, Wrong
from tests.search.vopr.lines import on_simulated_lines
from tests.search.vopr.network import WireEnd
from tests.search.vopr.world import Down, Handle, World
from tests.support.minesweeper.model import Model

ANSWER_S: Final = 30.0  # simulated
MARKS: Final = 200  # squares for marks: more than the connections of any run


class Message:
    """A line that a player sent, and its reply. Moments are the world's ticks."""

    def __init__(self, text: str, began: int) -> None:
        self.text: Final = text
        self.began: Final = began
        self.reply: str | None = None
        self.ended = 0


class Conversation:
    """One connection: its HELLO, and its messages in order. The first message marks the player."""

    def __init__(self, mark: int, began: int) -> None:
        self.mark: Final = mark
        self.began: Final = began
        self.life = -1
        self.hello: str | None = None
        self.messages: Final[list[Message]] = []
        self.complete = False  # True if everything that the server sent has arrived
        self.judged = 0


class Lines:
    """Read lines from a connection."""

    def __init__(self, end: WireEnd) -> None:
        self._end: Final = end
        self._data = b""
        self.broken = False  # True if the connection was reset

    async def line(self) -> str | None:
        """The next line, without its end; None at the end of the connection."""
        while b"\r\n" not in self._data:
            try:
                data = await self._end.receive_some()
            except trio.BrokenResourceError:
                self.broken = True
                return None
            if not data:
                return None
            self._data += data
        line, self._data = self._data.split(b"\r\n", 1)
        return line.decode()


class MinesweeperArena:
    """A field, its players, and their judge."""

    def __init__(self, world: World) -> None:
        options, rng = world.options, world.rng
        self._world: Final = world
        squares = [(x, y) for x in range(options.columns) for y in range(options.rows)]
        bombs = [square for square in squares if rng.random() < options.kinds / 10]
        marked_from = options.rows + 1  # so the last row of the field is not special
        self._rows: Final = marked_from + MARKS // options.columns + 1
        bombs += [(x, y) for x in range(options.columns) for y in range(marked_from, self._rows)]
        self._bombs: Final = frozenset(bombs)
        self._conversations: list[Conversation] = []
        self._marks = 0
        self._field: Final = Ledger(Model(options.columns, self._rows, self._bombs), marked_from)
        self._replay: Final = Replay(self._field)
        self._told: Final = Told()

    # the server

    @asynccontextmanager
    async def serve(self, journal: Journal) -> AsyncIterator[Handle]:
        options = self._world.options
        async with open_game(Field(options.columns, self._rows, self._bombs), journal=journal) as game:
            serve = partial(telnet.serve_telnet, game, debug=self._debug)
            async with on_simulated_lines(telnet, serve) as handle:
                yield handle

    @property
    def _debug(self) -> bool:
        return self._world.options.edition == "2025"

    # the players

    async def play(self, number: int) -> None:
        world = self._world
        left = 1
        while world.faults or left:
            if not world.faults:
                left -= 1
            await world.think()
            await world.until_up()
            await self._visit(world.rng.randrange(1, 12))

    async def _visit(self, messages: int) -> None:
        """Connect, send messages, and leave: by a reset, by a close, or by FIN or `bye` and a read to the end."""
        world, rng = self._world, self._world.rng
        self._marks += 1
        talk = Conversation(self._marks, world.tick())
        try:
            end, talk.life = await world.connect()
        except Down:
            return
        self._conversations.append(talk)
        lines = Lines(end)
        with trio.move_on_after(ANSWER_S) as patience:
            cut = rng.random() < world.options.cut_rate
            await self._converse(end, lines, talk, messages, cut)
            if cut:
                end.reset()
            elif rng.random() < 0.3:
                end.close()
            else:
                with suppress(trio.BrokenResourceError):
                    if rng.random() < world.options.half_close_rate:
                        await end.send_eof()
                    else:
                        await end.send_all(b"bye\n")
                    await self._read(talk, lines)
                    talk.complete = await lines.line() is None and not lines.broken and world.serves(talk.life)
        end.reset()
        world.note(f"#{talk.mark} is gone")
        if patience.cancelled_caught and world.is_last(talk.life):
            raise Wrong(f"no answer to connection {talk.mark}, {[message.text for message in talk.messages]}")

    async def _converse(self, end: WireEnd, lines: Lines, talk: Conversation, messages: int, cut: bool) -> None:
        """Send messages, and read most of the answers. If `cut`, send only some of the messages."""
        world, rng = self._world, self._world.rng
        talk.hello = await lines.line()
        world.note(f"#{talk.mark} <- {talk.hello}")
        last = rng.randrange(messages) if cut else -1
        for count in range(messages):
            message = Message(self._field.mark(talk.mark) if count == 0 else self._choose(), world.tick())
            talk.messages.append(message)
            try:
                await end.send_all(message.text.encode() + rng.choice((b"\n", b"\r\n")))
            except trio.BrokenResourceError:
                return
            if count == last:
                await trio.sleep(rng.random() * world.moment)
                return
            if rng.random() < 0.7:  # otherwise several messages at once
                await self._read(talk, lines)
                await world.think()

    async def _read(self, talk: Conversation, lines: Lines) -> None:
        """Read the answers to all messages, or as many as come."""
        for message in talk.messages:
            if message.reply is not None:
                continue
            first = await lines.line()
            if first is None:
                return
            reply = [first]
            if first != "BOOM!" and not first.startswith("Commands:"):
                while len(reply) < self._rows:
                    line = await lines.line()
                    if line is None:
                        return
                    reply.append(line)
            message.reply = "".join(f"{line}\n" for line in reply)
            message.ended = self._world.tick()
            self._world.note(f"#{talk.mark} {message.text} -> {'/'.join(reply)}")

    def _choose(self) -> str:
        rng, options = self._world.rng, self._world.options
        word = rng.choices(("dig", "flag", "deflag", "look", "help", "odd"), (8, 6, 6, options.looks, 1, 1))[0]
        if word in ("look", "help"):
            return word
        if word == "odd":
            return rng.choice(("dig 1", "dig 99 99", "look ", ""))
        return f"{word} {rng.randrange(options.columns)} {rng.randrange(options.rows)}"

    async def settle(self) -> None:
        """Check the end: all players have left, so a new player must be alone."""
        world = self._world
        await trio.sleep(ANSWER_S)
        end, _ = await world.connect()
        with trio.fail_after(ANSWER_S):
            hello = await Lines(end).line()
        if hello is None or " Players: 1 including you." not in hello:
            raise Wrong(f"the last player is told {hello!r}")
        end.close()

    # the judge

    def judge(self, records: tuple[Record, ...], *, last: bool) -> None:
        self._replay.go_to(records, keep=self._told.record)
        due = [
            (message.ended, talk, place)
            for talk in self._conversations
            for place, message in enumerate(talk.messages)
            if place >= talk.judged and message.reply is not None
        ]
        for _, talk, place in sorted(due, key=lambda item: item[0]):
            self._judge(talk, place)
        for talk in self._conversations:
            answers = [message.reply for message in talk.messages]
            if talk.complete and None in answers and (self._debug or "BOOM!\n" not in answers):
                raise Wrong(f"connection {talk.mark} was ended in peace, but its answers are {answers}")
        self._conversations = [talk for talk in self._conversations if not talk.complete]
        self._field.start_over_at = len(records)

    def _judge(self, talk: Conversation, place: int) -> None:
        message, field = talk.messages[place], self._field
        assert message.reply is not None
        talk.judged = place + 1
        self._world.answers += 1
        if not _is_command(message.text):
            if not message.reply.startswith("Commands:"):
                raise Wrong(f"{message.text!r} was answered {message.reply!r}")
            return
        player = field.marks.get(talk.mark)
        if player is None:
            raise Wrong(f"connection {talk.mark} was answered, but is not in the journal")
        found = self._moment(talk, place, field.moves[player])
        if found is None:
            sent = [other.text for other in talk.messages]
            raise Wrong(
                f"connection {talk.mark} sent {sent}, and {message.text!r} was answered {message.reply!r},"
                f" but did {field.moves[player]}"
            )
        self._told.note(message.ended, found)
        if place == 0:
            number, players = field.came[player]
            if talk.hello is None or f" Players: {players} including you." not in talk.hello:
                raise Wrong(f"connection {talk.mark} was greeted by {talk.hello!r}, but there were {players} players")
            if number <= self._told.before(talk.began):
                raise Wrong(f"connection {talk.mark} came at {number}, before what it could know")

    def _moment(self, talk: Conversation, place: int, done: list[tuple[int, str, str]]) -> int | None:
        """Return the first record after which the message can have this answer; None if there is no such record."""
        moments = {0: 0}  # number of records explained by the messages so far -> the earliest record by then
        for message in filter(lambda message: _is_command(message.text), talk.messages[: place + 1]):
            assert message.reply is not None
            floor = self._told.before(message.began)
            after: dict[int, int] = {}
            for count, record in moments.items():
                number, text, reply = done[count] if count < len(done) else (self._field.length + 1, "", "")
                if (text, reply) == (message.text, message.reply) and number > floor:
                    after[count + 1] = min(number, after.get(count + 1, number))
                shown = self._field.without_effect(message.text, message.reply, max(floor, record), number)
                if shown is not None:
                    after[count] = min(shown, after.get(count, shown))
            moments = after
        return min(moments.values(), default=None)


def _is_command(text: str) -> bool:
    word, *numbers = text.split(" ")
    return text == "look" or (word in ("dig", "flag", "deflag") and len(numbers) == 2)


class Ledger:
    """The model after all commands of the journal, the effect of each command, and its player."""

    # AF: `marks` maps marks to players. `moves` has each player's records, as (number, message, reply). `came` has
    # the record of a player's arrival, and the number of players then. _fields[n] is the field after record n. Players
    # who came before record `start_over_at` belong to a dead process.

    def __init__(self, start: Model, marked_from: int) -> None:
        """`marked_from` is the first row of the squares for marks."""
        self._start: Final = start
        self._marked_from: Final = marked_from
        self.start_over_at = 0
        self.reset()

    def reset(self) -> None:
        self._model = self._start
        self._present: set[int] = set()
        self.marks: dict[int, int] = {}
        self.moves: dict[int, list[tuple[int, str, str]]] = {}
        self.came: dict[int, tuple[int, int]] = {}
        self._fields: list[Model] = [self._start]

    def apply(self, number: int, record: Record) -> None:
        match _decoder.decode(record.command):
            case Connect():
                player = len(self.came) + 1
                ghosts = [other for other in self._present if self.came[other][0] <= self.start_over_at < number]
                if ghosts:
                    raise Wrong(f"record {number}: players {ghosts} were those of a process that had died")
                self._present.add(player)
                self.came[player] = number, len(self._present)
                self.moves[player] = []
            case Disconnect(player):
                self._present.remove(player)
            case Move(x, y, int(player)) as move:
                text = f"{type(move).__name__.lower()} {x} {y}"
                if player not in self._present:
                    raise Wrong(f"record {number}: player {player} has gone, or never came")
                self._model, reply = self._model.step(text)
                if self._model == self._fields[-1]:
                    raise Wrong(f"record {number} has changed nothing: {text}")
                self.moves[player].append((number, text, reply))
                if y >= self._marked_from:
                    self.marks[(y - self._marked_from) * self._start.columns + x] = player
            case other:
                raise Wrong(f"record {number} is no command of a player: {other}")
        self._fields.append(self._model)

    @property
    def length(self) -> int:
        """The number of records."""
        return len(self._fields) - 1

    def mark(self, number: int) -> str:
        """The message that only the connection with this number sends."""
        assert number <= MARKS
        y, x = divmod(number, self._start.columns)
        return f"flag {x} {self._marked_from + y}"

    def without_effect(self, text: str, reply: str, first: int, end: int) -> int | None:
        """The first record from `first` on and before `end` after which the message has this reply and no effect."""
        for number in range(first, min(end, len(self._fields))):
            field = self._fields[number]
            if reply != "BOOM!\n" and field.board() == reply and field.step(text)[0] == field:
                return number
        return None


_decoder: Final[msgspec.json.Decoder[Command[object]]] = msgspec.json.Decoder(
    Connect | Disconnect | Dig | Flag | Deflag | Withdraw
)
