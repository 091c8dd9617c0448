"""Sessions of an open lobby, for tests of the API."""

from __future__ import annotations

from contextlib import AsyncExitStack

from scramble.crossword import Game, Session, SessionView
from scramble.kernel.stats import Stats


async def do(session: Session, line: str) -> SessionView:
    """Say a line; check that it is not refused."""
    view = await session.say(line)
    assert view.error is None, view.error
    return view


class Sessions:
    """Sessions by name. The test can end each session's block at any time."""

    def __init__(self, lobby: Game) -> None:
        self._lobby = lobby
        self._blocks: dict[Session, AsyncExitStack] = {}
        self.tokens: dict[str, str] = {}

    @property
    def version(self) -> int:
        """The version of the lobby after the latest answer."""
        return self._lobby.stats().version

    @property
    def stats(self) -> Stats:
        """The lobby's counts."""
        return self._lobby.stats()

    async def ping(self) -> None:
        """Wait until the lobby has executed all earlier requests."""
        await self._lobby.ping()

    async def open(self, returning: tuple[str, str] | None = None) -> Session:
        block = AsyncExitStack()
        session = await block.enter_async_context(self._lobby.session(returning=returning))
        self._blocks[session] = block
        return session

    async def player(self, name: str) -> Session:
        session = await self.open()
        view = await do(session, name)
        assert view.token is not None
        self.tokens[name] = view.token
        return session

    async def match(self) -> tuple[Session, Session]:
        ann, bob = await self.player("ann"), await self.player("bob")
        await do(ann, 'NEW m1 simple "so"')
        await do(bob, "PLAY m1")
        assert (await ann.next_view()).state == "PLAY"
        return ann, bob

    async def leave(self, session: Session) -> None:
        """Lose the connection of that session."""
        await self._blocks.pop(session).aclose()

    async def leave_all(self) -> None:
        for session in list(self._blocks):
            await self.leave(session)

    async def come_back_to_a_full_lobby(self, name: str) -> Session:
        return await self.open((name, self.tokens[name]))

    async def come_back(self, name: str) -> tuple[Session, SessionView]:
        session = await self.open()
        return session, await session.say(f"{name} {self.tokens[name]}")
