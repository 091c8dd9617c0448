"""The server for one case, with players and a part of the field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, Protocol

import trio

from scramble.conform.cases import Broken, Silent, Skipped, Table
from scramble.conform.minesweeper.client import Player
from scramble.conform.minesweeper.fieldfile import Region
from scramble.conform.minesweeper.ground import Ground, Server
from scramble.conform.minesweeper.rules import Square
from scramble.conform.transcript import Transcript

RECOUNT_S: Final = 0.05
"""The server may notice the end of a connection late: so HELLO's count is asked again after this time."""

NAMES: Final = ("alice", "bob", "carol", "dave", "eve")

Kind = Literal["untouched", "number", "zero", "bomb", "lone bomb"]


@dataclass
class Findings:
    """Facts about the server that concern later cases, too."""

    limit: int | None = None
    """The server serves no more users at the same time; None: no limit is known."""

    case: str = ""
    """The case that has found the limit."""


class Launcher(Protocol):
    """Starts more servers for one case."""

    async def serves(self, args: str, file: bytes | None = None) -> bool:
        """Start a server with options; `{file}` in them is the path of a file with this content.

        Return True if the server sends something to a client. At the end of the call the server has ended.
        """
        ...


class MineTable(Table):
    """A server with players, and a tile of the field."""

    def __init__(
        self,
        server: Server,
        ground: Ground,
        patience_s: float,
        *,
        seed: int,
        debug: bool | None,
        others: int,
        case: str,
        findings: Findings,
        launcher: Launcher | None = None,
    ) -> None:
        """`debug`: None if it is not known. `others`: the number of users without those of the check.

        `case`: the name of the case.
        """
        super().__init__(patience_s)
        self.server: Final = server
        self.ground: Final = ground
        self.seed: Final = seed
        self.debug: Final = debug
        self.others: Final = others
        self._case: Final = case
        self._findings: Final = findings
        self._launcher: Final = launcher
        self._players: Final[list[Player]] = []
        self._region: Region | None = None

    @property
    def region(self) -> Region:
        """The part of the field for this case. Raises Skipped if all is used."""
        return self.take() if self._region is None else self._region

    def take(self) -> Region:
        """Go on with an unused part of the field, and return it. Raises Skipped if all is used."""
        self._region = self.ground.take()
        return self._region

    @property
    def launcher(self) -> Launcher:
        """Starts servers. Raises Skipped if the check cannot start servers with options."""
        if self._launcher is None:
            raise Skipped("this case needs servers with options of its own: use --start with {args}")
        return self._launcher

    def find(self, kind: Kind, *more: Callable[[Square], bool]) -> Square:
        """Return an untouched square of this case. Raises Skipped if no square has all properties.

        number: no bomb, but a neighbor with a bomb. zero: neither, and a neighbor is untouched, too. lone bomb: without
        neighbors with bombs. `more`: further properties.
        """
        lines = self.ground.lines
        for square in self.region.squares:
            if lines[square[1]][square[0]] == "-" and self._is(square, kind) and all(test(square) for test in more):
                return square
        raise Skipped(f"the field has no untouched square that is: {kind}")

    def _is(self, square: Square, kind: Kind) -> bool:
        if kind == "untouched":
            return True
        field = self.ground.field
        has_bomb, count = square in field.bombs, field.count(square)
        if kind in ("bomb", "lone bomb"):
            return has_bomb and (kind == "bomb" or count == 0)
        if has_bomb or (count == 0) != (kind == "zero"):
            return False
        return kind == "number" or any(field.is_untouched(other) for other in field.neighbors(square))

    async def connect(self, name: str, *, narrow: bool = False) -> Player:
        """Return a new player who has got HELLO. `narrow`: with the smallest receive buffer.

        Raises Broken for a HELLO that breaks the grammar, and Silent if none comes in time.
        """
        others = sum(not player.has_left for player in self._players)
        limit = self._findings.limit
        if limit is not None and self._findings.case != self._case and others >= limit:
            raise Skipped(f"the server serves only {limit} user(s) at the same time: {self._findings.case} has failed")
        try:
            player = await Player.connect(name, self.server, self.transcript, self.patience_s, narrow=narrow)
        except Silent as silent:
            if others and await self._serves_fewer():
                self._findings.limit, self._findings.case = others, self._case
                raise Broken(f"{silent}, while {others} other user(s) were connected") from None
            raise
        self._players.append(player)
        size, wanted = (player.hello.columns, player.hello.rows), (self.ground.columns, self.ground.rows)
        if size != wanted:
            raise Broken(
                f"HELLO has {size[0]} columns by {size[1]} rows, but the field has {wanted[0]} columns by {wanted[1]} "
                "rows"
            )
        player.ground = self.ground
        return player

    async def players(self, count: int) -> list[Player]:
        """Return new players."""
        return [await self.connect(name) for name in NAMES[:count]]

    async def player(self) -> Player:
        """Return a new player."""
        return await self.connect(NAMES[0])

    async def watches(self, name: str = "watcher") -> Player:
        """Return a new player who has looked: the field must be as expected."""
        player = await self.connect(name)
        await player.sees()
        return player

    async def counts(self, connected: int, why: str) -> None:
        """Check that HELLO counts this number of users and the new one, in time. Other users may still be leaving."""
        if self.others:
            raise Skipped(f"{self.others} other users are connected: their number may change")
        pause_s, wanted = RECOUNT_S, connected + 1
        until_s = trio.current_time() + self.patience_s
        while True:
            newcomer = await self.connect("newcomer")
            count = newcomer.hello.players - self.others
            await newcomer.leave()
            if count == wanted:
                return
            if count < wanted or trio.current_time() + pause_s > until_s:
                break
            await trio.sleep(pause_s)
            pause_s *= 1.5
        raise Broken(f"HELLO counts {count} players, but {wanted} are connected: {why}")

    async def _serves_fewer(self) -> bool:
        """Return True if a new user gets HELLO after all users of the case have left."""
        await self.close()
        try:
            player = await Player.connect("probe", self.server, Transcript(), self.patience_s)
        except Broken:
            return False
        await player.leave()
        return True

    async def close(self) -> None:
        """Close all connections of the case."""
        for player in self._players:
            await player.leave()
