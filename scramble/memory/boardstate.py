"""A whole game written down, and read back: all that its future depends on, and nothing else, as canonical JSON.

Who watches is left out: a watch changes nothing, and is made again by whoever comes back. What a space shows, how many
pairs are left and who waits first for which card follow from the rest, and are found out again.

Reading trusts nobody: a state that no game can be in is refused in words, so that a damaged one is noticed here and
not as a bug many moves later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec

from scramble.core import Ticket
from scramble.memory.boardfile import is_card, is_player
from scramble.memory.plays import FirstCard, Leftover, Pair, Play, controlled
from scramble.memory.table import Lie, Space, Table
from scramble.memory.waiting import Waiter, WaitingRoom

_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
_Place: TypeAlias = tuple[_Count, _Count]  # row, column


class _Play(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a player has turned over and not finished with: `places` of one or two cards, `controlled` or left over."""

    player: str
    places: tuple[_Place, ...]
    controlled: bool


class _Waiter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A flip that waits for the card at `place`."""

    ticket: int
    player: str
    place: _Place


class _State(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game: `lies` across each row from the top one, `plays` by player, scores and waiters in their order."""

    version: _Count
    rows: _Count
    columns: _Count
    deck: tuple[str, ...]
    lies: tuple[Lie, ...]
    scores: tuple[tuple[str, _Count], ...]
    plays: tuple[_Play, ...]
    waiting: tuple[_Waiter, ...]


_decoder: Final = msgspec.json.Decoder(_State)


class Parts(NamedTuple):
    """What a game is made of, besides its watchers."""

    version: int
    table: Table
    scores: dict[str, int]
    plays: dict[str, Play]
    waiting: WaitingRoom


def write_state(
    version: int, table: Table, scores: Mapping[str, int], plays: Mapping[str, Play], waiting: Iterable[Waiter]
) -> bytes:
    """The game made of these parts as JSON: equal for two games exactly if nothing that is asked can tell them apart.

    A leftover card that is gone makes no difference any more, and is left out.
    """
    state = _State(
        version=version,
        rows=table.rows,
        columns=table.columns,
        deck=table.deck,
        lies=tuple(space.lie for space in table),
        scores=tuple(scores.items()),
        plays=tuple(_written(plays)),
        waiting=tuple(_Waiter(waiter.ticket, waiter.player, _place(waiter.space)) for waiter in waiting),
    )
    return msgspec.json.encode(state)


def read_state(data: bytes) -> Parts:
    """The parts of the game that `write_state` made `data` of.

    Raises:
        ValueError: it is none; says what is wrong.
    """
    try:
        state = _decoder.decode(data)
    except RecursionError:
        raise ValueError("the state of a board is not nested so deeply") from None
    _require(all(map(is_card, state.deck)), "a card is not a card")
    _require(len(state.deck) == len(state.lies) == state.rows * state.columns > 0, "rows, columns and cards differ")
    table = Table(state.rows, state.columns, state.deck)
    for space, lie in zip(table, state.lies, strict=True):
        _require(lie.card is None or is_card(lie.card), "a card is not a card")
        _require(lie.up or lie.card is None or lie.by is None, "a card that is face down is controlled")
        _require(lie.card is not None or (lie.by is not None and not lie.up), "a card that is gone has no taker")
        table.lay(space, lie)

    scores = dict(state.scores)
    _require(len(scores) == len(state.scores) and all(map(is_player, scores)), "a score is nobody's")
    taken = {lie.by for lie in state.lies if lie.card is None}
    _require(scores.keys() >= taken, "a card was taken by nobody")
    plays = {play.player: _play(table, play) for play in state.plays}
    _require(len(plays) == len(state.plays) and scores.keys() >= plays.keys(), "a play is nobody's")
    owned = [(space, player) for player, play in plays.items() for space in controlled(play)]
    _require(len(owned) == len(dict(owned)), "two players control one card")
    _require(
        dict(owned) == {space: space.controller for space in table if space.controller is not None},
        "cards are controlled by other players than those who turned them over",
    )
    waiting = WaitingRoom()
    for waiter in state.waiting:
        space = _space(table, waiter.place)
        _require(waiter.player in scores and waiter.player not in plays, "somebody who waits has a card")
        _require(waiter.player not in waiting, "somebody waits twice")
        _require(space.controller is not None, "somebody waits for a card that is free")
        waiting.enter(Waiter(Ticket(waiter.ticket), waiter.player, space))
    _require(len({waiter.ticket for waiter in state.waiting}) == len(state.waiting), "a ticket waits twice")
    return Parts(state.version, table, scores, plays, waiting)


def _written(plays: Mapping[str, Play]) -> Iterator[_Play]:
    for player, play in sorted(plays.items(), key=lambda item: item[0]):
        mine = controlled(play)
        if mine:
            yield _Play(player, tuple(map(_place, mine)), controlled=True)
        elif isinstance(play, Leftover):
            left = tuple(_place(space) for space in play.spaces if space.card is not None)
            if left:
                yield _Play(player, left, controlled=False)


def _play(table: Table, play: _Play) -> Play:
    spaces = tuple(_space(table, place) for place in play.places)
    _require(len(set(spaces)) == len(spaces) > 0, "a play is of no card, or of one twice")
    match spaces, play.controlled:
        case (_, False) if len(spaces) <= 2:
            return Leftover(spaces)
        case ((first,), _):
            return FirstCard(first)
        case ((first, second), _):
            return Pair(first, second)
    raise ValueError("a play is of one or two cards")


def _place(space: Space) -> _Place:
    return space.row, space.column


def _space(table: Table, place: _Place) -> Space:
    row, column = place
    _require(row < table.rows and column < table.columns, "a card is not on the board")
    return table.at(row, column)


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ValueError(f"not the state of a board: {otherwise}")
