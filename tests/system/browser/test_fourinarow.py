"""The game of another distribution, docs/examples/fourinarow, installed beside this checkout.

Testing strategy. pip installs the example into a folder, and all programs have this folder on their path. The folder
also has broken plugins. tests/system/cli/test_wheel.py installs scramble itself.
- a server of rooms: the broken plugins get one line of error each, and the server has all other games; a game of two
  people, on a phone and a desktop, that a third watches, with waiting drops, to its end, its metrics and its replay;
  the room in French, the longest language; the replay and the lobby in German; a bot
- a server of the game alone, with a journal: played, replayed in the terminal, continued after a restart
- two processes of a cluster, over a real Redis
tests/unit/examples tests the rules, the bot and the picture in the terminal.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, Unpack, cast

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support import HANG_S, TEST_S
from tests.support.cluster.redis import RedisServer, needs_redis
from tests.support.process import ROOT, SCRAMBLE, ServerProcess
from tests.system.browser.audit import audit
from tests.system.browser.conftest import Look, NewContext

pytestmark = pytest.mark.browser

EXAMPLE: Final = ROOT / "docs" / "examples" / "fourinarow"
PHONE: Final[Look] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DESK: Final[Look] = {"viewport": {"width": 1280, "height": 800}}

# All texts of a page with a letter, shown or hidden: elements and attributes.
TEXTS: Final = """() => [...document.querySelectorAll("title, body :not(noscript, code)")].flatMap((element) => [
    ...[...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data.trim()),
    ...["aria-label", "title", "placeholder", "alt"].map((name) => element.getAttribute(name)),
]).filter((text) => /\\p{L}/u.test(text ?? ""))"""
SAME: Final = {"Ann", "Bob", "English", "Deutsch", "Español", "Français", "Messages", "Points"}  # in English and French

# By name: the group of the entry point, the module, and the reason in the line of error.
BROKEN: Final = {
    "kind": ("scramble.games", "raise RuntimeError('the kind\\nis broken')", "RuntimeError: the kind is broken"),
    "front": ("scramble.fronts", "import nothing_of_that_name", "ModuleNotFoundError: No module named"),
    "value": ("scramble.games", "GAME = 7", "is not a GameKind"),
}


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Variables of programs that find the installed example and the broken plugins."""
    folder = tmp_path_factory.mktemp("plugins")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps")
    run(*pip, "--target", str(folder), str(EXAMPLE))
    for name, (group, module, _) in BROKEN.items():
        described = folder / f"broken_{name}-1.dist-info"
        described.mkdir()
        (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: broken-{name}\nVersion: 1\n")
        (described / "entry_points.txt").write_text(f"[{group}]\nbroken_{name} = broken_{name}:GAME\n")
        (folder / f"broken_{name}.py").write_text(f"{module}\n")
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT)))}


def run(*command: str, environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TEST_S)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=HANG_S) as answer:
        return cast(bytes, answer.read()).decode()


def open_room(url: str) -> str:
    """Open a room of the game, and return its address."""
    body = json.dumps({"game": "fourinarow"}).encode()
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

    @property
    def link(self) -> Locator:
        """The state of the connection."""
        return self.page.locator("#link")

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
        return Tab(new_context(**(look or DESK)).new_page(), address, name)

    return visit


Serve = Callable[..., ServerProcess]


@pytest.fixture
def serve(environment: Mapping[str, str], tmp_path: Path) -> Iterator[Serve]:
    """Starts servers with the plugins. They are killed at the end of the test."""
    servers: list[ServerProcess] = []

    def serve(*arguments: str) -> ServerProcess:
        servers.append(ServerProcess(*arguments, folder=tmp_path, environment=environment))
        return servers[-1]

    yield serve
    for server in servers:
        server.kill()


