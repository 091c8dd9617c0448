"""The clients of a case: players who speak our telnet wire, and visitors who know no wire."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

import trio

from scramble.conform.cases import Broken, Silent, Skipped, Table
from scramble.conform.crossword.folders import PUZZLES
from scramble.conform.crossword.rules import Match, No, PuzzleData
from scramble.conform.crossword.screens import Screen
from scramble.conform.crossword.wire import Connection

SCRAMBLE: Final = "scramble"
"""The edition of the cases that speak our telnet wire."""

WIRE: Final = (SCRAMBLE,)
"""The editions of a case that speaks our telnet wire."""

GREETING_S: Final = 1.0
"""A server that sends nothing for this time after a client connects is asked something."""

QUIET_S: Final = 0.3
"""The time without bytes after which an answer without a known end is complete."""

Fits = Callable[[Screen], str]
"""A check of a screen: it returns the difference from the claim, or an empty text."""


@dataclass(frozen=True)
class Opening:
    """The way to an answer of a server whose wire is unknown."""

    told: str
    line: str
    """A format of the bytes that a client sends, with {name}; empty if the server greets each client."""


OPENINGS: Final = (
    Opening("greets each client", ""),
    Opening("answers an ID", "{name}\r\n"),
    Opening("answers an HTTP request", "GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: {name}\r\n\r\n"),
)


@dataclass
class Known:
    """The facts about all servers of a run that a case has found."""

    opening: Opening | None = None
    """How a server answers a client; None before a case has found it, or if it does not answer."""

    is_mute: bool = False
    """True if a server sends nothing to a client of an unknown wire."""


@dataclass
class Server:
    """The address of a server, and the facts that cases share."""

    host: str
    port: int
    patience_s: float
    is_alive: Callable[[], bool]
    """Returns False if the process of the server has ended."""

    known: Known = field(default_factory=Known)
    players: int = 0
    """The number of IDs that cases have used."""


class CrosswordTable(Table):
    """A server with clients."""

    def __init__(self, server: Server, seed: int, nursery: trio.Nursery) -> None:
        """`seed`: the seed of random runs. `nursery`: for the readers; it is cancelled at the end."""
        super().__init__(server.patience_s)
        self.server: Final = server
        self.seed: Final = seed
        self._nursery: Final = nursery
        self._connections: Final[list[Connection]] = []

    def hang_up(self) -> None:
        """Close all connections."""
        for connection in self._connections:
            connection.drop()
        self._connections.clear()

    async def connect(self, client: str) -> Connection:
        """Open a connection. Raises Broken if the server accepts none."""
        server, number = self.server, len(self._connections)
        with trio.move_on_after(self.patience_s):
            connection = await Connection.open(server.host, server.port, client, number, self.transcript, self._nursery)
            self._connections.append(connection)
            return connection
        raise Silent(f"the server accepts no connection within {self.patience_s:g} s")

    def name(self, name: str) -> str:
        """Return an ID that begins with the name, and that no case has used."""
        self.server.players += 1
        return f"{name}_{self.server.players}"

    # --- our wire

    async def guest(self, name: str = "ann") -> Player:
        """Return a connected client in START."""
        player = Player(self, self.name(name))
        await player.connect()
        return player

    async def player(self, name: str = "ann") -> Player:
        """Return a player in CHOOSE."""
        player = await self.guest(name)
        await player.enters(player.name)
        return player

    async def players(self) -> tuple[Player, Player]:
        """Return two players in CHOOSE."""
        return await self.player("ann"), await self.player("bob")

    async def duel(self, puzzle: str = "simple") -> Duel:
        """Return a match that has just begun."""
        ann, bob = await self.players()
        match = await ann.makes(puzzle)
        return await Duel.begin(ann, bob, match, PUZZLES[puzzle])

    # --- no wire

    async def hears(self, why: str) -> None:
        """Check that the server accepts and answers one more client. A mute server must only accept it."""
        known = self.server.known
        try:
            connection = await self.connect(self.name("visitor"))
        except Broken:
            self.check_alive(why)
            raise
        if known.is_mute:
            await connection.wait(lambda: connection.has_ended, QUIET_S)
        elif known.opening is not None:
            if not await self._opens(connection, known.opening, self.patience_s):
                self.check_alive(why)
                if connection.has_ended:
                    raise Broken(
                        f"a server that {known.opening.told} closed the connection of a client without an answer, {why}"
                    )
                raise Silent(
                    f"a server that {known.opening.told} sent nothing within {self.patience_s:g} s to a client, {why}"
                )
        else:
            for opening in OPENINGS:
                if await self._opens(connection, opening, GREETING_S):
                    known.opening = opening
                    break
            known.is_mute = known.opening is None
        self.check_alive(why)
        connection.close()

    async def _opens(self, connection: Connection, opening: Opening, seconds: float) -> bool:
        if opening.line:
            await connection.send(opening.line.format(name=connection.client).encode())
        came = await connection.hears(seconds)
        if came:
            connection.heard()
        return came

    async def knows_the_opening(self) -> None:
        """Find how the server answers a client, if no case has found it."""
        if self.server.known == Known():
            await self.hears("before anything else")

    def tells(self) -> None:
        """End a case without a wire. Raises Skipped if the server is mute."""
        if self.server.known.is_mute:
            raise Skipped(
                "the server accepts clients, but sends nothing after a connection, an ID or an HTTP request, so it "
                "cannot be seen whether it serves them"
            )

    def check_alive(self, why: str) -> None:
        """Raise Broken if the process of the server has ended."""
        if not self.server.is_alive():
            raise Broken(f"the server has ended, {why}")


class Player:
    """A player over one connection. `last` is the last screen that the case has read."""

    def __init__(self, table: CrosswordTable, name: str) -> None:
        self.name = name
        self.table: Final = table
        self.last = Screen("", "START")
        self._connection: Connection | None = None

    @property
    def connection(self) -> Connection:
        """The open connection."""
        assert self._connection is not None
        return self._connection

    @property
    def has_heard(self) -> bool:
        """True if the server has sent something over the open connection."""
        return self._connection is not None and bool(self._connection.received)

    async def connect(self) -> None:
        """Connect, and wait for the first screen, in START."""
        self._connection = await self.table.connect(self.name)
        self.last = Screen("", "START")
        if not await self.connection.wait(lambda: self.connection.has_begun, self.table.patience_s):
            received = self.connection.received[:200].decode(errors="replace")
            raise Silent(
                f"the server sent no screen of our telnet wire within {self.table.patience_s:g} s after a client "
                f"connected. Came: {received!r}"
            )

    async def send(self, line: str, end: str = "\n") -> None:
        """Send a line, and do not wait."""
        await self.connection.send(f"{line}{end}".encode())

    async def screen(self, why: str) -> Screen:
        """Return the next screen."""
        self.last = await self.connection.next_screen(self.table.patience_s, why)
        return self.last

    async def until(self, fits: Fits, why: str) -> Screen:
        """Return the first screen that fits. Raises Broken with the difference of another screen.

        A screen without news, a changed list in CHOOSE, and the first screen of START are passed over.
        """
        passed = ""
        patience_s = self.table.patience_s
        end_s = trio.current_time() + patience_s
        while True:
            before = self.last
            try:
                screen = await self.connection.next_screen(max(end_s - trio.current_time(), 0.01), why)
            except Silent:
                if not passed:
                    raise
                raise Silent(f"{self.name}'s screen still {passed} after {patience_s:g} s: {why}") from None
            wrong = fits(screen)
            if not wrong:
                self.last = screen
                return screen
            listed = screen.state == before.state in ("START", "CHOOSE")
            if screen.refused is not None or not (listed or _bare(screen) == _bare(before)):
                self.last = screen
                raise Broken(f"{self.name}'s screen {wrong}: {why}")
            passed = wrong
            if listed:
                self.last = screen

    async def goes(self, line: str, state: str, why: str) -> Screen:
        """Send a line, which must be accepted and lead to a state."""
        await self.send(line)
        return await self.comes(state, why)

    async def comes(self, state: str, why: str) -> Screen:
        """Wait for a screen in a state, without a refusal."""

        def fits(screen: Screen) -> str:
            if screen.refused is not None:
                return f"has REFUSED: {screen.refused}"
            if screen.state != state:
                return f"has the state {screen.state}, but it must be {state}"
            return "" if screen.player == self.name or state == "START" else f"has the player {screen.player}"

        return await self.until(fits, why)

    async def refused(self, line: str, why: str, *, end: str = "\n") -> Screen:
        """Send a line, which must be refused in the same state."""
        await self.send(line, end)
        return await self.is_refused(why)

    async def is_refused(self, why: str) -> Screen:
        """Wait for a refusal in the same state."""
        state = self.last.state

        def fits(screen: Screen) -> str:
            if screen.state != state:
                return f"has the state {screen.state}, but the line must be refused in {state}"
            if screen.refused is None:
                return "has no REFUSED"
            return "" if screen.refused else "has REFUSED without a reason"

        return await self.until(fits, why)

    async def enters(self, player: str) -> Screen:
        """Enter an ID, which must be accepted."""
        await self.send(player)
        return await self.comes("CHOOSE", "a player who has entered an ID chooses")

    async def makes(self, puzzle: str, description: str = "come and play") -> str:
        """Make a match, and return its ID."""
        match = self.table.name("m")
        await self.goes(f'NEW {match} {puzzle} "{description}"', "WAIT", "NEW makes a match and waits")
        return match

    async def lists(self, fits: Fits, why: str) -> None:
        """Wait until the lists of CHOOSE fit: now, or after changes."""
        try:
            if self.last.state != "CHOOSE" or fits(self.last):
                await self.until(fits, why)
        except Silent as silent:
            raise Broken(f"{silent} (the list must live update)") from None

    async def logs_out(self, why: str) -> None:
        """Send EXIT, which must end the connection."""
        await self.send("EXIT")
        await self.is_closed(why)

    async def is_closed(self, why: str) -> None:
        """Wait until the server has closed the connection."""
        connection = self.connection
        if not await connection.wait(lambda: connection.has_ended, self.table.patience_s):
            raise Broken(f"the server did not close {self.name}'s connection, but {why}")

    def leaves(self, *, reset: bool = False) -> None:
        """Lose the connection."""
        self.connection.close(reset=reset)


class Duel:
    """A match of two players, and the same match in the rules."""

    def __init__(self, ann: Player, bob: Player, match: str, puzzle: PuzzleData) -> None:
        self.ann: Final = ann
        self.bob: Final = bob
        self.match: Final = match
        self.rules: Final = Match(puzzle, (ann.name, bob.name))

    @classmethod
    async def begin(cls, ann: Player, bob: Player, match: str, puzzle: PuzzleData) -> Duel:
        """Let bob join the match that ann has made."""
        duel = cls(ann, bob, match, puzzle)
        await bob.send(f"PLAY {match}")
        await duel.shown(bob, ann, why="PLAY enters the match, and the match starts for both players")
        return duel

    def fits(self, screen: Screen) -> str:
        """Compare a screen with the rules."""
        rules = self.rules
        is_over = rules.gave_up is not None or rules.complete()
        state = "SHOW SCORE" if is_over else "PLAY"
        if screen.state != state:
            return f"has the state {screen.state}, but it must be {state}"
        if screen.match is None:
            return "has no match"
        difference = screen.match.difference(rules)
        if difference or not is_over:
            return difference
        if screen.points != rules.points():
            return f"has the points {dict(screen.points)}, but they must be {rules.points()}"
        winner = rules.winner() or ""
        if screen.winner != winner:
            return f"has the winner {screen.winner!r}, but it must be {winner!r} (empty: a draw)"
        return ""

    async def shown(self, *players: Player, why: str) -> None:
        """Wait until these players see the match as in the rules, without a refusal."""

        def fits(screen: Screen) -> str:
            return f"has REFUSED: {screen.refused}" if screen.refused is not None else self.fits(screen)

        for player in players:
            await player.until(fits, why)

    async def does(self, player: Player, line: str, why: str) -> None:
        """Send TRY or CHALLENGE, which the rules accept: both players must see its effect."""
        before = self.rules.key()
        apply(self.rules, player.name, line)
        await player.send(line)
        await self.shown(player, why=why)
        if self.rules.key() != before:
            await self.shown(self.other(player), why=f"the interface must live update: {why}")

    async def alone(self, player: Player, line: str, why: str) -> None:
        """Send TRY or CHALLENGE, as in `does`, while the other player is away."""
        apply(self.rules, player.name, line)
        await player.send(line)
        await self.shown(player, why=why)

    async def each(self, moves: Iterable[tuple[Player, str]], why: str) -> None:
        """Send moves, one after another, as in `does`."""
        for player, line in moves:
            await self.does(player, line, why)

    async def refuses(self, player: Player, line: str, why: str) -> None:
        """Send a line that must be refused, and must change nothing."""
        await player.send(line)

        def fits(screen: Screen) -> str:
            difference = self.fits(screen)
            if difference:
                return difference
            return "has no REFUSED" if screen.refused is None else ""

        await player.until(fits, f"{line} must be refused, because {why}")

    async def gives_up(self, player: Player) -> None:
        """Forfeit the match."""
        self.rules.gave_up = player.name
        await player.send("EXIT")
        why = "EXIT forfeits the match and transitions both players to SHOW SCORE"
        await self.shown(player, self.other(player), why=why)

    def other(self, player: Player) -> Player:
        """Return the other player."""
        return self.bob if player is self.ann else self.ann


def _bare(screen: Screen) -> Screen:
    """Return the screen without the parts that only one screen of a state has."""
    return replace(screen, refused=None, token=None)


def apply(rules: Match, player: str, line: str) -> None:
    """Execute TRY or CHALLENGE in the rules. Raises No if the rules refuse it."""
    command, word, text = line.split()
    if not word.isascii() or not word.isdigit():
        raise No
    move = rules.guess if command == "TRY" else rules.challenge
    move(player, int(word), text)
