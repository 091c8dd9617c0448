"""The game of another distribution, docs/examples/fourinarow, installed into a new environment.

Testing strategy. All programs start from the installed command, in one environment for all tests.
- a server of rooms: its list of games; a game with a bot, opened in the lobby; a game of two players that a third
  watches, with waiting drops, to its end, its replay and its metrics
- a server of the game alone, with a journal: played, replayed in the terminal, continued after a restart; replayed on a
  page in German
- two processes of a cluster, over a real Redis
- broken plugins: one line of error each, and the server has all other games
tests/unit/examples tests the rules.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Unpack, cast

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support import HANG_S
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.support.process import ROOT, ServerProcess
from tests.system.browser.audit import audit
from tests.system.browser.conftest import Look, NewContext

pytestmark = pytest.mark.browser

EXAMPLE: Final = ROOT / "docs" / "examples" / "fourinarow"


@pytest.fixture(scope="module")
def scramble(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of an environment that has only scramble and the example."""
    folder = tmp_path_factory.mktemp("venv")
    run(sys.executable, "-m", "venv", "--without-pip", str(folder))  # pip would take longer than all the rest
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    pip = (sys.executable, "-m", "pip", "--python", str(programs / "python"), "--disable-pip-version-check")
    run(*pip, "install", "--quiet", f"{ROOT}[cluster]", str(EXAMPLE))
    return programs / "scramble"


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=5 * HANG_S)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=HANG_S) as answer:
        return cast(bytes, answer.read()).decode()


def opened(url: str, **more: object) -> str:
    """Open a room of the game, and return its address."""
    body = json.dumps({"game": "fourinarow", **more}).encode()
    request = urllib.request.Request(f"{url}rooms", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=HANG_S) as answer:
        return f"{url}g/{json.load(answer)['room']}"


class Tab:
    """A page of the game."""

    def __init__(self, page: Page, address: str, name: str | None = None) -> None:
        """Open the page. Without a name it only watches."""
        self.page: Final = page
        self.complaints: Final[list[str]] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(address)
        if name is not None:
            page.get_by_label("Your name", exact=True).fill(name)
            page.get_by_role("button", name="Play", exact=True).click()
        expect(self.cell(1, 0)).to_be_visible()

    def cell(self, row: int, column: int) -> Locator:
        """A cell, by row from the top. Row 0 has the waiting discs."""
        return self.page.locator(f'[role=gridcell][data-row="{row}"][data-column="{column}"]')

    def drop(self, column: int) -> None:
        """Drop a disc into a column."""
        self.cell(3, column).click()

    def has(self, row: int, column: int, player: str | None) -> None:
        """Wait for a disc of the player in the cell. None: wait until the cell is empty."""
        shown = self.page.locator(f'[role=gridcell][data-by][data-row="{row}"][data-column="{column}"]')
        if player is None:
            expect(shown).to_have_count(0)
        else:
            expect(shown).to_have_attribute("data-by", player)

    def says(self, words: str) -> None:
        """Wait for this text in the line above the board."""
        expect(self.page.locator("#next > p")).to_have_text(words)


Visit = Callable[..., Tab]


@pytest.fixture
def visit(new_context: NewContext) -> Visit:
    """Opens pages, each in its own browser."""

    def visit(address: str, name: str | None = None, **look: Unpack[Look]) -> Tab:
        look = {"viewport": {"width": 1280, "height": 800}, **look}
        return Tab(new_context(**look).new_page(), address, name)

    return visit


Serve = Callable[..., ServerProcess]


@pytest.fixture
def serve(scramble: Path, tmp_path: Path) -> Iterator[Serve]:
    """Starts servers of the installed command. They stop at the end of the test."""
    servers: list[ServerProcess] = []

    def serve(*arguments: str, **more: str) -> ServerProcess:
        environment = {**os.environ, **more}
        servers.append(ServerProcess(*arguments, program=(scramble,), folder=tmp_path, environment=environment))
        return servers[-1]

    yield serve
    for server in servers:
        server.close()


