"""Encoder and decoder of a whole game as canonical JSON: exactly the state on which its future depends.

Watches are left out: a watch changes nothing, and a client that comes back repeats it. The text of each space, the
number of pairs left and the queues of waiting flips follow from the rest, and are computed again.

The decoder validates everything: it refuses a state that no game can be in with an error message, so that a damaged
state is noticed here and not as a bug many moves later.
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
    """An unfinished play: the `places` of one or two cards, `controlled` or left over."""

    player: str
    places: tuple[_Place, ...]
    controlled: bool


class _Waiter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A flip that waits for the card at `place`."""

    ticket: int
    player: str
    place: _Place


class _State(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A game: `lies` are the spaces across each row from the top one, `plays` by player, scores and waiters in order.

    Without `most_scores`, which older versions did not know, any number of players can have a score.
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
    """Encode a game as JSON: equal for two games exactly if no command can distinguish them.

    A leftover card that was removed makes no difference any more, and is left out.
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
        ValueError: it is not the state of a game; the message says why.
    """
    try:
        state = _decoder.decode(data)
    except RecursionError:
        raise ValueError("the state of a board is not nested so deeply") from None
    _require(all(map(is_card, state.deck)), "a card is not a card")
    _require(len(state.deck) == len(state.lies) == state.rows * state.columns > 0, "rows, columns and cards differ")
    deck = {card: card for card in state.deck}  # one text for the cards that are alike
    table = Table(state.rows, state.columns, tuple(deck[card] for card in state.deck))
    for space, lie in zip(table, state.lies, strict=True):
        _require(lie.card is None or is_card(lie.card), "a card is not a card")
        _require(lie.up or lie.card is None or lie.by is None, "a card that is face down is controlled")
        _require(lie.card is not None or (lie.by is not None and not lie.up), "a card that is gone has no taker")
        table.restore_space(space, lie)

    scores = dict(state.scores)
    _require(len(scores) == len(state.scores) and all(map(is_player, scores)), "a score is nobody's")
    most = state.most_scores
    _require(most is None or len(scores) <= most, "more players have a score than can have one")
    taken = {lie.by for lie in state.lies if lie.card is None}
    _require(all(map(is_player, taken)) and (most is not None or scores.keys() >= taken), "a card was taken by nobody")
    plays = {play.player: _play(table, play) for play in state.plays}
    _require(len(plays) == len(state.plays) and all(map(is_player, plays)), "a play is nobody's")
    scored = {player for player, play in plays.items() if most is None or isinstance(play, Leftover)}
    _require(scores.keys() >= scored, "a play is of somebody without a score")
    owned = [(space, player) for player, play in plays.items() for space in controlled(play)]
    _require(len(owned) == len(dict(owned)), "two players control one card")
    _require(
        dict(owned) == {space: space.controller for space in table if space.controller is not None},
        "cards are controlled by other players than those who turned them over",
    )
    waiting = WaitingRoom()
    for waiter in state.waiting:
        space = _space(table, waiter.place)
        _require(is_player(waiter.player) and waiter.player not in plays, "somebody who waits has a card")
        _require(most is not None or waiter.player in scores, "somebody waits without a score")
        _require(waiter.player not in waiting, "somebody waits twice")
        _require(space.controller is not None, "somebody waits for a card that is free")
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