def test_people_and_a_bot_play_in_rooms_beside_broken_plugins(serve: Serve, visit: Visit) -> None:
    server = serve("serve", "--port", "0", "--data", "rooms")
    url = server.url
    expect_lines_of_error(server)
    expect_kinds(url)
    address = open_room(url)
    ann, bob, cat = visit(address, "Ann", **PHONE), visit(address, "Bob"), visit(f"{address}?watch")
    drop_out_of_turn(ann, (bob, cat))
    play_to_the_end(ann, bob, cat)
    expect_result(url, address)
    expect_only_french(cat.page)
    look_back_in_german(cat.page, address)
    play_a_bot_in_german(cat, url)
    assert [one.complaints for one in (ann, bob, cat)] == [[], [], []]


def expect_lines_of_error(server: ServerProcess) -> None:
    """Each plugin that cannot be loaded gets one line of error."""
    for name, (_, _, reason) in BROKEN.items():
        found = server.errors.until(re.compile(f".*broken-{name}.*\n").search)
        assert found is not None
        line = found[0]
        assert server.complaints.count(f"broken-{name}") == 1
        assert f"the game 'broken_{name}' of the distribution 'broken-{name}' cannot be loaded" in line
        assert reason in line


def expect_kinds(url: str) -> None:
    """The server offers all games that it could load."""
    kinds = {kind["game"]: kind for kind in json.loads(get(f"{url}rooms/kinds"))["kinds"]}
    assert list(kinds) == ["memory", "minesweeper", "crossword", "fourinarow"]
    offered = kinds["fourinarow"]
    assert (offered["title"], offered["bots"], offered["sizes"]) == ("Four in a row", 1, ["6x7", "7x8", "8x9"])


def drop_out_of_turn(ann: Tab, others: tuple[Tab, ...]) -> None:
    """A disc waits until it is its player's turn, for all to see, or until the player withdraws it."""
    ann.says("It is your turn: drop a disc.")
    ann.drop(0)
    ann.drop(1)  # out of turn
    ann.says("Your disc waits for a second player.")
    for one in (ann, *others):
        one.has(0, 1, "Ann")
    audit(ann.page, "while a drop waits")
    ann.page.get_by_role("button", name="Call it off").click()
    ann.has(0, 1, None)
    ann.drop(1)
    ann.has(0, 1, "Ann")
    ann.drop(1)  # this withdraws the drop
    ann.has(0, 1, None)


def play_to_the_end(ann: Tab, bob: Tab, cat: Tab) -> None:
    """Ann wins with four discs in column 0, the later ones out of turn. Cat watches."""
    for row in (5, 4, 3):
        ann.drop(0)
        ann.has(0, 0, "Ann")
        bob.drop(6)
        cat.has(row + 1, 6, "Bob")
        for tab in (cat, ann):
            tab.has(row, 0, "Ann")  # as soon as it is her turn
        ann.has(0, 0, None)
    expect(ann.page.locator("#ending[open]")).to_contain_text("You have won!")
    expect(bob.page.locator("#ending[open]")).to_contain_text("Ann has won")
    audit(bob.page, "at the end")


def expect_result(url: str, address: str) -> None:
    """The room has its result, and the metrics have its commands."""
    room = json.loads(get(f"{url}rooms/{address.rpartition('/')[2]}"))
    assert room["result"] == {"scores": {"Ann": 1, "Bob": 0}, "winners": ["Ann"]}
    metrics = get(f"{url}metrics")
    assert 'scramble_commands_total{game="fourinarow",kind="Drop",outcome="answered"} 7.0' in metrics
    assert 'scramble_commands_total{game="fourinarow",kind="Drop",outcome="withdrawn"} 2.0' in metrics


def expect_only_french(page: Page) -> None:
    """French, the longest language, has another text in each place. English texts and keys would stay the same."""
    expect(page.locator("#ending[open]")).to_contain_text("Ann has won")
    english = set(page.evaluate(TEXTS))
    page.evaluate("localStorage['scramble.language'] = 'fr'")
    page.reload()
    expect(page.locator("#ending[open]")).to_contain_text("Ann a gagné")
    assert english & set(page.evaluate(TEXTS)) <= SAME


