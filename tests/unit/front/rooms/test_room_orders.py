"""Requests to open a room: their fields, and the number of rooms that an address may open.

Strategy: any JSON and any bytes become an order, or an error text for each wrong field. Valid orders keep their values.
The limits are tested on an autojump clock. tests/system/rooms/test_api.py has the rest, over HTTP.
"""

from __future__ import annotations

from typing import cast

import msgspec
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from scramble.front.rooms.room_orders import (
    MOST_BOTS_IN_ROOM,
    ORDER_FIELDS,
    ROOMS_PER_MINUTE,
    TURN_CLOCKS,
    Doorkeeper,
    MayNotOpen,
    OpenRooms,
    TooManyOpened,
    parse_order,
)
from scramble.games.settings import BadSettings
from scramble.games.table import game_kinds
from scramble.rooms.protocol import BotSetting, RoomOrder

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
LEVEL = st.sampled_from(["easy", "medium", "hard"])
RIGHT = st.fixed_dictionaries(
    {"game": st.sampled_from(list(game_kinds()))},
    optional={
        "title": st.text("ab é!", max_size=5),
        "public": st.booleans(),
        "names": st.sampled_from(["seats", "open"]),
        "bots": st.lists(st.fixed_dictionaries({}, optional={"level": LEVEL}), max_size=MOST_BOTS_IN_ROOM),
        "turn_clock": st.sampled_from(["off", *TURN_CLOCKS]),
        "settings": st.dictionaries(st.text(max_size=5), ANYTHING, max_size=2),
    },
)


@given(RIGHT)
def test_what_is_right_comes_back_as_it_was_meant(asked: dict[str, object]) -> None:
    game, given, order = parse_order(msgspec.json.encode(asked), game_kinds(), turn_s=1.0)
    clock = asked.get("turn_clock", 1.0)
    bots = cast(list[dict[str, str]], asked.get("bots", []))
    assert (game, given) == (asked["game"], asked.get("settings", {}))
    assert order == RoomOrder(
        title=str(asked.get("title", "")),
        public=bool(asked.get("public", False)),
        names="open" if asked.get("names") == "open" else "seats",
        bots=tuple(msgspec.convert(bot, BotSetting) for bot in bots),
        turn_s=None if clock == "off" else clock,  # type: ignore[arg-type]
    )


@given(RIGHT, st.sampled_from([*ORDER_FIELDS, "colour"]), ANYTHING)
def test_whatever_a_field_says_it_is_right_or_there_are_words_for_it_alone(
    asked: dict[str, object], field: str, value: object
) -> None:
    errors: dict[str, str] = {}
    try:
        parse_order(msgspec.json.encode(asked | {field: value}), game_kinds())
    except BadSettings as bad:
        errors = bad.errors
    assert errors or field in ORDER_FIELDS
    assert all(name.partition(".")[0] == field and words for name, words in errors.items())


@given(st.binary(max_size=20) | st.builds(msgspec.json.encode, ANYTHING))
def test_whatever_comes_as_a_body_there_are_words_for_it(body: bytes) -> None:
    with pytest.raises(BadSettings) as bad:
        parse_order(body, game_kinds())
    assert all(bad.value.errors.values())


@pytest.mark.parametrize(
    ("who", "host", "token", "may"),
    [
        ("anybody", "203.0.113.5", "", True),
        ("local", "127.0.0.1", "", True),
        ("local", "::1", "", True),
        ("local", "::ffff:127.0.0.1", "", True),
        ("local", "192.168.1.5", "sesame", False),
        ("local", "", "", False),
        ("token", "203.0.113.5", "sesame", True),
        ("token", "203.0.113.5", "sesam\N{LATIN SMALL LETTER E WITH ACUTE}", False),
        ("token", "127.0.0.1", "", False),
    ],
)
async def test_who_may_open_rooms(who: OpenRooms, host: str, token: str, may: bool) -> None:
    doorkeeper = Doorkeeper(who, token="sesame")
    if may:
        doorkeeper.admit(host, token)
    else:
        with pytest.raises(MayNotOpen):
            doorkeeper.admit(host, token)


async def test_an_address_opens_so_many_at_once_and_then_as_many_a_minute(
    autojump_clock: trio.testing.MockClock,
) -> None:
    doorkeeper = Doorkeeper()
    for _ in range(ROOMS_PER_MINUTE):
        doorkeeper.admit("2001:db8::1")
    with pytest.raises(TooManyOpened) as early:
        doorkeeper.admit("2001:db8::2")  # in the same network
    doorkeeper.admit("2001:db8:1::1")
    await trio.sleep(early.value.wait_s)
    doorkeeper.admit("2001:db8::1")
    opened = 1
    for _ in range(10 * 60):
        await trio.sleep(1)
        try:
            doorkeeper.admit("2001:db8::1")
            opened += 1
        except TooManyOpened:
            pass
    assert opened - 1 <= 10 * ROOMS_PER_MINUTE <= opened + 1
    for _ in range(10 * ROOMS_PER_MINUTE):
        doorkeeper.admit("127.0.0.1")


async def test_no_token_at_all_opens_no_room_where_one_is_needed() -> None:
    with pytest.raises(ValueError, match="token"):
        Doorkeeper("token")