def test_the_lobby_offers_the_game_and_a_bot_plays_it(serve: Serve, new_context: NewContext) -> None:
    url = serve("serve", "--port", "0", "--in-memory").url
    kinds = {kind["game"]: kind for kind in json.loads(get(f"{url}rooms/kinds"))["kinds"]}
    assert list(kinds) == ["memory", "minesweeper", "crossword", "fourinarow"]
    offered = kinds["fourinarow"]
    assert (offered["title"], offered["bots"], offered["sizes"]) == ("Four in a row", 1, ["6x7", "7x8", "8x9"])
    page = new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(url)
    card = page.locator('.card[data-game="fourinarow"]')
    expect(card).to_contain_text("Four discs in a row win")
    card.get_by_role("button", name="Play a bot").click()
    page.locator('[role=gridcell][data-row="6"][data-column="3"]').click()
    expect(page.locator('[role=gridcell][data-by]:not([data-row="0"])')).to_have_count(2)  # the bot has also moved
    expect(page.locator("#next > p")).to_have_text("It is your turn: drop a disc.")


def test_two_people_play_in_a_room_to_the_end_and_others_see_it(serve: Serve, visit: Visit) -> None:
    url = serve("serve", "--port", "0", "--data", "rooms").url
    address = opened(url)
    ann, bob, cat = visit(address, "Ann"), visit(address, "Bob"), visit(f"{address}?watch")
    ann.says("It is your turn: drop a disc.")
    ann.drop(0)
    ann.drop(1)  # out of turn
    ann.says("Your disc waits for a second player.")
    for one in (ann, bob, cat):
        one.has(0, 1, "Ann")
    ann.page.get_by_role("button", name="Call it off").click()
    ann.has(0, 1, None)
    ann.drop(1)
    ann.has(0, 1, "Ann")
    ann.drop(1)  # this withdraws the drop
    ann.has(0, 1, None)
    for row in (5, 4, 3):
        ann.drop(0)
        ann.has(0, 0, "Ann")
        bob.drop(6)
        cat.has(row + 1, 6, "Bob")
        cat.has(row, 0, "Ann")  # as soon as it is her turn
    expect(ann.page.locator("#ending[open]")).to_contain_text("You have won!")
    expect(bob.page.locator("#ending[open]")).to_contain_text("Ann has won")
    room = json.loads(get(f"{url}rooms/{address.rpartition('/')[2]}"))
    assert room["result"] == {"scores": {"Ann": 1, "Bob": 0}, "winners": ["Ann"]}
    metrics = get(f"{url}metrics")
    assert 'scramble_commands_total{game="fourinarow",kind="Drop",outcome="answered"} 7.0' in metrics
    assert 'scramble_commands_total{game="fourinarow",kind="Drop",outcome="withdrawn"} 2.0' in metrics
    assert [one.complaints for one in (ann, bob, cat)] == [[], [], []]
    cat.page.goto(f"{address}/replay")
    expect(cat.page.locator("#now > p")).to_contain_text("Bob drops a disc into column 7")
    expect(cat.page.locator("#now > p")).to_contain_text("Ann drops a disc into column 1")
    cat.page.keyboard.press("Home")
    expect(cat.page.locator("#count")).to_contain_text("move 0 /")


