"""Cases, their verdicts, and the loop that runs cases against a server.

A case is an async function that gets a table: the server, with clients and a transcript. The function raises `Broken`
if the server breaks the claim, `Silent` if an answer does not come, and `Skipped` if the case cannot be played. It
returns if the server keeps the claim.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import ClassVar, Final, Generic, Literal, Protocol, TypeVar

import trio

from scramble.conform.transcript import Exchange, Transcript, shortened
from scramble.errors import leaves
from scramble.plaintext import escaped

Level = Literal["alpha", "beta"]
"""alpha: one client at a time, rule by rule. beta: concurrent clients."""

LIMIT_PATIENCES: Final = 12
"""The longest time of a case, as a multiple of the patience for one answer."""

MOST_SILENT: Final = 3
"""After so many cases without an answer, one after another, the first case is played again."""

PASSES_ALONE: Final = (
    "On a fresh server this case passes: the reason is a race, or something that earlier cases have left"
)


SHOWN: Final = 300
"""The number of characters of an answer in the line of a failure."""


class Broken(Exception):
    """The server breaks the claim of the case. The message says what it did."""

    tells_requests: ClassVar[bool] = False
    """True if the message has the requests and their answers."""


class Silent(Broken):
    """An answer that must come did not come in time."""


class Skipped(Exception):
    """The case cannot be played here. The message says why."""


class CannotRun(Exception):
    """No case can be played: the server does not start or does not answer. The message says why."""


@dataclass
class Table:
    """The server for one case. The games add their clients."""

    patience_s: float
    transcript: Transcript = field(default_factory=Transcript)
    deviations: list[str] = field(default_factory=list)

    def deviates(self, how: str) -> None:
        """Note that the server differs from ours where the handout leaves the answer open. The case goes on."""
        if how not in self.deviations:
            self.deviations.append(how)


TableT = TypeVar("TableT", bound=Table)
TableIn = TypeVar("TableIn", bound=Table, contravariant=True)
TableOut = TypeVar("TableOut", bound=Table, covariant=True)

Play = Callable[[TableIn], Awaitable[None]]


@dataclass(frozen=True)
class Case(Generic[TableIn]):
    """A claim of the handout."""

    rule: str
    claim: str
    says: str
    """The rule in the words of the handout, or close to them."""

    play: Play[TableIn]
    level: Level = "alpha"
    editions: frozenset[str] = frozenset()
    """The editions of the handout with this claim; empty: all."""

    needs: Mapping[str, str] = field(default_factory=dict)
    """What the case needs of its server; the game knows the keys."""

    is_gate: bool = False
    """If this case fails, the cases after it would tell nothing: they are skipped."""

    @property
    def name(self) -> str:
        """The rule and the claim, such as `1-D.waits-while-controlled`."""
        return f"{self.rule}.{self.claim}"


class Catalogue(Generic[TableT]):
    """The cases of one handout, in the order in which they run."""

    def __init__(self, cases: Iterable[Case[TableT]] = ()) -> None:
        self._cases: Final[list[Case[TableT]]] = []
        for case in cases:
            self._add(case)

    @classmethod
    def joined(cls, *chapters: Catalogue[TableT]) -> Catalogue[TableT]:
        """Return a catalogue of all cases of the chapters."""
        return cls(case for chapter in chapters for case in chapter)

    def _add(self, case: Case[TableT]) -> None:
        assert case.name not in {other.name for other in self._cases}, case.name
        self._cases.append(case)

    def __iter__(self) -> Iterator[Case[TableT]]:
        return iter(self._cases)

    def case(
        self,
        rule: str,
        claim: str,
        says: str,
        *,
        level: Level = "alpha",
        editions: Iterable[str] = (),
        is_gate: bool = False,
        **needs: str,
    ) -> Callable[[Play[TableT]], Play[TableT]]:
        """Add the decorated function as a case."""

        def add(play: Play[TableT]) -> Play[TableT]:
            self._add(Case(rule, claim, says, play, level, frozenset(editions), needs, is_gate))
            return play

        return add

    def rules(self) -> list[str]:
        """Return the rules that have cases, in order."""
        return list(dict.fromkeys(case.rule for case in self._cases))

    def select(self, *, edition: str = "", level: Level | None = None, rules: Iterable[str] = ()) -> list[Case[TableT]]:
        """Return the cases of an edition and a level whose rule or name is in `rules`; without `rules` all of them."""
        wanted = frozenset(rules)
        return [
            case
            for case in self._cases
            if (not case.editions or edition in case.editions)
            and (level is None or case.level == level)
            and (not wanted or case.rule in wanted or case.name in wanted)
        ]


class Outcome(Enum):
    """The verdict of a case in one word."""

    PASS = "PASS"
    FAIL = "FAIL"
    LOOSE = "LOOSE"
    SKIP = "SKIP"


@dataclass(frozen=True)
class Verdict:
    """The outcome of one case."""

    name: str
    rule: str
    says: str
    level: Level
    outcome: Outcome
    reason: str = ""
    exchanges: tuple[Exchange, ...] = ()
    took_s: float = 0.0
    output: str = ""
    """The last lines that the server printed, if the case has failed."""

    def line(self) -> str:
        """Return the verdict as one line, as the command prints it. Control characters are escaped."""
        parts = [self.reason] if self.reason else []
        if self.outcome is Outcome.FAIL:
            parts.append(f"{self.rule}: {self.says}")
        text = escaped(" ".join(". ".join(parts).split()))
        return f"{self.outcome.value} {self.name}" + (f": {text}" if text else "")


class Bench(Protocol[TableOut]):
    """The servers on which the cases of one game are played. The end of the block stops them."""

    async def __aenter__(self) -> object: ...

    async def __aexit__(self, *error: object) -> None: ...

    def table(self, case: Case[TableOut], *, fresh: bool) -> AbstractAsyncContextManager[TableOut]:
        """Prepare a server for the case. `fresh`: no case has used the server. Raises Skipped and CannotRun."""
        ...

    @property
    def can_be_fresh(self) -> bool:
        """True if the bench can start a server at any time."""
        ...

    def was_used(self) -> bool:
        """Return True if other cases have used the server of the last table."""
        ...

    async def discard(self) -> None:
        """End the shared server: the next case gets a fresh server."""
        ...

    def output(self) -> str:
        """Return the last lines that the server printed."""
        ...

    async def ended(self) -> str:
        """Return how the server has ended by itself, in words; empty if it runs, or if another program started it."""
        ...


async def run_cases(
    bench: Bench[TableT], cases: Iterable[Case[TableT]], patience_s: float, report: Callable[[Verdict], None]
) -> list[Verdict]:
    """Play the cases one after another, report each verdict at once, and return all verdicts.

    Cases share a server until one of them fails. A case that fails on a used server is played again on a fresh server.
    Raises CannotRun if the first server cannot be reached.
    """
    runner = _Runner(bench, tuple(cases), patience_s)
    verdicts: list[Verdict] = []
    for case in runner.cases:
        began = trio.current_time()
        verdict = replace(await runner.play(case), took_s=trio.current_time() - began)
        verdicts.append(verdict)
        report(verdict)
    return verdicts


class _Runner(Generic[TableT]):
    """The cases of one run, and whether the next case can tell anything."""

    def __init__(self, bench: Bench[TableT], cases: Sequence[Case[TableT]], patience_s: float) -> None:
        self.cases: Final = cases
        self._bench: Final = bench
        self._patience_s: Final = patience_s
        self._silent = 0
        self._was_reached = False
        self._closed = ""
        """The reason to skip all further cases."""

    async def play(self, case: Case[TableT]) -> Verdict:
        """Play a case, and return its verdict."""
        if self._closed:
            return _verdict(case, Outcome.SKIP, self._closed)
        verdict, was_silent = await self._judge(case, fresh=False)
        if verdict.outcome is Outcome.FAIL:
            used = self._bench.was_used()
            await self._bench.discard()
            if used and self._bench.can_be_fresh and not was_silent:
                again, was_silent = await self._judge(case, fresh=True)
                if again.outcome is Outcome.FAIL:
                    verdict = again
                    await self._bench.discard()
                else:
                    verdict = replace(verdict, reason=f"{verdict.reason}. {PASSES_ALONE}")
        self._was_reached = True
        self._silent = self._silent + 1 if was_silent else 0
        if verdict.outcome is Outcome.FAIL and case.is_gate:
            self._closed = f"{case.name} has failed: without it this case would tell nothing"
        elif self._silent == MOST_SILENT:
            self._silent = 0
            await self._check_silence()
        return verdict

    async def _check_silence(self) -> None:
        """Play the first case once more: if it is silent, too, skip all further cases."""
        first = next((case for case in self.cases if case.is_gate), None)
        if first is None or (await self._judge(first, fresh=True))[1]:
            self._closed = f"the server has not answered in {MOST_SILENT} cases, one after another"

    async def _judge(self, case: Case[TableT], *, fresh: bool) -> tuple[Verdict, bool]:
        """Play one case. Return its verdict, and True if the server was silent."""
        table: TableT | None = None
        limit_s = LIMIT_PATIENCES * self._patience_s
        found: list[tuple[Verdict, bool]] = []
        try:
            async with self._bench.table(case, fresh=fresh) as table:
                with trio.move_on_after(limit_s) as limit:
                    await case.play(table)
                if limit.cancelled_caught:
                    raise Silent(f"the case was not over after {limit_s:g} s")
        except* Skipped as skipped:
            found.append((_verdict(case, Outcome.SKIP, str(leaves(skipped)[0]), table), False))
        except* Broken as broken:
            error = leaves(broken)[0]
            reason = " ".join(part for part in (await self._bench.ended(), _told(error, table)) if part)
            verdict = replace(_verdict(case, Outcome.FAIL, reason, table), output=self._bench.output())
            found.append((verdict, isinstance(error, Silent)))
        except* CannotRun as errors:
            if not self._was_reached:
                raise
            reason = f"the server for this case could not be used: {leaves(errors)[0]}"
            found.append((_verdict(case, Outcome.FAIL, reason), True))
        if found:
            return found[0]
        if table is not None and table.deviations:
            return _verdict(case, Outcome.LOOSE, "; ".join(table.deviations), table), False
        return _verdict(case, Outcome.PASS), False


def _verdict(case: Case[TableT], outcome: Outcome, reason: str = "", table: Table | None = None) -> Verdict:
    exchanges = () if table is None or outcome is Outcome.PASS else tuple(table.transcript.exchanges)
    return Verdict(case.name, case.rule, case.says, case.level, outcome, reason, exchanges)


def _told(error: BaseException, table: Table | None) -> str:
    """Return what the server did, what was sent, and what came."""
    reason = str(error).rstrip(".")
    wrong = None if table is None else table.transcript.wrong()
    if wrong is None:
        return reason
    wrong.is_wrong = True
    if isinstance(error, Broken) and error.tells_requests:
        return reason
    came = "no answer" if wrong.came is None else repr(shortened(wrong.came, SHOWN))
    return f"{reason}. Sent: {wrong.client}: {wrong.sent}. Came: {came}"
