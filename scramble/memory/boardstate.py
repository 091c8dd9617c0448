"""Encoder and decoder of a whole game as canonical JSON: exactly the data that decide the results of later commands.

The JSON omits the watches: a watch changes nothing, and a client that reconnects repeats its watch. The decoder
computes the text of each space, the number of pairs left and the queues of waiting flips from the other data.

The decoder validates everything. It rejects an impossible state with an error message. So this module detects a damaged
state before it can cause a bug many moves later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec

from scramble.kernel.protocol import Ticket
from scramble.memory.plays import FirstCard, Leftover, Pair, Play, controlled
from scramble.memory.scores import Scores
from scramble.memory.table import Space, SpaceState, Table
from scramble.memory.validation import is_card, is_player
from scramble.memory.waiting import Waiter, WaitingRoom

_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
_Place: TypeAlias = tuple[_Count, _Count]  # row, column


class _Play(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An unfinished play: the `places` of one or two cards. The cards are `controlled` or left over."""

    player: str
    places: tuple[_Place, ...]
    controlled: bool


class _Waiter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A flip that waits for the card at `place`."""

    ticket: int
    player: str
    place: _Place


class _State(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A game. `lies` are the spaces in reading order, and `plays` are sorted by player.

    `scores` and `waiting` are in the same order as in the game. States of older versions have no `most_scores`. Then
    any number of players can have a score.
    """

    version: _Count
    rows: _Count
    columns: _Count
    deck: tuple[str, ...]
    lies: tuple[SpaceState, ...]
    scores: tuple[tuple[str, _Count], ...]
    plays: tuple[_Play, ...]
    waiting: tuple[_Waiter, ...]
    most_scores: Annotated[int, msgspec.Meta(ge=1)] | None = None


_decoder: Final = msgspec.json.Decoder(_State)


class Parts(NamedTuple):
    """The parts of a game, without its watchers."""

    version: int
    table: Table
    scores: Scores
    plays: dict[str, Play]
    waiting: WaitingRoom


def write_state(
    version: int, table: Table, scores: Scores, plays: Mapping[str, Play], waiting: Iterable[Waiter]
) -> bytes:
    """Encode a game as JSON. Two games have equal JSON if and only if no command can distinguish them.

    The JSON omits removed leftover cards, because they have no effect.
    """
    state = _State(
        version=version,
        rows=table.rows,
        columns=table.columns,
        deck=table.deck,
        lies=tuple(space.state for space in table),
        scores=tuple(scores.items()),
        plays=tuple(_written(plays)),
        waiting=tuple(_Waiter(waiter.ticket, waiter.player, _place(waiter.space)) for waiter in waiting),
        most_scores=scores.most,
    )
    return msgspec.json.encode(state)


def read_state(data: bytes) -> Parts:
    """Decode the parts of a game from the output of `write_state`.

    Raises:
        ValueError: `data` is not the state of a game. The message gives the reason.
    """
    try:
        state = _decoder.decode(data)
    except RecursionError:
        raise ValueError("not the state of a board: the JSON is nested too deeply") from None
    _require(all(map(is_card, state.deck)), "a card is invalid")
    _require(len(state.deck) == len(state.lies) == state.rows * state.columns > 0, "rows, columns and cards differ")
    deck = {card: card for card in state.deck}  # equal cards share one string
    table = Table(state.rows, state.columns, tuple(deck[card] for card in state.deck))
    for space, lie in zip(table, state.lies, strict=True):
        _require(lie.card is None or is_card(lie.card), "a card is invalid")
        _require(lie.up or lie.card is None or lie.by is None, "a face-down card is controlled")
        _require(lie.card is not None or (lie.by is not None and not lie.up), "no player took a removed card")
        table.restore_space(space, lie)

    scores = dict(state.scores)
    _require(len(scores) == len(state.scores) and all(map(is_player, scores)), "a score has a bad or repeated player")
    most = state.most_scores
    _require(most is None or len(scores) <= most, "too many players have a score")
    taken = {lie.by for lie in state.lies if lie.card is None}
    _require(
        all(map(is_player, taken)) and (most is not None or scores.keys() >= taken),
        "the player of a removed card is invalid",
    )
    plays = {play.player: _play(table, play) for play in state.plays}
    _require(len(plays) == len(state.plays) and all(map(is_player, plays)), "a play has a bad or repeated player")
    scored = {player for player, play in plays.items() if most is None or isinstance(play, Leftover)}
    _require(scores.keys() >= scored, "the player of a play has no score")
    owned = [(space, player) for player, play in plays.items() for space in controlled(play)]
    _require(len(owned) == len(dict(owned)), "two players control one card")
    _require(
        dict(owned) == {space: space.controller for space in table if space.controller is not None},
        "the plays and the spaces disagree on the controlled cards",
    )
    waiting = WaitingRoom()
    for waiter in state.waiting:
        space = _space(table, waiter.place)
        _require(is_player(waiter.player) and waiter.player not in plays, "a waiting player is invalid or has a play")
        _require(most is not None or waiter.player in scores, "a waiting player has no score")
        _require(waiter.player not in waiting, "a player waits twice")
        _require(space.controller is not None, "a player waits for a free card")
        waiting.enter(Waiter(Ticket(waiter.ticket), waiter.player, space))
    _require(len({waiter.ticket for waiter in state.waiting}) == len(state.waiting), "a ticket waits twice")
    return Parts(state.version, table, Scores(scores, most), plays, waiting)


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
    _require(len(set(spaces)) == len(spaces) > 0, "a play has no card, or has one card twice")
    match spaces, play.controlled:
        case (_, False) if len(spaces) <= 2:
            return Leftover(spaces)
        case ((first,), _):
            return FirstCard(first)
        case ((first, second), _):
            return Pair(first, second)
    raise ValueError("a play has one or two cards")


def _place(space: Space) -> _Place:
    return space.row, space.column


def _space(table: Table, place: _Place) -> Space:
    row, column = place
    _require(row < table.rows and column < table.columns, "a card is not on the board")
    return table.at(row, column)


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ValueError(f"not the state of a board: {otherwise}")