def test_the_page_suits_phones_desks_and_languages(serve: Serve, visit: Visit) -> None:
    url = serve("serve", "--port", "0", "--in-memory").url
    address = opened(url)
    ann = visit(address, "Ann", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    bob = visit(address, "Bob")
    audit(ann.page, "at the start")
    for column in (0, 0, 1, 2):
        ann.drop(column)
        ann.has(*((6, 0) if column == 0 else (0, column)), "Ann")
    audit(ann.page, "while drops wait")
    for column in (6, 6, 6):
        bob.drop(column)
    expect(bob.page.locator("#next > p")).to_have_text("It is your turn: drop a disc.")
    for column in (5, 6):
        ann.drop(4)
        bob.drop(column)
    for tab in (ann, bob):
        expect(tab.page.locator("#ending[open]")).to_be_visible()
        audit(tab.page, "at the end")
    for locale, title in {"de-DE": "Vier gewinnt", "es-ES": "Cuatro en raya", "fr-FR": "Puissance 4"}.items():
        there = visit(f"{address}?watch", locale=locale)
        expect(there.page.locator(".bar-title")).to_contain_text(title)
        there.page.goto(url)
        expect(there.page.locator('.card[data-game="fourinarow"]')).to_contain_text(title)


def test_a_game_on_its_own_is_kept_and_replayed_in_the_terminal(
    serve: Serve, scramble: Path, visit: Visit, tmp_path: Path
) -> None:
    options = ("fourinarow", "--size", "7x8", "--journal", "game.db", "--port", "0")
    server = serve(*options)
    ann, bob = visit(server.url, "ann"), visit(server.url, "bob")
    ann.drop(7)
    ann.drop(7)
    ann.has(0, 7, "ann")
    bob.drop(7)
    bob.has(5, 7, "ann")
    replay = run(str(scramble), "replay", str(tmp_path / "game.db"))
    assert "ann drops a disc into column 8" in replay
    assert "ann waits to drop a disc into column 8" in replay
    assert replay.endswith("ann 0, bob 0\n")
    picture = run(str(scramble), "replay", str(tmp_path / "game.db"), "--at", "2")
    assert [line.split()[-1] for line in picture.splitlines() if line[:2].strip().isdigit()][:8] == [*["-"] * 6, "●"]
    server.kill()
    again = serve(*options, "--port", str(server.port))
    ann.says("It is the turn of bob.")
    bob.drop(0)
    ann.has(7, 0, "bob")
    assert json.loads(get(f"{again.url}health")) == {"live": True, "ready": True}
    assert "Serve Four in a row" in run(str(scramble), "fourinarow", "--help")


def test_its_replay_is_in_the_languages_that_it_has(serve: Serve, visit: Visit, new_context: NewContext) -> None:
    server = serve("fourinarow", "--journal", "game.db", "--port", "0")
    ann = visit(server.url, "ann")
    ann.drop(3)
    ann.drop(4)  # out of turn
    ann.has(0, 4, "ann")
    page = new_context(locale="de-DE").new_page()
    page.goto(f"{server.url}replay")
    expect(page).to_have_title("Verlauf: Vier gewinnt")
    moves = ["ann wirft einen Stein in Spalte 4", "ann wartet mit einem Stein über Spalte 5"]
    expect(page.locator("#moves > li")).to_have_text(moves)
    expect(page.locator("#summary thead th")).to_have_text(["Name", "Züge", "gewartet"])


@needs_redis
def test_two_people_play_through_two_processes_of_a_cluster(serve: Serve, visit: Visit, tmp_path: Path) -> None:
    with RedisServer(tmp_path / "redis") as redis:
        one, other = (serve("serve", "--cluster", redis.url, "--port", "0") for _ in range(2))
        address = opened(one.url)
        ann, bob = visit(address, "Ann"), visit(address.replace(one.url, other.url), "Bob")
        bob.drop(3)
        bob.drop(3)
        for tab in (ann, bob):
            tab.has(0, 3, "Bob")
        ann.drop(3)
        for tab in (ann, bob):
            tab.has(4, 3, "Bob")
        bob.drop(4)
        bob.has(0, 4, "Bob")
        bob.page.close()  # this withdraws the drop in the other process
        ann.has(0, 4, None)
        assert [server.stop()[0] for server in (one, other)] == [0, 0]


BROKEN: Final = {
    "kind": ("scramble.games", "raise RuntimeError('the kind\\nis broken')", "RuntimeError: the kind is broken"),
    "front": ("scramble.fronts", "import nothing_of_that_name", "ModuleNotFoundError: No module named"),
    "value": ("scramble.games", "GAME = 7", "is not a GameKind"),
}


@pytest.mark.parametrize(("group", "module", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_plugin_that_cannot_be_loaded_is_named_in_one_line_and_the_server_starts(
    serve: Serve, tmp_path: Path, group: str, module: str, reason: str
) -> None:
    described = tmp_path / "broken_game-1.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-game\nVersion: 1\n")
    (described / "entry_points.txt").write_text(f"[{group}]\nbroken = broken_game:GAME\n")
    (tmp_path / "broken_game.py").write_text(f"{module}\n")
    server = serve("serve", "--port", "0", "--in-memory", PYTHONPATH=str(tmp_path))
    games = [kind["game"] for kind in json.loads(get(f"{server.url}rooms/kinds"))["kinds"]]
    assert games == ["memory", "minesweeper", "crossword", "fourinarow"]
    lines = [line for line in server.complaints.splitlines() if "broken" in line]
    assert len(lines) == 1
    assert "the game 'broken' of the distribution 'broken-game' cannot be loaded" in lines[0]
    assert reason in lines[0]
