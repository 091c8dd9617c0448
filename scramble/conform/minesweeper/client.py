"""A player of a case: a connection, whose answers are checked against the grammar."""

from __future__ import annotations

import socket
from typing import Final

import trio

from scramble.conform.cases import Broken, Silent
from scramble.conform.minesweeper.ground import Ground, Server
from scramble.conform.minesweeper.wire import (
    BOOM,
    MESSAGE,
    Hello,
    Reply,
    Wanted,
    Wire,
    difference,
    is_row,
    parse_hello,
    parse_row,
    sent_as_text,
    shell_line,
)
from scramble.conform.transcript import Exchange, Transcript, shortened

QUIET_S: Final = 0.2
"""The time after which nothing more comes."""

PART_S: Final = 0.02
"""The pause between two parts of a message, so that they travel in two packets."""


POLL_S: Final = 0.05


class Player:
    """A user with a connection."""

    def __init__(self, name: str, server: Server, transcript: Transcript, patience_s: float, wire: Wire) -> None:
        self.name: Final = name
        self.hello = Hello(1, 1, 1)
        self.ground: Ground | None = None
        self.repeats_newline = False
        """True if an empty line has come after HELLO: the handout's example has one, its grammar has none."""

        self._server: Final = server
        self._transcript: Final = transcript
        self._patience_s: Final = patience_s
        self._wire: Final = wire
        self._exchange: Exchange | None = None
        self._came: list[str] = []
        self._sent = ""
        self._has_answers = False
        self.has_left = False
        """True if the check has closed the connection."""

    @property
    def _message(self) -> str:
        """The last data that was sent, for sentences."""
        return self._sent.removesuffix("\\n").removesuffix("\\r") or "empty line"

    @classmethod
    async def connect(
        cls, name: str, server: Server, transcript: Transcript, patience_s: float, *, narrow: bool = False
    ) -> Player:
        """Connect and wait for HELLO. Raises Broken and Silent."""
        again = f"sleep 1 | nc {server.host} {server.port}"
        exchange = transcript.begin(name, "connects", again)
        wire: Wire | None = None
        try:
            with trio.move_on_after(patience_s):
                wire = Wire(await (_narrow_stream if narrow else trio.open_tcp_stream)(server.host, server.port))
                player = cls(name, server, transcript, patience_s, wire)
                player._exchange, player._sent = exchange, "connection"
                line = await wire.line()
                if line is None:
                    raise Broken(f"the server closed {name}'s connection without HELLO")
                player._note(line)
                player.hello = parse_hello(line)
                return player
        except OSError as error:
            raise Broken(f"the server accepts no connection: {error}") from None
        except BaseException:
            if wire is not None:
                await wire.close()
            raise
        came = ""
        if wire is not None:
            came = f". Came: {shortened(wire.unread, 80)!r}" if wire.unread else ""
            await wire.close()
        raise Silent(f"{name} connected, and got no HELLO within {patience_s:g} s{came}")

    def _note(self, text: str) -> None:
        self._came.append(text)
        if self._exchange is not None:
            self._transcript.end(self._exchange, "\n".join(self._came))

    # --- sending

    async def send(self, *parts: bytes) -> None:
        """Send data in one packet, or in several. Raises Broken if the connection is lost, Silent if it is full."""
        data = b"".join(parts)
        self._sent, self._came = sent_as_text(data), []
        again = shell_line(data, self._server.host, self._server.port)
        self._exchange = self._transcript.begin(self.name, self._sent, again)
        with trio.move_on_after(self._patience_s):
            for number, part in enumerate(parts):
                if number:
                    await trio.sleep(PART_S)
                try:
                    await self._wire.send(part)
                except Broken as broken:
                    self._note(str(broken))
                    raise Broken(f"{self.name} could not send {self._sent}: {broken}") from None
            return
        raise Silent(f"{self.name} could not send {self._sent} within {self._patience_s:g} s: the server does not read")

    async def flood(self, data: bytes) -> None:
        """Send data without a limit of time, and without reading. It returns if the connection is lost."""
        exchange = self._transcript.begin(self.name, sent_as_text(data), "# many messages, without reading the answers")
        try:
            await self._wire.send(data)
        except Broken as broken:
            self._transcript.end(exchange, str(broken))

    # --- answers

    async def reply(self, wanted: Wanted, told: str = "") -> Reply:
        """Return the next message of the server. `told`: the message that it answers, by default all that was sent.

        Raises Broken for another message than the wanted one, and Silent if it does not come in time.
        """
        told = f"{self.name}'s {told or self._message}"
        lines: list[str] = []
        with trio.move_on_after(self._patience_s):
            return await self._read(wanted, told, lines)
        came = [*lines, self._wire.unread] if self._wire.unread else lines
        reason = f"{told} got no answer within {self._patience_s:g} s"
        if came:
            shown = shortened("\n".join(came), 200)
            self._note(f"{shown} (and no more)")
            reason = f"the answer to {told} was not complete after {self._patience_s:g} s. Came: {shown!r}"
        raise Broken(reason) if await self._answers_others() else Silent(reason)

    async def _answers_others(self) -> bool:
        """Return True if the server answers a look of a new user."""
        try:
            other = await Player.connect("probe", self._server, Transcript(), self._patience_s)
        except Broken:
            return False
        line: str | None = None
        try:
            with trio.move_on_after(self._patience_s):
                await other._wire.send(b"look\n")
                line = await other._wire.line()
        except Broken:
            pass
        finally:
            await other.leave()
        return line is not None

    async def _read(self, wanted: Wanted, told: str, lines: list[str]) -> Reply:
        first = await self._line(told, lines)
        if first == "" and not self._has_answers:
            self.repeats_newline = True
            lines.clear()
            first = await self._line(told, lines)
        self._has_answers = True
        if wanted == "HELP":
            return self._help(first, told)
        if first == BOOM and wanted == "BOARD or BOOM":
            self._note(first)
            return Reply("BOOM", (first,))
        board = []
        line = first
        for number in range(1, self.hello.rows + 1):
            if number > 1:
                line = await self._line(told, lines)
            try:
                board.append(parse_row(line, number, self.hello.columns))
            except Broken as broken:
                self._note("\n".join(lines))
                raise Broken(f"the answer to {told} must be BOARD: {broken}") from None
        reply = Reply("BOARD", tuple(board))
        self._note(reply.told())
        return reply

    async def _line(self, told: str, lines: list[str]) -> str:
        line = await self._wire.line()
        if line is None:
            if lines or self._wire.unread:
                shown = shortened("\n".join([*lines, self._wire.unread]), 200)
                self._note(f"{shown} (then the end)")
                raise Broken(f"the server closed the connection in the middle of the answer to {told}. Came: {shown!r}")
            self._note("the end of the connection")
            raise Broken(f"the server closed the connection instead of an answer to {told}")
        lines.append(line)
        return line

    def _help(self, line: str, told: str) -> Reply:
        self._note(line)
        if line == "":
            raise Broken(f"the answer to {told} must be HELP, but is an empty line. HELP ::= [^\\r\\n]+ NEWLINE")
        if line == BOOM or is_row(line, self.hello.columns):
            raise Broken(f"the answer to {told} must be HELP. Came: {shortened(line, 80)!r}")
        return Reply("HELP", (line,))

    # --- whole exchanges

    async def ask(self, message: str) -> Reply:
        """Send a message of the grammar, and return its answer: BOARD or BOOM or HELP."""
        await self.send(message.encode() + b"\n")
        return await self.reply(wanted_for(message), message)

    async def does(self, message: str) -> Reply:
        """Send a message; its answer must be what the rules say. Raises Skipped if the field is not known."""
        must = self._ground().step(message)
        await self.send(message.encode() + b"\n")
        return await self.gets(must, message)

    async def sees(self) -> None:
        """Look until BOARD is what the rules say: after BOOM other users may see the flood later. Raises Broken."""
        until_s = trio.current_time() + self._patience_s
        must = self._ground().step("look")
        while True:
            await self.send(b"look\n")
            reply = await self.reply(wanted_for("look"), "look")
            if reply.lines == must.lines:
                return
            if trio.current_time() > until_s:
                raise Broken(f"in the answer to {self.name}'s look {difference(reply.lines, must.lines)}")
            await trio.sleep(POLL_S)

    async def gets(self, must: Reply, message: str) -> Reply:
        """Read the answer to a message of the grammar: it must be `must`."""
        reply = await self.reply(wanted_for(message), message)
        if reply.kind != must.kind:
            raise Broken(f"the answer to {self.name}'s {message} must be {must.kind}, but is {reply.kind}")
        if reply.lines != must.lines:
            raise Broken(f"in the answer to {self.name}'s {message} {difference(reply.lines, must.lines)}")
        return reply

    async def helped(self, data: bytes, told: str = "") -> Reply:
        """Send a message whose answer must be HELP."""
        await self.send(data)
        return await self.reply("HELP", told)

    async def extra(self) -> str | None:
        """Return a line that comes without a message, or None if none comes for a while. Raises Broken at the end."""
        with trio.move_on_after(QUIET_S):
            line = await self._wire.line()
            if line is None:
                raise Broken(f"the server closed {self.name}'s connection without a reason")
            return line
        return None

    async def is_quiet(self, why: str) -> None:
        """Check that the server sends nothing for a while, and keeps the connection."""
        line: str | None = None
        with trio.move_on_after(QUIET_S) as quiet:
            line = await self._wire.line()
        if not quiet.cancelled_caught:
            what = "closed the connection" if line is None else f"sent {shortened(line, 80)!r}"
            raise Broken(f"after {self.name}'s {self._message} the server {what}, but {why}")
        if self._wire.unread:
            raise Broken(f"after {self.name}'s {self._message} the server sent {self._wire.unread!r}, but {why}")

    async def closed(self, why: str) -> str:
        """Wait until the server closes the connection; return what came before. Raises Broken with the reason `why`."""
        with trio.move_on_after(self._patience_s):
            rest = await self._wire.rest()
            self._note((rest and f"{rest!r}, then ") + "the end of the connection")
            return rest
        raise Broken(
            f"after {self.name}'s {self._message} the connection is open for {self._patience_s:g} s, but {why}"
        )

    async def leave(self) -> None:
        """Close the connection without bye."""
        self.has_left = True
        await self._wire.close()

    def _ground(self) -> Ground:
        assert self.ground is not None
        return self.ground


def wanted_for(message: str) -> Wanted:
    """Return the answers that a message may have."""
    if MESSAGE.fullmatch(message.encode()) is None or message == "help":
        return "HELP"
    return "BOARD or BOOM" if message.startswith("dig ") else "BOARD"


async def _narrow_stream(host: str, port: int) -> trio.SocketStream:
    """Connect with a small receive buffer, so that unread answers soon fill it."""
    for family, kind, protocol, _, address in await trio.socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        one = trio.socket.socket(family, kind, protocol)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        try:
            await one.connect(address)
        except OSError:
            one.close()
            continue
        return trio.SocketStream(one)
    raise OSError(f"{host} port {port} refuses connections")
