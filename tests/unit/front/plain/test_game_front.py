"""The network side that `plain_front` makes of a small game's kind, tested with `tests.support.stairs`.

Partitions:
- options: no option; a setting; a setting that the kind refuses; the port
- the game as the only game of a server: its own page, the plain page; its modules. tests/system/http/test_plain.py
  tests it over a socket
- a journal: with the same setting; with another setting
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click
import pytest

from scramble.errors import JournalError
from scramble.front.game_front import GameFront
from scramble.front.plain import plain_front
from scramble.front.site import SiteConfig
from scramble.games.kind import GameKind
from scramble.games.plain import plain_narrator, plain_room
from scramble.games.room import RoomSetup
from scramble.games.settings import Fields
from scramble.games.told import English, tell
from scramble.journal import Journal
from tests.support.stairs import Climbing, Look, Stairs, Stay, Step, result_of

RULES: Final = Climbing(Stairs())


def settle(given: Mapping[str, object], _seed: int) -> dict[str, object]:
    fields = Fields(given, ("top",))
    top = fields.number("top", 5, 1, 9)
    fields.done()
    return {"top": top}


def set_up(settings: Mapping[str, object]) -> RoomSetup:
    top = settings["top"]
    assert isinstance(top, int)
    return plain_room(Climbing(Stairs(top)), Look(), result_of)


KIND: Final = GameKind(
    name="stairs",
    title="Stairs",
    restore=RULES.restore,
    narrator=plain_narrator(RULES, Look(), result_of, lambda _: [], lambda _: tell("stepped"), English()),
    settle=settle,
    set_up=set_up,
    again=lambda settings, _: dict(settings),
)


def front_of(pages: Path) -> GameFront:
    params = (click.Option(["--top"], type=int),)
    return plain_front(KIND, Step | Stay, help="Serve stairs.", pages=pages, params=params)


async def test_a_setting_is_an_option_of_the_command(tmp_path: Path) -> None:
    setup = front_of(tmp_path).set_up({"top": 2, "port": 8081})
    assert (setup.ports, setup.same_start) == ({"http": 8081}, True)
    async with setup.open(None) as mounted:
        for player in ("ann", "bob"):
            await mounted.game.ask(Step(player))
        assert await mounted.game.ask(Look()) == Stairs(2, ("ann", "bob"))


async def test_a_setting_that_is_not_given_has_the_default_of_the_kind(tmp_path: Path) -> None:
    setup = front_of(tmp_path).set_up({"top": None, "port": 0})
    assert not setup.same_start
    async with setup.open(None) as mounted:
        assert await mounted.game.ask(Look()) == Stairs(5)


def test_a_setting_that_the_kind_refuses_is_an_error_of_the_command(tmp_path: Path) -> None:
    with pytest.raises(click.UsageError, match="a whole number from 1 to 9"):
        front_of(tmp_path).set_up({"top": 10})


async def test_a_journal_goes_on_unless_another_setting_is_given(tmp_path: Path) -> None:
    front = front_of(tmp_path)

    async def steps(**options: int) -> tuple[str, ...]:
        setup = front.set_up(options)
        async with setup.open(Journal(tmp_path / "games", same_start=setup.same_start)) as mounted:
            await mounted.game.ask(Step("ann"))
            return (await mounted.game.ask(Look())).steps

    assert await steps(top=1) == ("ann",)
    with pytest.raises(JournalError, match="began with other settings than the given ones"):
        await steps(top=2)


@pytest.mark.parametrize("own", [False, True], ids=["plain", "own"])
async def test_the_page_is_the_games_own_or_the_plain_one_with_the_games_parts(own: bool, tmp_path: Path) -> None:
    if own:
        (tmp_path / "index.html").write_text("<!doctype html>\n")
    (tmp_path / "stairs.js").write_text("export {};\n")
    async with front_of(tmp_path).set_up({}).open(None) as mounted:
        app = mounted.make_app(SiteConfig(pages={"stairs": tmp_path}), None)
        client = app.test_client()
        page = await (await client.get("/")).get_data(as_text=True)
        assert (page == "<!doctype html>\n") is own
        assert ('src="client/stairs/stairs.js"' in page) is not own
        assert "{game}" not in page
        assert await (await client.get("/client/stairs/stairs.js")).get_data(as_text=True) == "export {};\n"
        assert (await client.get("/client/shared/plain.js")).status_code == 200
