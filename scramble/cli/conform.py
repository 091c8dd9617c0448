"""The command `scramble conform`: check a server against the handout.

Exit codes: 0 all cases passed, 1 a case has failed, 2 the cases could not be run, 128 and the number of the signal that
has ended the run.
"""

from __future__ import annotations

import errno
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeVar
from urllib.parse import urlsplit

import click
import trio

from scramble.conform.cases import Bench, CannotRun, Case, Catalogue, Outcome, Table, Verdict, run_cases
from scramble.conform.crossword.bench import CrosswordBench
from scramble.conform.crossword.cases.all import CASES as CROSSWORD_CASES
from scramble.conform.crossword.client import SCRAMBLE
from scramble.conform.crossword.folders import write_plain_folder
from scramble.conform.memory.bench import MemoryBench
from scramble.conform.memory.boardtext import read_board_file
from scramble.conform.memory.cases.all import CASES as MEMORY_CASES
from scramble.conform.memory.routes import HANDOUT, read_routes
from scramble.conform.minesweeper.bench import MineBench
from scramble.conform.minesweeper.cases.all import CASES as MINESWEEPER_CASES
from scramble.conform.minesweeper.fieldfile import read_field_file
from scramble.conform.page import as_page
from scramble.conform.reports import Checked, as_json, as_junit
from scramble.errors import leaves
from scramble.plaintext import escaped

FAILED: Final = 1
NOT_RUN: Final = 2
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
EDITIONS: Final = ("2025", "2022")

F = TypeVar("F", bound=Callable[..., object])
TableT = TypeVar("TableT", bound=Table)

NEW_FILE: Final = click.Path(dir_okay=False, writable=True, path_type=Path)


class CannotCheck(click.ClickException):
    """A run without verdicts: the server could not be started or reached."""

    exit_code = NOT_RUN


@dataclass(frozen=True)
class Wanted:
    """The options of all games: which cases run, and where the reports go. The fields are the parameters of click."""

    level: Literal["alpha", "beta", "all"]
    rule: Sequence[str]
    seed: int
    patience: float
    strict: bool
    junit: Path | None
    json_file: Path | None
    page: Path | None
    list_cases: bool

    def cases(self, catalogue: Catalogue[TableT], edition: str) -> list[Case[TableT]]:
        """Return the chosen cases. Raises click.UsageError if no case is chosen."""
        unknown = set(self.rule) - {name for case in catalogue for name in (case.rule, case.name)}
        if unknown:
            names = ", ".join(sorted(unknown))
            raise click.UsageError(f"no case has the rule {names}: the rules are {', '.join(catalogue.rules())}")
        level = None if self.level == "all" else self.level
        cases = catalogue.select(edition=edition, level=level, rules=self.rule)
        if not cases:
            raise click.UsageError("no case of this rule has this level and edition")
        return cases

    def judged(self, verdict: Verdict) -> Verdict:
        """Return the verdict; with `--strict` a LOOSE case has failed."""
        if not self.strict or verdict.outcome is not Outcome.LOOSE:
            return verdict
        return replace(
            verdict, outcome=Outcome.FAIL, reason=f"{verdict.reason} (the handout leaves this open: --strict)"
        )

    def finish(self, checked: Checked) -> None:
        """Write the reports, and print the summary."""
        for path, make in ((self.junit, as_junit), (self.json_file, as_json), (self.page, as_page)):
            if path is not None:
                try:
                    path.write_text(make(checked), encoding="utf-8")
                except OSError as error:
                    raise CannotCheck(f"the report cannot be written: {error}") from None
        click.echo(checked.summary())


def report_options(command: F) -> F:
    """Add the options of all games."""
    for option in reversed(
        (
            click.option(
                "--level",
                default="all",
                show_default=True,
                type=click.Choice(["alpha", "beta", "all"]),
                help="alpha: one client at a time. beta: concurrent clients.",
            ),
            click.option("--rule", multiple=True, help="Only this rule, such as 1-D, or this case. May be repeated."),
            click.option("--seed", default=1, show_default=True, help="The same seed draws the same random requests."),
            click.option(
                "--patience",
                default=5.0,
                show_default=True,
                type=click.FloatRange(0.1, 600),
                help="Seconds for an answer that must come.",
            ),
            click.option("--strict", is_flag=True, help="Count LOOSE as failed."),
            click.option("--junit", type=NEW_FILE, metavar="FILE", help="Write JUnit's XML."),
            click.option("--json", "json_file", type=NEW_FILE, metavar="FILE", help="Write JSON."),
            click.option("--report", "page", type=NEW_FILE, metavar="FILE.html", help="Write a page with timelines."),
            click.option("--list", "list_cases", is_flag=True, help="List the cases, and exit."),
        )
    ):
        command = option(command)
    return command