def look_back_in_german(page: Page, address: str) -> None:
    """The replay has the game's own words, in the language of the page."""
    page.evaluate("localStorage['scramble.language'] = 'de'")
    page.goto(f"{address}/replay")
    expect(page).to_have_title("Verlauf: Vier gewinnt")
    expect(page.locator("#moves")).to_contain_text("Ann wartet mit einem Stein über Spalte 1")
    expect(page.locator("#now > p")).to_contain_text("Bob wirft einen Stein in Spalte 7")
    expect(page.locator("#now > p")).to_contain_text("Ann wirft einen Stein in Spalte 1 und gewinnt")
    expect(page.locator("#summary thead th")).to_have_text(["Name", "Züge", "gewartet"])
    page.keyboard.press("Home")
    expect(page.locator("#count")).to_contain_text("Zug 0 /")


def play_a_bot_in_german(tab: Tab, url: str) -> None:
    """The lobby offers the game, with a bot that moves."""
    tab.page.goto(url)
    card = tab.page.locator('.card[data-game="fourinarow"]')
    expect(card).to_contain_text("Vier Steine in einer Reihe gewinnen")
    card.get_by_role("button", name="Gegen Bot").click()
    tab.drop(3)
    expect(tab.page.locator('[role=gridcell][data-by]:not([data-row="0"])')).to_have_count(2)  # the bot has also moved
    tab.says("Du bist dran: Wirf einen Stein ein.")
    expect(tab.page.locator(".bar-title")).to_contain_text("Vier gewinnt")


def test_a_game_on_its_own_is_kept_and_replayed_in_the_terminal(
    serve: Serve, environment: Mapping[str, str], visit: Visit, tmp_path: Path
) -> None:
    options = ("fourinarow", "--size", "7x8", "--journal", "game.db", "--port")
    server = serve(*options, "0")
    ann, bob = visit(server.url, "ann"), visit(server.url, "bob")
    ann.drop(7)
    ann.drop(7)
    bob.has(0, 7, "ann")  # the server has the second drop; ann's own page may still show where she aims
    bob.drop(7)
    bob.has(5, 7, "ann")
    replay = run(*SCRAMBLE, "replay", str(tmp_path / "game.db"), environment=environment)
    assert "ann drops a disc into column 8" in replay
    assert "ann waits to drop a disc into column 8" in replay
    assert replay.endswith("ann 0, bob 0\n")
    server.kill()
    for tab in (ann, bob):
        expect(tab.link).not_to_have_attribute("data-state", "online")
    again = serve(*options, str(server.port))
    for tab in (ann, bob):
        expect(tab.link).to_have_attribute("data-state", "online")
    ann.says("It is the turn of bob.")
    bob.drop(0)
    ann.has(7, 0, "bob")
    assert json.loads(get(f"{again.url}health")) == {"live": True, "ready": True}


@needs_redis
def test_two_people_play_through_two_processes_of_a_cluster(serve: Serve, visit: Visit, tmp_path: Path) -> None:
    with RedisServer(tmp_path / "redis") as redis:
        one, other = (serve("serve", "--cluster", redis.url, "--port", "0") for _ in range(2))
        address = open_room(one.url)
        ann, bob = visit(address, "Ann"), visit(address.replace(one.url, other.url), "Bob")
        bob.drop(3)
        bob.drop(3)
        for tab in (ann, bob):
            tab.has(0, 3, "Bob")
        ann.drop(3)
        for tab in (ann, bob):
            tab.has(4, 3, "Bob")
        bob.drop(4)
        ann.has(0, 4, "Bob")
        bob.page.close()  # this withdraws the drop in the other process
        ann.has(0, 4, None)
        expect(ann.page.locator("#log")).to_contain_text("Bob has left.")
