"""Options of the command line as fields: of small classes, and of all commands that serve.

Partitions:
- a parameter: an option with a default, without a default, with a default described in words; a flag; repeated; an
  argument
- the values: given, missing, of other classes; of a type that is not the field's
- section and setting: given, not given, an option of click's own
- the classes of the commands: a command without arguments uses the defaults of the fields
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import click
import msgspec
import pytest

from scramble.cli.config import OneGameOptions, ServerOptions
from scramble.cli.places import RoomsPlace
from scramble.cli.serve import ServeOptions
from scramble.front.crossword.game_front import CrosswordOptions, CrosswordRoomsOptions
from scramble.front.memory.game_front import MemoryOptions, MemoryRoomsOptions
from scramble.front.minesweeper.game_front import MinesweeperOptions, MinesweeperRoomsOptions
from scramble.front.options import (
    FILE,
    SECONDS,
    Values,
    argument,
    flag,
    metrics_place,
    option,
    options_of,
    origin,
    params_of,
    several,
)
from scramble.front.sections import Section, is_hosted, section_of

Taste = Literal["sweet", "sour"]


@dataclass(frozen=True, kw_only=True)
class Tea:
    recipe: Path | None = argument("recipe", type=FILE)
    taste: Taste = option("--taste", "sweet", type=click.Choice(get_args(Taste)), help="How it tastes.")
    steep: float = option("--steep", 180.0, type=SECONDS, help="How long it takes.", section=Section.LIMITS)
    cups: int | None = option("--cups", None, type=int, words="as many as guests", help="How many.", hosted=False)
    place: Literal["on", "off"] | int = option("--place", "on", type=metrics_place, help="Where.")
    milk: bool = flag("--milk", help="With milk.", section=Section.PERMISSIONS, hosted=False)
    origin: tuple[str, ...] = several(
        "--origin", type=origin, metavar="URL", help="From where.", section=Section.PERMISSIONS
    )


def values_of(options: type[Tea], *arguments: str) -> Values:
    return click.Command("tea", params=list(params_of(options))).make_context("tea", list(arguments)).params


def test_the_parameters_are_those_of_the_fields_in_their_order() -> None:
    names = ["recipe", "taste", "steep", "cups", "place", "milk", "origin"]
    assert [param.name for param in params_of(Tea)] == names


def test_options_that_are_given_are_values_of_the_fields_types(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.txt"
    recipe.touch()
    given = (str(recipe), "--taste", "sour", "--steep", "60", "--cups", "2", "--place", "8080", "--milk")
    options = options_of(Tea, values_of(Tea, *given, "--origin", "http://a", "--origin", "http://b"))
    origins = ("http://a", "http://b")
    assert options == Tea(recipe=recipe, taste="sour", steep=60.0, cups=2, place=8080, milk=True, origin=origins)


def test_options_that_are_missing_have_the_defaults_of_the_fields() -> None:
    assert options_of(Tea, values_of(Tea)) == Tea()
    assert options_of(Tea, {}) == Tea()


def test_values_of_other_options_are_left_out() -> None:
    assert options_of(Tea, {"cups": 3, "host": "127.0.0.1"}) == Tea(cups=3)


@pytest.mark.parametrize("values", [{"cups": "3"}, {"taste": "bitter"}, {"recipe": "recipe.txt"}, {"origin": [1]}])
def test_a_value_of_another_type_than_the_field_is_a_bug(values: Values) -> None:
    with pytest.raises(msgspec.ValidationError):
        options_of(Tea, values)


def test_the_help_has_the_default_as_a_reader_would_write_it() -> None:
    text = click.Command("tea", params=list(params_of(Tea))).make_context("tea", []).get_help()
    assert "[default: sweet]" in text
    assert "[default: 180]" in text
    assert "[default: (as many as guests)]" in text
    assert text.count("[default: ") == 4


def test_an_option_of_clicks_own_is_in_the_first_section_and_a_setting() -> None:
    plain = click.Option(["--sugar"])
    assert (section_of(plain), is_hosted(plain)) == (Section.OWN, True)


def test_options_have_the_section_that_they_say_and_are_settings_unless_they_say_no() -> None:
    found = {one.name: section_of(one) for one in params_of(Tea) if isinstance(one, click.Option)}
    assert {name for name, section in found.items() if section is Section.OWN} == {"taste", "cups", "place"}
    assert found["steep"] is Section.LIMITS
    assert found["milk"] is Section.PERMISSIONS
    assert {one.name for one in params_of(Tea) if not is_hosted(one)} == {"cups", "milk"}


def test_a_field_with_the_option_of_another_name_is_refused() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Coffee:
        cups: int = option("--mugs", 1, type=int, help="How many.")

    with pytest.raises(AssertionError):
        params_of(Coffee)


CLASSES = (
    *(OneGameOptions, ServerOptions, ServeOptions, RoomsPlace),
    *(MemoryOptions, MinesweeperOptions, CrosswordOptions),
    *(MemoryRoomsOptions, MinesweeperRoomsOptions, CrosswordRoomsOptions),
)


@pytest.mark.parametrize("options", CLASSES)
def test_a_command_without_arguments_has_the_defaults_of_the_fields(
    options: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SCRAMBLE_CLUSTER", raising=False)
    context = click.Command("serve", params=list(params_of(options))).make_context("serve", [])
    assert options_of(options, context.params) == options()
