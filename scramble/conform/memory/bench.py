"""Servers for the cases of Memory Scramble: started for the check, or one that runs already.

Cases share a server. Each case takes spaces and player IDs that no case has used, so no case disturbs another one. If
the spaces are used up, or after a failure, the next case gets a fresh server. A server that runs already has no
successor: then the cases without spaces are skipped.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

import trio

from scramble.conform.bench import Open, SharedServers
from scramble.conform.cases import Broken, CannotRun, Case, Skipped
from scramble.conform.http import netloc
from scramble.conform.memory.boardtext import BoardFile
from scramble.conform.memory.client import Ground, MemoryTable, Server, board_of
from scramble.conform.memory.routes import HANDOUT, Route
from scramble.conform.process import Started, filled, free_port, started
from scramble.conform.transcript import Transcript

USUAL_CARDS: Final = ("🦄", "🌈", "A", "Hello", "√-1", "é", "☕️", "K9", "日本", "zz_top", "+", "💖")
"""Different kinds of cards: letters, words, signs, emoji of several code points."""

USUAL: Final = BoardFile(18, 14, USUAL_CARDS * 21)
FEWEST_LEFT: Final = 24
"""A shared server with fewer unused spaces is replaced, before a case lacks them. A case may need more: `places`."""


@dataclass(kw_only=True)
class MemoryServer(Open):
    """A server that answers, with its known cards."""

    server: Server
    ground: Ground


class MemoryBench(SharedServers[MemoryServer]):
    """The servers of one run."""

    def __init__(
        self,
        *,
        command: str | None,
        address: tuple[str, int] | None,
        board: BoardFile | None,
        edition: str,
        seed: int,
        routes: Mapping[str, Route],
        patience_s: float,
    ) -> None:
        """`command` starts servers; or `address` has a server that runs already, with the known `board`."""
        super().__init__(command)
        self._address: Final = address
        self._board: Final = board or USUAL
        self._edition: Final = edition
        self._seed: Final = seed
        self._routes: Final = routes
        self._patience_s: Final = patience_s

    @asynccontextmanager
    async def table(self, case: Case[MemoryTable], *, fresh: bool) -> AsyncIterator[MemoryTable]:
        """Prepare a server for the case. Raises Skipped and CannotRun."""
        if "handout_routes" in case.needs and self._routes["flip"] != HANDOUT["flip"]:
            raise Skipped("this case needs the handout's routes")
        async with AsyncExitStack() as stack:
            if "board" in case.needs:
                if not self.can_be_fresh:
                    raise Skipped("this case needs a server with a board of its own: use --start")
                board = board_of_needs(case.needs["board"])
                server = await stack.enter_async_context(self._opened(board, case.needs.get("newline", "\n")))
            else:
                server = await self._shared_with(int(case.needs.get("places", FEWEST_LEFT)), fresh=fresh)
            self._use(server)
            nursery = await stack.enter_async_context(trio.open_nursery())
            yield MemoryTable(server.server, server.ground, self._edition, self._seed, nursery)
            nursery.cancel_scope.cancel()

    async def _shared_with(self, places: int, *, fresh: bool) -> MemoryServer:
        """Return the shared server, or a fresh one if it has fewer unused spaces."""
        shared = self._sharing(USUAL)
        is_used_up = shared is not None and shared.ground.left < min(places, len(shared.ground.cards))
        if self.can_be_fresh and (fresh or is_used_up):
            await self._close()
            shared = None
        return shared or await self._share(USUAL, self._opened(self._board, "\n"))

    @asynccontextmanager
    async def _opened(self, board: BoardFile, newline: str) -> AsyncIterator[MemoryServer]:
        async with AsyncExitStack() as stack:
            process: Started | None = None
            tag = ""
            if self._command is None:
                assert self._address is not None
                host, port = self._address
                tag = f"{secrets.token_hex(2)}_"
            else:
                port = free_port()
                path = self._path(f"board-{port}.txt")
                path.write_text(board.text(newline), encoding="utf-8", newline="")
                values = {"port": str(port), "board": str(path)}
                words = filled(self._command, values, frozenset(values))
                process = await stack.enter_async_context(started(words, port))
                host = process.host
            address = Server(host, port, self._routes, self._patience_s)
            server = MemoryServer(server=address, ground=Ground(board, tag), process=process)
            await self._probe(server)
            yield server

    async def _probe(self, opened: MemoryServer) -> None:
        """Ask the server for the board once. Raises CannotRun if it is not a server of this handout with this board."""
        request = opened.server.request("look", {"player": "probe"})
        asked = f"{request.method} http://{netloc(opened.server.host, opened.server.port)}{request.target}"

        def wrong(what: str) -> CannotRun:
            printed = opened.output().strip()
            return CannotRun(f"{asked}: {what}" + (f"\nThe server printed:\n{printed}" if printed else ""))

        with trio.move_on_after(PROBE_PATIENCES * self._patience_s) as limit:
            try:
                answer = await opened.server.send(Transcript(), "probe", request)
            except Broken as broken:
                raise wrong(str(broken)) from None
        if limit.cancelled_caught:
            raise wrong("the server does not answer")
        if answer.status in (404, 405, 501):
            raise wrong(f"the server answers {answer.status}. If it has other routes, use --routes FILE")
        if answer.status != 200:
            raise wrong(f"the server answers {answer.status}: {answer.text[:200]!r}")
        if self._command is None:
            try:
                found = board_of(answer, "the look")
            except Broken:
                return  # a case reports it
            board = opened.ground.file
            if (found.rows, found.columns) != (board.rows, board.columns):
                size = f"{found.rows}x{found.columns}"
                raise CannotRun(f"the server's board is {size}, but --board has {board.rows}x{board.columns}")
            opened.ground.use(place for place in board.places if found[place].state != "down")


PROBE_PATIENCES: Final = 2
"""A fresh server may need longer for its first answer: the limit as a multiple of the patience."""


def board_of_needs(text: str) -> BoardFile:
    """Return the board of a case: the size and the cards, separated by spaces."""
    size, *cards = text.split(" ")
    rows, _, columns = size.partition("x")
    return BoardFile(int(rows), int(columns), tuple(cards))