@click.group("conform")
def conform_commands() -> None:
    """Check any server of the handouts, rule by rule.

    Each case is one line: PASS, FAIL with what was sent, what came and what the rule says, LOOSE if the handout leaves
    it open and the server differs from ours, or SKIP. Exit code: 0 without failures, 1 with failures, 2 if the server
    does not start or does not answer.
    """


@conform_commands.command("memory")
@click.argument("url", required=False)
@click.option("--start", metavar="COMMAND", help="Start servers by this command: it has {port} and {board}.")
@click.option(
    "--board",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="The board of the running server; or the board to start servers with.",
)
@click.option("--edition", default="2025", show_default=True, type=click.Choice(EDITIONS), help="Year of the handout.")
@click.option("--routes", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Routes of this server.")
@report_options
def memory_command(
    url: str | None,
    start: str | None,
    board: str | None,
    edition: str,
    routes: Path | None,
    **values: object,
) -> None:
    """Check a server of Memory Scramble.

    Either --start COMMAND starts fresh servers, as in --start 'npm start {port} {board}', or URL is a running server,
    such as http://127.0.0.1:8080, and --board is its board.
    """
    wanted = Wanted(**values)  # type: ignore[arg-type]  # click's types of the options above
    if wanted.list_cases:
        return show_cases(wanted.cases(MEMORY_CASES, edition))
    address = one_server(url, start, HTTP)
    if address is not None and board is None:
        raise click.UsageError("a running server needs --board FILE: the check must know its cards")
    try:
        bench = MemoryBench(
            command=start,
            address=address,
            board=None if board is None else read_board_file(board),
            edition=edition,
            seed=wanted.seed,
            routes=HANDOUT if routes is None else read_routes(routes.read_text(encoding="utf-8")),
            patience_s=wanted.patience,
        )
    except (CannotRun, OSError, UnicodeDecodeError) as error:
        raise CannotCheck(str(error)) from None
    check("memory", edition, url or start or "", bench, MEMORY_CASES, wanted)


@conform_commands.command("minesweeper")
@click.argument("address", metavar="[HOST:PORT]", required=False)
@click.option("--start", metavar="COMMAND", help="Start servers by this command: it has {port} and {args}.")
@click.option(
    "--board",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="The field file of the running server, or of a --start without {args}.",
)
@click.option("--debug/--no-debug", default=None, help="The mode of that server.")
@report_options
def minesweeper_command(
    address: str | None, start: str | None, board: str | None, debug: bool | None, **values: object
) -> None:
    """Check a server of Multiplayer Minesweeper.

    Either --start COMMAND starts fresh servers, as in --start 'java minesweeper.server.MinesweeperServer --port {port}
    {args}', or HOST:PORT is a running server. {args} becomes the handout's options of a case, such as --debug --file
    FILE. Without {args} and --board, the cases that need a known field are skipped.
    """
    wanted = Wanted(**values)  # type: ignore[arg-type]  # click's types of the options above
    if wanted.list_cases:
        return show_cases(wanted.cases(MINESWEEPER_CASES, ""))
    if start is not None and "{args}" in start and (board is not None or debug is not None):
        raise click.UsageError("--board and --debug are for a server without {args}")
    server = one_server(address, start, TELNET)
    try:
        bench = MineBench(
            command=start,
            address=server,
            field=None if board is None else read_field_file(board),
            debug=debug,
            seed=wanted.seed,
            patience_s=wanted.patience,
        )
    except CannotRun as error:
        raise CannotCheck(str(error)) from None
    check("minesweeper", "", address or start or "", bench, MINESWEEPER_CASES, wanted)


@conform_commands.command("crossword")
@click.argument("address", required=False)
@click.option("--start", metavar="COMMAND", help="Start servers by this command: it has {port} and {puzzles}.")
@click.option(
    "--puzzles",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder of the running server: it must have the files of --write-puzzles.",
)
@click.option(
    "--write-puzzles",
    type=click.Path(file_okay=False, writable=True, path_type=Path),
    metavar="DIR",
    help="Write the puzzles of this check to a folder, for a server to run, and exit.",
)
@click.option("--wire", type=click.Choice([SCRAMBLE]), help="Also run the cases that need the telnet wire of scramble.")
@report_options
def crossword_command(
    address: str | None,
    start: str | None,
    puzzles: Path | None,
    write_puzzles: Path | None,
    wire: str | None,
    **values: object,
) -> None:
    """Check a server of Crossword Extravaganza.

    Either --start COMMAND starts fresh servers, as in --start 'java -jar server.jar {port} {puzzles}', or HOST:PORT is
    a running server.

    The handout leaves the wire between client and server to each team. Without --wire only the cases run that need no
    wire: the server starts with each folder of puzzles, also with bad files, accepts clients at once and one after
    another, goes on when clients leave or send nonsense, and sends no solution. With --wire scramble all cases run: the
    server must speak the telnet wire of `scramble crossword`.
    """
    wanted = Wanted(**values)  # type: ignore[arg-type]  # click's types of the options above
    if write_puzzles is not None:
        try:
            return write_plain_folder(write_puzzles)
        except OSError as error:
            raise CannotCheck(f"the puzzles cannot be written: {error}") from None
    edition = wire or ""
    if not CROSSWORD_CASES.select(rules=wanted.rule, edition=edition) and CROSSWORD_CASES.select(
        rules=wanted.rule, edition=SCRAMBLE
    ):
        raise click.UsageError(f"the cases of {', '.join(wanted.rule)} need --wire {SCRAMBLE}")
    if wanted.list_cases:
        return show_cases(wanted.cases(CROSSWORD_CASES, edition))
    server = one_server(address, start, TELNET)
    if server is not None and wire is not None and puzzles is None:
        raise click.UsageError("a running server needs --puzzles DIR with --wire: the check must know its puzzles")
    try:
        bench = CrosswordBench(
            command=start,
            address=server,
            puzzles=puzzles,
            wire=wire is not None,
            seed=wanted.seed,
            patience_s=wanted.patience,
        )
    except CannotRun as error:
        raise CannotCheck(str(error)) from None
    if wire is None:
        without, both = (len(wanted.cases(CROSSWORD_CASES, name)) for name in ("", SCRAMBLE))
        click.echo(f"{without} cases need no wire. {both - without} more run with --wire {SCRAMBLE}.", err=True)
    check("crossword", edition, address or start or "", bench, CROSSWORD_CASES, wanted)


class AddressForm(NamedTuple):
    """The form of the address of a running server."""

    scheme: str
    port: int
    """The port of an address without a port."""

    example: str


HTTP: Final = AddressForm("http", 80, "http://127.0.0.1:8080")
TELNET: Final = AddressForm("telnet", 4444, "127.0.0.1:4444")


def one_server(address: str | None, start: str | None, form: AddressForm) -> tuple[str, int] | None:
    """Return the address of a running server, or None for servers that the check starts. Raises click.UsageError."""
    if (address is None) == (start is None):
        raise click.UsageError("name either a URL or --start COMMAND")
    if address is None:
        return None
    try:
        parts = urlsplit(address if "//" in address else f"{form.scheme}://{address}")
        host, port = parts.hostname, parts.port or form.port
    except ValueError as error:
        raise click.UsageError(f"{address}: {error}") from None
    if parts.scheme != form.scheme or host is None or parts.path not in ("", "/"):
        raise click.UsageError(f"{address} is not an address such as {form.example}")
    return host, port


def check(
    game: str, edition: str, server: str, bench: Bench[TableT], catalogue: Catalogue[TableT], wanted: Wanted
) -> None:
    """Run the chosen cases, print the verdicts, and write the reports."""
    cases = wanted.cases(catalogue, edition)

    verdicts: list[Verdict] = []
    ended_by: list[int] = []
    reader_gone = False

    def note(verdict: Verdict) -> None:
        verdicts.append(wanted.judged(verdict))
        click.echo(verdicts[-1].line())

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(end_by_signal, nursery.cancel_scope, ended_by)
            async with bench:
                await run_cases(bench, cases, wanted.patience, note)
            nursery.cancel_scope.cancel()

    try:
        trio.run(run)
    except* CannotRun as errors:
        reason = "\n".join(map(escaped, str(leaves(errors)[0]).split("\n")))  # with lines that the server printed
        raise CannotCheck(reason) from None
    except* BrokenPipeError:
        reader_gone = True
    if reader_gone:
        raise BrokenPipeError(errno.EPIPE, "the reader has closed the pipe")  # click then exits without a message
    wanted.finish(Checked(game, edition, server, wanted.seed, verdicts))
    if ended_by:
        click.echo("interrupted: the other cases have not run", err=True)
        sys.exit(128 + ended_by[0])
    if any(verdict.outcome is Outcome.FAIL for verdict in verdicts):
        sys.exit(FAILED)


async def end_by_signal(running: trio.CancelScope, ended_by: list[int]) -> None:
    """Cancel the run at a signal that ends a program, so that no server outlives the check. Waits for the signal."""
    with trio.open_signal_receiver(*SIGNALS) as signals:
        async for number in signals:
            ended_by.append(number)
            running.cancel()


def show_cases(cases: Iterable[Case[TableT]]) -> None:
    """Print the names of cases, and what the handout says."""
    for case in cases:
        click.echo(f"{case.name}: {case.says}")
